//! The ruler's scale: attempts in their order, or seconds once the cluster has a clock. Its length is that of what is known
//! to come, so marks keep their places while the run continues. With a clock, a long time without an event is a break of
//! a small width, so that events have the room.

use std::collections::BTreeSet;

use berth_protocol::frame::{Mark, MarkKind};
use berth_protocol::page::Head;

/// Lengths of a ruler with a clock, in seconds: it stays the same until the run is longer.
const LENGTHS: [i64; 14] = [
    30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 64_800, 86_400,
];
/// Distances between labels in seconds, and in entries.
const SECONDS: [i64; 11] = [5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400];
const ENTRIES: [i64; 3] = [1, 2, 5];
/// Maximum number of distances between labels.
const LABELS: i64 = 8;
/// A longer time without an event is a break.
const BREAK_MS: i64 = 15_000;
/// A break is this part of the ruler, and all of them at most half of it.
const BREAK_PART: i64 = 10;

/// Maximum number of parts for which the density is counted.
const BINS: usize = 200;

/// A position on the ruler, in percent of its length.
pub type Percent = f64;

/// The scale at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruler {
    /// Entries, or drawn milliseconds.
    length: i64,
    /// `None` without a clock.
    clock: Option<Clock>,
}

/// What a clock adds to the scale.
#[derive(Clone, Debug, PartialEq)]
struct Clock {
    /// The time of each entry in milliseconds, ascending.
    times: Vec<i64>,
    /// Ascending.
    breaks: Vec<Break>,
    /// Of each break, in drawn milliseconds.
    width: i64,
}

/// A long time without an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Break {
    pub from_ms: i64,
    pub to_ms: i64,
    /// Where it begins, in drawn milliseconds.
    place: i64,
}

impl Clock {
    /// The scale of these events, ascending, and its length; `times` are those of the entries.
    fn new(events: &[i64], times: Vec<i64>) -> (i64, Self) {
        let befores = [0].into_iter().chain(events.iter().copied());
        let gaps = befores.zip(events).map(|(from, to)| (from, *to));
        let is_long = |(from, to): &(i64, i64)| to.saturating_sub(*from) > BREAK_MS;
        let long: Vec<(i64, i64)> = gaps.filter(is_long).collect();
        let count = i64::try_from(long.len()).unwrap_or(i64::MAX);
        let omitted = long.iter().map(|(from, to)| to.saturating_sub(*from));
        let omitted = omitted.fold(0, i64::saturating_add);
        let end = events.last().copied().unwrap_or(0);
        let active = end.saturating_sub(omitted);
        let width_of = |length: i64| length / BREAK_PART.max(count.saturating_mul(2));
        let drawn = |length: i64| active.saturating_add(width_of(length).saturating_mul(count));
        let mut lengths = LENGTHS.into_iter().map(|seconds| seconds * 1000);
        let length = lengths.find(|length| *length > drawn(*length));
        let length = length.unwrap_or_else(|| active.saturating_mul(2).saturating_add(1));
        let width = width_of(length);
        let mut removed = 0_i64;
        let breaks = long.into_iter().map(|(from_ms, to_ms)| {
            let place = from_ms.saturating_sub(removed);
            removed = removed.saturating_add(to_ms - from_ms - width);
            Break {
                from_ms,
                to_ms,
                place,
            }
        });
        let breaks = breaks.collect();
        let clock = Self {
            times,
            breaks,
            width,
        };
        (length, clock)
    }

    /// The break in which or after which a place or a time is, by where each break begins.
    fn last(&self, at: i64, begin: impl Fn(&Break) -> i64) -> Option<&Break> {
        let after = self.breaks.partition_point(|one| begin(one) <= at);
        self.breaks.get(after.checked_sub(1)?)
    }

    /// A time in drawn milliseconds.
    fn place(&self, at_ms: i64) -> i64 {
        let Some(last) = self.last(at_ms, |one| one.from_ms) else {
            return at_ms;
        };
        if at_ms >= last.to_ms {
            return (last.place + self.width).saturating_add(at_ms - last.to_ms);
        }
        let share = (at_ms - last.from_ms) as f64 / (last.to_ms - last.from_ms) as f64;
        last.place + (share * self.width as f64) as i64
    }

    /// The time at a place that is in no break.
    fn time(&self, place: i64) -> i64 {
        let last = self.last(place, |one| one.place);
        last.map_or(place, |last| {
            last.to_ms.saturating_add(place - last.place - self.width)
        })
    }

