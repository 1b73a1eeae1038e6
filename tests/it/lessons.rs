//! Plays every lesson of the page by the four rules, and tests the rules themselves on lessons that break them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use berth::words::language::{Language, comma};
use berth_core::api::yaml;
use berth_protocol::problem::Problem;
use berth_session::SourceFile;
use berth_session::lesson::{Lesson, test};
use serde_json::{Value, json};

use crate::languages;

/// A lesson that keeps the rules.
const GOOD: &str = include_str!("lessons/05-labels.yaml");
const CHINESE: &str = include_str!("lessons/05-labels.zh-CN.yaml");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("www/lessons")
}

/// The chapters, as the authors list them; none if there are no lessons yet.
fn chapters() -> Vec<Value> {
    let Ok(text) = fs::read_to_string(folder().join("index.json")) else {
        return Vec::new();
    };
    let index: Value = serde_json::from_str(&text).unwrap();
    index["chapters"].as_array().unwrap().clone()
}

fn slugs(chapter: &Value) -> Vec<String> {
    chapter["lessons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|slug| slug.as_str().unwrap().to_owned())
        .collect()
}

fn file(name: &str) -> SourceFile {
    let text = fs::read_to_string(folder().join(name));
    SourceFile::new(name, text.unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn translations(slug: &str) -> Vec<(Language, SourceFile)> {
    languages::translations(&folder().join(format!("{slug}.yaml")))
}

#[test]
fn every_lesson_keeps_the_rules() {
    let seeds: &[u64] = if crate::all() { &[1, 2, 3] } else { &[1] };
    for slug in chapters().iter().flat_map(slugs) {
        let lesson = file(&format!("{slug}.yaml"));
        let translations: Vec<SourceFile> =
            translations(&slug).into_iter().map(|it| it.1).collect();
        let problems = test(&lesson, &translations, seeds);
        assert!(problems.is_empty(), "{slug}: {problems:#?}");
    }
}

#[test]
fn every_file_is_listed_once() {
    let mut listed: Vec<String> = chapters().iter().flat_map(slugs).collect();
    listed.sort();
    let names = fs::read_dir(folder())
        .into_iter()
        .flatten()
        .map(|file| file.unwrap().file_name().into_string().unwrap());
    let lessons = names.filter_map(|name| {
        let stem = name.strip_suffix(".yaml")?.to_owned();
        (!stem.contains('.') && stem != "glossary").then_some(stem)
    });
    let mut lessons: Vec<String> = lessons.collect();
    lessons.sort();
    assert_eq!(lessons, listed);
}

/// What the page needs of all lessons at once: titles, minutes, exams, and the glossary.
#[test]
fn the_course_lists_what_its_files_say() {
    let lesson = |slug: &String| {
        let lesson = Lesson::read(&file(&format!("{slug}.yaml"))).unwrap();
        let mut titles = json!({"en": lesson.scenario.title});
        for (language, texts) in translations(slug) {
            let mut lesson = lesson.clone();
            lesson.translate(&texts);
            titles[language.tag()] = json!(lesson.scenario.title);
        }
        json!({
            "slug": slug,
            "title": titles,
            "minutes": lesson.scenario.minutes.unwrap_or(10),
            "exam": lesson.scenario.exam.unwrap_or_default(),
        })
    };
    let chapters = chapters();
    let listed = chapters.iter().map(|chapter| {
        let lessons: Vec<Value> = slugs(chapter).iter().map(lesson).collect();
        json!({"title": chapter["title"], "lessons": lessons})
    });
    let listed: Vec<Value> = listed.collect();
    let course = json!({"chapters": listed, "glossary": glossary()});
    let text = format!("{}\n", serde_json::to_string_pretty(&course).unwrap());
    let name = "../../www/lessons/course.json";
    let committed = fs::read_to_string(folder().join("course.json")).unwrap_or_default();
    crate::snapshot::assert_snapshot(name, &committed, &text);
}

fn glossary() -> Vec<Value> {
    let path = folder().join("glossary.yaml");
    let english = fs::read_to_string(&path).unwrap_or_default();
    let Value::Object(terms) = yaml::parse(&english).unwrap().value else {
        return Vec::new();
    };
    let translations = languages::translations(&path).into_iter();
    let translations: Vec<(Language, Value)> = translations
        .map(|(language, file)| (language, yaml::parse(&file.text).unwrap().value))
        .collect();
    let names = |entry: &Value, language: Language| {
        let names = entry["also"].as_array().into_iter().flatten();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        names.join(languages::spoken(language, comma))
    };
    let terms = terms.iter().map(|(term, entry)| {
        let mut text = json!({"en": entry["text"]});
        let mut also = json!({"en": names(entry, Language::SOURCE)});
        for (language, terms) in &translations {
            let own = &terms[term];
            text[language.tag()] = json!(own["text"].as_str().unwrap_or_default());
            also[language.tag()] = json!(names(own, *language));
        }
        json!({"term": term, "text": text, "also": also})
    });
    terms.collect()
}

/// A link needs its term, and readers reach a term only by a link.
#[test]
fn links_and_terms_of_the_glossary_match() {
    let links = |file: SourceFile| {
        let terms = file
            .text
            .split("](#")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
        terms.collect::<BTreeSet<String>>()
    };
    let mut linked = BTreeSet::new();
    for slug in chapters().iter().flat_map(slugs) {
        let english = links(file(&format!("{slug}.yaml")));
        for (_, translation) in translations(&slug) {
            let name = translation.name.clone();
            assert_eq!(english, links(translation), "{name}");
        }
        linked.extend(english);
    }
    let listed = glossary()
        .into_iter()
        .map(|entry| entry["term"].as_str().unwrap().to_owned());
    assert_eq!(linked, listed.collect());
}

/// The learner's manifests keep their comments, in whatever language the page is.
#[test]
fn no_manifest_has_a_comment() {
    for slug in chapters().iter().flat_map(slugs) {
        let text = file(&format!("{slug}.yaml")).text;
        let (_, start) = text.split_once("\n---\n").unwrap();
        let mut comments = start
            .lines()
            .filter(|line| line.trim_start().starts_with('#'));
        assert_eq!(comments.next(), None, "{slug}");
    }
}

fn problems(text: &str, chinese: &str) -> Vec<String> {
    let lesson = SourceFile::new("lesson.yaml", text);
    let chinese = SourceFile::new("lesson.zh-CN.yaml", chinese);
    let line = |problem: Problem| {
        let Problem {
            file,
            line,
            path,
            message,
            ..
        } = problem;
        format!("{file}:{line}: {path}: {message}")
    };
    test(&lesson, &[chinese], &[1])
        .into_iter()
        .map(line)
        .collect()
}

#[track_caller]
fn breaks(from: &str, to: &str, expected: &str) {
    assert!(GOOD.contains(from), "{from}");
    let found = problems(&GOOD.replace(from, to), CHINESE);
    assert!(
        found.iter().any(|it| it.contains(expected)),
        "{expected}: {found:#?}"
    );
}

#[test]
fn a_good_lesson_has_no_problem() {
    assert_eq!(problems(GOOD, CHINESE), [""; 0]);
}

#[test]
fn a_start_that_meets_the_goals_is_reported() {
    breaks(
        "metadata: {name: node-b}",
        "metadata: {name: node-b, labels: {disk: ssd}}",
        "the start meets all goals already",
    );
}

#[test]
fn a_solution_that_fails_is_reported() {
    breaks(
        "kubectl label node node-b disk=ssd",
        "kubectl label node node-b disk=hdd",
        "the solution does not meet this goal",
    );
    breaks(
        "kubectl label node node-b disk=ssd",
        "kubectl label node node-c disk=ssd",
        "solution[0]: the step fails",
    );
}

#[test]
fn a_wrong_answer_that_is_not_recognised_is_reported() {
    breaks(
        "equals: ssd}",
        "equals: hdd}",
        "wrong[1].when: it is not recognised",
    );
    breaks(
        "kubectl label node node-a disk=ssd",
        "kubectl label node node-b disk=ssd",
        "wrong[1]: this wrong answer meets all goals",
    );
    breaks(
        "when: [{selector: {app: orders, disk: ssd}, state: Pending}]",
        "when: [{selector: {app: orders}, count: 3}]",
        "it is recognised as wrong[0], which comes first",
    );
}

#[test]
fn a_lesson_holds_with_each_release_unless_it_names_one() {
    let step = "- run: kubectl label node node-b disk=ssd\n";
    let older = format!(
        "- run: kubectl version | grep Server | grep v1.34\n  note: It prints the version.\n{step}"
    );
    let text = GOOD.replace(step, &older);
    let chinese = CHINESE.replace("solution:\n", "solution:\n- 它打印版本。\n");
    let found = problems(&text, &chinese);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(
        found[0].contains("solution[0]: the step fails"),
        "{found:#?}"
    );
    let named = text.replace("kind: Scenario\n", "kind: Scenario\nkubernetes: '1.34'\n");
    assert_eq!(problems(&named, &chinese), [""; 0]);
}

#[test]
fn a_lock_that_concerns_nothing_is_reported() {
    breaks(
        "- Deployment/orders\n",
        "- Deployment/web\n",
        "locked[0]: there is no such object",
    );
    breaks(
        "- Deployment/orders\n",
        "- Deploiment/orders\n",
        "must begin with a kind that Berth knows",
    );
}

#[test]
fn a_translation_of_another_shape_is_reported() {
    let shorter = CHINESE.replace(
        "- 用 `kubectl get nodes --show-labels` 查看有哪些标签。\n",
        "",
    );
    let found = problems(GOOD, &shorter);
    assert!(
        found
            .iter()
            .any(|it| it.contains("hints: the lesson has 2, the translation 1")),
        "{found:#?}"
    );
    let untitled = CHINESE.replace("title: ", "titel: ");
    let found = problems(GOOD, &untitled);
    assert!(
        found
            .iter()
            .any(|it| it.contains("the translation is missing")),
        "{found:#?}"
    );
}
