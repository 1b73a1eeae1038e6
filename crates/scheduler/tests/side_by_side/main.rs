//! The fast path beside the walk over all nodes: random lives in which every cycle is decided both ways, with the same
//! node, total, ties, message and victims.

mod templates;

use std::sync::Arc;

use berth_scheduler::base::random::Random;
use berth_scheduler::cluster::event::{Event, StoredKind};
use berth_scheduler::cluster::{Cluster, NodeIx, PodIx};
use berth_scheduler::cycle::{Outcome, Unschedulable};
use berth_scheduler::framework::registry::build_profiles;
use berth_scheduler::k8s_openapi::api::core::v1::{Node, Pod, Service};
use berth_scheduler::k8s_openapi::api::policy::v1::PodDisruptionBudget;
use berth_scheduler::observer::{Observer, Selection};
use berth_scheduler::plugins::registry::registry;
use berth_scheduler::pod_object::{Phase, PodObject, stored_pod, template_of};
use berth_scheduler::release::{Release, Version};
use berth_scheduler::{Scheduler, TieBreak};
use serde::de::DeserializeOwned;

use templates::{Size, budget, configuration, node, service, template};

/// The highest total and the number of nodes that have it, of a cycle that scored.
type Highest = Option<(i64, usize)>;

/// The fast path, with what it found.
#[derive(Default)]
struct Fast {
    highest: Highest,
    is_ranked: bool,
}

impl Observer for Fast {
    const MAY_REMEMBER: bool = true;
    const RANKS_FROM: usize = 0;

    fn ranked(&mut self, total: Option<i64>, ties: usize) {
        self.highest = total.map(|total| (total, ties));
        self.is_ranked = true;
    }

    fn selected(&mut self, selection: Selection<'_>) {
        self.highest = highest(&selection);
    }
}

/// The walk, without anything of earlier cycles.
#[derive(Default)]
struct Walk(Highest);

impl Observer for Walk {
    const MAY_REMEMBER: bool = false;

    fn selected(&mut self, selection: Selection<'_>) {
        self.0 = highest(&selection);
    }
}

fn highest(selection: &Selection<'_>) -> Highest {
    let total = selection.totals.iter().copied().max()?;
    Some((total, selection.best.len()))
}

/// What a life did.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    events: usize,
    cycles: usize,
    /// Cycles without a walk.
    ranked: usize,
    unschedulable: usize,
    preempted: usize,
}

