use std::rc::Rc;

use super::{Ask, LessonAction, LessonFrame, Lessons, QuestionFrame};
use crate::ui::features::explain::ExplainAction;
use crate::ui::features::stage::StageAction;
use crate::ui::store::{Action, EditAction, Effect, Store};
use berth_protocol::command::{Command, Input, Mutation};
use berth_protocol::frame::PodFrame;
use berth_protocol::lesson::{Answer, GoalFrame, StepFrame};
use berth_protocol::page::{Changed, Patch, Update};
use berth_protocol::remark::Remark;

fn asked(ask: Ask) -> QuestionFrame {
    QuestionFrame {
        ask,
        ..QuestionFrame::default()
    }
}

#[test]
fn a_wrong_prediction_is_no_dead_end_and_feedback_comes_into_view() {
    let mut store = Store::default();
    let frame = |met: bool, wrong: Option<&str>| LessonFrame {
        goals: vec![GoalFrame {
            met,
            ..GoalFrame::default()
        }],
        questions: vec![QuestionFrame {
            answer: Some(Answer::Node("a".to_owned())),
            ..asked(Ask::Node)
        }],
        wrong: wrong.map(str::to_owned),
        ..LessonFrame::default()
    };
    let shows = |effects: &[Effect]| effects.contains(&Effect::ShowFeedback);
    assert!(!shows(&store.receive_lesson(Some(frame(false, None)))));
    assert!(shows(&store.receive_lesson(Some(frame(false, Some("no"))))));
    let again = store.receive_lesson(Some(frame(false, Some("no"))));
    assert!(!shows(&again), "it is shown once");
    store.lesson.steps = 1;
    let solved = store.receive_lesson(Some(frame(false, Some("still no"))));
    assert!(!shows(&solved), "the step that was taken is in view");
    store.lesson.steps = 0;
    store.lesson.set_answer(0, "b".to_owned());
    assert!(shows(&store.receive_lesson(Some(frame(true, None)))));
    assert!(store.lesson.is_mispredicted() && !store.lesson.is_done());
    store.lesson.set_answer(0, "a".to_owned());
    assert!(store.lesson.is_done() && !store.lesson.is_mispredicted());
}

#[test]
fn a_reload_keeps_hints_and_answers_of_its_lesson() {
    let lessons = |slug: &str| Lessons {
        frame: Some(Rc::new(LessonFrame {
            slug: slug.to_owned(),
            ..LessonFrame::default()
        })),
        ..Lessons::default()
    };
    let mut before = lessons("01-a");
    before.hints = 2;
    before.shows_solution = true;
    before.set_answer(1, "node-b".to_owned());
    for (slug, hints, answer) in [("01-a", 2, Some("node-b")), ("02-b", 0, None)] {
        let mut after = lessons(slug);
        after.stored = before.stored();
        after.restore();
        assert_eq!((after.hints, after.answer(1)), (hints, answer), "{slug}");
        assert_eq!(after.shows_solution, hints > 0, "{slug}");
    }
}

/// A lesson in a simulated cluster, of whose solution one step was taken.
fn living() -> Store {
    let mut store = Store::default();
    store.view.head.now_ms = Some(0);
    store.lesson.frame = Some(Rc::new(LessonFrame {
        is_live: true,
        taken: 1,
        questions: vec![asked(Ask::Node)],
        ..LessonFrame::default()
    }));
    store.lesson.set_answer(0, "a".to_owned());
    store.lesson.steps = 1;
    store
}

