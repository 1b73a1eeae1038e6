//! Every lesson on paper, in both languages, and the errors of the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use berth_session::SourceFile;
use berth_session::lesson::Lesson;

fn lessons() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("www/lessons")
}

fn handout(line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_berth"))
        .arg("handout")
        .args(line.split_whitespace())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

/// The pages of a document, by the names of their lessons.
fn pages(line: &str) -> Vec<(String, String)> {
    let output = handout(line);
    let problems = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && problems.is_empty(), "{problems}");
    let html = String::from_utf8(output.stdout).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"));
    assert!(!html.contains("<script") && !html.contains("onload"));
    let named = html.split("<section class=\"sheet").skip(1).map(|page| {
        let (_, id) = page.split_once("id=\"").unwrap();
        let (id, _) = id.split_once('"').unwrap();
        (id.to_owned(), page.to_owned())
    });
    named.collect()
}

/// The lessons with their texts in a language, in the order of their files.
fn read(ending: Option<&str>) -> Vec<Lesson> {
    let names = fs::read_dir(lessons()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let slugs = names.filter_map(|name| {
        let slug = name.strip_suffix(".yaml")?.to_owned();
        slug.starts_with(|first: char| first.is_ascii_digit())
            .then_some(slug)
    });
    let mut slugs: Vec<String> = slugs.filter(|slug| !slug.contains('.')).collect();
    slugs.sort();
    let file = |name: String| {
        let text = fs::read_to_string(lessons().join(&name)).unwrap();
        SourceFile::new(name, text)
    };
    let lessons = slugs.into_iter().map(|slug| {
        let mut lesson = Lesson::read(&file(format!("{slug}.yaml"))).unwrap();
        if let Some(ending) = ending {
            assert!(
                lesson
                    .translate(&file(format!("{slug}.{ending}")))
                    .is_empty()
            );
        }
        lesson.slug = slug;
        lesson
    });
    lessons.collect()
}

/// What a text shows first: words before any mark.
fn beginning(text: &str) -> String {
    text.trim()
        .split(['`', '*', '[', ']', '\n', '<', '&', '"', '\''])
        .map(str::trim)
        .find(|it| !it.is_empty())
        .unwrap()
        .to_owned()
}

#[test]
fn every_lesson_has_both_pages_in_both_languages() {
    let languages = [
        ("en", None, "What I tried", "Wrong answers"),
        ("zh-CN", Some("zh-CN.yaml"), "我试了什么", "常见错误"),
    ];
    for (language, ending, notes, wrong) in languages {
        let lessons = read(ending);
        let tasks = pages(&format!("www/lessons --language {language}"));
        let solutions = pages(&format!("www/lessons --language {language} --solutions"));
        assert_eq!(
            (tasks.len(), solutions.len()),
            (lessons.len(), lessons.len())
        );
        // A list is one of its language.
        let comma = if language == "en" { ", " } else { "、" };
        let lists = [format!("</code>{comma}<code>"), format!("CKA{comma}KCNA")];
        for list in lists {
            assert!(tasks.iter().any(|(_, task)| task.contains(&list)), "{list}");
        }
        for ((lesson, (id, task)), (_, solution)) in lessons.iter().zip(&tasks).zip(&solutions) {
            let slug = &lesson.slug;
            assert_eq!(slug, id);
            let scenario = &lesson.scenario;
            for text in [&scenario.description, &scenario.task] {
                let text = beginning(text.as_deref().unwrap());
                assert!(task.contains(&text), "{slug} {language}: {text}");
            }
            assert!(task.contains(notes) && task.contains("<svg "), "{slug}");
            let given =
                task.contains("class=\"right\"") || task.contains("<pre class=\"commands\"");
            assert!(!given, "{slug}: a learner's page has no answer");
            for answer in &lesson.parts.wrong {
                let text = beginning(&answer.say);
                assert!(solution.contains(&text), "{slug} {language}: {text}");
            }
            assert!(solution.contains(wrong), "{slug}");
            let answers = solution.matches("<p class=\"right\">").count();
            assert_eq!(answers, lesson.parts.predict.len(), "{slug}");
            assert!(!solution.contains("<p class=\"right\"></p>"), "{slug}");
        }
    }
}

#[test]
fn a_link_and_a_code_lead_to_the_lesson_in_its_language() {
    let page = |more: &str| {
        let line = format!("www/lessons/05-node-selector.yaml {more}");
        pages(&line).remove(0).1
    };
    let far = page("--language zh-CN --url https://example.org/berth/");
    let address = "https://example.org/berth/?lesson=05-node-selector&amp;lang=zh-CN";
    assert!(far.contains(address), "{far}");
    assert!(far.contains("class=\"qr\""));
    assert!(!page("--url ../").contains("class=\"qr\""));
}

#[test]
fn what_cannot_be_written_is_named() {
    for (line, part) in [
        ("www/scenarios/taints.yaml", "not a lesson"),
        ("tests/it/cli/broken.yaml", "tests/it/cli/broken.yaml:"),
        ("www/lessons/nothing.yaml", "nothing.yaml"),
        ("www/lessons --url https://example.org", "end it with /"),
        ("www/lessons -o no/such/folder.html", "no/such/folder.html"),
    ] {
        let output = handout(line);
        let problems = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {problems}");
        assert!(problems.contains(part), "{line}: {problems}");
        assert!(output.stdout.is_empty());
    }
    let alone = std::env::temp_dir().join(format!("berth-handout-{}.yaml", std::process::id()));
    fs::copy(lessons().join("05-node-selector.yaml"), &alone).unwrap();
    let output = handout(&format!("{} --language zh-CN", alone.display()));
    fs::remove_file(&alone).unwrap();
    let problems = String::from_utf8(output.stderr).unwrap();
    assert!(problems.contains(".zh-CN.yaml beside it"), "{problems}");
}
