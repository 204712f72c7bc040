//! Logins between our ends and stock iperf3's, of each version that knows them.

use crate::iperf3::Stock;
use crate::login::{Keys, client, ours};
use crate::run::{Server, free_port, text};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Stock programs, and whether they know OAEP (3.17 and later).
fn stock() -> Vec<(PathBuf, bool)> {
    let versions = Stock::all().map(|stock| (stock.program(), stock >= Stock::V3_18));
    versions
        .filter(|(program, oaep)| !oaep || knows_logins(program))
        .collect()
}

/// Some are built without OpenSSL.
fn knows_logins(program: &Path) -> bool {
    let help = Command::new(program).arg("--version").output();
    help.is_ok_and(|output| text(&output.stdout).contains("authentication"))
}

#[test]
fn stock_clients_log_in_to_our_server() {
    let keys = Keys::new();
    for (program, oaep) in stock() {
        for pkcs1 in [true, false] {
            if !pkcs1 && !oaep {
                continue;
            }
            let padding = if pkcs1 { "--use-pkcs1-padding" } else { "" };
            let server = Server::start(&format!("{} {padding}", keys.server("private.pem")));
            // 3.12 has no flag for what it always does.
            let own = if oaep { padding } else { "" };
            let flags = format!("{} {own}", keys.client("mario"));
            let output = client(&program, server.port, &flags, "rossi");
            let said = text(&output.stderr);
            if said.contains("server only") {
                // The newest takes the flag on a server only.
                continue;
            }
            assert!(output.status.success(), "{program:?} {padding}: {said}");
            let output = client(&program, server.port, &flags, "rosso");
            let said = text(&output.stderr) + &text(&output.stdout);
            assert!(
                !output.status.success() && said.contains("authorization failed"),
                "{program:?}: {said}"
            );
        }
    }
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn our_client_logs_in_to_stock_servers() {
    let keys = Keys::new();
    for (program, oaep) in stock() {
        for pkcs1 in [true, false] {
            if !pkcs1 && !oaep {
                continue;
            }
            let padding = if pkcs1 { "--use-pkcs1-padding" } else { "" };
            let own = if oaep { padding } else { "" };
            let port = free_port();
            let child = Command::new(&program)
                .args(["-s", "-p", &port.to_string()])
                .args(keys.server("private.pem").split_whitespace())
                .args(own.split_whitespace())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            let _stock = Running(child.expect("it starts"));
            let flags = format!("{} {padding}", keys.client("mario"));
            let begun = Instant::now();
            let output = loop {
                let output = client(&ours(), port, &flags, "rossi");
                if output.status.code() != Some(3) || begun.elapsed() > Duration::from_secs(10) {
                    break output;
                }
                std::thread::sleep(Duration::from_millis(50));
            };
            assert_eq!(
                output.status.code(),
                Some(0),
                "{program:?} {padding}: {}",
                text(&output.stderr)
            );
            // Its servers close without a word.
            let output = client(&ours(), port, &flags, "rosso");
            assert_eq!(output.status.code(), Some(1));
            let said = text(&output.stderr);
            assert!(said.contains("refused"), "{program:?}: {said}");
        }
    }
}
