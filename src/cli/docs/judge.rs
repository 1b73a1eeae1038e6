//! Judges blocks in the order of the walk: each is read after the blocks before it in its cluster, as files before it would
//! be, and is scheduled if there are nodes.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_protocol::expectation;
use berth_protocol::frame::PodState;
use berth_protocol::problem::{Problem, Severity};
use berth_protocol::remark::Remark;
use berth_session::lesson::{self, Tests};
use berth_session::{
    Choice, Options, Position, Session, SourceFile, Version, case, expectations, find, frame,
    is_other_yaml,
};

use super::Told;
use super::blocks::{Block, Manifests, Shown};
use super::expect::{self, Expected};
use crate::cli::expect::unmet;
use crate::cli::findings::{Rule, waiting};

/// What a block came to.
pub enum Verdict {
    Told(Vec<Told>),
    Skipped(Skip),
}

/// Why a block is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    Other,
    Elided,
    Ignored,
    Partial,
    Again,
}

impl Skip {
    pub fn words(self) -> &'static str {
        match self {
            Self::Other => "YAML without manifests",
            Self::Elided => "`...` or `…` stands for a part of it",
            Self::Ignored => "marked `ignore`",
            Self::Partial => "a part of a file, or a file that only the tool finds",
            Self::Again => "a file that was looked at before",
        }
    }
}

/// The blocks so far.
pub struct Judge {
    release: Choice,
    seeds: Vec<u64>,
    /// The clusters of blocks, with what they hold.
    clusters: Vec<(String, SourceFile)>,
    /// Files that were judged by themselves.
    files: BTreeSet<String>,
    /// Problems of the command line's options.
    of_options: BTreeSet<Problem>,
}

impl Judge {
    pub fn new(release: Choice, seeds: u64) -> Self {
        Judge {
            release,
            seeds: (1..=seeds.max(1)).collect(),
            clusters: Vec::new(),
            files: BTreeSet::new(),
            of_options: BTreeSet::new(),
        }
    }

    /// What is wrong with the options, as a block of its own.
    pub fn of_options(self) -> Option<(String, Vec<Told>)> {
        let name = self.of_options.first()?.file.clone();
        Some((name, self.of_options.into_iter().map(told).collect()))
    }

    /// Judges the next block.
    pub fn judge(&mut self, block: &Block) -> Verdict {
        let attributes = &block.attributes;
        if attributes.rest.contains(&"ignore") {
            return Verdict::Skipped(Skip::Ignored);
        }
        let complaints = attributes.complaints().into_iter();
        let mut told: Vec<Told> = complaints
            .map(|what| wrong(block, Rule::Misspelt, what))
            .collect();
        let shown = match &block.shown {
            Shown::Manifests(shown) => shown,
            Shown::Partial => return told_or(told, Skip::Partial),
            Shown::Missing(why) => {
                told.push(wrong(block, Rule::Refused, why.clone()));
                return Verdict::Told(told);
            }
        };
        let cluster = attributes.value("cluster");
        let is_meant =
            attributes.is_live || cluster.is_some() || attributes.value("expect").is_some();
        if !is_meant && is_elided(&shown.source.text) {
            return told_or(told, Skip::Elided);
        }
        if !is_meant && is_other_yaml(&shown.source.text) {
            return told_or(told, Skip::Other);
        }
        if !is_meant && shown.is_file && !self.files.insert(shown.source.name.clone()) {
            return told_or(told, Skip::Again);
        }
        told.extend(self.play(block, shown, cluster));
        if let Some(cluster) = cluster {
            let shown = (cluster.to_owned(), shown.source.clone());
            self.clusters.push(shown);
        }
        Verdict::Told(told)
    }

    /// What a block of this cluster is read after. `lab/a` begins as `lab`, which does not know of it.
    fn before(&self, cluster: &str) -> impl Iterator<Item = &SourceFile> {
        let is_part = |name: &str| {
            let rest = cluster.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let all = self.clusters.iter();
        all.filter_map(move |(name, file)| is_part(name).then_some(file))
    }

    fn play(&mut self, block: &Block, shown: &Manifests, cluster: Option<&str>) -> Vec<Told> {
        let expected = block.attributes.value("expect").map(expect::read);
        let expected = match expected.transpose() {
            Ok(expected) => expected.unwrap_or_default(),
            Err(why) => return vec![wrong(block, Rule::Misspelt, format!("expect: {why}"))],
        };
        let tests = lesson::tests(&shown.source);
        let problems = match tests {
            Some(Tests::Lesson) => Some(lesson::test(&shown.source, &[], &self.seeds)),
            Some(Tests::Case) => Some(case::test(&shown.source, &self.seeds)),
            Some(Tests::Expectations) | None => None,
        };
        if let Some(problems) = problems {
            let own = problems.into_iter().map(|problem| shown.on_page(problem));
            return own.map(told).collect();
        }
        let before = cluster.into_iter().flat_map(|cluster| self.before(cluster));
        let files: Vec<SourceFile> = before.chain([&shown.source]).cloned().collect();
        let run = Run {
            block,
            shown,
            files: &files,
            expected: &expected,
            has_scenario: tests.is_some(),
        };
        let mut found = Vec::new();
        for seed in self.seeds.clone() {
            let mut session = Session::new(self.options(block, seed));
            let is_played = run.play(&mut session, &mut found);
            let general = session.problems().iter().filter(|it| it.line == 0);
            self.of_options.extend(general.cloned());
            if !is_played || found.iter().any(|told| told.rule.is_failure()) {
                break;
            }
        }
        found
    }

    fn options(&self, block: &Block, seed: u64) -> Options {
        let mut release = self.release.clone();
        let own = block.attributes.value("kubernetes").map(Version::parse);
        if let Some(Ok(version)) = own {
            release.fallback = version;
        }
        Options {
            release,
            seed,
            ..Options::default()
        }
    }
}

/// One block, with the files of its cluster.
struct Run<'r> {
    block: &'r Block<'r>,
    shown: &'r Manifests,
    files: &'r [SourceFile],
    expected: &'r Expected,
    /// Whether its manifests say what is expected.
    has_scenario: bool,
}

