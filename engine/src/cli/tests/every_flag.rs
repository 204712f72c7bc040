//! Every flag that the parser knows has a row here: what it takes, what it refuses, who takes it. A flag without
//! a row fails the test.

use super::*;
use clap::{Arg, ArgAction};
use flags::{Taker, taker};

struct Row {
    long: &'static str,
    /// Flags that it needs beside it.
    with: &'static str,
    takes: Takes,
}

enum Takes {
    /// No value; whether it changes anything that is done.
    Nothing { changes: bool },
    Value {
        /// The smallest and the largest at least.
        good: &'static [&'static str],
        /// Below the smallest, above the largest, no number, unknown suffix …
        bad: &'static [&'static str],
    },
    /// A path or a text: any will do.
    Text(&'static [&'static str]),
}

use Takes::{Nothing, Text, Value};

const SWITCH: Takes = Nothing { changes: true };
const NO_EFFECT: Takes = Nothing { changes: false };

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Both.
    Row { long: "client", with: "", takes: Value { good: &["h", "10.0.0.1%eth0", "fe80::1%v0"], bad: &["", "a/b", "h:5201", "a%", "-h"] } },
    Row { long: "server", with: "", takes: SWITCH },
    Row { long: "probe", with: "", takes: Value { good: &["h", "::1"], bad: &["a/b", "h:1"] } },
    Row { long: "version", with: "", takes: SWITCH },
    Row { long: "port", with: "", takes: Value { good: &["1", "65535"], bad: &["0", "65536", "-1", "x", "5K", "fdfdf", "", "1.5", "99999999999999999999"] } },
    Row { long: "format", with: "", takes: Value { good: &["k", "m", "g", "t", "K", "M", "G", "T"], bad: &["x", "bits", "P", "", "1"] } },
    Row { long: "interval", with: "", takes: Value { good: &["0", "0.1", "60"], bad: &["0.05", "0.09", "60.1", "61", "-1", "x", "1s", "", "nan", "1e1"] } },
    Row { long: "pidfile", with: "", takes: Text(&["/run/pid", "pid"]) },
    Row { long: "file", with: "", takes: Text(&["/data", "data"]) },
    Row { long: "affinity", with: "", takes: Value { good: &["0", "1023", "0:2:4"], bad: &["-1", "1024", "x", "1,", ",1", "1,1024", "0:", ":0", "0:x", "0,1:2", "0,1,2", "", "0K"] } },
    Row { long: "bind", with: "", takes: Value { good: &["127.0.0.1", "::1", "fe80::1%v0", "localhost", "node-a%eth0"], bad: &["", "1.2.3", "::1%", "::1%averyverylongname", "1.2.3.4.5", "a/b", "a:1"] } },
    Row { long: "bind-dev", with: "", takes: Value { good: &["eth0", "fifteen_letters"], bad: &["", "a/b", "sixteen__letters", "a b"] } },
    Row { long: "version4", with: "", takes: SWITCH },
    Row { long: "version6", with: "", takes: SWITCH },
    Row { long: "verbose", with: "", takes: SWITCH },
    Row { long: "json", with: "", takes: SWITCH },
    Row { long: "json-stream", with: "", takes: SWITCH },
    Row { long: "json-stream-full-output", with: "", takes: SWITCH },
    Row { long: "logfile", with: "", takes: Text(&["/var/log/x", "x"]) },
    Row { long: "forceflush", with: "", takes: NO_EFFECT },
    Row { long: "timestamps", with: "", takes: Value { good: &["%H:%M:%S ", "%FT%T%z ", "%c ", "plain"], bad: &["%", "%!", "a\nb"] } },
    Row { long: "rcv-timeout", with: "-R", takes: Value { good: &["100", "86400000"], bad: &["99", "86400001", "x", "-1", "1s", "", "100.5"] } },
    Row { long: "snd-timeout", with: "", takes: Value { good: &["0", "1", "86400000"], bad: &["86400001", "x", "-1", "1s", ""] } },
    Row { long: "cntl-ka", with: "", takes: Value { good: &["1", "32767", "/32767", "//127", "60/5/3", "10//"], bad: &["0", "32768", "/0", "//0", "//128", "x", "-1", "1/2/3/4", "6/2/3", "1s"] } },
    Row { long: "mptcp", with: "", takes: SWITCH },
    Row { long: "use-pkcs1-padding", with: "--username u --rsa-public-key-path k", takes: SWITCH },
    Row { long: "debug", with: "", takes: Value { good: &["1", "4"], bad: &["0", "5", "x", "-1"] } },
    Row { long: "iperf3-exit-codes", with: "", takes: SWITCH },
    // Server.
    Row { long: "daemon", with: "", takes: SWITCH },
    Row { long: "one-off", with: "", takes: SWITCH },
    Row { long: "max-tests", with: "", takes: Value { good: &["1", "128"], bad: &["0", "129", "x", "-1", "1K"] } },
    Row { long: "queue", with: "", takes: Value { good: &["0", "1024"], bad: &["1025", "x", "-1", "1K"] } },
    Row { long: "idle-timeout", with: "", takes: Value { good: &["1", "86400"], bad: &["0", "86401", "x", "-1", "1s"] } },
    Row { long: "server-bitrate-limit", with: "", takes: Value { good: &["1", "10000T", "1.5G/0.1", "1M/60"], bad: &["-1", "10001T", "x", "5X", "1M/", "1M/0", "1M/0.05", "1M/61", "1M/x", "/5", ""] } },
    Row { long: "server-max-duration", with: "", takes: Value { good: &["1", "86400"], bad: &["86401", "x", "-1", "1s", "1.5"] } },
    Row { long: "rsa-private-key-path", with: "--authorized-users-path u", takes: Text(&["/key", "key"]) },
    Row { long: "authorized-users-path", with: "--rsa-private-key-path k", takes: Text(&["/users", "users"]) },
    Row { long: "time-skew-threshold", with: "--authorized-users-path u --rsa-private-key-path k", takes: Value { good: &["1", "86400"], bad: &["0", "86401", "-1", "x", "1s"] } },
    Row { long: "health-port", with: "", takes: Value { good: &["1", "65535"], bad: &["0", "65536", "x", "-1", "1K"] } },
    // Client.
    Row { long: "udp", with: "", takes: SWITCH },
    Row { long: "sctp", with: "", takes: SWITCH },
    Row { long: "xbind", with: "--sctp", takes: Value { good: &["127.0.0.1", "this.host", "::1"], bad: &["", "1.2.3", "127.0.0.1%lo"] } },
    Row { long: "nstreams", with: "--sctp", takes: Value { good: &["1", "65535"], bad: &["0", "65536", "-1", "x", "1Q", ""] } },
    Row { long: "connect-timeout", with: "", takes: Value { good: &["1", "3600000"], bad: &["0", "3600001", "-1", "x", "1.5", "1s"] } },
    Row { long: "queue-timeout", with: "", takes: Value { good: &["0", "86400"], bad: &["86401", "-1", "x", "1s", "1.5"] } },
    Row { long: "bitrate", with: "", takes: Value { good: &["1", "10000T", "1.5m", "100M/1", "100M/1000"], bad: &["-1", "10001T", "x", "5X", "10Mbit", "", "/10", "5M/", "5M/0", "5M/1001", "5M/x", "0/5"] } },
    Row { long: "fq-rate", with: "", takes: Value { good: &["1", "10000T", "1.5m"], bad: &["-1", "10001T", "x", "5X", "10Mbit", "", "5M/10"] } },
    Row { long: "pacing-timer", with: "", takes: Value { good: &["0", "2047M"], bad: &["-1", "2048M", "x", "5X", ""] } },
    Row { long: "no-fq-socket-pacing", with: "", takes: NO_EFFECT },
    Row { long: "time", with: "", takes: Value { good: &["0", "0.5", "86400"], bad: &["-1", "-0.5", "86401", "x", "10s", "nan", "inf", "1e3", ""] } },
    Row { long: "bytes", with: "", takes: Value { good: &["1", "9223372036854775807", "0.5K"], bad: &["-1", "9223372036854775808", "x", "1X", "1KB", ""] } },
    Row { long: "blockcount", with: "", takes: Value { good: &["1", "9223372036854775807", "5K"], bad: &["-5", "9223372036854775808", "x", "1Q", ""] } },
    Row { long: "length", with: "", takes: Value { good: &["1", "1M"], bad: &["1048577", "-1", "x", "4B", ""] } },
    Row { long: "cport", with: "", takes: Value { good: &["1", "65535"], bad: &["0", "65536", "-1", "x", "5K", ""] } },
    Row { long: "parallel", with: "", takes: Value { good: &["2", "128"], bad: &["0", "129", "-1", "x", "4K", "1.5", "100000"] } },
    Row { long: "reverse", with: "", takes: SWITCH },
    Row { long: "bidir", with: "", takes: SWITCH },
    Row { long: "window", with: "", takes: Value { good: &["1", "512M"], bad: &["513M", "-1", "x", "64Z", ""] } },
    Row { long: "congestion", with: "", takes: Value { good: &["cubic", "bbr", "dctcp-x_1"], bad: &["", "a/b", "sixteen_letters_", "a b"] } },
    Row { long: "set-mss", with: "", takes: Value { good: &["88", "32767"], bad: &["64", "87", "32768", "-1", "x", "64B"] } },
    Row { long: "no-delay", with: "", takes: SWITCH },
    Row { long: "tos", with: "", takes: Value { good: &["255", "0xff", "0377", "1"], bad: &["-1", "256", "0x100", "08", "0x", "x", ""] } },
    Row { long: "dscp", with: "", takes: Value { good: &["63", "1", "ef", "AF43"], bad: &["-1", "64", "foo", "0x40", "af44", ""] } },
    Row { long: "flowlabel", with: "", takes: Value { good: &["1", "01", "0xfffff"], bad: &["0", "0x100000", "-1", "x", "1K", ""] } },
    Row { long: "zerocopy", with: "", takes: SWITCH },
    Row { long: "skip-rx-copy", with: "", takes: SWITCH },
    Row { long: "omit", with: "", takes: Value { good: &["0.25", "600"], bad: &["-1", "601", "x", "2s", "nan", ""] } },
    Row { long: "title", with: "", takes: Value { good: &["a", "a b: c"], bad: &["a\nb"] } },
    Row { long: "extra-data", with: "", takes: Value { good: &["a", "{\"a\": 1}"], bad: &["a\nb"] } },
    Row { long: "get-server-output", with: "", takes: SWITCH },
    Row { long: "udp-counters-64bit", with: "-u", takes: SWITCH },
    Row { long: "gsro", with: "-u", takes: SWITCH },
    Row { long: "fast", with: "", takes: SWITCH },
    Row { long: "repeating-payload", with: "", takes: SWITCH },
    Row { long: "dont-fragment", with: "-u", takes: SWITCH },
    Row { long: "username", with: "--rsa-public-key-path k", takes: Value { good: &["u", "a b"], bad: &["", "a\nb"] } },
    Row { long: "rsa-public-key-path", with: "--username u", takes: Text(&["/key", "key"]) },
    // In a cluster.
    Row { long: "run-token", with: "", takes: Value { good: &["a", "abcdefghij234567abcd"], bad: &["", "A", "0", "abcdefghij234567abcde"] } },
    Row { long: "require-exclusive-cpus", with: "", takes: Value { good: &["1", "1024"], bad: &["0", "1025", "x", "-1"] } },
    Row { long: "measurement-stream", with: "--run-uid u", takes: SWITCH },
    Row { long: "run-uid", with: "", takes: Value { good: &["u", "0b5c8d0e-1111"], bad: &["", "a/b", "a b"] } },
    Row { long: "attempt", with: "", takes: Value { good: &["0", "1000000"], bad: &["-1", "1000001", "x"] } },
    Row { long: "variant", with: "", takes: Value { good: &["tcp-p4", "a.b_c"], bad: &["", "a/b"] } },
    Row { long: "repeats", with: "", takes: Value { good: &["2", "100"], bad: &["0", "101", "x", "-1"] } },
    Row { long: "repeat-pause", with: "", takes: Value { good: &["0.5", "3600"], bad: &["-1", "3601", "x", ""] } },
    Row { long: "max-spread-percent", with: "--max-repeats 9", takes: Value { good: &["1", "1000"], bad: &["0", "1001", "x", "-1", "1.5", "15%"] } },
    Row { long: "max-repeats", with: "--max-spread-percent 15", takes: Value { good: &["1", "50"], bad: &["0", "51", "x", "-1"] } },
    Row { long: "digest-file", with: "--run-uid u", takes: Text(&["/dev/termination-log", "d"]) },
];

