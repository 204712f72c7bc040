//! From what a user types to what is done; [`refusals`]: or to why not.

mod refusals;

use super::*;
use crate::session::Family;
use nettest_report::params::{Direction, Limit, Protocol, TestParams};

fn read(line: &str) -> Result<Action, CliError> {
    let args = std::iter::once("nettest-engine")
        .chain(line.split_whitespace())
        .map(OsString::from);
    parse(args, None)
}

#[track_caller]
fn client(line: &str) -> ClientAction {
    match read(&format!("-c server.example {line}")) {
        Ok(Action::Client(action)) => *action,
        other => panic!("{line}: {other:?}"),
    }
}

#[track_caller]
fn params(line: &str) -> TestParams {
    client(line).config.params
}

#[track_caller]
fn server(line: &str) -> ServerAction {
    match read(&format!("-s {line}")) {
        Ok(Action::Server(action)) => *action,
        other => panic!("{line}: {other:?}"),
    }
}

#[track_caller]
fn refused(line: &str) -> String {
    match read(line) {
        Err(error) => {
            let message = error.to_string();
            assert_eq!(message.lines().count(), 1, "{line}: {message}");
            message
        }
        Ok(action) => panic!("{line} was taken: {action:?}"),
    }
}

#[test]
fn nothing_but_a_host_means_iperf3s_defaults() {
    let action = client("");
    assert_eq!(
        action.config,
        ClientConfig::new("server.example", TestParams::default())
    );
    assert_eq!(action.output, OutputConfig::default());
    assert_eq!(action.repeats, Repeats::default());
    assert_eq!(server("").config, ServerConfig::new(5201));
}

#[test]
fn short_and_long_forms_mean_the_same() {
    for (short, long) in [
        ("-p 7", "--port 7"),
        ("-p 7", "--port=7"),
        ("-f m", "--format m"),
        ("-i 2", "--interval 2"),
        ("-A 1,2", "--affinity 1,2"),
        ("-B 10.0.0.1", "--bind 10.0.0.1"),
        ("-4", "--version4"),
        ("-6", "--version6"),
        ("-V", "--verbose"),
        ("-J", "--json"),
        ("-u", "--udp"),
        ("-b 5M", "--bitrate 5M"),
        ("-b 5M", "--bandwidth 5M"),
        ("-t 3", "--time 3"),
        ("-n 5M", "--bytes 5M"),
        ("-k 5K", "--blockcount 5K"),
        ("-l 4K", "--length 4K"),
        ("-P 4", "--parallel 4"),
        ("-R", "--reverse"),
        ("-w 64K", "--window 64K"),
        ("-C bbr", "--congestion bbr"),
        ("-C bbr", "--linux-congestion bbr"),
        ("-M 1200", "--set-mss 1200"),
        ("-N", "--no-delay"),
        ("-S 0x28", "--tos 0x28"),
        ("-O 2", "--omit 2"),
        ("-T x", "--title x"),
        ("-R", "--rev"),
    ] {
        assert_eq!(client(short), client(long), "{short} and {long}");
        assert_ne!(client(short), client(""), "{short} changes something");
    }
    assert_eq!(server("-1"), server("--one-off"));
    assert!(server("-1").config.one_off);
}

/// Field report 038: the order of flags changes nothing.
#[test]
fn the_order_of_flags_is_free() {
    for line in [
        "-u -l 128 -t 10",
        "-l 128 -u -t 10",
        "-t 10 --length 128 -u",
        "-t 10 -u -l 128",
    ] {
        let params = params(line);
        assert_eq!(params.block_size, Some(128), "{line}");
        assert_eq!(params.protocol, Protocol::Udp, "{line}");
    }
}

#[test]
fn sizes_are_binary_and_rates_decimal() {
    assert_eq!(params("-n 5M").limit, Limit::Bytes(5_242_880));
    assert_eq!(params("-k 2K").limit, Limit::Blocks(2048));
    assert_eq!(params("-l 8k").block_size, Some(8192));
    assert_eq!(params("-w 1m").window, Some(1 << 20));
    assert_eq!(params("-b 10M").bitrate, Some(10_000_000));
    assert_eq!(params("-b 1.5g").bitrate, Some(1_500_000_000));
}

/// Field report 021: the rate stays when a burst is given.
#[test]
fn a_bitrate_may_have_a_burst() {
    let burst = params("-b 100M/10");
    assert_eq!((burst.bitrate, burst.burst), (Some(100_000_000), 10));
    let unlimited = params("-u -b 0");
    assert_eq!((unlimited.bitrate, unlimited.burst), (None, 0));
    assert_eq!(params("-u").bitrate, Some(TestParams::UDP_BITRATE));
    assert_eq!(params("").bitrate, None);
}

#[test]
fn fractions_of_seconds_are_kept() {
    assert_eq!(
        params("-t 1.5").limit,
        Limit::Time(Duration::from_millis(1500))
    );
    assert_eq!(params("-t 0").limit, Limit::Time(Duration::ZERO));
    assert_eq!(params("-O 0.25").omit, Duration::from_millis(250));
    assert_eq!(params("-i 0.1").interval, Duration::from_millis(100));
    assert_eq!(params("-i 0").interval, Duration::ZERO);
}

