//! Fetches what a visit may need while the page is idle, in order of likelihood, so that nothing is missing when the
//! connection is lost.

use std::pin::Pin;

use js_sys::{Function, Promise};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::features::{course, gallery, share};
use super::{files, languages, lazy_module, styles};

/// Wait between two tasks in browsers without `requestIdleCallback`.
const PAUSE_MS: i32 = 200;

/// Begins. Call it after the first paint.
pub fn begin() {
    spawn_local(async {
        idle().await;
        // A first visit runs no more than this: without the lazy module, nothing else is of use.
        if lazy_module::fetch().await.is_ok() {
            rest().await;
        }
    });
}

#[inline(never)]
fn rest() -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(fetch_rest())
}

async fn fetch_rest() {
    idle().await;
    files::fetch(files::FIELDS).await;
    idle().await;
    let examples = gallery::fetch_list().await.unwrap_or_default();
    for example in examples {
        idle().await;
        gallery::fetch_text(&example.slug).await;
    }
    // The gallery names the next lesson.
    idle().await;
    course::whole_course().await;
    for sheet in styles::ALL {
        idle().await;
        styles::fetch(sheet);
    }
    idle().await;
    share::fetch().await;
    idle().await;
    languages::fetch().await;
    idle().await;
    // www/offline.js waits for it.
    if let Ok(event) = web_sys::Event::new("berth-fetched") {
        let _ = gloo::utils::window().dispatch_event(&event);
    }
}

/// Waits until the page has nothing else to do.
pub async fn idle() {
    let promise = Promise::new(&mut |resolve: Function, _| {
        let window = gloo::utils::window();
        if window.request_idle_callback(&resolve).is_err() {
            let wait =
                window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, PAUSE_MS);
            drop(wait);
        }
    });
    drop(JsFuture::from(promise).await);
}
