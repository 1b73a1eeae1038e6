//! Applies new sources to a session: from the beginning, or from this moment on.

use std::rc::Rc;

use berth_core::api::decode::Finding;
use berth_core::api::load::{Document, Loaded};
use berth_core::api::manifests::{Manifests, of_loaded, read, read_again, read_configured};
use berth_core::api::object::Manifest;
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::scenario::Scenario;
use berth_core::api::source::SourceFile;
use berth_core::api::yaml::Target;
use berth_protocol::defaults::Defaults;
use berth_protocol::edit::{Edit, PathStep};
use berth_protocol::happening::Happening;
use berth_protocol::problem::{Problem, Severity};
use berth_protocol::remark::Remark;
use berth_scheduler::TieBreak;
use berth_scheduler::framework::profile::ProfileError;
use berth_scheduler::plugins::registry::registry;
use berth_scheduler::release::Version;
use berth_sim::run::{Run, RunOptions};

use super::delivery::Delivery;
use super::fork::changes;
use super::history::{self, History, Now};
use super::pairing::scenario_of;
use super::simulated::Simulated;
use crate::session::{Due, Options, Session};
use crate::simulated::mode;
use crate::{fork, lesson, undo};

/// How new sources are applied.
enum Change {
    /// In the mode of the session.
    Restart,
    /// From the beginning, in the mode that the Scenario names.
    Open,
    /// From the beginning, then up to the old position.
    Rerun,
    /// From this moment on.
    Here,
}

/// See [`Session::apply`].
pub(super) fn apply(session: &mut Session, files: &[SourceFile]) -> bool {
    apply_as(session, files, |_, _| Change::Restart)
}

fn apply_as(
    session: &mut Session,
    files: &[SourceFile],
    how: fn(&Session, &Manifests) -> Change,
) -> bool {
    // Undo does not go back to an empty session.
    if !session.sources().is_empty() {
        undo::remember(session, false);
    }
    let before = session.state.options.clone();
    if let Some(defaults) = session.next_defaults.take() {
        let release = defaults.kubernetes.as_deref().map(Version::parse);
        session.state.options.release.fallback = release.and_then(Result::ok).unwrap_or_default();
        session.state.options.edition = defaults.edition;
    }
    let manifests = read(files, &prepare_options(session));
    // Other sources are not part of the lesson.
    (session.state.lesson, session.state.locks) = (None, None);
    let delivery = &mut Delivery::default();
    let taken = apply_manifests(session, manifests, files.first(), how, delivery);
    if !taken {
        session.state.options = before;
    }
    taken
}

/// Sets the defaults of the scenario that is opened next. An unknown release counts as this version's default.
pub fn set_next_defaults(session: &mut Session, defaults: Defaults) {
    session.next_defaults = Some(defaults);
}

/// See [`Session::open`].
pub(super) fn open(session: &mut Session, files: &[SourceFile]) -> bool {
    apply_as(session, files, |_, _| Change::Open)
}

/// Like [`Session::apply`], with a KubeSchedulerConfiguration that replaces those of the files.
pub fn apply_configured(
    session: &mut Session,
    files: &[SourceFile],
    configuration: &SourceFile,
) -> bool {
    let manifests = read_configured(files, configuration, &prepare_options(session));
    undo::remember(session, false);
    let delivery = &mut Delivery::default();
    let restart = |_: &Session, _: &Manifests| Change::Restart;
    apply_manifests(session, manifests, Some(configuration), restart, delivery)
}

/// See [`Session::edit`].
pub(super) fn edit(session: &mut Session, files: &[SourceFile], goes_on: bool) -> bool {
    let manifests = read_again(files, session.manifests(), &prepare_options(session));
    undo::remember(session, goes_on);
    apply_edited(
        session,
        manifests,
        files.first(),
        &mut Delivery::of_text(goes_on),
    )
}

/// Like [`Session::edit`], for edits whose result is already loaded.
pub(super) fn edit_loaded(
    session: &mut Session,
    loaded: Loaded,
    delivery: &mut Delivery<'_>,
) -> bool {
    let first = loaded.files.first().cloned();
    let manifests = of_loaded(loaded, &prepare_options(session));
    undo::remember(session, false);
    apply_edited(session, manifests, first.as_ref(), delivery)
}

