//! `-o trace`: every attempt in the format of the real scheduler's recorded decisions, one per line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use crate::cli::Stop;
use crate::cli::open;
use berth_session::export::trace_attempt;
use berth_session::{Session, explain, export};

/// Keys that precede the attempts.
const HEAD: [&str; 4] = ["kubernetes", "scenario", "gated", "unmanaged"];

/// Keys of clusters with dynamic resource allocation.
const DEVICES: [&str; 2] = ["preEnqueue", "finalClaims"];

/// Runs the session to its end, writing each attempt when it is made.
pub fn write(session: &mut Session, scenario: &str, out: &mut dyn Write) -> Result<(), Stop> {
    let frame = to_value(export::trace_frame(session, scenario))?;
    write!(out, "{{")?;
    for key in HEAD {
        writeln!(out, "\"{key}\":{},", field(&frame, key))?;
    }
    write!(out, "\"attempts\":[")?;
    let mut separator = "\n";
    open::drive(session, |session| {
        let Some(cycle) = explain::step(session)? else {
            return Ok(false);
        };
        write!(out, "{separator}{}", to_value(trace_attempt(&cycle))?)?;
        separator = ",\n";
        Ok(true)
    })?;
    let frame = to_value(export::trace_frame(session, scenario))?;
    let (deleted, placed) = (field(&frame, "deleted"), field(&frame, "final"));
    write!(out, "],\n\"deleted\":{deleted},\n\"final\":{placed}")?;
    for key in DEVICES {
        if let Some(value) = frame.get(key) {
            write!(out, ",\n\"{key}\":{value}")?;
        }
    }
    writeln!(out, "}}")?;
    Ok(())
}

fn to_value(part: impl Serialize) -> io::Result<Value> {
    serde_json::to_value(part).map_err(io::Error::from)
}

fn field<'a>(frame: &'a Value, key: &str) -> &'a Value {
    frame.get(key).unwrap_or(&Value::Null)
}
