//! Style sheets that a page fetches when it first needs them. Without them what they style is plain, but works.

use std::cell::RefCell;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use web_sys::Element;
use yew::Callback;

use super::load::locate;

/// The attribute that keeps a fetched sheet from being applied.
const MEDIA: &str = "media";

/// Of the board of pending Pods.
pub const BOARD: &str = "./board.css";
pub const BUILDER: &str = "./builder.css";
pub const COMPARE: &str = "./compare.css";
/// Of docks, and of the matrix of devices.
pub const DOCKS: &str = "./docks.css";
/// Of forms over the stage, and that of the scheduler.
pub const FORMS: &str = "./forms.css";
/// Of the gallery and the course.
pub const GALLERY: &str = "./gallery.css";
/// Of lessons, the course and classes.
pub const LESSON: &str = "./lesson.css";
pub const PRESENTER: &str = "./presenter.css";

/// All of them, in order of likelihood.
pub const ALL: [&str; 8] = [
    FORMS, GALLERY, BOARD, COMPARE, DOCKS, LESSON, PRESENTER, BUILDER,
];

/// Wait after which a sheet that could not be fetched is requested again: it may be asked for at every repaint.
const RETRY_MS: u32 = 10_000;

thread_local! {
    /// Told that a sheet in use could not be fetched.
    static MISSING: RefCell<Option<Callback<()>>> = const { RefCell::new(None) };
}

/// Sets the callback for a sheet in use that cannot be fetched.
pub fn when_missing(tell: Callback<()>) {
    MISSING.set(Some(tell));
}

/// Adds a style sheet to the page, once.
pub fn load(address: &str) {
    match known(address) {
        Some(link) => drop(link.remove_attribute(MEDIA)),
        None => drop(add(address)),
    }
}

/// Fetches a style sheet without applying it.
pub fn fetch(address: &str) {
    if known(address).is_none()
        && let Some(link) = add(address)
    {
        let _ = link.set_attribute(MEDIA, "not all");
    }
}

fn known(address: &str) -> Option<Element> {
    let known = format!("link[data-style={address:?}]");
    gloo::utils::document().query_selector(&known).ok()?
}

fn add(address: &str) -> Option<Element> {
    let document = gloo::utils::document();
    let link = document.create_element("link").ok()?;
    let _ = link.set_attribute("rel", "stylesheet");
    let _ = link.set_attribute("href", &locate(address));
    let _ = link.set_attribute("data-style", address);
    let failed = link.clone();
    EventListener::once(&link, "error", move |_| fail(failed)).forget();
    document.head()?.append_child(&link).ok()?;
    Some(link)
}

/// Makes room for another request, and reports the sheet as missing if it is in use.
fn fail(link: Element) {
    if link.has_attribute(MEDIA) {
        link.remove();
        return;
    }
    Timeout::new(RETRY_MS, move || link.remove()).forget();
    if let Some(tell) = MISSING.with_borrow(Clone::clone) {
        tell.emit(());
    }
}
