//! From what a user types to what is done; [`refusals`]: or to why not; [`every_flag`]: none is forgotten;
//! [`compatibility`]: nor in the documentation; [`units`]: of sizes, rates, times and marks; [`variants`]: several tests
//! on one line.

mod compatibility;
mod every_flag;
mod refusals;
mod units;
mod variants;

use super::*;
use crate::session::Family;
use nettest_report::params::{Direction, Limit, Protocol, TestParams};

fn read(line: &str) -> Result<Action, CliError> {
    let args = std::iter::once("nettest-engine")
        .chain(line.split_whitespace())
        .map(OsString::from);
    parse(args, Environment::default())
}

#[track_caller]
fn client(line: &str) -> ClientAction {
    match read(&format!("-c server.example {line}")) {
        Ok(Action::Client(action)) => *action,
        other => panic!("{line}: {other:?}"),
    }
}

/// The one variant of a command line.
#[track_caller]
fn variant(line: &str) -> VariantAction {
    only(client(line))
}

#[track_caller]
fn only(mut action: ClientAction) -> VariantAction {
    assert_eq!(action.variants.len(), 1);
    action.variants.remove(0)
}

#[track_caller]
fn params(line: &str) -> TestParams {
    variant(line).config.params
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

/// iperf3: a 0 is the default, and contradicts nothing.
#[test]
fn a_size_of_zero_is_as_if_it_were_not_given() {
    for flag in ["-n 0", "-n 0K", "-k 0", "-l 0", "-M 0", "-n 0 -k 0"] {
        assert_eq!(client(flag), client(""), "{flag}");
        assert_eq!(client(&format!("-u {flag}")), client("-u"), "{flag}");
        assert_eq!(client(&format!("-t 5 {flag}")), client("-t 5"), "{flag}");
    }
    assert!(variant("-F f -n 0").limit_is_the_file);
    assert!(refused("-s -n 0").starts_with("-n"));
}

#[test]
fn sctp_addresses_may_be_names() {
    let action = variant("--sctp -X 127.0.0.1 -X one.example -X ::1 -X two.example");
    assert_eq!(action.config.sctp_bind.len(), 2);
    assert_eq!(action.xbind_names, ["one.example", "two.example"]);
}

/// Only the kernel's queueing discipline paces datagrams.
#[test]
fn kernel_pacing_of_datagrams_has_a_note() {
    assert!(client("--fq-rate 5M").output.notes.is_empty());
    let notes = client("-u --fq-rate 5M").output.notes;
    assert!(
        notes.len() == 1 && notes[0].contains("fq queueing"),
        "{notes:?}"
    );
}

/// The figures of a protocol's own flags, and no block of another size.
#[test]
fn fast_is_every_fast_path_of_the_protocol() {
    for (line, named) in [
        ("--fast", "-Z --skip-rx-copy"),
        ("--fast -R", "-Z --skip-rx-copy -R"),
        ("--fast --bidir -P 4", "-Z --skip-rx-copy --bidir -P 4"),
        ("--fast -m", "-Z --skip-rx-copy -m"),
        ("--fast -F f", "-Z -F f"),
        ("--fast -F f -R", "-Z -F f -R"),
        ("--fast -u", "--gsro --skip-rx-copy -u"),
        (
            "--fast -u -R -l 9000",
            "--gsro --skip-rx-copy -u -R -l 9000",
        ),
        ("--fast --sctp", "--sctp"),
        ("--fast -Z --skip-rx-copy", "-Z --skip-rx-copy"),
    ] {
        let fast = TestParams {
            fast: true,
            ..params(named)
        };
        assert_eq!(params(line), fast, "{line}");
    }
    assert!(client("--fast -u").output.notes.is_empty());
    for (line, said) in [("--fast -F f -R", "-F"), ("--fast --sctp", "SCTP")] {
        let notes = client(line).output.notes;
        assert!(notes.len() == 1 && notes[0].contains(said), "{notes:?}");
    }
}

#[test]
fn nothing_but_a_host_means_iperf3s_defaults() {
    let action = client("");
    assert_eq!(
        variant("").config,
        ClientConfig::new("server.example", TestParams::default())
    );
    assert_eq!(action.output, OutputConfig::default());
    assert_eq!(action.repeats, Repeats::default());
    assert_eq!(server("").config, ServerConfig::new(5201));
}

/// As getopt_long: an unambiguous beginning will do, flags may be run together, a value may touch its letter.
#[test]
fn getopts_spellings_are_taken() {
    for (one, other) in [
        ("--rev", "--reverse"),
        ("--paral 4", "-P 4"),
        ("-uR", "-u -R"),
        ("-P4", "-P 4"),
        ("-uVb5M", "-u -V -b 5M"),
        ("-dV", "-d -V"),
        ("-d", "--debug=4"),
        ("--debug", "-d"),
        ("--cntl-ka", "--cntl-ka="),
    ] {
        let read = |line: &str| {
            let args = ["nettest-engine", "-c", "h"]
                .into_iter()
                .chain(line.split(' '))
                .map(OsString::from);
            parse(args, Environment::default())
        };
        assert!(read(one).is_ok(), "{one}: {:?}", read(one));
        assert_eq!(read(one), read(other), "{one} and {other}");
    }
}

/// Field report 038: the order of flags changes nothing.
#[test]
fn report_038_the_order_of_flags_is_free() {
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
                let variant = only(*action);
                assert_eq!(variant.config.host, host, "{given}");
                assert_eq!(variant.config.bind_dev.as_deref(), dev, "{given}");
            }
            other => panic!("{given}: {other:?}"),
        }
    }
    for bad in ["a/b", "a%", "%eth0", "a;b", "a%b/c", "a@b"] {
        assert!(refused(&format!("-c {bad}")).starts_with("-c"), "{bad}");
    }
    let bound = variant("-B fe80::2%v0 -6");
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
    assert_eq!(action.output.run.attempt, 2);
    assert_eq!(action.repeats.count, 3);
    assert_eq!(action.repeats.pause, Duration::from_secs(2));
    let VariantAction { name, config, .. } = only(action);
    assert_eq!(name, "tcp-p4");
    assert_eq!(config.run_token.as_deref(), Some("abc234"));
    assert_eq!(config.exclusive_cpus, Some(2));
    assert_eq!(config.connect_timeout, Some(Duration::from_millis(5000)));
    assert_eq!(config.params.direction, Direction::Bidirectional);

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
            Environment {
                token: Some(token.to_owned()),
                password: None,
            },
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
    assert_eq!(read("-v"), Ok(Action::Version));
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
