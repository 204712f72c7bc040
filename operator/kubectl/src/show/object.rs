//! The NetTests with their status, for programs.

use crate::cli::{Form, Output};
use nettest_api::NetTest;
use serde::Serialize;
use std::path::{Path, PathBuf};
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Yaml,
    Json,
}

impl Format {
    /// `None`: for people.
    pub fn of_output(output: Output) -> Option<Format> {
        match output {
            Output::Table | Output::Wide => None,
            Output::Yaml => Some(Format::Yaml),
            Output::Json => Some(Format::Json),
        }
    }

    /// `None`: for people.
    pub fn of_form(form: Form) -> Option<Format> {
        match form {
            Form::Table => None,
            Form::Yaml => Some(Format::Yaml),
            Form::Json => Some(Format::Json),
        }
    }
}

#[derive(Debug, Error)]
pub enum ObjectError {
    #[error("the result cannot be written as YAML: {0}")]
    Yaml(#[from] serde_yaml::Error),
    #[error("the result cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("cannot write the report {file}: there is no directory {folder}: make it first")]
    NoFolder { file: String, folder: String },
    #[error("cannot write the report {0}: it is a directory; give the name of a file")]
    Folder(String),
    #[error("cannot write the report {file}: {error}")]
    Write { file: String, error: std::io::Error },
}

/// One test as itself; several as YAML documents, or in JSON as a List, as kubectl prints them.
pub fn render(tests: &[NetTest], format: Format) -> Result<String, ObjectError> {
    match (format, tests) {
        (Format::Yaml, tests) => {
            let documents = tests
                .iter()
                .map(serde_yaml::to_string)
                .collect::<Result<Vec<_>, _>>()?;
            Ok(documents.join("---\n"))
        }
        (Format::Json, [test]) => Ok(serde_json::to_string_pretty(test)? + "\n"),
        (Format::Json, items) => {
            let list = List {
                api_version: "v1",
                kind: "List",
                items,
            };
            Ok(serde_json::to_string_pretty(&list)? + "\n")
        }
    }
}

/// Anything else.
pub fn text(value: &impl Serialize, format: Format) -> Result<String, ObjectError> {
    match format {
        Format::Yaml => Ok(serde_yaml::to_string(value)?),
        Format::Json => Ok(serde_json::to_string_pretty(value)? + "\n"),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct List<'a> {
    api_version: &'a str,
    kind: &'a str,
    items: &'a [NetTest],
}

/// Whether a report can be written there: its folder exists and takes files.
pub fn check_report(file: &Path) -> Result<(), ObjectError> {
    let name = || file.display().to_string();
    if file.is_dir() {
        return Err(ObjectError::Folder(name()));
    }
    if in_place(file) {
        return Ok(());
    }
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(ObjectError::NoFolder {
            file: name(),
            folder: folder.display().to_string(),
        });
    }
    let beside = beside(file);
    std::fs::write(&beside, "")
        .and_then(|()| std::fs::remove_file(&beside))
        .map_err(|error| ObjectError::Write {
            file: name(),
            error,
        })
}

/// As what it is written without another form: a pipe or a device has no ending.
pub fn is_yaml(file: &Path) -> bool {
    let end = file.extension().map(|end| end.to_ascii_lowercase());
    end.is_none_or(|end| end == "yaml" || end == "yml") || in_place(file)
}

/// Writes the tests.
pub fn write_report(tests: &[NetTest], file: &Path) -> Result<(), ObjectError> {
    let json = file
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("json"));
    write(
        file,
        &render(tests, if json { Format::Json } else { Format::Yaml })?,
    )
}

/// Writes a text. The file appears whole or not at all.
pub fn write(file: &Path, text: &str) -> Result<(), ObjectError> {
    let write = || {
        if in_place(file) {
            return std::fs::write(file, text);
        }
        let name = beside(file);
        std::fs::write(&name, text)?;
        std::fs::rename(&name, file).inspect_err(|_| {
            let _ = std::fs::remove_file(&name);
        })
    };
    write().map_err(|error| ObjectError::Write {
        file: file.display().to_string(),
        error,
    })
}

/// A device or a pipe cannot be renamed onto.
fn in_place(file: &Path) -> bool {
    file.exists() && !file.is_file()
}

/// The name under which a report is written before it takes its own.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettest_api::NetTestSpec;

    fn test(name: &str) -> NetTest {
        NetTest::new(name, NetTestSpec::default())
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let tests = [test("a"), test("b")];
        let yaml = render(&tests, Format::Yaml).unwrap();
        let names: Vec<_> = serde_yaml::Deserializer::from_str(&yaml)
            .map(|document| serde::Deserialize::deserialize(document).unwrap())
            .map(|test: NetTest| test.metadata.name.unwrap())
            .collect();
        assert_eq!(names, ["a", "b"]);
        let one: NetTest =
            serde_json::from_str(&render(&tests[..1], Format::Json).unwrap()).unwrap();
        assert_eq!(one, tests[0]);
        let list: serde_json::Value =
            serde_json::from_str(&render(&tests, Format::Json).unwrap()).unwrap();
        assert_eq!(list["kind"], "List");
        assert_eq!(list["items"][1]["metadata"]["name"], "b");
    }

    #[test]
    fn a_report_goes_by_its_extension_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        check_report(&path("r.json")).unwrap();
        write_report(&[test("a")], &path("r.json")).unwrap();
        write_report(&[test("a")], &path("r.yaml")).unwrap();
        assert!(
            std::fs::read_to_string(path("r.json"))
                .unwrap()
                .starts_with('{')
        );
        assert!(
            std::fs::read_to_string(path("r.yaml"))
                .unwrap()
                .starts_with("apiVersion:")
        );
        let mut left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["r.json", "r.yaml"]);
    }

    #[test]
    fn a_place_that_takes_no_report_is_told_before() {
        let folder = tempfile::tempdir().unwrap();
        let missing = check_report(&folder.path().join("new/r.yaml")).unwrap_err();
        assert!(
            missing.to_string().contains("there is no directory")
                && missing.to_string().contains("/new"),
            "{missing}"
        );
        let itself = check_report(folder.path()).unwrap_err().to_string();
        assert!(itself.contains("is a directory"), "{itself}");
        let refused = check_report(Path::new("/proc/r.yaml")).unwrap_err();
        assert!(
            refused
                .to_string()
                .starts_with("cannot write the report /proc/r.yaml"),
            "{refused}"
        );
        check_report(Path::new("/dev/null")).unwrap();
        for (name, yaml) in [
            ("r", true),
            ("r.YML", true),
            ("/dev/null", true),
            ("r.pdf", false),
        ] {
            assert_eq!(is_yaml(Path::new(name)), yaml, "{name}");
        }
        assert!(!folder.path().join("new").exists());
    }

    #[test]
    fn a_report_that_cannot_be_written_is_named() {
        let error = write_report(&[], Path::new("/proc/none/r.yaml")).unwrap_err();
        assert!(error.to_string().contains("/proc/none/r.yaml"), "{error}");
    }
}
