//! Files to NetTests. Nothing runs unless every document of every file is one.

mod words;

use nettest_api::NetTest;
use nettest_core::names;
use serde::{Deserialize, de::IgnoredAny};
use std::io::Read;
use std::path::{Path, PathBuf};
use thiserror::Error;

const API_VERSION: &str = "nettest.dev/v1alpha1";
const KIND: &str = "NetTest";
/// The fields of metadata (ObjectMeta of meta/v1): its type takes others in silence.
const METADATA: [&str; 15] = [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

#[derive(Debug, Error)]
pub enum ManifestError {
    #[error("cannot read {file}: {error}")]
    Unreadable { file: String, error: std::io::Error },
    #[error("{file} is a directory: name its files, each with a -f of its own")]
    Directory { file: String },
    #[error("{place} is not valid: {}", words::of(error))]
    Invalid {
        place: Place,
        error: serde_yaml::Error,
    },
    #[error("{place} is a {found}, and only NetTests (apiVersion {API_VERSION}) can be run")]
    OtherKind { place: Place, found: String },
    #[error("{place} has no metadata.name: give the test a name")]
    NoName { place: Place },
    #[error(
        "{place} has the metadata.{field} {text:?}: write small letters, digits and '-'{more}, with a letter or digit at both ends"
    )]
    NoDnsName {
        place: Place,
        field: &'static str,
        text: String,
        more: &'static str,
    },
    #[error("{place} is not valid: metadata has no field {key}")]
    UnknownMetadata { place: Place, key: String },
    #[error("{place} has the name {name}, which another test before it has: give each its own")]
    SameName { place: Place, name: String },
    #[error("{0} has no NetTest in it")]
    Empty(String),
}

/// Where a test stands: the file, the document's number from the second on, and the item of a List.
#[derive(Debug, Clone)]
pub struct Place {
    file: String,
    number: usize,
    item: Option<usize>,
}

impl Place {
    fn item(&self, number: usize) -> Place {
        Place {
            item: Some(number),
            ..self.clone()
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        if self.number > 1 {
            write!(f, ", document {}", self.number)?;
        }
        if let Some(item) = self.item {
            write!(f, ", item {item}")?;
        }
        Ok(())
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
    if file.is_dir() {
        let file = file.display().to_string();
        return Err(ManifestError::Directory { file });
    }
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

impl Head {
    /// As kubectl prints several objects, and this program several tests.
    fn is_list(&self) -> bool {
        self.api_version == "v1" && self.kind == "List"
    }
}

/// A List of things.
#[derive(Deserialize)]
struct ListOf<T> {
    items: Vec<T>,
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
            item: None,
        };
        let invalid = |error| ManifestError::Invalid {
            place: place.clone(),
            error,
        };
        // `---` at the end or a comment between two lines of it is a document with nothing in it.
        let Some(head) = Option::<Head>::deserialize(head).map_err(invalid)? else {
            continue;
        };
        if head.is_list() {
            let value = serde_json::Value::deserialize(value).map_err(invalid)?;
            let values = value["items"].as_array().cloned().unwrap_or_default();
            for (index, value) in values.iter().enumerate() {
                let place = place.item(index + 1);
                let head = Head::deserialize(value).unwrap_or_default();
                of_our_kind(&head, &place)?;
            }
            ListOf::<Frame>::deserialize(frame).map_err(invalid)?;
            let list = ListOf::<NetTest>::deserialize(document).map_err(invalid)?;
            for (index, (test, document)) in list.items.into_iter().zip(values).enumerate() {
                tests.push(checked(place.item(index + 1), test, document)?);
            }
            continue;
        }
        of_our_kind(&head, &place)?;
        Frame::deserialize(frame).map_err(invalid)?;
        let test = NetTest::deserialize(document).map_err(invalid)?;
        let document = serde_json::Value::deserialize(value).map_err(invalid)?;
        tests.push(checked(place, test, document)?);
    }
    if tests.is_empty() {
        return Err(ManifestError::Empty(file.to_owned()));
    }
    Ok(tests)
}

fn of_our_kind(head: &Head, place: &Place) -> Result<(), ManifestError> {
    if head.api_version == API_VERSION && head.kind == KIND {
        return Ok(());
    }
    Err(ManifestError::OtherKind {
        place: place.clone(),
        found: named(head),
    })
}

/// What the API server would refuse in metadata, before anything is asked of it or measured.
fn checked(
    place: Place,
    test: NetTest,
    document: serde_json::Value,
) -> Result<(Place, Manifest), ManifestError> {
    let unknown = document["metadata"]
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::keys)
        .find(|key| !METADATA.contains(&key.as_str()));
    if let Some(key) = unknown {
        let key = key.clone();
        return Err(ManifestError::UnknownMetadata { place, key });
    }
    let metadata = &test.metadata;
    let Some(name) = metadata.name.as_deref().filter(|name| !name.is_empty()) else {
        return Err(ManifestError::NoName { place });
    };
    if !names::is_dns_subdomain(name) {
        return Err(ManifestError::NoDnsName {
            place,
            field: "name",
            text: name.to_owned(),
            more: " and '.' (at most 253)",
        });
    }
    if let Some(namespace) = &metadata.namespace
        && !names::is_dns_label(namespace)
    {
        return Err(ManifestError::NoDnsName {
            place,
            field: "namespace",
            text: namespace.clone(),
            more: " (at most 63)",
        });
    }
    Ok((place, Manifest { test, document }))
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
mod tests;
