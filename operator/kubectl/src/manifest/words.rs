//! A parser's complaint in the words of who writes YAML: its types have names in Rust that nobody else knows.

/// The complaint, with its line.
pub fn of(error: &serde_yaml::Error) -> String {
    plain(&error.to_string())
}

fn plain(text: &str) -> String {
    // Only what the parser itself wrote is changed: a user's own text stands before the last "expected".
    let Some((found, wanted)) = text.rsplit_once(", expected ") else {
        return text.to_owned();
    };
    let (wanted, place) = match wanted.find(" at line ") {
        Some(at) => wanted.split_at(at),
        None => (wanted, ""),
    };
    format!(
        "{}, expected {}{place}",
        plain_found(found),
        plain_wanted(wanted)
    )
}

fn plain_found(found: &str) -> String {
    let mut found = found.to_owned();
    for (kind, word) in [
        ("invalid type: unit value", "invalid type: nothing"),
        ("invalid type: map", "invalid type: a mapping"),
        ("invalid type: sequence", "invalid type: a list"),
        ("invalid type: floating point", "invalid type: the number"),
        ("invalid type: string", "invalid type: the text"),
        ("invalid value: string", "invalid value: the text"),
    ] {
        if let Some(at) = found.find(kind)
            // Not a user's text that reads the same.
            && !found[..at].contains(['"', '`'])
        {
            found.replace_range(at..at + kind.len(), word);
        }
    }
    for wide in ["` as u128", "` as i128"] {
        if let Some(number) = found.strip_suffix(wide) {
            found = format!("{number}`");
        }
    }
    found
}

fn plain_wanted(wanted: &str) -> &str {
    let one_word = !wanted.is_empty() && wanted.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let whole = [
        "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize",
    ];
    if whole.contains(&wanted) {
        "a whole number within the field's bounds"
    } else if wanted.starts_with("struct ") || one_word && wanted.starts_with(char::is_uppercase) {
        "a mapping of fields"
    } else if wanted.starts_with("enum ") {
        "one of the words that the field knows"
    } else if wanted == "a sequence" {
        "a list"
    } else if wanted == "a map" {
        "a mapping"
    } else {
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use nettest_api::NetTest;

    fn said(metadata: &str, spec: &str) -> String {
        let text = format!(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {metadata}\nspec: {spec}\n"
        );
        of(&serde_yaml::from_str::<NetTest>(&text).expect_err(&text))
    }

    #[test]
    fn no_rust_type_is_named() {
        for (spec, says) in [
            ("{repeats: 3}", "expected a mapping of fields"),
            (
                "{repeats: {count: 99999999999999999999}}",
                "`99999999999999999999`, expected a whole number",
            ),
            ("{repeats: {count: 5000000000}}", "expected a whole number"),
            (
                "{repeats: {count: many}}",
                "the text \"many\", expected a whole number",
            ),
            (
                "{repeats: {count: 1.5}}",
                "the number `1.5`, expected a whole number",
            ),
            ("{thresholds: {}}", "a mapping, expected a list"),
            ("{client: []}", "expected a mapping of fields"),
            ("{traffic: {protocol: [TCP]}}", "expected"),
            (
                "{traffic: {protocol: tcp}}",
                "expected one of `TCP`, `UDP`, `SCTP`",
            ),
            ("{traffic: {duration: [1s]}}", "a list, expected a string"),
        ] {
            let said = said("{name: a}", spec);
            assert!(said.contains(says), "{spec}: {said}");
            assert!(said.contains("line 4"), "{spec}: {said}");
            for rust in ["struct", "enum ", "i32", "u128", "unit value", "sequence"] {
                assert!(!said.contains(rust), "{spec}: {said}");
            }
        }
        let said = said("[]", "{}");
        assert!(!said.contains("ObjectMeta"), "{said}");
    }

    #[test]
    fn a_users_own_words_stay() {
        let said = said(
            "{name: a}",
            r#"{repeats: {count: "x, expected struct Foo"}}"#,
        );
        assert!(said.contains("\"x, expected struct Foo\""), "{said}");
    }
}
