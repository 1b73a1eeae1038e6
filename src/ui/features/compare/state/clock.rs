//! The one timeline of two runs: entries of both logs, or seconds if they have a clock.

use super::Compare;
use crate::scene::ruler::Ruler;
use crate::ui::features::time::TimeAction;
use crate::ui::store::progress::StepSize;
use crate::ui::store::{Action, Effect, Store};
use berth_protocol::compare::Which;

/// How both runs move.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    pub plays: bool,
    pub step: StepSize,
    /// Steps per second of playback.
    pub speed: f64,
    /// The positions that were asked for; the reports of the engine follow.
    targets: [usize; 2],
    /// Something was asked for.
    moved: bool,
}

impl Clock {
    pub(super) fn new(speed: f64) -> Self {
        Self {
            plays: false,
            step: StepSize::default(),
            speed,
            targets: [0; 2],
            moved: false,
        }
    }

    /// Milliseconds between two steps while playing.
    pub fn tick_ms(&self) -> Option<u32> {
        self.plays
            .then(|| crate::ui::features::time::pause_ms(self.speed))
    }

    /// A side has reported its position.
    pub(super) fn follow(&mut self, sides: &[Store; 2]) {
        // Steps within an attempt end with a move of the side's own.
        if !self.moved || self.step != StepSize::Pod {
            self.targets = sides.each_ref().map(|side| side.view.head.position);
        }
    }
}

impl Compare {
    /// The scale of each side on the common ruler.
    pub fn rulers(&self) -> [Ruler; 2] {
        let [a, b] = &self.sides;
        Ruler::of_both([a, b].map(|side| (&side.view.head, side.view.timeline.as_slice())))
    }

    /// The position of both runs: the later of the two.
    pub fn here(&self) -> i64 {
        let rulers = self.rulers();
        let stands = self
            .sides
            .iter()
            .zip(&rulers)
            .map(|(side, ruler)| amount(side, ruler, side.view.head.position));
        stands.max().unwrap_or_default()
    }

    /// Whether both runs are at their ends, or at the start.
    pub fn is_at(&self, end: bool) -> bool {
        self.sides.iter().all(|side| {
            let head = &side.view.head;
            side.time.progress.is_none() && head.position == if end { head.log_length } else { 0 }
        })
    }

    pub(super) fn through_time(&mut self, action: TimeAction) -> Vec<Effect> {
        match action {
            TimeAction::Step | TimeAction::Tick => {
                let effects = self.step_on();
                self.clock.plays &= effects.is_some();
                effects.unwrap_or_default()
            }
            TimeAction::StepBack => self.step_back(),
            TimeAction::Reset => self.go_to(0),
            TimeAction::Run => self.go_to(i64::MAX),
            TimeAction::Seek(to) => self.go_to(i64::try_from(to).unwrap_or(i64::MAX)),
            TimeAction::Play => {
                self.clock.plays = !self.clock.plays;
                if self.clock.plays && self.is_at(true) {
                    return self.go_to(0);
                }
                Vec::new()
            }
            TimeAction::Speed(speed) => {
                self.clock.speed = speed;
                Vec::new()
            }
            TimeAction::StepSize(size) => {
                self.clock.step = size;
                self.on_both(&Action::Time(action))
            }
        }
    }

    /// The position of a side after its next entry, and where that is on the ruler.
    fn next(&self, which: Which, ruler: &Ruler) -> Option<(usize, i64)> {
        let side = self.side(which);
        let position = self.clock.targets[which as usize];
        (position < side.view.head.log_length)
            .then(|| (position + 1, amount(side, ruler, position + 1)))
    }

    /// Steps the side whose next entry is earlier; both on a tie. `None`: both are at their ends.
    fn step_on(&mut self) -> Option<Vec<Effect>> {
        let rulers = self.rulers();
        let nexts = [Which::A, Which::B].map(|which| self.next(which, &rulers[which as usize]));
        let first = nexts.iter().flatten().map(|(_, at)| *at).min()?;
        let is_whole = self.clock.step == StepSize::Pod;
        let awaits = |side: &Store, target: usize| side.view.head.position != target;
        let stale = self.sides.iter().zip(self.clock.targets);
        if !is_whole && stale.into_iter().any(|(side, target)| awaits(side, target)) {
            return Some(Vec::new());
        }
        let sides = Which::BOTH.into_iter().zip(nexts);
        let coming = sides.filter_map(|(which, next)| next.map(|next| (which, next)));
        let mut effects = Vec::new();
        for (which, (position, _)) in coming.filter(|(_, (_, at))| *at == first) {
            effects.extend(match is_whole {
                true => self.seek(which, position),
                false => self.on_side(which, Action::Time(TimeAction::Step)),
            });
        }
        Some(effects)
    }

    /// One step back: of the side whose last entry came last, or of both.
    fn step_back(&mut self) -> Vec<Effect> {
        self.clock.plays = false;
        if self.sides.iter().any(|side| side.time.progress.is_some()) {
            return self.on_both(&Action::Time(TimeAction::StepBack));
        }
        let rulers = self.rulers();
        let lasts = Which::BOTH.map(|which| {
            let position = self.clock.targets[which as usize];
            (position > 0).then(|| amount(self.side(which), &rulers[which as usize], position))
        });
        let Some(last) = lasts.into_iter().flatten().max() else {
            return Vec::new();
        };
        let back = Which::BOTH.into_iter().zip(lasts);
        let back: Vec<Which> = back
            .filter(|(_, at)| *at == Some(last))
            .map(|(which, _)| which)
            .collect();
        back.into_iter()
            .flat_map(|which| {
                let position = self.clock.targets[which as usize].saturating_sub(1);
                self.seek(which, position)
            })
            .collect()
    }

    /// Moves both runs to a place on the common ruler, in units of its length.
    fn go_to(&mut self, place: i64) -> Vec<Effect> {
        let rulers = self.rulers();
        let mut effects = Vec::new();
        for which in Which::BOTH {
            let ruler = &rulers[which as usize];
            let length = self.side(which).view.head.log_length;
            let position = ruler.position_at(place).min(length);
            let position = if place == i64::MAX { length } else { position };
            effects.extend(self.seek(which, position));
        }
        effects
    }

    fn seek(&mut self, which: Which, position: usize) -> Vec<Effect> {
        self.clock.moved = true;
        self.clock.targets[which as usize] = position;
        self.on_side(which, Action::Time(TimeAction::Seek(position)))
    }
}

/// The position of a side on the ruler after this many entries.
fn amount(side: &Store, ruler: &Ruler, position: usize) -> i64 {
    let has_clock = side.view.head.now_ms.is_some();
    match (has_clock, position.checked_sub(1)) {
        (true, Some(last)) => ruler.entry(last),
        (true, None) => 0,
        (false, _) => i64::try_from(position).unwrap_or(i64::MAX),
    }
}
