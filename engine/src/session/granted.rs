//! What this end's kernel granted its data sockets, as the report says it. What was asked is in the parameters.

use crate::sock::Granted;
use crate::worker::FastPaths;
use nettest_report::report::SocketFacts;

/// Of each stream whether it sends, and what it got. The streams of an end ask for the same, but only its senders are
/// paced or segmented, and only its receivers merge:
/// sizes are the first stream's that has them, and a thing is in force where all that could have it do.
pub fn together(streams: Vec<(bool, Granted, FastPaths)>) -> SocketFacts {
    let mut facts = SocketFacts::default();
    let all = |all, one| all && one;
    for (sends, granted, paths) in streams {
        let Granted {
            sndbuf,
            rcvbuf,
            mss,
            congestion,
            mptcp,
            gso,
            gro,
            fq_rate,
        } = granted;
        facts.sndbuf = facts.sndbuf.or(sndbuf);
        facts.rcvbuf = facts.rcvbuf.or(rcvbuf);
        facts.mss = facts.mss.or(mss);
        facts.congestion = facts.congestion.or(congestion);
        facts.fq_rate = facts.fq_rate.or(fq_rate);
        facts.mptcp = with(facts.mptcp, mptcp, all);
        // The kernel answers for every socket of datagrams, whatever it is for.
        facts.gso = with(facts.gso, gso.filter(|_| sends), all);
        facts.gro = with(facts.gro, gro.filter(|_| !sends), all);
        let FastPaths {
            zerocopy,
            skip_rx_copy,
            declined: _, // told when the test begins
        } = paths;
        facts.zerocopy = with(facts.zerocopy, zerocopy, all);
        facts.skip_rx_copy = with(facts.skip_rx_copy, skip_rx_copy, all);
    }
    facts
}

/// The same of one thing. `None`: known of none.
pub fn of_all(streams: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    streams.fold(None, |so_far, now| with(so_far, now, |all, one| all && one))
}

/// What is not known says nothing.
fn with(so_far: Option<bool>, now: Option<bool>, rule: fn(bool, bool) -> bool) -> Option<bool> {
    match (so_far, now) {
        (Some(a), Some(b)) => Some(rule(a, b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_stream_that_fell_back_is_said_and_unknown_stays_unknown() {
        let stream = |mptcp| {
            let granted = Granted {
                mptcp,
                mss: Some(1448),
                ..Granted::default()
            };
            (true, granted, FastPaths::default())
        };
        let facts = together(vec![stream(Some(true)), stream(Some(false))]);
        assert_eq!((facts.mptcp, facts.mss), (Some(false), Some(1448)));
        assert_eq!(together(vec![stream(None)]).mptcp, None);
        assert_eq!(together(Vec::new()), SocketFacts::default());
    }

    #[test]
    fn one_refusal_among_several_is_a_refusal() {
        let of = |streams: &[Option<bool>]| of_all(streams.iter().copied());
        assert_eq!(of(&[Some(true), Some(false), Some(true)]), Some(false));
        assert_eq!(of(&[None, Some(true), Some(true)]), Some(true));
        assert_eq!((of(&[None]), of(&[])), (None, None));
    }

    #[test]
    fn all_senders_segment_and_all_receivers_merge() {
        let one = |sends, gso, gro| {
            let granted = Granted {
                gso: Some(gso),
                gro: Some(gro),
                ..Granted::default()
            };
            (sends, granted, FastPaths::default())
        };
        let facts = |streams| {
            let facts = together(streams);
            (facts.gso, facts.gro)
        };
        let (sender, receiver) = (one(true, true, false), one(false, false, true));
        let both_ways = vec![sender.clone(), receiver.clone()];
        assert_eq!(facts(both_ways.clone()), (Some(true), Some(true)));
        // Of one direction the other is not a thing.
        assert_eq!(facts(vec![sender]), (Some(true), None));
        assert_eq!(facts(vec![receiver]), (None, Some(true)));
        // One of several was refused.
        for refused in [one(true, false, true), one(false, true, false)] {
            let is = (Some(!refused.0), Some(refused.0));
            for at in 0..=both_ways.len() {
                let mut streams = both_ways.clone();
                streams.insert(at, refused.clone());
                assert_eq!(facts(streams), is);
            }
        }
    }

    #[test]
    fn a_fast_path_is_in_force_where_all_streams_take_it() {
        let paths = |zerocopy, skip_rx_copy| {
            let paths = FastPaths {
                zerocopy,
                skip_rx_copy,
                declined: None,
            };
            (true, Granted::default(), paths)
        };
        let both_ways = together(vec![paths(Some(true), None), paths(None, Some(true))]);
        assert_eq!(both_ways.fast_paths(), ["zerocopy", "skip_rx_copy"]);
        let mixed = together(vec![paths(Some(true), None), paths(Some(false), None)]);
        assert_eq!((mixed.zerocopy, mixed.skip_rx_copy), (Some(false), None));
    }
}
