//! Begins a reduction, which notes the day of its verification.

use crate::ui::engine::{Engine, date};
use berth_protocol::command::{Command, Query};

/// Has the engine reduce the attempt at a position of the log.
#[inline(never)]
pub fn reduce(position: usize, engine: &Engine) {
    let seconds = js_sys::Date::now() / 1000.0;
    let date = date(seconds as i64);
    engine.send(Command::Ask(Query::Reduce { position, date }));
}
