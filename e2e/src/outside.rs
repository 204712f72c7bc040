//! Stock iperf3 on this machine, which is none of the cluster's nodes.

use anyhow::{Context, Result};
use std::process::{Child, Command, Stdio};

/// Ended with the scenario.
#[derive(Debug)]
pub struct Outside(Child);

impl Outside {
    /// `iperf3 -s` at an address of this machine.
    pub fn server(address: &str, port: u16) -> Result<Outside> {
        Outside::iperf3(&["-s", "-B", address], port)
    }

    /// A test of somebody else, of `seconds`, at a rate that disturbs nobody.
    pub fn client(address: &str, port: u16, seconds: u32) -> Result<Outside> {
        let time = seconds.to_string();
        Outside::iperf3(&["-c", address, "-t", &time, "-b", "1M"], port)
    }

    fn iperf3(flags: &[&str], port: u16) -> Result<Outside> {
        let started = Command::new("iperf3")
            .args(flags)
            .args(["-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        started.context("stock iperf3").map(Outside)
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
