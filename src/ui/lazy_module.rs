//! The lazy module: a release build is split into two modules, and the code that a first visit does not run is fetched
//! when it is first needed (`xtask/split`).

use std::cell::RefCell;

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use yew::Callback;

#[wasm_bindgen(module = "/www/lazy-module.js")]
extern "C" {
    #[wasm_bindgen(js_name = lazyModuleIsMissing)]
    fn is_missing_of(first: &JsValue) -> bool;
    #[wasm_bindgen(js_name = fetchLazyModule)]
    fn fetch_of(module: JsValue, first: JsValue) -> js_sys::Promise;
    #[wasm_bindgen(js_name = compiledLazyModule)]
    fn compiled() -> JsValue;
    #[wasm_bindgen(js_name = link)]
    fn link_to(lazy: &JsValue, first: &JsValue);
    #[wasm_bindgen(js_name = holdEvents)]
    fn hold_events_of(module: JsValue, first: JsValue, missing: JsValue);
    #[wasm_bindgen(js_name = loadLazyModule)]
    fn load_of(module: JsValue, first: JsValue);
}

type Then = Box<dyn FnOnce(JsValue)>;

thread_local! {
    static WHEN_FETCHED: RefCell<Vec<Then>> = const { RefCell::new(Vec::new()) };
}

/// Calls `then` with the compiled module once it is fetched, or at once; without a lazy module, with null.
pub fn when_fetched(then: impl FnOnce(JsValue) + 'static) {
    if is_missing() {
        WHEN_FETCHED.with_borrow_mut(|all| all.push(Box::new(then)));
    } else {
        then(compiled());
    }
}

/// Links a module that was handed on.
pub fn link(module: &JsValue) {
    link_to(module, &wasm_bindgen::exports());
}

/// Whether the lazy module exists and is not loaded yet.
pub fn is_missing() -> bool {
    is_missing_of(&wasm_bindgen::exports())
}

/// Holds back what the user does until the lazy module is there, but for what a first visit does. `missing`: it cannot be
/// fetched.
pub fn hold_events(missing: Callback<()>) {
    let missing = Closure::<dyn Fn()>::new(move || missing.emit(())).into_js_value();
    hold_events_of(wasm_bindgen::module(), wasm_bindgen::exports(), missing);
}

/// Fetches the lazy module if it is missing. After an error it can be retried.
pub async fn fetch() -> Result<(), JsValue> {
    if is_missing() {
        let fetched = fetch_of(wasm_bindgen::module(), wasm_bindgen::exports());
        JsFuture::from(fetched).await?;
        is_fetched();
    }
    Ok(())
}

fn is_fetched() {
    let all = WHEN_FETCHED.take();
    all.into_iter().for_each(|then| then(compiled()));
}

/// Fetches the lazy module synchronously. Only the stubs of moved functions call this.
#[wasm_bindgen]
pub fn load_lazy_module() {
    load_of(wasm_bindgen::module(), wasm_bindgen::exports());
    is_fetched();
}
