//! What a program said about its run, from its own output: bytes and time by the receiver's count. Pure.

mod iperf2;
mod iperf3;
mod neper;

use crate::{
    peer::Dialect,
    work::{Direction, Work},
};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delivered {
    /// By the receiver's own count.
    pub bytes: u64,
    /// By the sender's.
    pub sent_bytes: u64,
    /// The receiver's own time. Some programs give the time that was asked for.
    pub seconds: f64,
    /// What each flow received, by the receiver: of one client its streams' bytes, of many each one's rate. Empty where
    /// the program tells the sum only.
    pub shares: Vec<f64>,
}

/// # Errors
/// One sentence: what is missing or what the program complained of.
pub fn read(
    dialect: Dialect,
    work: &Work,
    asked_seconds: f64,
    clients: &[String],
    servers: &[String],
) -> Result<Delivered, String> {
    match dialect {
        Dialect::Iperf3 => together(clients.iter().map(|document| iperf3::read(document, work))),
        Dialect::Iperf2 => {
            // Its server is the receiver, but in reverse.
            let (receivers, senders) = if work.direction == Direction::Reverse {
                (clients, servers)
            } else {
                (servers, clients)
            };
            iperf2::read(receivers, senders)
        }
        Dialect::Neper => together(
            clients
                .iter()
                .map(|output| neper::read(output, asked_seconds)),
        ),
    }
}

