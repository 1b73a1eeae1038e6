use super::{Command, Effect, Mark, MarkKind, Playback, RunState, Store, Time, TimeAction, Travel};
use crate::ui::store::Action;
use crate::words;
use berth_protocol::page::{Head, Patch, Update};

/// Runs a command in a cluster with a clock; returns the resulting playback.
fn after_line(mut playback: Playback, finished: bool) -> Playback {
    playback.suspend(false);
    assert!(!playback.is_playing());
    playback.line_ended(true, finished);
    playback
}

#[test]
fn playback_resumes_after_a_command_and_does_not_begin() {
    assert_eq!(after_line(Playback::Playing, false), Playback::Playing);
    assert_eq!(after_line(Playback::Playing, true), Playback::Stopped);
    for finished in [false, true] {
        assert_eq!(after_line(Playback::Stopped, finished), Playback::Stopped);
    }
    // The cluster had not come to rest.
    let settling = after_line(Playback::Settling, false);
    assert_eq!(settling, Playback::AwaitingFirstMoment);
}

#[test]
fn an_incomplete_line_does_not_forget_how_to_resume() {
    let mut playback = Playback::Playing;
    playback.suspend(false);
    assert_eq!(after_line(playback, false), Playback::Playing);
}

#[test]
fn a_new_cluster_plays_until_it_is_at_rest() {
    let mut playback = Playback::Stopped;
    playback.create_cluster();
    assert!(playback.awaits_first_moment());
    playback.moment_reported(true, false, false);
    assert_eq!(playback, Playback::Settling);
    playback.moment_reported(true, false, true);
    assert!(playback.is_playing());
    playback.moment_reported(true, true, false);
    assert_eq!(playback, Playback::Stopped);
}

#[test]
fn the_engine_lets_a_cluster_that_a_line_creates_come_to_rest() {
    let mut playback = Playback::Stopped;
    playback.suspend(true);
    assert!(playback.awaits_first_moment());
    playback.line_ended(true, false);
    assert_eq!(playback, Playback::Stopped);
    playback.suspend(true);
    playback.line_ended(false, false);
    assert_eq!(playback, Playback::AwaitingFirstMoment);
    playback.moment_reported(true, true, false);
    assert_eq!(playback, Playback::Stopped);
}

#[test]
fn playback_leaps_over_a_quiet_time_only_when_it_is_pressed_there() {
    let mut playback = Playback::Stopped;
    playback.toggle(false);
    playback.moment_reported(true, true, false);
    assert_eq!(playback, Playback::Playing);
    playback.moment_reported(true, true, true);
    assert_eq!(playback, Playback::Stopped);
    // Pressed again, it steps to the next event, and continues from there.
    playback.toggle(false);
    playback.moment_reported(true, true, false);
    assert_eq!(playback, Playback::Playing);
    playback.toggle(false);
    assert_eq!(playback, Playback::Stopped);
    playback.toggle(true);
    assert_eq!(playback, Playback::Stopped, "nothing to play");
    playback.toggle(false);
    assert_eq!(playback, Playback::Playing);
}

#[test]
fn an_awaited_moment_survives_a_stop_and_ends_with_the_cluster() {
    let awaiting = Playback::AwaitingFirstMoment;
    let mut playback = awaiting;
    playback.stop();
    assert_eq!(playback, awaiting);
    playback.forget_moment();
    assert_eq!(playback, Playback::Stopped);
}

#[test]
fn a_run_that_stops_reports_one_more_position() {
    let mut time = Time::default();
    time.set_running(false);
    assert_eq!(time.run, RunState::Idle);
    time.set_running(true);
    time.set_running(false);
    assert_eq!(time.run, RunState::Stopping);
}

#[test]
fn a_living_cluster_goes_back_to_where_it_came_alive_first() {
    let timed = |at_ms| Mark {
        at_ms: Some(at_ms),
        ..Mark::plain(MarkKind::Moment)
    };
    let attempt = Mark::plain(MarkKind::Bound);
    let timeline = vec![
        attempt.clone(),
        attempt,
        Mark::edited(),
        timed(0),
        Mark::edited(),
        timed(900),
    ];
    let mut store = Store::default();
    store.view.timeline = timeline;
    for (position, to) in [
        (6, Travel::Seek { position: 3 }),
        (5, Travel::Seek { position: 3 }),
        (3, Travel::Reset),
        (2, Travel::Reset),
    ] {
        store.view.head.position = position;
        store.view.head.now_ms = (position > 2).then_some(900);
        store.page.notice = Some("about the run".to_owned());
        let effects = store.through_time(TimeAction::Reset);
        let command = Effect::Send(Command::Travel(to));
        assert!(effects.contains(&command), "from {position}");
        // Leaving the cluster shows a notice, which replaces the earlier one.
        let leaves = position == 3;
        let notice = leaves.then(|| words::BEFORE_THE_CLUSTER.to_owned());
        assert_eq!(store.page.notice, notice, "from {position}");
    }
}

#[test]
fn a_cluster_that_comes_with_a_link_has_the_speed_of_one_made_by_hand() {
    let patch = |now_ms: Option<i64>| {
        let head = Head {
            now_ms,
            ..Head::default()
        };
        Update::Patch(Box::new(Patch {
            head,
            ..Patch::default()
        }))
    };
    let speed = |before: &[TimeAction]| {
        let mut store = Store::default();
        for action in before {
            store.commands(Action::Time(*action));
        }
        store.commands(Action::Update(Box::new(patch(Some(0)))));
        let alive = store.time.speed;
        store.commands(Action::Update(Box::new(patch(None))));
        (alive, store.time.speed)
    };
    let mut by_hand = Time::default();
    by_hand.create_cluster();
    assert_eq!(speed(&[]), (by_hand.speed, 1.0));
    // What the visitor chose stays.
    assert_eq!(speed(&[TimeAction::Speed(2.0)]), (2.0, 2.0));
}

#[test]
fn a_cluster_has_a_speed_of_its_own() {
    let mut time = Time::default();
    time.create_cluster();
    time.create_cluster();
    time.end_cluster();
    assert!((time.speed - 1.0).abs() < f64::EPSILON);
}

#[test]
fn a_run_ends_with_the_cluster_and_a_step_with_its_verdicts() {
    let mut store = Store::default();
    store.explain.explained = Some(std::rc::Rc::new(berth_protocol::page::Explained {
        position: 0,
        made: true,
        at_ms: None,
        result: Ok(berth_protocol::cycle::Cycle::default()),
        rows: berth_protocol::page::Rows::default(),
    }));
    store.view.head.finished = true;
    store.commands(Action::Time(TimeAction::Run));
    assert!(store.moment().explained.is_none());
    store.commands(Action::Time(TimeAction::Seek(0)));
    assert!(store.moment().explained.is_some());
}
