//! Files to NetTests. Nothing runs unless every document of every file is one.

use nettest_api::NetTest;
use serde::{Deserialize, de::IgnoredAny};
use std::io::Read;
use std::path::{Path, PathBuf};
use thiserror::Error;

const API_VERSION: &str = "nettest.dev/v1alpha1";
const KIND: &str = "NetTest";

#[derive(Debug, Error)]
pub enum ManifestError {
    #[error("cannot read {file}: {error}")]
    Unreadable { file: String, error: std::io::Error },
    #[error("{place} is not valid: {error}")]
    Invalid {
        place: Place,
        error: serde_yaml::Error,
    },
    #[error("{place} is a {found}, and only NetTests (apiVersion {API_VERSION}) can be run")]
    OtherKind { place: Place, found: String },
    #[error("{place} has no metadata.name: give the test a name")]
    NoName { place: Place },
    #[error("{place} has the name {name}, which another test before it has: give each its own")]
    SameName { place: Place, name: String },
    #[error("{0} has no NetTest in it")]
    Empty(String),
}

/// Where a document stands: the file, and the number from the second on.
#[derive(Debug, Clone)]
pub struct Place {
    file: String,
    number: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.number > 1 {
            write!(f, "{}, document {}", self.file, self.number)
        } else {
            f.write_str(&self.file)
        }
    }
}

/// One document that is a NetTest.
#[derive(Debug, Clone)]
pub struct Manifest {
    pub test: NetTest,
    /// As written, without defaults: what is applied to a cluster is what the file says and no more.
    pub document: serde_json::Value,
}

/// The NetTests of all files, in order.
pub fn load(files: &[PathBuf]) -> Result<Vec<Manifest>, ManifestError> {
    let mut manifests: Vec<Manifest> = Vec::new();
    for file in files {
        let (name, text) = read(file)?;
        for (place, manifest) in parse(&name, &text)? {
            let key = |manifest: &Manifest| {
                let metadata = &manifest.test.metadata;
                (metadata.namespace.clone(), metadata.name.clone())
            };
            if manifests.iter().any(|before| key(before) == key(&manifest)) {
                let name = manifest.test.metadata.name.unwrap_or_default();
                return Err(ManifestError::SameName { place, name });
            }
            manifests.push(manifest);
        }
    }
    Ok(manifests)
}

fn read(file: &Path) -> Result<(String, String), ManifestError> {
    let (name, text) = if file == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        ("standard input".to_owned(), read.map(|_| text))
    } else {
        (file.display().to_string(), std::fs::read_to_string(file))
    };
    match text {
        Ok(text) => Ok((name, text)),
        Err(error) => Err(ManifestError::Unreadable { file: name, error }),
    }
}

/// What every Kubernetes object has. Other fields are typing errors (the API server says so too).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Frame {
    #[serde(rename = "apiVersion")]
    _api_version: IgnoredAny,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    #[serde(default, rename = "metadata")]
    _metadata: IgnoredAny,
    #[serde(default, rename = "spec")]
    _spec: IgnoredAny,
    #[serde(default, rename = "status")]
    _status: IgnoredAny,
}

/// As [`Frame`], for objects of other kinds, which have other fields.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Head {
    api_version: String,
    kind: String,
}

fn parse(file: &str, text: &str) -> Result<Vec<(Place, Manifest)>, ManifestError> {
    // Each document is read as text and not by way of a value, so that errors name the line. One at a time,
    // up to the first error: after a syntax error these iterators go on for ever.
    let documents = serde_yaml::Deserializer::from_str(text);
    let heads = serde_yaml::Deserializer::from_str(text);
    let frames = serde_yaml::Deserializer::from_str(text);
    let values = serde_yaml::Deserializer::from_str(text);
    let mut tests = Vec::new();
    for (index, (((document, head), frame), value)) in
        documents.zip(heads).zip(frames).zip(values).enumerate()
    {
        let place = Place {
            file: file.to_owned(),
            number: index + 1,
        };
        let invalid = |error| ManifestError::Invalid {
            place: place.clone(),
            error,
        };
        // `---` at the end or a comment between two lines of it is a document with nothing in it.
        let Some(head) = Option::<Head>::deserialize(head).map_err(invalid)? else {
            continue;
        };
        if head.api_version != API_VERSION || head.kind != KIND {
            return Err(ManifestError::OtherKind {
                place,
                found: named(&head),
            });
        }
        Frame::deserialize(frame).map_err(invalid)?;
        let test = NetTest::deserialize(document).map_err(invalid)?;
        if test.metadata.name.as_deref().is_none_or(str::is_empty) {
            return Err(ManifestError::NoName { place });
        }
        let document = serde_json::Value::deserialize(value).map_err(invalid)?;
        tests.push((place, Manifest { test, document }));
    }
    if tests.is_empty() {
        return Err(ManifestError::Empty(file.to_owned()));
    }
    Ok(tests)
}

fn named(head: &Head) -> String {
    match (head.api_version.as_str(), head.kind.as_str()) {
        ("", "") => "document without apiVersion and kind".to_owned(),
        ("", kind) => format!("{kind} without an apiVersion"),
        (version, "") => format!("{version} object without a kind"),
        (version, kind) => format!("{kind} of {version}"),
    }
}

#[cfg(test)]
mod tests {
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
}
