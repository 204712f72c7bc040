//! `-F`: a file is sent, or what arrives is written to one.

use crate::data::{bytes, document};
use crate::run::{Server, finish, free_port, text};
use std::io::Write;
use std::time::{Duration, Instant};

/// What is in the file and its size, one that ends in the middle of a block.
fn content() -> Vec<u8> {
    (0..1_500_007u32).map(|i| (i * 31 % 251) as u8).collect()
}

struct Files {
    dir: tempfile::TempDir,
}

impl Files {
    fn new() -> Files {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("from"), content()).expect("the file");
        Files { dir }
    }

    fn name(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    fn arrived(&self) -> bool {
        std::fs::read(self.dir.path().join("to")).expect("the file") == content()
    }
}

/// The test ends with the file, and both ends agree to the byte.
#[test]
fn a_file_is_sent_and_written_as_it_is() {
    for flags in ["", "-Z", "-P 2", "-b 100M", "-l 1000"] {
        let files = Files::new();
        let server = Server::start(&format!("-F {}", files.name("to")));
        let document = document(&format!(
            "-c 127.0.0.1 -p {} -J -F {} {flags}",
            server.port,
            files.name("from")
        ));
        let size = content().len() as u64 * if flags == "-P 2" { 2 } else { 1 };
        let both = (
            bytes(&document, "sum_sent"),
            bytes(&document, "sum_received"),
        );
        assert_eq!(both, (size, size), "{flags}");
        drop(server);
        assert!(files.arrived(), "{flags}");
    }
}

/// The client's time or bytes are more than the server's file.
#[test]
fn a_reverse_test_ends_with_the_servers_file() {
    for flags in ["-t 20", "-n 100M"] {
        let files = Files::new();
        let server = Server::start(&format!("-F {}", files.name("from")));
        let document = document(&format!(
            "-c 127.0.0.1 -p {} -J -R -F {} {flags}",
            server.port,
            files.name("to")
        ));
        let size = content().len() as u64;
        let both = (
            bytes(&document, "sum_sent"),
            bytes(&document, "sum_received"),
        );
        assert_eq!(both, (size, size), "{flags}");
        let disk = &document["end"]["streams"][0]["diskfile"];
        assert_eq!(
            (&disk["received"], &disk["size"], &disk["percent_received"]),
            (&size.into(), &size.into(), &100.into()),
            "{flags}"
        );
        assert!(files.arrived(), "{flags}");
    }
}

#[test]
fn bytes_and_time_end_a_file_early() {
    let server = Server::start("");
    let files = Files::new();
    let from = files.name("from");
    for (flags, limit) in [("-n 1000000", 1_000_000), ("-t 0.5 -b 1M", 65_000)] {
        let document = document(&format!(
            "-c 127.0.0.1 -p {} -J -F {from} {flags}",
            server.port
        ));
        let (sent, received) = (
            bytes(&document, "sum_sent"),
            bytes(&document, "sum_received"),
        );
        assert_eq!(sent, received, "{flags}");
        assert!(sent <= limit && sent > limit / 2, "{flags}: {sent}");
    }
    let whole = document(&format!(
        "-c 127.0.0.1 -p {} -J -F {from} -t 20",
        server.port
    ));
    assert_eq!(bytes(&whole, "sum_sent"), content().len() as u64);
}

#[test]
fn an_empty_file_is_a_test_of_nothing() {
    let server = Server::start("");
    let files = Files::new();
    std::fs::write(files.name("from"), "").expect("the file");
    let document = document(&format!(
        "-c 127.0.0.1 -p {} -J -F {}",
        server.port,
        files.name("from")
    ));
    assert_eq!(bytes(&document, "sum_received"), 0);
}