fn row(long: &str) -> &'static Row {
    ROWS.iter()
        .find(|row| row.long == long)
        .unwrap_or_else(|| panic!("--{long} has no row: say what it takes and what it refuses"))
}

fn args() -> Vec<Arg> {
    Flags::command()
        .get_arguments()
        .filter(|arg| arg.get_long() != Some("help"))
        .cloned()
        .collect()
}

fn long(arg: &Arg) -> &str {
    arg.get_long().expect("every flag has a long form")
}

/// The start of a command line that takes the flag.
fn role(arg: &Arg) -> &'static [&'static str] {
    match (long(arg), taker(arg)) {
        ("client" | "server" | "probe" | "version", _) => &[],
        (_, Taker::Server) => &["-s"],
        (_, Taker::Client | Taker::Both) => &["-c", "server.example"],
    }
}

/// The flag in one of its spellings, with a value where it has one.
fn typed(arg: &Arg, spelling: &str, value: Option<&str>) -> Vec<String> {
    match value {
        None => vec![spelling.to_owned()],
        Some(value) if arg.is_require_equals_set() || spelling.starts_with("--") => {
            vec![format!("{spelling}={value}")]
        }
        Some(value) => vec![spelling.to_owned(), value.to_owned()],
    }
}

fn read_with(arg: &Arg, flag: &[String]) -> Result<Action, CliError> {
    let with = row(long(arg)).with.split_whitespace();
    let line = std::iter::once("nettest-engine")
        .chain(role(arg).iter().copied())
        .chain(with)
        .map(OsString::from)
        .chain(flag.iter().map(OsString::from));
    parse(line, Environment::default())
}

