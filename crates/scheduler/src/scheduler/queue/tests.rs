//! The queue's rules one by one, with plugins made for the tests.

use std::sync::Arc;

use super::{BackoffOptions, Note, Place, QueueContext, SchedulingQueue, Trigger, Why};
use crate::cluster::event::Event;
use crate::cluster::pod::PodInfo;
use crate::cluster::{Cluster, PodIx};
use crate::framework::events::{
    ActionType, ClusterEvent, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource,
    Update,
};
use crate::framework::plugin::{Context, Plugin, PreEnqueue};
use crate::framework::runner::Profile;
use crate::framework::status::Rejection;
use crate::pod_object::{Origin, Phase, PodObject, PodTemplate};
use crate::scheduler::queue::Answer;
use crate::scheduler::{Scheduler, TieBreak};
use berth_base::time::{Span, Time};

const NODE_ADD: ClusterEvent = ClusterEvent::new(Resource::Node, ActionType::ADD);
const NODE_LABEL: ClusterEvent = ClusterEvent::new(Resource::Node, ActionType::UPDATE_NODE_LABEL);
const NODE_TAINT: ClusterEvent = ClusterEvent::new(Resource::Node, ActionType::UPDATE_NODE_TAINT);
const POD_DELETE: ClusterEvent = ClusterEvent::ASSIGNED_POD_DELETE;

/// Registers for new nodes, without a hint, and for deleted Pods, with a hint: Pods named `helpful` help.
struct Choosy;

impl Plugin for Choosy {
    fn name(&self) -> &'static str {
        "Choosy"
    }
    fn as_enqueue_extensions(&self) -> Option<&dyn EnqueueExtensions> {
        Some(self)
    }
}

impl EnqueueExtensions for Choosy {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 2] = [
            EventToRegister::always(Resource::Node, ActionType::ADD),
            EventToRegister::hinted(Resource::Pod, ActionType::DELETE),
        ];
        &EVENTS
    }

    fn hint(&self, _cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        let ObjectUpdate::Pod(pod) = change else {
            return Hint::Skip;
        };
        let gone = pod.old.as_deref();
        Hint::queue_if(gone.is_some_and(|gone| &*gone.object.name == "helpful"))
    }
}

/// Gates Pods with the label `gate`, and registers for label changes of pending Pods.
struct Gate;

impl Plugin for Gate {
    fn name(&self) -> &'static str {
        "Gate"
    }
    fn as_pre_enqueue(&self) -> Option<&dyn PreEnqueue> {
        Some(self)
    }
    fn as_enqueue_extensions(&self) -> Option<&dyn EnqueueExtensions> {
        Some(self)
    }
}

impl PreEnqueue for Gate {
    fn pre_enqueue(&self, _cluster: &Cluster, pod: &PodInfo) -> Result<(), Rejection> {
        if pod.object.template.labels.contains_key("gate") {
            return Err(Rejection::unresolvable("gated"));
        }
        Ok(())
    }
}

impl EnqueueExtensions for Gate {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 1] = [EventToRegister::hinted(
            Resource::Pod,
            ActionType::UPDATE_POD_LABEL,
        )];
        &EVENTS
    }
}

struct Fixture {
    cluster: Cluster,
    scheduler: Scheduler,
    queue: SchedulingQueue,
    now: Time,
}

impl Fixture {
    fn new(pop_from_backoff: bool) -> Self {
        let profile = Profile {
            scheduler_name: "default-scheduler".to_owned(),
            percentage_of_nodes_to_score: None,
            plugins: vec![Box::new(Choosy), Box::new(Gate)],
            pre_enqueue: vec![1],
            queue_sort: Vec::new(),
            pre_filter: Vec::new(),
            filter: Vec::new(),
            post_filter: Vec::new(),
            pre_score: Vec::new(),
            score: Vec::new(),
            reserve: Vec::new(),
            pre_bind: Vec::new(),
            bind: Vec::new(),
        };
        let scheduler = Scheduler::new(vec![profile], 0, TieBreak::First, 0);
        let options = BackoffOptions {
            pop_from_backoff,
            ..BackoffOptions::default()
        };
        Self {
            cluster: Cluster::default(),
            queue: SchedulingQueue::new(&scheduler, options).noting_kept(true),
            scheduler,
            now: Time::START,
        }
    }

