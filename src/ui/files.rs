//! Files published beside the page, fetched once: what was fetched is there without a connection.

use std::cell::RefCell;
use std::collections::BTreeMap;

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::load::locate;

/// Descriptions of all fields, for the editor and for `kubectl explain`.
pub const FIELDS: &str = "./fields.json";

thread_local! {
    static KNOWN: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// A file's text if it was fetched before.
pub fn known(address: &str) -> Option<String> {
    KNOWN.with_borrow(|known| known.get(address).cloned())
}

/// A file's text; `None` if it is not known and cannot be fetched.
pub async fn fetch(address: &str) -> Option<String> {
    if let Some(text) = known(address) {
        return Some(text);
    }
    let request = gloo::utils::window().fetch_with_str(&locate(address));
    let response: Response = JsFuture::from(request).await.ok()?.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    let text = JsFuture::from(response.text().ok()?).await.ok()?;
    let text = text.as_string()?;
    KNOWN.with_borrow_mut(|known| known.insert(address.to_owned(), text.clone()));
    Some(text)
}
