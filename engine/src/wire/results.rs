//! The results that both ends exchange, with iperf3's keys.

use super::error::WireError;
use super::number;
use nettest_report::names;
use nettest_report::report::{Cpu, HostFacts, ServerOutput};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// One end's figures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    pub cpu: Cpu,
    /// `None`: this end does not send (-1 on the wire).
    pub sender_has_retransmits: Option<bool>,
    pub congestion_used: Option<String>,
    pub server_output: Option<ServerOutput>,
    /// In the order of the streams' making.
    pub streams: Vec<StreamResult>,
    /// Only from and to engines of ours; stock iperf3 ignores the key.
    pub host: Option<HostFacts>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamResult {
    pub id: i32,
    /// Of the counted part only.
    pub bytes: u64,
    pub retransmits: Option<u64>,
    pub jitter_seconds: f64,
    /// Lost datagrams, the omitted part included. May be below zero from peers that take duplicates for late
    /// arrivals.
    pub errors: i64,
    /// The omitted part of `errors` and `packets`; peers before 3.14 do not tell.
    pub omitted: Option<Omitted>,
    /// The omitted part included. A receiver's: the highest sequence number.
    pub packets: u64,
    pub start_seconds: Option<f64>,
    pub end_seconds: Option<f64>,
    /// Only from engines of ours.
    pub extra: Option<StreamExtra>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omitted {
    pub errors: i64,
    pub packets: u64,
}

/// What iperf3's results have no key for. A receiver's counts of the counted part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StreamExtra {
    pub out_of_order: u64,
    pub duplicates: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket_drops: Option<u64>,
}

/// The key beside iperf3's that carries the sender's [`HostFacts`].
const HOST_KEY: &str = "nettest";
/// The key in a stream that carries a [`StreamExtra`].
const EXTRA_KEY: &str = "nettest";

pub fn encode(results: &Results) -> Vec<u8> {
    let mut keys = Map::new();
    let mut put = |key: &str, value: Value| {
        keys.insert(key.to_owned(), value);
    };
    put("cpu_util_total", json!(results.cpu.total));
    put("cpu_util_user", json!(results.cpu.user));
    put("cpu_util_system", json!(results.cpu.system));
    put(
        "sender_has_retransmits",
        json!(results.sender_has_retransmits.map_or(-1, i32::from)),
    );
    if let Some(name) = &results.congestion_used {
        put("congestion_used", json!(name));
    }
    match &results.server_output {
        Some(ServerOutput::Text(text)) => put("server_output_text", json!(text)),
        Some(ServerOutput::Json(document)) => put("server_output_json", document.clone()),
        None => {}
    }
    put(
        "streams",
        Value::Array(results.streams.iter().map(encode_stream).collect()),
    );
    if let Some(host) = results
        .host
        .as_ref()
        .and_then(|host| serde_json::to_value(host).ok())
    {
        put(HOST_KEY, host);
    }
    Value::Object(keys).to_string().into_bytes()
}

fn encode_stream(stream: &StreamResult) -> Value {
    let omitted = stream.omitted.unwrap_or_default();
    let mut value = json!({
        "id": stream.id,
        "bytes": stream.bytes,
        "retransmits": stream.retransmits.and_then(|n| i64::try_from(n).ok()).unwrap_or(-1),
        "jitter": stream.jitter_seconds,
        "errors": stream.errors,
        "omitted_errors": omitted.errors,
        "packets": stream.packets,
        "omitted_packets": omitted.packets,
        "start_time": stream.start_seconds.unwrap_or(0.0),
        "end_time": stream.end_seconds.unwrap_or(0.0),
    });
    if let (Some(extra), Some(keys)) = (
        stream
            .extra
            .and_then(|extra| serde_json::to_value(extra).ok()),
        value.as_object_mut(),
    ) {
        keys.insert(EXTRA_KEY.to_owned(), extra);
    }
    value
}

fn bad(why: impl Into<String>) -> WireError {
    WireError::BadJson {
        what: "results",
        why: why.into(),
    }
}

