//! Outputs that cannot be written.

use super::*;

/// A closed pipe or a full disk is not a success.
#[test]
fn a_sink_remembers_its_first_failure() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let sink = Sink::new(Box::new(Full));
    let told = Arc::new(Mutex::new(0));
    sink.on_failure({
        let told = told.clone();
        move || *told.lock().unwrap() += 1
    });
    assert!(sink.failure().is_none());
    sink.write("x");
    sink.write("y");
    assert_eq!(
        sink.failure().map(|e| e.kind()),
        Some(std::io::ErrorKind::StorageFull)
    );
    assert_eq!(*told.lock().unwrap(), 1, "told at once, and once");
}

/// Field report 054.
#[test]
fn report_054_an_unwritable_log_file_is_an_error() {
    assert!(Sink::open(Some("/nonexistent/x".as_ref())).is_err());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    for line in ["one\n", "two\n"] {
        Sink::open(Some(&path)).unwrap().write(line);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
}
