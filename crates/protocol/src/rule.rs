//! The rules that every lesson keeps, and how one breaks them.

use std::fmt;

use borsh::{BorshDeserialize, BorshSerialize};

use crate::remark::Remark;

/// A rule of a lesson, which is played on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Rule {
    /// The start does not meet all goals.
    Start,
    /// The solution meets all goals, and the scheduler answers all questions.
    Solution,
    /// This wrong answer does not meet them, and is recognised.
    Wrong(usize),
    /// This lock refuses changes.
    Lock(usize),
}

/// How a lesson breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Broken {
    /// Its manifests, or a line of `before`, are refused.
    NoStart {
        why: Remark,
    },
    /// The start meets all goals already.
    NothingToDo,
    /// A step fails; `path` is that of the field.
    StepFails {
        path: String,
        why: Remark,
    },
    /// The solution does not meet a goal.
    Unmet {
        goal: usize,
        expected: Remark,
        why: Remark,
    },
    /// The scheduler never answers this question.
    NoAnswer {
        question: usize,
    },
    /// One of the wrong answers is right.
    AnswerRight {
        question: usize,
        wrong: usize,
    },
    /// A wrong answer meets all goals.
    WrongMeets {
        wrong: usize,
    },
    /// An earlier wrong answer, `other`, matches.
    OtherWrong {
        wrong: usize,
        other: usize,
    },
    /// It is not recognised; the first expectation of its `when` that does not hold.
    Unrecognised {
        wrong: usize,
        unmet: Option<(Remark, Remark)>,
    },
    Lock {
        lock: usize,
        fault: LockFault,
    },
}

/// Why a lock does not hold, or cannot be tested.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum LockFault {
    NoObject,
    Deletes,
    Changes,
    /// A command changes the object.
    Command {
        line: String,
        printed: String,
    },
    /// Every change that was tried is refused for another reason.
    Untested {
        why: Remark,
    },
}

impl Broken {
    /// The field of the `Scenario` that is to be changed.
    pub fn path(&self) -> String {
        match self {
            Self::NoStart { .. } => String::new(),
            Self::NothingToDo => "expectations".to_owned(),
            Self::StepFails { path, .. } => path.clone(),
            Self::Unmet { goal, .. } => format!("expectations[{goal}]"),
            Self::NoAnswer { question } => format!("predict[{question}]"),
            Self::AnswerRight { question, wrong } => format!("predict[{question}].wrong[{wrong}]"),
            Self::WrongMeets { wrong } => format!("wrong[{wrong}]"),
            Self::OtherWrong { wrong, .. } | Self::Unrecognised { wrong, .. } => {
                format!("wrong[{wrong}].when")
            }
            Self::Lock { lock, .. } => format!("locked[{lock}]"),
        }
    }
}

/// The command's sentences; the page has its own.
impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStart { why } => write!(f, "the lesson does not start: {why}"),
            Self::NothingToDo => f.write_str("the start meets all goals already"),
            Self::StepFails { why, .. } => write!(f, "the step fails: {why}"),
            Self::Unmet { expected, why, .. } => {
                write!(
                    f,
                    "the solution does not meet this goal ({expected}): {why}"
                )
            }
            Self::NoAnswer { .. } => f.write_str("the scheduler never gives an answer to this"),
            Self::AnswerRight { .. } => f.write_str("this answer is right"),
            Self::WrongMeets { .. } => f.write_str("this wrong answer meets all goals"),
            Self::OtherWrong { other, .. } => {
                write!(f, "it is recognised as wrong[{other}], which comes first")
            }
            Self::Unrecognised { unmet, .. } => match unmet {
                Some((expected, why)) => {
                    write!(f, "it is not recognised: {expected} does not hold: {why}")
                }
                None => f.write_str("it is not recognised"),
            },
            Self::Lock { fault, .. } => fault.fmt(f),
        }
    }
}

impl fmt::Display for LockFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoObject => f.write_str("there is no such object in the manifests"),
            Self::Deletes => f.write_str("its document can be deleted nevertheless"),
            Self::Changes => f.write_str("the manifests can be changed nevertheless"),
            Self::Command { line, printed } => write!(f, "`{line}` is not refused: {printed}"),
            Self::Untested { why } => write!(f, "no change is refused because of it: {why}"),
        }
    }
}
