//! Applies new sources to a session: from the beginning, or from this moment on.

use std::rc::Rc;

use berth_core::api::decode::Finding;
use berth_core::api::load::Loaded;
use berth_core::api::manifests::{Manifests, of_loaded, read, read_again, read_configured};
use berth_core::api::object::Manifest;
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::scenario::Scenario;
use berth_protocol::defaults::Defaults;
use berth_protocol::edit::Edit;
use berth_protocol::happening::Happening;
use berth_protocol::problem::Problem;
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
use super::{Due, Options, Session, SourceFile, configuration_problem};

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

impl Session {
    /// Applies new sources, and moves to the beginning of their run. Documents that cannot be read are left out and
    /// reported. If none can be read, or kube-scheduler would not start with the configuration, the session stays
    /// unchanged. The first sources of a session cannot be undone.
    ///
    /// Returns whether the sources were accepted. The problems are in [`Session::problems`].
    pub fn apply(&mut self, files: &[SourceFile]) -> bool {
        self.apply_as(files, |_, _| Change::Restart)
    }

    fn apply_as(&mut self, files: &[SourceFile], how: fn(&Session, &Manifests) -> Change) -> bool {
        // Undo does not go back to an empty session.
        if !self.sources().is_empty() {
            self.remember(false);
        }
        let before = self.state.options.clone();
        if let Some(defaults) = self.next_defaults.take() {
            let release = defaults.kubernetes.as_deref().map(Version::parse);
            self.state.options.release.fallback = release.and_then(Result::ok).unwrap_or_default();
            self.state.options.edition = defaults.edition;
        }
        let manifests = read(files, &self.prepare_options());
        // Other sources are not part of the lesson.
        (self.state.lesson, self.state.locks) = (None, None);
        let delivery = &mut Delivery::default();
        let taken = self.take(manifests, files.first(), how, delivery);
        if !taken {
            self.state.options = before;
        }
        taken
    }

    /// Sets the defaults of the scenario that is opened next. An unknown release counts as this version's default.
    pub fn set_next_defaults(&mut self, defaults: Defaults) {
        self.next_defaults = Some(defaults);
    }

    /// Like [`Session::apply`], but in the mode that their Scenario names, whatever the session was in before.
    pub fn open(&mut self, files: &[SourceFile]) -> bool {
        self.apply_as(files, |_, _| Change::Open)
    }

    /// Like [`Session::apply`], with a KubeSchedulerConfiguration that replaces those of the files.
    pub fn apply_configured(&mut self, files: &[SourceFile], configuration: &SourceFile) -> bool {
        let manifests = read_configured(files, configuration, &self.prepare_options());
        self.remember(false);
        let delivery = &mut Delivery::default();
        let restart = |_: &Session, _: &Manifests| Change::Restart;
        self.take(manifests, Some(configuration), restart, delivery)
    }

    /// Applies edited sources from this moment on: bound Pods keep their nodes, and waiting Pods are tried again. An
    /// edit of the past keeps the entries after it as the first run ([`Session::fork`]). A changed scheduler
    /// configuration runs everything again. Sources that share few objects with the old ones are another scenario, and
    /// start at the beginning. An edit that adds errors is rejected: the last good state stays.
    ///
    /// `goes_on`: continues the edit of the last call (more typing), and is undone together with it.
    ///
    /// Returns whether the sources were accepted, as [`Session::apply`] does.
    pub fn edit(&mut self, files: &[SourceFile], goes_on: bool) -> bool {
        let manifests = read_again(files, self.manifests(), &self.prepare_options());
        self.remember(goes_on);
        self.take_edited(manifests, files.first(), &mut Delivery::of_text(goes_on))
    }

    /// Like [`Session::edit`], for edits whose result is already loaded.
    pub(super) fn edit_loaded(&mut self, loaded: Loaded, delivery: &mut Delivery<'_>) -> bool {
        let first = loaded.files.first().cloned();
        let manifests = of_loaded(loaded, &self.prepare_options());
        self.remember(false);
        self.take_edited(manifests, first.as_ref(), delivery)
    }

