use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::moment;
use crate::ui::engine::host::Host;
use crate::ui::engine::journal::{Journal, read};
use berth_base::random::Random;
use berth_protocol::command::{Command, Control, Input, Moment, Mutation, Recording, Run, Travel};
use berth_protocol::gesture::{Gesture, Label, NodeTemplate};
use berth_protocol::page::Update;
use berth_protocol::terminal::Printed;
use berth_session::{Options, Session, fork, frame, simulated};

/// A page whose visit is recorded.
struct Visit {
    session: Rc<RefCell<Session>>,
    host: Host,
    journal: Journal,
    /// The updates so far.
    updates: Vec<Update>,
}

impl Visit {
    fn new() -> Self {
        let session = Rc::new(RefCell::new(Session::new(Options::default())));
        Self {
            host: Host::of(Rc::clone(&session)),
            session,
            journal: Journal::default(),
            updates: Vec::new(),
        }
    }

    fn take(&mut self, updates: Vec<Update>) {
        for update in &updates {
            if let Update::Noted {
                before,
                interrupts,
                taken,
            } = update
            {
                self.journal.noted(*before, *interrupts, *taken);
            }
        }
        self.updates.extend(updates);
    }

    fn send(&mut self, command: Command) {
        if let Command::Mutate(mutation) = &command {
            self.journal.sent(mutation);
        }
        let updates = self.host.handle(command);
        self.take(updates);
    }

    fn work(&mut self, slices: usize) {
        for _ in 0..slices {
            if self.host.is_running() {
                let updates = self.host.work();
                self.take(updates);
                self.host.handle(Command::Control(Control::Drawn));
            }
        }
    }

    /// The lines of the terminal that have run, or that a reload replayed.
    fn printed(&self) -> Vec<Printed> {
        let mut lines: Vec<Printed> = Vec::new();
        for update in &self.updates {
            if let Update::Restored { printed, .. } = update {
                lines.clone_from(printed);
            } else if let Update::Printed(more) = update
                && !more.goes_on
            {
                match lines.last_mut().filter(|last| last.waits) {
                    Some(last) => last.resume((**more).clone()),
                    None => lines.push((**more).clone()),
                }
            }
        }
        lines
    }

    fn text(&self) -> String {
        let session = self.session.borrow();
        let text = session.sources().first().map(|file| file.text.to_string());
        text.unwrap_or_default()
    }

    /// Everything that a page shows of the visit.
    fn state(&self) -> (String, Moment, (usize, usize), String, bool, u64, String) {
        // A visit does not include how far a fork was tried.
        fork::advance(&mut self.session.borrow_mut(), usize::MAX);
        let session = self.session.borrow();
        (
            session.digest(),
            moment(&session),
            session.undo_depth(),
            self.text(),
            session.is_simulated(),
            session.options().seed,
            format!("{:?}", frame::build(&session)),
        )
    }

    /// The same visit after a reload.
    fn reloaded(&mut self) -> Self {
        let written = self.journal.written(&BTreeSet::new()).unwrap();
        let large = |digest| written.new.get(&digest).cloned();
        let recorded = read(&written.list, large).unwrap();
        let at = moment(&self.session.borrow());
        let waits = simulated::waits(&self.session.borrow());
        let mut again = Self::new();
        again.journal = Journal::of(&recorded);
        let text = self.text();
        let recording = Recording {
            recorded,
            at,
            waits,
        };
        again.send(Command::Control(Control::Restore { recording, text }));
        again.work(1_000_000);
        let is_restored = |update: &Update| matches!(update, Update::Restored { same: true, .. });
        assert!(
            again.updates.iter().any(is_restored),
            "{:?}",
            again.updates.last()
        );
        again
    }
}

const SCENARIO: &str = "
apiVersion: v1
kind: Node
metadata: {name: a, labels: {topology.kubernetes.io/zone: x}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {topology.kubernetes.io/zone: y}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx, resources: {requests: {cpu: '1'}}}]}
";

