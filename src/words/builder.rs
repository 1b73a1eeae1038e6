//! The level builder.

use berth_words::{counted, say, text};

use super::Text;
use super::language::comma;
use super::remark::remark;
use berth_protocol::draft::Meaning;
use berth_protocol::problem::Problem;
use berth_protocol::rule::{Broken, LockFault, Rule};

pub const MAKE_LESSON: Text = text!("Make a lesson");
pub const MAKE_LESSON_MEANS: Text = text!(
    "From this cluster: show where learners begin and what they should reach. You get a file, and a link that opens as a lesson."
);
pub const GO_ON_MAKING: Text = text!("Continue your lesson");
pub const TAB: Text = text!("Your lesson");
pub const DISCARD: Text = text!("Throw away");
pub const DISCARD_ALL: Text = text!("Throw all of it away?");
pub const START: Text = text!("Start | of a lesson");
pub const START_LEAD: Text = text!(
    "Bring the cluster to where learners begin: open manifests, change them, run commands. Then mark it."
);
pub const MARK_START: Text = text!("This is the start");
pub const MARK_AGAIN: Text = text!("Mark another start");
pub const BEGIN_AGAIN: Text = text!("Go to the start");
pub const SOLUTION_LEAD: Text = text!(
    "Now solve it on the stage, in the manifests or in the terminal. Each step is recorded here; Undo removes it."
);
pub const WRONG_NOW: Text =
    text!("Now make a learner's mistake. Each step is recorded here; Undo removes it.");
pub const NOTHING_DONE: Text = text!("Nothing yet.");
pub const THIS_IS_GOAL: Text = text!("This is the goal");
pub const THIS_IS_WRONG: Text = text!("This is the wrong answer");
pub const STOP: Text = text!("Stop recording");
pub const LOOKING: Text = text!("Playing it with several seeds, to see what differs…");
pub const DO_AGAIN: Text = text!("Do the solution again");
pub const STEPS: Text = text!("Solution | steps");
pub const ADD_STEP: Text = text!("Add a command");
pub const STEP: Text = text!("Step | of a solution");
pub const NOTE: Text = text!("Why (shown with the solution)");
pub const NO_GOALS: Text = text!("Nothing visible differs from the start. Write a goal, or go on.");
pub const GOAL_WORDS: Text = text!("The goal in a sentence");
pub const GOAL_TEXT: Text = text!("The goal as fields");
pub const ALSO: Text = text!("Also true now:");
pub const OWN_GOAL: Text = text!("Write a goal");
pub const TEXTS: Text = text!("Texts");
pub const TITLE: Text = text!("Title");
pub const DESCRIPTION: Text = text!("What is wrong: symptoms, not causes");
pub const TASK: Text = text!("The task, without saying how");
pub const MINUTES_FIELD: Text = text!("Minutes");
pub const HINTS: Text = text!("Hints");
pub const ADD_HINT: Text = text!("Add a hint");
pub const WRONG: Text = text!("Wrong answers");
pub const WRONG_LEAD: Text =
    text!("What learners typically try instead, and the feedback on each.");
pub const DO_WRONG: Text = text!("Do a wrong answer now");
pub const WHEN: Text = text!("It is recognised when all of this holds:");
pub const WHEN_FIELD: Text = text!("Recognised by");
pub const ADD_WHEN: Text = text!("Add a condition");
pub const LOCKS: Text = text!("Locks");
pub const LOCKS_LEAD: Text =
    text!("What learners must not change: a kind, an object, or one field of it.");
pub const LOCK: Text = text!("Lock");
pub const CHOOSE_OBJECT: Text = text!("Choose what to lock");
pub const LOCK_IT: Text = text!("Lock it");
pub const OTHER_LOCK: Text = text!("Lock a field");
pub const QUESTIONS: Text = text!("Questions");
pub const QUESTIONS_LEAD: Text = text!("Asked before the scheduler decides.");
pub const ADD_QUESTION: Text = text!("Add a question");
pub const QUESTION_POD: Text = text!("Pod");
pub const QUESTION_ASKS: Text = text!("What is asked");
pub const ASK_NODE: Text = text!("Which node?");
pub const ASK_VICTIMS: Text = text!("Which Pods are evicted?");
pub const ASK_WHY: Text = text!("Which plugin keeps it waiting?");
pub const QUESTION_SAY: Text = text!("Why this is the answer");
pub const RULES: Text = text!("Rules");
pub const RULES_LEAD: Text = text!(
    "Played after each change, as berth test does. They need a start, a solution and a goal."
);
pub const PLAYING: Text = text!("playing…");
pub const HOLDS: Text = text!("holds");
pub const FAILS: Text = text!("broken");
pub const RULE_START: Text = text!("The start leaves something to do");
pub const RULE_SOLUTION: Text = text!("The solution reaches all goals");
pub const TAKE_AWAY: Text = text!("Take it away");
pub const SAVE_LESSON: Text = text!("Save as YAML");
pub const LINK_LESSON: Text = text!("Make a link");
pub const TRY: Text = text!("Try it as a learner");
pub const LINK_OPENS: Text = text!("Link to the lesson");
pub const EARLIER: Text = text!("Move up");
pub const GO_THERE: Text = text!("Go there");
pub const BROKEN_RULES: Text = text!("You can save it, but a rule is broken: see above.");