    /// The times to label: where something happens after a break, and multiples of a step.
    fn labels(&self, length: i64) -> Vec<i64> {
        let mut steps = SECONDS.into_iter().map(|step| step * 1000);
        let step = steps.find(|step| length <= step * LABELS);
        let step = step.unwrap_or(length / LABELS + 1);
        let ends = self.breaks.iter().map(|one| one.from_ms);
        let ends = ends.chain([self.time(length).saturating_add(1)]);
        let begins = [0]
            .into_iter()
            .chain(self.breaks.iter().map(|one| one.to_ms));
        let mut labels: Vec<i64> = Vec::new();
        let mut free = 0;
        for (begin, end) in begins.zip(ends) {
            let next = (begin / step).saturating_add(1).saturating_mul(step);
            let multiples = (0..=LABELS).map(|number| next.saturating_add(number * step));
            for amount in [begin]
                .into_iter()
                .chain(multiples.take_while(|at| *at < end))
            {
                let place = self.place(amount);
                // A label close to the end would be cut.
                let is_apart = place == length || place.saturating_add(step / 2) <= length;
                if place >= free && is_apart {
                    labels.push(amount);
                    free = place.saturating_add(length / BREAK_PART);
                }
            }
        }
        labels
    }
}

/// Number of attempts that are known to come beside those of the queue. Pods that made room are tried once more at the
/// end of their round; Pods that failed, in the next round, if this one has bound a Pod or made room.
fn retried(head: &Head, marks: &[Mark]) -> usize {
    if head.finished {
        return 0;
    }
    let (mut made_room, mut failed) = (BTreeSet::new(), BTreeSet::new());
    let mut has_progressed = false;
    for mark in marks.get(..head.position).unwrap_or_default() {
        let pod = mark.pod.as_str();
        if failed.contains(pod) || mark.kind == MarkKind::Edited {
            // Another round.
            made_room.clear();
            failed.clear();
            has_progressed = false;
        }
        made_room.remove(pod);
        match mark.kind {
            MarkKind::Bound => has_progressed = true,
            MarkKind::Preempted => {
                made_room.insert(pod);
                has_progressed = true;
            }
            MarkKind::Failed | MarkKind::Error => {
                failed.insert(pod);
            }
            MarkKind::Edited | MarkKind::Moment => {}
        }
    }
    let queued = &head.queue.active.first;
    let next_round_began = queued
        .first()
        .is_some_and(|pod| failed.contains(pod.as_str()));
    if next_round_began || !has_progressed {
        failed.clear();
    }
    let waiting = made_room
        .into_iter()
        .filter(|pod| !queued.iter().any(|queued| queued == pod));
    waiting.count() + failed.len()
}

impl Ruler {
    /// The ruler of a run with these marks.
    pub fn new(head: &Head, marks: &[Mark]) -> Self {
        let Some(now) = head.now_ms else {
            let ahead = head.position + head.queue.active.count + retried(head, marks);
            let first = head.fork.as_ref().map_or(0, |fork| fork.first_length);
            let entries = ahead.max(head.log_length).max(first).max(1);
            return Self {
                length: i64::try_from(entries).unwrap_or(i64::MAX),
                clock: None,
            };
        };
        Self::with_clock(now, head, marks)
    }

    #[inline(never)]
    fn with_clock(now: i64, head: &Head, marks: &[Mark]) -> Self {
        let times = times(marks);
        let mut events = times.clone();
        events.push(now);
        let first = head.fork.iter().flat_map(|fork| &fork.first);
        events.extend(first.filter_map(|mark| mark.at_ms));
        events.sort_unstable();
        let (length, clock) = Clock::new(&events, times);
        Self {
            length,
            clock: Some(clock),
        }
    }

    /// The common scale of two runs that are at their ends, or were.
    pub fn of_both(runs: [(&Head, &[Mark]); 2]) -> [Self; 2] {
        let times = runs.map(|(_, marks)| times(marks));
        if runs.iter().all(|(head, _)| head.now_ms.is_some()) {
            let mut events = times.concat();
            events.extend(runs.iter().filter_map(|(head, _)| head.now_ms));
            events.sort_unstable();
            return times.map(|times| {
                let (length, clock) = Clock::new(&events, times);
                Self {
                    length,
                    clock: Some(clock),
                }
            });
        }
        let [a, b] = runs.map(|(head, marks)| {
            let at_end = Head {
                finished: true,
                position: head.log_length,
                log_length: head.log_length,
                now_ms: head.now_ms,
                ..Head::default()
            };
            Self::new(&at_end, marks)
        });
        let length = a.length.max(b.length);
        [a, b].map(|ruler| Self { length, ..ruler })
    }

