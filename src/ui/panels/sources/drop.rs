//! Files that are dropped on the page, or chosen: read here, never sent anywhere.

use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, FileList};
use yew::Callback;

/// Lets files be dropped where it listens.
pub fn allow() -> Callback<DragEvent> {
    Callback::from(|event: DragEvent| {
        let types = event.data_transfer().map(|data| data.types());
        if types.is_some_and(|types| types.includes(&"Files".into(), 0)) {
            event.prevent_default();
        }
    })
}

/// Tells names and texts of files that are dropped.
pub fn files(told: Callback<Vec<(String, String)>>) -> Callback<DragEvent> {
    Callback::from(move |event: DragEvent| {
        let files = event.data_transfer().and_then(|data| data.files());
        if let Some(files) = files.filter(|files| files.length() > 0) {
            event.prevent_default();
            read(&files, told.clone());
        }
    })
}

/// Reads files, and tells their names and texts.
pub fn read(files: &FileList, told: Callback<Vec<(String, String)>>) {
    let files: Vec<_> = (0..files.length()).filter_map(|at| files.get(at)).collect();
    spawn_local(async move {
        let mut texts = Vec::new();
        for file in files {
            if let Ok(text) = JsFuture::from(file.text()).await {
                texts.extend(text.as_string().map(|text| (file.name(), text)));
            }
        }
        if !texts.is_empty() {
            told.emit(texts);
        }
    });
}
