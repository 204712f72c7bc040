//! What is wrong with one run of one combination.

use crate::combination::Combination;
use crate::figures::{self, Fault};
use crate::output::{self, Output};
use crate::peer::{Peer, Stock};
use crate::session::Ends;
use crate::{rows, schema, shape};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pairing {
    pub client: Peer,
    pub server: Peer,
}

impl Pairing {
    /// The stock version in it.
    pub fn stock(self) -> Option<Stock> {
        match (self.client, self.server) {
            (Peer::Stock(stock), _) | (_, Peer::Stock(stock)) => Some(stock),
            _ => None,
        }
    }
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.client.name(), self.server.name())
    }
}

/// `reference`: the same combination between two of the pairing's stock version.
pub fn faults(
    pairing: Pairing,
    combination: &Combination,
    ends: &Ends,
    reference: Option<&Ends>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut say = |text: String| faults.push(Fault { text, rate: false });
    if let Some(failure) = &ends.failure {
        say(failure.clone());
        return faults;
    }
    let mut outputs: [Option<Output>; 2] = [None, None];
    let roles = [
        ("client", pairing.client, &ends.client),
        ("server", pairing.server, &ends.server),
    ];
    for (index, (who, peer, said)) in roles.into_iter().enumerate() {
        if said.code != Some(0) {
            say(format!("the {who} ended with {:?}", said.code));
        }
        // A note says what a flag does not do; iperf3 is silent about it.
        let complaints = said
            .stderr
            .lines()
            .filter(|line| !line.contains(": note - "));
        if peer == Peer::Ours {
            complaints.for_each(|line| say(format!("the {who} complains: {line}")));
        }
        match read(combination, index, said, peer == Peer::Ours) {
            Ok(output) => outputs[index] = Some(output),
            Err(fault) => say(format!("the {who}'s output: {fault}")),
        }
    }
    for (index, (who, peer, _)) in roles.into_iter().enumerate() {
        if peer != Peer::Ours {
            continue;
        }
        let (Some(output), Some(reference), Some(stock)) =
            (&outputs[index], reference, pairing.stock())
        else {
            continue;
        };
        let said = [&reference.client, &reference.server][index];
        let Ok(stock_output) = read(combination, index, said, false) else {
            continue;
        };
        let found = match (output, &stock_output) {
            (Output::Document(ours), Output::Document(theirs)) => {
                let mut found = schema::compare(ours, theirs, stock);
                // With -F it is the file's size (iperf3) or that of all streams' together (ours).
                if !combination.sends_file() {
                    found.extend(schema::same("/start/test_start/bytes", ours, theirs));
                }
                found
            }
            (Output::Text(ours), Output::Text(theirs)) => shape::compare(ours, theirs),
            _ => Vec::new(),
        };
        for text in found {
            say(format!("the {who}'s output {text}"));
        }
    }
    for (output, (who, peer, _)) in outputs.iter().zip(roles) {
        let document = output.as_ref().and_then(Output::document);
        if let Some(document) = document.filter(|_| peer == Peer::Ours) {
            for fault in rows::faults(document) {
                say(format!("the {who}'s rows: {fault}"));
            }
        }
    }
    let documents = outputs.each_ref().map(|output| {
        let document = output.as_ref().and_then(Output::document);
        document.filter(|document| document.get("error").is_none())
    });
    for (output, (who, ..)) in outputs.iter().zip(roles) {
        let document = output.as_ref().and_then(Output::document);
        if let Some(error) = document.and_then(|document| document.get("error")) {
            say(format!("the {who} reports {error}"));
        }
    }
    faults.extend(figures::check(
        combination,
        (&pairing.client, documents[0]),
        (&pairing.server, documents[1]),
    ));
    faults
}

fn read(
    combination: &Combination,
    index: usize,
    said: &crate::session::Said,
    ours: bool,
) -> Result<Output, String> {
    match index {
        0 => output::read(combination.client_words(), said, ours),
        _ => output::read(combination.server_words(), said, ours),
    }
}
