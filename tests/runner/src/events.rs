//! Which event belongs to which request. A runtime prints events in the order requests are *finished with*, and a
//! mirrored or streamed one may finish after the next step began, so order alone does not say it.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The fields of an event.
pub type Event = Map<String, Value>;

/// The events that have come and belong to no request yet.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    unclaimed: Vec<Event>,
    /// Request ids of earlier answers whose event had not come when their step ended.
    overdue: BTreeSet<String>,
}

impl Ledger {
    /// Takes an event in, unless a step that has ended was waiting for it.
    pub fn arrive(&mut self, event: Event) {
        let late = request_id(&event).is_some_and(|id| self.overdue.remove(id));
        if !late {
            self.unclaimed.push(event);
        }
    }

    /// The event of an answer that carried this request id.
    pub fn claim(&mut self, id: &str) -> Option<Event> {
        let position = self
            .unclaimed
            .iter()
            .position(|event| request_id(event) == Some(id))?;
        Some(self.unclaimed.remove(position))
    }

    /// The oldest event there is, for a request whose answer carried no id.
    pub fn claim_oldest(&mut self) -> Option<Event> {
        (!self.unclaimed.is_empty()).then(|| self.unclaimed.remove(0))
    }

    /// Begins a step: what has come until now belongs to those before it.
    pub fn begin_step(&mut self) {
        self.unclaimed.clear();
    }

    /// Ends a step: the events of answers with these ids may still come, and are not the next step's.
    pub fn end_step(&mut self, overdue: impl Iterator<Item = String>) {
        self.overdue.extend(overdue);
    }
}

fn request_id(event: &Event) -> Option<&str> {
    event.get("requestId").and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_goes_to_the_answer_with_its_id() {
        let mut ledger = Ledger::default();
        ledger.arrive(event("b", 1));
        ledger.arrive(event("a", 2));
        assert_eq!(ledger.claim("a"), Some(event("a", 2)));
        assert_eq!(ledger.claim("a"), None);
        assert_eq!(ledger.claim_oldest(), Some(event("b", 1)));
    }

    #[test]
    fn a_late_event_is_not_taken_for_the_next_steps() {
        let mut ledger = Ledger::default();
        ledger.end_step(["a".to_owned()].into_iter());
        ledger.begin_step();
        ledger.arrive(event("a", 1));
        assert_eq!(ledger.claim_oldest(), None);
        ledger.arrive(event("a", 2));
        assert_eq!(
            ledger.claim("a"),
            Some(event("a", 2)),
            "the same id may be used again"
        );
    }

    fn event(id: &str, status: u16) -> Event {
        let Value::Object(event) = serde_json::json!({ "requestId": id, "status": status }) else {
            panic!("an object")
        };
        event
    }
}
