//! The course in a learning management system (LMS), which then stores the progress. `www/scorm.js` is its API; only
//! a package of `cargo xtask course --scorm` has that module.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::JsValue;

use super::progress_code;
use super::state::Course;
use crate::ui::features::share::call;

const MODULE: &str = "./scorm.js";
/// The attribute of the document in a course's zip; `scorm` in a package for an LMS.
const COURSE: &str = "data-course";

thread_local! {
    /// An LMS keeps the progress.
    static KEEPS: Cell<bool> = const { Cell::new(false) };
}

/// Whether the page was published as a course: it begins with the list of lessons.
pub fn is_course() -> bool {
    gloo::utils::document_element().has_attribute(COURSE)
}

/// What the LMS says is done; `None` without one.
pub async fn done(course: &Course) -> Option<BTreeSet<String>> {
    let kind = gloo::utils::document_element().get_attribute(COURSE);
    if kind.as_deref() != Some("scorm") {
        return None;
    }
    let code = call(MODULE, "begin", &[]).await?.as_string()?;
    KEEPS.set(true);
    Some(progress_code::read(course, &code).unwrap_or_default())
}

/// Whether an LMS keeps the progress.
pub fn keeps() -> bool {
    KEEPS.get()
}

/// Reports the progress to the LMS.
pub async fn report(course: Rc<Course>, done: BTreeSet<String>) {
    let code = progress_code::code(&course, &done);
    let all: Array = course
        .lessons()
        .map(|lesson| JsValue::from(lesson.slug.as_str()))
        .collect();
    let done: Array = done
        .iter()
        .map(|slug| JsValue::from(slug.as_str()))
        .collect();
    let _ = call(MODULE, "report", &[code.into(), all.into(), done.into()]).await;
}
