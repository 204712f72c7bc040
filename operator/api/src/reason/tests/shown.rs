//! Each reason is produced by a test on the real cluster; where no cluster of ours can, by a scripted one, and the list says why.

use super::super::Reason;
use std::collections::BTreeSet;

/// The test that shows a reason, by name.
enum Shown {
    /// Of `e2e/tests/scenarios`: file and function.
    Cluster(&'static str, &'static str),
    /// Elsewhere in the repository, and why the cluster cannot.
    Scripted {
        file: &'static str,
        test: &'static str,
        why: &'static str,
    },
}

use Shown::{Cluster, Scripted};

const SHOWN: &[(Reason, Shown)] = &[
    (
        Reason::Valid,
        Cluster("fault", "a_run_says_what_it_is_doing"),
    ),
    (
        Reason::Pending,
        Cluster("fault", "a_run_says_what_it_is_doing"),
    ),
    (
        Reason::Queued,
        Cluster("pinning", "a_second_pinned_test_waits_for_the_first"),
    ),
    (
        Reason::Starting,
        Cluster("fault", "a_run_says_what_it_is_doing"),
    ),
    (
        Reason::Running,
        Cluster("fault", "a_run_says_what_it_is_doing"),
    ),
    (
        Reason::PodsRunning,
        Cluster("fault", "a_run_says_what_it_is_doing"),
    ),
    (
        Reason::MeasurementComplete,
        Cluster("fault", "a_run_says_what_it_is_doing"),
    ),
    (
        Reason::ThresholdsMet,
        Cluster("fault", "a_run_says_what_it_is_doing"),
    ),
    (
        Reason::NoThresholds,
        Cluster("every_example", "between_pods"),
    ),
    (
        Reason::ExclusiveConfirmed,
        Cluster("examples", "cpu_pinned"),
    ),
    (Reason::SharedPool, Cluster("examples", "pair_tcp")),
    (
        Reason::Passed,
        Cluster("fault", "a_run_says_what_it_is_doing"),
    ),
    (
        Reason::ThresholdNotMet,
        Cluster(
            "threshold",
            "a_missed_threshold_fails_the_test_and_is_not_measured_again",
        ),
    ),
    (
        Reason::Unstable,
        Cluster("sweep", "what_does_not_hold_still_is_unstable"),
    ),
    (
        Reason::NotMeasured,
        Cluster("fault", "a_client_that_hangs_ends_at_the_run_timeout"),
    ),
    (
        Reason::Refused,
        Cluster(
            "pinning",
            "without_an_exclusive_cpu_left_it_fails_and_never_runs_unpinned",
        ),
    ),
    (
        Reason::Unschedulable,
        Cluster("refusal", "unschedulable_with_the_schedulers_own_message"),
    ),
    (
        Reason::PodSecurityDenied,
        Cluster("refusal", "host_network_in_a_namespace_that_forbids_it"),
    ),
    (
        Reason::QuotaExceeded,
        Cluster("refusal", "a_quota_that_has_no_room"),
    ),
    (
        Reason::AdmissionDenied,
        Cluster("refusal", "a_policy_of_the_cluster_that_forbids_it"),
    ),
    (Reason::ImagePullFailed, Cluster("refusal", "no_image_in")),
    (
        Reason::PortConflict,
        Cluster("refusal", "a_port_of_the_node_that_is_taken"),
    ),
    (
        Reason::TopologyAffinityError,
        Scripted {
            file: "operator/core/src/plan/tests/failing.rs",
            test: "what_the_kubelet_refuses_is_tried_again_a_bounded_number_of_times",
            why: "a machine with one NUMA node aligns everything",
        },
    ),
    (
        Reason::SMTAlignmentError,
        Scripted {
            file: "operator/core/src/plan/tests/failing.rs",
            test: "what_the_kubelet_refuses_is_tried_again_a_bounded_number_of_times",
            why: "it takes cores with two threads, and a second core for the rest",
        },
    ),
    (
        Reason::ExclusiveCPUNotGranted,
        Cluster(
            "pinning",
            "without_an_exclusive_cpu_left_it_fails_and_never_runs_unpinned",
        ),
    ),
    (
        Reason::PeerUnreachable,
        Cluster("external", "nobody_listens"),
    ),
    (
        Reason::NameNotResolved,
        Cluster("external", "it_is_not_permitted_elsewhere"),
    ),
    (
        Reason::ServerBusy,
        Cluster("external", "somebody_else_is_measured_there"),
    ),
    (
        Reason::ProtocolUnsupported,
        Cluster("every_example", "sctp_where_the_kernel_has_none"),
    ),
    (
        Reason::EngineCrashed,
        Cluster("fault", "a_killed_engine_is_a_crash"),
    ),
    (
        Reason::EngineOutOfMemory,
        Cluster("fault", "too_little_memory_for_its_streams"),
    ),
    (
        Reason::ScheduleTimeout,
        Cluster("fault", "a_cluster_without_a_scheduler"),
    ),
    (
        Reason::RunTimeout,
        Cluster("fault", "a_client_that_hangs_ends_at_the_run_timeout"),
    ),
    (
        Reason::Interrupted,
        Cluster("fault", "a_client_that_is_always_deleted_is_interrupted"),
    ),
    (
        Reason::NodeLost,
        Cluster("fault", "a_node_that_is_lost_in_the_middle_of_a_run"),
    ),
    (
        Reason::InvalidSpec,
        Cluster(
            "invalid_spec",
            "what_the_schema_cannot_see_is_refused_before_any_pod",
        ),
    ),
    (
        Reason::NotPermitted,
        Cluster(
            "permission",
            "each_refusal_names_the_field_and_makes_no_pod",
        ),
    ),
    (
        Reason::PacingLimited,
        Scripted {
            file: "operator/core/src/diagnose/pacing/tests.rs",
            test: "a_stream_of_bbr_without_fq_is_told_with_its_figures_and_what_to_do",
            why: "it is told between 10 and 40 Gbit/s, which a machine reaches or does not; examples.rs looks at it where one does",
        },
    ),
    (
        Reason::OverlayOverhead,
        Cluster(
            "diagnosis",
            "a_pod_network_that_is_slower_than_its_nodes_own",
        ),
    ),
];

#[test]
fn every_reason_has_a_test_that_shows_it() {
    let mut missing: BTreeSet<Reason> = Reason::ALL.iter().copied().collect();
    for (reason, shown) in SHOWN {
        assert!(missing.remove(reason), "{reason} is here twice");
        let (file, test) = match shown {
            Cluster(file, test) => (format!("e2e/tests/scenarios/{file}.rs"), test),
            Scripted { file, test, why } => {
                assert!(!why.is_empty(), "why can the cluster not show {reason}?");
                ((*file).to_owned(), test)
            }
        };
        let path = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let Some(body) = body(&text, test) else {
            panic!("{file} has no test {test}, which should show {reason}");
        };
        assert!(
            words(body).any(|word| word == reason.as_str()),
            "{test} in {file} does not look for {reason}"
        );
    }
    assert!(
        missing.is_empty(),
        "no test shows {missing:?}: add one, and name it here"
    );
}

/// A function of the file, up to the brace that ends it, with no attribute that keeps it from running.
fn body<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let start = text.find(&format!("fn {name}("))?;
    let before = text[..start].rsplit("\n\n").next()?;
    if before.contains("#[ignore") {
        return None;
    }
    let rest = &text[start..];
    Some(&rest[..rest.find("\n}\n").unwrap_or(rest.len())])
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
}
