//! The parameters that a client sends, with iperf3's keys.

use super::extras::Extras;
use super::offload::{GRO_BUFFER, offload};
use super::{code, ranges};
use nettest_report::params::{Direction, Limit, Protocol, TestParams};
use serde_json::{Map, Value, json};
use std::time::Duration;
use thiserror::Error;

/// Why a server does not run what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParamsError {
    #[error("the parameters are not a JSON object: {0}")]
    NotAnObject(String),
    #[error("parameter '{key}' has the wrong JSON type")]
    WrongType { key: &'static str },
    #[error("parameter '{key}' must be within {min}..={max}")]
    Range {
        key: &'static str,
        min: i64,
        max: i64,
        code: i32,
    },
    #[error("parameters '{a}' and '{b}' exclude each other")]
    Conflict { a: &'static str, b: &'static str },
    #[error("parameter '{key}' is not a name of a congestion control")]
    Congestion { key: &'static str },
}

impl ParamsError {
    /// The number that goes after SERVER_ERROR.
    pub fn code(&self) -> i32 {
        match self {
            ParamsError::NotAnObject(_) | ParamsError::WrongType { .. } => code::RECV_PARAMS,
            ParamsError::Range { code, .. } => *code,
            ParamsError::Conflict { .. } => code::END_CONDITIONS,
            ParamsError::Congestion { .. } => code::CONGESTION,
        }
    }
}

/// Seconds as iperf3 writes them (whole); a fraction only where there is one, for servers of ours.
fn seconds(time: Duration) -> Value {
    if time.subsec_nanos() == 0 {
        json!(time.as_secs())
    } else {
        json!(time.as_secs_f64())
    }
}

/// `block_size` is settled: a UDP default needs the MSS of the control connection.
pub fn encode(params: &TestParams, block_size: u32) -> Vec<u8> {
    encode_with(params, block_size, &Extras::default())
}

/// With what goes beside the parameters.
pub fn encode_with(params: &TestParams, block_size: u32, extras: &Extras) -> Vec<u8> {
    let TestParams {
        protocol,
        direction,
        limit,
        omit,
        interval: _, // each end has its own rows
        streams,
        bitrate,
        burst,
        block_size: _,
        window,
        mss,
        no_delay,
        congestion,
        tos,
        udp_counters_64bit,
        zerocopy,
        skip_rx_copy,
        gsro,
        fast,
        fq_rate,
        flow_label,
        mptcp,
        dont_fragment,
        repeating_payload,
        get_server_output,
        server_affinity,
        title,
        extra_data,
    } = params;
    let mut keys = Map::new();
    let mut put = |key: &str, value: Value| {
        keys.insert(key.to_owned(), value);
    };
    match protocol {
        Protocol::Tcp => put("tcp", json!(true)),
        Protocol::Udp => put("udp", json!(true)),
        Protocol::Sctp => put("sctp", json!(true)),
    }
    put("omit", seconds(*omit));
    if let Some(n) = server_affinity {
        put("server_affinity", json!(n));
    }
    match limit {
        Limit::Time(time) => put("time", seconds(*time)),
        Limit::Bytes(n) => {
            put("time", json!(0));
            put("num", json!(n));
        }
        Limit::Blocks(n) => {
            put("time", json!(0));
            put("blockcount", json!(n));
        }
    }
    if let Some(n) = mss {
        put("MSS", json!(n));
    }
    if *no_delay {
        put("nodelay", json!(true));
    }
    put("parallel", json!(streams));
    match direction {
        Direction::Forward => {}
        Direction::Reverse => put("reverse", json!(true)),
        Direction::Bidirectional => put("bidirectional", json!(true)),
    }
    if *mptcp {
        put("mptcp", json!(true));
    }
    if let Some(n) = window {
        put("window", json!(n));
    }
    put("len", json!(block_size));
    if let Some(n) = bitrate {
        put("bandwidth", json!(n));
    }
    if let Some(n) = fq_rate {
        put("fqrate", json!(n));
    }
    put("pacing_timer", json!(1000));
    if *burst > 0 {
        put("burst", json!(burst));
    }
    if *protocol == Protocol::Udp {
        let gso = offload(*gsro, block_size);
        put("gso", json!(i32::from(*gsro)));
        put("gso_dg_size", json!(gso.datagram));
        put("gso_bf_size", json!(gso.buffer));
        put("gro", json!(i32::from(*gsro)));
        put("gro_bf_size", json!(GRO_BUFFER));
    }
    if *tos > 0 {
        put("TOS", json!(tos));
    }
    if let Some(n) = flow_label {
        put("flowlabel", json!(n));
    }
    if let Some(text) = title {
        put("title", json!(text));
    }
    if let Some(text) = extra_data {
        put("extra_data", json!(text));
    }
    if let Some(name) = congestion {
        put("congestion", json!(name));
    }
    if *get_server_output {
        put("get_server_output", json!(1));
    }
    if *udp_counters_64bit {
        put("udp_counters_64bit", json!(1));
    }
    if *repeating_payload {
        put("repeating_payload", json!(1));
    }
    if *zerocopy {
        put("zerocopy", json!(1));
    }
    if *dont_fragment {
        put("dont_fragment", json!(1));
    }
    if *skip_rx_copy {
        // iperf3's receiver of datagrams throws the headers away too, and counts nonsense (esnet/iperf PR #2075).
        let key = match protocol {
            Protocol::Udp => SKIP_DATAGRAMS,
            Protocol::Tcp | Protocol::Sctp => "skip_rx_copy",
        };
        put(key, json!(1));
    }
    if *fast {
        put(FAST, json!(1));
    }
    put(CLIENT_VERSION, json!(OUR_VERSION));
    extras.encode(&mut keys);
    Value::Object(keys).to_string().into_bytes()
}

const CLIENT_VERSION: &str = "client_version";
const OUR_VERSION: &str = concat!("nettest ", env!("CARGO_PKG_VERSION"));

/// Are these parameters from a client of ours, whatever its version?
pub fn is_from_ours(json: &[u8]) -> bool {
    let value: Value = serde_json::from_slice(json).unwrap_or_default();
    let version = value.get(CLIENT_VERSION).and_then(Value::as_str);
    version.is_some_and(|version| version.starts_with("nettest "))
}

/// The fast paths are wishes (`--fast`), for servers of ours. Others are asked for each by its key.
const FAST: &str = "nettest_fast";
/// `--skip-rx-copy` of datagrams, for servers of ours.
const SKIP_DATAGRAMS: &str = "nettest_skip_rx_copy";

/// Unknown keys are no error: later clients have more of them.
pub fn decode(json: &[u8]) -> Result<TestParams, ParamsError> {
    decode_with(json).map(|(params, _)| params)
}

/// With what goes beside the parameters.
pub fn decode_with(json: &[u8]) -> Result<(TestParams, Extras), ParamsError> {
    let value: Value =
        serde_json::from_slice(json).map_err(|e| ParamsError::NotAnObject(e.to_string()))?;
    let Value::Object(keys) = value else {
        return Err(ParamsError::NotAnObject(
            "it is another kind of value".to_owned(),
        ));
    };
    Ok((test(&keys)?, Extras::decode(&keys)?))
}

fn test(keys: &Map<String, Value>) -> Result<TestParams, ParamsError> {
    let protocol = protocol(keys)?;
    let direction = match (
        ranges::flag(keys, "reverse")?,
        ranges::flag(keys, "bidirectional")?,
    ) {
        (false, false) => Direction::Forward,
        (true, false) => Direction::Reverse,
        (false, true) => Direction::Bidirectional,
        (true, true) => {
            return Err(ParamsError::Conflict {
                a: "reverse",
                b: "bidirectional",
            });
        }
    };
    let limit = limit(keys)?;
    let block = match protocol {
        Protocol::Tcp => ranges::TCP_LEN.whole(keys)?,
        Protocol::Udp => ranges::UDP_LEN.whole(keys)?,
        Protocol::Sctp => ranges::TCP_LEN.whole(keys)?,
    };
    // An absent rate is unlimited, and so is 0.
    let bitrate = ranges::BANDWIDTH.whole(keys)?.filter(|n| *n > 0);
    let asked = |n: Option<i64>| n.filter(|n| *n > 0).and_then(|n| u32::try_from(n).ok());
    Ok(TestParams {
        protocol,
        direction,
        limit,
        omit: ranges::OMIT.seconds(keys)?.unwrap_or_default(),
        interval: Duration::from_secs(1),
        streams: ranges::PARALLEL
            .whole(keys)?
            .and_then(|n| u16::try_from(n).ok())
            .unwrap_or(1),
        bitrate: bitrate.and_then(|n| u64::try_from(n).ok()),
        burst: asked(ranges::BURST.whole(keys)?).unwrap_or(0),
        block_size: asked(block),
        window: asked(ranges::WINDOW.whole(keys)?),
        mss: asked(ranges::MSS.whole(keys)?),
        no_delay: ranges::flag(keys, "nodelay")?,
        congestion: congestion(keys)?,
        tos: ranges::TOS
            .whole(keys)?
            .and_then(|n| u8::try_from(n).ok())
            .unwrap_or(0),
        udp_counters_64bit: ranges::flag(keys, "udp_counters_64bit")?,
        zerocopy: ranges::flag(keys, "zerocopy")?,
        skip_rx_copy: ranges::flag(keys, "skip_rx_copy")? || ranges::flag(keys, SKIP_DATAGRAMS)?,
        gsro: ranges::flag(keys, "gso")? || ranges::flag(keys, "gro")?,
        fast: ranges::flag(keys, FAST)?,
        fq_rate: ranges::FQ_RATE
            .whole(keys)?
            .and_then(|n| u64::try_from(n).ok())
            .filter(|n| *n > 0),
        flow_label: asked(ranges::FLOW_LABEL.whole(keys)?),
        mptcp: ranges::flag(keys, "mptcp")?,
        dont_fragment: ranges::flag(keys, "dont_fragment")?,
        repeating_payload: ranges::flag(keys, "repeating_payload")?,
        get_server_output: ranges::flag(keys, "get_server_output")?,
        server_affinity: ranges::AFFINITY
            .whole(keys)?
            .and_then(|n| u32::try_from(n).ok()),
        title: ranges::text(keys, "title")?,
        extra_data: ranges::text(keys, "extra_data")?,
    })
}

fn protocol(keys: &Map<String, Value>) -> Result<Protocol, ParamsError> {
    let (tcp, udp) = (ranges::flag(keys, "tcp")?, ranges::flag(keys, "udp")?);
    let sctp = ranges::flag(keys, "sctp")?;
    match (tcp, udp, sctp) {
        (true, true, _) => Err(ParamsError::Conflict { a: "tcp", b: "udp" }),
        (true, _, true) => Err(ParamsError::Conflict {
            a: "tcp",
            b: "sctp",
        }),
        (_, true, true) => Err(ParamsError::Conflict {
            a: "udp",
            b: "sctp",
        }),
        (false, true, false) => Ok(Protocol::Udp),
        (false, false, true) => Ok(Protocol::Sctp),
        // iperf3's default.
        (true | false, false, false) => Ok(Protocol::Tcp),
    }
}

fn limit(keys: &Map<String, Value>) -> Result<Limit, ParamsError> {
    let time = ranges::TIME.seconds(keys)?;
    let bytes = ranges::NUM
        .whole(keys)?
        .and_then(|n| u64::try_from(n).ok())
        .filter(|n| *n > 0);
    let blocks = ranges::BLOCKS
        .whole(keys)?
        .and_then(|n| u64::try_from(n).ok())
        .filter(|n| *n > 0);
    match (bytes, blocks) {
        (Some(_), Some(_)) => Err(ParamsError::Conflict {
            a: "num",
            b: "blockcount",
        }),
        (Some(n), None) => Ok(Limit::Bytes(n)),
        (None, Some(n)) => Ok(Limit::Blocks(n)),
        (None, None) => Ok(Limit::Time(time.unwrap_or(Duration::from_secs(10)))),
    }
}

/// Both keys are read and the second wins, as in iperf3. The kernel's names have at most 15 characters
/// (TCP_CA_NAME_MAX).
fn congestion(keys: &Map<String, Value>) -> Result<Option<String>, ParamsError> {
    let mut chosen = None;
    for key in ["congestion", "congestion_used"] {
        let Some(name) = ranges::text(keys, key)? else {
            continue;
        };
        let plain = name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        if name.is_empty() || name.len() > 15 || !plain {
            return Err(ParamsError::Congestion { key });
        }
        chosen = Some(name);
    }
    Ok(chosen)
}

#[cfg(test)]
#[path = "params_tests.rs"]
mod tests;
