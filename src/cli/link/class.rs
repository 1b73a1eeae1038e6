//! `berth link --class`: a link to a list of lessons, those of the course by name and own ones with their files.

use std::path::{Path, PathBuf};

use berth_protocol::link::{Class, Link};
use berth_session::lesson::Lesson;
use berth_session::{SourceFile, closest};
use serde::Deserialize;

use super::super::open::problem_line;
use super::super::{Stop, lessons};
use super::file_name;
use crate::words::language::is_translation;

/// The lessons of the course, in learning order.
const COURSE: &str = include_str!("../../../www/lessons/index.json");

/// `www/lessons/index.json`.
#[derive(Deserialize)]
struct Course {
    chapters: Vec<Chapter>,
}

#[derive(Deserialize)]
struct Chapter {
    lessons: Vec<String>,
}

/// The link to a class with these lessons: files, folders, and names of the course's lessons.
pub fn link(title: &str, lessons: &[PathBuf]) -> Result<Link, Stop> {
    let course = course()?;
    let mut class = Class {
        title: title.to_owned(),
        lessons: Vec::new(),
    };
    let mut files: Vec<(String, String)> = Vec::new();
    for path in lessons {
        let name = path.to_string_lossy();
        if !path.exists() && course.iter().any(|own| *own == name) {
            class.lessons.push(name.into_owned());
            continue;
        }
        for file in own(path, &course)? {
            let name = file_name(&file);
            if files.iter().any(|(other, _)| *other == name) {
                return Err(Stop::Message(format!("{name}: two files have this name")));
            }
            if !is_translation(&name) {
                class.lessons.push(name.clone());
            }
            files.push((name, file.text.to_string()));
        }
    }
    Ok(Link::of_class(class, files))
}

fn course() -> Result<Vec<String>, Stop> {
    let course: Course = serde_json::from_str(COURSE).map_err(|error| error.to_string())?;
    let chapters = course.chapters.into_iter();
    Ok(chapters.flat_map(|chapter| chapter.lessons).collect())
}

/// The lessons of a path, each with its translation.
fn own(path: &Path, course: &[String]) -> Result<Vec<SourceFile>, Stop> {
    let is_named = path.extension().is_some() || path.components().count() > 1;
    if !path.exists() && !is_named && path.as_os_str() != "-" {
        let name = path.to_string_lossy();
        let advice = match closest(&name, course.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean {meant}?"),
            None => format!("those are {}", course.join(", ")),
        };
        return Err(Stop::Message(format!(
            "{name}: neither a file nor a lesson of the course; {advice}"
        )));
    }
    let mut all = Vec::new();
    for file in lessons::files_of(path)? {
        let problem = |problem| problem_line(&problem, |_, text| text.to_owned());
        Lesson::read(&file).map_err(|problems| {
            let lines: Vec<String> = problems.into_iter().map(problem).collect();
            lines.join("\nerror: ")
        })?;
        let translations = lessons::translations(Path::new(&file.name))?;
        all.push(file);
        all.extend(
            translations
                .into_iter()
                .filter(|it| is_translation(&it.name)),
        );
    }
    if all.is_empty() {
        return Err(Stop::Message(format!("{}: not a lesson", path.display())));
    }
    Ok(all)
}

/// What `berth open` prints of a class.
pub fn listed(class: &Class, link: &Link) -> Vec<String> {
    let lessons = class
        .lessons
        .iter()
        .enumerate()
        .map(|(index, name)| match link.file(name) {
            Some(_) => format!("{:>3}  {name}", index + 1),
            None => format!("{:>3}  {name} (of the course)", index + 1),
        });
    let title = match class.title.as_str() {
        "" => "a class".to_owned(),
        title => format!("class: {title}"),
    };
    std::iter::once(title).chain(lessons).collect()
}
