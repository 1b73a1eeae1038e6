//! Small values in the browser's local storage.

use borsh::{BorshDeserialize, BorshSerialize};
use web_sys::Storage;

/// The storage of all tabs.
fn storage() -> Option<Storage> {
    // Frames embedded in other sites may have none.
    gloo::utils::window().local_storage().ok().flatten()
}

/// Stores a value, if the browser allows it.
pub fn set(name: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&key(name), value);
    }
}

/// Removes all values whose names begin like this.
pub fn remove_all(beginning: &str) {
    let Some(storage) = storage() else {
        return;
    };
    let beginning = key(beginning);
    let names = (0..storage.length().unwrap_or_default())
        .filter_map(|index| storage.key(index).ok().flatten())
        .filter(|name| name.starts_with(&beginning));
    for name in names.collect::<Vec<_>>() {
        let _ = storage.remove_item(&name);
    }
}

/// A value of this tab alone, which a reload keeps.
pub fn of_tab(name: &str) -> Option<String> {
    let storage = gloo::utils::window().session_storage().ok().flatten()?;
    storage.get_item(&key(name)).ok().flatten()
}

/// Stores a value of this tab alone, if the browser allows it.
pub fn set_of_tab(name: &str, value: &str) {
    if let Ok(Some(storage)) = gloo::utils::window().session_storage() {
        let _ = storage.set_item(&key(name), value);
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
    match value.and_then(|value| text_of(value)) {
        Some(text) => set(name, &text),
        None => remove(name),
    }
}

/// A binary value as text: one character per byte, as the storage holds text.
fn text_of(value: &impl BorshSerialize) -> Option<String> {
    let bytes = borsh::to_vec(value).ok()?;
    Some(bytes.into_iter().map(char::from).collect())
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
