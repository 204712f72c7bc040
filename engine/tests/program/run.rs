//! Starting the program, and waiting for it with a bound.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Longer than any test here takes, shorter than a tester's patience.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn engine(flags: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nettest-engine"));
    command
        .args(flags.split_whitespace())
        .env_remove("NETTEST_RUN_TOKEN")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs to the end.
pub fn finish(flags: &str) -> Output {
    wait(engine(flags).spawn().expect("the engine starts"))
}

/// The output of a child that was started, which must end within the patience.
pub fn wait(mut child: Child) -> Output {
    let mut out = child.stdout.take();
    let mut err = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(out) = &mut out {
            let _ = out.read_to_end(&mut bytes);
        }
        bytes
    });
    let errors = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(err) = &mut err {
            let _ = err.read_to_end(&mut bytes);
        }
        bytes
    });
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child can be waited for") {
            break status;
        }
        let patient = begun.elapsed() <= PATIENCE;
        if !patient {
            let _ = child.kill();
        }
        assert!(patient, "the engine did not end within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    };
    Output {
        status,
        stdout: reader.join().expect("stdout was read"),
        stderr: errors.join().expect("stderr was read"),
    }
}

/// A child whose output is looked at while it runs: a test that waits for what it needs, and not for a time, is right
/// on a loaded machine too.
pub struct Running {
    pub child: Child,
    seen: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Running {
    pub fn start(flags: &str) -> Running {
        let mut child = engine(flags).spawn().expect("the engine starts");
        let mut out = child.stdout.take().expect("stdout is piped");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let reader = std::thread::spawn({
            let seen = seen.clone();
            move || {
                let mut piece = [0; 4096];
                while let Ok(count @ 1..) = out.read(&mut piece) {
                    seen.lock().expect("the bytes").extend(&piece[..count]);
                }
            }
        });
        Running {
            child,
            seen,
            reader,
        }
    }

    /// Waits until stdout has `what`.
    pub fn until(self, what: &str) -> Running {
        let begun = Instant::now();
        while !text(&self.seen.lock().expect("the bytes")).contains(what) {
            assert!(begun.elapsed() < PATIENCE, "no '{what}' on stdout");
            std::thread::sleep(Duration::from_millis(5));
        }
        self
    }

    /// All of its output, once it has ended.
    pub fn end(self) -> Output {
        let output = wait(self.child);
        self.reader.join().expect("stdout was read");
        Output {
            stdout: self.seen.lock().expect("the bytes").clone(),
            ..output
        }
    }
}

pub fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(status.success());
}

/// A port that nobody listens on now.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
        .port()
}

/// A text server of ours that takes tests; it ends with the test.
pub struct Server {
    pub child: Child,
    pub port: u16,
    out: BufReader<ChildStdout>,
}

impl Server {
    pub fn start(flags: &str) -> Server {
        let port = free_port();
        let mut child = engine(&format!("-s -p {port} {flags}"))
            .spawn()
            .expect("the server starts");
        let mut out = BufReader::new(child.stdout.take().expect("stdout is piped"));
        for _ in 0..3 {
            let mut line = String::new();
            out.read_line(&mut line).expect("the server's banner");
        }
        Server { child, port, out }
    }

    /// Ends it by SIGTERM: its exit code, and what it printed since its first banner.
    pub fn stop(&mut self) -> (Option<i32>, String) {
        signal(&self.child, "TERM");
        let code = self.child.wait().expect("the server ends").code();
        let mut text = String::new();
        let _ = self.out.read_to_string(&mut text);
        (code, text)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
