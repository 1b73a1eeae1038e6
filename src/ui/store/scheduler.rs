//! The form over the scheduler's configuration: whether it is open, and what it asked for in vain.

use crate::protocol::gesture::Gesture;
use crate::protocol::scheduler::SchedulerChange;

/// The form's state, besides what the engine told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchedulerForm {
    pub open: bool,
    /// The change that has no answer yet.
    asked: Option<SchedulerChange>,
    /// The last change, if it was refused, and in which words. What was typed stays.
    pub refused: Option<(SchedulerChange, String)>,
}

impl SchedulerForm {
    /// Something is to be done by hand: what was said of the last change no longer matters.
    pub fn ask(&mut self, gesture: &Gesture) {
        self.refused = None;
        self.asked = match gesture {
            Gesture::Scheduler(change) => Some(change.clone()),
            _ => None,
        };
    }

    /// The last change was made, or something else was done.
    pub fn settle(&mut self) {
        self.asked = None;
        self.refused = None;
    }

    /// Takes a refusal, if it answers a change of the form.
    pub fn refuse(&mut self, message: &str) -> bool {
        let asked = self.asked.take();
        let is_own = asked.is_some();
        self.refused = asked.map(|change| (change, message.to_owned()));
        is_own
    }

    /// What was said about the field of this change, and what was typed there.
    pub fn said(&self, change: &SchedulerChange) -> Option<&(SchedulerChange, String)> {
        let refused = self.refused.as_ref();
        refused.filter(|(refused, _)| refused.is_at(change))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::page::Update;
    use crate::protocol::scheduler::SchedulerField;
    use crate::ui::store::{Action, Store};

    fn weight(value: &str) -> SchedulerChange {
        SchedulerChange {
            field: SchedulerField::Weight,
            plugin: "ImageLocality".into(),
            value: value.into(),
            ..SchedulerChange::default()
        }
    }

    fn refuse(store: &mut Store) {
        let message = "no".to_owned();
        store.act(Action::Told(Box::new(Update::Refused { message })));
    }

    #[test]
    fn a_refusal_stays_at_its_field_until_something_is_done() {
        let mut store = Store::default();
        store.act(Action::Gesture(Gesture::Scheduler(weight("-1"))));
        refuse(&mut store);
        let said = store.scheduler.said(&weight("4")).unwrap();
        assert_eq!((said.0.value.as_str(), said.1.as_str()), ("-1", "no"));
        assert_eq!(store.notice, None);
        let nodes = vec!["a".to_owned()];
        store.act(Action::Gesture(Gesture::Cordon { nodes }));
        assert_eq!(store.scheduler.said(&weight("4")), None);
        refuse(&mut store);
        assert_eq!(store.notice.as_deref(), Some("no"), "another gesture's");
    }

    #[test]
    fn what_was_taken_is_not_refused_later() {
        let mut store = Store::default();
        store.act(Action::Gesture(Gesture::Scheduler(weight("2"))));
        let text = "kind: KubeSchedulerConfiguration".to_owned();
        store.act(Action::Told(Box::new(Update::Sources { text })));
        refuse(&mut store);
        assert_eq!(store.scheduler.refused, None);
        assert_eq!(store.notice.as_deref(), Some("no"));
    }
}
