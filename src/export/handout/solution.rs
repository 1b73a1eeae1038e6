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
/// Letters of code that a column takes in its normal type, and in its narrow one.
const CODE: usize = 44;
const NARROW_CODE: usize = 52;

/// The page.
pub fn page(handout: &Handout) -> String {
    let lesson = &handout.end;
    let questions: String = lesson.questions.iter().map(question).collect();
    let longest = lesson.solution.iter().flat_map(|step| &step.lines);
    let longest = width(longest.map(|line| line.text.as_str()));
    // Unless the page then needs the smallest type.
    let is_across = longest > NARROW_CODE && lines(handout, true) <= SMALL;
    let steps = lesson.solution.iter().map(|it| step(it, is_across));
    let steps: String = steps.collect();
    let wrong: String = handout.end.wrong_answers.iter().map(wrong).collect();
    let hints = lesson
        .hints
        .iter()
        .map(|hint| format!("<li>{}</li>", blocks(hint)));
    let hints: String = hints.collect();
    let sections = [
        (words::HANDOUT_QUESTIONS, questions),
        (words::SOLUTION, steps),
        (words::WRONG_ANSWERS, wrong),
        (words::HINTS, wrapped("ol", hints)),
    ];
    let sections = sections
        .into_iter()
        .filter(|(_, inside)| !inside.is_empty())
        .map(|(title, inside)| format!("<div class=\"part\"><h2>{title}</h2>\n{inside}</div>\n"));
    let lines = lines(handout, is_across);
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

fn step(step: &StepFrame, is_across: bool) -> String {
    let text = match step.is_command {
        true => commands(step.text.lines()),
        false => {
            let lines = step.lines.iter().map(|it| (it, it.text.as_str()));
            format!("<p>{}</p>\n{}", words::APPLY, code(lines, is_across))
        }
    };
    format!("{text}{}", blocks(&step.note))
}

/// Marked lines of a manifest, across both columns or in one: in a narrow type if they would break.
fn code<'t>(lines: impl Iterator<Item = (&'t Line, &'t str)>, is_across: bool) -> String {
    let lines: Vec<_> = lines.collect();
    let class = match width(lines.iter().map(|(_, text)| *text)) {
        0 => return String::new(),
        _ if is_across => " class=\"across\"",
        width if width > CODE => " class=\"narrow\"",
        _ => "",
    };
    let lines = lines.into_iter().map(|(it, text)| line(it, text));
    format!("<pre{class}>{}</pre>\n", lines.collect::<String>())
}

/// Letters of the longest line.
fn width<'t>(lines: impl Iterator<Item = &'t str>) -> usize {
    lines.map(|text| text.chars().count()).max().unwrap_or(0)
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
    let indent = differing(answer)
        .map(|line| line.text.len() - line.text.trim_start().len())
        .min()
        .unwrap_or(0);
    let lines = differing(answer).map(|it| (it, it.text.get(indent..).unwrap_or_default()));
    code(lines, false)
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
/// Chinese letters count double, and lines of code across both columns as well.
fn lines(handout: &Handout, is_across: bool) -> usize {
    let letters = |text: &str| -> usize {
        let widths = text
            .chars()
            .map(|letter| if letter < '\u{2e80}' { 1 } else { 2 });
        widths.sum()
    };
    let prose = |text: &str| letters(text).div_ceil(LETTERS) + 1;
    let lesson = &handout.end;
    let steps = lesson.solution.iter();
    let columns = 1 + usize::from(is_across);
    let steps: usize = steps
        .map(|step| match step.is_command {
            true => columns * step.text.lines().count() + prose(&step.note),
            false => columns * step.lines.len() + prose(&step.note),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str, is_across: bool) -> String {
        let line = Line {
            text: text.to_string(),
            mark: LineMark::New,
        };
        let html = code([(&line, text)].into_iter(), is_across);
        html.split('>').next().unwrap_or_default().to_string()
    }

    #[test]
    fn long_code_gets_a_narrow_type_or_both_columns() {
        assert_eq!(class("  replicas: 3", false), "<pre");
        let key = "preferredDuringSchedulingIgnoredDuringExecution:";
        assert_eq!(class(key, false), "<pre class=\"narrow\"");
        assert_eq!(class(key, true), "<pre class=\"across\"");
    }
}
