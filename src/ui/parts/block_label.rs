//! The label of a Pod's block: its name if that fits, else the part of it that differs, cut if need be. A block that has
//! no room for two letters has none.

use yew::{Html, html};

use crate::scene::label::{name, room, short};
use berth_protocol::frame::PodFrame;

/// The label. The style sheet compares the widths, in rem, with the block's own.
pub fn block_label(pod: &PodFrame) -> Html {
    let name = name(pod);
    let short = short(pod);
    let style = format!("--full:{:.2}rem", room(&name));
    html! {
        <span class="pod__label" {style} data-short={short}><span>{ name }</span></span>
    }
}
