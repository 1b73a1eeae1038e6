//! Values in the browser's local storage. Nothing leaves the browser.

use borsh::{BorshDeserialize, BorshSerialize};
use web_sys::Storage;

/// Maximum bytes of a stored text; browsers allow about 5 MB in total.
const LIMIT_BYTES: usize = 2 << 20;

fn storage() -> Option<Storage> {
    // Frames embedded in other sites may have none.
    gloo::utils::window().local_storage().ok().flatten()
}

/// Stores a value, if the browser allows it.
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

/// Removes a value.
pub fn remove(name: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&key(name));
    }
}

/// A stored value.
pub fn get(name: &str) -> Option<String> {
    storage()?.get_item(&key(name)).ok().flatten()
}

/// Stores a binary value; `None` removes it.
pub fn set_value(name: &str, value: Option<&impl BorshSerialize>) {
    let bytes = value.and_then(|value| borsh::to_vec(value).ok());
    match bytes {
        // The storage holds text: one character per byte.
        Some(bytes) => set(name, &bytes.into_iter().map(char::from).collect::<String>()),
        None => remove(name),
    }
}

/// Reads a binary value; `None` if it cannot be read as this type.
pub fn get_value<T: BorshDeserialize>(name: &str) -> Option<T> {
    let bytes = get(name)?;
    let bytes: Option<Vec<u8>> = bytes
        .chars()
        .map(|letter| u8::try_from(letter).ok())
        .collect();
    borsh::from_slice(&bytes?).ok()
}

fn key(name: &str) -> String {
    format!("berth.{name}")
}
