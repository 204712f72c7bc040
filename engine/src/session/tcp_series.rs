//! The kernel's figures of one sending TCP stream over the time of a test.

use crate::sock::TcpInfo;
use nettest_report::report::TcpEnd;

/// tcp_info over the time of a sending stream.
#[derive(Debug, Default)]
pub struct TcpSeries {
    /// Retransmits before the counted part, and before the present row.
    pub base: Option<u32>,
    pub row: Option<u32>,
    pub last: Option<TcpInfo>,
    max_cwnd: u64,
    max_wnd: Option<u64>,
    min_rtt: Option<u32>,
    max_rtt: u32,
    rtt_sum: u64,
    pub samples: u64,
}

impl TcpSeries {
    pub fn add(&mut self, info: TcpInfo) {
        self.last = Some(info);
        self.max_cwnd = self.max_cwnd.max(cwnd_bytes(&info));
        self.max_wnd = self.max_wnd.max(info.snd_wnd.map(u64::from));
        self.min_rtt = Some(self.min_rtt.map_or(info.rtt_us, |min| min.min(info.rtt_us)));
        self.max_rtt = self.max_rtt.max(info.rtt_us);
        self.rtt_sum += u64::from(info.rtt_us);
        self.samples += 1;
    }

    /// The series starts anew; retransmits so far do not count.
    pub fn restart(&mut self) {
        let seen = self.last.map(|info| info.total_retrans);
        *self = TcpSeries {
            base: seen,
            row: seen,
            last: self.last,
            ..TcpSeries::default()
        };
    }

    pub fn retransmits(&self) -> Option<u64> {
        let now = self.last?.total_retrans;
        Some(u64::from(now.saturating_sub(self.base.unwrap_or(0))))
    }

    pub fn end(&self) -> TcpEnd {
        let seen = self.samples > 0;
        TcpEnd {
            retransmits: self.retransmits(),
            max_snd_cwnd: seen.then_some(self.max_cwnd),
            max_snd_wnd: self.max_wnd,
            max_rtt_us: seen.then_some(self.max_rtt),
            min_rtt_us: self.min_rtt,
            mean_rtt_us: self
                .rtt_sum
                .checked_div(self.samples)
                .and_then(|mean| u32::try_from(mean).ok()),
            reorder: self.last.and_then(|info| info.reord_seen),
        }
    }
}

pub fn cwnd_bytes(info: &TcpInfo) -> u64 {
    u64::from(info.snd_cwnd) * u64::from(info.snd_mss)
}