fn good_values(row: &Row) -> &'static [&'static str] {
    match row.takes {
        Nothing { .. } => &[],
        Value { good, .. } | Text(good) => good,
    }
}

#[test]
fn every_flag_has_a_row_and_every_row_a_flag() {
    let known: Vec<String> = args().iter().map(|arg| long(arg).to_owned()).collect();
    for name in &known {
        row(name);
    }
    for row in ROWS {
        assert!(known.iter().any(|name| name == row.long), "--{}", row.long);
    }
    assert_eq!(ROWS.len(), known.len(), "two rows for one flag");
}

#[test]
fn what_a_flag_takes_changes_what_is_done() {
    for arg in args() {
        let name = format!("--{}", long(&arg));
        let row = row(long(&arg));
        match &row.takes {
            Nothing { changes } => {
                assert!(!arg.get_action().takes_values(), "{name}");
                let with = read_with(&arg, &typed(&arg, &name, None));
                assert!(with.is_ok(), "{name}: {with:?}");
                assert_eq!(with != read_with(&arg, &[]), *changes, "{name}");
            }
            Value { good, .. } | Text(good) => {
                assert!(arg.get_action().takes_values(), "{name}");
                for value in *good {
                    let with = read_with(&arg, &typed(&arg, &name, Some(value)));
                    assert!(with.is_ok(), "{name} {value:?}: {with:?}");
                }
                let two = [good[0], good[good.len() - 1]]
                    .map(|value| read_with(&arg, &typed(&arg, &name, Some(value))));
                let same = ["pacing-timer"].contains(&long(&arg));
                assert_eq!(two[0] == two[1], same, "{name}: {two:?}");
            }
        }
    }
}

