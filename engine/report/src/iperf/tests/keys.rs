//! The keys of a JSON text as they stand there: a map would lose their order, and all but the last of two.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;

/// The paths of all keys in the order of their first appearance, with `[]` for the elements of an array.
pub fn paths(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let elements = |path: String| {
        let mut parts = path.split(['[', ']']);
        let first = parts.next().unwrap_or_default().to_owned();
        let (mut any, mut inside) = (first, true);
        for part in parts {
            any += if inside { "[]" } else { part };
            inside = !inside;
        }
        any
    };
    let paths = all(text).into_iter().map(elements);
    paths.filter(|path| seen.insert(path.clone())).collect()
}

/// The first key that one object holds twice.
pub fn twice(text: &str) -> Option<String> {
    let mut seen = BTreeSet::new();
    all(text)
        .into_iter()
        .find(|path| !seen.insert(path.clone()))
}

/// As they come, with the number of each element.
fn all(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Walk(String::new(), &mut paths)
        .deserialize(&mut deserializer)
        .unwrap();
    paths
}

/// Where it is, and what it has found.
struct Walk<'a>(String, &'a mut Vec<String>);

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Walk(path, found) = self;
        let mut number = 0;
        while seq
            .next_element_seed(Walk(format!("{path}[{number}]"), found))?
            .is_some()
        {
            number += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Walk(path, found) = self;
        while let Some(key) = map.next_key::<String>()? {
            let path = match path.as_str() {
                "" => key,
                path => format!("{path}.{key}"),
            };
            found.push(path.clone());
            map.next_value_seed(Walk(path, found))?;
        }
        Ok(())
    }
}

#[test]
fn the_order_is_the_texts_and_elements_are_alike() {
    let text = r#"{"b": [{"x": 1}, {"x": [2], "y": {}}], "a": {"c": null}}"#;
    assert_eq!(paths(text), ["b", "b[].x", "b[].y", "a", "a.c"]);
    assert_eq!(twice(text), None);
}
