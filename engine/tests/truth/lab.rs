//! Machines to measure between: network namespaces without a name, which end with the test however it ends.

use crate::run::{Running, signal, text, wait};
use crate::strict;
use serde_json::Value;
use std::collections::HashMap;
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(10);

/// A network namespace. It is held by a `cat` that reads from us: when this process goes, in whatever way, so do the
/// `cat` and everything in the namespace.
pub struct Net {
    holder: Child,
}

impl Net {
    /// With loopback only.
    pub fn new() -> Net {
        let holder = Command::new("unshare")
            .args(["--net", "--", "cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("unshare runs");
        let net = Net { holder };
        net.entered();
        net.run("ip link set lo up");
        net
    }

    /// `unshare` has left our own namespace.
    fn entered(&self) {
        let of =
            |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/net")).expect("a namespace");
        let ours = of("self");
        let begun = Instant::now();
        while of(&self.pid()) == ours {
            assert!(
                begun.elapsed() < PATIENCE,
                "no network namespace: are you root?"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub fn pid(&self) -> String {
        self.holder.id().to_string()
    }

    /// Two machines and a cable: `v0` here with 10.7.0.1 and fd07::1, there with 10.7.0.2 and fd07::2.
    pub fn pair() -> (Net, Net) {
        let (one, two) = (Net::new(), Net::new());
        one.run(&format!(
            "ip link add v0 type veth peer name v0 netns {}",
            two.pid()
        ));
        for (net, number) in [(&one, 1), (&two, 2)] {
            net.run(&format!("ip addr add 10.7.0.{number}/24 dev v0"));
            net.run(&format!("ip addr add fd07::{number}/64 dev v0 nodad"));
            net.run("ip link set v0 addrgenmode none");
            net.run("ip link set v0 up");
            net.run(&format!("ip addr add fe80::{number}/64 dev v0 nodad"));
        }
        (one, two)
    }

    /// It ends when the test's thread does, in whatever way.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command
            .args(["--net", "--target", &self.pid(), "--"])
            .args(["setpriv", "--pdeathsig", "KILL", "--", program])
            .env_remove("NETTEST_RUN_TOKEN")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// A command in words, which must succeed.
    pub fn run(&self, words: &str) -> String {
        let mut words = words.split_whitespace();
        let program = words.next().expect("a program");
        let output = self
            .command(program)
            .args(words)
            .output()
            .expect("nsenter runs");
        assert!(
            output.status.success(),
            "{program}: {}",
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    /// Rules in nft's own language.
    pub fn nft(&self, rules: &str) {
        let mut child = self
            .command("nft")
            .args(["-f", "-"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("nft runs");
        let mut input = child.stdin.take().expect("stdin is piped");
        input.write_all(rules.as_bytes()).expect("nft reads");
        drop(input);
        let output = child.wait_with_output().expect("nft ends");
        assert!(output.status.success(), "{}\n{rules}", text(&output.stderr));
    }

    /// Rules for what comes in. A rule that counts names its counter out of `counters`.
    pub fn input(&self, counters: &[&str], rules: &str) {
        let counters: String = counters
            .iter()
            .map(|name| format!("counter {name} {{ }}\n"))
            .collect();
        self.nft(&format!(
            "table inet truth {{ {counters} chain input {{ type filter hook input priority 0;\n{rules}\n}}\n}}\n"
        ));
    }

    /// Packets that the named counters have seen.
    pub fn counted(&self) -> HashMap<String, u64> {
        let listed: Value =
            serde_json::from_str(&self.run("nft -j list counters")).expect("nft's JSON");
        strict::list(&listed["nftables"])
            .iter()
            .filter(|item| item["counter"].is_object())
            .map(|item| {
                let name = item["counter"]["name"].as_str().expect("a name");
                (name.to_owned(), strict::count(&item["counter"]["packets"]))
            })
            .collect()
    }

    pub fn engine(&self, flags: &str) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_nettest-engine"));
        command.args(flags.split_whitespace());
        command
    }

    pub fn finish(&self, flags: &str) -> Output {
        wait(self.engine(flags).spawn().expect("the engine starts"))
    }

    /// The device cuts what the kernel would carry as one (UDP_SEGMENT, TSO): each datagram and segment is a packet that
    /// can be counted and dropped by itself.
    pub fn unmerged(&self, device: &str) {
        self.run(&format!("ip link set {device} gso_max_segs 1"));
    }

    /// A server on the usual port: nobody else is in this namespace.
    pub fn server(&self, flags: &str) -> Serving {
        let child = self.engine(&format!("-s {flags}")).spawn();
        let running = Running::of(child.expect("the server starts"));
        let begun = Instant::now();
        while !self.finish("--probe").status.success() {
            assert!(begun.elapsed() < PATIENCE, "no server with {flags}");
            std::thread::sleep(Duration::from_millis(10));
        }
        Serving(Some(running))
    }

    /// A client's document: the test succeeded, and the document is sane.
    pub fn measure(&self, server: &str, flags: &str) -> Value {
        let output = self.finish(&format!("-c {server} -J {flags}"));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{flags}: {said}");
        let document = strict::parse(&output.stdout);
        assert_eq!(document["error"], Value::Null, "{flags}");
        strict::sane(&document);
        document
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// A server of ours, whose output is read while it runs.
pub struct Serving(Option<Running>);

impl Serving {
    pub fn child(&self) -> &Child {
        &self.0.as_ref().expect("it runs").child
    }

    /// Its output, once it has ended by itself.
    pub fn end(mut self) -> Output {
        self.0.take().expect("it runs").end()
    }

    /// Ends it by SIGTERM.
    pub fn stop(self) -> Output {
        signal(self.child(), "TERM");
        self.end()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(running) = &mut self.0 {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

/// One machine with a server on its loopback.
pub struct Alone {
    pub net: Net,
    _server: Serving,
}

impl Alone {
    pub fn new(flags: &str) -> Alone {
        let net = Net::new();
        let server = net.server(flags);
        Alone {
            net,
            _server: server,
        }
    }

    pub fn measure(&self, flags: &str) -> Value {
        self.net.measure("127.0.0.1", flags)
    }
}

/// Tests in which time or speed matters do not compete with each other.
pub fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
