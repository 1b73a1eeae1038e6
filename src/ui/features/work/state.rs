//! Work of the engine that lasts longer than a second: shown, announced, and stopped.

use crate::ui::features::explain::Search;
use crate::ui::features::terminal::TerminalAction;
use crate::ui::store::{Effect, Store};
use berth_protocol::command::{Command, Run};
use berth_protocol::work::{Task, Work};

/// Work in progress, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Working {
    GoesOn(Work),
    Ended(Task),
    Stopped(Task),
}

impl Store {
    /// The work in progress.
    pub fn work(&self) -> Option<&Work> {
        match self.working.as_deref()? {
            Working::GoesOn(work) => Some(work),
            Working::Ended(_) | Working::Stopped(_) => None,
        }
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(in crate::ui) fn receive_work(&mut self, work: Option<Work>) {
        let before = self.work().map(|work| Working::Ended(work.task));
        let now = work.map(Working::GoesOn).or(before);
        if let Some(now) = now {
            self.working = Some(Box::new(now));
        }
    }

    /// Stops the work in progress, if it can be stopped.
    #[inline(never)]
    pub(in crate::ui) fn stop_work(&mut self) -> Vec<Effect> {
        let task = self.work().map(|work| work.task);
        let Some(task) = task.filter(|task| task.can_stop()) else {
            return Vec::new();
        };
        self.working = Some(Box::new(Working::Stopped(task)));
        match task {
            // The lines that follow are not run either.
            Task::Wait => return self.at_terminal(TerminalAction::Abort),
            Task::Fixes => self.explain.fixes.search = Search::Stopped,
            Task::Nearest => self.board.stop_searching(),
            Task::Run | Task::Restore | Task::Fork | Task::WhatIf | Task::Reduce | Task::Change => {
            }
        }
        vec![Effect::Send(Command::Run(Run::Stop))]
    }
}

#[cfg(test)]
mod tests {
    use super::Working;
    use crate::ui::features::explain::Search;
    use crate::ui::store::{Action, Effect, PageAction, Store};
    use berth_protocol::command::{Command, Run};
    use berth_protocol::page::Update;
    use berth_protocol::work::{Amount, Task, Work};

    fn report(store: &mut Store, work: Option<Task>) {
        let amount = Amount::Unknown;
        let work = work.map(|task| Work { task, amount });
        store.act(Action::Update(Box::new(Update::Working(work))));
    }

    fn stops(store: &mut Store, action: PageAction) -> bool {
        let stop = Effect::Send(Command::Run(Run::Stop));
        store.act(Action::Page(action)).contains(&stop)
    }

    #[test]
    fn work_is_stopped_by_escape_once_nothing_is_open() {
        let mut store = Store::default();
        assert!(!stops(&mut store, PageAction::Escape), "nothing goes on");
        report(&mut store, Some(Task::Run));
        store.page.notice = Some("read this".into());
        assert!(!stops(&mut store, PageAction::Escape), "closes the notice");
        assert!(stops(&mut store, PageAction::Escape));
        assert!(!stops(&mut store, PageAction::Escape), "stopped already");
        report(&mut store, None);
        assert_eq!(store.working.as_deref(), Some(&Working::Stopped(Task::Run)));
        report(&mut store, Some(Task::Fork));
        report(&mut store, None);
        assert_eq!(store.working.as_deref(), Some(&Working::Ended(Task::Fork)));
    }

    #[test]
    fn a_stopped_search_says_so_and_a_change_cannot_be_stopped() {
        let mut store = Store::default();
        report(&mut store, Some(Task::Fixes));
        assert!(stops(&mut store, PageAction::StopWork));
        assert_eq!(store.explain.fixes.search, Search::Stopped);
        // A report already sent does not start it again.
        let (position, fixes, done) = (0, Vec::new(), false);
        let update = Update::Fixes {
            position,
            fixes,
            done,
        };
        store.explain.fixes.position = Some(position);
        store.act(Action::Update(Box::new(update)));
        assert_eq!(store.explain.fixes.search, Search::Stopped);
        report(&mut store, Some(Task::Change));
        assert!(!stops(&mut store, PageAction::StopWork));
    }
}
