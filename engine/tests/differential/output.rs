//! What an end wrote, read as what its flags ask for.

use crate::session::Said;
use crate::strict;
use serde_json::{Map, Value, json};

#[derive(Debug, Clone)]
pub enum Output {
    /// `-J`, or the events of `--json-stream` put together the same way.
    Document(Value),
    Text(Vec<String>),
}

impl Output {
    pub fn document(&self) -> Option<&Value> {
        match self {
            Output::Document(document) => Some(document),
            Output::Text(_) => None,
        }
    }
}

/// `ours`: read strictly. Stock ones have keys twice (field report 040: 3.12 with -P 2).
pub fn read<'a>(
    mut flags: impl Iterator<Item = &'a str> + Clone,
    said: &Said,
    ours: bool,
) -> Result<Output, String> {
    let parse = |text: &str| match ours {
        true => strict::value(text),
        false => serde_json::from_str(text).map_err(|error| error.to_string()),
    };
    if flags.clone().any(|flag| flag == "-J") && !ours {
        // 3.12 with -V -J writes lines of text before its document.
        let begin = said.stdout.find("{\n").unwrap_or(0);
        return parse(&said.stdout[begin..]).map(Output::Document);
    }
    if flags.clone().any(|flag| flag == "-J") {
        return parse(&said.stdout).map(Output::Document);
    }
    if flags.any(|flag| flag == "--json-stream") {
        // 3.18 and later with -V write a line of text among the events, too.
        let is_event = |line: &&str| ours || line.starts_with('{');
        let events = said.stdout.lines().filter(is_event).map(parse);
        let events: Result<Vec<Value>, String> = events.collect();
        return assemble(&events?).map(Output::Document);
    }
    Ok(Output::Text(
        said.stdout.lines().map(String::from).collect(),
    ))
}

fn assemble(events: &[Value]) -> Result<Value, String> {
    let mut document = Map::new();
    let mut rows = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let members = event.as_object().filter(|members| members.len() == 2);
        let named = members.and_then(|members| {
            let name = members.get("event")?.as_str()?;
            Some((name, members.get("data")?))
        });
        let Some((name, data)) = named else {
            return Err(format!("not an event with data: {event}"));
        };
        if (name == "start") != (index == 0) {
            return Err(format!("event {index} is {name:?}"));
        }
        if name == "interval" {
            rows.push(data.clone());
        } else if document.insert(name.into(), data.clone()).is_some() {
            return Err(format!("two events {name:?}"));
        }
    }
    document.insert("intervals".into(), json!(rows));
    match document.contains_key("end") {
        true => Ok(Value::Object(document)),
        false => Err("no event \"end\"".into()),
    }
}
