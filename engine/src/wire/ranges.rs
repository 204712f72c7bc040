//! What a server takes in parameters: type and range of each number (facts: iperf3's src/iperf.h, CVE-2024-53580,
//! CVE-2026-71217, CVE-2026-102253).

use super::params::ParamsError;
use super::{code, number};
use serde_json::{Map, Value};

/// One key, its range and the error that names it.
#[derive(Debug)]
pub(super) struct Range {
    pub key: &'static str,
    pub min: i64,
    pub max: i64,
    pub code: i32,
}

const fn range(key: &'static str, min: i64, max: i64, code: i32) -> Range {
    Range {
        key,
        min,
        max,
        code,
    }
}

pub(super) const TIME: Range = range("time", 0, 86_400, code::DURATION);
pub(super) const OMIT: Range = range("omit", 0, 600, code::OMIT);
pub(super) const NUM: Range = range("num", 0, i64::MAX, code::RECV_PARAMS);
pub(super) const BLOCKS: Range = range("blockcount", 0, i64::MAX, code::RECV_PARAMS);
pub(super) const MSS: Range = range("MSS", 0, 32_767, code::MSS);
pub(super) const PARALLEL: Range = range("parallel", 1, 128, code::STREAMS);
pub(super) const WINDOW: Range = range("window", 0, 512 * 1024 * 1024, code::WINDOW);
pub(super) const TCP_LEN: Range = range("len", 1, 1024 * 1024, code::BLOCK_SIZE);
pub(super) const UDP_LEN: Range = range("len", 16, 65_507, code::UDP_BLOCK_SIZE);
/// 10 Tbit/s a stream is above any link there is.
pub(super) const BANDWIDTH: Range = range("bandwidth", 0, 10_000_000_000_000, code::TOTAL_RATE);
pub(super) const FQ_RATE: Range = range("fqrate", 0, 10_000_000_000_000, code::RECV_PARAMS);
pub(super) const FLOW_LABEL: Range = range("flowlabel", 0, 0xfffff, code::RECV_PARAMS);
pub(super) const BURST: Range = range("burst", 0, 1000, code::BURST);
pub(super) const TOS: Range = range("TOS", 0, 255, code::TOS);
pub(super) const AFFINITY: Range = range("server_affinity", 0, 1024, code::RECV_PARAMS);

type Keys = Map<String, Value>;

impl Range {
    /// `None` when the key is absent.
    pub fn whole(&self, keys: &Keys) -> Result<Option<i64>, ParamsError> {
        let Some(value) = keys.get(self.key) else {
            return Ok(None);
        };
        let Some(n) = number::whole(value) else {
            return Err(if value.is_number() {
                self.outside()
            } else {
                wrong_type(self.key)
            });
        };
        if (self.min..=self.max).contains(&n) {
            Ok(Some(n))
        } else {
            Err(self.outside())
        }
    }

    /// Seconds, with a fraction from our own client.
    pub fn seconds(&self, keys: &Keys) -> Result<Option<std::time::Duration>, ParamsError> {
        let Some(value) = keys.get(self.key) else {
            return Ok(None);
        };
        let seconds = number::real(value).ok_or_else(|| wrong_type(self.key))?;
        if seconds < self.min as f64 || seconds > self.max as f64 {
            return Err(self.outside());
        }
        Ok(Some(std::time::Duration::from_secs_f64(seconds)))
    }

    fn outside(&self) -> ParamsError {
        ParamsError::Range {
            key: self.key,
            min: self.min,
            max: self.max,
            code: self.code,
        }
    }
}

pub(super) fn wrong_type(key: &'static str) -> ParamsError {
    ParamsError::WrongType { key }
}

pub(super) fn flag(keys: &Keys, key: &'static str) -> Result<bool, ParamsError> {
    match keys.get(key) {
        None => Ok(false),
        Some(value) => number::flag(value).ok_or_else(|| wrong_type(key)),
    }
}

pub(super) fn text(keys: &Keys, key: &'static str) -> Result<Option<String>, ParamsError> {
    match keys.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong_type(key)),
    }
}
