use berth_protocol::lesson::{Answer, Ask, GoalFrame, Handout, LessonFrame, QuestionFrame};
use berth_protocol::lesson::{Line, LineMark, StepFrame, WrongFrame};

use super::{Sheet, Style, document};

fn line(mark: LineMark, text: &str) -> Line {
    let text = text.to_owned();
    Line { mark, text }
}

fn handout() -> Handout {
    Handout {
        end: LessonFrame {
            slug: "05-node-selector".to_owned(),
            title: "A & B".to_owned(),
            description: "See the [taint](#taint) of `<a>`.".to_owned(),
            task: "Mend it.".to_owned(),
            hints: vec!["Look twice.".to_owned()],
            goals: vec![GoalFrame {
                words: "`db` runs".into(),
                ..GoalFrame::default()
            }],
            questions: vec![QuestionFrame {
                pod: "default/db".to_owned(),
                ask: Ask::Node,
                answer: Some(Answer::Node("node-b".to_owned())),
                ..QuestionFrame::default()
            }],
            solution: vec![StepFrame {
                text: "kubectl label node node-b disk=ssd".to_owned(),
                is_command: true,
                ..StepFrame::default()
            }],
            wrong_answers: vec![WrongFrame {
                steps: vec![StepFrame {
                    objects: vec!["Pod/db".to_owned()],
                    lines: vec![
                        line(LineMark::Kept, "spec:"),
                        line(LineMark::Gone, "  disk: hdd"),
                        line(LineMark::New, "  disk: <ssd>"),
                    ],
                    ..StepFrame::default()
                }],
                say: "It has no disk.".to_owned(),
            }],
            ..LessonFrame::default()
        },
        minutes: Some(6),
        exam: vec!["CKA".to_owned()],
        ..Handout::default()
    }
}

fn task(page: &str) -> String {
    document(&[handout()], Sheet::Task, page, Style::Text(""))
}

#[test]
fn a_learner_gets_the_task_and_no_answer() {
    let html = task("./");
    for part in [
        "<title>A &amp; B</title>",
        "Lesson 5 · 6 min · CKA",
        "See the taint of <code>&lt;a&gt;</code>.",
        "<li><code>db</code> runs</li>",
        "Which node will db go to?",
        "<svg ",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    for part in ["node-b", "Look twice", "no disk", "<script"] {
        assert!(!html.contains(part), "{part}: {html}");
    }
}

#[test]
fn a_trainer_gets_answers_and_feedback() {
    let html = document(&[handout()], Sheet::Solution, "./", Style::At("a.css"));
    for part in [
        "<link rel=\"stylesheet\" href=\"a.css\">",
        "<p class=\"right\">node-b</p>",
        "$ kubectl label node node-b disk=ssd",
        "<code>Pod/db</code>",
        "<pre><del>disk: hdd\n</del><ins>disk: &lt;ssd&gt;\n</ins></pre>",
        "It has no disk.",
        "Look twice.",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn only_a_whole_address_is_printed_with_a_code() {
    let near = task("../");
    assert!(near.contains("<a href=\"../?lesson=05-node-selector\">05-node-selector</a>"));
    assert!(!near.contains("class=\"qr\""));
    let far = task("https://example.org/berth/");
    assert!(far.contains(">https://example.org/berth/?lesson=05-node-selector</a>"));
    assert!(far.contains("class=\"qr\""));
}
