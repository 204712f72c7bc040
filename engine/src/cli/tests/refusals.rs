//! Command lines that are refused, each with its reason.

use super::*;

/// What [`super::every_flag`] has no row for: a bound that another flag moves.
#[test]
fn bounds_that_depend_on_another_flag() {
    for (good, bad) in [
        ("-u -l 16", "-u -l 15"),
        ("-u -l 65507", "-u -l 65508"),
        ("--sctp -l 1M", "--sctp -l 1048577"),
        ("--cport 65532 -P 4", "--cport 65533 -P 4"),
        ("--cport 65532 -P 2 --bidir", "--cport 65533 -P 2 --bidir"),
    ] {
        assert!(read(&format!("-c h {good}")).is_ok(), "{good}");
        let flag = if bad.contains("cport") {
            "--cport"
        } else {
            "-l"
        };
        let message = refused(&format!("-c h {bad}"));
        assert!(message.starts_with(flag), "{bad}: {message}");
    }
}

#[test]
fn contradictions_name_both_flags() {
    for (line, first, second) in [
        ("-c h -s", "-c", "-s"),
        ("-c h --probe", "-c", "--probe"),
        ("-s --probe h", "-s", "--probe"),
        ("-c h -t 5 -n 5", "-t", "-n"),
        ("-c h -t 5 -k 5", "-t", "-k"),
        ("-c h -n 5 -k 5", "-n", "-k"),
        ("-c h -R --bidir", "-R", "--bidir"),
        ("-c h -4 -6", "-4", "-6"),
        ("-c h -4 -B ::1", "-4", "-B"),
        ("-c h -6 -B 127.0.0.1", "-6", "-B"),
        ("-c h -S 1 --dscp 1", "-S", "--dscp"),
        ("-c h -u -C bbr", "-C", "-u"),
        ("-c h -u -N", "-N", "-u"),
        ("-c h -u -M 1400", "-M", "-u"),
        ("-c h -u -Z", "-Z", "-u"),
        ("-c h -u --sctp", "--sctp", "-u"),
        ("-c h -u -m", "-m", "-u"),
        ("-c h -u -F f", "-F", "-u"),
        ("-c h --bidir -F f", "-F", "--bidir"),
        ("-c h --sctp -m", "-m", "--sctp"),
        ("-c h --sctp -C bbr", "-C", "--sctp"),
        ("-c h --sctp -Z", "-Z", "--sctp"),
        ("-c h --gsro", "--gsro", "-u"),
        ("-c h --dont-fragment", "--dont-fragment", "-u"),
        ("-c h --dont-fragment -u -6", "--dont-fragment", "-6"),
        ("-c ::1 --dont-fragment -u", "--dont-fragment", "IPv6"),
        ("-c h -L 5 -4", "-L", "-4"),
        ("-c 127.0.0.1 -L 5", "-L", "IPv4"),
        ("-c h -L 5 -B 127.0.0.1", "-L", "IPv4"),
        ("-c h --fast -u -Z", "-Z", "-u"),
        ("-c h --fast --gsro", "--gsro", "-u"),
        ("-c h --fast -R -F f --skip-rx-copy", "-F", "--skip-rx-copy"),
        ("-s --fast", "--fast", "client"),
        ("-c h --nstreams 2", "--nstreams", "--sctp"),
        ("-c h -X ::1", "-X", "--sctp"),
        ("-c h --rcv-timeout 500", "--rcv-timeout", "-R"),
        ("-c h -F f --repeating-payload", "-F", "--repeating-payload"),
        ("-c h -F f -R --skip-rx-copy", "-F", "--skip-rx-copy"),
        ("-c h --username u", "--username", "--rsa-public-key-path"),
        (
            "-c h --rsa-public-key-path k",
            "--rsa-public-key-path",
            "--username",
        ),
        ("-c h --use-pkcs1-padding", "--use-pkcs1-padding", "login"),
        (
            "-s --rsa-private-key-path k",
            "--rsa-private-key-path",
            "--authorized-users-path",
        ),
        (
            "-s --authorized-users-path u",
            "--authorized-users-path",
            "--rsa-private-key-path",
        ),
        (
            "-s --time-skew-threshold 5",
            "--time-skew-threshold",
            "--rsa-private-key-path",
        ),
        ("-s --health-port 5201", "--health-port", "-p"),
        ("-s -D --digest-file d --run-uid u", "-D", "--digest-file"),
        (
            "-c h --fq-rate 5M --no-fq-socket-pacing",
            "--fq-rate",
            "--no-fq-socket-pacing",
        ),
        ("--probe h -1", "-1", "server"),
        ("--probe h -u", "-u", "client"),
        ("-s --bind-dev b -B ::1%c", "%DEV", "--bind-dev"),
        ("-c h --udp-counters-64bit", "--udp-counters-64bit", "-u"),
        (
            "-c h --run-uid u --measurement-stream -J",
            "--measurement-stream",
            "-J",
        ),
        (
            "-c h --run-uid u --measurement-stream --json-stream",
            "--measurement-stream",
            "--json-stream",
        ),
        (
            "-c h --measurement-stream",
            "--measurement-stream",
            "--run-uid",
        ),
        ("-c h --digest-file d", "--digest-file", "--run-uid"),
        ("-c h%a --bind-dev b", "%DEV", "--bind-dev"),
        ("-c h -1", "-1", "server"),
        ("-c h --max-tests 2", "--max-tests", "server"),
        ("-s -u", "-u", "client"),
        ("-s -R", "-R", "client"),
        ("-s -b 5M", "-b", "client"),
        ("-s -t 5", "-t", "client"),
        ("-s -A 1,2", "-A", "client"),
        (
            "-s --measurement-stream --run-uid u",
            "--measurement-stream",
            "client",
        ),
    ] {
        let message = refused(line);
        assert!(
            message.contains(first) && message.contains(second),
            "{line}: {message}"
        );
    }
}

#[test]
fn what_is_not_understood_is_one_line() {
    insta::assert_snapshot!(
        [
            "",
            "-c",
            "-c h --frobnicate",
            "-c h -Q",
            "-c h extra",
            "-c h -P 129",
            "-c h -b 5X",
            "-c h -t 1 -n 1",
            "-c h -f bits",
            "-s -R",
        ]
        .map(refused)
        .join("\n"),
        @r"
    must either be a client (-c HOST), a server (-s) or a probe (--probe)
    a value is required for '--client <HOST>' but none was supplied
    unexpected argument '--frobnicate' found
    unexpected argument '-Q' found
    unexpected argument 'extra' found
    -P: 129 is out of range; give 1 to 128 streams
    -b: '5X' has the unknown suffix 'X'; the suffixes are K, M, G and T
    -t and -n cannot be given together; only one thing can end a test
    -f: 'bits' is not one of k m g t (bits) K M G T (bytes)
    -R is for a client only; leave it out
    "
    );
}

#[test]
fn a_port_behind_the_host_gets_a_hint() {
    for line in [
        "-c 127.0.0.1:5311",
        "-c server.example:5311",
        "-c [::1]:5311",
        "--probe 127.0.0.1:5311",
    ] {
        let message = refused(line);
        assert!(
            message.ends_with("give the port with -p"),
            "{line}: {message}"
        );
    }
    for line in ["-c ::1", "-c [::1]", "-c fe80::5311%v0"] {
        assert!(read(line).is_ok(), "{line}: {:?}", read(line));
    }
}
