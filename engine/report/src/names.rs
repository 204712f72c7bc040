//! Names that another machine gave: they reach terminals, logs and the API, so that what is no plain name is dropped.

use serde::{Deserialize, Deserializer};

/// Bytes of a host's or node's name at the most: a DNS name's.
pub const HOST: usize = 253;
/// Bytes of a kernel's release at the most: Linux's `__NEW_UTS_LEN`.
pub const KERNEL: usize = 64;
/// Bytes of a CPU list at the most.
pub const CPUS: usize = 1024;
/// Bytes of a queueing discipline at the most: names have 15 (IFNAMSIZ, include/net/sch_generic.h), a device with
/// several queues a few of them.
pub const QDISC: usize = 64;
/// Bytes of a congestion control at the most (TCP_CA_NAME_MAX, include/net/tcp.h).
pub const CONGESTION: usize = 16;

/// No control characters, no spaces, nothing beside ASCII, at most `most` bytes.
pub fn is_plain(name: &str, most: usize) -> bool {
    name.len() <= most && name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// For serde's `deserialize_with`: empty when it is no plain name.
pub(crate) fn plain<'de, const MOST: usize, D: Deserializer<'de>>(
    from: D,
) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    Ok(Some(name)
        .filter(|name| is_plain(name, MOST))
        .unwrap_or_default())
}

/// The same of what may be unknown.
pub(crate) fn plain_or_unknown<'de, const MOST: usize, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<String>, D::Error> {
    let name = Option::<String>::deserialize(from)?;
    Ok(name.filter(|name| is_plain(name, MOST)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::HostFacts;
    use serde_json::{from_value, json};

    #[test]
    fn a_name_is_short_graphic_ascii() {
        assert!(is_plain("mq/fq_codel+fq", QDISC) && is_plain("", QDISC));
        assert!(is_plain(&"q".repeat(64), QDISC) && !is_plain(&"q".repeat(65), QDISC));
        for other in [
            "\u{1b}]0;title\u{7}",
            "two words",
            "zeile\n",
            "kürzer",
            "\u{202e}fq",
        ] {
            assert!(!is_plain(other, QDISC), "{other:?}");
        }
    }

    #[test]
    fn facts_of_another_machine_keep_plain_names_only() {
        let facts = |name: &str| -> HostFacts {
            from_value(json!({
                "hostname": name, "kernel": name, "node": name, "allowedCpus": name, "allowedCpuCount": 3,
                "qdisc": name, "sockets": {"congestion": name, "mss": 1448},
            }))
            .unwrap()
        };
        for bad in ["\u{1b}]0;title\u{7}".to_owned(), "x".repeat(2_000)] {
            let mut unknown = HostFacts {
                allowed_cpu_count: 3,
                ..HostFacts::default()
            };
            unknown.sockets.mss = Some(1448);
            assert_eq!(facts(&bad), unknown, "{bad:?}");
        }
        let good = facts("fq");
        assert_eq!((&*good.hostname, &*good.kernel), ("fq", "fq"));
        assert_eq!(
            (&*good.allowed_cpus, good.node.as_deref()),
            ("fq", Some("fq"))
        );
        let names = (good.qdisc.as_deref(), good.sockets.congestion.as_deref());
        assert_eq!(names, (Some("fq"), Some("fq")));
        assert_eq!(facts(&"c".repeat(17)).sockets.congestion, None);
        // As before: what is missing or null is unknown, another type is an error.
        assert_eq!(
            from_value::<HostFacts>(json!({"qdisc": null})).unwrap(),
            HostFacts::default()
        );
        assert!(from_value::<HostFacts>(json!({"qdisc": 1})).is_err());
    }
}
