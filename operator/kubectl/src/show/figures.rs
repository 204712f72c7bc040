//! Figures for people, in cells of tables.

use nettest_api::result::Flow;
use nettest_core::units;

pub fn flow(flow: Flow) -> &'static str {
    match flow {
        Flow::ClientToServer => "client to server",
        Flow::ServerToClient => "server to client",
    }
}

pub fn rate(bits_per_second: i64) -> Option<String> {
    u64::try_from(bits_per_second)
        .ok()
        .map(units::bits_per_second)
}

pub fn micros(micros: i64) -> String {
    if micros < 1_000 {
        format!("{micros} µs")
    } else {
        format!("{:.2} ms", micros as f64 / 1e3)
    }
}

pub fn percent(ppm: i64) -> String {
    format!("{:.2} %", ppm as f64 / 1e4)
}

/// Jain's index: 1.000 is even.
pub fn index(ppm: i64) -> String {
    format!("{:.3}", ppm as f64 / 1e6)
}

pub fn cpu(milli: i64) -> String {
    format!("{} %", (milli + 5) / 10)
}

/// `1 pair`, `3 pairs`.
pub fn counted(count: impl Into<i64>, what: &str) -> String {
    match count.into() {
        1 => format!("1 {what}"),
        many => format!("{many} {what}s"),
    }
}

/// Powers of 1024, as windows and messages are given.
pub fn bytes(value: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    for (unit, size) in UNITS {
        if value >= size {
            return match value % size {
                0 => format!("{} {unit}", value / size),
                _ => format!("{:.1} {unit}", value as f64 / size as f64),
            };
        }
    }
    format!("{value} B")
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_are_in_powers_of_1024() {
        assert_eq!(bytes(8192), "8 KiB");
        assert_eq!(bytes(1_500_000), "1.4 MiB");
        assert_eq!(bytes(64), "64 B");
    }
}
