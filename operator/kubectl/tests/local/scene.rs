//! A manifest, a program in the engine's place, and what `kubectl nettest run --local` says of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub const TEST: &str = "\
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: a}
spec:
  traffic: {duration: 1s}
  repeats: {count: 1}
  thresholds: [{name: enough, metric: Throughput, min: 1G}]
";

/// A server that accepts tests until it is ended.
pub const SERVER: &str = "ready; exec sleep 30";

/// A folder with a manifest and an engine that plays a part: a server that waits, a probe that agrees, a client
/// that does what the test says.
pub struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    pub fn new(client: &str) -> Scene {
        Scene::with(TEST, SERVER, client)
    }

    pub fn with(manifest: &str, server: &str, client: &str) -> Scene {
        let scene = Scene {
            folder: tempfile::tempdir().unwrap(),
        };
        std::fs::write(scene.path("a.yaml"), manifest).unwrap();
        let log = scene.path("log").display().to_string();
        let ready = scene.path("ready").display().to_string();
        let script = format!(
            r#"#!/bin/sh
# pid, token, arguments
echo "$$ ${{NETTEST_RUN_TOKEN-none}} $*" >>{log}
all="$*"
ready() {{ : >{ready}; }}
value() {{ echo "$all" | sed -n "s/.*$1 \([^ ]*\).*/\1/p"; }}
failed() {{ # REASON
  echo '{{"event":"digest","data":{{"version":1,"run":"'$(value --run-uid)'","attempt":1,"outcome":"Failed","reason":"'$1'","message":"it said so","figures":[]}}}}'
}}
measured() {{ # REPEAT
  echo '{{"event":"measurement","data":{{"run":"'$(value --run-uid)'","attempt":1,"variant":"tcp-p1","repeat":'$1',"report":{{}}}}}}'
}}
digest() {{ # RATE
  echo '{{"event":"digest","data":{{"version":1,"run":"'$(value --run-uid)'","attempt":1,"outcome":"Complete","figures":[{{"variant":"tcp-p1","flow":"ClientToServer","sentBitsPerSecond":['$1'],"receivedBitsPerSecond":['$1'],"sentBytes":[1],"receivedBytes":[1]}}]}}}}'
}}
case " $* " in
  *" --probe "*) [ -e {ready} ] ;;
  *" -s "*) {server} ;;
  *" -c "*) {client} ;;
esac
"#
        );
        let engine = scene.path("engine");
        std::fs::write(&engine, script).unwrap();
        let mut mode = std::fs::metadata(&engine).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
        std::fs::set_permissions(&engine, mode).unwrap();
        scene
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-nettest"));
        command
            .args(["run", "--local", "-f"])
            .arg(self.path("a.yaml"))
            .arg("--engine")
            .arg(self.path("engine"))
            .args(more)
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, more: &[&str]) -> Said {
        Said::of(self.command(more).output().unwrap())
    }

    /// Pid, token and arguments of each start of the engine.
    pub fn starts(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    pub fn running(&self) -> Vec<String> {
        let alive = |line: &String| {
            let pid = line.split(' ').next().unwrap_or_default().to_owned();
            // Reaped and gone, or somebody else's by now: not ours in either case.
            let command = std::fs::read_to_string(Path::new("/proc").join(pid).join("cmdline"));
            command.is_ok_and(|command| command.contains("engine") || command.contains("sleep"))
        };
        self.starts().into_iter().filter(alive).collect()
    }
}

#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn of(output: Output) -> Said {
        Said {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
