//! The legend below the far view: the meaning of the cells' colors and marks, and how full nodes are.

use std::rc::Rc;

use yew::{Html, html};

use crate::scene::marks::{BARS, FILL_STEPS, histogram};
use crate::ui::parts::icon::icon;
use crate::words;
use berth_protocol::frame::NodeFrame;

/// Cold: kept out of the first download.
#[inline(never)]
pub(super) fn view(nodes: &[Rc<NodeFrame>]) -> Html {
    let colors = (0..FILL_STEPS).map(|depth| {
        html! { <i style={format!("background:var(--sound-{depth})")} /> }
    });
    let bars = histogram(nodes);
    // The style sheet draws a bar of 21 at full height.
    let most = bars.iter().max().copied().unwrap_or(1).max(1);
    let columns = bars.iter().enumerate().map(|(bar, count)| {
        let depth = bar * FILL_STEPS / BARS;
        html! { <i style={format!("--v:{};--c:var(--sound-{depth})", (count * 21).div_ceil(most))} /> }
    });
    let spoken: Vec<String> = bars
        .iter()
        .enumerate()
        .map(|(bar, count)| format!("{}–{} %: {count}", bar * 10, bar * 10 + 10))
        .collect();
    html! {
        <footer class="soundings">
            <div><h3>{ words::DEPTH }</h3><span class="scale">{ "0 %" }<span>{ for colors }</span>{ "100 %" }</span></div>
            <div class="soundings__key">
                <span><i class="cellkey" />{ words::FEASIBLE }</span>
                <span>{ icon("rejected-more") }{ words::REJECTED }</span>
                <span><i class="cellkey cellkey--small" />{ words::explain::NOT_EXAMINED }</span>
                <span>{ icon("chosen") }{ words::CHOSEN }</span>
            </div>
            <div title={words::BY_DEPTH_MEANS}><h3>{ words::BY_DEPTH }</h3>
                <span class="histo" role="img" aria-label={spoken.join(", ")}>{ for columns }</span>
            </div>
        </footer>
    }
}
