//! Files published beside the page, fetched once; fetched files are available offline.

use std::cell::RefCell;
use std::collections::BTreeMap;

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::Response;

use super::load::locate;
use crate::words::language;
use berth_protocol::link;

/// Descriptions of all fields in brief, for the editor.
pub const FIELDS: &str = "./fields.json";

/// Descriptions of all fields as Kubernetes has them, for `kubectl explain`.
pub const EXPLAIN: &str = "./explain.json";

thread_local! {
    static KNOWN: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
    /// Texts that are being fetched.
    static PENDING: RefCell<BTreeMap<String, Promise>> = const { RefCell::new(BTreeMap::new()) };
}

/// A file's text if it was fetched before.
pub fn known(address: &str) -> Option<String> {
    KNOWN.with_borrow(|known| known.get(address).cloned())
}

/// A file's text; `None` if it is not known and cannot be fetched. Callers that ask while it is being fetched share the
/// request.
pub async fn fetch(address: &str) -> Option<String> {
    if let Some(text) = known(address) {
        return Some(text);
    }
    let text = PENDING.with_borrow_mut(|pending| {
        let requested = || requested(address.to_owned());
        pending
            .entry(address.to_owned())
            .or_insert_with(requested)
            .clone()
    });
    JsFuture::from(text).await.ok()?.as_string()
}

/// The address of a file's translation to the language in use; `None` if the file is in it.
pub fn translation_of(address: &str) -> Option<String> {
    let language = language::current();
    (!language.is_source()).then(|| link::translation_of(address, language.tag()))
}

/// The text of a file's translation to the language in use, if there is one.
pub async fn fetch_translation(address: &str) -> Option<String> {
    fetch(&translation_of(address)?).await
}

/// Requests a file; its text is available afterwards.
fn requested(address: String) -> Promise {
    future_to_promise(async move {
        let text = text_of(&address).await;
        PENDING.with_borrow_mut(|pending| pending.remove(&address));
        let text = text?;
        if let Some(text) = text.as_string() {
            KNOWN.with_borrow_mut(|known| known.insert(address, text));
        }
        Ok(text)
    })
}

async fn text_of(address: &str) -> Result<JsValue, JsValue> {
    let request = gloo::utils::window().fetch_with_str(&locate(address));
    let response: Response = JsFuture::from(request).await?.dyn_into()?;
    if !response.ok() {
        return Err(JsValue::NULL);
    }
    JsFuture::from(response.text()?).await
}
