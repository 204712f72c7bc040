//! What was measured of the pairs of a run: pure.

use super::{
    family::Family,
    over_pairs,
    samples::{Label, Sample, TestKey, float},
};
use nettest_api::result::{Flow, PairState, PairStatus, VariantResult};
use nettest_core::{ledger::Ledger, summary};
use std::collections::{BTreeMap, HashMap};

/// More pairs than this are shown by node and by zone, and only the worst of them one by one …
pub const MOST_PAIRS: usize = 400;
/// … as many as this.
pub const WORST: usize = 100;
/// … and of fewer, too, no more than have so many results together: a pair has one for each variant and direction, and of
/// both there may be 256.
pub const MOST_RESULTS: usize = 4_000;

/// Where the figures of a run are.
#[derive(Debug, Clone, Copy)]
pub enum Figures<'a> {
    /// Of its only pair.
    Pair {
        pair: Option<&'a PairStatus>,
        results: &'a [VariantResult],
    },
    /// Of several.
    Pairs(&'a Ledger),
}

/// One pair's.
#[derive(Debug, Clone)]
pub struct Pair<'a> {
    pub client: &'a str,
    pub server: &'a str,
    pub client_zone: &'a str,
    pub server_zone: &'a str,
    pub results: &'a [VariantResult],
}

/// `exporter`: by the names of the common iperf3 exporter, too, with the server's port.
pub fn of_run(key: &TestKey, figures: Figures<'_>, exporter: Option<u16>) -> Vec<Sample> {
    let mut labels = Labels::of(key);
    let mut out = Vec::new();
    match figures {
        Figures::Pair { pair, results } => {
            let end = |end: fn(&PairStatus) -> &nettest_api::result::EndpointStatus| {
                let end = pair.map(end);
                (
                    end.map_or("", |end| end.node.as_str()),
                    end.and_then(|end| end.zone.as_deref()).unwrap_or_default(),
                )
            };
            let (client, client_zone) = end(|pair| &pair.client);
            let (server, server_zone) = end(|pair| &pair.server);
            let pair = Pair {
                client,
                server,
                client_zone,
                server_zone,
                results,
            };
            of_pair(&mut labels, &pair, exporter, &mut out);
            if let Some(port) = exporter.filter(|_| results.is_empty()) {
                down(&mut labels, (client, server), port, &mut out);
            }
        }
        Figures::Pairs(ledger) => {
            let pairs = measured(ledger);
            if let Some(port) = exporter {
                let failed = summary::of_first_pass(ledger)
                    .filter(|record| record.state == PairState::Failed);
                for record in failed.take(WORST) {
                    let ends = (record.client.as_str(), record.server.as_str());
                    down(&mut labels, ends, port, &mut out);
                }
            }
            for pair in shown(&pairs) {
                of_pair(&mut labels, pair, exporter, &mut out);
            }
            over_pairs::of_all(&mut labels, &pairs, &mut out);
            over_pairs::of_nodes(&mut labels, &pairs, &mut out);
            over_pairs::of_zones(&mut labels, &pairs, &mut out);
        }
    }
    out
}

/// Those that the verdict is about.
fn measured(ledger: &Ledger) -> Vec<Pair<'_>> {
    let records = summary::of_first_pass(ledger);
    let records = records.filter(|record| record.state == PairState::Measured);
    let pairs = records.map(|record| Pair {
        client: &record.client,
        server: &record.server,
        client_zone: record.client_zone.as_deref().unwrap_or_default(),
        server_zone: record.server_zone.as_deref().unwrap_or_default(),
        results: &record.results,
    });
    pairs.collect()
}

/// All, or of too many those whose throughput is the lowest beside that of the others.
fn shown<'a, 'b>(pairs: &'b [Pair<'a>]) -> Vec<&'b Pair<'a>> {
    let many = pairs.len() > MOST_PAIRS;
    let results: usize = pairs.iter().map(|pair| pair.results.len()).sum();
    if !many && results <= MOST_RESULTS {
        return pairs.iter().collect();
    }
    let mut rates: BTreeMap<(&str, bool), Vec<i64>> = BTreeMap::new();
    let rate = |result: &VariantResult| result.throughput_bits_per_second.median;
    for result in pairs.iter().flat_map(|pair| pair.results) {
        rates.entry(of_flow(result)).or_default().push(rate(result));
    }
    for rates in rates.values_mut() {
        rates.sort_unstable();
    }
    // Thousandths of the median over all pairs, of the result where that is least.
    let worst = |pair: &Pair<'_>| {
        let shares = pair.results.iter().filter_map(|result| {
            let rates = rates.get(&of_flow(result))?;
            let median = *rates.get((rates.len() - 1) / 2)?;
            Some(i128::from(rate(result)) * 1000 / i128::from(median.max(1)))
        });
        shares.min().unwrap_or(0)
    };
    let mut ranked: Vec<(i128, &Pair<'_>)> = pairs.iter().map(|pair| (worst(pair), pair)).collect();
    ranked.sort_by_key(|(share, _)| *share);
    if many {
        ranked.truncate(WORST);
    }
    let mut left = MOST_RESULTS;
    let fits = |pair: &&Pair<'_>| {
        let room = left.checked_sub(pair.results.len());
        left = room.unwrap_or(0);
        room.is_some()
    };
    ranked
        .into_iter()
        .map(|(_, pair)| pair)
        .take_while(fits)
        .collect()
}

pub fn of_flow(result: &VariantResult) -> (&str, bool) {
    (&result.variant, result.flow == Flow::ServerToClient)
}

/// Label values by their text, so that each is in memory once.
#[derive(Debug)]
pub struct Labels {
    pub namespace: Label,
    pub test: Label,
    known: HashMap<String, Label>,
}

