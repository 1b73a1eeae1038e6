//! A lesson at one moment, as the page shows it.

use std::collections::BTreeSet;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::draft::DraftStart;
use super::frame::Frame;
use crate::remark::Remark;

/// Input to a lesson.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LessonInput {
    /// Opens a lesson at its start.
    Begin {
        /// The name of its file.
        slug: String,
        text: String,
        /// Its texts in the reader's language, if they are not its own.
        translation: Option<String>,
    },
    /// Opens the start of a lesson that is being made.
    Start(DraftStart),
    /// Takes a step of the solution, and lets the cluster come to rest.
    Step { number: usize },
    /// Lets the cluster come to rest.
    Settle,
}

/// The texts of a lesson, and its state at one moment. Texts are Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct LessonFrame {
    /// The name of its file.
    pub slug: String,
    pub title: String,
    pub description: String,
    pub task: String,
    /// Shown one after another.
    pub hints: Vec<String>,
    pub locked: Vec<String>,
    /// It takes place in a simulated cluster, and cannot do without.
    pub is_live: bool,
    pub goals: Vec<GoalFrame>,
    pub questions: Vec<QuestionFrame>,
    /// Feedback on the wrong answer that this moment shows.
    pub wrong: Option<String>,
    pub solution: Vec<StepFrame>,
    /// Number of steps of the solution that were taken.
    pub taken: usize,
    /// What the learner did since the lesson began, in order.
    pub did: Vec<StepFrame>,
    /// All wrong answers that it recognises, for teachers.
    pub wrong_answers: Vec<WrongFrame>,
}

impl LessonFrame {
    /// Whether the learner did what the solution does, line by line.
    pub fn did_as_solved(&self) -> bool {
        let words = |step: &StepFrame| -> Vec<String> {
            step.text.split_whitespace().map(str::to_owned).collect()
        };
        self.did.len() == self.solution.len()
            && self
                .did
                .iter()
                .zip(&self.solution)
                .all(|(did, step)| did.is_command == step.is_command && words(did) == words(step))
    }

    /// Whether learners may run a command of a hint by a click: it needs the cluster, and no step of the solution is
    /// given away.
    pub fn can_run(&self, line: &str) -> bool {
        let mut steps = self.solution.iter().filter(|step| step.is_command);
        let is_step = steps.any(|step| step.text.lines().any(|own| own == line));
        self.is_live && line.starts_with("kubectl ") && !is_step
    }
}

/// A goal.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct GoalFrame {
    pub words: Remark,
    pub met: bool,
    /// What a met goal counts, if it counts Pods.
    pub value: Option<GoalValue>,
    /// What is observed instead; empty if the goal is met, or its words say enough.
    pub why: Remark,
    /// A past event rules the goal out: it can no longer be met.
    pub is_lost: bool,
}

/// What a goal on several Pods counts.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum GoalValue {
    /// The number that meet the goal, of all that it concerns.
    Share { count: usize, all: usize },
    /// Those of each topology domain, the most first.
    Domains(Vec<usize>),
}

/// A question before a Pod is scheduled.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct QuestionFrame {
    /// `namespace/name`.
    pub pod: String,
    pub ask: Ask,
    /// Why the answer is what it is.
    pub say: String,
    /// Particular wrong answers with their feedback.
    pub wrong: Vec<(String, String)>,
    /// `None` until the scheduler has given it.
    pub answer: Option<Answer>,
}

/// What a question asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Ask {
    /// The node that the Pod goes to.
    #[default]
    Node,
    /// The Pods that are evicted for it.
    Victims,
    /// A plugin that keeps it waiting.
    Why,
}

/// The answer to a question, as the scheduler gave it.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Answer {
    Node(String),
    /// As `namespace/name`.
    Victims(BTreeSet<String>),
    /// The plugins that reject nodes.
    Plugins(BTreeSet<String>),
}

impl Answer {
    /// Whether a learner's answer is right: the node, all victims separated by commas, or one of the plugins.
    pub fn is(&self, given: &str) -> bool {
        match self {
            Self::Node(node) => node == given,
            Self::Victims(victims) => *victims == pods(given),
            Self::Plugins(plugins) => plugins.contains(given),
        }
    }
}

impl QuestionFrame {
    /// Feedback on this particular wrong answer, if there is any.
    pub fn feedback(&self, given: &str) -> Option<&str> {
        let is_it = |answer: &str| match self.ask {
            Ask::Victims => pods(answer) == pods(given),
            Ask::Node | Ask::Why => answer == given,
        };
        let mut wrong = self.wrong.iter();
        wrong
            .find(|(answer, _)| is_it(answer))
            .map(|(_, say)| say.as_str())
    }
}

/// Pods of a list with commas, as `namespace/name`.
fn pods(list: &str) -> BTreeSet<String> {
    let names = list
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names.map(full).collect()
}

/// `namespace/name` of a Pod; `default` if no namespace is given.
pub fn full(pod: &str) -> String {
    match pod.contains('/') {
        true => pod.to_owned(),
        false => format!("default/{pod}"),
    }
}

/// A step of the solution.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct StepFrame {
    /// A command line, or manifests.
    pub text: String,
    pub is_command: bool,
    /// What manifests change; empty for a command.
    pub lines: Vec<Line>,
    /// The objects of the manifests: `Deployment/web`.
    pub objects: Vec<String>,
    /// Why it is taken; may be empty.
    pub note: String,
}

/// A line of manifests.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Line {
    pub mark: LineMark,
    pub text: String,
}

/// What a step does with a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum LineMark {
    #[default]
    Kept,
    New,
    Gone,
    /// Stands for kept lines that are not shown.
    Left,
}

/// A lesson on paper.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Handout {
    /// The cluster at the start.
    pub start: Frame,
    /// The minor release that it follows: `1.36`.
    pub kubernetes: String,
    /// The lesson after its solution, with the answers to its questions.
    pub end: LessonFrame,
    pub minutes: Option<i32>,
    /// Exams that ask for it.
    pub exam: Vec<String>,
}

/// A typical wrong answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct WrongFrame {
    /// The steps that lead to it.
    pub steps: Vec<StepFrame>,
    /// Feedback on it. Markdown.
    pub say: String,
}

#[cfg(test)]
mod tests {
    use super::{Answer, Ask, QuestionFrame};

    #[test]
    fn an_answer_is_right_or_wrong() {
        assert!(Answer::Node("a".to_owned()).is("a"));
        let victims = Answer::Victims(["default/x".to_owned(), "shop/y".to_owned()].into());
        assert!(victims.is("shop/y, x"));
        assert!(!victims.is("x"));
        assert!(Answer::Plugins(["NodeResourcesFit".to_owned()].into()).is("NodeResourcesFit"));
        let question = QuestionFrame {
            ask: Ask::Victims,
            wrong: vec![("x, z".to_owned(), "no".to_owned())],
            ..QuestionFrame::default()
        };
        assert_eq!(question.feedback("default/z,x"), Some("no"));
        assert_eq!(question.feedback("x"), None);
    }
}
