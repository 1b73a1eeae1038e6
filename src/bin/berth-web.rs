//! The page's program, and its worker's; all of it is in [`berth::ui`].

fn main() {
    if web_sys::window().is_none() {
        return berth::ui::engine::serve();
    }
    // Beside the marks in `index.html`, which stay where they are.
    if let Some(root) = gloo::utils::document().get_element_by_id("app") {
        yew::Renderer::<berth::ui::App>::with_root(root).render();
    }
}
