//! Command lines that are refused, each with its reason.

use super::*;

/// Below the smallest, the smallest, the largest, above it, no number, an unknown suffix.
#[test]
fn numbers_keep_their_bounds() {
    let table: &[(&str, &str, &[&str], &[&str])] = &[
        (
            "-c h",
            "-p",
            &["1", "65535"],
            &["0", "65536", "-1", "x", "5K", "fdfdf"],
        ),
        (
            "-c h",
            "-P",
            &["1", "128"],
            &["0", "129", "-1", "x", "4K", "1.5"],
        ),
        (
            "-c h",
            "-t",
            &["0", "0.5", "86400"],
            &["-1", "86401", "x", "10s", "nan", "inf", "1e3"],
        ),
        (
            "-c h",
            "-i",
            &["0", "0.1", "60"],
            &["0.05", "61", "-1", "x", "1s"],
        ),
        ("-c h", "-O", &["0", "600"], &["-1", "601", "x", "2s"]),
        (
            "-c h",
            "-n",
            &["1", "9223372036854775807"],
            &["0", "-1", "9223372036854775808", "x", "1X", "1KB"],
        ),
        ("-c h", "-k", &["1", "5K"], &["0", "-5", "x", "1Q"]),
        (
            "-c h",
            "-l",
            &["1", "1M"],
            &["0", "1048577", "-1", "x", "4B"],
        ),
        (
            "-c h -u",
            "-l",
            &["16", "65507"],
            &["15", "65508", "-1", "x", "4B"],
        ),
        (
            "-c h",
            "-w",
            &["0", "1", "512M"],
            &["513M", "-1", "x", "64Z"],
        ),
        (
            "-c h",
            "-b",
            &["0", "1", "10000T"],
            &[
                "-1", "10001T", "x", "5X", "10Mbit", "", "/10", "5M/", "5M/0", "5M/1001", "5M/x",
                "0/5",
            ],
        ),
        (
            "-c h",
            "-M",
            &["88", "32767"],
            &["64", "87", "32768", "x", "64B"],
        ),
        (
            "-c h",
            "-S",
            &["0", "255", "0xff", "0377"],
            &["-1", "256", "0x100", "08", "0x", "x"],
        ),
        (
            "-c h",
            "--dscp",
            &["0", "63", "ef"],
            &["-1", "64", "foo", "0x40"],
        ),
        (
            "-c h",
            "-A",
            &["0", "1023", "1,2"],
            &["-1", "1024", "x", "1,", ",1", "1,1024"],
        ),
        (
            "-c h",
            "--connect-timeout",
            &["1", "3600000"],
            &["0", "3600001", "-1", "x", "1.5"],
        ),
        (
            "-c h",
            "--rcv-timeout",
            &["100", "86400000"],
            &["99", "86400001", "x"],
        ),
        ("-c h", "--repeats", &["1", "100"], &["0", "101", "x"]),
        (
            "-c h",
            "--repeat-pause",
            &["0", "3600"],
            &["-1", "3601", "x"],
        ),
        (
            "-c h",
            "--attempt",
            &["0", "1000000"],
            &["-1", "1000001", "x"],
        ),
        (
            "-c h",
            "--require-exclusive-cpus",
            &["1", "1024"],
            &["0", "1025", "x"],
        ),
        (
            "-c h",
            "-f",
            &["k", "m", "g", "t", "K", "M", "G", "T"],
            &["x", "bits", "P", ""],
        ),
        (
            "-c h",
            "-C",
            &["cubic", "bbr", "dctcp-x_1"],
            &["", "a/b", "sixteen_letters_"],
        ),
        (
            "-c h",
            "--run-token",
            &["a", "abcdefghij234567abcd"],
            &["", "A", "0", "abcdefghij234567abcde"],
        ),
        (
            "-c h",
            "-B",
            &["127.0.0.1", "::1", "fe80::1%v0"],
            &["", "host", "1.2.3", "::1%", "::1%averyverylongname"],
        ),
        ("-s", "--max-tests", &["1", "128"], &["0", "129", "x"]),
        (
            "-s",
            "--idle-timeout",
            &["1", "86400"],
            &["0", "86401", "x"],
        ),
    ];
    for (role, flag, good, bad) in table {
        let with = |value: &str| {
            let args = std::iter::once("nettest-engine")
                .chain(role.split_whitespace())
                .chain([*flag, value])
                .map(OsString::from);
            parse(args, None)
        };
        for value in *good {
            assert!(
                with(value).is_ok(),
                "{role} {flag} {value}: {:?}",
                with(value)
            );
        }
        for value in *bad {
            match with(value) {
                Err(error) => {
                    let message = error.to_string();
                    assert!(message.starts_with(flag), "{flag} {value}: {message}");
                    assert_eq!(message.lines().count(), 1, "{message}");
                }
                Ok(action) => panic!("{role} {flag} {value} was taken: {action:?}"),
            }
        }
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
