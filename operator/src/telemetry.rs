//! Logging: text for people, JSON for collectors.

use crate::cli::LogFormat;
use tracing_subscriber::EnvFilter;

/// Start logging to stderr. Called once, by the binary.
pub fn start(format: LogFormat, filter: &str) -> Result<(), TelemetryError> {
    let filter = EnvFilter::try_new(filter).map_err(|error| TelemetryError::Filter {
        filter: filter.to_owned(),
        error: error.to_string(),
    })?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false);
    match format {
        LogFormat::Text => builder.with_ansi(false).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    }
    .map_err(|error| TelemetryError::Started(error.to_string()))
}

#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    #[error("--log {filter:?} is not a filter: {error}")]
    Filter { filter: String, error: String },
    #[error("logging was started twice: {0}")]
    Started(String),
}