fn apply_edited(
    session: &mut Session,
    manifests: Manifests,
    first: Option<&SourceFile>,
    delivery: &mut Delivery<'_>,
) -> bool {
    if !lesson::is_before(session) {
        return apply_manifests(session, manifests, first, how_to_apply, delivery);
    }
    let loaded = &manifests.loaded;
    let finding = Finding::error("", Remark::before_lesson());
    let refused = loaded.documents.first();
    let refused = refused.map(|document| loaded.problem(&document.source, finding));
    session.state.problems = refused.into_iter().collect();
    session.state.pending_sources = Some(loaded.files.as_slice().into());
    false
}

pub(super) fn prepare_options(session: &Session) -> PrepareOptions {
    PrepareOptions {
        release: session.state.options.release.clone(),
        expand_workloads: session.state.options.expand_workloads,
        edition: session.state.options.edition,
    }
}

/// `configured_by`: the file to report if the configuration is refused.
fn apply_manifests(
    session: &mut Session,
    manifests: Manifests,
    configured_by: Option<&SourceFile>,
    how: fn(&Session, &Manifests) -> Change,
    delivery: &mut Delivery<'_>,
) -> bool {
    session.state.problems = manifests.problems.clone();
    session.state.problems.extend(unplayed_scripts(&manifests));
    session.state.pending_sources = Some(manifests.loaded.files.as_slice().into());
    if let Some(locks) = &session.state.locks {
        let (before, after) = (&session.manifests().loaded, &manifests.loaded);
        let refused = locks.refusals(before, after, delivery.edits);
        if !refused.is_empty() {
            session.state.problems.splice(0..0, refused);
            return false;
        }
    }
    let documents = &manifests.loaded.documents;
    let anything_good = documents.iter().any(|document| document.object.is_some());
    if manifests.has_errors() && !anything_good {
        return false;
    }
    let how = match how(session, &manifests) {
        // Before the first attempt a run may be made again, but then Pods would keep the places that they lose.
        Change::Rerun if is_of_this_moment(session, &manifests, delivery) => Change::Here,
        // Otherwise the old node would take its Pods with it.
        Change::Here if renames_node(delivery) => Change::Rerun,
        how => how,
    };
    // Otherwise an object would be deleted while its document is being typed.
    let breaks = errors(&manifests) > errors(session.manifests());
    if breaks && !matches!(how, Change::Restart | Change::Open) {
        return false;
    }
    let manifests = Rc::new(manifests);
    let read = Rc::clone(&manifests);
    let taken = match how {
        Change::Restart => {
            session.state.options.live = session.is_simulated();
            restart(session, manifests)
        }
        Change::Open => {
            session.state.options.live =
                scenario_of(&manifests.loaded).is_some_and(Scenario::is_live);
            restart(session, manifests)
        }
        Change::Rerun => rerun(session, manifests),
        Change::Here => go_on(session, manifests, delivery),
    };
    if let Err(errors) = taken {
        let file = configured_by.map_or("", |file| file.name.as_str());
        let errors = errors.into_iter();
        session
            .state
            .problems
            .extend(errors.map(|error| configuration_problem(&read.loaded, file, error)));
        return false;
    }
    session.state.pending_sources = None;
    true
}

/// Whether an edit by hand evicts Pods, or removes the nodes that they are on in their own manifests; or it is
/// logged with what was asked.
fn is_of_this_moment(session: &Session, after: &Manifests, delivery: &Delivery<'_>) -> bool {
    let before = session.manifests();
    if before.prepared.configuration != after.prepared.configuration {
        return false;
    }
    let mut deleted = delivery.edits.iter();
    let removes =
        deleted.any(|edit| matches!(edit, Edit::Delete { object } if object.kind == "Node"));
    removes || !delivery.evicted.is_empty() || delivery.asked.is_some()
}

/// Whether an edit gives a node another name.
fn renames_node(delivery: &Delivery<'_>) -> bool {
    delivery.edits.iter().any(|edit| match edit {
        Edit::Set { object, path, .. } => {
            let keys = path.iter().map(|step| match step {
                PathStep::Key(key) => key.as_str(),
                PathStep::Index(_) => "",
            });
            object.kind == "Node" && keys.eq(["metadata", "name"])
        }
        _ => false,
    })
}

pub(super) fn restart(
    session: &mut Session,
    manifests: Rc<Manifests>,
) -> Result<(), Vec<ProfileError>> {
    let run = start(&manifests, &session.state.options)?;
    session.history = History::new(run, manifests);
    session.state.fork = None;
    session.state.due = None;
    session.state.since = 0;
    Ok(())
}

