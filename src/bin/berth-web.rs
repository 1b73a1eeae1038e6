//! The page's program; all of it is in [`berth::ui`].

fn main() {
    yew::Renderer::<berth::ui::App>::new().render();
}
