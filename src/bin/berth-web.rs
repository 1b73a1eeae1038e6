//! The page's program; all of it is in [`berth::ui`].

fn main() {
    // Beside the marks in `index.html`, which stay where they are.
    if let Some(root) = gloo::utils::document().get_element_by_id("app") {
        yew::Renderer::<berth::ui::App>::with_root(root).render();
    }
}