fn rerun(session: &mut Session, manifests: Rc<Manifests>) -> Result<(), Vec<ProfileError>> {
    let run = start(&manifests, &session.state.options)?;
    let attempts = session.history.position();
    let switched = mode::switched_at(session);
    let was_at_end = session.history.now().next_pod().is_none() && attempts > 0;
    fork::keep_first_run(session, 0);
    session.history = History::new(run, manifests);
    session.state.since = 0;
    fork::renew(session);
    let there = if was_at_end { usize::MAX } else { attempts };
    // A run that has not reached its old position yet keeps that target.
    let position = session.state.due.map_or(there, |due| due.position);
    let live_from = session.state.due.map_or(switched, |due| due.live_from);
    session.state.due = Some(Due {
        position,
        live_from,
    });
    if !session.defers_catch_up {
        session.catch_up(usize::MAX);
    }
    Ok(())
}

fn go_on(
    session: &mut Session,
    manifests: Rc<Manifests>,
    delivery: &mut Delivery<'_>,
) -> Result<(), Vec<ProfileError>> {
    session.catch_up(usize::MAX);
    let asked = delivery.asked.take();
    let is_alone = asked.is_some() || (session.is_simulated() && !delivery.goes_on);
    let start = if is_alone {
        // The previous edit cannot be merged: it may have replaced objects or run commands.
        session.history.position()
    } else {
        session.history.edit_start()
    };
    let before = Rc::clone(session.history.manifests_at(start));
    let Some(base) = session.history.at(start) else {
        return Ok(());
    };
    let unchanged = !delivery.changes_objects() && before.loaded.files == manifests.loaded.files;
    let change = if unchanged {
        None
    } else {
        let (now, happened) = changed(session, base.into_owned(), (&before, &manifests), delivery)?;
        let stays = asked.is_some() || !delivery.evicted.is_empty();
        let only = changes::only(&before, &manifests);
        Some(history::Change {
            now,
            manifests,
            happened,
            stays,
            asked: asked.map(Rc::new),
            only: only.map(Rc::new),
            by_hand: true,
        })
    };
    if session.forks_at_end || session.history.position() < session.history.log().len() {
        fork::keep_first_run(session, session.history.position());
    }
    session.history.edit(start, change);
    session.state.since = session.state.since.min(start);
    fork::renew(session);
    Ok(())
}

/// The present after a change of the manifests, and its immediate happenings.
fn changed(
    session: &Session,
    base: Now,
    (before, after): (&Manifests, &Manifests),
    delivery: &mut Delivery<'_>,
) -> Result<(Now, Vec<Happening>), Vec<ProfileError>> {
    match base {
        Now::Rounds(run) => {
            let prepared = (&before.prepared, &after.prepared);
            let evicted = &delivery.evicted;
            let options = run_options(&session.state.options);
            let run = run.continued(prepared, evicted, &registry(), options)?;
            Ok((Now::Rounds(Box::new(run)), Vec::new()))
        }
        Now::Simulated(mut simulated) => {
            let happened = simulated.apply(&before.loaded, &after.loaded, delivery);
            Ok((Now::Simulated(simulated), happened))
        }
    }
}

/// Decides ties with another seed, and runs again from the beginning to the old position, or to the end if it was
/// there. The old run is kept as the first run.
pub fn set_seed(session: &mut Session, seed: u64) {
    undo::remember(session, false);
    // With the old seed.
    fork::keep_first_run(session, 0);
    session.state.options.seed = seed;
    let manifests = Rc::clone(session.history.manifests());
    // Cannot fail: the same manifests started a run before.
    let _ = rerun(session, manifests);
}

/// Follows a Kubernetes release (`None`: the manifests' own or the default), and runs again like
/// [`crate::sources::set_seed`]. If kube-scheduler would not start with the configuration, there is a problem.
pub fn set_kubernetes(session: &mut Session, version: Option<Version>) {
    undo::remember(session, false);
    let fork = session.state.fork.clone();
    // With the old release.
    fork::keep_first_run(session, 0);
    let before = std::mem::replace(&mut session.state.options.release.kubernetes, version);
    let files = session.manifests().loaded.files.clone();
    let manifests = read_again(&files, session.manifests(), &prepare_options(session));
    let delivery = &mut Delivery::default();
    if !apply_manifests(
        session,
        manifests,
        files.first(),
        |_, _| Change::Rerun,
        delivery,
    ) {
        session.state.options.release.kubernetes = before;
        session.state.fork = fork;
    }
}

