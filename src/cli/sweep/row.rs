//! The rows of a sweep.

use berth_protocol::compare::{Summary, ZONE};
use berth_session::pairing::OpenedSide;
use berth_session::{Options, Session, frame, pairing};
use serde::Serialize;
use serde_json::Value;

use super::plan::{Cell, Plan, PlannedCommand, What};
use super::resume::Rows;
use crate::cli::Stop;
use crate::cli::what_if::{WhatIfOutput, played};
use crate::words::language::in_english;

/// A row, as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The digest of the plan with its files and the version.
    sweep: String,
    row: usize,
    berth: &'static str,
    scenario: String,
    configuration: String,
    /// The patch release that is followed.
    kubernetes: String,
    seed: u64,
    command: String,
    /// Of the cluster when all that can be placed is.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(flatten)]
    outcome: RowOutcome,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum RowOutcome {
    Result(Value),
    Error(String),
}

impl Row {
    pub fn is_error(&self) -> bool {
        matches!(self.outcome, RowOutcome::Error(_))
    }
}

/// The commands of a cell that are to be played.
pub struct Work {
    cell: Cell,
    /// Their places in the plan.
    pub commands: Vec<usize>,
}

impl Work {
    /// What lacks rows.
    pub fn of(plan: &Plan, cells: &[Cell], known: &Rows) -> Vec<Self> {
        let count = plan.commands.len();
        let work = cells.iter().map(|cell| {
            let commands =
                (0..count).filter(|at| !known.numbers.contains(&(cell.number * count + at)));
            Self {
                cell: *cell,
                commands: commands.collect(),
            }
        });
        work.filter(|it| !it.commands.is_empty()).collect()
    }

    /// Plays the commands.
    pub fn rows(&self, plan: &Plan) -> Vec<Row> {
        let mut opened = self.open(plan);
        let commands = self.commands.iter().filter_map(|at| {
            let asked = plan.commands.get(*at)?;
            Some(self.row(plan, *at, asked, &mut opened))
        });
        commands.collect()
    }

    /// The session of the cell.
    fn open(&self, plan: &Plan) -> Result<CellSession, String> {
        let files = plan
            .scenarios
            .get(self.cell.scenario)
            .map(|it| it.files.as_slice());
        let files = files.unwrap_or_default();
        let opened = pairing::open(files, &Options::default(), &plan.side(self.cell));
        let OpenedSide { session, taken } = opened.map_err(|remark| remark.to_string())?;
        let mut problems = session.problems().iter();
        match problems.find(|problem| problem.is_error()) {
            Some(problem) => Err(problem.parts().concat()),
            None if !taken => Err("no document could be read".to_owned()),
            None => Ok(CellSession::new(session)),
        }
    }

    fn row(
        &self,
        plan: &Plan,
        at: usize,
        asked: &PlannedCommand,
        opened: &mut Result<CellSession, String>,
    ) -> Row {
        let name = |name: Option<&String>| name.cloned().unwrap_or_default();
        let scenario = plan.scenarios.get(self.cell.scenario);
        let configuration = plan.configurations.get(self.cell.configuration);
        let (outcome, digest, kubernetes) = match opened {
            Ok(opened) => {
                let outcome = in_english(|| opened.play(asked));
                let outcome = match outcome {
                    Ok(result) => RowOutcome::Result(result),
                    Err(why) => RowOutcome::Error(why),
                };
                let release = &opened.session.manifests().prepared.release;
                let kubernetes = release.version().full().to_owned();
                (outcome, Some(opened.digest.clone()), kubernetes)
            }
            Err(why) => (RowOutcome::Error(why.clone()), None, String::new()),
        };
        Row {
            sweep: plan.digest.clone(),
            row: self.cell.number * plan.commands.len() + at,
            berth: env!("CARGO_PKG_VERSION"),
            scenario: name(scenario.map(|it| &it.name)),
            configuration: name(configuration.map(|it| &it.name)),
            kubernetes,
            seed: plan.seeds.get(self.cell.seed).copied().unwrap_or_default(),
            command: asked.line.clone(),
            digest,
            outcome,
        }
    }
}

/// A session that commands are asked of, one after the other.
struct CellSession {
    session: Session,
    /// Of its end.
    digest: String,
}

impl CellSession {
    fn new(mut session: Session) -> Self {
        session.run_to_end();
        let digest = session.digest();
        Self { session, digest }
    }

    fn play(&mut self, asked: &PlannedCommand) -> Result<Value, String> {
        let session = &mut self.session;
        let result = match &asked.what {
            What::Schedule => {
                session.seek(usize::MAX);
                serde_json::to_value(Summary::of(&frame::build(session), ZONE))
            }
            What::WhatIf { question, words } => {
                session.reset();
                let playing = question.ask(session, words).map_err(message)?;
                let answered = played(playing, WhatIfOutput::Json, |_| {}).map_err(message)?;
                serde_json::to_value(&answered)
            }
        };
        result.map_err(|error| error.to_string())
    }
}

fn message(stop: Stop) -> String {
    match stop {
        Stop::Message(message) => message,
        Stop::Output(error) => error.to_string(),
    }
}