/// A client says so before it sends a packet, a server by SERVER_ERROR: its next test runs.
#[test]
fn a_file_that_cannot_be_used_is_named() {
    let files = Files::new();
    let folder = files.dir.path().display().to_string();
    let port = free_port();
    for (flags, names) in [
        (format!("-F {}", files.name("absent")), files.name("absent")),
        (format!("-F {folder}"), folder.clone()),
        (format!("-R -F {folder}"), folder.clone()),
        (format!("-R -F {folder}/no/such"), folder.clone()),
        (format!("-u -F {}", files.name("from")), "-F".to_owned()),
        (
            format!("--bidir -F {}", files.name("from")),
            "-F".to_owned(),
        ),
    ] {
        let output = finish(&format!("-c 127.0.0.1 -p {port} -t 1 {flags}"));
        let error = text(&output.stderr);
        // Nobody listens: a packet would have been refused.
        assert_eq!(output.status.code(), Some(1), "{flags}: {error}");
        assert!(
            error.contains(&names) && !error.contains("refused;"),
            "{flags}: {error}"
        );
    }
    let server = Server::start(&format!("-F {folder}/no/such"));
    for _ in 0..2 {
        let output = finish(&format!("-c 127.0.0.1 -p {} -t 1", server.port));
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(error.contains("file could not be opened"), "{error}");
    }
    let output = finish(&format!("-c 127.0.0.1 -p {} -t 1 -u", server.port));
    assert!(
        text(&output.stderr).contains("error 34"),
        "{}",
        text(&output.stderr)
    );
}

impl Files {
    fn pipe(&self, name: &str) -> String {
        let path = self.name(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        path
    }
}

/// It is opened once: a second open would take the data from the program at its other end, or its reader away.
#[test]
fn pipes_are_sent_and_written_to_their_end() {
    let files = Files::new();
    let (from, to) = (files.pipe("a"), files.pipe("b"));
    let server = Server::start(&format!("-F {to}"));
    let reader = std::thread::spawn(move || std::fs::read(to).expect("the data"));
    let writer = std::thread::spawn({
        let from = from.clone();
        move || std::fs::write(from, content())
    });
    let document = document(&format!("-c 127.0.0.1 -p {} -J -F {from}", server.port));
    assert_eq!(
        bytes(&document, "sum_received"),
        content().len() as u64,
        "{document}"
    );
    writer.join().expect("it wrote").expect("all of it");
    assert!(reader.join().expect("it read") == content());
}

/// Its other end is there, and gives or takes nothing: the test ends in its time all the same.
#[test]
fn a_pipe_that_stalls_does_not_hold_up_the_end() {
    let files = Files::new();
    let (from, to) = (files.pipe("a"), files.pipe("b"));
    // Read and write: such an open never waits.
    let open = |name: &str| {
        let opened = std::fs::File::options().read(true).write(true).open(name);
        opened.expect("the pipe")
    };
    let (mut giver, _taker) = (open(&from), open(&to));
    giver.write_all(b"some").expect("it takes a little");
    let server = Server::start("");
    let document = document(&format!(
        "-c 127.0.0.1 -p {} -J -t 1 -F {from}",
        server.port
    ));
    assert_eq!(bytes(&document, "sum_received"), 4, "{document}");
    let begun = Instant::now();
    let output = finish(&format!("-c 127.0.0.1 -p {} -t 1 -R -F {to}", server.port));
    assert!(output.status.code().is_some(), "it ends by itself");
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn devices_are_read_and_written() {
    let server = Server::start("-F /dev/null");
    for (flags, limit) in [("-F /dev/zero", "-n 1M"), ("-F /dev/urandom", "-t 0.5")] {
        let document = document(&format!(
            "-c 127.0.0.1 -p {} -J {limit} {flags} -b 100M",
            server.port
        ));
        let received = bytes(&document, "sum_received");
        assert!(received >= 1 << 20, "{flags}: {received}");
    }
}

/// Nobody waits for ever for the other end of a pipe, and a server goes on meanwhile.
#[test]
fn a_pipe_without_another_end_is_said_so() {
    let files = Files::new();
    let pipe = files.pipe("a");
    let mut server = Server::start(&format!("-F {pipe}"));
    for flags in ["-t 1", "-t 1 -R"] {
        let output = finish(&format!("-c 127.0.0.1 -p {} {flags}", server.port));
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{flags}");
        assert!(
            error.contains("file could not be opened"),
            "{flags}: {error}"
        );
    }
    assert!(
        server
            .complained()
            .contains("nobody has its other end open")
    );
    assert_eq!(server.stop().0, Some(0));
    let output = finish(&format!("-c 127.0.0.1 -p {} -t 1 -F {pipe}", free_port()));
    let error = text(&output.stderr);
    assert!(error.contains("nobody has its other end open"), "{error}");
    let output = finish(&format!(
        "-c 127.0.0.1 -p {} -t 1 -Z -F {pipe}",
        free_port()
    ));
    let error = text(&output.stderr);
    assert!(error.contains("-Z"), "{error}");
}
