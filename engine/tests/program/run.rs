//! Starting the program, and waiting for it with a bound.

use crate::port;
use crate::uninterrupted::uninterrupted;
use std::io::Read;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
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

/// What a pipe has given so far. It is read all the time: a full one would hold the program up.
struct Pipe {
    seen: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Pipe {
    fn of(mut pipe: impl Read + Send + 'static) -> Pipe {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let reader = std::thread::spawn({
            let seen = seen.clone();
            move || {
                let mut piece = [0; 4096];
                while let Ok(count @ 1..) = uninterrupted(|| pipe.read(&mut piece)) {
                    seen.lock().expect("the bytes").extend(&piece[..count]);
                }
            }
        });
        Pipe { seen, reader }
    }

    fn bytes(&self) -> Vec<u8> {
        self.seen.lock().expect("the bytes").clone()
    }

    /// Once the program has ended.
    fn whole(self) -> Vec<u8> {
        self.reader.join().expect("the pipe was read");
        std::mem::take(&mut self.seen.lock().expect("the bytes"))
    }
}

/// A child whose output is looked at while it runs: a test that waits for what it needs, and not for a time, is right
/// on a loaded machine too.
pub struct Running {
    pub child: Child,
    out: Pipe,
    err: Pipe,
}

impl Running {
    pub fn start(flags: &str) -> Running {
        Running::of(engine(flags).spawn().expect("the engine starts"))
    }

    pub fn of(mut child: Child) -> Running {
        let out = Pipe::of(child.stdout.take().expect("stdout is piped"));
        let err = Pipe::of(child.stderr.take().expect("stderr is piped"));
        Running { child, out, err }
    }

    /// Waits until stdout has `what`.
    pub fn until(mut self, what: &str) -> Running {
        let reached = self.reaches(what);
        assert!(
            reached,
            "no '{what}' on stdout: {}",
            text(&self.err.bytes())
        );
        self
    }

    /// Whether stdout has `what` before the program ends, or patience.
    fn reaches(&mut self, what: &str) -> bool {
        let begun = Instant::now();
        let mut runs = true;
        while !self.said().contains(what) {
            if !runs || begun.elapsed() > PATIENCE {
                return false;
            }
            runs = self.child.try_wait().is_ok_and(|ended| ended.is_none());
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }

    /// What stands on stdout so far.
    pub fn said(&self) -> String {
        text(&self.out.bytes())
    }

    /// All of its output, once it has ended.
    pub fn end(self) -> Output {
        let output = wait(self.child);
        Output {
            stdout: self.out.whole(),
            stderr: self.err.whole(),
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

/// A port that nothing uses, below those that the kernel gives to connections: who dials one of these before its server
/// listens reaches another test now and then, or itself.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = std::process::id() % 100 * 100;
    for _ in 0..10_000 {
        let next = u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = 10_000 + ((first + next) % 10_000) as u16;
        if port::is_free(port) {
            return port;
        }
    }
    panic!("no port from 10000 to 19999 is free")
}

/// A text server of ours that takes tests; it ends with the test.
pub struct Server {
    pub child: Child,
    pub port: u16,
    out: Pipe,
    err: Pipe,
    /// Length of its first banner.
    banner: usize,
}

impl Server {
    pub fn start(flags: &str) -> Server {
        for _ in 0..5 {
            let port = free_port();
            let child = engine(&format!("-s -p {port} {flags}")).spawn();
            let mut running = Running::of(child.expect("the server starts"));
            // A free port may become another test's connection before the server has it.
            let taken = !running.reaches(Self::LAST) && text(&running.err.bytes()).contains("use");
            if !taken {
                return Server::listening(running, port);
            }
        }
        panic!("no port stays free");
    }

    const LAST: &str = "(test #1)\n-----------------------------------------------------------\n";

    /// Of a child that is to be a text server on `port`.
    pub fn of(child: Child, port: u16) -> Server {
        Server::listening(Running::of(child), port)
    }

    fn listening(running: Running, port: u16) -> Server {
        let Running { child, out, err } = running.until(Self::LAST);
        let banner = text(&out.bytes())
            .find(Self::LAST)
            .map_or(0, |at| at + Self::LAST.len());
        Server {
            child,
            port,
            out,
            err,
            banner,
        }
    }

    /// What it printed since its first banner.
    pub fn said(&self) -> String {
        text(&self.out.bytes()[self.banner..])
    }

    /// What stands on stderr so far.
    pub fn complained(&self) -> String {
        text(&self.err.bytes())
    }

    /// Ends it by SIGTERM: its exit code, and what it printed since its first banner.
    pub fn stop(&mut self) -> (Option<i32>, String) {
        signal(&self.child, "TERM");
        let code = self.child.wait().expect("the server ends").code();
        let begun = Instant::now();
        let read = |pipe: &Pipe| pipe.reader.is_finished();
        while !(read(&self.out) && read(&self.err)) && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        (code, self.said())
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
