//! Conditions of Deployments and ReplicaSets; a changed condition moves to the end of the list.

use k8s_openapi::api::apps::v1::{DeploymentCondition, ReplicaSetCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// A condition of some kind of object.
pub(super) trait Condition {
    fn kind(&self) -> &str;
    fn state(&self) -> (&str, &str);
    fn transition(&mut self) -> &mut Option<Time>;
}

macro_rules! condition {
    ($type:ident) => {
        impl Condition for $type {
            fn kind(&self) -> &str {
                &self.type_
            }
            fn state(&self) -> (&str, &str) {
                (&self.status, self.reason.as_deref().unwrap_or_default())
            }
            fn transition(&mut self) -> &mut Option<Time> {
                &mut self.last_transition_time
            }
        }
    };
}

condition!(DeploymentCondition);
condition!(ReplicaSetCondition);

pub(super) fn find<'a, C: Condition>(list: Option<&'a [C]>, kind: &str) -> Option<&'a C> {
    list.unwrap_or_default()
        .iter()
        .find(|condition| condition.kind() == kind)
}

/// Replaces the condition of this type and moves it to the end, unless status and reason are unchanged. The
/// transition time is kept if the status is unchanged.
pub(super) fn set<C: Condition>(list: &mut Option<Vec<C>>, mut condition: C) {
    let kind = condition.kind().to_owned();
    if let Some(current) = list
        .as_mut()
        .and_then(|list| list.iter_mut().find(|current| current.kind() == kind))
    {
        if current.state() == condition.state() {
            return;
        }
        if current.state().0 == condition.state().0 {
            *condition.transition() = current.transition().clone();
        }
    }
    remove(list, &kind);
    list.get_or_insert_default().push(condition);
}

/// Removes the condition of a type.
pub(super) fn remove<C: Condition>(list: &mut Option<Vec<C>>, kind: &str) {
    if let Some(all) = list {
        all.retain(|condition| condition.kind() != kind);
        if all.is_empty() {
            *list = None;
        }
    }
}
