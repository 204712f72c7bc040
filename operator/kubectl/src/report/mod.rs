//! Reports of a run: pure. [`html`] for people, [`markdown`] for tickets, [`junit`] for CI, [`csv`] for tables, [`json`] for
//! programs.

mod csv;
mod html;
mod json;
mod junit;
mod markdown;
mod rows;
mod svg;

use crate::subject::Subject;
use std::path::Path;
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Html,
    Markdown,
    Json,
    Junit,
    Csv,
}

#[derive(Debug, Error)]
pub enum ReportError {
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the report cannot be written as YAML: {0}")]
    Yaml(#[from] serde_yaml::Error),
    #[error("the report cannot be written as CSV: {0}")]
    Csv(#[from] ::csv::Error),
    #[error("the report cannot be written as JUnit XML: {0}")]
    Junit(#[from] quick_junit::SerializeError),
    #[error("the report cannot be written as HTML: {0}")]
    Html(#[from] askama::Error),
}

impl Format {
    /// By the end of a file's name: .html, .md, .json, .xml (JUnit), .csv.
    pub fn of_file(file: &Path) -> Option<Format> {
        match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "html" | "htm" => Some(Format::Html),
            "md" | "markdown" => Some(Format::Markdown),
            "json" => Some(Format::Json),
            "xml" => Some(Format::Junit),
            "csv" => Some(Format::Csv),
            _ => None,
        }
    }
}

pub fn render(subject: &Subject, format: Format) -> Result<String, ReportError> {
    match format {
        Format::Html => html::html(subject),
        Format::Markdown => Ok(markdown::markdown(subject)),
        Format::Json => json::json(subject),
        Format::Junit => junit::junit(subject),
        Format::Csv => csv::csv(subject),
    }
}

#[cfg(test)]
pub mod tests;
