//! JSON read strictly: one value and nothing after it, no key twice in an object (field reports 039, 040), no
//! NaN (034; serde_json knows none).

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// The one value in a text, or what is wrong with it.
pub fn value(text: &str) -> Result<Value, String> {
    serde_json::from_str::<Strict>(text)
        .map(|strict| strict.0)
        .map_err(|error| error.to_string())
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Visit).map(Strict)
    }
}

struct Visit;

impl<'de> Visitor<'de> for Visit {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value without a key twice")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number without end"))?;
        Ok(number.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(Strict(element)) = access.next_element()? {
            elements.push(element);
        }
        Ok(elements.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((key, Strict(member))) = access.next_entry::<String, Strict>()? {
            if members.contains_key(&key) {
                return Err(A::Error::custom(format!("the key {key:?} is there twice")));
            }
            members.insert(key, member);
        }
        Ok(members.into())
    }
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn one_value_is_read_as_it_is() {
        let text = r#"{"a":[1,-2,2.5,true,null,"x"],"b":{"a":18446744073709551615}}"#;
        assert_eq!(value(text).unwrap().to_string(), text);
    }

    #[test]
    fn twice_the_same_key_two_values_and_nan_are_refused() {
        for text in [
            r#"{"a":1,"a":2}"#,
            r#"[{"b":{"c":1,"c":1}}]"#,
            r#"{"a":1}{"a":1}"#,
            "{\"a\":1}\niperf3: error",
            r#"{"a":nan}"#,
            r#"{"a":NaN}"#,
            "",
        ] {
            assert!(value(text).is_err(), "{text}");
        }
    }
}
