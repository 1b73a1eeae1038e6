//! The settings of one side.

use std::path::{Path, PathBuf};

use berth_protocol::compare::Side;
use berth_protocol::edit::EditError;
use berth_session::pairing::{self, OpenedSide};
use berth_session::{Options, Printable, Session, SourceFile, Version, parse_flag};

use super::super::args::TieBreakChoice;
use super::super::terminal::Terminal;
use super::super::{Stop, input, open};

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

    fn set(&self, side: &mut Side) -> Result<(), String> {
        match &self.value {
            Value::Config(path) => side.config = Some(read(path)?),
            Value::Kubernetes(version) => side.kubernetes = Some(version.minor().to_owned()),
            Value::Gates(gates) => side.feature_gates.extend(gates.iter().cloned()),
            Value::Seed(seed) => side.seed = Some(*seed),
            Value::TieBreak(choice) => side.first_on_ties = Some(*choice == TieBreakChoice::First),
            Value::Patch(path) => side.patches.push(read(path)?),
            Value::Without(labels) => side.without.push(labels.clone()),
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<(String, String), String> {
    let file = input::read_file(path)?;
    Ok((file.name, file.text.to_string()))
}

/// The side with these settings.
///
/// # Errors
/// If a file cannot be read.
pub fn of(settings: &[Setting]) -> Result<Side, String> {
    let mut side = Side::default();
    for setting in settings {
        setting.set(&mut side)?;
    }
    let all: Vec<&str> = settings.iter().map(|it| it.written.as_str()).collect();
    side.name = all.join(" ");
    Ok(side)
}

/// How a side is called: as its settings were written.
pub fn name(side: &Side) -> String {
    if !side.name.is_empty() {
        return side.name.clone();
    }
    let mut settings = Vec::new();
    let file = |key: &str, (name, _): &(String, String)| format!("{key}={name}");
    settings.extend(side.config.iter().map(|it| file("config", it)));
    settings.extend(side.kubernetes.iter().map(|it| format!("kubernetes={it}")));
    let gates = side.feature_gates.iter();
    settings.extend(gates.map(|(name, on)| format!("gate={name}={on}")));
    settings.extend(side.seed.map(|seed| format!("seed={seed}")));
    settings.extend(side.first_on_ties.map(|is_first| {
        let choice = if is_first { "first" } else { "random" };
        format!("tie-break={choice}")
    }));
    settings.extend(side.patches.iter().map(|it| file("patch", it)));
    settings.extend(side.without.iter().map(|it| format!("without={it}")));
    match settings.is_empty() {
        true => "as given".to_owned(),
        false => settings.join(" "),
    }
}

/// Opens the manifests with the settings; `None` if they are not accepted.
///
/// # Errors
/// If a patch or removal is refused.
pub fn open(
    side: &Side,
    options: &Options,
    files: &[SourceFile],
    verbose: bool,
    terminal: &Terminal,
) -> Result<Option<Session>, Stop> {
    let OpenedSide { mut session, taken } =
        pairing::open(files, options, side).map_err(|error| error.to_string())?;
    open::print_problems(&session, verbose, terminal)?;
    if !taken {
        return Ok(None);
    }
    pairing::vary(&mut session, side).map_err(|(setting, error)| refused(setting, &error))?;
    Ok(Some(session))
}

fn refused(setting: &str, error: &EditError) -> Stop {
    let place = match (error.file.as_str(), error.line) {
        ("", _) => Printable(setting).to_string(),
        (file, 0) => Printable(file).to_string(),
        (file, line) => format!("{}:{line}", Printable(file)),
    };
    let help = match error.help.is_empty() {
        true => String::new(),
        false => format!("; {}", error.help),
    };
    let message = error.message.to_string();
    Stop::Message(format!("{place}: {}{help}", Printable(&message)))
}