/// Missing scalars are 0 or unknown, names that are none are unknown; a stream without its id or bytes is an error. At most 256 streams.
pub fn decode(json: &[u8]) -> Result<Results, WireError> {
    let value: Value = serde_json::from_slice(json).map_err(|e| bad(e.to_string()))?;
    let Value::Object(mut keys) = value else {
        return Err(bad("not an object"));
    };
    let percent = |key: &str| match keys.get(key) {
        None => Ok(0.0),
        Some(value) => number::real(value).ok_or_else(|| bad(format!("'{key}' is not a number"))),
    };
    let cpu = Cpu {
        total: percent("cpu_util_total")?,
        user: percent("cpu_util_user")?,
        system: percent("cpu_util_system")?,
    };
    let sender_has_retransmits = match keys.get("sender_has_retransmits") {
        None => None,
        Some(value) => match number::whole(value) {
            None => return Err(bad("'sender_has_retransmits' is not a whole number")),
            Some(n) => (n >= 0).then_some(n != 0),
        },
    };
    let congestion_used = match keys.get("congestion_used") {
        None => None,
        Some(Value::String(name)) => {
            Some(name.clone()).filter(|name| names::is_plain(name, names::CONGESTION))
        }
        Some(_) => return Err(bad("'congestion_used' is not a string")),
    };
    let streams = match keys.get("streams") {
        Some(Value::Array(streams)) if streams.len() <= 256 => streams
            .iter()
            .map(decode_stream)
            .collect::<Result<_, _>>()?,
        Some(Value::Array(_)) => return Err(bad("more than 256 streams")),
        Some(_) | None => return Err(bad("'streams' is not a list")),
    };
    let host = keys
        .remove(HOST_KEY)
        .and_then(|host| serde_json::from_value(host).ok());
    let server_output = match (
        keys.remove("server_output_json"),
        keys.remove("server_output_text"),
    ) {
        (Some(document), _) => Some(ServerOutput::Json(document)),
        (None, Some(Value::String(text))) => Some(ServerOutput::Text(text)),
        (None, Some(_)) => return Err(bad("'server_output_text' is not a string")),
        (None, None) => None,
    };
    Ok(Results {
        cpu,
        sender_has_retransmits,
        congestion_used,
        server_output,
        streams,
        host,
    })
}

fn decode_stream(value: &Value) -> Result<StreamResult, WireError> {
    let Value::Object(keys) = value else {
        return Err(bad("a stream is not an object"));
    };
    let whole = |key: &str| match keys.get(key) {
        None => Ok(None),
        Some(value) => match number::whole(value) {
            Some(n) => Ok(Some(n)),
            None => Err(bad(format!("a stream's '{key}' is not a whole number"))),
        },
    };
    let real = |key: &str| match keys.get(key) {
        None => Ok(None),
        Some(value) => match number::real(value) {
            Some(n) => Ok(Some(n)),
            None => Err(bad(format!("a stream's '{key}' is not a number"))),
        },
    };
    let natural = |n: i64, key: &str| {
        u64::try_from(n).map_err(|_| bad(format!("a stream's '{key}' is negative")))
    };
    let id = whole("id")?
        .and_then(|id| i32::try_from(id).ok())
        .ok_or_else(|| bad("a stream has no 'id'"))?;
    let bytes = natural(
        whole("bytes")?.ok_or_else(|| bad("a stream has no 'bytes'"))?,
        "bytes",
    )?;
    let omitted = match (whole("omitted_errors")?, whole("omitted_packets")?) {
        (Some(errors), Some(packets)) => Some(Omitted {
            errors,
            packets: natural(packets, "omitted_packets")?,
        }),
        (None, None) => None,
        _ => return Err(bad("a stream's omitted_* keys come together or not at all")),
    };
    Ok(StreamResult {
        id,
        bytes,
        retransmits: whole("retransmits")?.and_then(|n| u64::try_from(n).ok()),
        jitter_seconds: real("jitter")?.unwrap_or(0.0),
        errors: whole("errors")?.unwrap_or(0),
        omitted,
        packets: natural(whole("packets")?.unwrap_or(0), "packets")?,
        start_seconds: real("start_time")?,
        end_seconds: real("end_time")?,
        extra: keys
            .get(EXTRA_KEY)
            .and_then(|extra| serde_json::from_value(extra.clone()).ok()),
    })
}

#[cfg(test)]
#[path = "results_tests.rs"]
mod tests;
