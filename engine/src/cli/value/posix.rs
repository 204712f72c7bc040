//! strftime's conversions in the POSIX locale.

/// The conversions that depend on a locale, as the POSIX locale has them: iperf3 never sets another one. Its modifiers
/// `E` and `O` change nothing there.
pub fn format(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let conversion = match rest.next() {
            Some('E' | 'O') => rest.next(),
            other => other,
        };
        match conversion {
            Some('c') => out.push_str("%a %b %e %H:%M:%S %Y"),
            Some('x') => out.push_str("%m/%d/%y"),
            Some('X') => out.push_str("%H:%M:%S"),
            Some('r') => out.push_str("%I:%M:%S %p"),
            other => {
                out.push('%');
                out.extend(other);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::strftime;

    #[test]
    fn the_default_time_is_the_one_that_log_parsers_know() {
        let at: jiff::Timestamp = "2026-11-03T20:51:16Z".parse().unwrap();
        let at = at.to_zoned(jiff::tz::TimeZone::UTC);
        for (format, text) in [
            ("%c ", "Tue Nov  3 20:51:16 2026 "),
            ("%Ec|%x", "Tue Nov  3 20:51:16 2026|11/03/26"),
            ("%X %r", "20:51:16 08:51:16 PM"),
            ("%Od%% %H", "03% 20"),
        ] {
            let posix = super::format(format);
            assert_eq!(jiff::fmt::strtime::format(&posix, &at).unwrap(), text);
            assert_eq!(strftime(format).unwrap(), posix);
        }
    }
}
