//! How long a run may take, and which are refused because they would need longer.

use super::*;

#[test]
fn the_run_timeout_is_the_planned_time_and_two_minutes() {
    let timeout = |spec: &str| {
        let manifest = format!(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: t, namespace: default}}\nspec: {spec}\n"
        );
        crate::testing::valid(&manifest)
            .limits
            .run_timeout
            .as_secs()
    };
    // 3 x (10 + 2 + 2 of overhead) + 2 x 1 of pause + 120
    assert_eq!(timeout("{traffic: {omit: 2s}}"), 164);
    assert_eq!(timeout("{limits: {runTimeout: 40s}}"), 40);
    // 100 MB at 8 Mbit/s: 100 s
    assert_eq!(
        timeout("{repeats: {count: 1}, traffic: {bytes: 100M, bitrate: 8M}}"),
        222
    );
    // 1 GB over TCP, of which 10 Mbit/s is enough, however much more was asked for: 800 s
    for asked in ["", ", bitrate: 10G", ", parallelStreams: 8"] {
        let spec = format!("{{repeats: {{count: 1}}, traffic: {{bytes: 1G{asked}}}}}");
        assert_eq!(timeout(&spec), 922, "{spec}");
    }
    // Datagrams leave at the rate that was asked for, each stream at its own.
    let udp = "{repeats: {count: 1}, traffic: {protocol: UDP, bytes: 1G, bitrate: 40M, parallelStreams: 2}}";
    assert_eq!(timeout(udp), 222);
    assert!(timeout("{traffic: {bytes: 16Ti}}") <= 48 * 3600);
}

#[test]
fn a_run_that_can_only_time_out_is_refused() {
    let spec = "{traffic: {duration: 60s, omit: 5s}, limits: {runTimeout: 10s}}";
    let (reason, says) = refusal(spec);
    assert_eq!(reason, Reason::InvalidSpec);
    // 3 x (60 s + 5 s) and two pauses of 1 s
    for word in [
        "limits.runTimeout is 10s",
        "traffic.duration",
        "repeats.count",
        "needs 3m17s",
    ] {
        assert!(says.contains(word), "{word}: {says}");
    }
    for (spec, fits) in [
        ("{limits: {runTimeout: 32s}}", false),
        ("{limits: {runTimeout: 33s}}", true),
        // Of bytes nobody knows the time.
        ("{traffic: {bytes: 16Ti}, limits: {runTimeout: 10s}}", true),
    ] {
        let manifest = format!(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: t}}\nspec: {spec}\n"
        );
        assert_eq!(checked(&manifest).is_ok(), fits, "{spec}");
    }
}
