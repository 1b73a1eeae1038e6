//! Opens the sides of a comparison: the manifests with a side's settings, or a run that was forked.

use std::collections::BTreeMap;

use berth_core::api::load::Loaded;
use berth_core::api::object::Manifest;
use berth_core::api::scenario::Scenario;
use berth_core::api::source::SourceFile;
use berth_protocol::compare::{Origin, Pairing, Side};
use berth_protocol::edit::EditError;
use berth_protocol::problem::Problem;
use berth_protocol::remark::Remark;
use berth_scheduler::release::Version;

use berth_sim::simulated_cluster::SimulatedCluster;

use super::history::History;
use crate::session::{Options, Session};
use crate::{sources, variant};

/// The Scenario among the documents.
pub(super) fn scenario_of(loaded: &Loaded) -> Option<&Scenario> {
    let mut documents = loaded.documents.iter();
    documents.find_map(|document| match document.object.as_deref() {
        Some(Manifest::Scenario(scenario)) => Some(&**scenario),
        _ => None,
    })
}

/// A side whose manifests were read.
pub struct OpenedSide {
    pub session: Session,
    /// `false`: no document could be read, or kube-scheduler would refuse the configuration.
    pub taken: bool,
}

/// Reads the manifests with the settings of a side, but for its patches and removed nodes ([`vary`]).
///
/// # Errors
/// If there is no such release.
pub fn open(files: &[SourceFile], options: &Options, side: &Side) -> Result<OpenedSide, Remark> {
    let mut options = options.clone();
    if let Some(version) = &side.kubernetes {
        options.release.kubernetes = Some(Version::parse(version)?);
    }
    let gates = side
        .feature_gates
        .iter()
        .map(|(name, on)| (name.clone(), *on));
    options.release.feature_gates.extend(gates);
    options.seed = side.seed.unwrap_or(options.seed);
    options.first_on_ties = side.first_on_ties.unwrap_or(options.first_on_ties);
    let mut session = Session::new(options);
    let taken = match &side.config {
        None => session.apply(files),
        Some((name, text)) => {
            let configuration = SourceFile::new(name.clone(), text.clone());
            // With an invalid configuration, every placement would be wrong.
            sources::apply_configured(&mut session, files, &configuration)
                && !session
                    .problems()
                    .iter()
                    .any(|problem| problem.is_error() && problem.file == *name)
        }
    };
    Ok(OpenedSide { session, taken })
}

/// Merges a side's patches, and removes the nodes that it is without.
///
/// # Errors
/// The first one, with the setting that it concerns.
pub fn vary<'s>(session: &mut Session, side: &'s Side) -> Result<(), (&'s str, EditError)> {
    for (name, text) in &side.patches {
        let file = SourceFile::new(name.clone(), text.clone());
        variant::merge(session, &file).map_err(|error| (name.as_str(), error))?;
    }
    for labels in &side.without {
        variant::remove_nodes(session, labels).map_err(|error| (labels.as_str(), error))?;
    }
    Ok(())
}

/// The first Scenario of the manifests.
pub(super) fn scenario(session: &Session) -> Option<&Scenario> {
    scenario_of(&session.manifests().loaded)
}

/// The feature gates that are set: by the Scenario, or outside of the manifests.
pub(super) fn feature_gates(session: &Session) -> BTreeMap<String, bool> {
    let written = scenario(session).and_then(|scenario| scenario.feature_gates.as_ref());
    session.options().release.gates(written)
}

/// Whether the Scenario says what to compare.
pub fn compares(session: &Session) -> bool {
    scenario(session).is_some_and(|scenario| !scenario.compare.is_null())
}

/// What the Scenario says to compare.
pub fn suggested(session: &Session) -> Option<Pairing> {
    scenario(session)?.pairing().map(|(pairing, _)| pairing)
}

/// A side of a comparison, at the beginning of its run; a fork or a first run is at its end so far.
///
/// # Errors
/// Why it cannot be run.
pub fn open_side(base: &Session, side: &Side) -> Result<Session, Remark> {
    let mut session = match side.from {
        Origin::Manifests => {
            let options = Options {
                live: false,
                ..base.state.options.clone()
            };
            let OpenedSide { session, taken } = open(base.sources(), &options, side)?;
            // The manifests' own problems are known; those of the side's settings are in no file of theirs.
            let is_of_side = |problem: &&Problem| {
                let mut files = base.sources().iter();
                problem.is_error() && (!taken || files.all(|file| file.name != problem.file))
            };
            if let Some(problem) = session.problems().iter().find(is_of_side) {
                return Err(in_full(problem));
            }
            session
        }
        Origin::FirstRun => first_run(base).ok_or_else(Remark::no_first_run)?,
        Origin::Fork => base
            .branch(base.log().len())
            .ok_or_else(Remark::no_position)?,
    };
    vary(&mut session, side).map_err(|(_, error)| error.remark())?;
    Ok(session)
}

/// A copy of the run that the present one was forked from, at its end so far.
fn first_run(session: &Session) -> Option<Session> {
    let (past, state) = session.state.fork.as_ref()?.first_run();
    let mut history = History::resume(past.clone());
    history.seek(past.log().len());
    Some(Session {
        terminal_files: session.terminal_files.clone(),
        ..Session::of(state.clone(), history)
    })
}

/// A problem as a sentence.
fn in_full(problem: &Problem) -> Remark {
    let message = match problem.path.as_str() {
        "" => problem.message.clone(),
        path => Remark::prefixed(path, problem.message.clone()),
    };
    match problem.help.is_empty() {
        true => message,
        false => Remark::advised(message, problem.help.clone()),
    }
}

/// The moment until which both sides run on, in milliseconds since the start: a simulated cluster has no end of its
/// own. `None` if neither has a clock.
pub fn until_ms(a: &Session, b: &Session) -> Option<i64> {
    let now = |side: &Session| side.simulated_cluster().map(SimulatedCluster::elapsed_ms);
    now(a).max(now(b))
}

/// Makes up to `limit` steps of a side; `false` once it is at its end.
pub fn run_on(side: &mut Session, until_ms: Option<i64>, limit: usize) -> bool {
    (0..limit).all(|_| {
        let now = side.simulated_cluster().map(SimulatedCluster::elapsed_ms);
        let is_there = now.is_some() && now >= until_ms;
        !is_there && side.step()
    })
}
