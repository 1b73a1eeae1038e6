//! Lessons on paper: an A4 page with the task for each learner, and one with the solution for the trainer. An HTML
//! document without scripts, which a browser prints.

mod html;
mod solution;
mod task;

use berth_protocol::lesson::Handout;
use html::{escaped, link};

use super::squares;
use crate::words;
use crate::words::language;

/// Which page of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// For learners.
    Task,
    /// For the trainer.
    Solution,
}

/// Where the style sheet `src/export/handout.css` is.
#[derive(Clone, Copy, Debug)]
pub enum Style<'a> {
    /// Part of the document: its text.
    Text(&'a str),
    /// At an address.
    At(&'a str),
}

/// A document with one page for each lesson.
///
/// `page`: the address at which the lessons open, with a slash at its end. It may be relative; only a whole one is
/// printed, and has a QR code.
pub fn document(handouts: &[Handout], sheet: Sheet, page: &str, style: Style) -> String {
    let title = match (handouts, sheet) {
        ([one], _) => one.end.title.clone(),
        (_, Sheet::Task) => words::HANDOUTS.to_owned(),
        (_, Sheet::Solution) => words::SOLUTION_SHEETS.to_owned(),
    };
    let style = match style {
        Style::Text(text) => format!("<style>\n{text}</style>"),
        Style::At(address) => {
            format!("<link rel=\"stylesheet\" href=\"{}\">", escaped(address))
        }
    };
    let pages = handouts.iter().map(|handout| match sheet {
        Sheet::Task => task::page(handout, page),
        Sheet::Solution => solution::page(handout),
    });
    let pages: String = pages.collect();
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n{style}\n</head>\n<body>\n{pages}</body>\n</html>\n",
        language::current().tag(),
        escaped(&title),
    )
}

/// Number, minutes and exams of a lesson.
fn about(handout: &Handout) -> String {
    let slug = &handout.end.slug;
    let number = slug.split('-').next().and_then(|it| it.parse().ok());
    let minutes = handout.minutes.and_then(|it| u32::try_from(it).ok());
    let exams = Some(handout.exam.join(language::comma())).filter(|it| !it.is_empty());
    let parts = [
        Some(words::BRAND.to_owned()),
        number.map(words::lesson_number),
        minutes.map(words::minutes),
        exams,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(" · ")
}

/// The address that opens a lesson.
fn address(page: &str, slug: &str) -> String {
    let language = language::current();
    match language.is_source() {
        true => format!("{page}?lesson={slug}"),
        false => format!("{page}?lesson={slug}&lang={}", language.tag()),
    }
}

/// Where the lesson opens: as a link, and as a QR code if a camera can follow it.
fn way(page: &str, slug: &str) -> String {
    let address = address(page, slug);
    let is_whole = address.starts_with("https://") || address.starts_with("http://");
    let text = if is_whole { &address } else { slug };
    let code = squares(&address).filter(|_| is_whole).map(|(size, path)| {
        format!(
            "<svg class=\"qr\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"{}\" shape-rendering=\"crispEdges\"><path d=\"{path}\"/></svg>",
            words::QR_CODE
        )
    });
    format!(
        "<footer><p>{} {}</p>{}</footer>\n",
        words::OPEN_LESSON,
        link(text, &address),
        code.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests;
