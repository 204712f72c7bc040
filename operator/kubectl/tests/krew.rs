//! The manifest by which krew installs the plugin: its fields as krew asks for them, and an archive that has what it says.

// Helpers of tests; clippy.toml allows it in the tests themselves.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn krew(url: &str, into: &Path) -> std::process::Output {
    Command::new("../../hack/krew")
        .arg(env!("CARGO_BIN_EXE_kubectl-nettest"))
        .arg(url)
        .arg(into)
        .output()
        .unwrap()
}

fn said(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_manifest_names_an_archive_that_has_the_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let made = krew("https://example.com/releases/", folder.path());
    assert!(made.status.success(), "{made:?}");
    let text = std::fs::read_to_string(folder.path().join("nettest.krew.yaml")).unwrap();
    let manifest: Value = serde_yaml::from_str(&text).unwrap();
    assert_eq!(
        manifest["apiVersion"],
        "krew.googlecontainertools.github.com/v1alpha2"
    );
    assert_eq!(
        (&manifest["kind"], &manifest["metadata"]["name"]),
        (&"Plugin".into(), &"nettest".into())
    );
    let spec = &manifest["spec"];
    assert_eq!(spec["version"], format!("v{}", env!("CARGO_PKG_VERSION")));
    // krew's index takes 50 characters at most.
    let short = spec["shortDescription"].as_str().unwrap();
    assert!(short.len() <= 50 && !short.ends_with('.'), "{short}");

    let platform = &spec["platforms"][0];
    let uri = platform["uri"].as_str().unwrap();
    let name = uri.strip_prefix("https://example.com/releases/").unwrap();
    let archive = folder.path().join(name);
    let sum = said("sha256sum", &[archive.to_str().unwrap()]);
    assert_eq!(sum.split(' ').next(), platform["sha256"].as_str());
    let files = said("tar", &["-tzf", archive.to_str().unwrap()]);
    let files: Vec<&str> = files.lines().collect();
    assert_eq!(files, ["LICENSE", "kubectl-nettest"]);
    let wanted: Vec<&str> = platform["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["from"].as_str().unwrap())
        .collect();
    assert!(wanted.iter().all(|file| files.contains(file)), "{wanted:?}");
    assert!(wanted.contains(&platform["bin"].as_str().unwrap()));

    // The same program again: the same archive.
    let before = platform["sha256"].clone();
    krew("https://example.com/releases", folder.path());
    let text = std::fs::read_to_string(folder.path().join("nettest.krew.yaml")).unwrap();
    let again: Value = serde_yaml::from_str(&text).unwrap();
    assert_eq!(again["spec"]["platforms"][0]["sha256"], before);
}

#[test]
fn an_address_that_krew_would_not_take_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let made = krew("http://example.com", folder.path());
    assert_eq!(made.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&made.stderr).contains("https only"));
}
