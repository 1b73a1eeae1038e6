//! Which plugin hears of which event, by profile (`buildQueueingHintMap` of kube-scheduler v1.34).

use crate::cluster::Cluster;
use crate::cluster::pod::PodInfo;
use crate::framework::events::{ActionType, Change, ClusterEvent, EventToRegister, Hint, Resource};
use crate::framework::plugin::Context;
use crate::framework::runner::Profile;

/// What a plugin that rejected a Pod makes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It did not ask to hear of such events.
    NotConcerned,
    /// Its hint: nothing has become better.
    Skip,
    /// Its hint: another attempt may end otherwise.
    Queue,
    /// It asked to hear of such events and has no hint about them.
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
            let plugins = profile.plugins.iter().enumerate();
            let registered = plugins.filter_map(|(position, plugin)| {
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

    /// Whether any plugin of any profile wants to hear of it.
    pub fn is_of_interest(&self, event: ClusterEvent) -> bool {
        let mut plugins = self.by_profile.iter().flatten();
        event.is_wild_card() || plugins.any(|plugin| plugin.concerning(event).next().is_some())
    }

    /// Whether the plugin wants to hear of it.
    pub fn concerns(&self, profile: usize, plugin: &str, event: ClusterEvent) -> bool {
        let mut known = self.by_profile.get(profile).into_iter().flatten();
        let known = known.find(|known| known.plugin == plugin);
        known.is_some_and(|known| known.concerning(event).next().is_some())
    }

    /// What a plugin that rejected the Pod makes of an event.
    pub fn ask(
        &self,
        (number, profile): (usize, &Profile),
        plugin: &str,
        (cluster, pod): (&Cluster, &PodInfo),
        (event, change): (ClusterEvent, &Change),
    ) -> Answer {
        let mut known = self.by_profile.get(number).into_iter().flatten();
        let Some(known) = known.find(|known| known.plugin == plugin) else {
            return Answer::NotConcerned;
        };
        let extensions = profile.plugins.get(known.position);
        let extensions = extensions.and_then(|plugin| plugin.as_enqueue_extensions());
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
        let events = self.events.iter();
        events.filter(move |registration| registration.event.covers(event))
    }
}

/// The registry's own rule: who hears of new nodes and not of taints hears of taints too, without a
/// hint. (A node may have been tainted when it came, kubernetes issue 109437.) So any change of taints,
/// also for the worse, wakes most Pods.
fn with_taints(events: &[EventToRegister]) -> Vec<EventToRegister> {
    let hears = |action| {
        let event = ClusterEvent::new(Resource::Node, action);
        events.iter().any(|known| known.event.covers(event))
    };
    let mut all = events.to_vec();
    if hears(ActionType::ADD) && !hears(ActionType::UPDATE_NODE_TAINT) {
        let taints = EventToRegister::always(Resource::Node, ActionType::UPDATE_NODE_TAINT);
        all.push(taints);
    }
    all
}
