use super::*;
use crate::testing::{CPU_PINNED, HOST_NETWORK, PAIR_TCP, PAIR_UDP, token, uid, valid};

/// The client of the test's first lane, with the same server by all paths.
fn client(test: &ValidTest, server: IpAddr, call: &Invocation) -> Vec<String> {
    let to = SocketAddr::new(server, call.port);
    let targets = test.variants.iter().map(|variant| (variant.path, to));
    client_args(test, test.lanes()[0], &targets.collect(), call)
}

fn both(manifest: &str) -> String {
    let test = valid(manifest);
    let call = Invocation::in_pod(uid(), 2);
    let server = IpAddr::from([10, 244, 1, 7]);
    format!(
        "{}\n{}",
        server_args(&test, &call).join(" "),
        client(&test, server, &call).join(" ")
    )
}

#[test]
fn from_what_users_type() {
    insta::assert_snapshot!("pair_tcp", both(PAIR_TCP));
    insta::assert_snapshot!("pair_udp", both(PAIR_UDP));
    insta::assert_snapshot!("host_network", both(HOST_NETWORK));
    insta::assert_snapshot!("cpu_pinned", both(CPU_PINNED));
}

#[test]
fn fast_paths_are_flags_of_the_client_alone() {
    let call = Invocation::in_pod(uid(), 1);
    for (traffic, flags) in [
        ("{}", ""),
        ("{fast: true, zeroCopy: true}", "--fast"),
        (
            "{zeroCopy: true, skipReceiveCopy: true}",
            "-Z --skip-rx-copy",
        ),
        (
            "{protocol: UDP, udpOffload: true, skipReceiveCopy: true}",
            "--skip-rx-copy --gsro",
        ),
    ] {
        let manifest = format!(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: t}}\nspec: {{traffic: {traffic}}}\n"
        );
        let test = valid(&manifest);
        let fast = |args: Vec<String>| {
            let ours = ["--fast", "-Z", "--skip-rx-copy", "--gsro"];
            let found: Vec<String> = args
                .into_iter()
                .filter(|arg| ours.contains(&arg.as_str()))
                .collect();
            found.join(" ")
        };
        let server = IpAddr::from([10, 244, 1, 7]);
        assert_eq!(fast(client(&test, server, &call)), flags, "{traffic}");
        // It learns them from the client.
        assert_eq!(fast(server_args(&test, &call)), "", "{traffic}");
    }
}

#[test]
fn on_one_machine() {
    let call = Invocation {
        port: 43_210,
        digest_file: None,
        token: Some(token()),
        bind: Some(IpAddr::from([127, 0, 0, 1])),
        require_exclusive: false,
        idle_timeout: Some(Duration::from_secs(31)),
        ..Invocation::in_pod(uid(), 1)
    };
    insta::assert_snapshot!(
        "local_server",
        server_args(&valid(CPU_PINNED), &call).join(" ")
    );
    assert!(
        !client(&valid(CPU_PINNED), IpAddr::from([127, 0, 0, 1]), &call)
            .iter()
            .any(|arg| arg == "--require-exclusive-cpus")
    );
}

#[test]
fn the_probe_asks_the_servers_port() {
    assert_eq!(probe_args(PORT), ["--probe", "-p", "5201"]);
}

#[test]
fn seconds_as_the_engine_reads_them() {
    for (millis, text) in [
        (0, "0"),
        (1_000, "1"),
        (1_500, "1.5"),
        (100, "0.1"),
        (60_000, "60"),
        (1_005, "1.005"),
    ] {
        assert_eq!(seconds(Duration::from_millis(millis)), text);
    }
}