    fn take_edited(
        &mut self,
        manifests: Manifests,
        first: Option<&SourceFile>,
        delivery: &mut Delivery<'_>,
    ) -> bool {
        if !self.is_before_lesson() {
            return self.take(manifests, first, how_to_take, delivery);
        }
        let loaded = &manifests.loaded;
        let finding = Finding::error("", Remark::before_lesson());
        let refused = loaded.documents.first();
        let refused = refused.map(|document| loaded.problem(&document.source, finding));
        self.state.problems = refused.into_iter().collect();
        self.state.pending_sources = Some(loaded.files.as_slice().into());
        false
    }

    pub(super) fn prepare_options(&self) -> PrepareOptions {
        PrepareOptions {
            release: self.state.options.release.clone(),
            expand_workloads: self.state.options.expand_workloads,
            edition: self.state.options.edition,
        }
    }

    /// `configured_by`: the file to report if the configuration is refused.
    fn take(
        &mut self,
        manifests: Manifests,
        configured_by: Option<&SourceFile>,
        how: fn(&Session, &Manifests) -> Change,
        delivery: &mut Delivery<'_>,
    ) -> bool {
        self.state.problems = manifests.problems.clone();
        self.state.problems.extend(unplayed_scripts(&manifests));
        self.state.pending_sources = Some(manifests.loaded.files.as_slice().into());
        if let Some(locks) = &self.state.locks {
            let (before, after) = (&self.manifests().loaded, &manifests.loaded);
            let refused = locks.refusals(before, after, delivery.edits);
            if !refused.is_empty() {
                self.state.problems.splice(0..0, refused);
                return false;
            }
        }
        let documents = &manifests.loaded.documents;
        let anything_good = documents.iter().any(|document| document.object.is_some());
        if manifests.has_errors() && !anything_good {
            return false;
        }
        let how = match how(self, &manifests) {
            // Before the first attempt a run may be made again, but then Pods would keep the places that they lose.
            Change::Rerun if self.is_of_this_moment(&manifests, delivery) => Change::Here,
            how => how,
        };
        // Otherwise an object would be deleted while its document is being typed.
        let breaks = errors(&manifests) > errors(self.manifests());
        if breaks && !matches!(how, Change::Restart | Change::Open) {
            return false;
        }
        let manifests = Rc::new(manifests);
        let read = Rc::clone(&manifests);
        let taken = match how {
            Change::Restart => {
                self.state.options.live = self.is_simulated();
                self.restart(manifests)
            }
            Change::Open => {
                self.state.options.live =
                    scenario_of(&manifests.loaded).is_some_and(Scenario::is_live);
                self.restart(manifests)
            }
            Change::Rerun => self.rerun(manifests),
            Change::Here => self.go_on(manifests, delivery),
        };
        if let Err(errors) = taken {
            let file = configured_by.map_or("", |file| file.name.as_str());
            let errors = errors.into_iter();
            self.state
                .problems
                .extend(errors.map(|error| configuration_problem(&read.loaded, file, error)));
            return false;
        }
        self.state.pending_sources = None;
        true
    }

    /// Whether an edit by hand evicts Pods, or removes the nodes that they are on in their own manifests; or it is
    /// logged with what was asked.
    fn is_of_this_moment(&self, after: &Manifests, delivery: &Delivery<'_>) -> bool {
        let before = self.manifests();
        if before.prepared.configuration != after.prepared.configuration {
            return false;
        }
        let mut deleted = delivery.edits.iter();
        let removes =
            deleted.any(|edit| matches!(edit, Edit::Delete { object } if object.kind == "Node"));
        removes || !delivery.evicted.is_empty() || delivery.asked.is_some()
    }

    pub(super) fn restart(&mut self, manifests: Rc<Manifests>) -> Result<(), Vec<ProfileError>> {
        let run = start(&manifests, &self.state.options)?;
        self.history = History::new(run, manifests);
        self.state.fork = None;
        self.state.due = None;
        self.state.since = 0;
        Ok(())
    }

    fn rerun(&mut self, manifests: Rc<Manifests>) -> Result<(), Vec<ProfileError>> {
        let run = start(&manifests, &self.state.options)?;
        let attempts = self.history.position();
        let switched = self.switched_at();
        let was_at_end = self.history.now().next_pod().is_none() && attempts > 0;
        self.keep_first_run(0);
        self.history = History::new(run, manifests);
        self.state.since = 0;
        self.renew_fork();
        let there = if was_at_end { usize::MAX } else { attempts };
        // A run that has not reached its old position yet keeps that target.
        let position = self.state.due.map_or(there, |due| due.position);
        let live_from = self.state.due.map_or(switched, |due| due.live_from);
        self.state.due = Some(Due {
            position,
            live_from,
        });
        if !self.defers_catch_up {
            self.catch_up(usize::MAX);
        }
        Ok(())
    }

