//! What a local run came to, said as a cluster would: a NetTest with its status. Pure.

use crate::local::{LocalError, Measured};
use jiff::Timestamp;
use nettest_api::result::{EndpointStatus, PairStatus};
use nettest_api::{NetTest, NetTestRun, NetTestRunSpec, Reason};
use nettest_core::plan::{Progress, Stage};
use nettest_core::valid::{Lane, RunUid, ValidTest, ValidTopology};
use nettest_core::validate::Refusal;
use nettest_core::{collect, status};
use nettest_report::digest::Digest;

/// How a test ended.
#[derive(Debug)]
pub enum End {
    Measured(Box<Digest>),
    /// The sentence says what happened and what to do.
    Failed {
        reason: Reason,
        message: String,
        ran: bool,
    },
}

impl End {
    /// Exclusive CPUs come from a kubelet; without one nothing grants them, and a run without is not what was asked.
    pub fn exclusive_not_granted() -> End {
        End::Failed {
            reason: Reason::ExclusiveCPUNotGranted,
            message: "cpu.mode Exclusive needs a kubelet that grants CPUs, and --local has none: use Shared here, or run the test in a cluster".to_owned(),
            ran: false,
        }
    }

    pub fn of(test: &ValidTest, measured: &Result<Measured, LocalError>) -> End {
        match measured {
            Ok(measured) => End::of_digest(test, &measured.digest),
            Err(error) => End::Failed {
                reason: error.reason(),
                message: error.to_string(),
                ran: !matches!(error, LocalError::ServerEnded { .. }),
            },
        }
    }

    fn of_digest(test: &ValidTest, digest: &Digest) -> End {
        let failed = |reason, message| End::Failed {
            reason,
            message,
            ran: true,
        };
        if !collect::is_complete(digest) {
            return failed(collect::failure(digest), digest.message.clone());
        }
        match collect::complete(test, Lane::PODS, digest) {
            Ok(()) => End::Measured(Box::new(digest.clone())),
            Err(error) => failed(Reason::EngineCrashed, error.to_string()),
        }
    }
}

/// The test with its status.
pub fn concluded(
    mut test: NetTest,
    valid: &ValidTest,
    uid: &RunUid,
    end: End,
    now: Timestamp,
) -> NetTest {
    let mut run = run_of(&test, uid);
    let (pair, stage) = match end {
        End::Measured(digest) => (pair(valid, &digest), Stage::Measured(digest)),
        End::Failed {
            reason,
            message,
            ran,
        } => (
            None,
            Stage::Failed {
                reason,
                message,
                ran,
            },
        ),
    };
    let progress = Progress {
        many: None,
        attempt: 1,
        placed: None,
        pair,
        stage,
    };
    run.status = Some(status::run_status(&run, valid, &progress, None, &[], now));
    settle(&mut test, &run, now);
    test
}

/// A test that was refused before anything started.
pub fn refused(mut test: NetTest, uid: &RunUid, refusal: &Refusal, now: Timestamp) -> NetTest {
    let mut run = run_of(&test, uid);
    run.status = Some(status::refused_run_status(&run, refusal, now));
    settle(&mut test, &run, now);
    test
}

/// Who was measured: a server elsewhere by the name in the test, as a cluster has it, for it tells none.
fn pair(test: &ValidTest, digest: &Digest) -> Option<PairStatus> {
    let ValidTopology::External(external) = &test.topology else {
        return status::pair_from_digest(digest);
    };
    let client = digest.client_host.as_ref()?;
    Some(PairStatus {
        client: EndpointStatus {
            node: client
                .node
                .clone()
                .unwrap_or_else(|| client.hostname.clone()),
            allowed_cpus: Some(client.allowed_cpus.clone()),
            ..EndpointStatus::default()
        },
        server: EndpointStatus {
            node: external.host.clone(),
            ..EndpointStatus::default()
        },
    })
}

fn run_of(test: &NetTest, uid: &RunUid) -> NetTestRun {
    let spec = NetTestRunSpec {
        test_name: test.metadata.name.clone(),
        test_generation: test.metadata.generation,
        rerun: None,
        scheduled_time: None,
        test: test.spec.clone(),
    };
    let mut run = NetTestRun::new("local", spec);
    run.metadata.uid = Some(uid.as_str().to_owned());
    run.metadata.generation = Some(1);
    run
}

