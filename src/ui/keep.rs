//! What the page keeps between visits, in the browser's local storage: nothing leaves it.

use web_sys::Storage;

/// A text larger than this is not kept; browsers hold about 5 MB in all.
const LIMIT_BYTES: usize = 2 << 20;

fn storage() -> Option<Storage> {
    // Frames of other sites may have none.
    gloo::utils::window().local_storage().ok().flatten()
}

/// Keeps a value. Where nothing can be kept, nothing is.
pub fn set(name: &str, value: &str) {
    let Some(storage) = storage() else {
        return;
    };
    if value.len() <= LIMIT_BYTES {
        let _ = storage.set_item(&key(name), value);
    } else {
        let _ = storage.remove_item(&key(name));
    }
}

/// Keeps a value no longer.
pub fn remove(name: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&key(name));
    }
}

/// A value that was kept.
pub fn get(name: &str) -> Option<String> {
    storage()?.get_item(&key(name)).ok().flatten()
}

fn key(name: &str) -> String {
    format!("berth.{name}")
}
