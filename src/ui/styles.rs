//! Style sheets that a page fetches when it first needs them. Without them what they style is plain, but works.

use super::load::locate;

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