#[test]
fn what_a_flag_refuses_is_one_line_that_names_it() {
    for arg in args() {
        let Value { bad, .. } = row(long(&arg)).takes else {
            continue;
        };
        for value in bad {
            let flag = typed(&arg, &format!("--{}", long(&arg)), Some(value));
            match read_with(&arg, &flag) {
                Err(error) => {
                    let message = error.to_string();
                    assert!(
                        message.starts_with(&flags::name(&arg)),
                        "{flag:?}: {message}"
                    );
                    assert_eq!(message.matches('\n').count(), value.matches('\n').count());
                }
                Ok(action) => panic!("{flag:?} was taken: {action:?}"),
            }
        }
    }
}

/// A flag without its value says so, and never takes the next flag for it.
#[test]
fn a_missing_value_is_refused() {
    for arg in args() {
        let optional = arg
            .get_num_args()
            .is_none_or(|range| range.min_values() == 0);
        if !arg.get_action().takes_values() || optional {
            continue;
        }
        let name = format!("--{}", long(&arg));
        let message = match read_with(&arg, std::slice::from_ref(&name)) {
            Err(error) => error.to_string(),
            Ok(action) => panic!("{name} was taken: {action:?}"),
        };
        assert!(message.contains(&name), "{message}");
    }
}

#[test]
fn short_forms_and_aliases_mean_the_same() {
    for arg in args() {
        let row = row(long(&arg));
        let value = good_values(row).last().copied();
        let meant = read_with(&arg, &typed(&arg, &format!("--{}", long(&arg)), value));
        let short = arg.get_short().map(|c| format!("-{c}"));
        let aliases = arg.get_all_aliases().unwrap_or_default();
        let aliases = aliases.iter().map(|alias| format!("--{alias}"));
        for spelling in short.into_iter().chain(aliases) {
            let read = read_with(&arg, &typed(&arg, &spelling, value));
            assert_eq!(read, meant, "{spelling}");
        }
    }
}