fn object<T: DeserializeOwned>(text: &str) -> T {
    serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

struct Life {
    random: Random,
    size: Size,
    templates: Vec<PodObject>,
    services: Vec<Service>,
    budgets: Vec<PodDisruptionBudget>,
    cluster: Cluster,
    fast: Scheduler,
    walk: Scheduler,
    waiting: Vec<PodIx>,
    placed: Vec<PodIx>,
    made: usize,
    tally: Tally,
}

impl Life {
    fn new(seed: u64, size: Size) -> Self {
        let mut random = Random::new(seed);
        let version = usize::try_from(random.below(Version::ALL.len() as u64)).unwrap_or(0);
        let mut cluster = Cluster::new(Release::of(Version::ALL[version]));
        let configuration = configuration(&mut random);
        let profiles = build_profiles(&configuration, &registry(), &mut cluster);
        let profiles = profiles.expect("the configuration is valid");
        let services: Vec<Service> = (0..4).map(|app| object(&service(app))).collect();
        let budgets: Vec<PodDisruptionBudget> = (0..4).map(|app| object(&budget(app))).collect();
        let nodes = (0..size.nodes).map(|number| object::<Node>(&node(&mut random, number)));
        let nodes: Vec<Event> = nodes.map(Arc::new).map(Event::NodeSet).collect();
        let templates = (0..size.templates).map(|number| {
            let pod: Pod = object(&template(&mut random, number));
            stored_pod(&pod, Arc::new(template_of(&pod)))
        });
        let templates = templates.collect();
        cluster.apply_all(nodes);
        cluster.apply_all(
            services
                .iter()
                .cloned()
                .map(Arc::new)
                .map(Event::ServiceSet),
        );
        cluster.apply_all(budgets.iter().cloned().map(Arc::new).map(Event::BudgetSet));
        let percentage = configuration.percentage_of_nodes_to_score;
        let tie_break = match random.below(4) {
            0 => TieBreak::First,
            _ => TieBreak::Random,
        };
        let fast = Scheduler::new(profiles, percentage, tie_break, seed);
        Self {
            random,
            size,
            walk: fast.clone(),
            fast,
            templates,
            services,
            budgets,
            cluster,
            waiting: Vec::new(),
            placed: Vec::new(),
            made: 0,
            tally: Tally::default(),
        }
    }

    fn apply(&mut self, event: Event) {
        self.tally.events += 1;
        self.cluster.apply(event);
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.random.below(bound as u64)).unwrap_or(0)
    }

    fn one_of(&mut self, pods: fn(&Self) -> &Vec<PodIx>) -> Option<PodIx> {
        let count = pods(self).len();
        (count > 0).then(|| {
            let position = self.below(count);
            pods(self)[position]
        })
    }

    /// One act: mostly Pods of one template in a row.
    fn act(&mut self) {
        match self.below(100) {
            0..60 => self.roll_out(),
            60..72 => self.retry(),
            72..80 => self.delete(),
            80..84 => self.terminate(),
            84..91 => self.change_node(),
            91..94 => self.nominate(),
            94..96 => self.change_namespace(),
            96..98 => self.change_service(),
            _ => self.change_budget(),
        }
    }

    fn roll_out(&mut self) {
        let position = self.below(self.templates.len());
        let template = self.templates[position].clone();
        let ordinals = self.below(3) == 0;
        for _ in 0..=self.below(12) {
            self.made += 1;
            let name: Arc<str> = format!("pod-{}", self.made).into();
            let mut pod = PodObject {
                uid: Arc::clone(&name),
                name: Arc::clone(&name),
                ..template.clone()
            };
            if ordinals {
                let mut own = (*pod.template).clone();
                own.labels.insert("ordinal".to_owned(), name.to_string());
                own.spec.hostname = Some(name.to_string());
                pod.template = Arc::new(own);
            }
            self.apply(Event::PodAdded(Box::new(pod)));
            let namespace = &template.namespace;
            if let Some(pod) = self.cluster.pods().find(namespace, &name).map(|pod| pod.ix) {
                self.schedule(pod);
            }
        }
    }

    fn retry(&mut self) {
        for _ in 0..self.below(8) {
            if let Some(pod) = self.one_of(|life| &life.waiting) {
                self.waiting.retain(|known| *known != pod);
                self.schedule(pod);
            }
        }
    }

    fn schedule(&mut self, pod: PodIx) {
        let Some(info) = self.cluster.pods().get(pod).cloned() else {
            return;
        };
        let mut fast = Fast::default();
        let mut walk = Walk::default();
        let one = self.fast.schedule(&self.cluster, &info, 0, &mut fast);
        let other = self.walk.schedule(&self.cluster, &info, 0, &mut walk);
        let key = info.object.key();
        assert_eq!(format!("{one:?}"), format!("{other:?}"), "{key}");
        assert_eq!(fast.highest, walk.0, "{key}");
        assert_eq!(self.fast.position(), self.walk.position(), "{key}");
        self.tally.cycles += 1;
        self.tally.ranked += usize::from(fast.is_ranked);
        match one {
            Outcome::Scheduled { node, .. } => {
                let node = Arc::clone(&self.cluster.node(node).name);
                let start_ms = i64::try_from(self.tally.cycles).unwrap_or(0);
                self.apply(Event::PodBound {
                    pod,
                    node,
                    start_ms,
                });
                self.placed.push(pod);
            }
            Outcome::Unschedulable(unschedulable) => self.hand_back(pod, &unschedulable),
            Outcome::Error { .. } => {
                self.apply(Event::Nominated { pod, node: None });
                self.waiting.push(pod);
            }
        }
    }

    fn hand_back(&mut self, pod: PodIx, unschedulable: &Unschedulable) {
        self.tally.unschedulable += 1;
        self.waiting.push(pod);
        if let Some(preemption) = &unschedulable.preemption {
            self.tally.preempted += 1;
            for &victim in &preemption.victims {
                self.remove(victim);
            }
            let node = Some(Arc::clone(&self.cluster.node(preemption.node).name));
            self.apply(Event::Nominated { pod, node });
        } else if unschedulable.clear_nomination {
            self.apply(Event::Nominated { pod, node: None });
        }
    }

    fn remove(&mut self, pod: PodIx) {
        self.apply(Event::PodDeleted(pod));
        self.placed.retain(|known| *known != pod);
        self.waiting.retain(|known| *known != pod);
    }

    fn delete(&mut self) {
        for _ in 0..=self.below(4) {
            if let Some(pod) = self.one_of(|life| &life.placed) {
                self.remove(pod);
            }
        }
        if self.waiting.len() > 200
            && let Some(pod) = self.one_of(|life| &life.waiting)
        {
            self.remove(pod);
        }
    }

    fn terminate(&mut self) {
        let Some(pod) = self.one_of(|life| &life.placed) else {
            return;
        };
        let Some(info) = self.cluster.pods().get(pod) else {
            return;
        };
        let mut object = Box::new(info.object.clone());
        match self.below(3) {
            0 => object.phase = Phase::Succeeded,
            1 => object.preempted_by_scheduler = true,
            _ => {}
        }
        object.terminating = true;
        self.apply(Event::PodUpdated { pod, object });
    }

    fn change_node(&mut self) {
        let number = self.below(self.size.nodes + self.size.nodes / 20 + 1);
        let name = format!("node-{number}");
        if self.below(8) == 0 {
            self.apply(Event::NodeDeleted(name));
            let pods = self.cluster.pods();
            let lost = |pod: &PodIx| pods.get(*pod).is_none_or(|pod| pod.node.is_none());
            let lost: Vec<PodIx> = self.placed.iter().copied().filter(lost).collect();
            for pod in lost {
                self.remove(pod);
            }
            return;
        }
        let node: Node = object(&node(&mut self.random, number));
        self.apply(Event::NodeSet(Arc::new(node)));
    }

    fn nominate(&mut self) {
        let Some(pod) = self.one_of(|life| &life.waiting) else {
            return;
        };
        let nodes = self.cluster.node_order().len();
        let node: Option<NodeIx> = match self.below(3) {
            0 if nodes > 0 => {
                let position = self.below(nodes);
                self.cluster.node_order().get(position).copied()
            }
            _ => None,
        };
        let node = node.map(|node| Arc::clone(&self.cluster.node(node).name));
        self.apply(Event::Nominated { pod, node });
        // Most of the time nobody is nominated, so that the fast path has its turn.
        if self.below(4) > 0 {
            for pod in self.waiting.clone() {
                if self.cluster.nominations().of(pod).is_some() {
                    self.apply(Event::Nominated { pod, node: None });
                }
            }
        }
    }

    fn change_namespace(&mut self) {
        let team = ["red", "blue"][self.below(2)];
        let name = ["default", "other"][self.below(2)].to_owned();
        let labels = [("team".to_owned(), team.to_owned())];
        let labels = labels.into_iter().collect();
        self.apply(Event::NamespaceSet { name, labels });
    }

    fn change_service(&mut self) {
        let position = self.below(self.services.len());
        let service = self.services[position].clone();
        let event = match self.below(2) {
            0 => Event::ServiceSet(Arc::new(service)),
            _ => Event::Removed {
                kind: StoredKind::Service,
                namespace: service.metadata.namespace.unwrap_or_default(),
                name: service.metadata.name.unwrap_or_default(),
            },
        };
        self.apply(event);
    }

    fn change_budget(&mut self) {
        let position = self.below(self.budgets.len());
        let mut budget = self.budgets[position].clone();
        let mut status = budget.status.unwrap_or_default();
        status.disruptions_allowed = Some(i32::try_from(self.below(3)).unwrap_or(0));
        budget.status = Some(status);
        self.apply(Event::BudgetSet(Arc::new(budget)));
    }
}

