//! The entry point of the page and of its worker; everything else is in [`berth::ui`].

fn main() {
    if web_sys::window().is_none() {
        return berth::ui::engine::serve();
    }
    berth::ui::start();
}
