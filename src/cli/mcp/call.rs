//! The other end of a call: a command in a process of its own, with the files that the server read.

use std::io::{self, Read, Write};

use clap::Parser;
use serde::Deserialize;

use crate::cli::args::{Arguments, Command};
use crate::cli::given::{Files, give};
use crate::cli::terminal::Terminal;
use crate::cli::{Outcome, Stop, dispatch};

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
pub fn run(terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text)?;
    let call: Call =
        serde_json::from_str(&text).map_err(|error| Stop::Message(format!("no call: {error}")))?;
    let words = ["berth".to_owned()].into_iter().chain(call.words);
    let arguments = Arguments::try_parse_from(words);
    let arguments = arguments.map_err(|error| {
        let message = error.to_string();
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        Stop::Message(message.trim_end().to_owned())
    })?;
    give(call.files);
    match &arguments.command {
        Command::Check(_)
        | Command::Schedule(_)
        | Command::Explain(_)
        | Command::WhatIf(_)
        | Command::Reduce(_)
        | Command::Compare(_)
        | Command::Kubectl(_) => dispatch(&arguments.command, terminal, out),
        _ => Err("this command is no tool".to_owned().into()),
    }
}
