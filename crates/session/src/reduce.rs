//! From an attempt in any cluster to the smallest case that still shows it.
//!
//! What the facts of the attempt name is cut out of the cluster ([`mod@cut`]); delta debugging leaves out all that can go
//! while the essence holds ([`mod@essence`]): the plugins, reasons and sums, and a verified fix of the attempt; all names get
//! new ones ([`mod@rename`]); and then each part that is left is tried once more, so that none can go. Each trial plays a whole
//! session. A reduction is a job: it is advanced by trials, and can be stopped with what is reached so far.

mod cut;
mod essence;
mod names;
mod objects;
mod rename;
mod shrink;
mod sides;
mod trial;
mod write;

use std::collections::{BTreeMap, BTreeSet};

pub use berth_core::api::scenario::Case;
use berth_protocol::cycle::Cycle;
use berth_protocol::fix::{Change, Fix};
use berth_protocol::key::split;
use berth_protocol::reduce::{ReducedCase, Size};
use berth_protocol::remark::Remark;
use serde_json::Value;

use super::fixes::FixSearch;
use crate::session::{Options, Session};
use crate::{explain, fixes};
pub use write::date;

use cut::{Cut, Scope};
use essence::Essence;
use objects::{Fold, Objects};
use shrink::Shrink;
use sides::Other;
use trial::{Trial, is_same, kind_alone, play};

/// Maximum number of verified fixes that are tried as the counterfactual.
const MAX_FIXES: usize = 4;

/// A reduction that goes on.
pub struct Reduction {
    /// At the attempt.
    session: Session,
    /// Of the trials.
    options: Options,
    cycle: Cycle,
    fixes: Vec<Fix>,
    essence: Essence,
    /// The fix that has to work.
    fix: Option<Change>,
    /// The run that comes out differently, if that is what the case shows.
    other: Option<Other>,
    /// The Pod of the claim: `namespace/name`.
    pod: String,
    phase: Phase,
    runs: usize,
    from: Size,
    /// The best draft so far.
    documents: Vec<Value>,
    names: BTreeMap<String, String>,
    /// Number of selectors in the cut that select all Pods.
    selectors_of_all: usize,
    is_stopped: bool,
}

enum Phase {
    /// Verified fixes are looked for.
    Fixes(FixSearch),
    Cuts(Box<Cuts>),
    /// Parts are left out, in groups.
    Shrinks(Shrink),
    /// Names are hidden.
    Renames,
    /// Each part that is left is tried once more.
    Polishes(Shrink),
    Done(Option<Remark>),
}

/// Cuts, the smallest first.
struct Cuts {
    /// The next one: scope, fix, how the Pods of a node are folded.
    next: Vec<(Scope, bool, Option<usize>, Fold)>,
    objects: Option<(bool, Objects)>,
    /// The first one that holds but for its fix.
    without_fix: Option<(Vec<Value>, Essence)>,
}

fn size_of(documents: &[Value]) -> Size {
    let count = |kind: &str| {
        let of_kind = |it: &&Value| it.get("kind").and_then(Value::as_str) == Some(kind);
        documents.iter().filter(of_kind).count()
    };
    Size {
        nodes: count("Node"),
        pods: count("Pod"),
    }
}

/// How far a reduction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Trials so far.
    pub runs: usize,
    /// The whole cluster.
    pub from: Size,
    /// The best so far; `None` before anything was left out.
    pub to: Option<Size>,
}

/// The result of a reduction.
#[derive(Clone, Debug)]
pub struct Reduced {
    pub case: Case,
    /// The old names with the new ones.
    pub names: BTreeMap<String, String>,
    pub shown: ReducedCase,
}

impl Reduction {
    /// Begins to reduce the attempt at a position of the log; makes no trial yet.
    ///
    /// # Errors
    /// If there is no such attempt, or nothing decided it.
    pub fn begin(session: &Session, position: usize) -> Result<Self, Remark> {
        let cycle = decided(session, position)?;
        let candidates = fixes::candidates(session, position)?;
        let phase = Phase::Fixes(FixSearch::new(position, candidates));
        Self::at(session, position, cycle, phase)
    }

