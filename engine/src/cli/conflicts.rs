//! Flags that cannot stand together, and flags that need another. One table, walked in order.

use super::CliError;
use super::flags::Flags;

/// Both of a pair were given.
fn pairs(flags: &Flags) -> Vec<(bool, &'static str, bool, &'static str, &'static str)> {
    let Flags {
        both,
        server,
        client,
        cluster,
    } = flags;
    let limit = "only one thing can end a test";
    let tcp = "it is an option of TCP";
    let stream = "it is an option of TCP and SCTP";
    let protocol = "choose one protocol";
    let (time, bytes, blocks) = (
        client.time.is_some(),
        client.bytes.is_some(),
        client.blockcount.is_some(),
    );
    let (udp, sctp, mptcp) = (client.udp, client.sctp, both.mptcp);
    let congestion = client.congestion.is_some();
    let kind = "choose one kind of output";
    vec![
        (
            both.version4,
            "-4",
            both.version6,
            "-6",
            "choose one address family",
        ),
        (time, "-t", bytes, "-n", limit),
        (time, "-t", blocks, "-k", limit),
        (bytes, "-n", blocks, "-k", limit),
        (
            client.reverse,
            "-R",
            client.bidir,
            "--bidir",
            "a bidirectional test has both directions already",
        ),
        (
            client.tos.is_some(),
            "-S",
            client.dscp.is_some(),
            "--dscp",
            "both set the TOS byte",
        ),
        (sctp, "--sctp", udp, "-u", protocol),
        (mptcp, "-m", udp, "-u", protocol),
        (mptcp, "-m", sctp, "--sctp", protocol),
        (congestion, "-C", udp, "-u", tcp),
        (congestion, "-C", sctp, "--sctp", tcp),
        (client.set_mss.is_some(), "-M", udp, "-u", stream),
        (client.no_delay, "-N", udp, "-u", stream),
        (client.zerocopy, "-Z", udp, "-u", tcp),
        (client.zerocopy, "-Z", sctp, "--sctp", tcp),
        (
            both.file.is_some(),
            "-F",
            udp,
            "-u",
            "a file must arrive whole, and datagrams may be lost",
        ),
        (
            both.file.is_some(),
            "-F",
            client.bidir,
            "--bidir",
            "one file cannot be read and written at once",
        ),
        (
            both.file.is_some() && !client.reverse,
            "-F",
            client.repeating_payload,
            "--repeating-payload",
            "the file is the payload",
        ),
        (
            both.file.is_some() && (client.reverse || client.bidir),
            "-F",
            client.skip_rx_copy,
            "--skip-rx-copy",
            "data that is thrown away cannot be written to the file",
        ),
        (
            client.flowlabel.is_some(),
            "-L",
            both.version4,
            "-4",
            "only IPv6 has flow labels",
        ),
        (
            client.dont_fragment,
            "--dont-fragment",
            both.version6,
            "-6",
            "it is an option of IPv4; IPv6 never fragments on the way",
        ),
        (
            client.fq_rate.is_some(),
            "--fq-rate",
            client.no_fq_socket_pacing,
            "--no-fq-socket-pacing",
            "one asks for what the other turns off",
        ),
        (
            cluster.measurement_stream,
            "--measurement-stream",
            both.json_stream || both.json_stream_full_output,
            "--json-stream",
            kind,
        ),
        (
            cluster.measurement_stream,
            "--measurement-stream",
            both.json,
            "-J",
            kind,
        ),
        (
            server.daemon,
            "-D",
            cluster.digest_file.is_some(),
            "--digest-file",
            "a pod's engine stays in the foreground",
        ),
    ]
}

/// The first of a pair was given, and what it needs was not.
fn needs(flags: &Flags) -> Vec<(bool, &'static str, bool, &'static str)> {
    let Flags {
        both,
        server,
        client,
        cluster,
    } = flags;
    let labelled = cluster.run_uid.is_some();
    let is_client = both.client.is_some();
    vec![
        (
            client.udp_counters_64bit,
            "--udp-counters-64bit",
            client.udp,
            "-u",
        ),
        (client.gsro, "--gsro", client.udp, "-u"),
        (client.dont_fragment, "--dont-fragment", client.udp, "-u"),
        (
            client.nstreams.is_some(),
            "--nstreams",
            client.sctp,
            "--sctp",
        ),
        (!client.xbind.is_empty(), "-X", client.sctp, "--sctp"),
        (
            is_client && both.rcv_timeout.is_some(),
            "--rcv-timeout",
            client.reverse || client.bidir,
            "-R or --bidir (a client that only sends receives nothing)",
        ),
        (
            client.username.is_some(),
            "--username",
            client.rsa_public_key_path.is_some(),
            "--rsa-public-key-path",
        ),
        (
            client.rsa_public_key_path.is_some(),
            "--rsa-public-key-path",
            client.username.is_some(),
            "--username",
        ),
        (
            server.rsa_private_key_path.is_some(),
            "--rsa-private-key-path",
            server.authorized_users_path.is_some(),
            "--authorized-users-path",
        ),
        (
            server.authorized_users_path.is_some(),
            "--authorized-users-path",
            server.rsa_private_key_path.is_some(),
            "--rsa-private-key-path",
        ),
        (
            server.time_skew_threshold.is_some(),
            "--time-skew-threshold",
            server.rsa_private_key_path.is_some(),
            "--rsa-private-key-path",
        ),
        (
            both.use_pkcs1_padding,
            "--use-pkcs1-padding",
            client.username.is_some() || server.rsa_private_key_path.is_some(),
            "a login (--username or --rsa-private-key-path)",
        ),
        (
            cluster.measurement_stream,
            "--measurement-stream",
            labelled,
            "--run-uid",
        ),
        (
            cluster.digest_file.is_some(),
            "--digest-file",
            labelled,
            "--run-uid",
        ),
        (
            cluster.max_spread_percent.is_some(),
            "--max-spread-percent",
            cluster.max_repeats.is_some(),
            "--max-repeats",
        ),
        (
            cluster.max_repeats.is_some(),
            "--max-repeats",
            cluster.max_spread_percent.is_some(),
            "--max-spread-percent",
        ),
    ]
}

pub fn check(flags: &Flags) -> Result<(), CliError> {
    if let Some((_, first, _, second, why)) =
        pairs(flags).into_iter().find(|(a, _, b, ..)| *a && *b)
    {
        return Err(CliError::Conflict(first, second, why));
    }
    match needs(flags).into_iter().find(|(a, _, b, _)| *a && !*b) {
        Some((_, flag, _, needs)) => Err(CliError::Needs { flag, needs }),
        None => Ok(()),
    }
}
