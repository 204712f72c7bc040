use super::*;

const TEST: &str = "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {name: a}\nspec: {traffic: {duration: 2s}}\n";

fn error(text: &str) -> String {
    match parse("test.yaml", text) {
        Err(error) => error.to_string(),
        Ok(tests) => panic!("accepted: {tests:?}"),
    }
}

#[test]
fn several_documents_and_empty_ones() {
    let text = format!(
        "# first\n{TEST}---\n# nothing here\n---\n{}---\n",
        TEST.replace("name: a", "name: b")
    );
    let names: Vec<_> = parse("test.yaml", &text)
        .unwrap()
        .into_iter()
        .map(|(_, manifest)| manifest.test.metadata.name.unwrap_or_default())
        .collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn json_is_read_too() {
    let text = r#"{"apiVersion": "nettest.dev/v1alpha1", "kind": "NetTest", "metadata": {"name": "a"}, "spec": {}}"#;
    assert_eq!(parse("test.json", text).unwrap().len(), 1);
}

#[test]
fn other_kinds_are_named() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\ndata: {}\n";
    assert_eq!(
        error(pod),
        "test.yaml is a Pod of v1, and only NetTests (apiVersion nettest.dev/v1alpha1) can be run"
    );
    assert!(error(&format!("{TEST}---\n{pod}")).starts_with("test.yaml, document 2 is a Pod"));
    assert!(error("kind: NetTest").contains("NetTest without an apiVersion"));
    assert!(error("a: 1").contains("without apiVersion and kind"));
    assert!(error(&TEST.replace("v1alpha1", "v2")).contains("NetTest of nettest.dev/v2"));
}

#[test]
fn typing_errors_are_named_with_their_line() {
    let text = error(&TEST.replace("duration", "dration"));
    assert!(
        text.contains("dration") && text.contains("line 4"),
        "{text}"
    );
    let text = error(&TEST.replace("spec:", "spce:"));
    assert!(text.contains("spce"), "{text}");
    let text = error(&TEST.replace("2s}}", "2s, parallelStreams: many}}"));
    assert!(text.contains("parallelStreams"), "{text}");
}

#[test]
fn a_list_as_kubectl_prints_it_is_its_tests() {
    let item = |name: &str, spec: &str| {
        format!(
            r#"{{"apiVersion": "nettest.dev/v1alpha1", "kind": "NetTest", "metadata": {{"name": "{name}"}}, "spec": {spec}}}"#
        )
    };
    let list = |items: &[String]| {
        format!(
            r#"{{"apiVersion": "v1", "kind": "List", "metadata": {{"resourceVersion": ""}}, "items": [{}]}}"#,
            items.join(", ")
        )
    };
    let tests = parse("l.json", &list(&[item("a", "{}"), item("b", "{}")])).unwrap();
    let names: Vec<_> = tests
        .iter()
        .map(|(_, manifest)| manifest.document["metadata"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a", "b"]);
    let text = error(&list(&[
        item("a", "{}"),
        r#"{"apiVersion": "v1", "kind": "Pod"}"#.to_owned(),
    ]));
    assert!(
        text.starts_with("test.yaml, item 2 is a Pod of v1"),
        "{text}"
    );
    let text = error(&list(&[item("a", r#"{"repeats": {"cuont": 1}}"#)]));
    assert!(text.contains("cuont") && text.contains("line 1"), "{text}");
    assert!(error(&list(&[])).contains("no NetTest in it"));
}

#[test]
fn names_are_checked_as_kubernetes_does() {
    for name in ["Bad_Name", "-a", "a..b", "a/b", "a b"] {
        let text = error(&TEST.replace("name: a", &format!("name: {name:?}")));
        assert!(
            text.contains("metadata.name") && text.contains(name),
            "{text}"
        );
    }
    let long = "a".repeat(254);
    assert!(error(&TEST.replace("name: a", &format!("name: {long}"))).contains("253"));
    let fine = TEST.replace("name: a", "name: a.b-1");
    assert_eq!(parse("test.yaml", &fine).unwrap().len(), 1);
    let text = error(&TEST.replace("name: a", "name: a, namespace: my.lab"));
    assert!(text.contains("metadata.namespace \"my.lab\""), "{text}");
}

#[test]
fn unknown_metadata_is_named() {
    let text = error(&TEST.replace("name: a", "name: a, lables: {x: y}"));
    assert_eq!(text, "test.yaml is not valid: metadata has no field lables");
}

#[test]
fn a_directory_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let error = load(&[folder.path().to_owned()]).unwrap_err().to_string();
    assert!(
        error.contains("is a directory") && error.contains("-f"),
        "{error}"
    );
}

#[test]
fn no_text_no_name_and_no_test_are_errors() {
    assert_eq!(error(""), "test.yaml has no NetTest in it");
    assert!(error(&TEST.replace("{name: a}", "{}")).contains("metadata.name"));
    assert!(error("]").starts_with("test.yaml is not valid"));
    assert!(error("text").starts_with("test.yaml is not valid"));
}

#[test]
fn two_tests_of_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.yaml");
    std::fs::write(&file, TEST).unwrap();
    let error = load(&[file.clone(), file]).unwrap_err().to_string();
    assert!(error.contains("the name a"), "{error}");
    let missing = load(&[folder.path().join("none.yaml")])
        .unwrap_err()
        .to_string();
    assert!(
        missing.starts_with("cannot read") && missing.contains("none.yaml"),
        "{missing}"
    );
}
