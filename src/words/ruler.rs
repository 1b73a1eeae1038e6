//! Text of the ruler.

use berth_words::say;

use super::{clock, number};

/// A moment on the ruler: seconds below a minute, then the clock.
pub fn moment(milliseconds: i64) -> String {
    if milliseconds < 60_000 {
        say!("{seconds} s", seconds = milliseconds.max(0) / 1000)
    } else {
        clock(milliseconds)
    }
}

/// The attempts so far, of those that are known.
pub fn so_far(position: usize, known: i64) -> String {
    let known = usize::try_from(known).unwrap_or(usize::MAX);
    super::part_of(number(position), number(known))
}
