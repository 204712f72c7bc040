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

/// A client's flags of each variant, without those that all share.
fn groups(spec: &str, server: IpAddr) -> Vec<String> {
    let manifest = format!(
        "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: t, namespace: nettest-system}}\nspec: {spec}\n"
    );
    let words = client(&valid(&manifest), server, &Invocation::in_pod(uid(), 1)).join(" ");
    let groups = words.split("--variant ").skip(1);
    groups.map(|group| group.trim().to_owned()).collect()
}

#[test]
fn each_variant_has_a_group_of_its_own() {
    let server = IpAddr::from([10, 244, 1, 7]);
    let to = "-c 10.244.1.7 -p 5201";
    for (spec, expected) in [
        (
            "{sweep: {protocols: [TCP, UDP, SCTP]}, traffic: {mss: 1200, sctpStreams: 3}}",
            vec![
                format!("tcp-p1 {to} -t 10 -i 1 -P 1 -M 1200"),
                format!("udp-p1 {to} -u --udp-counters-64bit -t 10 -i 1 -P 1"),
                format!("sctp-p1 {to} --sctp -t 10 -i 1 -P 1 -M 1200 --nstreams 3"),
            ],
        ),
        (
            "{topology: {type: Mesh}, traffic: {blocks: 50}}",
            vec![
                format!("tcp-p1 {to} -k 50 -i 1 -P 1"),
                format!("tcp-p1-reverse {to} -R -k 50 -i 1 -P 1"),
            ],
        ),
        (
            "{traffic: {bitrate: 1M, bitrateBurst: 10, fairQueueRate: 2M, noDelay: true, dscp: 46, repeatingPayload: true, direction: Bidirectional, receiveTimeout: 20s, sendTimeout: 1500ms}}",
            vec![format!(
                "tcp-p1 {to} --bidir -t 10 -i 1 -P 1 -b 1000000/10 --fq-rate 2000000 --dscp 46 -N --repeating-payload --rcv-timeout 20000 --snd-timeout 1500"
            )],
        ),
        (
            "{traffic: {mptcp: true}}",
            vec![format!("tcp-p1 {to} -t 10 -i 1 -P 1 -m")],
        ),
        (
            "{traffic: {protocol: UDP, dontFragment: true}}",
            vec![format!(
                "udp-p1 {to} -u --udp-counters-64bit -t 10 -i 1 -P 1 --dont-fragment"
            )],
        ),
        // A client that only sends receives nothing; UDP is not acknowledged.
        (
            "{traffic: {receiveTimeout: 20s, sendTimeout: 2s}, sweep: {protocols: [TCP, UDP]}}",
            vec![
                format!("tcp-p1 {to} -t 10 -i 1 -P 1 --snd-timeout 2000"),
                format!("udp-p1 {to} -u --udp-counters-64bit -t 10 -i 1 -P 1"),
            ],
        ),
        // Unlimited traffic is paced at the limit.
        (
            "{traffic: {parallelStreams: 4}, limits: {maxBitrate: 1G}}",
            vec![format!("tcp-p4 {to} -t 10 -i 1 -P 4 -b 250000000")],
        ),
    ] {
        assert_eq!(groups(spec, server), expected, "{spec}");
    }
    let six: IpAddr = "fd00::7".parse().unwrap();
    assert_eq!(
        groups("{path: {ipFamily: IPv6}, traffic: {flowLabel: 77}}", six),
        ["tcp-p1 -c fd00::7 -p 5201 -t 10 -i 1 -P 1 -L 77"]
    );
    // The cluster's first family may be IPv6, which never fragments on the way.
    assert_eq!(
        groups("{traffic: {protocol: UDP, dontFragment: true}}", six),
        ["udp-p1 -c fd00::7 -p 5201 -u --udp-counters-64bit -t 10 -i 1 -P 1"]
    );
}

#[test]
fn what_is_shared_stands_before_the_first_variant() {
    let args = |spec: &str| {
        let manifest = format!(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: t}}\nspec: {spec}\n"
        );
        let test = valid(&manifest);
        let call = Invocation::in_pod(uid(), 1);
        let client = client(&test, IpAddr::from([10, 244, 1, 7]), &call).join(" ");
        let shared = client
            .split("--variant")
            .next()
            .unwrap_or_default()
            .to_owned();
        (server_args(&test, &call).join(" "), shared)
    };
    let (server, shared) = args(
        "{traffic: {connectTimeout: 1500ms, receiveTimeout: 20s, sendTimeout: 2s}, repeats: {maxSpreadPercent: 10}}",
    );
    assert!(shared.starts_with("--connect-timeout 1500 "), "{shared}");
    assert!(
        shared.contains("--max-spread-percent 10 --max-repeats 9"),
        "{shared}"
    );
    assert!(
        server.contains("--max-tests 1 --rcv-timeout 20000 --snd-timeout 2000"),
        "{server}"
    );
    let (server, shared) =
        args("{topology: {type: Star, star: {concurrency: Simultaneous, maxClients: 20}}}");
    assert!(server.contains("--max-tests 20"), "{server}");
    assert!(shared.starts_with("--connect-timeout 5000 "), "{shared}");
    assert!(
        args("{topology: {type: Star}}")
            .0
            .contains("--max-tests 1 ")
    );
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
