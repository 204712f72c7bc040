//! Events (events.k8s.io) for people: one reason a fact, told when it turns, never an error of ours when
//! one cannot be written.

use crate::client::call;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Client,
    runtime::events::{Event, EventType, Recorder, Reporter},
};

/// The API server refuses longer notes.
const MAX_NOTE_BYTES: usize = 1024;

#[derive(Clone)]
pub struct Events(Recorder);

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Events")
    }
}

/// Something to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    pub warning: bool,
    pub reason: &'static str,
    pub action: &'static str,
    pub note: String,
}

impl Events {
    pub fn new(client: Client, identity: String) -> Events {
        Events(Recorder::new(
            client,
            Reporter {
                controller: "nettest-operator".into(),
                instance: Some(identity),
            },
        ))
    }

    pub async fn tell(&self, fact: Fact, about: &ObjectReference) {
        let Fact {
            warning,
            reason,
            action,
            note,
        } = fact;
        let event = Event {
            type_: if warning {
                EventType::Warning
            } else {
                EventType::Normal
            },
            reason: reason.to_owned(),
            note: Some(shorten(note)).filter(|note| !note.is_empty()),
            action: action.to_owned(),
            secondary: None,
        };
        if let Err(error) = call("write an event", self.0.publish(&event, about)).await {
            // A namespace that is being deleted refuses them: nobody is left to read it.
            tracing::debug!(%error, reason, "event not written");
        }
    }
}

fn shorten(mut note: String) -> String {
    if note.len() > MAX_NOTE_BYTES {
        let mut end = MAX_NOTE_BYTES - '…'.len_utf8();
        while !note.is_char_boundary(end) {
            end -= 1;
        }
        note.truncate(end);
        note.push('…');
    }
    note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_note_is_cut_at_a_character() {
        let note = shorten("ä".repeat(800));
        assert!(
            note.len() <= MAX_NOTE_BYTES && note.ends_with("ä…"),
            "{}",
            note.len()
        );
        assert_eq!(shorten("short".into()), "short");
    }
}
