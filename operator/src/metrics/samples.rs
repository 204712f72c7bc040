//! What a finished run is shown as: pure.

use super::family::Family;
use jiff::Timestamp;
use nettest_api::result::{Flow, PairStatus, ThresholdResult, VariantResult, Verdict};

/// Which NetTest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestKey {
    pub namespace: String,
    pub name: String,
}

/// What a finished run tells.
#[derive(Debug, Clone, Copy)]
pub struct Finished<'a> {
    pub pair: Option<&'a PairStatus>,
    pub results: &'a [VariantResult],
    pub thresholds: &'a [ThresholdResult],
    pub verdict: Verdict,
    pub finished: Option<Timestamp>,
    /// When the test last passed, this run or an earlier one.
    pub last_success: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub family: Family,
    pub labels: Vec<String>,
    pub value: f64,
}

/// Absent rather than 0 where a figure is unknown.
pub fn samples(key: &TestKey, finished: &Finished<'_>) -> Vec<Sample> {
    let Finished {
        pair,
        results,
        thresholds,
        verdict,
        finished,
        last_success,
    } = *finished;
    let mut out = Vec::new();
    let test = |extra: Option<&str>| -> Vec<String> {
        [key.namespace.as_str(), key.name.as_str()]
            .into_iter()
            .chain(extra)
            .map(str::to_owned)
            .collect()
    };
    let mut add = |family, labels, value| {
        out.push(Sample {
            family,
            labels,
            value,
        });
    };
    let ok = |met: bool| if met { 1.0 } else { 0.0 };

    add(Family::Success, test(None), ok(verdict == Verdict::Passed));
    for threshold in thresholds {
        add(
            Family::ThresholdMet,
            test(Some(&threshold.name)),
            ok(threshold.met),
        );
    }
    if let Some(time) = finished {
        add(Family::LastRun, test(None), seconds(time));
    }
    if let Some(time) = last_success {
        add(Family::LastSuccess, test(None), seconds(time));
    }

    for result in results {
        let figure = |extra: Option<&str>| -> Vec<String> {
            [
                key.namespace.as_str(),
                key.name.as_str(),
                result.variant.as_str(),
                result.protocol.as_str(),
                result.path.as_str(),
                direction(result.flow),
                pair.map_or("", |pair| pair.client.node.as_str()),
                pair.map_or("", |pair| pair.server.node.as_str()),
            ]
            .into_iter()
            .chain(extra)
            .map(str::to_owned)
            .collect()
        };
        let spread = &result.throughput_bits_per_second;
        for (stat, bits) in [
            ("median", spread.median),
            ("min", spread.min),
            ("max", spread.max),
        ] {
            add(Family::Throughput, figure(Some(stat)), float(bits) / 8.0);
        }
        if let Some(count) = result.retransmits {
            add(Family::Retransmits, figure(None), float(count));
        }
        if let Some(micros) = result.rtt_microseconds {
            add(Family::RoundTrip, figure(None), float(micros) / 1e6);
        }
        if let Some(ppm) = result.loss_ppm {
            add(Family::Loss, figure(None), float(ppm) / 1e6);
        }
        if let Some(micros) = result.jitter_microseconds {
            add(Family::Jitter, figure(None), float(micros) / 1e6);
        }
        for (role, milli) in [
            ("client", result.client_cpu_milli),
            ("server", result.server_cpu_milli),
        ] {
            if let Some(milli) = milli {
                add(Family::EngineCpu, figure(Some(role)), float(milli) / 1e3);
            }
        }
    }
    out
}

/// The API keeps its integers below 2^53.
#[allow(clippy::cast_precision_loss)]
fn float(number: i64) -> f64 {
    number as f64
}

fn seconds(time: Timestamp) -> f64 {
    float(time.as_millisecond()) / 1e3
}

const fn direction(flow: Flow) -> &'static str {
    match flow {
        Flow::ClientToServer => "ClientToServer",
        Flow::ServerToClient => "ServerToClient",
    }
}
