//! What tests may do, as the administrator writes it.

use clap::Args;
use nettest_core::policy::{Policy, PolicyError, PolicyText};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What tests may do")]
pub struct PolicyArgs {
    /// Namespaces whose tests may use the nodes' network; `*` for all. The operator's own when unset.
    #[arg(
        long,
        env = "NETTEST_HOST_NETWORK_NAMESPACES",
        value_delimiter = ',',
        value_name = "NAMESPACE,..."
    )]
    pub host_network_namespaces: Option<Vec<String>>,

    /// Ranges of addresses outside of the cluster that tests may dial; none when unset. Loopback, link-local and
    /// multicast addresses stay forbidden.
    #[arg(
        long,
        env = "NETTEST_EXTERNAL_TARGETS",
        value_delimiter = ',',
        value_name = "CIDR,..."
    )]
    pub external_targets: Vec<String>,

    /// Ranges of the cluster's pods, Services and nodes, which no test may dial as external ones; needed with
    /// --external-targets.
    #[arg(
        long,
        env = "NETTEST_CLUSTER_CIDRS",
        value_delimiter = ',',
        value_name = "CIDR,..."
    )]
    pub cluster_cidrs: Vec<String>,

    /// Label keys by which tests may choose nodes; any when unset. A nodeName counts as kubernetes.io/hostname.
    #[arg(
        long,
        env = "NETTEST_NODE_SELECTOR_KEYS",
        value_delimiter = ',',
        value_name = "KEY,..."
    )]
    pub node_selector_keys: Vec<String>,

    /// Keys of the taints that tests may tolerate; `*` for all, none when unset.
    #[arg(
        long,
        env = "NETTEST_TOLERATIONS",
        value_delimiter = ',',
        value_name = "KEY,..."
    )]
    pub tolerations: Vec<String>,

    /// Let tests take control-plane nodes in.
    #[arg(long, env = "NETTEST_CONTROL_PLANE", default_value_t = false, action = clap::ArgAction::Set, value_name = "BOOL")]
    pub control_plane: bool,

    /// The longest that a pair may be measured, all variants and repeats, e.g. 1h.
    #[arg(long, env = "NETTEST_MAX_DURATION", value_name = "DURATION")]
    pub max_duration: Option<String>,

    /// The most bits per second that an end of a pair may send, all streams together, e.g. 5G.
    #[arg(long, env = "NETTEST_MAX_BITRATE", value_name = "QUANTITY")]
    pub max_bitrate: Option<String>,

    /// The most pairs of a run that may be measured at a time, each with two pods.
    #[arg(long, env = "NETTEST_MAX_PAIRS", value_name = "N")]
    pub max_pairs: Option<u32>,

    /// The most runs of a namespace at a time; others wait in line.
    #[arg(long, env = "NETTEST_MAX_RUNS_PER_NAMESPACE", value_name = "N")]
    pub max_runs_per_namespace: Option<u32>,
}

impl PolicyArgs {
    /// `namespace`: the operator's own.
    pub fn policy(&self, namespace: &str) -> Result<Policy, PolicyError> {
        let PolicyArgs {
            host_network_namespaces,
            external_targets,
            cluster_cidrs,
            node_selector_keys,
            tolerations,
            control_plane,
            max_duration,
            max_bitrate,
            max_pairs,
            max_runs_per_namespace,
        } = self.clone();
        Policy::parse(&PolicyText {
            host_network_namespaces: host_network_namespaces
                .unwrap_or_else(|| vec![namespace.to_owned()]),
            external_targets,
            cluster_cidrs,
            node_selector_keys,
            tolerations,
            control_plane,
            max_duration,
            max_bitrate,
            max_pairs,
            concurrent_runs: max_runs_per_namespace,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn policy(words: &[&str]) -> Result<Policy, PolicyError> {
        let base = [
            "nettest-operator",
            "run",
            "--engine-image=localhost/nettest:dev",
            "--namespace=net",
        ];
        match Cli::try_parse_from(base.iter().chain(words))
            .unwrap()
            .command
        {
            Command::Run(args) => args.policy.policy(&args.namespace),
            Command::Crd => panic!("asked for run"),
        }
    }

    #[test]
    fn without_flags_the_operators_namespace_alone_has_host_network() {
        assert_eq!(policy(&[]), Ok(Policy::with_host_network("net")));
    }

    #[test]
    fn host_network_namespaces_are_those_that_are_listed() {
        assert_eq!(
            policy(&["--host-network-namespaces", "a,b"]),
            Ok(Policy::with_host_network("a,b"))
        );
        assert_eq!(
            policy(&["--host-network-namespaces", ""]),
            Ok(Policy::with_host_network(""))
        );
    }

    #[test]
    fn every_flag_reaches_the_policy() {
        let policy = policy(&[
            "--external-targets=192.0.2.0/24",
            "--cluster-cidrs=10.0.0.0/8,fd00::/8",
            "--node-selector-keys=rack,kubernetes.io/hostname",
            "--tolerations=dedicated",
            "--control-plane=true",
            "--max-duration=1h",
            "--max-bitrate=5G",
            "--max-pairs=8",
            "--max-runs-per-namespace=2",
        ])
        .unwrap();
        let allows = |address: &str| policy.allows_external(address.parse().unwrap()).is_ok();
        assert!(allows("192.0.2.1") && !allows("192.0.3.1") && !allows("10.0.0.1"));
        assert!(policy.node_selector_keys.allows("rack") && !policy.node_selector_keys.allows("x"));
        assert!(policy.tolerations.allows("dedicated") && !policy.tolerations.allows("x"));
        assert!(policy.control_plane && policy.max_duration.is_some());
        assert!(policy.max_bitrate.is_some());
        assert_eq!(
            (policy.max_pairs, policy.concurrent_runs),
            (Some(8), Some(2))
        );
    }

    #[test]
    fn a_mistake_ends_the_operator() {
        let error = policy(&["--external-targets=lab"]).unwrap_err();
        assert!(error.to_string().contains("--external-targets"), "{error}");
    }
}
