//! The gallery of examples: an index, and one file per example, published beside the page.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Response;
use yew::Callback;

use super::store::{Action, EditAction, Example, PageAction};
use super::words;

const INDEX: &str = "./scenarios/index.json";

/// Fetches the index.
pub fn list(act: Callback<Action>) {
    spawn_local(async move {
        let examples = fetch(INDEX)
            .await
            .and_then(|text| serde_json::from_str::<Vec<Example>>(&text).ok());
        act.emit(match examples {
            Some(examples) => Action::Page(PageAction::Examples(examples)),
            None => Action::Page(PageAction::Say(words::NO_EXAMPLES.to_owned())),
        });
    });
}

/// Fetches an example and opens it.
pub fn open(slug: &str, act: Callback<Action>) {
    let is_plain = slug.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let address = format!("./scenarios/{slug}.yaml");
    spawn_local(async move {
        let text = if is_plain {
            fetch(&address).await
        } else {
            None
        };
        act.emit(match text {
            Some(text) => Action::Edit(EditAction::Open(text)),
            None => Action::Page(PageAction::Say(words::NO_EXAMPLES.to_owned())),
        });
    });
}

/// Fetches a file's text; `None` on failure.
pub(super) async fn fetch(address: &str) -> Option<String> {
    let request = gloo::utils::window().fetch_with_str(address);
    let response: Response = JsFuture::from(request).await.ok()?.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    let text = JsFuture::from(response.text().ok()?).await.ok()?;
    text.as_string()
}
