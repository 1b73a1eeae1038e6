//! The run that a fork branched off from, as a second line on the ruler.

use yew::{Html, classes, html};

use crate::scene::ruler::{Percent, Ruler};
use crate::ui::features::time::class_of_mark;
use crate::words;
use berth_protocol::frame::ForkFrame;

/// A line that begins this far to the right has room for its name on the left.
const ROOM: f64 = 8.0;

/// Where the name stands: never where the playhead's number is.
fn side(start: Percent, end: Percent, here: Percent) -> Option<&'static str> {
    if here < start {
        None
    } else if start >= ROOM {
        Some("ruler__first--before")
    } else {
        (here > f64::midpoint(start, end)).then_some("ruler__first--begin")
    }
}

/// The line and its marks; `here` is the playhead's place.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn view(fork: &ForkFrame, ruler: &Ruler, here: Percent) -> Html {
    let marks = fork.first.iter().map(|mark| {
        let kind = class_of_mark(mark.kind);
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
    let end = ruler.percent(end);
    let right = 100.0 - end;
    let line = format!("--at:{start:.2};right:{right:.2}%");
    html! {
        <>
            <i class={classes!("ruler__first", side(start, end, here))} data-first-run={fork.first_length.to_string()} style={line} title={words::FORKED_HERE}><span>{ words::THE_FIRST_RUN }</span></i>
            { for marks }
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::side;

    #[test]
    fn the_name_keeps_away_from_the_playhead() {
        assert_eq!(side(40.0, 100.0, 20.0), None, "it ends the line");
        assert_eq!(side(40.0, 100.0, 100.0), Some("ruler__first--before"));
        assert_eq!(side(0.0, 100.0, 90.0), Some("ruler__first--begin"));
        assert_eq!(side(0.0, 100.0, 10.0), None);
    }
}
