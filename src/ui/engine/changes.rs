//! Applies mutations and moves to a session.

#![deny(clippy::wildcard_enum_match_arm)]

use super::{FILE_NAME, lesson, refused, terminal};
use crate::ui::features::gallery;
use berth_protocol::command::{Input, Mutation, Travel, WhatIf};
use berth_protocol::defaults::Defaults;
use berth_protocol::gesture::{Gesture, Label, NodeTemplate};
use berth_protocol::page::Update;
use berth_session::lesson::{choose_release, start_again};
use berth_session::{Session, SourceFile, Version, edit, fork, sources, trial};

/// Attempts per slice of work: well below 50 ms at the sizes that the page is made for.
pub const SLICE: usize = 16;
/// Work (attempts × nodes) done before the first update of a rerun, and the maximum number of attempts. Short reruns
/// of small clusters thus complete at once.
pub const AT_ONCE: (usize, usize) = (400_000, 1000);

/// Checks a label by validating a node that has it, as the API server would.
pub fn check(session: &Session, label: Label) -> Update {
    let node = Gesture::AddNodes {
        template: NodeTemplate::General,
        count: 1,
        topology: Some(label.clone()),
    };
    match edit::gesture_changes(session, &node) {
        Ok(_) => Update::Fine(label),
        Err(error) => refused(error.remark()),
    }
}

/// Changes the session, and only begins the rerun that follows. A scenario that it opens plays by the present defaults.
pub fn mutate_soon(session: &mut Session, mutation: Mutation) -> Option<Update> {
    replay_soon(session, mutation, Defaults::default())
}

/// The same, with the defaults of the scenario that it opens.
pub fn replay_soon(
    session: &mut Session,
    mutation: Mutation,
    defaults: Defaults,
) -> Option<Update> {
    let update = session.deferring_catch_up(|session| replay(session, mutation, defaults));
    catch_up_soon(session);
    update
}

/// Begins a rerun with a bounded amount of work.
pub fn catch_up_soon(session: &mut Session) {
    let nodes = session.run().cluster().node_order().len();
    let (attempts, most) = AT_ONCE;
    session.catch_up((attempts / nodes.max(1)).clamp(SLICE, most));
}

/// Changes the session; returns a command's output, or a refusal.
pub fn mutate(session: &mut Session, mutation: Mutation) -> Option<Update> {
    replay(session, mutation, Defaults::default())
}

fn replay(session: &mut Session, mutation: Mutation, defaults: Defaults) -> Option<Update> {
    if mutation.opens() {
        sources::set_next_defaults(session, defaults);
    }
    match mutation {
        Mutation::Open { text } => {
            let is_valid = gallery::is_default(&text);
            session.open(&[SourceFile {
                is_valid,
                ..SourceFile::new(FILE_NAME, text)
            }]);
        }
        Mutation::Type { text, goes_on } => {
            session.edit(&[SourceFile::new(FILE_NAME, text)], goes_on);
        }
        Mutation::Undo => {
            session.undo();
        }
        Mutation::Redo => {
            session.redo();
        }
        Mutation::BackToFirstRun => {
            sources::back_to_first_run(session);
        }
        Mutation::KeepFork => {
            sources::keep_fork(session);
        }
        Mutation::UndoChange { number } => {
            let made = fork::undo_change(session, number);
            return made.err().map(|error| refused(error.remark()));
        }
        Mutation::Seed { seed } => {
            let made = start_again(session, |session| sources::set_seed(session, seed));
            return made.err().map(refused);
        }
        Mutation::Kubernetes { version } => {
            let made = choose_release(session, Version::parse(&version).ok());
            return made.err().map(refused);
        }
        Mutation::Edit { edits, at, .. } => {
            let made = match at {
                Some(at) => {
                    session.catch_up(usize::MAX);
                    edit::make_at(session, at, &edits)
                }
                None => edit::make(session, &edits),
            };
            return made.err().map(|error| refused(error.remark()));
        }
        Mutation::Gesture(gesture) => return terminal::perform(session, &gesture),
        Mutation::WhatIf(what) => {
            return trial::on_trial(session, |session| match what {
                WhatIf::Gesture(gesture) => terminal::perform(session, &gesture),
                WhatIf::Lose { zone } => {
                    let made = trial::lose_zone(session, &zone);
                    made.err().map(|error| refused(error.remark()))
                }
                WhatIf::Edits(edits) => {
                    let made = edit::make(session, &edits);
                    made.err().map(|error| refused(error.remark()))
                }
                WhatIf::Line(line) => terminal::handle(session, Input::Line { line }),
            });
        }
        Mutation::Live(live) => return terminal::set_simulated(session, live),
        Mutation::BeginAnew => return terminal::begin_anew(session),
        Mutation::Terminal(input) => return terminal::handle(session, input),
        Mutation::Lesson(input) => return lesson::handle(session, input),
    }
    None
}

pub fn travel(session: &mut Session, to: Travel) {
    session.cancel_catch_up();
    match to {
        Travel::Step => {
            session.step();
        }
        Travel::StepBack => {
            session.step_back();
        }
        Travel::Reset => {
            session.reset();
        }
        Travel::Seek { position } => {
            let known = session.log().len();
            session.seek(position);
            session.advance(position.saturating_sub(known));
        }
    }
}
