//! `nettest-operator crd`: the kinds as YAML, for crds/ and the chart.

use std::io::Write;

/// Both definitions as YAML documents.
pub fn yaml() -> Result<String, CrdError> {
    let mut out = String::new();
    for definition in nettest_api::crdgen::nettest_crds() {
        out.push_str("---\n");
        out.push_str(&serde_yaml::to_string(&definition).map_err(CrdError::Yaml)?);
    }
    Ok(out)
}

/// Print them to stdout.
pub fn print() -> Result<(), CrdError> {
    let yaml = yaml()?;
    std::io::stdout()
        .lock()
        .write_all(yaml.as_bytes())
        .map_err(CrdError::Write)
}

#[derive(Debug, thiserror::Error)]
pub enum CrdError {
    #[error("the kinds cannot be written as YAML: {0}")]
    Yaml(#[source] serde_yaml::Error),
    #[error("cannot write to standard output: {0}")]
    Write(#[source] std::io::Error),
}
