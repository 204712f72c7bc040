//! `-M`: the segments that TCP makes.

use crate::lab::Alone;
use crate::run::text;

/// The SYN carries what was asked for, no segment is longer, and what cannot be had is refused before anything is sent.
#[test]
fn report_068_the_maximum_segment_size_is_on_the_wire() {
    let lab = Alone::new("");
    lab.net.unmerged("lo");
    lab.net.input(
        &["asked", "other", "long"],
        "tcp dport 5201 tcp sport 15200-15210 tcp flags & (syn|ack) == syn tcp option maxseg size 1200 counter name asked
         tcp dport 5201 tcp sport 15200-15210 tcp flags & (syn|ack) == syn tcp option maxseg size != 1200 counter name other
         tcp dport 15200-15210 ip length > 1252 counter name long
         tcp sport 15200-15210 ip length > 1252 counter name long",
    );
    for (turn, flags) in ["", "-R", "--bidir"].into_iter().enumerate() {
        let document = lab.measure(&format!(
            "-M 1200 --cport {} -n 300K {flags}",
            15200 + 3 * turn
        ));
        assert_eq!(document["end"]["sum_received"]["bytes"], 307_200, "{flags}");
    }
    let counted = lab.net.counted();
    assert_eq!(
        (counted["asked"], counted["other"], counted["long"]),
        (4, 0, 0),
        "{counted:?}"
    );
    for flags in ["-M 64", "-M 64B", "-M 40000", "-M 0.5"] {
        let output = lab.net.finish(&format!("-c 127.0.0.1 {flags}"));
        assert_eq!(output.status.code(), Some(1), "{flags}");
        let said = text(&output.stderr);
        assert!(said.contains("-M"), "{flags}: {said}");
    }
    lab.measure("-n 100K");
}
