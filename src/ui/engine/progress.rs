//! Reports work that lasts longer than a second: what it is and how far it is.

#![deny(clippy::wildcard_enum_match_arm)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::Callback;

use berth_protocol::page::Update;
use berth_protocol::work::{Amount, Task, Work};
use berth_session::{Session, simulated};

/// Shorter work is not reported.
const LONG_MS: f64 = 1000.0;
/// A mutation that is applied sooner is not reported.
const UNANSWERED_MS: u32 = 1000;
/// Pause between two reports.
const PAUSE_MS: f64 = 250.0;
/// A command that looks again sooner has not named its end.
const NAMED_END_MS: i64 = 60_000;

/// Follows the work of a host, slice by slice.
#[derive(Default)]
pub struct Reporter {
    /// The task and the clock at its beginning.
    begun: Option<(Task, f64)>,
    /// The clock at the last report, which the page still shows.
    reported: Option<f64>,
}

impl Reporter {
    /// The next report, if one is due. `work`: the task after a slice; `now_ms`: wall-clock time.
    pub fn report(&mut self, work: Option<Work>, now_ms: f64) -> Option<Update> {
        let begun = self
            .begun
            .filter(|(task, _)| work.is_some_and(|work| work.task == *task));
        let Some((work, (_, since))) = work.zip(begun) else {
            self.begun = work.map(|work| (work.task, now_ms));
            return self.reported.take().map(|_| Update::Working(None));
        };
        let is_due = match self.reported {
            None => now_ms - since >= LONG_MS,
            Some(last) => now_ms - last >= PAUSE_MS,
        };
        is_due.then(|| {
            self.reported = Some(now_ms);
            Update::Working(Some(work))
        })
    }
}

/// Reports a mutation that the worker has not applied within a second: it cannot report itself meanwhile.
pub struct Unanswered {
    timer: RefCell<Option<Timeout>>,
    reported: Rc<Cell<bool>>,
    on_update: Callback<Update>,
}

impl Unanswered {
    pub fn new(on_update: Callback<Update>) -> Self {
        Self {
            timer: RefCell::default(),
            reported: Rc::default(),
            on_update,
        }
    }

    /// A mutation was sent.
    pub fn sent(&self) {
        let mut timer = self.timer.borrow_mut();
        if timer.is_some() {
            return;
        }
        let (reported, on_update) = (Rc::clone(&self.reported), self.on_update.clone());
        *timer = Some(Timeout::new(UNANSWERED_MS, move || {
            reported.set(true);
            let (task, amount) = (Task::Change, Amount::Unknown);
            on_update.emit(Update::Working(Some(Work { task, amount })));
        }));
    }

    /// All mutations were applied.
    pub fn answered(&self) {
        *self.timer.borrow_mut() = None;
        if self.reported.take() {
            self.on_update.emit(Update::Working(None));
        }
    }
}

/// How far a run of the session is.
pub fn of_run(session: &Session) -> Work {
    let now_ms = session
        .simulated_cluster()
        .map(|cluster| cluster.elapsed_ms());
    if let (true, Some(now_ms)) = (simulated::waits(session), now_ms) {
        let (from_ms, until_ms) = simulated::wait_span_ms(session).unwrap_or((now_ms, now_ms));
        let until_ms = Some(until_ms).filter(|until| until - from_ms >= NAMED_END_MS);
        let amount = Amount::Time {
            from_ms,
            now_ms,
            until_ms,
        };
        let task = Task::Wait;
        return Work { task, amount };
    }
    let done = session.position();
    let amount = match (session.due_position(), now_ms) {
        (Some(all), _) => Amount::Attempts { done, all },
        (None, Some(now_ms)) => Amount::Time {
            from_ms: 0,
            now_ms,
            until_ms: None,
        },
        (None, None) => Amount::Attempts {
            done,
            all: done + session.run().queue().count(),
        },
    };
    let task = Task::Run;
    Work { task, amount }
}

#[cfg(test)]
mod tests {
    use super::Reporter;
    use berth_protocol::page::Update;
    use berth_protocol::work::{Amount, Task, Work};

    fn work(task: Task) -> Option<Work> {
        let amount = Amount::Unknown;
        Some(Work { task, amount })
    }

    #[test]
    fn work_of_more_than_a_second_is_reported_now_and_then_until_it_ends() {
        let mut reporter = Reporter::default();
        let run = work(Task::Run);
        let working = Some(Update::Working(run));
        assert_eq!(reporter.report(run, 5_000.0), None, "it begins");
        assert_eq!(reporter.report(run, 5_900.0), None);
        assert_eq!(reporter.report(run, 6_000.0), working);
        assert_eq!(reporter.report(run, 6_100.0), None, "too soon");
        assert_eq!(reporter.report(run, 6_300.0), working);
        assert_eq!(reporter.report(None, 6_310.0), Some(Update::Working(None)));
        assert_eq!(reporter.report(None, 9_000.0), None);
    }

    #[test]
    fn short_work_and_each_task_by_itself_are_not_reported() {
        let mut reporter = Reporter::default();
        for (task, now) in [(Task::Run, 0.0), (Task::Fork, 900.0), (Task::Run, 1_800.0)] {
            assert_eq!(reporter.report(work(task), now), None);
        }
        assert_eq!(reporter.report(None, 2_700.0), None);
    }
}
