//! Several variants on one command line.

use super::*;
use crate::session::Extra;

fn named(action: &ClientAction) -> Vec<(&str, &TestParams)> {
    let variants = action.variants.iter();
    variants
        .map(|v| (v.name.as_str(), &v.config.params))
        .collect()
}

#[test]
fn what_follows_a_variant_is_its_own_and_the_rest_is_shared() {
    let action = client(
        "-p 5301 -t 5 -P 2 --repeats 3 --repeat-pause 0.5 --run-uid u-1 --attempt 4 --measurement-stream \
         --variant tcp-p2 --variant tcp-p4 -P 4 -R --variant=udp -u -b 5M -t 7 -c ::1 -p 5302 -l 1000",
    );
    let shared = "-p 5301 -t 5 -P 2";
    let alone = |line: &str| params(&format!("{shared} {line}"));
    assert_eq!(
        named(&action),
        [
            ("tcp-p2", &alone("")),
            ("tcp-p4", &alone("-P 4 -R")),
            ("udp", &alone("-u -b 5M -t 7 -l 1000")),
        ]
    );
    let whom: Vec<_> = action
        .variants
        .iter()
        .map(|v| (v.config.host.as_str(), v.config.port))
        .collect();
    let shared = ("server.example", 5301);
    assert_eq!(whom, [shared, shared, ("::1", 5302)]);
    assert_eq!(action.repeats.count, 3);
    assert_eq!(action.repeats.pause, Duration::from_millis(500));
    assert_eq!(action.output.kind, OutputKind::Measurements);
    assert_eq!(
        (action.output.run.uid.as_str(), action.output.run.attempt),
        ("u-1", 4)
    );
}

/// Nothing but a variant's name stands for a test like all others.
#[test]
fn each_variant_is_read_as_a_command_line_of_its_own() {
    let both =
        client("-t 5 --variant a -C bbr -w 1M --variant b -u --fq-rate 5M --cport 7000 -P 3");
    for (n, line) in ["-C bbr -w 1M", "-u --fq-rate 5M --cport 7000 -P 3"]
        .iter()
        .enumerate()
    {
        let alone = variant(&format!("-t 5 --variant {} {line}", ["a", "b"][n]));
        assert_eq!(both.variants[n], alone, "{line}");
    }
    assert_eq!(both.output.notes, client("-u --fq-rate 5M").output.notes);
    // The host may stand with the variants only.
    match read("-p 5301 --variant a -c h --variant b -c i -B 10.0.0.1 -4") {
        Ok(Action::Client(action)) => {
            let hosts: Vec<&str> = action
                .variants
                .iter()
                .map(|v| v.config.host.as_str())
                .collect();
            assert_eq!(hosts, ["h", "i"]);
        }
        other => panic!("{other:?}"),
    }
}

/// As getopt: a beginning that means nothing else.
#[test]
fn a_variant_may_be_shortened() {
    let whole = client("--variant a -u --variant b");
    assert_eq!(client("--va a -u --varian=b"), whole);
    assert!(refused("-c h --v a --v b").contains("--v"));
}

#[test]
fn one_variant_may_have_the_processes_flags_behind_it() {
    let behind = client("--variant a --repeats 3 --repeat-pause 1 --run-uid u -J");
    assert_eq!(
        behind,
        client("--repeats 3 --repeat-pause 1 --run-uid u -J --variant a")
    );
    assert_eq!(only(behind).name, "a");
    assert_eq!(variant("").name, "default");
}