#[test]
fn a_command_of_a_hint_runs_in_the_terminal_unless_it_is_the_solution() {
    let mut store = living();
    let frame = LessonFrame {
        solution: vec![StepFrame {
            text: "kubectl drain node-a\nsleep 60".to_owned(),
            is_command: true,
            ..StepFrame::default()
        }],
        ..store.lesson.frame.as_deref().cloned().unwrap()
    };
    assert!(frame.can_run("kubectl get pods"));
    assert!(!frame.can_run("kubectl drain node-a") && !frame.can_run("sleep 60"));
    assert!(!frame.can_run("spec.template"), "no command");
    let scheduled = LessonFrame {
        is_live: false,
        ..frame
    };
    assert!(!scheduled.can_run("kubectl get pods"));
    store.lesson.shown = true;
    let run = LessonAction::Run("kubectl get pods".to_owned());
    let effects = store.act(Action::Lesson(run));
    assert!(store.terminal.shown && store.terminal.is_busy() && !store.lesson.shown);
    let sent = effects.iter().find_map(|effect| {
        let Effect::SendWithFields(Command::Mutate(Mutation::Terminal(line))) = effect else {
            return None;
        };
        Some(line)
    });
    let line = "kubectl get pods".to_owned();
    assert_eq!(sent, Some(&Input::Line { line }));
}

#[test]
fn another_release_begins_a_living_lesson_again() {
    let again = [
        EditAction::Kubernetes("1.36".to_owned()),
        EditAction::Seed(7),
        EditAction::BeginAnew,
    ];
    for action in again {
        let mut store = living();
        store.act(Action::Edit(action.clone()));
        let lesson = &store.lesson;
        assert_eq!((lesson.steps, lesson.answer(0)), (0, None), "{action:?}");
        assert!(store.page.notice.is_some(), "{action:?}");
        // If the request is refused, the lesson continues unchanged.
        let message = Remark::no_such_step();
        store.act(Action::Update(Box::new(Update::Refused { message })));
        assert_eq!(store.lesson.steps, 1, "{action:?}");
    }
    let mut store = living();
    store.view.head.now_ms = None;
    store.act(Action::Edit(EditAction::Seed(7)));
    assert_eq!(store.lesson.steps, 1, "without a cluster, nothing is lost");
}

#[test]
fn a_living_lesson_refuses_to_schedule_only_in_words() {
    let mut store = living();
    let effects = store.act(Action::Edit(EditAction::Live(false)));
    let mut sent = effects.iter();
    assert!(!sent.any(|it| matches!(it, Effect::Send(_))), "{effects:?}");
    let notice = store.page.notice.as_deref().unwrap_or_default();
    assert!(notice.contains("needs its living cluster"), "{notice}");
}

#[test]
fn a_file_or_code_of_another_course_changes_nothing() {
    let mut store = Store::default();
    for what in [super::NoProgress::Code, super::NoProgress::File] {
        let import = super::LessonAction::Import(Err(what));
        let effects = store.act(Action::Lesson(import));
        assert!(!effects.contains(&Effect::StoreProgress), "{effects:?}");
        assert_eq!(store.lesson.codes, Some(Some(what)));
        assert!(store.lesson.done.is_empty());
    }
}

/// A lesson of one goal in a course, at a moment at which the goal is met or not.
fn of_one_goal(store: &mut Store, met: bool, taken: usize) -> Vec<Effect> {
    store.lesson.course = Some(Rc::default());
    store.receive_lesson(Some(LessonFrame {
        slug: "01-a".to_owned(),
        goals: vec![GoalFrame {
            met,
            ..GoalFrame::default()
        }],
        taken,
        ..LessonFrame::default()
    }))
}

#[test]
fn a_solved_lesson_shows_a_card_and_is_done() {
    let mut store = Store::default();
    of_one_goal(&mut store, false, 0);
    assert!(!store.lesson.card && store.lesson.goals_met() == (0, 1));
    let effects = of_one_goal(&mut store, true, 0);
    assert!(store.lesson.card && store.lesson.done.contains("01-a"));
    assert!(effects.contains(&Effect::StoreProgress));
    store.act(Action::Lesson(LessonAction::CloseCard));
    of_one_goal(&mut store, true, 0);
    assert!(!store.lesson.card, "it is shown once");
    // A visit that was restored at its end does not celebrate again.
    let mut restored = Store::default();
    of_one_goal(&mut restored, true, 0);
    assert!(!restored.lesson.card);
}