    /// Number of entries, or of drawn milliseconds.
    pub fn length(&self) -> i64 {
        self.length
    }

    /// Changes whenever marks move that are drawn already.
    pub fn version(&self) -> usize {
        let breaks = self.clock.as_ref().map_or(0, |clock| clock.breaks.len());
        usize::try_from(self.length)
            .unwrap_or(usize::MAX)
            .saturating_add(breaks)
    }

    /// The long times without an event, each with its place and width in percent.
    pub fn breaks(&self) -> Vec<(Break, Percent, Percent)> {
        let of_length = |amount: i64| 100.0 * amount as f64 / self.length.max(1) as f64;
        let clock = self.clock.iter();
        clock
            .flat_map(|clock| {
                let breaks = clock.breaks.iter();
                breaks.map(|one| (*one, of_length(one.place), of_length(clock.width)))
            })
            .collect()
    }

    /// Where a number of entries, or a time in milliseconds, is on the ruler, in units of its length.
    pub fn place(&self, amount: i64) -> i64 {
        match &self.clock {
            Some(clock) => clock.place(amount),
            None => amount,
        }
    }

    /// The same in percent.
    pub fn percent(&self, amount: i64) -> Percent {
        let place = self.place(amount);
        (100.0 * place as f64 / self.length.max(1) as f64).clamp(0.0, 100.0)
    }

    /// The time of the entry at a position of the log; without a clock, the number of entries up to it.
    pub fn entry(&self, position: usize) -> i64 {
        match &self.clock {
            Some(Clock { times, .. }) => times.get(position).copied().unwrap_or_else(|| self.end()),
            None => i64::try_from(position).map_or(i64::MAX, |position| position.saturating_add(1)),
        }
    }

    /// The same of an entry of another run.
    pub fn entry_at(&self, position: usize, at_ms: Option<i64>) -> i64 {
        match (&self.clock, at_ms) {
            (Some(_), Some(at_ms)) => at_ms,
            _ => self.entry(position),
        }
    }

    /// The number of entries, or the time, at the ruler's end.
    pub fn end(&self) -> i64 {
        match &self.clock {
            Some(clock) => clock.time(self.length),
            None => self.length,
        }
    }

    /// The position of the log at a place, in units of the ruler's length.
    pub fn position_at(&self, place: i64) -> usize {
        let place = place.clamp(0, self.length);
        match &self.clock {
            Some(clock) => {
                let times = &clock.times;
                times.partition_point(|time| clock.place(*time) <= place)
            }
            None => usize::try_from(place).unwrap_or(usize::MAX),
        }
    }

    /// The share of the fullest of up to [`BINS`] equal parts that each part has, with this many entries in all.
    pub fn density(&self, entries: usize) -> Vec<f64> {
        // With few entries in a part, its share would be chance.
        let bins = (entries / 10).clamp(1, BINS);
        let mut counts = vec![0_u32; bins];
        for entry in 0..entries {
            let bin = self.percent(self.entry(entry)) / 100.0 * bins as f64;
            if let Some(count) = counts.get_mut((bin.ceil() as usize).saturating_sub(1)) {
                *count += 1;
            }
        }
        let most = f64::from(counts.iter().max().copied().unwrap_or(0).max(1));
        counts
            .into_iter()
            .map(|count| f64::from(count) / most)
            .collect()
    }

    /// The amounts to label; without a clock, the last is at the end.
    pub fn labels(&self) -> Vec<i64> {
        if let Some(clock) = &self.clock {
            return clock.labels(self.length);
        }
        let decades = (0..18).map(|exponent| 10_i64.pow(exponent));
        let mut steps = decades.flat_map(|decade| ENTRIES.map(|step| step * decade));
        let step = steps.find(|step| self.length / step <= LABELS);
        let step = step.unwrap_or(i64::MAX / 2);
        let inner = (0..=LABELS).map(|number| number.saturating_mul(step));
        // A label close to the last would cover it.
        let inner = inner
            .take_while(|amount| amount.saturating_add(step / 2) <= self.length)
            .filter(|amount| *amount != self.length);
        inner.chain([self.length]).collect()
    }
}

