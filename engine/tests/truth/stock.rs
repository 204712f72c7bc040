//! Stock iperf3 in a namespace, as `hack/install-prerequisites` brings them.

pub use crate::iperf3::Stock;
use crate::lab::Net;
use serde_json::Value;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The document of a stock client, which must end well.
pub fn client(stock: Stock, net: &Net, flags: &str) -> Value {
    let program = stock.program();
    let output = net
        .command(&program.to_string_lossy())
        .args(["-c", "127.0.0.1", "-J"])
        .args(flags.split_whitespace())
        .output()
        .expect("the stock client starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{flags}: {said}");
    serde_json::from_slice(&output.stdout).expect("its document is JSON")
}

/// It ends with the test.
pub struct StockServer(Child);

impl StockServer {
    pub fn start(net: &Net, stock: Stock) -> StockServer {
        let program = stock.program();
        let child = net
            .command(&program.to_string_lossy())
            .args(["-s"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let server = StockServer(child.expect("the stock server starts"));
        let begun = Instant::now();
        while !net.run("ss -Htln sport = 5201").contains("5201") {
            let patient = begun.elapsed() < Duration::from_secs(10);
            assert!(
                patient,
                "{} does not listen; hack/install-prerequisites brings it",
                program.display()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }
}

impl Drop for StockServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