fn settle(test: &mut NetTest, run: &NetTestRun, now: Timestamp) {
    // A file may carry the status of an earlier run.
    test.status = None;
    let mut status = status::test_status(test, Some(run), now);
    // There is no such object.
    status.latest_run = None;
    test.status = Some(status);
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettest_api::condition;
    use nettest_api::result::Verdict;
    use nettest_core::{conditions::find, policy::Policy, validate::validate};
    use nettest_report::digest::Outcome;
    use serde_json::{Value, json};

    fn ended(spec: Value, end: impl FnOnce(&ValidTest) -> End) -> (NetTest, String) {
        let test: NetTest = serde_json::from_value(json!({
            "apiVersion": "nettest.dev/v1alpha1", "kind": "NetTest", "metadata": {"name": "a"}, "spec": spec
        }))
        .unwrap();
        let valid = validate(&test.spec, "default", &Policy::everything()).unwrap();
        let valid = crate::local::here(valid).unwrap();
        let end = end(&valid);
        let test = concluded(test, &valid, &RunUid::from("u"), end, Timestamp::UNIX_EPOCH);
        let conditions = &test.status.as_ref().unwrap().conditions;
        let succeeded = find(conditions, condition::SUCCEEDED).unwrap();
        let said = format!(
            "{}/{} {}",
            succeeded.status, succeeded.reason, succeeded.message
        );
        (test, said)
    }

    fn digest(rates: &[u64]) -> Digest {
        let repeats = rates.len();
        let host = json!({"hostname": "here", "allowedCpus": "0-1", "allowedCpuCount": 2, "onlineCpuCount": 2});
        serde_json::from_value(json!({
            "version": 1, "run": "u", "attempt": 1, "outcome": "Complete", "clientHost": host, "serverHost": host,
            "figures": [{"variant": "tcp-p1", "flow": "ClientToServer", "sentBitsPerSecond": rates, "receivedBitsPerSecond": rates,
                "sentBytes": vec![1; repeats], "receivedBytes": vec![1; repeats]}]
        }))
        .unwrap()
    }

    #[test]
    fn a_server_elsewhere_has_its_name_from_the_test() {
        let spec =
            json!({"topology": {"type": "External", "external": {"host": "iperf.example.net"}}});
        let mut of_a_stock_server = digest(&[1, 2, 3]);
        of_a_stock_server.server_host = None;
        let measured = Ok(Measured {
            digest: of_a_stock_server,
            measurements: Vec::new(),
        });
        let (test, succeeded) = ended(spec, |valid| End::of(valid, &measured));
        assert!(succeeded.starts_with("True/Passed"), "{succeeded}");
        let pair = test.status.unwrap().pair.unwrap();
        assert_eq!(
            (pair.client.node.as_str(), pair.server.node.as_str()),
            ("here", "iperf.example.net")
        );
    }

    fn measured(rates: &[u64]) -> Result<Measured, LocalError> {
        Ok(Measured {
            digest: digest(rates),
            measurements: Vec::new(),
        })
    }

    #[test]
    fn a_threshold_decides_between_passed_and_failed() {
        for (min, verdict, said) in [
            ("1G", Verdict::Passed, "True/Passed"),
            ("3G", Verdict::Failed, "False/ThresholdNotMet"),
        ] {
            let spec = json!({"thresholds": [{"name": "t", "metric": "Throughput", "min": min}]});
            let rates = measured(&[1_000_000_000, 2_000_000_000, 9_000_000_000]);
            let (test, succeeded) = ended(spec, |valid| End::of(valid, &rates));
            let status = test.status.unwrap();
            assert_eq!(status.verdict, Some(verdict), "{succeeded}");
            assert!(succeeded.starts_with(said), "{succeeded}");
            assert_eq!(status.results[0].receiver_bits_per_second, 2_000_000_000);
            assert_eq!(status.pair.unwrap().client.node, "here");
            assert_eq!(status.latest_run, None);
        }
    }

    #[test]
    fn fewer_repeats_than_asked_are_no_result() {
        let rates = measured(&[1_000_000_000, 2_000_000_000]);
        let (test, succeeded) = ended(json!({}), |valid| End::of(valid, &rates));
        assert!(succeeded.starts_with("False/EngineCrashed"), "{succeeded}");
        assert!(test.status.unwrap().results.is_empty());
    }

    #[test]
    fn the_engines_reason_and_sentence_are_ours() {
        use nettest_report::digest::FailureReason;
        for (reason, message, said) in [
            (
                FailureReason::PeerUnreachable,
                "connection refused",
                "False/PeerUnreachable connection refused",
            ),
            (
                FailureReason::ProtocolUnsupported,
                "the kernel has no congestion control vegas",
                "False/ProtocolUnsupported the kernel has no congestion control vegas",
            ),
        ] {
            let mut failed = digest(&[]);
            failed.outcome = Outcome::Failed;
            failed.reason = Some(reason);
            failed.message = message.into();
            let measured = Ok(Measured {
                digest: failed,
                measurements: Vec::new(),
            });
            let (test, succeeded) = ended(json!({}), |valid| End::of(valid, &measured));
            assert_eq!(succeeded, said);
            assert_eq!(test.status.unwrap().verdict, Some(Verdict::Error));
        }
    }

    #[test]
    fn exclusive_cpus_are_not_granted_here() {
        let spec = json!({"client": {"cpu": {"mode": "Exclusive"}}});
        let (_, succeeded) = ended(spec, |_| End::exclusive_not_granted());
        assert!(
            succeeded.starts_with("False/ExclusiveCPUNotGranted"),
            "{succeeded}"
        );
        assert!(succeeded.contains("Shared"), "{succeeded}");
    }
}
