//! Files dropped on the page or chosen by the user: they are read here and never uploaded.

use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, FileList};
use yew::Callback;

/// Allows files to be dropped.
pub fn allow() -> Callback<DragEvent> {
    Callback::from(|event: DragEvent| {
        let types = event.data_transfer().map(|data| data.types());
        if types.is_some_and(|types| types.includes(&"Files".into(), 0)) {
            event.prevent_default();
        }
    })
}

/// Calls back with the names and texts of dropped files.
pub fn files(on_files: Callback<Vec<(String, String)>>) -> Callback<DragEvent> {
    Callback::from(move |event: DragEvent| {
        let files = event.data_transfer().and_then(|data| data.files());
        if let Some(files) = files.filter(|files| files.length() > 0) {
            event.prevent_default();
            read(&files, on_files.clone());
        }
    })
}

/// Reads files, and calls back with their names and texts.
pub fn read(files: &FileList, on_files: Callback<Vec<(String, String)>>) {
    let files: Vec<_> = (0..files.length()).filter_map(|at| files.get(at)).collect();
    spawn_local(async move {
        let mut texts = Vec::new();
        for file in files {
            if let Ok(text) = JsFuture::from(file.text()).await {
                texts.extend(text.as_string().map(|text| (file.name(), text)));
            }
        }
        if !texts.is_empty() {
            on_files.emit(texts);
        }
    });
}