fn play(seed: u64, size: Size, acts: usize) -> Tally {
    let mut life = Life::new(seed, size);
    for _ in 0..acts {
        life.act();
    }
    life.cluster.audit().expect("the sums are right");
    life.tally
}

fn add(sum: &mut Tally, life: Tally) {
    sum.events += life.events;
    sum.cycles += life.cycles;
    sum.ranked += life.ranked;
    sum.unschedulable += life.unschedulable;
    sum.preempted += life.preempted;
}

#[test]
fn small_lives_are_decided_as_by_the_walk() {
    let mut sum = Tally::default();
    for seed in 0..40 {
        let size = Size {
            nodes: 3 + usize::try_from(seed).unwrap_or(0),
            templates: 20,
        };
        add(&mut sum, play(seed, size, 120));
    }
    assert!(sum.ranked * 8 > sum.cycles, "{sum:?}");
    assert!(sum.unschedulable > 0 && sum.preempted > 0, "{sum:?}");
}

#[test]
#[ignore = "minutes"]
fn large_lives_are_decided_as_by_the_walk() {
    let number = |name: &str, default: u64| {
        let given = std::env::var(name).ok().and_then(|it| it.parse().ok());
        given.unwrap_or(default)
    };
    let (first, lives) = (number("BERTH_FIRST", 1000), number("BERTH_LIVES", 6));
    let acts = usize::try_from(number("BERTH_ACTS", 2000)).unwrap_or(0);
    let mut sum = Tally::default();
    for seed in first..first + lives {
        let size = Size {
            nodes: 300 + usize::try_from(seed * 337 % 1700).unwrap_or(0),
            templates: 500,
        };
        let life = play(seed, size, acts);
        println!("seed {seed}, {} nodes: {life:?}", size.nodes);
        add(&mut sum, life);
    }
    println!("{sum:?}");
    assert!(sum.ranked * 8 > sum.cycles, "{sum:?}");
}
