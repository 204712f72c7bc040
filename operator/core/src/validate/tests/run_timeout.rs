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
    // 1000 writes of 128 KiB: 1048.576 Mbit at 10 Mbit/s
    let blocks = "{repeats: {count: 1}, traffic: {blocks: 1000}}";
    assert_eq!(timeout(blocks), 105 + 2 + 120);
    assert!(timeout("{traffic: {blocks: 1000000000000, protocol: SCTP}}") <= 48 * 3600);
    // Every variant of a client, with a pause between any two: 3 x 2 x 12 + 5 + 120
    assert_eq!(timeout("{sweep: {parallelStreams: [1, 4]}}"), 197);
    // Paths by other networks have a client of their own: the longest counts.
    assert_eq!(timeout("{sweep: {paths: [PodIP, ClusterIP]}}"), 197);
    // A mesh's are twice as many.
    assert_eq!(timeout("{topology: {type: Mesh}}"), 197);
    // As many repeats as may be taken: 9 x 12 + 8 + 120
    assert_eq!(timeout("{repeats: {maxSpreadPercent: 10}}"), 236);
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

#[test]
fn a_run_of_more_than_two_days_is_refused() {
    for (spec, says) in [
        (
            "{traffic: {duration: 1h}, sweep: {parallelStreams: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]}, repeats: {count: 4}}",
            "repeats.count, traffic and the variants make a run of 64h",
        ),
        (
            "{traffic: {duration: 20h}, repeats: {count: 1, maxSpreadPercent: 10}}",
            "repeats.maxCount can make a run of 180h",
        ),
    ] {
        let (reason, message) = refusal(spec);
        assert_eq!(reason, Reason::InvalidSpec);
        assert!(message.starts_with(says), "{message}");
        assert!(
            message.ends_with("longer than 48h: ask for less"),
            "{message}"
        );
    }
    // The longest spec that the schema lets through does not overflow.
    let streams: Vec<String> = (1..=64).map(|n| n.to_string()).collect();
    let longest = format!(
        "{{topology: {{type: Mesh}}, traffic: {{duration: 24h, omit: 600s}}, sweep: {{parallelStreams: [{}]}}, repeats: {{count: 20, pause: 10m, maxSpreadPercent: 1, maxCount: 50}}}}",
        streams.join(", ")
    );
    assert!(refusal(&longest).1.contains("longer than 48h"));
}

#[test]
fn no_pair_sends_more_than_max_bitrate() {
    use crate::valid::Bitrate;
    let rate = |spec: &str| {
        let variant = crate::testing::valid(&manifest(spec)).variants.remove(0);
        variant.traffic.bitrate.map(|Bitrate(rate)| rate)
    };
    for (spec, each) in [
        // What nobody asked a rate of shares it.
        ("{limits: {maxBitrate: 1G}}", 1_000_000_000),
        (
            "{limits: {maxBitrate: 1G}, traffic: {parallelStreams: 4}}",
            250_000_000,
        ),
        (
            "{limits: {maxBitrate: 1G}, traffic: {bitrate: 0, parallelStreams: 8}}",
            125_000_000,
        ),
        (
            "{limits: {maxBitrate: 1G}, traffic: {protocol: UDP, bitrate: 0}}",
            1_000_000_000,
        ),
        (
            "{limits: {maxBitrate: 1G}, traffic: {bitrate: 10M}}",
            10_000_000,
        ),
        (
            "{limits: {maxBitrate: 40M}, traffic: {bitrate: 10M, parallelStreams: 4}}",
            10_000_000,
        ),
        // UDP's own rate is nothing that was asked for.
        (
            "{limits: {maxBitrate: 1G}, traffic: {protocol: UDP}}",
            1 << 20,
        ),
        (
            "{limits: {maxBitrate: 1k}, traffic: {protocol: UDP, parallelStreams: 128}}",
            7,
        ),
    ] {
        assert_eq!(rate(spec), Some(each), "{spec}");
    }
    for (spec, says) in [
        (
            "{limits: {maxBitrate: 1G}, traffic: {bitrate: 300M, parallelStreams: 4}}",
            "traffic.bitrate x 4 streams is 1.20 Gbit/s, above limits.maxBitrate, 1.00 Gbit/s: lower traffic.bitrate or the streams, or raise limits.maxBitrate",
        ),
        (
            "{limits: {maxBitrate: 1G}, traffic: {bitrate: 300M}, sweep: {parallelStreams: [1, 2, 4]}}",
            "traffic.bitrate x 4 streams is 1.20 Gbit/s",
        ),
        (
            "{limits: {maxBitrate: 1G}, traffic: {bitrate: 2G}}",
            "traffic.bitrate is 2.00 Gbit/s, above limits.maxBitrate",
        ),
        (
            "{limits: {maxBitrate: 10}}",
            "limits.maxBitrate is 10: set 1k to 1T",
        ),
    ] {
        let (reason, message) = refusal(spec);
        assert_eq!(reason, Reason::InvalidSpec);
        assert!(message.starts_with(says), "{message}");
    }
}