/// Number of steps.
pub fn steps(steps: usize) -> String {
    counted!(steps, "{steps} step", "{steps} steps")
}

/// What the start is made of.
pub fn start(nodes: usize, objects: usize, lines: usize, live: bool) -> String {
    let mode = match live {
        true => text!("a living cluster"),
        false => text!("scheduling only"),
    };
    let nodes = super::nodes(nodes);
    let objects = counted!(objects, "{objects} object", "{objects} objects");
    match lines {
        0 => say!("{nodes}, {objects}, {mode}"),
        lines => {
            let lines = counted!(lines, "{lines} command", "{lines} commands");
            say!("{nodes}, {objects}, {lines}, {mode}")
        }
    }
}

/// `Hints (2)`.
pub fn with_count(name: Text, count: usize) -> String {
    match count {
        0 => name.get().to_owned(),
        count => say!("{name} ({count})"),
    }
}

/// How many rules hold.
pub fn rules_hold(hold: usize, all: usize) -> String {
    say!("{hold} of {all} rules hold")
}

/// A rule. `lock`: the name of the lock.
pub fn rule(rule: Rule, lock: &str) -> String {
    match rule {
        Rule::Start => RULE_START.to_owned(),
        Rule::Solution => RULE_SOLUTION.to_owned(),
        Rule::Wrong(index) => say!(
            "Wrong answer {number} fails, with its own feedback",
            number = index + 1
        ),
        Rule::Lock(_) => say!("{lock} cannot be changed"),
    }
}

/// How a rule is broken. `release`: the one that breaks it, if only some do.
pub fn broken_on(broken: &Broken, release: Option<&str>) -> String {
    let why = self::broken(broken);
    match release {
        Some(release) => say!("With Kubernetes {release}: {why}"),
        None => why,
    }
}

/// How a rule is broken.
pub fn broken(broken: &Broken) -> String {
    match broken {
        Broken::NoStart { why } => say!("The lesson does not start: {why}", why = remark(why)),
        Broken::NothingToDo => text!("The start meets all goals already.").to_owned(),
        Broken::StepFails { path, why } => {
            say!(
                "{place} fails: {why}",
                place = place(path),
                why = remark(why)
            )
        }
        Broken::Unmet { goal, why, .. } => {
            say!(
                "Goal {number} is not reached: {why}",
                number = goal + 1,
                why = remark(why)
            )
        }
        Broken::NoAnswer { question } => say!(
            "The scheduler never answers question {number}.",
            number = question + 1
        ),
        Broken::AnswerRight { question, .. } => say!(
            "One of the wrong answers to question {number} is right.",
            number = question + 1
        ),
        Broken::WrongMeets { .. } => text!("It meets all goals.").to_owned(),
        Broken::OtherWrong { other, .. } => {
            say!("Wrong answer {number} matches first.", number = other + 1)
        }
        Broken::Unrecognised {
            unmet: Some((_, why)),
            ..
        } => say!("It is not recognised: {why}", why = remark(why)),
        Broken::Unrecognised { unmet: None, .. } => text!("It is not recognised.").to_owned(),
        Broken::Lock { fault, .. } => lock_fault(fault),
    }
}

fn lock_fault(fault: &LockFault) -> String {
    match fault {
        LockFault::NoObject => text!("The start has no such object.").to_owned(),
        LockFault::Deletes => text!("It can still be deleted.").to_owned(),
        LockFault::Changes => text!("It can still be changed in the manifests.").to_owned(),
        LockFault::Command { line, printed } => say!("{line} is not refused: {printed}"),
        LockFault::Untested { why } => say!("It refuses no change: {why}", why = remark(why)),
    }
}

