//! Field report 062: servers and clients on one interface, and on link-local addresses.

use crate::run::{Server, engine, finish, free_port, text, wait};
use std::process::{Command, Output, Stdio};

#[test]
fn a_server_on_one_interface_serves_tcp_and_udp_there() {
    for bind in ["-B 127.0.0.1%lo", "--bind-dev lo", "-B ::1%lo"] {
        let server = Server::start(bind);
        let host = if bind.contains("::") {
            "::1"
        } else {
            "127.0.0.1"
        };
        for flags in ["-b 1M", "-u -b 1M", "-u -b 1M -R"] {
            let output = finish(&format!("-c {host} -p {} -t 1 {flags}", server.port));
            assert_eq!(
                output.status.code(),
                Some(0),
                "{bind} {flags}: {}",
                text(&output.stderr)
            );
        }
    }
}

#[test]
fn an_interface_that_does_not_exist_is_named() {
    let flags = format!("-s -p {} --bind-dev nosuch0", free_port());
    let output = wait(engine(&flags).spawn().expect("it starts"));
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("interface nosuch0"), "{said}");
}

/// A pair of interfaces in a namespace of the test's own.
const SCRIPT: &str = r#"
ip link set lo up
ip link add v0 type veth peer name v1
for dev in v0 v1; do echo 0 > /proc/sys/net/ipv6/conf/$dev/accept_dad; ip link set $dev up; done
own() { ip -6 -o addr show dev $1 scope link | sed 's/.*inet6 \([^/]*\).*/\1/'; }
for wait in 1 2 3 4 5 6 7 8 9 10; do [ -n "$(own v0)" ] && break; sleep 0.3; done
addr=$(own v0)
"$ENGINE" -s -p 5300 -B "$addr%v0" > server.out 2>&1 & server=$!
for wait in 1 2 3 4 5 6 7 8 9 10; do grep -q listening server.out && break; sleep 0.2; done
status=0
for flags in "-b 1M" "-u -b 1M" "-u -b 1M -R"; do
  "$ENGINE" -c "$addr%v0" -p 5300 -t 1 $flags || status=1
done
"$ENGINE" -c "$addr" --bind-dev v0 -p 5300 -t 1 -b 1M || status=1
kill $server; cat server.out >&2; exit $status
"#;

#[test]
fn report_062_link_local_addresses_work_with_their_zone() {
    let dir = tempfile::tempdir().expect("a folder");
    let child = Command::new("unshare")
        .args(["--user", "--map-root-user", "--net", "sh", "-c", SCRIPT])
        .env("ENGINE", env!("CARGO_BIN_EXE_nettest-engine"))
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let output: Output = wait(child.expect("unshare is on the PATH"));
    assert!(
        output.status.success(),
        "{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}