/// Field report 065: a DSCP is the upper six bits.
#[test]
fn dscp_and_tos_set_the_byte() {
    for (line, tos) in [
        ("--dscp EF", 0xb8),
        ("--dscp 46", 0xb8),
        ("--dscp 0x2e", 0xb8),
        ("--dscp 056", 0xb8),
        ("--dscp cs1", 0x20),
        ("--dscp AF41", 0x88),
        ("--dscp va", 0xb0),
        ("--dscp 63", 0xfc),
        ("--dscp 0", 0),
        ("-S 52", 52),
        ("-S 064", 52),
        ("-S 0x34", 52),
        ("-S 255", 255),
    ] {
        assert_eq!(params(line).tos, tos, "{line}");
    }
}

#[test]
fn hosts_may_carry_an_interface() {
    for (given, host, dev) in [
        ("server.example", "server.example", None),
        ("10.0.0.1%eth0", "10.0.0.1", Some("eth0")),
        ("fe80::1%v0", "fe80::1%v0", Some("v0")),
        ("[::1]", "::1", None),
        ("::1", "::1", None),
    ] {
        match read(&format!("-c {given}")) {
            Ok(Action::Client(action)) => {
                assert_eq!(action.config.host, host, "{given}");
                assert_eq!(action.config.bind_dev.as_deref(), dev, "{given}");
            }
            other => panic!("{given}: {other:?}"),
        }
    }
    for bad in ["a/b", "a%", "%eth0", "a;b", "a%b/c", "a@b"] {
        assert!(refused(&format!("-c {bad}")).starts_with("-c"), "{bad}");
    }
    let bound = client("-B fe80::2%v0 -6");
    assert_eq!(bound.config.bind_dev.as_deref(), Some("v0"));
    assert_eq!(bound.config.family, Some(Family::V6));
}

#[test]
fn the_operators_command_lines_are_taken() {
    let action = client(
        "-p 5201 -t 10 -O 2 -i 1 -P 4 --bidir --connect-timeout 5000 --measurement-stream --run-uid \
         0b5c8d0e-1111-4222-8333-444455556666 --attempt 2 --variant tcp-p4 --repeats 3 --repeat-pause 2 \
         --run-token abc234 --require-exclusive-cpus 2 --digest-file /dev/termination-log",
    );
    assert_eq!(action.output.kind, OutputKind::Measurements);
    assert_eq!(action.output.run.variant, "tcp-p4");
    assert_eq!(action.output.run.attempt, 2);
    assert_eq!(action.repeats.count, 3);
    assert_eq!(action.repeats.pause, Duration::from_secs(2));
    assert_eq!(action.config.run_token.as_deref(), Some("abc234"));
    assert_eq!(action.config.exclusive_cpus, Some(2));
    assert_eq!(
        action.config.connect_timeout,
        Some(Duration::from_millis(5000))
    );
    assert_eq!(action.config.params.direction, Direction::Bidirectional);

    let action = server(
        "-p 5201 --max-tests 1 --run-token abc234 --require-exclusive-cpus 1 --idle-timeout 300 \
         --digest-file /dev/termination-log --run-uid u-1 --attempt 1",
    );
    assert_eq!(action.config.max_tests, 1);
    assert_eq!(action.config.idle_timeout, Some(Duration::from_secs(300)));
    assert!(action.output.digest_file.is_some());
}

#[test]
fn the_token_may_come_from_the_environment() {
    let with = |line: &str, token: &str| {
        parse(
            format!("nettest-engine {line}")
                .split_whitespace()
                .map(OsString::from),
            Some(token.to_owned()),
        )
    };
    match with("-s", "abc") {
        Ok(Action::Server(action)) => {
            assert_eq!(action.config.run_token.as_deref(), Some("abc"));
        }
        other => panic!("{other:?}"),
    }
    match with("-s --run-token xyz", "abc") {
        Ok(Action::Server(action)) => {
            assert_eq!(action.config.run_token.as_deref(), Some("xyz"));
        }
        other => panic!("{other:?}"),
    }
    assert!(with("-s", "ABC").is_err());
    assert!(with("-s", "").is_ok());
}

#[test]
fn the_probe_asks_this_machine_unless_told() {
    assert_eq!(
        read("--probe -p 5201").unwrap(),
        Action::Probe {
            host: "127.0.0.1".to_owned(),
            port: 5201,
            timeout: Duration::from_secs(5),
        }
    );
    assert!(matches!(
        read("--probe ::1"),
        Ok(Action::Probe { host, .. }) if host == "::1"
    ));
}

#[test]
fn the_last_of_a_repeated_flag_counts() {
    assert_eq!(params("-P 2 -P 3").streams, 3);
}

#[test]
fn help_names_every_flag_and_version_ours() {
    let Ok(Action::Show(help)) = read("--help") else {
        panic!("no help");
    };
    for flag in [
        "--port",
        "--bitrate",
        "--bidir",
        "--dscp",
        "--json-stream",
        "--get-server-output",
        "--measurement-stream",
        "--require-exclusive-cpus",
        "--max-tests",
        "--probe",
    ] {
        assert!(help.contains(flag), "{flag}");
    }
    let Ok(Action::Show(version)) = read("-v") else {
        panic!("no version");
    };
    assert!(version.starts_with("nettest-engine "), "{version}");
}

/// iperf3 3.12 takes it, too.
#[test]
fn a_window_of_zero_is_the_kernels_own_choice() {
    assert_eq!(params("-w 0"), params(""));
    assert_eq!(params("-u -w 0"), params("-u"));
}

#[test]
fn help_says_what_a_flag_does_not_do() {
    let Ok(Action::Show(help)) = read("--help") else {
        panic!("no help");
    };
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "Tests at a time (default 1)",
        "iperf3's takes it for a test that broke off",
        "only with -1 or --run-token",
    ] {
        assert!(words.contains(said), "{said}: {help}");
    }
}
