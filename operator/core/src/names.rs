//! Names of what the operator makes: deterministic, short enough, and unlike each other.

use nettest_api::labels;
use sha2::{Digest, Sha256};

pub use nettest_api::labels::Role;

/// Label values and host names end here (RFC 1123, RFC 1035).
pub const MAX_LABEL: usize = 63;

/// `<test>-<generation>`; a long test name is cut and gets a hash.
pub fn run_name(test: &str, generation: i64) -> String {
    let suffix = format!("-{generation}");
    format!(
        "{}{suffix}",
        capped(test, MAX_LABEL.saturating_sub(suffix.len()))
    )
}

/// `<run>-a<attempt>-<role>-<hash of the run's UID>`, with `-p<pair>` before the attempt where a run has several
/// pairs: at most 63 characters and no dots, because a pod's name becomes its host name.
pub fn pod_name(run: &str, uid: &str, pair: Option<u32>, attempt: u32, role: Role) -> String {
    let pair = pair.map(|number| format!("-p{number}")).unwrap_or_default();
    let suffix = format!("{pair}-a{attempt}-{role}-{}", short_hash(uid));
    let run = run.replace('.', "-");
    format!(
        "{}{suffix}",
        capped(&run, MAX_LABEL.saturating_sub(suffix.len()))
    )
}

/// The Service in front of a pair's server, by the name of the server's pod: at most 63 characters, and it begins
/// with a letter (RFC 1035, as Services want it).
pub fn service_name(server_pod: &str) -> String {
    const PREFIX: &str = "s-";
    format!("{PREFIX}{}", capped(server_pod, MAX_LABEL - PREFIX.len()))
}

/// ConfigMap with some of a run's pairs.
pub fn ledger_name(run: &str, shard: u32) -> String {
    format!("{}-{shard}", ledger_prefix(run))
}

/// What the names of these begin with.
pub fn ledger_prefix(run: &str) -> String {
    const SUFFIX: &str = "-pairs";
    format!("{}{SUFFIX}", capped(run, 240 - SUFFIX.len()))
}

/// ConfigMap with a run's documents, or those of one of its pairs.
pub fn documents_name(run: &str, pair: Option<u32>) -> String {
    const SUFFIX: &str = "-documents";
    let number = pair.map(|number| format!("-{number}")).unwrap_or_default();
    format!("{}{SUFFIX}{number}", capped(run, 240 - SUFFIX.len()))
}

/// A text as a label value: itself, or cut with a hash; what a label cannot have, as the colons of an IPv6 address, is
/// replaced, with a hash too.
pub fn label_value(text: &str) -> String {
    if is_label_value(text) {
        return text.to_owned();
    }
    let hash = short_hash(text);
    let clean = text.replace(
        |letter: char| !letter.is_ascii() || !fits_name(letter as u8),
        "-",
    );
    let ends = ['-', '.', '_'];
    let clean = clean.trim_start_matches(ends);
    let head = &clean[..clean.len().min(MAX_LABEL - hash.len() - 1)];
    format!("{}-{hash}", head.trim_end_matches(ends))
        .trim_start_matches('-')
        .to_owned()
}

/// Selector of all engine pods, of every run.
pub fn engine_pods_selector() -> String {
    format!("{}={}", labels::MANAGED_BY, labels::MANAGED_BY_VALUE)
}

