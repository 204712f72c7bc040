use super::*;

fn words(text: &[&str]) -> Vec<String> {
    text.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn host_network_namespaces() {
    let policy = Policy::with_host_network("nettest-system, lab");
    assert!(policy.allows_host_network("lab"));
    assert!(policy.allows_host_network("nettest-system"));
    assert!(!policy.allows_host_network("default"));
    assert!(!Policy::with_host_network("").allows_host_network(""));
    assert!(Policy::with_host_network("a,*").allows_host_network("default"));
}

#[test]
fn who_says_nothing_allows_no_reach_and_sets_no_ceiling() {
    let policy = Policy::parse(&PolicyText::default()).unwrap();
    assert_eq!(policy, Policy::with_host_network(""));
    assert!(policy.external.is_none());
    assert!(!policy.control_plane);
    assert!(policy.node_selector_keys.allows("rack"));
    assert!(!policy.tolerations.allows("dedicated"));
    assert_eq!(policy.concurrent_runs, None);
}

#[test]
fn as_an_administrator_writes_it() {
    let text = PolicyText {
        host_network_namespaces: words(&["lab"]),
        external_targets: words(&["192.0.2.0/24", " 2001:db8::/32"]),
        cluster_cidrs: words(&["10.0.0.0/8"]),
        node_selector_keys: words(&["rack", ""]),
        tolerations: words(&["*"]),
        control_plane: true,
        max_duration: Some("1h".to_owned()),
        max_bitrate: Some("5G".to_owned()),
        max_pairs: Some(20),
        concurrent_runs: Some(2),
    };
    let policy = Policy::parse(&text).unwrap();
    assert!(policy.allows_host_network("lab") && policy.control_plane);
    assert!(policy.node_selector_keys.allows("rack") && !policy.node_selector_keys.allows("zone"));
    assert!(policy.tolerations.allows("dedicated"));
    assert_eq!(policy.max_duration, Some(Duration::from_secs(3600)));
    assert_eq!(policy.max_bitrate, Some(Bitrate(5_000_000_000)));
    assert_eq!(
        (policy.max_pairs, policy.concurrent_runs),
        (Some(20), Some(2))
    );
}

#[test]
fn mistakes_name_their_flag() {
    let refused = |change: &dyn Fn(&mut PolicyText)| {
        let mut text = PolicyText::default();
        change(&mut text);
        Policy::parse(&text).unwrap_err().to_string()
    };
    for (message, says) in [
        (
            refused(&|text| text.external_targets = words(&["10.0.0.0/8", "lab"])),
            "--external-targets: \"lab\" is not a range",
        ),
        (
            refused(&|text| text.cluster_cidrs = words(&["10/8"])),
            "--cluster-cidrs: \"10/8\" is not a range",
        ),
        (
            refused(&|text| text.external_targets = words(&["0.0.0.0/0"])),
            "--external-targets needs --cluster-cidrs",
        ),
        (
            refused(&|text| text.max_duration = Some("1d".to_owned())),
            "--max-duration: \"1d\" is not a duration",
        ),
        (
            refused(&|text| text.max_duration = Some("0s".to_owned())),
            "--max-duration is 0",
        ),
        (
            refused(&|text| text.max_bitrate = Some("fast".to_owned())),
            "--max-bitrate: \"fast\" is not a quantity",
        ),
        (
            refused(&|text| text.max_bitrate = Some("0".to_owned())),
            "--max-bitrate is 0",
        ),
        (
            refused(&|text| text.max_pairs = Some(0)),
            "--max-pairs is 0",
        ),
        (
            refused(&|text| text.concurrent_runs = Some(0)),
            "--max-runs-per-namespace is 0",
        ),
    ] {
        assert!(message.starts_with(says), "{message}");
    }
    // What a chart gives for values that are not set.
    let unset = PolicyText {
        max_duration: Some(String::new()),
        max_bitrate: Some(String::new()),
        ..PolicyText::default()
    };
    assert_eq!(Policy::parse(&unset).unwrap().max_duration, None);
}

fn reach(targets: &[&str]) -> Policy {
    Policy::parse(&PolicyText {
        external_targets: words(targets),
        cluster_cidrs: words(&[
            "10.244.0.0/16",
            "10.96.0.0/12",
            "172.18.0.0/16",
            "fd00:10::/32",
        ]),
        ..PolicyText::default()
    })
    .unwrap()
}

#[test]
fn only_listed_addresses_are_dialled() {
    let policy = reach(&["192.0.2.0/24", "2001:db8::/32"]);
    for address in ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::7"] {
        assert_eq!(
            policy.allows_external(address.parse().unwrap()),
            Ok(()),
            "{address}"
        );
    }
    for address in ["192.0.3.7", "8.8.8.8", "2001:db9::7"] {
        let says = policy
            .allows_external(address.parse().unwrap())
            .unwrap_err();
        assert!(
            says.starts_with("is ")
                && says.contains("not in policy.externalTargets: ask the operator's administrator"),
            "{says}"
        );
    }
    assert!(
        Policy::default()
            .allows_external("192.0.2.7".parse().unwrap())
            .is_err()
    );
}

/// With every address listed.
#[test]
fn what_is_never_dialled() {
    let policy = reach(&["0.0.0.0/0", "::/0"]);
    for (address, says) in [
        ("127.0.0.1", "loopback"),
        ("127.9.9.9", "loopback"),
        ("0.0.0.0", "unspecified"),
        ("0.1.2.3", "unspecified"),
        ("169.254.169.254", "link-local"),
        ("224.0.0.1", "multicast"),
        ("255.255.255.255", "reserved"),
        ("240.0.0.1", "reserved"),
        ("10.244.3.4", "10.244.0.0/16"),
        ("10.96.0.1", "10.96.0.0/12"),
        ("172.18.0.2", "172.18.0.0/16"),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("::7f00:1", "reserved"),
        ("fe80::1", "link-local"),
        ("febf::1", "link-local"),
        ("ff02::1", "multicast"),
        ("fd00:ec2::254", "metadata"),
        ("fd00:10::5", "fd00:10::/32"),
        // In other clothes.
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:169.254.169.254", "link-local"),
        ("::ffff:10.96.0.1", "10.96.0.0/12"),
        ("64:ff9b::169.254.169.254", "link-local"),
        ("64:ff9b::10.96.0.1", "10.96.0.0/12"),
        ("2002:7f00:1::1", "loopback"),
        ("2002:a9fe:a9fe::1", "link-local"),
    ] {
        let refused = policy.allows_external(address.parse().unwrap());
        let message = refused.unwrap_err();
        assert!(message.contains(says), "{address}: {message}");
    }
    for address in [
        "198.51.100.1",
        "2001:db8::1",
        "64:ff9b::198.51.100.1",
        "10.0.0.1",
    ] {
        assert_eq!(
            policy.allows_external(address.parse().unwrap()),
            Ok(()),
            "{address}"
        );
    }
    let local = Policy::everything();
    assert_eq!(local.allows_external("127.0.0.1".parse().unwrap()), Ok(()));
}
