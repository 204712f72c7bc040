//! A number as Kubernetes writes it: `100M`, `1.5Gi`, `1400`. Kept as text here; parsed once, in validate.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// A Kubernetes quantity. YAML users may write `1400` or `"1400"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Quantity(pub String);

impl Quantity {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Quantity {
    fn from(text: &str) -> Self {
        Quantity(text.to_owned())
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum IntOrText {
            Int(i64),
            Text(String),
        }
        Ok(Quantity(match IntOrText::deserialize(deserializer)? {
            IntOrText::Int(number) => number.to_string(),
            IntOrText::Text(text) => text,
        }))
    }
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "x-kubernetes-int-or-string": true,
            "pattern": "^[0-9]+(\\.[0-9]+)?(k|M|G|T|Ki|Mi|Gi|Ti)?$",
            "maxLength": 32,
            "x-kubernetes-validations": [
                {"rule": "type(self) != int || self >= 0", "message": "must not be negative"}
            ]
        })
    }
}
