//! The form of the scheduler's configuration: whether it is open, and which change was refused.

use berth_protocol::gesture::Gesture;
use berth_protocol::remark::Remark;
use berth_protocol::scheduler::SchedulerChange;

/// The form's state, besides the configuration itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchedulerForm {
    pub open: bool,
    /// The change that awaits an answer.
    asked: Option<SchedulerChange>,
    /// The last change, if it was refused, and the message. The field keeps the typed value.
    pub refused: Option<(SchedulerChange, Remark)>,
}

impl SchedulerForm {
    /// Prepares for a gesture: drops the last refusal and records the change awaiting an answer.
    pub fn ask(&mut self, gesture: &Gesture) {
        self.refused = None;
        self.asked = if let Gesture::Scheduler(change) = gesture {
            Some(change.clone())
        } else {
            None
        };
    }

    /// The last change was applied, or another edit followed.
    pub fn settle(&mut self) {
        self.asked = None;
        self.refused = None;
    }

    /// Takes a refusal if it answers a change of the form; returns whether it did.
    pub fn refuse(&mut self, message: &Remark) -> bool {
        let asked = self.asked.take();
        let is_own = asked.is_some();
        self.refused = asked.map(|change| (change, message.clone()));
        is_own
    }

    /// The refused change of the same field, and the message.
    pub fn refusal(&self, change: &SchedulerChange) -> Option<&(SchedulerChange, Remark)> {
        let refused = self.refused.as_ref();
        refused.filter(|(refused, _)| refused.is_at(change))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::store::{Action, EditAction, Store};
    use berth_protocol::page::Update;
    use berth_protocol::scheduler::SchedulerField;

    fn weight(value: &str) -> SchedulerChange {
        SchedulerChange {
            field: SchedulerField::Weight,
            plugin: "ImageLocality".into(),
            value: value.into(),
            ..SchedulerChange::default()
        }
    }

    fn refuse(store: &mut Store) {
        let message = "no".into();
        store.act(Action::Update(Box::new(Update::Refused { message })));
    }

    #[test]
    fn a_refusal_stays_at_its_field_until_the_next_gesture() {
        let mut store = Store::default();
        store.act(Action::Edit(EditAction::Gesture(Gesture::Scheduler(
            weight("-1"),
        ))));
        refuse(&mut store);
        let refusal = store.scheduler.refusal(&weight("4")).unwrap();
        assert_eq!((refusal.0.value.as_str(), &refusal.1), ("-1", &"no".into()));
        assert_eq!(store.page.notice, None);
        let nodes = vec!["a".to_owned()];
        store.act(Action::Edit(EditAction::Gesture(Gesture::Cordon { nodes })));
        assert_eq!(store.scheduler.refusal(&weight("4")), None);
        refuse(&mut store);
        assert_eq!(
            store.page.notice.as_deref(),
            Some("no"),
            "another gesture's"
        );
    }

    #[test]
    fn an_accepted_change_is_not_refused_later() {
        let mut store = Store::default();
        store.act(Action::Edit(EditAction::Gesture(Gesture::Scheduler(
            weight("2"),
        ))));
        let text = "kind: KubeSchedulerConfiguration".to_owned();
        store.act(Action::Update(Box::new(Update::Sources { text })));
        refuse(&mut store);
        assert_eq!(store.scheduler.refused, None);
        assert_eq!(store.page.notice.as_deref(), Some("no"));
    }
}
