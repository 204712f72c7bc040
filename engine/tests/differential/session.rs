//! One test between two programs: what each of them said and ended with.

use crate::peer::Peer;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Stdio};
use std::time::{Duration, Instant};

/// Longer than any test of two seconds may take on a loaded machine.
const DEADLINE: Duration = Duration::from_secs(40);
/// A one-off server has nothing to do once its client is gone.
const SERVER_DEADLINE: Duration = Duration::from_secs(15);

#[derive(Debug, Clone, Default)]
pub struct Said {
    /// The exit code; none when it was ended, by us or by a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

#[derive(Debug, Clone, Default)]
pub struct Ends {
    pub client: Said,
    pub server: Said,
    /// Why it is not worth looking at what they said.
    pub failure: Option<String>,
}

/// Run a one-off server and a client against it.
pub fn run(
    (client, client_flags): (&Peer, &[String]),
    (server, server_flags): (&Peer, &[String]),
    port: u16,
) -> Ends {
    let mut server = match Running::start(server, server_flags) {
        Ok(running) => running,
        Err(failure) => return Ends::failed(format!("starting the server: {failure}")),
    };
    if let Err(failure) = server.listens_on(port) {
        let mut ends = Ends::failed(failure);
        (ends.server, _) = server.end(Duration::ZERO);
        return ends;
    }
    let client = match Running::start(client, client_flags) {
        Ok(running) => running,
        Err(failure) => return Ends::failed(format!("starting the client: {failure}")),
    };
    let (client, client_ended) = client.end(DEADLINE);
    let (server, server_ended) = server.end(SERVER_DEADLINE);
    let failure = match (client_ended, server_ended) {
        (true, false) if client.code != Some(0) => Some(format!(
            "the client failed with {:?} and left the server waiting: {}{}",
            client.code,
            client.stderr.trim(),
            client.stdout.lines().last().unwrap_or_default(),
        )),
        (false, _) => Some(format!("the client did not end within {DEADLINE:?}")),
        (_, false) => Some(format!(
            "the server did not end within {SERVER_DEADLINE:?} of its client"
        )),
        _ => None,
    };
    Ends {
        client,
        server,
        failure,
    }
}

impl Ends {
    /// Both ended well by themselves.
    pub fn went_well(&self) -> bool {
        let codes = [self.client.code, self.server.code];
        self.failure.is_none() && codes == [Some(0), Some(0)]
    }

    fn failed(failure: String) -> Self {
        Ends {
            failure: Some(failure),
            ..Ends::default()
        }
    }
}

/// A child that is ended, not left, when a test gives up.
#[derive(Debug)]
struct Running(Child);

impl Running {
    fn start(peer: &Peer, arguments: &[String]) -> Result<Self, String> {
        peer.command()
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map(Running)
            .map_err(|error| error.to_string())
    }

    /// Look for the listener in the kernel's table: a connection would use up a one-off server.
    fn listens_on(&mut self, port: u16) -> Result<(), String> {
        let started = Instant::now();
        loop {
            let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
            if tables
                .iter()
                .any(|table| has_listener(Path::new(table), port))
            {
                return Ok(());
            }
            if matches!(self.0.try_wait(), Ok(Some(_))) {
                return Err("the server ended before there was a client".into());
            }
            if started.elapsed() > DEADLINE {
                return Err(format!("no server listens on {port} within {DEADLINE:?}"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What it said, and whether it ended by itself.
    fn end(mut self, deadline: Duration) -> (Said, bool) {
        // The pipes are read on threads so that a long document cannot block the child.
        let out = std::thread::spawn({
            let pipe: Option<ChildStdout> = self.0.stdout.take();
            move || text(pipe)
        });
        let err = std::thread::spawn({
            let pipe: Option<ChildStderr> = self.0.stderr.take();
            move || text(pipe)
        });
        let started = Instant::now();
        let status = loop {
            match self.0.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if started.elapsed() <= deadline => {}
                _ => break None,
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        if status.is_none() {
            self.kill();
        }
        let said = Said {
            code: status.and_then(|status| status.code()),
            stdout: out.join().unwrap(),
            stderr: err.join().unwrap(),
        };
        (said, status.is_some())
    }

    fn kill(&mut self) {
        // Nothing can be done about a failure here: the child is gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            self.kill();
        }
    }
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What came before a broken pipe is still worth a look.
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The kernel lists its listeners first: what comes after them is not read, there may be thousands.
fn has_listener(table: &Path, port: u16) -> bool {
    let suffix = format!(":{port:04X}");
    let Ok(file) = File::open(table) else {
        return false;
    };
    for line in BufReader::new(file).lines().skip(1).map_while(Result::ok) {
        let mut fields = line.split_whitespace().skip(1);
        let local = fields.next().unwrap_or_default();
        if fields.nth(1) != Some("0A") {
            return false;
        }
        if local.ends_with(&suffix) {
            return true;
        }
    }
    false
}
