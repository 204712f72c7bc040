//! Figures for people.

/// Three significant digits in decimal units: `9.41 Gbit/s`, `191 Mbit/s`, `0 bit/s`.
pub fn bits_per_second(rate: u64) -> String {
    const UNITS: [&str; 5] = ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"];
    let mut unit = 0;
    let mut divisor: u64 = 1;
    // 999.5 would print as 1000: move on to the next unit before rounding does.
    while unit + 1 < UNITS.len() && u128::from(rate) * 2 >= u128::from(divisor) * 1_999 {
        divisor *= 1_000;
        unit += 1;
    }
    let value = rate as f64 / divisor as f64;
    let decimals = match value {
        _ if unit == 0 => 0,
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::bits_per_second;

    #[test]
    fn three_digits() {
        for (rate, text) in [
            (0, "0 bit/s"),
            (999, "999 bit/s"),
            (1_000, "1.00 kbit/s"),
            (9_412_000_000, "9.41 Gbit/s"),
            (191_000_000, "191 Mbit/s"),
            (99_960_000, "100 Mbit/s"),
            (9_996_000, "10.0 Mbit/s"),
            (999_600_000, "1.00 Gbit/s"),
            (25_000_000_000, "25.0 Gbit/s"),
            (5_000_000_000_000_000, "5000 Tbit/s"),
        ] {
            assert_eq!(bits_per_second(rate), text, "{rate}");
        }
    }
}
