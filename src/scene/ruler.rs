//! The ruler's scale: attempts in their order, or seconds once the cluster has a clock. Its length is that of what is known
//! to come, so marks keep their places while the run continues.

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

/// Maximum number of parts for which the density is counted.
const BINS: usize = 200;

/// A position on the ruler, in percent of its length.
pub type Percent = f64;

/// The scale at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruler {
    /// Entries, or milliseconds.
    length: i64,
    /// The time of each entry in milliseconds, ascending; `None` without a clock.
    times: Option<Vec<i64>>,
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
                times: None,
            };
        };
        let mut last = 0;
        let times = marks.iter().map(|mark| {
            last = mark.at_ms.unwrap_or(last).max(last);
            last
        });
        let times: Vec<i64> = times.collect();
        let first = head
            .fork
            .iter()
            .flat_map(|fork| &fork.first)
            .filter_map(|mark| mark.at_ms)
            .max()
            .unwrap_or(0);
        let end = times.last().copied().unwrap_or(0).max(now).max(first);
        let mut lengths = LENGTHS.into_iter().map(|seconds| seconds * 1000);
        let fits = lengths.find(|length| *length > end);
        Self {
            length: fits.unwrap_or_else(|| end.saturating_add(1)),
            times: Some(times),
        }
    }

    /// The ruler of a run that is at its end, or was.
    pub fn of_whole(head: &Head, marks: &[Mark]) -> Self {
        let at_end = Head {
            finished: true,
            position: head.log_length,
            log_length: head.log_length,
            now_ms: head.now_ms,
            ..Head::default()
        };
        Self::new(&at_end, marks)
    }

    /// The same scale, so much longer.
    #[must_use]
    pub fn lengthened(self, length: i64) -> Self {
        Self { length, ..self }
    }

    /// Number of entries, or of milliseconds.
    pub fn length(&self) -> i64 {
        self.length
    }

    /// The place of a number of entries, or of a time in milliseconds.
    pub fn percent(&self, amount: i64) -> Percent {
        (100.0 * amount as f64 / self.length.max(1) as f64).clamp(0.0, 100.0)
    }

    /// The place of the entry at a position of the log; without a clock, that after it.
    pub fn entry(&self, position: usize) -> i64 {
        match &self.times {
            Some(times) => times.get(position).copied().unwrap_or(self.length),
            None => i64::try_from(position).map_or(i64::MAX, |position| position.saturating_add(1)),
        }
    }

    /// The place of an entry of another run: after its position, or at its time.
    pub fn entry_at(&self, position: usize, at_ms: Option<i64>) -> i64 {
        match (&self.times, at_ms) {
            (Some(_), Some(at_ms)) => at_ms,
            (Some(_), None) => self.entry(position),
            (None, _) => {
                i64::try_from(position).map_or(i64::MAX, |position| position.saturating_add(1))
            }
        }
    }

    /// The position of the log at a place.
    pub fn position_at(&self, place: Percent) -> usize {
        let at = self.length as f64 * place.clamp(0.0, 100.0) / 100.0;
        match &self.times {
            Some(times) => times.partition_point(|time| *time <= at as i64),
            None => at.round() as usize,
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

    /// The amounts to label, the last at the end.
    pub fn labels(&self) -> Vec<i64> {
        let (unit, step) = if self.times.is_some() {
            (
                1000,
                SECONDS
                    .into_iter()
                    .find(|step| self.length / 1000 <= step * LABELS),
            )
        } else {
            let decades = (0..18).map(|exponent| 10_i64.pow(exponent));
            let mut steps = decades.flat_map(|decade| ENTRIES.map(|step| step * decade));
            (1, steps.find(|step| self.length / step <= LABELS))
        };
        let step = step.unwrap_or(i64::MAX / unit / 2) * unit;
        let inner = (0..=LABELS).map(|number| number.saturating_mul(step));
        // A label close to the last would cover it.
        let inner = inner
            .take_while(|amount| amount.saturating_add(step / 2) <= self.length)
            .filter(|amount| *amount != self.length);
        inner.chain([self.length]).collect()
    }
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
        assert_eq!((ruler.position_at(41.0), ruler.position_at(100.0)), (4, 10));
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
        // 3 s, then 12 s.
        assert_eq!((ruler.position_at(10.0), ruler.position_at(40.0)), (2, 3));
        assert_eq!(ruler.position_at(0.0), 0);
        assert_eq!(
            ruler.labels(),
            [0, 5000, 10_000, 15_000, 20_000, 25_000, 30_000]
        );
        assert_eq!(Ruler::new(&now(30_000), &marks).length(), 60_000);
        assert_eq!(Ruler::new(&now(200_000_000), &marks).length(), 200_000_001);
        assert!(Ruler::new(&now(i64::MAX), &marks).labels().len() < 12);
    }
}
