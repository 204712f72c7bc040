use super::Reason;

mod shown;

#[test]
fn every_reason_is_read_back_and_explained_to_users() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reasons.md");
    let page = std::fs::read_to_string(page).expect("docs/reasons.md");
    for &reason in Reason::ALL {
        assert_eq!(Reason::parse(reason.as_str()), Some(reason));
        let (section, row) = (format!("### {reason}"), format!("| {reason} |"));
        assert!(
            page.lines()
                .any(|line| line == section || line.starts_with(&row)),
            "docs/reasons.md does not explain {reason}"
        );
    }
    assert_eq!(Reason::parse("passed"), None);
}

#[test]
fn no_reason_is_explained_that_does_not_exist() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reasons.md");
    let page = std::fs::read_to_string(page).expect("docs/reasons.md");
    let explained: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect();
    assert!(explained.len() > 10, "{explained:?}");
    for name in explained {
        assert!(Reason::parse(name).is_some(), "there is no reason {name}");
    }
}
