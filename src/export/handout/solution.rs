//! The trainer's page: answers, the solution step by step, wrong answers with their feedback, and hints.

use super::about;
use super::html::{blocks, escaped};
use crate::words;
use crate::words::language;
use berth_protocol::lesson::{
    Answer, Handout, Line, LineMark, QuestionFrame, StepFrame, WrongFrame,
};

/// Lines of a page in small type, and of one in normal type, as [`lines`] counts them.
const SMALL: usize = 110;
const NORMAL: usize = 78;
/// Letters of a line in normal type.
const LETTERS: usize = 58;

/// The page.
pub fn page(handout: &Handout) -> String {
    let lesson = &handout.end;
    let questions: String = lesson.questions.iter().map(question).collect();
    let steps: String = lesson.solution.iter().map(step).collect();
    let wrong: String = handout.end.wrong_answers.iter().map(wrong).collect();
    let hints = lesson.hints.iter();
    let hints = hints.map(|hint| format!("<li>{}</li>", blocks(hint)));
    let hints: String = hints.collect();
    let sections = [
        (words::HANDOUT_QUESTIONS, questions),
        (words::SOLUTION, steps),
        (words::WRONG_ANSWERS, wrong),
        (words::HINTS, wrapped("ol", hints)),
    ];
    let sections = sections
        .into_iter()
        .filter(|(_, inside)| !inside.is_empty());
    let sections = sections
        .map(|(title, inside)| format!("<div class=\"part\"><h2>{title}</h2>\n{inside}</div>\n"));
    let lines = lines(handout);
    let class = if lines <= NORMAL {
        "sheet--solution"
    } else if lines <= SMALL {
        "sheet--solution sheet--small"
    } else {
        "sheet--solution sheet--tiny"
    };
    format!(
        "<section class=\"sheet {class}\" id=\"{}\">\n<header><p>{}</p><p><b>{}</b></p></header>\n<h1>{}</h1>\n\
         <div class=\"columns\">\n{}</div>\n</section>\n",
        escaped(&lesson.slug),
        escaped(&about(handout)),
        words::SOLUTION_SHEET,
        escaped(&lesson.title),
        sections.collect::<String>(),
    )
}

fn wrapped(tag: &str, inside: String) -> String {
    match inside.is_empty() {
        true => inside,
        false => format!("<{tag}>{inside}</{tag}>"),
    }
}

fn question(question: &QuestionFrame) -> String {
    let answer = question.answer.as_ref().map(|answer| match answer {
        Answer::Node(node) => node.clone(),
        Answer::Victims(names) | Answer::Plugins(names) => {
            let names: Vec<&str> = names.iter().map(|name| words::short(name)).collect();
            names.join(language::comma())
        }
    });
    let wrong = question.wrong.iter();
    let wrong = wrong.map(|(answer, say)| {
        format!(
            "<div class=\"wrong\"><p><code>{}</code></p>{}</div>\n",
            escaped(answer),
            blocks(say)
        )
    });
    format!(
        "<p><b>{}</b></p>\n<p class=\"right\">{}</p>\n{}{}",
        escaped(&words::asked(question)),
        answer.map(|it| escaped(&it)).unwrap_or_default(),
        blocks(&question.say),
        wrong.collect::<String>()
    )
}

fn step(step: &StepFrame) -> String {
    let text = match step.is_command {
        true => commands(step.text.lines()),
        false => {
            let lines = step.lines.iter().map(|it| line(it, &it.text));
            let lines: String = lines.collect();
            format!("<p>{}</p>\n<pre>{lines}</pre>\n", words::APPLY)
        }
    };
    format!("{text}{}", blocks(&step.note))
}

/// `text` as this line is marked. The elements are blocks, so the line's end is in them.
fn line(line: &Line, text: &str) -> String {
    let text = escaped(text);
    match line.mark {
        LineMark::Kept | LineMark::Left => format!("{text}\n"),
        LineMark::New => format!("<ins>{text}\n</ins>"),
        LineMark::Gone => format!("<del>{text}\n</del>"),
    }
}

fn wrong(answer: &WrongFrame) -> String {
    let written = answer.steps.iter().flat_map(|step| &step.objects);
    let written: Vec<String> = written
        .map(|object| format!("<code>{}</code>", escaped(object)))
        .collect();
    let written = match written.is_empty() {
        true => String::new(),
        false => {
            let written = written.join(language::comma());
            format!("<p>{}{}{written}</p>\n", words::APPLY, language::space())
        }
    };
    format!(
        "<div class=\"wrong\">{written}{}{}{}</div>\n",
        difference(answer),
        commands(lines_of(answer)),
        blocks(&answer.say)
    )
}

/// What a wrong answer adds to manifests and takes from them, without the lines around it.
fn difference(answer: &WrongFrame) -> String {
    let indent = differing(answer).map(|line| line.text.len() - line.text.trim_start().len());
    let indent = indent.min().unwrap_or(0);
    let lines = differing(answer).map(|it| line(it, it.text.get(indent..).unwrap_or_default()));
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => lines,
        false => format!("<pre>{lines}</pre>\n"),
    }
}

fn differing(answer: &WrongFrame) -> impl Iterator<Item = &Line> {
    let lines = answer.steps.iter().flat_map(|step| &step.lines);
    lines.filter(|line| matches!(line.mark, LineMark::New | LineMark::Gone))
}

/// The command lines that lead to a wrong answer.
fn lines_of(answer: &WrongFrame) -> impl Iterator<Item = &str> {
    let steps = answer.steps.iter().filter(|step| step.is_command);
    steps.flat_map(|step| step.text.lines())
}

fn commands<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let lines: Vec<String> = lines.map(|line| format!("$ {}", escaped(line))).collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!("<pre class=\"commands\">{}</pre>\n", lines.join("\n")),
    }
}

/// About how many lines the page has in normal type, both columns together: manifests line by line, texts by length.
/// Chinese letters count double.
fn lines(handout: &Handout) -> usize {
    let letters = |text: &str| -> usize {
        let widths = text
            .chars()
            .map(|letter| if letter < '\u{2e80}' { 1 } else { 2 });
        widths.sum()
    };
    let prose = |text: &str| letters(text).div_ceil(LETTERS) + 1;
    let lesson = &handout.end;
    let steps = lesson.solution.iter();
    let steps: usize = steps
        .map(|step| match step.is_command {
            true => step.text.lines().count() + prose(&step.note),
            false => step.lines.len() + prose(&step.note),
        })
        .sum();
    let wrong = handout.end.wrong_answers.iter();
    let wrong: usize = wrong
        .map(|it| {
            let writes = it.steps.iter().any(|step| !step.objects.is_empty());
            let own = lines_of(it).count() + differing(it).count();
            own + usize::from(writes) + prose(&it.say)
        })
        .sum();
    let questions = lesson.questions.iter();
    let questions: usize = questions
        .map(|it| {
            let feedback: usize = it.wrong.iter().map(|(_, say)| prose(say) + 1).sum();
            2 + prose(&it.say) + feedback
        })
        .sum();
    let hints: usize = lesson.hints.iter().map(|hint| prose(hint)).sum();
    steps + wrong + questions + hints
}
