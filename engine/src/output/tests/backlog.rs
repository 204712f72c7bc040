//! Readers that stall.

use crate::output::backlog::{Backlog, Push};
use std::io::{self, Read, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const SHORT: Duration = Duration::from_millis(500);
const GENEROUS: Duration = Duration::from_secs(20);

fn missing(count: u64) -> String {
    format!("[{count} missing]")
}

#[test]
fn nobody_waits_for_a_reader_and_what_is_dropped_is_counted() {
    let (mut reader, writer) = io::pipe().unwrap();
    let backlog = Backlog::start(Box::new(writer), Some(missing)).unwrap();
    let piece = "x".repeat(1 << 20);
    let begun = Instant::now();
    let pushed: Vec<Push> = (0..20).map(|_| backlog.push(piece.clone())).collect();
    let taken = pushed.iter().filter(|push| **push == Push::Taken).count();
    assert!((4..=5).contains(&taken), "{pushed:?}");
    assert_eq!(backlog.dropped(), 20 - taken as u64);
    assert!(
        backlog.drain(SHORT).is_none(),
        "it gives up, and that is no failure"
    );
    assert!(begun.elapsed() < GENEROUS);
    let dropped = missing(20 - taken as u64);
    let expected = format!("{}{dropped}the end", piece.repeat(taken));
    let length = expected.len();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut all = vec![0; length];
        reader.read_exact(&mut all).unwrap();
        tell.send(all).unwrap();
    });
    assert!(backlog.drain(GENEROUS).is_none());
    assert_eq!(backlog.push("the end".to_owned()), Push::Taken);
    assert!(backlog.drain(GENEROUS).is_none());
    let all = told.recv_timeout(GENEROUS).unwrap();
    assert!(all == expected.as_bytes(), "{}", all.len());
}

#[test]
fn the_first_failure_is_told_at_once_and_remembered() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let backlog = Backlog::start(Box::new(Full), None).unwrap();
    let (tell, told) = mpsc::channel();
    backlog.on_failure(Box::new(move || tell.send(()).unwrap()));
    assert_eq!(backlog.push("x".to_owned()), Push::Taken);
    told.recv_timeout(GENEROUS).unwrap();
    assert_eq!(backlog.push("y".to_owned()), Push::Failed);
    let failed = backlog.drain(GENEROUS).map(|error| error.kind());
    assert_eq!(failed, Some(io::ErrorKind::StorageFull));
    assert_eq!(backlog.push("z".to_owned()), Push::Failed);
}
