//! The run that a fork branched off from, as a second line on the ruler.

use yew::{Html, classes, html};

use crate::scene::ruler::Ruler;
use crate::words;
use berth_protocol::frame::{ForkFrame, MarkKind};

/// The line and its marks.
/// A first visit does not run it.
#[inline(never)]
pub fn view(fork: &ForkFrame, ruler: &Ruler) -> Html {
    let marks = fork.first.iter().map(|mark| {
        let kind = match mark.kind {
            MarkKind::Bound => "tm--bound",
            MarkKind::Failed | MarkKind::Error => "tm--failed",
            MarkKind::Preempted => "tm--preempted",
            MarkKind::Edited => "tm--edit",
            MarkKind::Moment => "tm--moment",
        };
        let place = ruler.percent(ruler.entry_at(mark.position, mark.at_ms));
        let style = format!("--at:{place:.2}");
        html! { <i class={classes!("tm", kind, "tm--first")} {style} /> }
    });
    let start = fork.at.checked_sub(1).map_or(0, |last| ruler.entry(last));
    let start = ruler.percent(start);
    let end = fork.first.last().map_or_else(
        || {
            fork.first_length
                .checked_sub(1)
                .map_or(0, |last| ruler.entry_at(last, None))
        },
        |mark| ruler.entry_at(mark.position, mark.at_ms),
    );
    let right = 100.0 - ruler.percent(end);
    let line = format!("--at:{start:.2};right:{right:.2}%");
    html! {
        <>
            <i class="ruler__first" data-first-run={fork.first_length.to_string()} style={line} title={words::FORKED_HERE}><span>{ words::THE_FIRST_RUN }</span></i>
            { for marks }
        </>
    }
}
