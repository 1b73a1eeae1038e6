//! The settings of one side.

use std::path::PathBuf;

use berth_protocol::edit::EditError;
use berth_session::{Printable, Session, SourceFile, Version, parse_flag};

use super::super::args::{RunOptions, TieBreakChoice};
use super::super::open::{self, Opened};
use super::super::terminal::Terminal;
use super::super::{Stop, input};

/// One `KEY=VALUE`.
#[derive(Clone, Debug)]
pub struct Setting {
    written: String,
    value: Value,
}

#[derive(Clone, Debug)]
enum Value {
    Config(PathBuf),
    Kubernetes(Version),
    Gates(Vec<(String, bool)>),
    Seed(u64),
    TieBreak(TieBreakChoice),
    Patch(PathBuf),
    Without(String),
}

/// The keys, as the error names them.
const KEYS: &str = "config, kubernetes, gate, seed, tie-break, patch, without";

impl Setting {
    /// Parses `KEY=VALUE`.
    ///
    /// # Errors
    /// What is expected in place of it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| format!("expected KEY=VALUE, with KEY one of {KEYS}"))?;
        let value = match key {
            "config" => Value::Config(value.into()),
            "kubernetes" => Value::Kubernetes(Version::parse(value).map_err(|it| it.to_string())?),
            "gate" | "gates" => Value::Gates(parse_flag(value)?.into_iter().collect()),
            "seed" => Value::Seed(
                value
                    .parse()
                    .map_err(|_| format!("\"{value}\" is not a seed: expected a number"))?,
            ),
            "tie-break" => Value::TieBreak(match value {
                "first" => TieBreakChoice::First,
                "random" => TieBreakChoice::Random,
                _ => return Err(format!("expected first or random, not \"{value}\"")),
            }),
            "patch" => Value::Patch(value.into()),
            "without" => Value::Without(value.to_owned()),
            _ => {
                return Err(format!(
                    "there is no setting \"{key}\": expected one of {KEYS}"
                ));
            }
        };
        Ok(Self {
            written: text.to_owned(),
            value,
        })
    }
}

/// The settings as they were written.
pub fn written(settings: &[Setting]) -> String {
    let all: Vec<&str> = settings.iter().map(|it| it.written.as_str()).collect();
    match all.is_empty() {
        true => "as given".to_owned(),
        false => all.join(" "),
    }
}

/// Opens the manifests with the settings; `None` if they are not accepted.
///
/// # Errors
/// If a file cannot be read, or a patch or removal is refused.
pub fn open(
    settings: &[Setting],
    common: &RunOptions,
    files: &[SourceFile],
    terminal: &Terminal,
) -> Result<Option<Session>, Stop> {
    let mut options = common.clone();
    for setting in settings {
        match &setting.value {
            Value::Config(path) => options.config = Some(path.clone()),
            Value::Kubernetes(version) => options.release.kubernetes = Some(*version),
            Value::Gates(gates) => {
                let gates = gates.iter().cloned().collect();
                options.release.feature_gates.push(gates);
            }
            Value::Seed(seed) => options.seed = *seed,
            Value::TieBreak(choice) => options.tie_break = *choice,
            Value::Patch(_) | Value::Without(_) => {}
        }
    }
    let Opened { mut session, taken } = open::open_read(files, &options, terminal)?;
    if !taken {
        return Ok(None);
    }
    for setting in settings {
        let refused = |error: EditError| {
            let place = match (error.file.as_str(), error.line) {
                ("", _) => Printable(&setting.written).to_string(),
                (file, 0) => Printable(file).to_string(),
                (file, line) => format!("{}:{line}", Printable(file)),
            };
            let help = match error.help.is_empty() {
                true => String::new(),
                false => format!("; {}", error.help),
            };
            let message = error.message.to_string();
            Stop::Message(format!("{place}: {}{help}", Printable(&message)))
        };
        match &setting.value {
            Value::Patch(path) => session.merge(&input::read_file(path)?).map_err(refused)?,
            Value::Without(labels) => {
                session.remove_nodes(labels).map_err(refused)?;
            }
            _ => {}
        }
    }
    Ok(Some(session))
}
