//! `berth sweep`: scenarios × configurations × releases × seeds × commands, on all cores, one JSON line each.
//!
//! A cell is a scenario with a configuration, a release and a seed: its manifests are read once, for all commands. Rows
//! are written in the order of the plan, whichever core is first, so that a file that was interrupted holds a beginning
//! of the whole one.

mod plan;
mod resume;
mod row;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::mpsc;

use clap::Args;
use rayon::ThreadPoolBuilder;
use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use super::terminal::{Progress, Terminal};
use super::{Outcome, Status, Stop};
use plan::{Cell, Plan};
use resume::Rows;
use row::{Row, Work};

pub const SWEEP_EXAMPLES: &str = "\
Examples:
  berth sweep plan.yaml > rows.jsonl
  berth sweep plan.yaml --into rows.jsonl             # goes on where it was interrupted
  berth sweep plan.yaml --into rows-$I.jsonl --shard $JOB_COMPLETION_INDEX/16

A plan:
  apiVersion: berth.dev/v1alpha1
  kind: Sweep
  scenarios:                       # files are named from the folder of the plan
  - {name: today, files: [cluster.yaml]}
  - {name: black-friday, files: [cluster.yaml, more-replicas.yaml]}
  configurations:                  # without them: the manifests' own
  - {name: default}
  - {name: packing, file: packing.yaml}
  releases: ['1.35', '1.36']       # without them: the scenario's, or the default
  seeds: {from: 1, count: 10}      # of ties; without them: 1
  commands:                        # as they are typed, without files; without them: schedule
  - schedule
  - what-if lose --each zone
  - what-if fit shop/web

docs/sweep.md describes the rows.

Exit status:
  0  every row has a result
  1  some rows have an error
  2  something is wrong with the plan";

#[derive(Debug, Args)]
pub struct SweepOptions {
    /// The plan
    #[arg(value_name = "PLAN", value_hint = clap::ValueHint::FilePath)]
    pub plan: PathBuf,

    /// Write the rows to this file; those that it has are kept, and not played again
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub into: Option<PathBuf>,

    /// Only the I-th part of N, I from 0
    #[arg(long, value_name = "I/N", value_parser = Shard::parse, default_value = "0/1")]
    pub shard: Shard,

    /// How many threads play; all cores by default
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide_default_value = true)]
    pub threads: usize,
}

/// A part of the cells: those whose number is `index` modulo `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let parsed = parts.and_then(|(index, count)| {
            let (index, count) = (index.parse().ok()?, count.parse().ok()?);
            (index < count).then_some(Self { index, count })
        });
        parsed.ok_or_else(|| format!("\"{text}\": expected I/N with I from 0 and below N"))
    }

    fn has(self, cell: &Cell) -> bool {
        cell.number % self.count == self.index
    }
}

/// Runs the command.
pub fn run(options: &SweepOptions, _: &Terminal, out: &mut dyn Write) -> Outcome {
    let plan = plan::read(&options.plan)?;
    let cells = plan.cells().filter(|cell| options.shard.has(cell));
    let cells: Vec<Cell> = cells.collect();
    let Some(path) = &options.into else {
        return play(&plan, &cells, &Rows::default(), options.threads, out);
    };
    let (rows, mut file) = resume::open(path, &plan.digest)?;
    play(&plan, &cells, &rows, options.threads, &mut file)
}

/// Plays the cells that lack rows; writes the rows in the order of the plan.
fn play(plan: &Plan, cells: &[Cell], known: &Rows, threads: usize, out: &mut dyn Write) -> Outcome {
    let work = Work::of(plan, cells, known);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Stop::from(error.to_string()))?;
    let mut writer = InOrder {
        out,
        next: 0,
        early: BTreeMap::new(),
        errors: known.errors,
    };
    let all = cells.len() * plan.commands.len();
    let mut done = all - work.iter().map(|it| it.commands.len()).sum::<usize>();
    let mut progress = Progress::new();
    pool.in_place_scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let work = &work;
        scope.spawn(move |_| {
            let places = (0..work.len()).into_par_iter();
            // The writer has stopped: the rows that are left are not wanted.
            let _ = places.try_for_each_with(sender, |sender, place| {
                let rows = work.get(place).map(|it| it.rows(plan)).unwrap_or_default();
                sender.send((place, rows))
            });
        });
        for (place, rows) in receiver {
            done += rows.len();
            progress.tick(|| format!("{done} of {all} rows"));
            writer.write(place, rows)?;
        }
        Ok::<(), io::Error>(())
    })?;
    Ok(match writer.errors {
        0 => Status::Good,
        _ => Status::SomeNotPlaced,
    })
}

/// Writes rows in the order of the work that they are of.
struct InOrder<'o> {
    out: &'o mut dyn Write,
    next: usize,
    /// Those whose turn has not come, by place.
    early: BTreeMap<usize, Vec<Row>>,
    errors: usize,
}

impl InOrder<'_> {
    fn write(&mut self, place: usize, rows: Vec<Row>) -> io::Result<()> {
        self.early.insert(place, rows);
        while let Some(rows) = self.early.remove(&self.next) {
            self.next += 1;
            for row in &rows {
                self.errors += usize::from(row.is_error());
                serde_json::to_writer(&mut *self.out, row)?;
                writeln!(self.out)?;
            }
            self.out.flush()?;
        }
        Ok(())
    }
}