/// Several flows at the same time: their rates add up, whatever the time of each.
fn together(flows: impl Iterator<Item = Result<Delivered, String>>) -> Result<Delivered, String> {
    let mut sum = Delivered::default();
    let mut rate = 0.0;
    for flow in flows {
        let flow = flow?;
        sum.bytes += flow.bytes;
        sum.sent_bytes += flow.sent_bytes;
        sum.shares.extend(flow.shares);
        if flow.seconds > 0.0 {
            rate += flow.bytes as f64 / flow.seconds;
        }
    }
    if rate > 0.0 {
        sum.seconds = sum.bytes as f64 / rate;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work;

    fn text(sample: &str) -> Vec<String> {
        vec![sample.to_owned()]
    }

    fn read_iperf3(row: &str, sample: &str) -> Result<Delivered, String> {
        let work = work::named(row).expect("a row");
        read(Dialect::Iperf3, work, 1.0, &text(sample), &[])
    }

    #[test]
    fn iperf3_newest_tcp() {
        let found = read_iperf3("tcp2", include_str!("../../samples/iperf3-newest-tcp.json"));
        assert_eq!(
            found,
            Ok(Delivered {
                bytes: 3_844_603_904,
                sent_bytes: 3_844_603_904,
                seconds: 1.005664,
                shares: Vec::new(),
            })
        );
    }

    #[test]
    fn shares_are_the_streams_of_one_client_or_the_clients() {
        let streams = r#"{"end": {"streams": [
            {"sender": {"bytes": 9}, "receiver": {"bytes": 30}}, {"sender": {"bytes": 9}, "receiver": {"bytes": 10}}],
            "sum_sent": {"bytes": 40}, "sum_received": {"bytes": 40, "seconds": 2}}}"#;
        let found = read_iperf3("tcp8", streams).expect("readable");
        assert_eq!(found.shares, [30.0, 10.0]);
        let clients = [(50, 2.0), (150, 3.0)].map(|(bytes, seconds)| {
            format!(
                r#"{{"end": {{"sum_sent": {{"bytes": {bytes}}}, "sum_received": {{"bytes": {bytes}, "seconds": {seconds}}}}}}}"#
            )
        });
        let work = work::named("clients50").expect("a row");
        let found = read(Dialect::Iperf3, work, 1.0, &clients, &[]).expect("readable");
        assert_eq!(found.shares, [25.0, 50.0]);
    }

    #[test]
    fn iperf3_udp_counts_what_arrived_not_what_its_sum_says() {
        for (sample, bytes, sent_bytes) in [
            (
                include_str!("../../samples/iperf3-newest-udp.json"),
                5_073_920,
                13_615_488,
            ),
            (
                include_str!("../../samples/iperf3-3.12-udp.json"),
                1_951_360,
                7_556_480,
            ),
        ] {
            let found = read_iperf3("udp64", sample).expect("readable");
            assert_eq!((found.bytes, found.sent_bytes), (bytes, sent_bytes));
        }
    }

    /// It sent all and its server counted nothing: the figure is 0, and no error.
    #[test]
    fn iperf3_3_12_that_does_not_wait_for_the_data() {
        let found = read_iperf3(
            "small",
            include_str!("../../samples/iperf3-3.12-small.json"),
        );
        let found = found.expect("readable");
        assert_eq!((found.bytes, found.sent_bytes), (0, 1 << 20));
    }

    #[test]
    fn riperf3_in_both_directions_is_the_sum_of_them() {
        let found = read_iperf3(
            "tcp1-bidir",
            include_str!("../../samples/riperf3-bidir.json"),
        );
        let found = found.expect("readable");
        assert_eq!(found.bytes, 1_499_201_536 + 883_294_208);
        assert!((found.seconds - 1.0).abs() < 1e-9);
    }

    #[test]
    fn reverse_and_small() {
        let found = read_iperf3(
            "tcp1-reverse",
            include_str!("../../samples/riperf3-reverse.json"),
        );
        assert_eq!(found.expect("readable").bytes, 2_822_763_306);
        let found = read_iperf3("small", include_str!("../../samples/nettest-small.json"));
        assert_eq!(found.expect("readable").bytes, 1 << 20);
    }

    #[test]
    fn an_error_in_the_document_is_the_answer() {
        let found = read_iperf3(
            "tcp1",
            include_str!("../../samples/iperf3-3.12-refused.json"),
        );
        let fault = found.expect_err("it was refused");
        assert!(fault.contains("Connection refused"), "{fault}");
        assert!(read_iperf3("tcp1", "").is_err());
        assert!(read_iperf3("tcp1", "{}").is_err());
    }

    #[test]
    fn iperf2_by_its_server() {
        let work = work::named("tcp2").expect("a row");
        let found = read(
            Dialect::Iperf2,
            work,
            1.0,
            &text(include_str!("../../samples/iperf2-tcp-client.csv")),
            &text(include_str!("../../samples/iperf2-tcp-server.csv")),
        );
        let found = found.expect("readable");
        // The two streams; the line of their sum (id -1) is not a third.
        assert_eq!(found.bytes, TCP_STREAMS.iter().sum::<u64>());
        assert!((0.9..1.2).contains(&found.seconds), "{}", found.seconds);
        assert_eq!(found.shares, [36_790_545_336.0, 7_268_710_633.0]);
    }

    #[test]
    fn iperf2_udp_with_loss() {
        let work = work::named("udp64").expect("a row");
        let found = read(
            Dialect::Iperf2,
            work,
            1.0,
            &text(include_str!("../../samples/iperf2-udp-client.csv")),
            &text(include_str!("../../samples/iperf2-udp-server.csv")),
        );
        let found = found.expect("readable");
        assert_eq!((found.bytes, found.sent_bytes), (3_158_608, 4_913_104));
    }

    #[test]
    fn neper_by_what_its_server_told_the_client() {
        let work = work::named("tcp2").expect("a row");
        let clients = text(include_str!("../../samples/neper-client.txt"));
        let found = read(Dialect::Neper, work, 1.0, &clients, &[]).expect("readable");
        assert_eq!(found.bytes, 12_033_211_776 / 8);
    }

    #[test]
    fn nothing_to_read_is_said() {
        let work = work::named("tcp1").expect("a row");
        for dialect in [Dialect::Iperf2, Dialect::Neper] {
            assert!(read(dialect, work, 1.0, &text(""), &text("")).is_err());
        }
    }

    const TCP_STREAMS: [u64; 2] = [4_611_768_439, 910_295_159];
}
