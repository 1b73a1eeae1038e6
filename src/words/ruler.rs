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

/// How long nothing happened, in whole seconds: `20 s`, `4 min 48 s`, `1 h`.
pub fn length(milliseconds: i64) -> String {
    let all = milliseconds / 1000;
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    let mut parts = Vec::new();
    if hours > 0 {
        parts.push(say!("{hours} h"));
    }
    if minutes > 0 {
        parts.push(say!("{minutes} min"));
    }
    if seconds > 0 || parts.is_empty() {
        parts.push(say!("{seconds} s"));
    }
    parts.join(" ")
}

/// The same in its largest unit, rounded.
pub fn length_in_short(milliseconds: i64) -> String {
    let units = [3_600_000, 60_000, 1000];
    let unit = units.into_iter().find(|unit| milliseconds >= *unit);
    let unit = unit.unwrap_or(1000);
    length((milliseconds + unit / 2) / unit * unit)
}

/// The attempts so far, of those that are known.
pub fn so_far(position: usize, known: i64) -> String {
    let known = usize::try_from(known).unwrap_or(usize::MAX);
    super::part_of(number(position), number(known))
}

#[cfg(test)]
mod tests {
    use super::{length, length_in_short};

    #[test]
    fn a_break_says_how_long_it_is() {
        assert_eq!(length(288_400), "4 min 48 s");
        assert_eq!(length(3_600_000), "1 h");
        assert_eq!(length_in_short(288_400), "5 min");
        assert_eq!(length_in_short(16_000), "16 s");
        assert_eq!(length_in_short(5_460_000), "2 h");
    }
}