/// The time of each mark, ascending.
fn times(marks: &[Mark]) -> Vec<i64> {
    let mut last = 0;
    let times = marks.iter().map(|mark| {
        last = mark.at_ms.unwrap_or(last).max(last);
        last
    });
    times.collect()
}

#[cfg(test)]
mod tests {
    use super::Ruler;
    use berth_protocol::frame::{Mark, MarkKind};
    use berth_protocol::page::{Head, Lane, Lanes};

    fn head(position: usize, log_length: usize, ahead: usize) -> Head {
        Head {
            position,
            log_length,
            queue: Lanes {
                active: Lane {
                    count: ahead,
                    ..Lane::default()
                },
                ..Lanes::default()
            },
            ..Head::default()
        }
    }

    #[test]
    fn its_length_is_known_before_the_first_step_and_stays() {
        let lengths = (0..=10).map(|done| Ruler::new(&head(done, done, 10 - done), &[]).length());
        assert!(lengths.into_iter().all(|length| length == 10));
        // In the past, and at the end.
        assert_eq!(Ruler::new(&head(3, 10, 7), &[]).length(), 10);
        assert_eq!(Ruler::new(&head(0, 0, 0), &[]).length(), 1);
        let ruler = Ruler::new(&head(4, 4, 6), &[]);
        assert!((ruler.percent(ruler.entry(3)) - 40.0).abs() < 1e-9);
        assert_eq!((ruler.position_at(4), ruler.position_at(11)), (4, 10));
        assert_eq!(ruler.labels(), [0, 2, 4, 6, 8, 10]);
    }

    #[test]
    fn even_steps_have_even_density() {
        let density = Ruler::new(&head(400, 400, 0), &[]).density(400);
        assert_eq!(density, vec![1.0; 40]);
        let half = Ruler::new(&head(400, 400, 400), &[]).density(400);
        let empty = half.iter().filter(|share| **share == 0.0).count();
        assert_eq!((half.len(), empty), (40, 20));
    }

    #[test]
    fn a_pod_that_made_room_is_known_to_be_tried_again() {
        let mark = |pod: &str, kind| Mark {
            pod: pod.into(),
            ..Mark::plain(kind)
        };
        let marks = [mark("a", MarkKind::Preempted), mark("b", MarkKind::Bound)];
        assert_eq!(Ruler::new(&head(1, 1, 1), &marks[..1]).length(), 3);
        assert_eq!(Ruler::new(&head(2, 2, 0), &marks).length(), 3);
        // Once it is queued, it is not counted twice.
        let mut queued = head(2, 2, 1);
        queued.queue.active.first = vec!["a".into()];
        assert_eq!(Ruler::new(&queued, &marks).length(), 3);
    }

    #[test]
    fn a_pod_that_failed_is_known_to_be_tried_again_in_the_next_round() {
        let mark = |pod: &str, kind| Mark {
            pod: pod.into(),
            ..Mark::plain(kind)
        };
        // The run of an example: c preempts, b fails, c lands; b is tried again, in vain.
        let run = [
            mark("c", MarkKind::Preempted),
            mark("b", MarkKind::Failed),
            mark("c", MarkKind::Bound),
            mark("b", MarkKind::Failed),
        ];
        let length = |position: usize, queue: &[&str], finished| {
            let mut head = head(position, position, queue.len());
            head.queue.active.first = queue.iter().map(|pod| (*pod).to_owned()).collect();
            head.finished = finished;
            Ruler::new(&head, &run).length()
        };
        assert_eq!(length(1, &["b"], false), 3, "nothing has failed yet");
        assert_eq!(length(2, &["c"], false), 4);
        assert_eq!(length(3, &["b"], false), 4);
        assert_eq!(length(4, &[], true), 4);
        // A round in which nothing is bound is the last.
        let failed = [mark("a", MarkKind::Failed), mark("b", MarkKind::Failed)];
        assert_eq!(Ruler::new(&head(1, 1, 1), &failed).length(), 2);
    }

