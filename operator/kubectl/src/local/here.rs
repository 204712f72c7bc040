//! A test as one machine can run it. Pure.

use nettest_api::endpoint::Network;
use nettest_core::valid::{ValidTest, ValidTopology};
use nettest_core::validate::Refusal;
use std::collections::BTreeSet;

/// The test with all its variants on one lane: whatever networks it names, here is one, and so one client measures
/// them all. What needs more than this machine is refused.
pub fn here(mut test: ValidTest) -> Result<ValidTest, Refusal> {
    let many = match &test.topology {
        ValidTopology::Pair { .. } | ValidTopology::External(_) => None,
        ValidTopology::Mesh(_) => Some("Mesh"),
        ValidTopology::Star(_) => Some("Star"),
    };
    if let Some(kind) = many {
        return Err(refusal(
            "topology.type",
            format!(
                "{kind} needs the nodes of a cluster: run the test without --local, or use topology.type Pair here"
            ),
        ));
    }
    let paths: BTreeSet<_> = test.variants.iter().map(|variant| variant.path).collect();
    if paths.len() > 1 {
        return Err(refusal(
            "sweep.paths",
            "has several paths, and with --local every one is this machine's loopback address: leave one of them, or run the test in a cluster".to_owned(),
        ));
    }
    for variant in &mut test.variants {
        variant.client_network = Network::Pod;
        variant.server_network = Network::Pod;
    }
    Ok(test)
}

fn refusal(field: &str, problem: String) -> Refusal {
    Refusal::Invalid {
        field: field.to_owned(),
        problem,
    }
}

#[cfg(test)]
mod tests {
    use super::here;
    use nettest_api::NetTestSpec;
    use nettest_core::policy::Policy;
    use nettest_core::valid::{Lane, ValidTest};
    use nettest_core::validate::{Refusal, validate};

    fn of(spec: &str) -> Result<ValidTest, Refusal> {
        let spec: NetTestSpec = serde_yaml::from_str(spec).unwrap();
        here(validate(&spec, "default", &Policy::everything()).unwrap())
    }

    #[test]
    fn every_variant_is_on_the_one_lane_that_there_is() {
        for spec in [
            "{}",
            "{sweep: {protocols: [TCP, UDP], parallelStreams: [1, 2, 4]}}",
            "{path: {type: Host}, client: {network: Host}, server: {network: Host}}",
            "{client: {network: Host}}",
            "{sweep: {paths: [Host], parallelStreams: [1, 8]}}",
            "{topology: {type: External, external: {host: iperf.example.net}}, client: {network: Host}}",
        ] {
            let test = of(spec).unwrap();
            assert_eq!(test.lanes(), [Lane::PODS], "{spec}");
            assert_eq!(
                test.variants_of(Lane::PODS).count(),
                test.variants.len(),
                "{spec}"
            );
        }
    }

    #[test]
    fn any_placement_is_this_machine() {
        for placement in ["SameNode", "DifferentNode", "DifferentZone", "Any"] {
            of(&format!(
                "{{topology: {{pair: {{placement: {placement}}}}}}}"
            ))
            .unwrap();
        }
    }

    #[test]
    fn what_needs_a_cluster_is_refused_with_what_to_do() {
        for (spec, says) in [
            (
                "{topology: {type: Mesh}}",
                "topology.type Mesh needs the nodes of a cluster",
            ),
            (
                "{topology: {type: Star}}",
                "topology.type Star needs the nodes of a cluster",
            ),
            (
                "{sweep: {paths: [PodIP, ClusterIP]}}",
                "sweep.paths has several paths",
            ),
            (
                "{sweep: {paths: [PodIP, Host]}}",
                "sweep.paths has several paths",
            ),
        ] {
            let text = of(spec).unwrap_err().to_string();
            assert!(text.starts_with(says), "{text}");
            assert!(text.contains("--local"), "{text}");
        }
    }
}