#[test]
fn flags_of_the_process_are_for_all_variants() {
    for flag in [
        "--measurement-stream",
        "--repeats 3",
        "--repeat-pause 1",
        "--run-uid u",
        "--attempt 2",
        "--run-token abc",
        "--digest-file d",
        "--require-exclusive-cpus 1",
        "--max-spread-percent 5",
        "--max-repeats 5",
        "--json-stream",
        "-J",
        "-V",
        "-f m",
        "--logfile l",
        "-I p",
        "-d",
        "--timestamps",
        "--iperf3-exit-codes",
        "-s",
        "-v",
    ] {
        for line in [
            format!("-c h --variant a --variant b {flag}"),
            format!("-c h --variant a {flag} --variant b"),
        ] {
            let name = flag.split(' ').next().unwrap();
            let wanted = format!("{name} is for all variants; give it before the first --variant");
            assert_eq!(refused(&line), wanted, "{line}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_variant_is_said_with_its_name() {
    for (line, said) in [
        (
            "--variant a --variant b -P 129",
            "variant b: -P: 129 is out of range; give 1 to 128 streams",
        ),
        (
            "-t 5 --variant a --variant b -n 5M",
            "variant b: -t and -n cannot be given together; only one thing can end a test",
        ),
        (
            "-C bbr --variant a -u --variant b",
            "variant a: -C and -u cannot be given together; it is an option of TCP",
        ),
        (
            "--variant a --variant b --frobnicate",
            "variant b: unexpected argument '--frobnicate' found",
        ),
        (
            "--variant a --variant b --max-tests 2",
            "variant b: --max-tests is for a server only; leave it out",
        ),
        // What is wrong with all is nobody's.
        (
            "-P 129 --variant a --variant b",
            "-P: 129 is out of range; give 1 to 128 streams",
        ),
        (
            "--variant a --variant a",
            "--variant: a is given twice; give each variant a name of its own",
        ),
        (
            "--variant a --variant a/b",
            "--variant: 'a/b' is not a name (1 to 63 letters, digits, dashes, dots)",
        ),
        (
            "-J --variant a --variant b",
            "-J and a second --variant cannot be given together; a document is of one test: give \
             --json-stream or --measurement-stream",
        ),
        (
            "--max-spread-percent 5 --variant a --variant b",
            "--max-spread-percent needs --max-repeats",
        ),
    ] {
        assert_eq!(refused(&format!("-c h {line}")), said, "{line}");
    }
    let no_value = refused("-c h --variant a --variant");
    assert!(no_value.contains("--variant <NAME>"), "{no_value}");
    assert_eq!(
        refused("--variant a --variant b"),
        "must either be a client (-c HOST), a server (-s) or a probe (--probe)"
    );
    assert!(refused("-s --variant a --variant b").starts_with("--variant is for a client"));
    assert!(refused("--probe h --variant a --variant b").starts_with("--variant is for a client"));
}

#[test]
fn there_are_at_most_128_variants() {
    let line = |count: usize| -> String {
        (0..count)
            .map(|n| format!(" --variant v{n} -P {}", n % 128 + 1))
            .collect()
    };
    assert_eq!(client(&line(128)).variants.len(), 128);
    assert_eq!(
        refused(&format!("-c h {}", line(129))),
        "--variant: 129 is out of range; give 1 to 128 variants"
    );
}

#[test]
fn extra_repeats_need_both_bounds() {
    let action = client("--repeats 5 --max-spread-percent 15 --max-repeats 9");
    let extra = Some(Extra {
        max_spread_percent: 15,
        max_count: 9,
    });
    assert_eq!((action.repeats.extra, action.repeats.most()), (extra, 9));
    assert_eq!(client("--repeats 5").repeats.extra, None);
    assert_eq!(
        client("--repeats 9 --max-spread-percent 15 --max-repeats 9")
            .repeats
            .most(),
        9
    );
    for (line, said) in [
        (
            "--max-spread-percent 15",
            "--max-spread-percent needs --max-repeats",
        ),
        (
            "--max-repeats 9",
            "--max-repeats needs --max-spread-percent",
        ),
        (
            "--repeats 5 --max-spread-percent 15 --max-repeats 4",
            "--max-repeats: 4 is out of range; give as many as --repeats to 50",
        ),
        (
            "--repeats 60 --max-spread-percent 15 --max-repeats 50",
            "--max-repeats: 50 is out of range; give as many as --repeats to 50",
        ),
    ] {
        assert_eq!(refused(&format!("-c h {line}")), said, "{line}");
    }
}

#[test]
fn help_is_given_wherever_it_is_asked_for() {
    for line in [
        "-c h --variant a --variant b -h",
        "-h --variant a --variant b",
    ] {
        assert!(matches!(read(line), Ok(Action::Show(_))), "{line}");
    }
}