    /// Begins to reduce the first attempt that comes out differently in two runs of the same objects: of `pod`
    /// (`namespace/name`), or of any Pod. Both runs are at their ends. Makes no trial yet.
    ///
    /// # Errors
    /// If nothing differs, or nothing decided it.
    pub fn between(a: &Session, b: &Session, pod: Option<&str>) -> Result<Self, Remark> {
        let (at_a, at_b) = sides::first_difference(a, b, pod)?;
        let cycle = decided(a, at_a)?;
        let other = Other::new(a, b, decided(b, at_b)?);
        let phase = Phase::Cuts(Box::new(Cuts::new(0)));
        Ok(Self {
            other: Some(other),
            ..Self::at(a, at_a, cycle, phase)?
        })
    }

    fn at(session: &Session, position: usize, cycle: Cycle, phase: Phase) -> Result<Self, Remark> {
        let then = session.branch(position);
        let then = then.ok_or_else(|| Remark::no_attempt(position))?;
        let cluster = then.run().cluster();
        let options = Options {
            first_on_ties: session.options().first_on_ties,
            seed: session.options().seed,
            ..Options::default()
        };
        Ok(Self {
            from: Size {
                nodes: cluster.nodes().count(),
                pods: cluster.pods().iter().count(),
            },
            essence: Essence::of(&cycle, &BTreeSet::new()),
            pod: cycle.pod.clone(),
            phase,
            session: then,
            options,
            cycle,
            fixes: Vec::new(),
            fix: None,
            other: None,
            runs: 0,
            documents: Vec::new(),
            names: BTreeMap::new(),
            selectors_of_all: 0,
            is_stopped: false,
        })
    }

    /// Makes up to `limit` trials; returns whether more remain.
    pub fn advance(&mut self, limit: usize) -> bool {
        for _ in 0..limit {
            if self.is_done() {
                break;
            }
            self.step();
        }
        !self.is_done()
    }

    fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Done(_))
    }

    /// Leaves it at what is reached so far; no effect at its end. Names are still to be hidden: call [`Self::advance`] until it ends.
    pub fn stop(&mut self) {
        self.is_stopped |= !self.is_done();
        match &self.phase {
            Phase::Fixes(_) | Phase::Cuts(_) => {
                self.phase = Phase::Done(Some(Remark::stopped_too_early()));
            }
            Phase::Shrinks(shrink) => {
                self.documents = shrink.documents();
                self.phase = Phase::Renames;
            }
            Phase::Polishes(shrink) => {
                self.documents = shrink.documents();
                self.phase = Phase::Done(None);
            }
            Phase::Renames | Phase::Done(_) => {}
        }
    }

    pub fn progress(&self) -> Progress {
        let to = match &self.phase {
            Phase::Fixes(_) | Phase::Cuts(_) => None,
            Phase::Shrinks(shrink) | Phase::Polishes(shrink) => Some(size_of(&shrink.documents())),
            Phase::Renames | Phase::Done(_) => Some(size_of(&self.documents)),
        };
        Progress {
            runs: self.runs,
            from: self.from,
            to,
        }
    }

    /// Makes one trial, or goes on to the next phase.
    fn step(&mut self) {
        let phase = std::mem::replace(&mut self.phase, Phase::Done(None));
        self.phase = match phase {
            Phase::Fixes(mut search) => {
                if search.is_done() || search.fixes().len() >= MAX_FIXES {
                    self.fixes = suited(search.fixes());
                    Phase::Cuts(Box::new(Cuts::new(self.fixes.len())))
                } else {
                    self.runs += 1;
                    search.try_next(&self.session);
                    Phase::Fixes(search)
                }
            }
            Phase::Cuts(cuts) => self.cut(cuts),
            Phase::Shrinks(mut shrink) => match shrink.candidate() {
                Some(candidate) => {
                    shrink.answer(self.holds(&candidate));
                    Phase::Shrinks(shrink)
                }
                None => {
                    self.documents = shrink.documents();
                    self.merge();
                    Phase::Renames
                }
            },
            Phase::Renames => match self.rename() {
                true if self.is_stopped => Phase::Done(None),
                true => Phase::Polishes(self.shrink(true)),
                false => Phase::Done(Some(Remark::reduces_no_names())),
            },
            Phase::Polishes(mut shrink) => match shrink.candidate() {
                Some(candidate) => {
                    shrink.answer(self.holds(&candidate));
                    Phase::Polishes(shrink)
                }
                None => {
                    self.documents = shrink.documents();
                    Phase::Done(None)
                }
            },
            Phase::Done(why) => Phase::Done(why),
        };
    }

    /// The draft becomes smaller, but for its Scenario.
    fn shrink(&mut self, is_by_part: bool) -> Shrink {
        self.selectors_of_all = self.documents.iter().map(selectors_of_all).sum();
        Shrink::new(self.documents.clone(), 1, is_by_part)
    }

    fn cut(&mut self, mut cuts: Box<Cuts>) -> Phase {
        let Some((scope, whole, fix, fold)) = cuts.next.pop() else {
            let Some((documents, essence)) = cuts.without_fix else {
                return Phase::Done(Some(Remark::reduces_not_alone()));
            };
            (self.documents, self.essence, self.fix) = (documents, essence, None);
            return Phase::Shrinks(self.shrink(false));
        };
        if cuts
            .objects
            .as_ref()
            .is_none_or(|(is_whole, _)| *is_whole != whole)
        {
            cuts.objects = Objects::at(&self.session, whole).map(|objects| (whole, objects));
        }
        let Some((_, objects)) = &cuts.objects else {
            return Phase::Done(Some(Remark::reduces_nothing(&self.pod)));
        };
        let fix = fix.and_then(|index| self.fixes.get(index));
        let mut cut = Cut::of(&self.session, &self.cycle, fix, scope);
        if let Some(other) = &self.other {
            cut = cut.joined(Cut::of(&self.session, &other.cycle, None, scope));
        }
        let mut documents = cut.documents(objects, fold);
        self.runs += 1;
        let essence = Essence::of(&self.cycle, &cut.witnesses);
        let trial = play(&documents, &self.options, &self.pod);
        let Some(trial) = trial.filter(|trial| essence.holds(&trial.cycle)) else {
            return Phase::Cuts(cuts);
        };
        if let Some(other) = &mut self.other {
            other.add_to(&mut documents);
            other.essence = Essence::of(&other.cycle, &cut.witnesses);
            if !other.holds(&documents, &self.options, &self.pod) {
                return Phase::Cuts(cuts);
            }
        }
        let what = fix.map(|fix| &fix.what);
        if !works(what, &trial) {
            cuts.without_fix.get_or_insert((documents, essence));
            return Phase::Cuts(cuts);
        }
        (self.fix, self.documents, self.essence) = (what.cloned(), documents, essence);
        Phase::Shrinks(self.shrink(false))
    }

    fn holds(&mut self, documents: &[Value]) -> bool {
        // Without its labels a selector selects all Pods: another story.
        if documents.iter().map(selectors_of_all).sum::<usize>() > self.selectors_of_all {
            return false;
        }
        self.runs += 1;
        let trial = play(&sides::of_first(documents), &self.options, &self.pod);
        let trial = trial.filter(|trial| self.essence.holds(&trial.cycle));
        let other = self.other.as_ref();
        trial.is_some_and(|trial| works(self.fix.as_ref(), &trial))
            && other.is_none_or(|other| other.holds(documents, &self.options, &self.pod))
    }

    /// Pods that have become alike are one now, if that holds.
    fn merge(&mut self) {
        let merged = objects::merged(&self.documents);
        if let Some(merged) = merged.filter(|merged| self.holds(merged)) {
            self.documents = merged;
        }
    }

    /// Gives the draft new names; `false` if it does not hold with them.
    fn rename(&mut self) -> bool {
        self.runs += 1;
        let all = sides::with_true_kinds(&self.documents);
        let (documents, names) = rename::renamed(&all, split(&self.pod));
        let documents = sides::with_kinds_of(&self.documents, documents);
        let new = |name: &str| names.get(name).map_or(name, String::as_str).to_owned();
        let (namespace, name) = split(&self.pod);
        let pod = format!("{}/{}", new(namespace), new(name));
        let before = play(&sides::of_first(&self.documents), &self.options, &self.pod);
        let after = play(&sides::of_first(&documents), &self.options, &pod);
        let Some((essence, after)) = renamed_essence(before, after) else {
            return false;
        };
        if let Some(other) = &mut self.other {
            let before = other.play(&self.documents, &self.options, &self.pod);
            let after = other.play(&documents, &self.options, &pod);
            let Some((essence, _)) = renamed_essence(before, after) else {
                return false;
            };
            other.essence = essence;
        }
        if let Some(change) = &self.fix {
            let kind = kind_alone(change);
            let Some(fix) = after.fix(|other| other.kind() == kind) else {
                return false;
            };
            self.fix = Some(fix.what);
        }
        (self.documents, self.essence) = (documents, essence);
        (self.pod, self.names) = (pod, names);
        true
    }

    /// The case, once the reduction has ended. `date`: when, as `2026-11-30`; `source`: where it comes from.
    ///
    /// # Errors
    /// Why there is none.
    pub fn finish(self, date: Option<String>, source: Option<String>) -> Result<Reduced, Remark> {
        match &self.phase {
            Phase::Done(None) => write::reduced(&self, date, source),
            Phase::Done(Some(why)) => Err(why.clone()),
            _ => Err(Remark::stopped_too_early()),
        }
    }
}

