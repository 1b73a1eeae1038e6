//! Style sheets that a page fetches when it first needs them. Without them what they style is plain, but works.

use super::load::locate;

pub const BUILDER: &str = "./builder.css";
pub const COMPARE: &str = "./compare.css";
/// Of docks, and of the matrix of devices.
pub const DOCKS: &str = "./docks.css";
/// Of lessons, the course and classes.
pub const LESSON: &str = "./lesson.css";
pub const PRESENTER: &str = "./presenter.css";

/// Adds a style sheet to the page, once.
pub fn load(address: &str) {
    let document = gloo::utils::document();
    let known = format!("link[data-style={address:?}]");
    if matches!(document.query_selector(&known), Ok(Some(_))) {
        return;
    }
    let Ok(link) = document.create_element("link") else {
        return;
    };
    let _ = link.set_attribute("rel", "stylesheet");
    let _ = link.set_attribute("href", &locate(address));
    let _ = link.set_attribute("data-style", address);
    if let Some(head) = document.head() {
        let _ = head.append_child(&link);
    }
}