    fn go_on(
        &mut self,
        manifests: Rc<Manifests>,
        delivery: &mut Delivery<'_>,
    ) -> Result<(), Vec<ProfileError>> {
        self.catch_up(usize::MAX);
        let asked = delivery.asked.take();
        let is_alone = asked.is_some() || (self.is_simulated() && !delivery.goes_on);
        let start = if is_alone {
            // The previous edit cannot be merged: it may have replaced objects or run commands.
            self.history.position()
        } else {
            self.history.edit_start()
        };
        let before = Rc::clone(self.history.manifests_at(start));
        let Some(base) = self.history.at(start) else {
            return Ok(());
        };
        let unchanged =
            !delivery.changes_objects() && before.loaded.files == manifests.loaded.files;
        let change = if unchanged {
            None
        } else {
            let (now, happened) =
                self.changed(base.into_owned(), (&before, &manifests), delivery)?;
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
        if self.forks_at_end || self.history.position() < self.history.log().len() {
            self.keep_first_run(self.history.position());
        }
        self.history.edit(start, change);
        self.state.since = self.state.since.min(start);
        self.renew_fork();
        Ok(())
    }

    /// The present after a change of the manifests, and its immediate happenings.
    fn changed(
        &self,
        base: Now,
        (before, after): (&Manifests, &Manifests),
        delivery: &mut Delivery<'_>,
    ) -> Result<(Now, Vec<Happening>), Vec<ProfileError>> {
        match base {
            Now::Rounds(run) => {
                let prepared = (&before.prepared, &after.prepared);
                let evicted = &delivery.evicted;
                let options = run_options(&self.state.options);
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
    pub fn set_seed(&mut self, seed: u64) {
        self.remember(false);
        // With the old seed.
        self.keep_first_run(0);
        self.state.options.seed = seed;
        let manifests = Rc::clone(self.history.manifests());
        // Cannot fail: the same manifests started a run before.
        let _ = self.rerun(manifests);
    }

    /// Follows a Kubernetes release (`None`: the manifests' own or the default), and runs again like
    /// [`Session::set_seed`]. If kube-scheduler would not start with the configuration, there is a problem.
    pub fn set_kubernetes(&mut self, version: Option<Version>) {
        self.remember(false);
        let fork = self.state.fork.clone();
        // With the old release.
        self.keep_first_run(0);
        let before = std::mem::replace(&mut self.state.options.release.kubernetes, version);
        let files = self.manifests().loaded.files.clone();
        let manifests = read_again(&files, self.manifests(), &self.prepare_options());
        let delivery = &mut Delivery::default();
        if !self.take(manifests, files.first(), |_, _| Change::Rerun, delivery) {
            self.state.options.release.kubernetes = before;
            self.state.fork = fork;
        }
    }

    /// The sources at this moment; the last given sources if these were not accepted.
    pub fn sources(&self) -> &[SourceFile] {
        match &self.state.pending_sources {
            Some(files) => files,
            None => &self.manifests().loaded.files,
        }
    }

    /// Whether the last given sources were accepted.
    pub fn sources_accepted(&self) -> bool {
        self.state.pending_sources.is_none()
    }

    /// Returns from the fork to the first run, at the moment that was shown when the fork began. `false`: there is no fork.
    pub fn back_to_first_run(&mut self) -> bool {
        let Some(fork) = self.state.fork.clone() else {
            return false;
        };
        self.remember(false);
        let (first_run, state, position) = fork.into_first_run();
        self.history = History::resume(first_run);
        self.state = state;
        self.history.seek(position);
        true
    }

    /// Drops the first run. `false`: there is no fork.
    pub fn keep_fork(&mut self) -> bool {
        if self.state.fork.is_none() {
            return false;
        }
        self.remember(false);
        self.state.fork = None;
        true
    }
}

fn errors(manifests: &Manifests) -> usize {
    manifests
        .problems
        .iter()
        .filter(|problem| problem.is_error())
        .count()
}

fn how_to_take(session: &Session, manifests: &Manifests) -> Change {
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