fn capped(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let hash = short_hash(text);
    let mut end = max.saturating_sub(hash.len() + 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text[..end].trim_end_matches(['-', '.', '_']);
    format!("{head}-{hash}")
}

/// Eight hex digits.
fn short_hash(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// RFC 1123 label.
pub fn is_dns_label(text: &str) -> bool {
    text.len() <= MAX_LABEL && is_dns_part(text)
}

/// RFC 1123 subdomain as Kubernetes has it, the shape of node names: only the whole has a limit, not its parts
/// (apimachinery pkg/util/validation, IsDNS1123Subdomain).
pub fn is_dns_subdomain(text: &str) -> bool {
    (1..=253).contains(&text.len()) && text.split('.').all(is_dns_part)
}

fn is_dns_part(text: &str) -> bool {
    let alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.iter().all(|byte| alphanumeric(byte) || *byte == b'-')
        && bytes.first().is_some_and(alphanumeric)
        && bytes.last().is_some_and(alphanumeric)
}

/// A label's value (may be empty).
pub fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_name_part(text)
}

/// A label's key: an optional DNS prefix, a slash, a name.
pub fn is_label_key(text: &str) -> bool {
    match text.split_once('/') {
        Some((prefix, name)) => is_dns_subdomain(prefix) && is_name_part(name),
        None => is_name_part(text),
    }
}

fn is_name_part(text: &str) -> bool {
    let bytes = text.as_bytes();
    (1..=MAX_LABEL).contains(&bytes.len())
        && bytes.iter().all(|byte| fits_name(*byte))
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
}

fn fits_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_stay_readable() {
        assert_eq!(run_name("pair-tcp", 3), "pair-tcp-3");
        assert_eq!(
            pod_name("pair-tcp-3", "uid-1", None, 1, Role::Server),
            format!("pair-tcp-3-a1-server-{}", short_hash("uid-1"))
        );
        assert_eq!(documents_name("pair-tcp-3", None), "pair-tcp-3-documents");
        assert_eq!(label_value("worker-1"), "worker-1");
    }

    #[test]
    fn long_names_differ_where_their_originals_do() {
        let (one, two) = ("a".repeat(253), format!("{}b", "a".repeat(252)));
        assert_ne!(run_name(&one, 1), run_name(&two, 1));
        assert_ne!(
            pod_name(&one, "u", Some(3), 1, Role::Client),
            pod_name(&two, "u", Some(3), 1, Role::Client)
        );
        assert!(documents_name(&one, Some(u32::MAX)).len() <= 253);
    }

    /// The server of a run may be an address outside of the cluster.
    #[test]
    fn an_address_is_a_label_too() {
        let of = |text| label_value(text);
        assert!(
            of("2001:db8::7").starts_with("2001-db8--7-"),
            "{}",
            of("2001:db8::7")
        );
        assert!(of("::1").starts_with("1-"), "{}", of("::1"));
        assert_ne!(of("2001:db8::7"), of("2001-db8--7"));
        assert_eq!(of("192.0.2.7"), "192.0.2.7");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_label(text in ".{0,80}") {
            let value = label_value(&text);
            proptest::prop_assert!(is_label_value(&value), "{text:?} is {value:?}");
        }

        #[test]
        fn pods_and_labels_always_fit(
            name in "[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?",
            generation in 1i64..,
            attempt in 1u32..,
        ) {
            proptest::prop_assume!(is_dns_subdomain(&name));
            let run = run_name(&name, generation);
            proptest::prop_assert!(run.len() <= MAX_LABEL && is_dns_subdomain(&run), "{}", run);
            for role in [Role::Client, Role::Server] {
                let pod = pod_name(&run, "0b1f", Some(attempt), attempt, role);
                proptest::prop_assert!(is_dns_label(&pod), "{}", pod);
                proptest::prop_assert!(is_dns_label(&service_name(&pod)));
            }
            proptest::prop_assert!(is_label_value(&label_value(&name)));
        }
    }

    #[test]
    fn grammar() {
        assert!(is_label_key("kubernetes.io/hostname"));
        assert!(is_label_key("rack"));
        assert!(!is_label_key("a/b/c"));
        assert!(!is_label_key("/x"));
        assert!(!is_label_value("-F /etc/passwd"));
        assert!(!is_dns_subdomain("Node\n1"));
        assert!(!is_dns_subdomain(""));
        assert!(!is_dns_subdomain("a..b"));
        // A node may have such a name; a pod, whose name becomes a host name, must not.
        assert!(is_dns_subdomain(&"n".repeat(64)) && !is_dns_label(&"n".repeat(64)));
    }
}
