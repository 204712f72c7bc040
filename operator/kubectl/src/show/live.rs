//! Rows of a measurement while it goes on.

use super::rows::interval;
use nettest_report::event::Event;

/// What the rows above were about.
#[derive(Debug, Default)]
pub struct Live {
    about: Option<String>,
}

impl Live {
    /// The text of an event, with a heading where it is of another repeat, flow or pair than the row above. `pair`: where
    /// there are several.
    pub fn text(&mut self, pair: Option<&str>, event: &Event) -> Option<String> {
        let Event::Interval(sum) = event else {
            return None;
        };
        let flow = match sum.flow.as_str() {
            "ServerToClient" => "server to client",
            _ => "client to server",
        };
        let whose = pair.map_or_else(String::new, |pair| format!("{pair}, "));
        let about = format!("{whose}{}, repeat {}, {flow}", sum.variant, sum.repeat);
        let mut text = String::new();
        if self.about.as_ref() != Some(&about) {
            let udp = sum.datagrams.is_some();
            let last = if udp { "Lost/Total" } else { "Retr" };
            text = format!("{about}\nInterval           Transfer     Bitrate         {last}\n");
            self.about = Some(about);
        }
        Some(text + &interval(sum) + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(repeat: u32, more: &str) -> Event {
        let line = format!(
            r#"{{"event": "interval", "data": {{"variant": "tcp-p1", "repeat": {repeat}, "flow": "ClientToServer", "start": 0.0, "end": 1.0, "bytes": 1310720, "bits_per_second": 10485760.0, "omitted": false{more}}}}}"#
        );
        Event::parse(&line).unwrap()
    }

    #[test]
    fn a_heading_where_something_new_begins() {
        let mut live = Live::default();
        let tcp = r#", "retransmits": 3"#;
        let first = live.text(None, &event(1, tcp)).unwrap();
        assert_eq!(
            first,
            "tcp-p1, repeat 1, client to server\n\
             Interval           Transfer     Bitrate         Retr\n  \
             0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec      3\n"
        );
        assert_eq!(live.text(None, &event(1, tcp)).unwrap().lines().count(), 1);
        assert_eq!(live.text(None, &event(2, tcp)).unwrap().lines().count(), 3);
        let pair = live.text(Some("node1 -> node2"), &event(2, tcp)).unwrap();
        assert!(
            pair.starts_with("node1 -> node2, tcp-p1, repeat 2, "),
            "{pair}"
        );
        let udp = live
            .text(None, &event(3, r#", "datagrams": 100, "lost": 2"#))
            .unwrap();
        assert!(udp.ends_with("2/100 (2.00%)\n"), "{udp}");
        let line = r#"{"event": "interval", "data": {"variant": "tcp-p1", "repeat": 3, "flow": "ClientToServer", "start": 0.0, "end": 1.0, "bytes": 1, "bits_per_second": 8.0, "omitted": true, "datagrams": 100, "lost": 2}}"#;
        let early = live.text(None, &Event::parse(line).unwrap()).unwrap();
        assert!(early.ends_with("2/100 (2.00%)  (omitted)\n"), "{early}");
    }
}
