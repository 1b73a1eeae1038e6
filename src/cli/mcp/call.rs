//! The other end of a call: a command in a process of its own, with the files that the server read.

use std::io::{self, Read, Write};

use serde::Deserialize;

use crate::cli::given::Files;
use crate::cli::{Outcome, Stop, tools};

/// The name of the hidden command.
pub const COMMAND: &str = "mcp-call";

/// What the server sends.
#[derive(Deserialize)]
struct Call {
    /// The command line without the program.
    words: Vec<String>,
    files: Files,
}

/// Runs the command of a call.
pub fn run(out: &mut dyn Write) -> Outcome {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text)?;
    let call: Call =
        serde_json::from_str(&text).map_err(|error| Stop::Message(format!("no call: {error}")))?;
    tools::run(call.words, call.files, out)
}
