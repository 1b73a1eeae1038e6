//! The label of a Pod's block: its name if that fits, else the last segment of it, else none.

use yew::{Html, html};

use crate::scene::label::{last_segment, name, width};
use berth_protocol::frame::PodFrame;

/// The label. The style sheet compares the widths, in rem, with the block's own.
pub fn block_label(pod: &PodFrame) -> Html {
    let name = name(pod);
    let last = last_segment(&name).to_owned();
    let style = format!(
        "--full:{:.2}rem;--last:{:.2}rem",
        width(&name),
        width(&last)
    );
    html! {
        <span class="pod__label" {style} data-last={(last != name).then_some(last)}><span>{ name }</span></span>
    }
}