impl Run<'_> {
    /// Finds what is wrong with one seed. Returns whether Pods were scheduled.
    fn play(&self, session: &mut Session, found: &mut Vec<Told>) -> bool {
        let taken = session.apply(self.files);
        let problems = session.problems().iter();
        let own = problems.filter(|it| self.shown.has(&it.file, it.line));
        let own = own.map(|problem| self.shown.on_page(problem.clone()));
        *found = own.map(told).collect();
        if !taken || found.iter().any(|told| told.rule.is_failure()) {
            return false;
        }
        let has_nodes = session.run().cluster().nodes().next().is_some();
        if !has_nodes && self.block.attributes.is_live {
            let what = "there is no Node, so the live block schedules nothing".to_owned();
            found.push(wrong(self.block, Rule::Warning, what));
        }
        if !has_nodes && self.expected.is_empty() && !self.has_scenario {
            return false;
        }
        while session.step() {}
        found.extend(self.unmet(session));
        if !self.has_scenario {
            found.extend(self.waits(session));
        }
        true
    }

    /// The expectations of the attribute and of the block's Scenario that are not met.
    fn unmet(&self, session: &Session) -> Vec<Told> {
        let mut of_attribute = expectations::check(session, self.expected);
        for outcome in &mut of_attribute {
            outcome.file.clone_from(&self.block.page);
            outcome.line = self.block.line;
        }
        let of_scenario = expectations::outcomes(session).into_iter();
        let of_scenario = of_scenario
            .filter(|outcome| self.shown.has(&outcome.file, outcome.line))
            .map(|mut outcome| {
                outcome.column = outcome.column.saturating_add(self.shown.indent);
                outcome
            });
        let all: Vec<expectation::Outcome> = of_attribute.into_iter().chain(of_scenario).collect();
        let bad = all.iter().filter(|outcome| !outcome.met);
        bad.map(|outcome| Told {
            rule: Rule::Unmet,
            problem: unmet(outcome),
        })
        .collect()
    }

    /// The block's own Pods that have no node, but for those of which something is expected.
    fn waits(&self, session: &Session) -> Vec<Told> {
        let concerned = expectations::concerned(session, self.expected);
        let frame = frame::build(session);
        let pods = frame.pods.iter().filter(|pod| {
            let origin = find::origin(session, &pod.key);
            let is_own = |(file, _): (&SourceFile, Position)| {
                // Blocks of one page have the same name.
                Arc::ptr_eq(&file.text, &self.shown.source.text)
            };
            pod.state != PodState::Bound
                && !concerned.contains(&pod.key)
                && origin.is_some_and(is_own)
        });
        let findings = pods.filter_map(|pod| waiting(session, pod));
        let told = findings.map(|finding| Told {
            rule: finding.rule,
            problem: self.shown.on_page(Problem {
                severity: Severity::Error,
                file: finding.place.file,
                line: finding.place.line,
                column: finding.place.column,
                path: String::new(),
                message: Remark::quoted(finding.message),
                help: Remark::default(),
                is_missing: false,
                unlisted: 0,
            }),
        });
        told.collect()
    }
}

impl Manifests {
    /// Whether a line of a file is one of the block's.
    fn has(&self, file: &str, line: u32) -> bool {
        self.source.name == file && self.lines.contains(&line) && line > 0
    }

    /// A problem with the column that it has in the page.
    fn on_page(&self, problem: Problem) -> Problem {
        Problem {
            column: problem.column.saturating_add(self.indent),
            ..problem
        }
    }
}

/// Whether a line or a value of a text is only dots, as where an author left something out.
fn is_elided(text: &str) -> bool {
    const DOTS: [&str; 4] = ["...", "…", "<...>", "[...]"];
    let mut lines = text
        .lines()
        .map(|line| line.trim().trim_start_matches(['#', ' ', '-']));
    lines.any(|line| {
        let value = line.rsplit_once(": ").map(|(_, value)| value.trim());
        DOTS.contains(&line) || value.is_some_and(|value| DOTS.contains(&value))
    })
}

/// What is wrong with a block that is not looked at further.
fn told_or(told: Vec<Told>, why: Skip) -> Verdict {
    match told.is_empty() {
        true => Verdict::Skipped(why),
        false => Verdict::Told(told),
    }
}

/// A problem of manifests.
fn told(problem: Problem) -> Told {
    Told {
        rule: Rule::of(&problem),
        problem,
    }
}

/// Something wrong at the beginning of a block.
fn wrong(block: &Block, rule: Rule, message: String) -> Told {
    Told {
        rule,
        problem: Problem {
            severity: match rule.is_failure() {
                true => Severity::Error,
                false => Severity::Warning,
            },
            file: block.page.clone(),
            line: block.line,
            column: 1,
            path: String::new(),
            message: Remark::quoted(message),
            help: Remark::default(),
            is_missing: false,
            unlisted: 0,
        },
    }
}
