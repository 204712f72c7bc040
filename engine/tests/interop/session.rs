//! One test between two programs: their documents, or what went wrong.

use crate::{mode::Mode, peer::Peer};
use serde_json::Value;
use std::{
    io::Read,
    net::TcpListener,
    process::{Child, Output, Stdio},
    time::{Duration, Instant},
};

/// Longer than any one-second test may take on a loaded machine.
const DEADLINE: Duration = Duration::from_secs(25);

pub struct Documents {
    pub client: Value,
    pub server: Value,
}

/// Run one one-off server and one client, both with `-J`.
pub fn run(client: &Peer, server: &Peer, mode: Mode) -> Result<Documents, String> {
    let port = free_port().to_string();
    let server_child = Reaped(
        server
            .command()
            .args(["-s", "-1", "-J", "-i", "0.5", "-p", &port])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("starting the server: {error}"))?,
    );
    wait_until_listening(port.parse().unwrap());
    let client_child = Reaped(
        client
            .command()
            .args(["-c", "127.0.0.1", "-J", "-p", &port])
            .args(mode.flags())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("starting the client: {error}"))?,
    );
    let client_output = client_child.output("client")?;
    let server_output = server_child.output("server")?;
    Ok(Documents {
        client: document("client", &client_output)?,
        server: document("server", &server_output)?,
    })
}

/// A child that is ended, not left, when a test gives up.
struct Reaped(Child);

impl Reaped {
    fn output(mut self, who: &str) -> Result<Output, String> {
        // The pipes are read on threads so that a long document cannot block the child.
        let mut stdout = self.0.stdout.take().unwrap();
        let mut stderr = self.0.stderr.take().unwrap();
        let out = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stdout.read_to_end(&mut bytes).map(|_| bytes)
        });
        let err = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stderr.read_to_end(&mut bytes).map(|_| bytes)
        });
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.0.try_wait().map_err(|error| error.to_string())? {
                break status;
            }
            if started.elapsed() > DEADLINE {
                return Err(format!("the {who} did not end within {DEADLINE:?}"));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        Ok(Output {
            status,
            stdout: out.join().unwrap().map_err(|error| error.to_string())?,
            stderr: err.join().unwrap().map_err(|error| error.to_string())?,
        })
    }
}

impl Drop for Reaped {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            // Nothing can be done about a failure here: the child is gone already.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

fn document(who: &str, output: &Output) -> Result<Value, String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let said = || {
        format!(
            "stdout {:?}, stderr {:?}",
            text.chars().take(400).collect::<String>(),
            String::from_utf8_lossy(&output.stderr)
                .chars()
                .take(400)
                .collect::<String>()
        )
    };
    if !output.status.success() {
        return Err(format!(
            "the {who} ended with {}: {}",
            output.status,
            said()
        ));
    }
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        format!(
            "the {who}'s stdout is not one JSON document ({error}): {}",
            said()
        )
    })?;
    match value.get("error") {
        Some(error) => Err(format!("the {who} reports {error}")),
        None => Ok(value),
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Look for the listener in the kernel's table: a connection would use up a one-off server.
fn wait_until_listening(port: u16) {
    let hex = format!(":{port:04X} ");
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(5) {
        let listening = ["/proc/net/tcp", "/proc/net/tcp6"].iter().any(|table| {
            std::fs::read_to_string(table).is_ok_and(|text| {
                text.lines().any(|line| {
                    let mut fields = line.split_whitespace().skip(1);
                    let local = fields.next().unwrap_or_default();
                    let state = fields.nth(1).unwrap_or_default();
                    format!("{local} ").ends_with(&hex) && state == "0A"
                })
            })
        });
        if listening {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("no server listens on {port} within 5 s");
}