    #[test]
    fn with_a_clock_it_has_seconds_and_grows_rarely() {
        let mark = |at_ms: Option<i64>| Mark {
            at_ms,
            ..Mark::plain(MarkKind::Moment)
        };
        let marks = [mark(Some(1000)), mark(None), mark(Some(12_000))];
        let now = |now_ms: i64| Head {
            now_ms: Some(now_ms),
            ..head(3, 3, 0)
        };
        let ruler = Ruler::new(&now(12_000), &marks);
        assert_eq!(ruler.length(), 30_000);
        assert_eq!([0, 1, 2].map(|at| ruler.entry(at)), [1000, 1000, 12_000]);
        assert!((ruler.percent(12_000) - 40.0).abs() < 1e-9);
        assert_eq!((ruler.position_at(3000), ruler.position_at(12_000)), (2, 3));
        assert_eq!(ruler.position_at(0), 0);
        assert_eq!(
            ruler.labels(),
            [0, 5000, 10_000, 15_000, 20_000, 25_000, 30_000]
        );
        let busy: Vec<Mark> = (0..4).map(|at| mark(Some(at * 10_000))).collect();
        assert_eq!(Ruler::new(&now(30_000), &busy).length(), 60_000);
        let busy: Vec<Mark> = (0..20_000).map(|at| mark(Some(at * 10_000))).collect();
        assert!(Ruler::new(&now(0), &busy).length() > 199_990_000);
        assert!(Ruler::new(&now(i64::MAX), &marks).labels().len() < 12);
    }

    #[test]
    fn a_long_time_without_an_event_is_a_break_of_its_length() {
        let mark = |at_ms: i64| Mark {
            at_ms: Some(at_ms),
            ..Mark::plain(MarkKind::Moment)
        };
        let head = |now_ms: i64| Head {
            now_ms: Some(now_ms),
            ..head(4, 4, 0)
        };
        let marks = [1000, 3000, 303_000, 308_000].map(mark);
        let ruler = Ruler::new(&head(308_000), &marks);
        // Three seconds, a break as wide as three more, five seconds, and room for what comes.
        assert_eq!(ruler.length(), 30_000);
        let breaks = ruler.breaks();
        let [(gap, place, width)] = breaks.as_slice() else {
            panic!("{breaks:?}");
        };
        assert_eq!((gap.from_ms, gap.to_ms), (3000, 303_000));
        assert!((place - 10.0).abs() < 1e-9 && (width - 10.0).abs() < 1e-9);
        let places = [0, 1, 2, 3].map(|position| ruler.place(ruler.entry(position)));
        assert_eq!(places, [1000, 3000, 6000, 11_000]);
        assert_eq!(ruler.place(153_000), 4500);
        // The scale has an inverse, and a place in the break is after the entry before it.
        assert_eq!(places.map(|place| ruler.position_at(place)), [1, 2, 3, 4]);
        assert_eq!(ruler.position_at(5999), 2);
        assert_eq!(ruler.end(), 327_000);
        // A time is said where something happens again, and then by steps.
        assert_eq!(ruler.labels(), [0, 303_000, 310_000, 315_000, 320_000]);
    }

    #[test]
    fn breaks_take_half_of_the_ruler_at_most() {
        let marks: Vec<Mark> = (0..200)
            .map(|minute| Mark {
                at_ms: Some(minute * 60_000),
                ..Mark::plain(MarkKind::Moment)
            })
            .collect();
        let head = Head {
            now_ms: Some(199 * 60_000),
            ..head(200, 200, 0)
        };
        let ruler = Ruler::new(&head, &marks);
        let widths: f64 = ruler.breaks().iter().map(|(_, _, width)| width).sum();
        assert!(widths <= 50.0 && widths > 45.0, "{widths}");
        // All entries are in order, and apart.
        let places: Vec<i64> = (0..200).map(|at| ruler.place(ruler.entry(at))).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(ruler.labels().len() <= 11);
    }

    #[test]
    fn two_runs_have_one_scale() {
        let mark = |at_ms: i64| Mark {
            at_ms: Some(at_ms),
            ..Mark::plain(MarkKind::Moment)
        };
        let head = Head {
            now_ms: Some(0),
            ..head(2, 2, 0)
        };
        let (a, b) = ([1000, 61_000].map(mark), [1000, 31_000].map(mark));
        let [a, b] = Ruler::of_both([(&head, &a), (&head, &b)]);
        assert_eq!(a.length(), b.length());
        // What happens in b at 31 s divides the break of a.
        assert_eq!(a.breaks(), b.breaks());
        assert_eq!(a.breaks().len(), 2);
        assert!(b.place(b.entry(1)) < a.place(a.entry(1)));
        // Without a clock, the longer run.
        let head = |entries: usize| head_of(entries);
        let [a, b] = Ruler::of_both([(&head(3), &[]), (&head(5), &[])]);
        assert_eq!((a.length(), b.length()), (5, 5));
    }

    fn head_of(entries: usize) -> Head {
        head(entries, entries, 0)
    }
}