fn line(line: &str) -> Command {
    Command::Mutate(Mutation::Terminal(Input::Line {
        line: line.to_owned(),
    }))
}

/// A random next command of a user.
fn anything(random: &mut Random, visit: &Visit) -> Command {
    let lines = [
        "kubectl scale deployment web --replicas=9",
        "kubectl scale deployment web --replicas=2",
        "kubectl get pods -o wide",
        "kubectl rollout status deployment web; kubectl set image deployment/web c=nginx:2",
        "kubectl wait --for=condition=Ready pod -l app=web --timeout=90s && kubectl cordon a",
        "kubectl drain b --ignore-daemonsets",
        "kubectl uncordon a b",
        "X=5; kubectl create deployment d$X --image=nginx --replicas=$X",
        "sleep 30",
        "kubectl delete pod -l app=web",
        "kubectl get pods -w",
    ];
    let of = |random: &mut Random, limit: usize| random.below(limit as u64) as usize;
    match random.below(22) {
        0..4 => line(lines[of(random, lines.len())]),
        4..7 => Command::Travel(Travel::Step),
        7 => Command::Travel(Travel::StepBack),
        8 => Command::Travel(Travel::Seek {
            position: of(random, 30),
        }),
        9 => Command::Mutate(Mutation::Undo),
        10 => Command::Mutate(Mutation::Redo),
        11 => Command::Run(Run::ToEnd),
        12 => Command::Run(Run::Pause),
        13 => Command::Mutate(Mutation::Live(random.below(3) > 0)),
        14 => Command::Mutate(Mutation::Seed {
            seed: random.below(5),
        }),
        15 => Command::Mutate(Mutation::Gesture(Gesture::AddNodes {
            template: NodeTemplate::General,
            count: 1,
            topology: Some(Label {
                key: "topology.kubernetes.io/zone".to_owned(),
                value: "z".to_owned(),
            }),
        })),
        16 => Command::Mutate(Mutation::BackToFirstRun),
        17 => Command::Mutate(Mutation::KeepFork),
        18 => Command::Run(Run::Interrupt),
        19 => Command::Mutate(Mutation::Terminal(Input::Files(vec![(
            "more.yaml".to_owned(),
            "kind: Nothing".to_owned(),
        )]))),
        _ => Command::Mutate(Mutation::Type {
            text: visit.text().replace(
                ["cpu: '4'", "replicas: 5", "cpu: '1'", "name: a,"][of(random, 4)],
                ["cpu: '6'", "replicas: 7", "cpu: '2'", "name: {"][of(random, 4)],
            ),
            goes_on: random.below(2) == 0,
        }),
    }
}

#[test]
fn a_visit_continues_after_a_reload_at_any_moment() {
    for seed in 60..100 {
        let mut random = Random::new(seed);
        let mut visit = Visit::new();
        visit.send(Command::Mutate(Mutation::Open {
            text: SCENARIO.to_owned(),
        }));
        let mut history = Vec::new();
        for _ in 0..25 {
            let command = anything(&mut random, &visit);
            history.push(format!("{:?} {command:?}", moment(&visit.session.borrow())));
            visit.send(command);
            let slices = random.below(4) * random.below(9);
            visit.work(slices as usize);
        }
        let mut again = visit.reloaded();
        // A reload stops a run.
        visit.send(Command::Run(Run::Pause));
        assert_eq!(visit.state(), again.state(), "seed {seed}: {history:#?}");
        assert_eq!(
            visit.printed(),
            again.printed(),
            "seed {seed}: {history:#?}"
        );
        for command in [
            Command::Mutate(Mutation::Undo),
            Command::Mutate(Mutation::Undo),
            Command::Travel(Travel::Step),
        ] {
            visit.send(command.clone());
            again.send(command);
            visit.send(Command::Run(Run::Pause));
            again.send(Command::Run(Run::Pause));
        }
        assert_eq!(visit.text(), again.text(), "seed {seed}: {history:#?}");
    }
}
