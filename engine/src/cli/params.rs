//! What a client's flags ask of a test.

use super::flags::{Client, Flags};
use super::{CliError, value};
use nettest_report::params::{Direction, Limit, Protocol, TestParams};

pub fn params(flags: &Flags) -> Result<TestParams, CliError> {
    let client = &flags.client;
    let protocol = match (client.udp, client.sctp) {
        (true, _) => Protocol::Udp,
        (false, true) => Protocol::Sctp,
        (false, false) => Protocol::Tcp,
    };
    let direction = match (client.reverse, client.bidir) {
        (_, true) => Direction::Bidirectional,
        (true, false) => Direction::Reverse,
        (false, false) => Direction::Forward,
    };
    let (bitrate, burst) = match (client.bitrate.as_deref(), protocol) {
        (Some(text), _) => value::bitrate(text)?,
        (None, Protocol::Udp) => (Some(TestParams::UDP_BITRATE), 0),
        (None, Protocol::Tcp | Protocol::Sctp) => (None, 0),
    };
    let defaults = TestParams::default();
    Ok(TestParams {
        protocol,
        direction,
        limit: limit(client)?.unwrap_or(defaults.limit),
        omit: match client.omit.as_deref() {
            Some(text) => value::seconds("-O", text, 0.0..=600.0, "0 to 600 seconds")?,
            None => defaults.omit,
        },
        interval: match flags.both.interval.as_deref() {
            Some(text) => value::interval(text)?,
            None => defaults.interval,
        },
        streams: match client.parallel.as_deref() {
            Some(text) => value::count("-P", text, 1..=128, "1 to 128 streams")? as u16,
            None => defaults.streams,
        },
        bitrate,
        burst,
        block_size: block_size(client, protocol)?,
        window: match client.window.as_deref() {
            // As with iperf3, 0 is the kernel's own choice.
            Some(text) => Some(value::size("-w", text, 0..=512 << 20, "0 to 512M bytes")? as u32)
                .filter(|bytes| *bytes > 0),
            None => None,
        },
        // Linux takes 88 (TCP_MIN_MSS) to 32767 (MAX_TCP_WINDOW).
        mss: match client.set_mss.as_deref() {
            Some(text) => Some(value::count("-M", text, 88..=32767, "88 to 32767 bytes")? as u32),
            None => None,
        },
        no_delay: client.no_delay,
        congestion: match client.congestion.as_deref() {
            Some(text) => Some(value::name(
                "-C",
                text,
                15,
                |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'),
                "the name of a congestion control (1 to 15 letters, digits, dashes)",
            )?),
            None => None,
        },
        tos: match (client.tos.as_deref(), client.dscp.as_deref()) {
            (Some(text), _) => value::tos(text)?,
            (None, Some(text)) => value::dscp(text)?,
            (None, None) => 0,
        },
        udp_counters_64bit: client.udp_counters_64bit,
        zerocopy: client.zerocopy || (client.fast && protocol == Protocol::Tcp),
        skip_rx_copy: client.skip_rx_copy || fast_reads(flags),
        gsro: client.gsro || (client.fast && protocol == Protocol::Udp),
        fast: client.fast,
        fq_rate: match client.fq_rate.as_deref() {
            Some(text) => value::rate("--fq-rate", text)?,
            None => None,
        },
        flow_label: client
            .flowlabel
            .as_deref()
            .map(value::flow_label)
            .transpose()?,
        mptcp: flags.both.mptcp,
        dont_fragment: client.dont_fragment,
        repeating_payload: client.repeating_payload,
        get_server_output: client.get_server_output,
        server_affinity: None,
        title: text("-T", client.title.as_deref())?,
        extra_data: text("--extra-data", client.extra_data.as_deref())?,
    })
}

/// Whether `--fast` has receivers skip the data: not that of a file, which an end may write.
fn fast_reads(flags: &Flags) -> bool {
    flags.client.fast && !flags.client.sctp && flags.both.file.is_none()
}

/// What ends the test, if that was said.
pub fn limit(client: &Client) -> Result<Option<Limit>, CliError> {
    if let Some(text) = client.time.as_deref() {
        return value::seconds("-t", text, 0.0..=86_400.0, "0 to 86400 seconds")
            .map(|time| Some(Limit::Time(time)));
    }
    if let Some(text) = client.bytes.as_deref() {
        return value::size("-n", text, 1..=u64::MAX, "1 byte or more")
            .map(|bytes| Some(Limit::Bytes(bytes)));
    }
    match client.blockcount.as_deref() {
        Some(text) => value::size("-k", text, 1..=u64::MAX, "1 block or more")
            .map(|blocks| Some(Limit::Blocks(blocks))),
        None => Ok(None),
    }
}

fn block_size(client: &Client, protocol: Protocol) -> Result<Option<u32>, CliError> {
    let Some(text) = client.length.as_deref() else {
        return Ok(None);
    };
    // iperf3: MAX_BLOCKSIZE, and for UDP the header (16 bytes with 64-bit counters) and IPv4's largest payload.
    let size = match protocol {
        Protocol::Tcp | Protocol::Sctp => value::size("-l", text, 1..=1 << 20, "1 to 1M bytes"),
        Protocol::Udp => value::size("-l", text, 16..=65507, "16 to 65507 bytes with -u"),
    }?;
    Ok(Some(size as u32))
}

/// Free text goes to the server within the 8 KiB of the parameters.
fn text(flag: &'static str, given: Option<&str>) -> Result<Option<String>, CliError> {
    match given {
        Some(text) if text.len() > 1024 || text.chars().any(char::is_control) => {
            Err(CliError::NotA {
                flag,
                value: text.chars().take(40).collect(),
                wanted: "a text of at most 1024 bytes on one line",
            })
        }
        other => Ok(other.map(str::to_owned)),
    }
}
