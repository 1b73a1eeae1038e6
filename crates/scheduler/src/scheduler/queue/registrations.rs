//! The plugins registered for each event, by profile (`buildQueueingHintMap` of kube-scheduler v1.34).

use crate::cluster::Cluster;
use crate::cluster::pod::PodInfo;
use crate::framework::events::{
    ActionType, ClusterEvent, EventToRegister, Hint, ObjectUpdate, Resource,
};
use crate::framework::plugin::Context;
use crate::framework::runner::Profile;

/// The answer of a plugin that rejected a Pod to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It did not register for the event.
    NotConcerned,
    /// Its hint: the Pod is still unschedulable.
    Skip,
    /// Its hint: another attempt may succeed.
    Queue,
    /// It registered for the event without a hint.
    QueueWithoutHint,
}

impl Answer {
    /// Whether the Pod is to be tried again.
    pub fn queues(self) -> bool {
        matches!(self, Self::Queue | Self::QueueWithoutHint)
    }
}

/// The registrations of one plugin.
#[derive(Clone, Debug)]
struct Registered {
    plugin: &'static str,
    /// Its position in the profile.
    position: usize,
    events: Vec<EventToRegister>,
}

/// The registrations of all profiles.
#[derive(Clone, Debug, Default)]
pub(super) struct Registrations {
    /// By profile.
    by_profile: Vec<Vec<Registered>>,
}

impl Registrations {
    pub fn new(profiles: &[Profile]) -> Self {
        let by_profile = profiles.iter().map(|profile| {
            let registered = profile
                .plugins
                .iter()
                .enumerate()
                .filter_map(|(position, plugin)| {
                    let events = plugin.as_enqueue_extensions()?.events_to_register();
                    Some(Registered {
                        plugin: plugin.name(),
                        position,
                        events: with_taints(events),
                    })
                });
            registered.collect()
        });
        Self {
            by_profile: by_profile.collect(),
        }
    }

    /// Whether any plugin of any profile registered for the event.
    pub fn is_of_interest(&self, event: ClusterEvent) -> bool {
        let mut plugins = self.by_profile.iter().flatten();
        event.is_wild_card() || plugins.any(|plugin| plugin.concerns(event))
    }

    /// Whether the plugin registered for the event.
    pub fn concerns(&self, profile: usize, plugin: &str, event: ClusterEvent) -> bool {
        self.find(profile, plugin)
            .is_some_and(|known| known.concerns(event))
    }

    fn find(&self, profile: usize, plugin: &str) -> Option<&Registered> {
        self.by_profile
            .get(profile)?
            .iter()
            .find(|known| known.plugin == plugin)
    }

    /// The answer to an event of a plugin that rejected the Pod.
    pub fn ask(
        &self,
        (number, profile): (usize, &Profile),
        plugin: &str,
        (cluster, pod): (&Cluster, &PodInfo),
        (event, change): (ClusterEvent, &ObjectUpdate),
    ) -> Answer {
        let Some(known) = self.find(number, plugin) else {
            return Answer::NotConcerned;
        };
        let extensions = profile
            .plugins
            .get(known.position)
            .and_then(|plugin| plugin.as_enqueue_extensions());
        let mut answer = Answer::NotConcerned;
        for registration in known.concerning(event) {
            if !registration.hinted {
                return Answer::QueueWithoutHint;
            }
            let hint = extensions.map(|it| it.hint(Context::new(cluster, pod), change));
            match hint {
                Some(Hint::Queue) => return Answer::Queue,
                _ => answer = Answer::Skip,
            }
        }
        answer
    }
}

impl Registered {
    fn concerning(&self, event: ClusterEvent) -> impl Iterator<Item = &EventToRegister> {
        self.events
            .iter()
            .filter(move |registration| registration.event.covers(event))
    }

    fn concerns(&self, event: ClusterEvent) -> bool {
        self.concerning(event).next().is_some()
    }
}

/// kube-scheduler's rule: a plugin that registers for added nodes but not for changed taints also
/// gets taint updates, without a hint, because a node may have been tainted when it was added
/// (kubernetes issue 109437). So any change of taints moves most Pods.
fn with_taints(events: &[EventToRegister]) -> Vec<EventToRegister> {
    let includes = |action| {
        let event = ClusterEvent::new(Resource::Node, action);
        events.iter().any(|known| known.event.covers(event))
    };
    let mut all = events.to_vec();
    if includes(ActionType::ADD) && !includes(ActionType::UPDATE_NODE_TAINT) {
        let taints = EventToRegister::always(Resource::Node, ActionType::UPDATE_NODE_TAINT);
        all.push(taints);
    }
    all
}