impl Cuts {
    fn new(fixes: usize) -> Self {
        let scopes = [
            (Scope::Witnesses, false),
            (Scope::Domains, false),
            (Scope::All, false),
            (Scope::All, true),
        ];
        let fixes: Vec<Option<usize>> = match fixes {
            0 => vec![None],
            count => (0..count).map(Some).collect(),
        };
        let all = scopes.into_iter().flat_map(|(scope, whole)| {
            let of_scope = fixes.iter().map(move |fix| (scope, whole, *fix));
            of_scope.flat_map(|(scope, whole, fix)| {
                [Fold::All, Fold::ByPriority, Fold::Nothing].map(|fold| (scope, whole, fix, fold))
            })
        });
        let mut next: Vec<_> = all.collect();
        next.reverse();
        Self {
            next,
            objects: None,
            without_fix: None,
        }
    }
}

/// Number of selectors without a label.
fn selectors_of_all(value: &Value) -> usize {
    let is_empty = |value: &Value| match value {
        Value::Object(map) => map.values().all(|it| match it {
            Value::Object(labels) => labels.is_empty(),
            Value::Array(expressions) => expressions.is_empty(),
            _ => false,
        }),
        _ => false,
    };
    match value {
        Value::Array(items) => items.iter().map(selectors_of_all).sum(),
        Value::Object(map) => map
            .iter()
            .map(|(field, value)| match field.as_str() {
                "labelSelector" | "namespaceSelector" => usize::from(is_empty(value)),
                _ => selectors_of_all(value),
            })
            .sum(),
        _ => 0,
    }
}

/// The attempt at a position of the log, if something decided it.
fn decided(session: &Session, position: usize) -> Result<Cycle, Remark> {
    let cycle = explain::attempt(session, position)?;
    if cycle.error {
        return Err(Remark::reduces_no_error());
    }
    if cycle.selected.is_some() && cycle.tie_break.is_some() {
        return Err(Remark::reduces_no_tie());
    }
    Ok(cycle)
}

/// What a draft comes to under new names, if that is like what it came to before.
fn renamed_essence(before: Option<Trial>, after: Option<Trial>) -> Option<(Essence, Trial)> {
    let essence_of = |trial: &Trial| {
        let nodes = trial.cycle.nodes.iter().map(|report| report.node.clone());
        Essence::of(&trial.cycle, &nodes.collect())
    };
    let (before, after) = (before?, after?);
    let essence = essence_of(&after);
    essence
        .is_like(&essence_of(&before))
        .then_some((essence, after))
}

/// Whether the change still lets the Pod land.
fn works(change: Option<&Change>, trial: &Trial) -> bool {
    change.is_none_or(|change| trial.fix(|other| is_same(change, other)).is_some())
}

/// The fixes after which the Pod lands, those that change what exists first.
fn suited(fixes: &[Fix]) -> Vec<Fix> {
    let lands = fixes.iter().filter(|fix| !fix.node.is_empty());
    let mut suited: Vec<Fix> = lands.cloned().collect();
    suited.sort_by_key(|fix| matches!(fix.what, Change::AddNode { .. } | Change::Both { .. }));
    suited
}

#[cfg(test)]
mod tests;
