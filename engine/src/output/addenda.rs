//! What stands behind the summary's rows: the fast paths that were asked for, and with `-V` the fairness of the streams,
//! CPU, congestion control and queueing discipline.

use super::row::role_mark;
use nettest_report::report::{End, Flow, HostFacts, Report, Role};
use nettest_report::sums::FlowEnd;
use std::fmt::Write;

pub fn of(report: &Report, end: &End, verbose: bool) -> String {
    let mut out = fast_paths(report, verbose);
    if verbose {
        out += &fairness(report, end);
        out += &cpu_and_congestion(report, end);
        out += &disciplines(report);
    }
    out
}

/// What each end really used. Datagrams are segmented and merged without being asked for, too: then with `-V` only.
fn fast_paths(report: &Report, verbose: bool) -> String {
    let params = &report.params;
    let asked = params.zerocopy || params.skip_rx_copy || params.gsro || params.fast;
    let (client, server) = report.client_and_server();
    let any = |host: Option<&HostFacts>| host.is_some_and(|h| !h.sockets.fast_paths().is_empty());
    if !asked && !(verbose && (any(client) || any(server))) {
        return String::new();
    }
    let words = |host: Option<&HostFacts>| match host.map(|host| host.sockets.fast_paths()) {
        None => "not known".to_owned(),
        Some(paths) if paths.is_empty() => "none".to_owned(),
        Some(paths) => paths.into_iter().map(words).collect::<Vec<_>>().join(", "),
    };
    format!(
        "Fast paths: client: {}; server: {}\n",
        words(client),
        words(server)
    )
}

fn words(path: &str) -> &str {
    match path {
        "zerocopy" => "sends without a copy",
        "skip_rx_copy" => "receives without a copy",
        "gso" => "sends datagrams together (UDP_SEGMENT)",
        "gro" => "receives datagrams together (UDP_GRO)",
        other => other,
    }
}

fn fairness(report: &Report, end: &End) -> String {
    let flow = |flow: FlowEnd| {
        let index = format!("{:.3}", flow.fairness?);
        Some(match role_mark(report, flow.sender) {
            Some(role) => format!("{index} {role}"),
            None => index,
        })
    };
    let known: Vec<String> = FlowEnd::of(end).into_iter().filter_map(flow).collect();
    match known.is_empty() {
        true => String::new(),
        false => format!("Fairness (Jain's index): {}\n", known.join(", ")),
    }
}

/// Of the devices that either end's data leaves by; named as iperf3 names the congestion controls.
fn disciplines(report: &Report) -> String {
    let (client, server) = report.client_and_server();
    let (sender, receiver) = match Flow::of(report.params.direction).first() {
        Some(flow) if flow.sends(Role::Server) => (server, client),
        _ => (client, server),
    };
    let line = |name: &str, host: Option<&HostFacts>| {
        let qdisc = host.and_then(|host| host.qdisc.as_deref());
        qdisc.map_or_else(String::new, |qdisc| format!("{name} {qdisc}\n"))
    };
    line("snd_qdisc", sender) + &line("rcv_qdisc", receiver)
}

/// Of both ends, once, at both ends.
fn cpu_and_congestion(report: &Report, end: &End) -> String {
    let mut out = String::new();
    let own = match report.role {
        Role::Client => Flow::ClientToServer,
        Role::Server => Flow::ServerToClient,
    };
    let flows = Flow::of(report.params.direction);
    let sends = flows.contains(&own).then_some(("sender", "receiver"));
    let receives = flows.iter().any(|flow| *flow != own);
    let receives = receives.then_some(("receiver", "sender"));
    // With --bidir the same figures in both roles, as iperf3 has them.
    for (local, remote) in sends.into_iter().chain(receives) {
        let (Some(l), Some(r)) = (end.local_cpu, end.remote_cpu) else {
            break;
        };
        let _ = writeln!(
            out,
            "CPU Utilization: local/{local} {:.1}% ({:.1}%u/{:.1}%s), remote/{remote} {:.1}% ({:.1}%u/{:.1}%s)",
            l.total, l.user, l.system, r.total, r.user, r.system
        );
    }
    if let Some(name) = &end.sender_congestion {
        let _ = writeln!(out, "snd_tcp_congestion {name}");
    }
    if let Some(name) = &end.receiver_congestion {
        let _ = writeln!(out, "rcv_tcp_congestion {name}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use nettest_report::params::{Direction, Protocol};

    fn said(report: &Report, verbose: bool) -> String {
        of(report, report.end.as_ref().unwrap(), verbose)
    }

    #[test]
    fn fast_paths_are_named_by_end_where_they_were_asked_for() {
        let mut report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
        assert_eq!(said(&report, false), "");
        report.params.fast = true;
        report.host.sockets.zerocopy = Some(true);
        assert_eq!(
            said(&report, false),
            "Fast paths: client: sends without a copy; server: not known\n"
        );
        let mut peer = HostFacts::default();
        peer.sockets.skip_rx_copy = Some(true);
        report.peer_host = Some(peer);
        let line = "Fast paths: client: sends without a copy; server: receives without a copy\n";
        assert_eq!(said(&report, false), line);
        // The server's report has the same line.
        report.role = Role::Server;
        let peer = report.peer_host.replace(report.host.clone()).unwrap();
        report.host = peer;
        assert_eq!(said(&report, false), line);
        report.host.sockets.skip_rx_copy = Some(false);
        assert!(said(&report, false).ends_with("server: none\n"));
    }

    #[test]
    fn what_is_in_force_unasked_is_said_with_v_only() {
        let mut report = sample::report(Protocol::Udp, Direction::Forward, Role::Client, 1);
        report.host.sockets.gso = Some(true);
        assert_eq!(said(&report, false), "");
        assert!(said(&report, true).starts_with("Fast paths: client: sends datagrams together"));
    }

    #[test]
    fn fairness_is_of_several_streams_and_each_direction() {
        let of = |direction, streams| {
            let report = sample::report(Protocol::Tcp, direction, Role::Client, streams);
            said(&report, true)
        };
        assert!(!of(Direction::Forward, 1).contains("Fairness"));
        assert!(of(Direction::Forward, 2).starts_with("Fairness (Jain's index): 1.000\n"));
        assert!(
            of(Direction::Bidirectional, 2)
                .starts_with("Fairness (Jain's index): 1.000 [TX-C], 1.000 [RX-C]\n")
        );
    }

    #[test]
    fn disciplines_are_of_the_sender_and_the_receiver() {
        for (direction, role, lines) in [
            (
                Direction::Forward,
                Role::Client,
                "snd_qdisc fq\nrcv_qdisc noqueue\n",
            ),
            (
                Direction::Reverse,
                Role::Client,
                "snd_qdisc noqueue\nrcv_qdisc fq\n",
            ),
            (
                Direction::Reverse,
                Role::Server,
                "snd_qdisc fq\nrcv_qdisc noqueue\n",
            ),
        ] {
            let mut report = sample::report(Protocol::Tcp, direction, role, 1);
            report.host.qdisc = Some("fq".to_owned());
            report.peer_host = Some(HostFacts {
                qdisc: Some("noqueue".to_owned()),
                ..HostFacts::default()
            });
            assert!(
                said(&report, true).ends_with(lines),
                "{direction:?} {role:?}"
            );
            report.peer_host = None;
            assert!(said(&report, true).contains("_qdisc fq\n"));
            assert!(!said(&report, true).contains("noqueue"));
        }
    }
}