/// Returns from the fork to the first run, at the moment that was shown when the fork began. `false`: there is no fork.
pub fn back_to_first_run(session: &mut Session) -> bool {
    let Some(fork) = session.state.fork.clone() else {
        return false;
    };
    undo::remember(session, false);
    let (first_run, state, position) = fork.into_first_run();
    session.history = History::resume(first_run);
    session.state = state;
    session.history.seek(position);
    true
}

/// Drops the first run. `false`: there is no fork.
pub fn keep_fork(session: &mut Session) -> bool {
    if session.state.fork.is_none() {
        return false;
    }
    undo::remember(session, false);
    session.state.fork = None;
    true
}

fn errors(manifests: &Manifests) -> usize {
    manifests
        .problems
        .iter()
        .filter(|problem| problem.is_error())
        .count()
}

fn how_to_apply(session: &Session, manifests: &Manifests) -> Change {
    let before = session.manifests();
    if is_another_scenario(&before.loaded, &manifests.loaded) {
        return Change::Restart;
    }
    if before.prepared.configuration != manifests.prepared.configuration
        || before.prepared.release != manifests.prepared.release
    {
        return Change::Rerun;
    }
    if session.position() == 0 {
        // No attempt has been made, or all were undone.
        return Change::Rerun;
    }
    Change::Here
}

/// Whether fewer than half of the objects are left.
fn is_another_scenario(before: &Loaded, after: &Loaded) -> bool {
    let (before, after) = (before.by_object(), after.by_object());
    let stays = before.keys().filter(|object| after.contains_key(*object));
    stays.count() * 2 < before.len()
}

pub(super) fn start(manifests: &Manifests, options: &Options) -> Result<Now, Vec<ProfileError>> {
    if options.live {
        return Simulated::new(manifests, options)
            .map(Box::new)
            .map(Now::Simulated);
    }
    let run = Run::new(&manifests.prepared, &registry(), run_options(options))?;
    Ok(Now::Rounds(Box::new(run)))
}

/// Reads files without expanding workloads: where controllers run, they create the Pods.
pub(super) fn read_unexpanded(
    files: &[SourceFile],
    configuration: Option<&SourceFile>,
    options: &Options,
) -> Manifests {
    let options = PrepareOptions {
        release: options.release.clone(),
        edition: options.edition,
        ..PrepareOptions::default()
    };
    match configuration {
        Some(configuration) => read_configured(files, configuration, &options),
        None => read(files, &options),
    }
}

pub(super) fn run_options(options: &Options) -> RunOptions {
    let tie_break = if options.first_on_ties {
        TieBreak::First
    } else {
        TieBreak::Random
    };
    RunOptions {
        tie_break,
        seed: options.seed,
        remakes_victims: options.expand_workloads,
    }
}

/// Warns of Scripts, whose steps a session does not play.
fn unplayed_scripts(manifests: &Manifests) -> impl Iterator<Item = Problem> {
    let scripts = manifests
        .loaded
        .documents
        .iter()
        .filter(|document| matches!(document.object.as_deref(), Some(Manifest::Script(_))));
    scripts.map(|document| {
        let finding = Finding::warning("kind", Remark::script_not_played());
        let finding = finding.help(Remark::replay_plays());
        manifests.loaded.problem(&document.source, finding)
    })
}

/// Why kube-scheduler would not start, located at the field in question; at the beginning of `file` if there is no
/// configuration document.
pub(crate) fn configuration_problem(loaded: &Loaded, file: &str, error: ProfileError) -> Problem {
    let ProfileError { path, message } = error;
    let is_configuration = |document: &&Document| {
        matches!(
            document.object.as_deref(),
            Some(Manifest::SchedulerConfiguration(_))
        )
    };
    let help = Remark::would_not_start();
    match loaded.documents.iter().find(is_configuration) {
        Some(document) => {
            let finding = Finding {
                target: Target::Key,
                ..Finding::error(path, message).help(help)
            };
            loaded.problem(&document.source, finding)
        }
        None => Problem {
            severity: Severity::Error,
            file: file.to_owned(),
            line: 1,
            column: 1,
            path,
            message: message.into(),
            help,
            is_missing: false,
            unlisted: 0,
        },
    }
}
