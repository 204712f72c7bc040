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
        struct TextOrInteger;

        impl serde::de::Visitor<'_> for TextOrInteger {
            type Value = Quantity;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a quantity such as 100M or \"1.5Gi\", or a whole number")
            }

            fn visit_str<E>(self, text: &str) -> Result<Quantity, E> {
                Ok(Quantity::from(text))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Quantity, E> {
                Ok(Quantity(number.to_string()))
            }

            // The API server takes none either, and a float has lost digits that somebody wrote.
            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Quantity, E> {
                Err(E::custom(format_args!(
                    "{number} is written with a decimal point or an exponent: write a whole number, or a quantity such as 100M or \"1.5Gi\""
                )))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Quantity, E> {
                Ok(Quantity(number.to_string()))
            }
        }

        deserializer.deserialize_any(TextOrInteger)
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

#[cfg(test)]
mod tests {
    use super::Quantity;

    #[test]
    fn integers_and_texts_are_quantities_and_floats_say_what_is_wanted() {
        let read = |yaml: &str| serde_yaml::from_str::<Quantity>(yaml);
        assert_eq!(read("1400").expect("integer"), Quantity::from("1400"));
        assert_eq!(read("\"1.5Gi\"").expect("text"), Quantity::from("1.5Gi"));
        assert_eq!(read("100M").expect("text"), Quantity::from("100M"));
        for (float, says) in [("1.5", "1.5 is"), ("1e6", "1000000 is"), ("1.0", "1 is")] {
            let error = read(float).expect_err("a float").to_string();
            assert!(error.contains("a quantity such as 100M"), "{error}");
            assert!(error.contains(says), "{error}");
        }
    }
}