/// A problem of the file.
pub fn problem(problem: &Problem) -> String {
    let place = place(&problem.path);
    match problem.is_missing {
        true => say!("{place} is missing."),
        false => say!("{place}: {message}", message = remark(&problem.message)),
    }
}

/// The place that a path of the file means on the page.
pub fn place(path: &str) -> String {
    let (field, rest) = path.split_once(['[', '.']).unwrap_or((path, ""));
    let (number, rest) = rest.split_once(']').unwrap_or(("", rest));
    let number = number.parse().map_or(0, |index: usize| index + 1);
    match field {
        "title" => TITLE.to_owned(),
        "description" => text!("The description").to_owned(),
        "task" => text!("The task").to_owned(),
        "hints" => say!("Hint {number}"),
        "locked" => say!("Lock {number}"),
        "expectations" if number == 0 => text!("A goal").to_owned(),
        "expectations" => say!("Goal {number}"),
        "solution" if number == 0 => text!("The solution").to_owned(),
        "solution" => say!("Step {number} of the solution"),
        "predict" => match rest {
            ".pod" => say!("The Pod of question {number}"),
            ".say" => say!("The reason for the answer to question {number}"),
            _ => say!("Question {number}"),
        },
        "before" => START.to_owned(),
        "wrong" => in_wrong(number, rest.trim_start_matches('.')),
        _ => path.to_owned(),
    }
}

fn in_wrong(number: usize, rest: &str) -> String {
    let (field, rest) = rest.split_once('[').unwrap_or((rest, ""));
    let (at, _) = rest.split_once(']').unwrap_or((rest, ""));
    let at = at.parse().map_or(0, |index: usize| index + 1);
    match (field, at) {
        ("say", _) => say!("Feedback on wrong answer {number}"),
        ("steps", at) if at > 0 => say!("Step {at} of wrong answer {number}"),
        ("when", at) if at > 0 => say!("Condition {at} of wrong answer {number}"),
        ("when", _) => say!("A condition of wrong answer {number}"),
        _ => say!("Wrong answer {number}"),
    }
}

/// A proposed goal, as its sentence.
pub fn goal(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Placed { pod } => say!("`{pod}` has a node"),
        Meaning::AllPlaced { pods, count } => counted!(
            count = *count,
            "{count} Pod with `{pods}` has a node",
            "{count} Pods with `{pods}` have a node"
        ),
        Meaning::Waiting { pods, count } => counted!(
            count = *count,
            "{count} Pod of `{pods}` waits",
            "{count} Pods of `{pods}` wait"
        ),
        Meaning::On { pods, nodes } => say!("`{pods}` is on {nodes}", nodes = list(nodes)),
        Meaning::AtMost { pods, key, most } => match key.as_str() {
            "topology.kubernetes.io/zone" => say!("No zone has more than {most} of `{pods}`"),
            "kubernetes.io/hostname" => say!("No node has more than {most} of `{pods}`"),
            key => say!("No {key} has more than {most} of `{pods}`"),
        },
        Meaning::Gone { pods } => say!("`{pods}` is gone"),
        Meaning::NotEvicted { pods } => say!("`{pods}` was never evicted"),
        Meaning::Evicted { pods } => say!("`{pods}` was evicted"),
        Meaning::NeverBelow { pods, least } => {
            say!("At least {least} of `{pods}` were always ready")
        }
        Meaning::Empty { count } => counted!(
            count = *count,
            "At least {count} node is empty",
            "At least {count} nodes are empty"
        ),
        Meaning::TheseEmpty { nodes } => say!("Empty: {nodes}", nodes = list(nodes)),
        Meaning::Drained { nodes } => say!("Drained: {nodes}", nodes = list(nodes)),
        Meaning::Field {
            object,
            path,
            value: Some(value),
        } => say!("`{path}` of `{object}` is `{value}`"),
        Meaning::Field {
            object,
            path,
            value: None,
        } => match path.is_empty() {
            true => say!("`{object}` is gone"),
            false => say!("`{object}` has no `{path}`"),
        },
        Meaning::Item { object, path, item } => say!("`{path}` of `{object}` has `{item}`"),
    }
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(comma())
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_path_is_a_place_on_the_page() {
        assert_eq!(place("expectations[1].state"), "Goal 2");
        assert_eq!(place("solution[0]"), "Step 1 of the solution");
        assert_eq!(place("wrong[0].steps[2]"), "Step 3 of wrong answer 1");
        assert_eq!(place("wrong[1].when"), "A condition of wrong answer 2");
        assert_eq!(place("locked[0]"), "Lock 1");
    }
}