impl Labels {
    fn of(key: &TestKey) -> Labels {
        Labels {
            namespace: Label::from(key.namespace.as_str()),
            test: Label::from(key.name.as_str()),
            known: HashMap::new(),
        }
    }

    pub fn label(&mut self, text: &str) -> Label {
        if let Some(label) = self.known.get(text) {
            return label.clone();
        }
        let label = Label::from(text);
        self.known.insert(text.to_owned(), label.clone());
        label
    }
}

fn of_pair(labels: &mut Labels, pair: &Pair<'_>, exporter: Option<u16>, out: &mut Vec<Sample>) {
    for result in pair.results {
        let base: Vec<Label> = [
            result.variant.as_str(),
            result.protocol.as_str(),
            result.path.as_str(),
            direction(result.flow),
            pair.client,
            pair.server,
            pair.client_zone,
            pair.server_zone,
        ]
        .into_iter()
        .map(|text| labels.label(text))
        .collect();
        let base = [vec![labels.namespace.clone(), labels.test.clone()], base].concat();
        for (family, extra, value) in figures(result) {
            let mut labels_of = base.clone();
            labels_of.extend(extra.map(|extra| labels.label(extra)));
            out.push(Sample {
                family,
                labels: labels_of,
                value,
            });
        }
        if let Some(port) = exporter {
            of_exporter(labels, pair, port, result, out);
        }
    }
}

/// Family, the label that it adds, value.
fn figures(result: &VariantResult) -> Vec<(Family, Option<&'static str>, f64)> {
    let spread = &result.throughput_bits_per_second;
    let micros = |micros: Option<i64>| micros.map(|micros| float(micros) / 1e6);
    let milli = |milli: Option<i64>| milli.map(|milli| float(milli) / 1e3);
    let quantiles = result.rtt_percentiles_microseconds;
    let known = [
        (
            Family::Throughput,
            Some("median"),
            Some(float(spread.median) / 8.0),
        ),
        (
            Family::Throughput,
            Some("min"),
            Some(float(spread.min) / 8.0),
        ),
        (
            Family::Throughput,
            Some("max"),
            Some(float(spread.max) / 8.0),
        ),
        (Family::Retransmits, None, result.retransmits.map(float)),
        (Family::RoundTripMean, None, micros(result.rtt_microseconds)),
        (
            Family::RoundTrip,
            Some("p50"),
            micros(quantiles.map(|q| q.p50)),
        ),
        (
            Family::RoundTrip,
            Some("p90"),
            micros(quantiles.map(|q| q.p90)),
        ),
        (
            Family::RoundTrip,
            Some("p99"),
            micros(quantiles.map(|q| q.p99)),
        ),
        (Family::Loss, None, micros(result.loss_ppm)),
        (Family::Jitter, None, micros(result.jitter_microseconds)),
        (Family::Datagrams, None, datagrams_per_second(result)),
        (
            Family::EngineCpu,
            Some("client"),
            milli(result.client_cpu_milli),
        ),
        (
            Family::EngineCpu,
            Some("server"),
            milli(result.server_cpu_milli),
        ),
    ];
    known
        .into_iter()
        .filter_map(|(family, extra, value)| Some((family, extra, value?)))
        .collect()
}

/// What could not be measured has neither variant nor direction.
fn down(labels: &mut Labels, (client, server): (&str, &str), port: u16, out: &mut Vec<Sample>) {
    let port = port.to_string();
    let more = ["", "", client, server, &port].map(|text| labels.label(text));
    let both = [labels.namespace.clone(), labels.test.clone()];
    out.push(Sample {
        family: Family::ExporterUp,
        labels: both.into_iter().chain(more).collect(),
        value: 0.0,
    });
}

/// Bytes and bits per second give the time.
fn duration(bytes: i64, bits_per_second: i64) -> Option<f64> {
    let rate = float(bits_per_second) / 8.0;
    (rate > 0.0 && bytes > 0).then(|| float(bytes) / rate)
}

fn datagrams_per_second(result: &VariantResult) -> Option<f64> {
    let arrived = result.datagrams? - result.lost_datagrams?;
    let time = duration(result.received_bytes, result.receiver_bits_per_second)?;
    Some(float(arrived) / time)
}

/// A result under the names of the common iperf3 exporter, for dashboards that have them.
fn of_exporter(
    labels: &mut Labels,
    pair: &Pair<'_>,
    port: u16,
    result: &VariantResult,
    out: &mut Vec<Sample>,
) {
    let base = [
        labels.namespace.clone(),
        labels.test.clone(),
        labels.label(&result.variant),
        labels.label(direction(result.flow)),
        labels.label(pair.client),
        labels.label(pair.server),
        labels.label(&port.to_string()),
    ];
    let sent = duration(result.sent_bytes, result.sender_bits_per_second);
    let received = duration(result.received_bytes, result.receiver_bits_per_second);
    for (family, value) in [
        (Family::ExporterUp, Some(1.0)),
        (Family::ExporterSentSeconds, sent),
        (Family::ExporterSentBytes, Some(float(result.sent_bytes))),
        (Family::ExporterReceivedSeconds, received),
        (
            Family::ExporterReceivedBytes,
            Some(float(result.received_bytes)),
        ),
        (Family::ExporterRetransmits, result.retransmits.map(float)),
    ] {
        if let Some(value) = value {
            out.push(Sample {
                family,
                labels: base.to_vec(),
                value,
            });
        }
    }
}

pub const fn direction(flow: Flow) -> &'static str {
    match flow {
        Flow::ClientToServer => "ClientToServer",
        Flow::ServerToClient => "ServerToClient",
    }
}
