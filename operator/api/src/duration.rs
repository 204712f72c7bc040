//! A span of time as Kubernetes (Go) writes it: `10s`, `1m30s`, `500ms`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A duration. Kept as text here; parsed once, in validate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Duration(pub String);

impl Duration {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Duration {
    fn from(text: &str) -> Self {
        Duration(text.to_owned())
    }
}

impl JsonSchema for Duration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$",
            "maxLength": 32
        })
    }
}
