//! The visits' store, `www/visits.js`: IndexedDB has room for a cluster's dump, and a transaction stores all parts of a
//! visit or none.

use js_sys::{Array, JsString, Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::DomException;

use super::parts::Parts;
use crate::ui::store::Keeping;

#[wasm_bindgen(module = "/www/visits.js")]
extern "C" {
    #[wasm_bindgen(js_name = read)]
    fn read_all(tab: &str) -> Promise;
    #[wasm_bindgen(js_name = write)]
    fn write_all(tab: &str, names: Array, values: Array) -> Promise;
    #[wasm_bindgen(js_name = forget)]
    fn forget_all(tabs: Array) -> Promise;
    #[wasm_bindgen(js_name = open)]
    fn open_tabs() -> Promise;
    /// Marks a visit as that of an open tab.
    pub fn hold(tab: &str);
}

/// A change of a stored visit: the bytes of each part; `None` removes it.
pub type Change = Vec<(String, Option<Vec<u8>>)>;

/// Everything that is stored for a tab; nothing if the browser refuses.
pub async fn read(tab: &str) -> Parts {
    let Ok(found) = JsFuture::from(read_all(tab)).await else {
        return Parts::default();
    };
    let [names, values] = [0, 1].map(|at| Array::from(&found).get(at));
    let names = Array::from(&names).to_vec().into_iter();
    let values = Array::from(&values).to_vec().into_iter();
    let parts = names.zip(values).filter_map(|(name, value)| {
        let bytes = value.dyn_into::<Uint8Array>().ok()?;
        Some((name.as_string()?, bytes.to_vec()))
    });
    Parts(parts.collect())
}

/// Begins to store a change, at once: the page may be about to be left.
pub fn write(tab: &str, change: &Change) -> impl Future<Output = Result<(), Keeping>> + use<> {
    let names = change.iter().map(|(name, _)| JsValue::from_str(name));
    let values = change.iter().map(|(_, bytes)| match bytes {
        Some(bytes) => Uint8Array::from(bytes.as_slice()).into(),
        None => JsValue::UNDEFINED,
    });
    let written = write_all(tab, names.collect(), values.collect());
    async move {
        let written = JsFuture::from(written).await;
        written.map(drop).map_err(|error| reason(&error))
    }
}

/// Removes everything of these tabs.
pub async fn forget(tabs: &[String]) -> Result<(), Keeping> {
    let tabs = tabs.iter().map(|tab| JsValue::from_str(tab)).collect();
    let forgotten = JsFuture::from(forget_all(tabs)).await;
    forgotten.map(drop).map_err(|error| reason(&error))
}

/// The visits of open tabs; `None` if the browser cannot tell.
pub async fn open() -> Option<Vec<String>> {
    let tabs = JsFuture::from(open_tabs()).await.ok()?;
    let tabs = tabs.dyn_into::<Array>().ok()?;
    let name = |tab: JsValue| tab.dyn_into::<JsString>().ok().map(String::from);
    Some(tabs.iter().filter_map(name).collect())
}

fn reason(error: &JsValue) -> Keeping {
    let error = error.dyn_ref::<DomException>();
    match error.is_some_and(|error| error.name() == "QuotaExceededError") {
        true => Keeping::Full,
        false => Keeping::Refused,
    }
}