    fn at(&mut self, seconds: f64) -> &mut Self {
        self.now = Time::at_microsecond((seconds * 1e6) as i64);
        self
    }

    fn queue<R>(
        &mut self,
        act: impl FnOnce(&mut SchedulingQueue, QueueContext<'_>) -> R,
    ) -> (R, Vec<Note>) {
        let cx = QueueContext {
            cluster: &self.cluster,
            scheduler: &self.scheduler,
            now: self.now,
        };
        let result = act(&mut self.queue, cx);
        (result, self.queue.take_notes())
    }

    /// A Pod in the cluster that was not added to the queue.
    fn pod(&mut self, name: &str, priority: i32, label: Option<&str>) -> PodIx {
        let mut template = PodTemplate::default();
        template.spec.priority = Some(priority);
        let labels = label.map(|label| (label.to_owned(), String::new()));
        template.labels.extend(labels);
        self.cluster.apply(Event::PodAdded(Box::new(PodObject {
            namespace: "default".into(),
            name: name.into(),
            uid: name.into(),
            document: 0,
            template: Arc::new(template),
            node_name: None,
            phase: Phase::Pending,
            created_ms: 0,
            origin: Origin::New,
            start_ms: None,
            terminating: false,
            nominated_node: None,
            preempted_by_scheduler: false,
            resized: None,
            claim_names: Arc::default(),
        })));
        self.cluster.pods().find("default", name).expect("added").ix
    }

    fn arrives(&mut self, name: &str, priority: i32) -> PodIx {
        let pod = self.pod(name, priority, None);
        self.queue(|queue, cx| queue.add(cx, pod));
        pod
    }

    /// Pops a Pod, which must be this one, and fails it.
    fn fails(&mut self, pod: PodIx, rejected_by: &[&'static str]) -> super::Requeued {
        let popped = self.queue.pop().expect("a pending Pod");
        assert_eq!(popped.pod, pod);
        self.queue(|queue, cx| queue.add_unschedulable(cx, pod, rejected_by))
            .0
    }

    fn happens(&mut self, event: ClusterEvent, change: &ObjectUpdate) -> Vec<Note> {
        self.queue(|queue, cx| queue.move_all(cx, event, change, None))
            .1
    }

    /// The Pods that the flush of a second moves, by index.
    fn flushed(&mut self, second: i64) -> Vec<PodIx> {
        self.now = Time::at_second(second);
        let notes = self.queue(|queue, cx| queue.flush_backoff(cx)).1;
        moved(&notes).into_iter().map(|(pod, _)| pod).collect()
    }

    fn deletion_of(&mut self, name: &str) -> ObjectUpdate {
        let pod = self.pod(name, 0, None);
        let info = self.cluster.pods().get(pod).cloned().expect("added");
        ObjectUpdate::Pod(Update::deleted(Arc::new(info)))
    }
}

fn moved(notes: &[Note]) -> Vec<(PodIx, Place)> {
    notes
        .iter()
        .filter_map(|note| match note {
            Note::Moved { pod, to, .. } => Some((*pod, *to)),
            _ => None,
        })
        .collect()
}

fn seconds(time: Option<Time>) -> Option<f64> {
    time.map(Time::as_seconds)
}

#[test]
fn backoff_doubles_up_to_its_maximum() {
    let durations = |initial, max| {
        let options = BackoffOptions {
            initial: Span::seconds(initial),
            max: Span::seconds(max),
            pop_from_backoff: true,
        };
        (0..7).map(move |count| options.duration(count))
    };
    let wanted = |seconds: [i64; 7]| seconds.map(Span::seconds);
    assert!(durations(1, 10).eq(wanted([0, 1, 2, 4, 8, 10, 10])));
    assert!(durations(5, 20).eq(wanted([0, 5, 10, 20, 20, 20, 20])));
    assert!(durations(3, 3).eq(wanted([0, 3, 3, 3, 3, 3, 3])));
    let options = BackoffOptions::default();
    assert_eq!(options.duration(u32::MAX), Span::seconds(10));
}

#[test]
fn expiry_is_cut_to_the_second_only_where_pods_are_popped_from_backoff() {
    for (gate, expiry) in [(true, 6.0), (false, 6.5)] {
        let mut fixture = Fixture::new(gate);
        let pod = fixture.at(5.5).arrives("a", 0);
        assert_eq!(seconds(fixture.fails(pod, &[]).backoff_until), Some(expiry));
    }
}

#[test]
fn a_pod_still_backs_off_at_the_moment_of_expiry() {
    for (gate, failed, over) in [
        (true, 5.5, 7),
        (true, 5.0, 7),
        (false, 5.5, 7),
        (false, 5.0, 7),
        (true, 5.99, 7),
    ] {
        let mut fixture = Fixture::new(gate);
        let pod = fixture.at(failed).arrives("a", 0);
        fixture.fails(pod, &[]);
        assert_eq!(fixture.flushed(over - 1), [], "{gate} {failed}");
        assert_eq!(fixture.flushed(over), [pod], "{gate} {failed}");
    }
}

#[test]
fn errors_are_counted_apart_and_wait_in_a_queue_of_their_own() {
    let mut fixture = Fixture::new(true);
    let pod = fixture.arrives("a", 0);
    for (second, until) in [(0, 1.0), (10, 12.0), (20, 24.0)] {
        fixture.flushed(second);
        let failed = fixture.fails(pod, &[]);
        assert_eq!(failed.to, Place::Backoff);
        assert_eq!(seconds(failed.backoff_until), Some(until));
        // Pods are not popped early from that queue, and no event reaches it.
        assert_eq!(fixture.queue.pop(), None);
        assert_eq!(fixture.happens(NODE_ADD, &ObjectUpdate::Nothing), []);
    }
    // A rejection resets the consecutive errors and is the first rejection.
    fixture.flushed(30);
    assert_eq!(fixture.fails(pod, &["Choosy"]).to, Place::Unschedulable);
    fixture.happens(NODE_ADD, &ObjectUpdate::Nothing);
    assert_eq!(
        seconds(fixture.queue.backoff_until(pod, Place::Backoff)),
        Some(31.0)
    );
    let attempts = fixture
        .queue
        .pop()
        .map(|popped| (popped.attempts, popped.from));
    assert_eq!(attempts, Some((5, Place::Backoff)));
    let failed = fixture
        .queue(|queue, cx| queue.add_unschedulable(cx, pod, &[]))
        .0;
    assert_eq!(seconds(failed.backoff_until), Some(31.0));
}

#[test]
fn priority_goes_first_and_then_the_longest_wait() {
    let mut fixture = Fixture::new(true);
    let early = fixture.at(1.0).arrives("z", 0);
    let late = fixture.at(2.0).arrives("a", 0);
    let high = fixture.at(3.0).arrives("m", 7);
    let popped: Vec<PodIx> = std::iter::from_fn(|| fixture.queue.pop())
        .map(|popped| popped.pod)
        .collect();
    assert_eq!(popped, [high, early, late]);
    // They fail in this order, so the Pod that failed first is first again after all are moved.
    for pod in [late, early, high] {
        fixture.now = fixture.now.after(Span::microseconds(1));
        fixture.queue(|queue, cx| queue.add_unschedulable(cx, pod, &["Choosy"]));
    }
    fixture.at(60.0).happens(NODE_ADD, &ObjectUpdate::Nothing);
    let popped: Vec<PodIx> = std::iter::from_fn(|| fixture.queue.pop())
        .map(|popped| popped.pod)
        .collect();
    assert_eq!(popped, [high, late, early]);
}

#[test]
fn an_idle_scheduler_pops_from_backoff_if_the_gate_is_on() {
    for (gate, from) in [(true, Some(Place::Backoff)), (false, None)] {
        let mut fixture = Fixture::new(gate);
        let low = fixture.arrives("low", 0);
        fixture.fails(low, &["Choosy"]);
        let high = fixture.at(0.9).arrives("high", 5);
        fixture.fails(high, &["Choosy"]);
        let notes = fixture.happens(NODE_ADD, &ObjectUpdate::Nothing);
        assert_eq!(
            moved(&notes),
            [(high, Place::Backoff), (low, Place::Backoff)]
        );
        let popped = fixture.queue.pop();
        assert_eq!(popped.map(|popped| popped.from), from);
        // Both expire in the same second, so priority decides.
        assert_eq!(popped.map(|popped| popped.pod), from.map(|_| high));
    }
}

#[test]
fn an_event_during_the_attempt_counts_if_the_hint_agrees() {
    for (name, to) in [("helpful", Place::Backoff), ("other", Place::Unschedulable)] {
        let mut fixture = Fixture::new(true);
        let pod = fixture.arrives("a", 0);
        fixture.queue.pop();
        let change = fixture.deletion_of(name);
        fixture.happens(POD_DELETE, &change);
        let failed = fixture
            .queue(|queue, cx| queue.add_unschedulable(cx, pod, &["Choosy"]))
            .0;
        assert_eq!(failed.to, to);
        let worth = (to == Place::Backoff).then_some(POD_DELETE);
        assert_eq!(failed.in_flight, worth);
        // Events before the next attempt were dropped.
        fixture.flushed(9);
        fixture.happens(NODE_ADD, &ObjectUpdate::Nothing);
        let again = fixture.fails(pod, &["Choosy"]);
        assert_eq!(again.in_flight, None);
    }
}

#[test]
fn a_hint_decides_and_the_notes_say_why() {
    let mut fixture = Fixture::new(true);
    let pod = fixture.arrives("a", 0);
    fixture.fails(pod, &["Choosy"]);
    let other = fixture.at(60.0).deletion_of("other");
    let kept = fixture.happens(POD_DELETE, &other);
    let answers = vec![("Choosy", Answer::Skip)];
    assert!(matches!(&kept[..], [Note::Kept { answers: given, .. }] if *given == answers));
    let helpful = fixture.deletion_of("helpful");
    let notes = fixture.happens(POD_DELETE, &helpful);
    let answers = vec![("Choosy", Answer::Queue)];
    let [Note::Moved { by, why, to, .. }] = &notes[..] else {
        panic!("{notes:?}");
    };
    assert_eq!((*by, *to), (Trigger::Event(POD_DELETE), Place::Active));
    assert_eq!(*why, Why::Answers(answers));
}

#[test]
fn plugins_registered_for_new_nodes_get_taint_updates() {
    let mut fixture = Fixture::new(true);
    let pod = fixture.arrives("a", 0);
    fixture.fails(pod, &["Choosy"]);
    assert_eq!(
        fixture.at(60.0).happens(NODE_LABEL, &ObjectUpdate::Nothing),
        []
    );
    let notes = fixture.happens(NODE_TAINT, &ObjectUpdate::Nothing);
    let unasked = Why::Answers(vec![("Choosy", Answer::QueueWithoutHint)]);
    assert!(matches!(&notes[..], [Note::Moved { why, .. }] if *why == unasked));
}

#[test]
fn a_lost_nomination_moves_only_pods_of_its_priority_or_lower() {
    let mut fixture = Fixture::new(true);
    let high = fixture.arrives("high", 9);
    fixture.fails(high, &["Choosy"]);
    let low = fixture.arrives("low", 5);
    fixture.fails(low, &["Choosy"]);
    fixture.at(60.0);
    let notes = fixture
        .queue(|queue, cx| queue.move_all(cx, NODE_ADD, &ObjectUpdate::Nothing, Some(5)))
        .1;
    assert_eq!(moved(&notes), [(low, Place::Active)]);
}

#[test]
fn a_gated_pod_is_moved_only_by_events_of_its_gate() {
    let mut fixture = Fixture::new(true);
    let pod = fixture.at(5.5).pod("a", 0, Some("gate"));
    let notes = fixture.queue(|queue, cx| queue.add(cx, pod)).1;
    assert!(matches!(&notes[..], [Note::Gated { plugin: "Gate", .. }]));
    assert_eq!(fixture.queue.listing().gated.len(), 1);
    assert_eq!(
        fixture.at(400.0).happens(NODE_ADD, &ObjectUpdate::Nothing),
        []
    );
    assert_eq!(
        fixture.queue(|queue, cx| queue.flush_unschedulable(cx)).1,
        []
    );
    // The gate is removed: the Pod is added like a new one and has no backoff.
    let old = Arc::new(fixture.cluster.pods().get(pod).cloned().expect("waits"));
    let mut object = old.object.clone();
    object.template = Arc::new(PodTemplate::default());
    fixture.cluster.apply(Event::PodUpdated {
        pod,
        object: Box::new(object),
    });
    let new = Arc::new(fixture.cluster.pods().get(pod).cloned().expect("waits"));
    let notes = fixture.queue(|queue, cx| queue.update(cx, &old, &new)).1;
    assert_eq!(moved(&notes), [(pod, Place::Active)]);
    assert_eq!(
        fixture.queue.pods.get(&pod).map(|entry| entry.timestamp),
        Some(Time::at_microsecond(5_500_000))
    );
}

#[test]
fn an_update_in_the_active_queue_just_replaces_the_pod() {
    let mut fixture = Fixture::new(true);
    let pod = fixture.arrives("a", 0);
    let rival = fixture.arrives("b", 3);
    let old = Arc::new(fixture.cluster.pods().get(pod).cloned().expect("waits"));
    let mut object = old.object.clone();
    let mut template = PodTemplate::default();
    template.spec.priority = Some(8);
    object.template = Arc::new(template);
    fixture.cluster.apply(Event::PodUpdated {
        pod,
        object: Box::new(object),
    });
    let new = Arc::new(fixture.cluster.pods().get(pod).cloned().expect("waits"));
    assert_eq!(
        fixture.queue(|queue, cx| queue.update(cx, &old, &new)).1,
        []
    );
    let order = [fixture.queue.pop(), fixture.queue.pop()];
    assert_eq!(
        order.map(|popped| popped.map(|popped| popped.pod)),
        [Some(pod), Some(rival)]
    );
}

#[test]
fn pods_that_failed_more_than_300_s_ago_are_tried_again() {
    let mut fixture = Fixture::new(true);
    let pod = fixture.at(30.0).arrives("a", 0);
    fixture.fails(pod, &["Choosy"]);
    let mut flush = |second: i64| {
        fixture.now = Time::at_second(second);
        let notes = fixture.queue(|queue, cx| queue.flush_unschedulable(cx)).1;
        moved(&notes)
    };
    assert_eq!(flush(330), []);
    assert_eq!(flush(360), [(pod, Place::Active)]);
}

#[test]
fn pods_are_moved_in_order_of_name_without_deleted_ones() {
    let mut fixture = Fixture::new(true);
    let names = ["c", "a", "d", "b"];
    let pods = names.map(|name| {
        let pod = fixture.arrives(name, 0);
        fixture.fails(pod, &["Choosy"]);
        pod
    });
    fixture.queue.delete(pods[2]);
    let notes = fixture.at(60.0).happens(NODE_ADD, &ObjectUpdate::Nothing);
    let order: Vec<PodIx> = moved(&notes).into_iter().map(|(pod, _)| pod).collect();
    assert_eq!(order, [pods[1], pods[3], pods[0]]);
    assert_eq!(
        fixture.queue.pods.get(&pods[2]).map(|entry| entry.attempts),
        None
    );
}