/// getopt's rule: the last one counts. Only -X adds up, and a second --variant begins another test.
#[test]
fn of_a_repeated_flag_the_last_counts() {
    for arg in args() {
        let row = row(long(&arg));
        let name = format!("--{}", long(&arg));
        let values = good_values(row);
        let (first, last) = match values {
            [] => (None, None),
            [first, .., last] => (Some(*first), Some(*last)),
            [one] => (Some(*one), Some(*one)),
        };
        let mut twice = typed(&arg, &name, first);
        twice.extend(typed(&arg, &name, last));
        let read = read_with(&arg, &twice);
        assert!(read.is_ok(), "{twice:?}: {read:?}");
        let once = read_with(&arg, &typed(&arg, &name, last));
        let adds = matches!(arg.get_action(), ArgAction::Append) || long(&arg) == "variant";
        assert_eq!(read != once, adds, "{twice:?}");
    }
}

#[test]
fn a_flag_of_the_other_role_is_refused_by_name() {
    for arg in args() {
        let (other, who): (&[&str], _) = match taker(&arg) {
            Taker::Both => continue,
            Taker::Client => (&["-s"], "a client"),
            Taker::Server => (&["-c", "server.example"], "a server"),
        };
        let name = format!("--{}", long(&arg));
        let value = good_values(row(long(&arg))).first().copied();
        let line = std::iter::once("nettest-engine")
            .chain(other.iter().copied())
            .map(str::to_owned)
            .chain(typed(&arg, &name, value))
            .map(OsString::from);
        match parse(line, Environment::default()) {
            Err(error @ CliError::WrongRole { .. }) => {
                let message = error.to_string();
                assert!(message.starts_with(&flags::name(&arg)), "{message}");
                assert!(message.contains(who), "{message}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}
