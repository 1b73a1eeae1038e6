//! The gallery of examples: an index, pictures, and one file per example, published beside the page.

use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::files::fetch;
use super::store::{Action, EditAction, Example, PageAction, Picture};
use super::words;

const INDEX: &str = "./scenarios/index.json";
const PICTURES: &str = "./scenarios/pictures.json";

/// Fetches the index and the pictures.
pub fn list(act: Callback<Action>) {
    spawn_local(async move {
        let examples = fetch_list().await;
        act.emit(Action::Page(PageAction::Examples(examples)));
    });
}

/// The examples with their pictures; `None` if the index cannot be fetched.
pub async fn fetch_list() -> Option<Vec<Example>> {
    let mut examples: Vec<Example> = serde_json::from_str(&fetch(INDEX).await?).ok()?;
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
    fetch(&format!("./scenarios/{slug}.yaml")).await
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
