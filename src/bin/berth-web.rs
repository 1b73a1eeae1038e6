//! The entry point of the page and of its worker; everything else is in [`berth::ui`].

fn main() {
    if web_sys::window().is_none() {
        return berth::ui::engine::serve();
    }
    // A separate element, because the icon sprite in `index.html` must stay.
    if let Some(root) = gloo::utils::document().get_element_by_id("app") {
        yew::Renderer::<berth::ui::App>::with_root(root).render();
    }
}
