//! The gallery of examples: an index, pictures, and one file per example, published beside the page.

use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::files::{fetch, known};
use super::store::{Action, EditAction, Example, PageAction, Picture};
use super::words;
use super::words::language::{self, Language};

const INDEX: &str = "./scenarios/index.json";
const CHINESE_INDEX: &str = "./scenarios/index.zh-CN.json";
const PICTURES: &str = "./scenarios/pictures.json";

/// The example of the first visit.
const DEFAULT: &str = "default";
const DEFAULT_SCENARIO: &str = include_str!("../../www/scenarios/default.yaml");

/// Fetches the index and the pictures.
pub fn list(act: Callback<Action>) {
    spawn_local(async move {
        let examples = fetch_list().await;
        act.emit(Action::Page(PageAction::Examples(examples)));
    });
}

/// The examples with their pictures; `None` if the index cannot be fetched.
pub async fn fetch_list() -> Option<Vec<Example>> {
    let mut examples: Vec<Example> = serde_json::from_str(&fetch(index()).await?).ok()?;
    let pictures = fetch(PICTURES).await.unwrap_or_default();
    let pictures: Vec<Picture> = serde_json::from_str(&pictures).unwrap_or_default();
    for example in &mut examples {
        let mut pictures = pictures.iter();
        let picture = pictures.find(|picture| picture.slug == example.slug);
        example.picture = picture.cloned();
    }
    Some(examples)
}

/// The text of an example.
pub async fn fetch_text(slug: &str) -> Option<String> {
    let is_plain = slug.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if !is_plain {
        return None;
    }
    let text = fetch(&format!("./scenarios/{slug}.yaml")).await?;
    let texts = match language::spoken() {
        Language::English => None,
        Language::Chinese => fetch(&texts_of(slug)).await,
    };
    Some(texts.map_or(text.clone(), |texts| with_texts(&text, &texts)))
}

/// The first visit's example; its texts in another language were fetched before ([`fetch_texts`]).
pub fn default_text() -> String {
    let texts = match language::spoken() {
        Language::English => None,
        Language::Chinese => known(&texts_of(DEFAULT)),
    };
    texts.map_or_else(
        || DEFAULT_SCENARIO.to_owned(),
        |texts| with_texts(DEFAULT_SCENARIO, &texts),
    )
}

/// Fetches the texts of the first visit's example in another language than English.
pub async fn fetch_texts() {
    fetch(&texts_of(DEFAULT)).await;
}

fn index() -> &'static str {
    match language::spoken() {
        Language::English => INDEX,
        Language::Chinese => CHINESE_INDEX,
    }
}

/// The address of an example's texts in Chinese.
fn texts_of(slug: &str) -> String {
    format!("./scenarios/{slug}.zh-CN.yaml")
}

/// An example with its texts replaced: the fields of the first document that `texts` has, too.
#[inline(never)]
fn with_texts(text: &str, texts: &str) -> String {
    let is_comment = |line: &&str| line.starts_with('#');
    let texts: Vec<&str> = texts.lines().skip_while(is_comment).collect();
    let replaced = |name: &str| texts.iter().any(|line| field(line) == Some(name));
    let end = text.find("\n---").unwrap_or(text.len());
    let (document, rest) = text.split_at(end);
    let (mut merged, mut is_placed, mut is_kept) = (Vec::new(), false, true);
    for line in document.lines() {
        if let Some(name) = field(line) {
            is_kept = !replaced(name);
            if !is_kept && !is_placed {
                merged.extend(&texts);
                is_placed = true;
            }
        }
        if is_kept && !is_comment(&line) {
            merged.push(line);
        }
    }
    merged.join("\n") + rest
}

/// The name of a field of the document itself, if the line begins one.
fn field(line: &str) -> Option<&str> {
    let name = line.split_once(':')?.0;
    let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    is_name.then_some(name)
}

/// Fetches an example and opens it.
pub fn open(slug: String, act: Callback<Action>) {
    spawn_local(async move {
        act.emit(match fetch_text(&slug).await {
            Some(text) => Action::Edit(EditAction::Open(text)),
            None => Action::Page(PageAction::Say(words::NO_EXAMPLE.to_owned())),
        });
    });
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Example, with_texts};
    use crate::ui::engine::test_host::Pair;
    use berth_protocol::frame::AboutFrame;

    fn titled(text: &str) -> (String, AboutFrame) {
        let view = Pair::open(text, Default::default()).store.view;
        (view.head.title, view.about)
    }

    #[test]
    fn every_example_has_the_texts_of_its_other_language() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenarios");
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let index: Vec<Example> = serde_json::from_str(&read("index.zh-CN.json")).unwrap();
        for Example { slug, title, .. } in index {
            let text = read(&format!("{slug}.yaml"));
            let texts = read(&format!("{slug}.zh-CN.yaml"));
            let merged = with_texts(&text, &texts);
            let rest = |text: &str| text[text.find("\nexpectations:").unwrap()..].to_owned();
            assert_eq!(rest(&merged), rest(&text), "{slug}: the manifests stay");
            let (shown, about) = titled(&merged);
            assert_eq!(shown, title);
            let hints = |text: &str| titled(text).1.hints.len();
            assert_eq!(hints(&merged), hints(&text), "{slug}");
            assert_ne!(about.description, titled(&text).1.description, "{slug}");
        }
    }
}