#[test]
fn a_lesson_whose_solution_was_shown_is_seen_and_not_done() {
    let mut store = Store::default();
    of_one_goal(&mut store, false, 0);
    let effects = store.act(Action::Lesson(LessonAction::ShowSolution));
    let sends = |effects: &[Effect]| effects.iter().any(|it| matches!(it, Effect::Send(_)));
    assert!(!sends(&effects), "no step is taken: {effects:?}");
    assert!(effects.contains(&Effect::StoreProgress));
    assert!(store.lesson.seen.contains("01-a") && store.lesson.steps == 0);
    assert!(sends(&store.act(Action::Lesson(LessonAction::Solve))));
    of_one_goal(&mut store, true, 1);
    assert!(store.lesson.done.is_empty() && !store.lesson.card);
    // Solved alone later, it is done.
    let mut alone = Store::default();
    alone.lesson.seen.insert("01-a".to_owned());
    of_one_goal(&mut alone, false, 0);
    of_one_goal(&mut alone, true, 0);
    assert!(alone.lesson.seen.is_empty() && alone.lesson.done.contains("01-a"));
}

#[test]
fn undo_after_a_start_over_brings_hints_and_answers_back() {
    let mut store = Store::default();
    store.lesson.fetched = Some(Rc::new(crate::ui::features::course::Fetched {
        slug: "01-a".to_owned(),
        text: String::new(),
        translation: None,
    }));
    of_one_goal(&mut store, false, 0);
    store.view.head.undo = 3;
    store.lesson.hints = 2;
    store.lesson.set_answer(0, "node-a".to_owned());
    store.act(Action::Lesson(LessonAction::StartOver));
    assert!(store.page.undoable.is_some(), "Undo is offered");
    store.view.head.undo = 4;
    of_one_goal(&mut store, false, 0);
    assert_eq!((store.lesson.hints, store.lesson.answer(0)), (0, None));
    (store.view.head.undo, store.view.head.redo) = (3, 1);
    of_one_goal(&mut store, false, 0);
    assert_eq!(
        (store.lesson.hints, store.lesson.answer(0)),
        (2, Some("node-a"))
    );
}

#[test]
fn predictions_are_made_on_the_stage() {
    let mut store = Store::default();
    let placed = |key: &str| {
        Rc::new(PodFrame {
            key: key.into(),
            node: Some("a".into()),
            ..PodFrame::default()
        })
    };
    let waits = Rc::new(PodFrame {
        key: "default/urgent".into(),
        ..PodFrame::default()
    });
    store.view.apply(Patch {
        pods: Changed {
            length: 3,
            items: vec![
                (0, (*placed("default/x")).clone()),
                (1, (*placed("shop/y")).clone()),
                (2, (*waits).clone()),
            ],
        },
        ..Patch::default()
    });
    store.lesson.frame = Some(Rc::new(LessonFrame {
        questions: vec![asked(Ask::Node), asked(Ask::Victims)],
        ..LessonFrame::default()
    }));
    let mut click = |key: &str| {
        store.act(Action::Explain(ExplainAction::Pod(key.into())));
        store.lesson.answer(1).map(str::to_owned)
    };
    assert_eq!(click("default/x").as_deref(), Some("x"));
    assert_eq!(click("shop/y").as_deref(), Some("shop/y,x"));
    assert_eq!(click("default/urgent").as_deref(), Some("shop/y,x"));
    assert_eq!(click("default/x").as_deref(), Some("shop/y"));
    for node in ["a", "b"] {
        let (node, more) = (node.to_owned(), false);
        store.act(Action::Stage(StageAction::Select { node, more }));
    }
    assert_eq!(store.lesson.answer(0), Some("b"), "it may be changed");
}
