//! Opens a session from the command line's options.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use berth_protocol::drain::InferredOwner;
use berth_protocol::problem::{Problem, Severity};
use berth_protocol::remark::Remark;
use berth_session::{Printable, Session, SourceFile, drain, kubelets, sources};

use super::args::RunOptions;
use super::input;
use super::live;
use super::messages::Messages;
use super::terminal::{Progress, Style, Terminal};
use super::{Status, Stop};

/// Maximum number of inferred owners, and of unknown fields, that are named without being asked for.
const MAX_NAMED: usize = 3;

/// Reads the manifests, and prints their problems and what a cluster did not list to standard error.
///
/// # Errors
/// If a file or the cluster cannot be read.
pub fn open(options: &RunOptions, terminal: &Terminal) -> Result<Opened, Stop> {
    let read = live::manifests(options)?;
    live::print_lacks(&read.lacks)?;
    open_read(&read.files, options, terminal)
}

/// The same for files that were read already.
///
/// # Errors
/// If the configuration cannot be read.
pub fn open_read(
    files: &[SourceFile],
    options: &RunOptions,
    terminal: &Terminal,
) -> Result<Opened, Stop> {
    let configuration = options.config.as_deref().map(input::read_file);
    let configuration = configuration.transpose()?;
    let mut session = Session::new(options.session_options());
    let taken = match &configuration {
        Some(configuration) => sources::apply_configured(&mut session, files, configuration),
        None => session.apply(files),
    };
    print_problems(&session, options.verbose, terminal)?;
    if let Some(other) = kubelets::others(&session) {
        let nearer = other.nearest.map(|version| {
            let flag = format!("--kubernetes {}", version.minor());
            Remark::nearer_release(flag, version.minor())
        });
        for remark in [Some(other.remark), nearer].into_iter().flatten() {
            writeln!(Messages, "{}", Printable(&remark.to_string()))?;
        }
    }
    if !session.has_errors() && !session.manifests().loaded.has_objects() {
        return Err("no object in these files is of a kind that Berth reads"
            .to_owned()
            .into());
    }
    // With an invalid configuration, every placement would be wrong.
    let misconfigured = configuration.is_some_and(|configuration| {
        let mut problems = session.problems().iter();
        problems.any(|problem| problem.is_error() && problem.file == configuration.name)
    });
    Ok(Opened {
        session,
        taken: taken && !misconfigured,
    })
}

/// Prints the problems of the sources, and what was inferred and ignored, to standard error.
pub fn print_problems(session: &Session, verbose: bool, terminal: &Terminal) -> io::Result<()> {
    let mut err = io::BufWriter::new(Messages);
    let mut unknown = BTreeSet::new();
    for problem in session.problems() {
        if let (false, Some(field)) = (verbose, live::unknown_field(problem)) {
            unknown.insert(field);
            continue;
        }
        let paint = |style: Style, text: &str| terminal.paint_problem(style, text).into_owned();
        writeln!(err, "{}", problem_line(problem, paint))?;
    }
    if !unknown.is_empty() {
        let named: Vec<&str> = unknown.iter().take(MAX_NAMED).map(String::as_str).collect();
        let more = match unknown.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        writeln!(
            err,
            "the cluster has fields that Berth does not know, as of another release: {}{more} (-v lists them)",
            Printable(&named.join(", "))
        )?;
    }
    print_ignored(session, verbose, &mut err)?;
    err.flush()
}

/// Prints which owners of Pods were inferred, and which kinds of objects were ignored.
pub fn print_ignored(session: &Session, verbose: bool, err: &mut dyn Write) -> io::Result<()> {
    print_inferred(drain::inferred_owners(session), verbose, err)?;
    print_assumed(&session.manifests().prepared.assumed, err)?;
    print_ignored_counts(&session.manifests().loaded.ignored_counts(), err)
}

/// Prints which owners of Pods were inferred: with their names if there are few or all are wanted, otherwise their
/// number.
pub fn print_inferred(
    owners: &[InferredOwner],
    verbose: bool,
    err: &mut dyn Write,
) -> io::Result<()> {
    const LEAD: &str = "inferred from their Pods, as the files lack them";
    if owners.is_empty() {
        return Ok(());
    }
    if verbose || owners.len() <= MAX_NAMED {
        let rows = owners.iter().map(|owner| {
            let (namespace, name) = (Printable(&owner.namespace), Printable(&owner.name));
            format!("{} {namespace}/{name} ({})", owner.kind, owner.pods)
        });
        let rows: Vec<String> = rows.collect();
        return writeln!(err, "{LEAD}: {}", rows.join(", "));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for owner in owners {
        *counts.entry(&owner.kind).or_default() += 1;
    }
    let counts = counts.iter().map(|(kind, count)| match count {
        1 => format!("1 {kind}"),
        _ => format!("{count} {kind}s"),
    });
    let counts: Vec<String> = counts.collect();
    writeln!(err, "{LEAD}: {} (-v lists them)", counts.join(", "))
}

/// Prints which objects are assumed to exist, as Pods that exist name them.
pub fn print_assumed(counts: &BTreeMap<&str, usize>, err: &mut dyn Write) -> io::Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let counts = counts.iter().map(|(kind, count)| match count {
        1 => format!("1 {kind}"),
        _ => format!("{count} {}", kinds(kind)),
    });
    let counts: Vec<String> = counts.collect();
    writeln!(
        err,
        "assumed to exist, as Pods name them and the files lack them: {}",
        counts.join(", ")
    )
}

fn kinds(kind: &str) -> String {
    match kind.strip_suffix('s') {
        Some(_) => format!("{kind}es"),
        None => format!("{kind}s"),
    }
}

/// The same for counts by kind.
pub fn print_ignored_counts(counts: &BTreeMap<&str, usize>, err: &mut dyn Write) -> io::Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let counts = counts
        .iter()
        .map(|(kind, count)| format!("{count} {}", Printable(kind)));
    let counts: Vec<String> = counts.collect();
    writeln!(
        err,
        "ignored, as scheduling does not look at them: {}",
        counts.join(", ")
    )
}

/// A session, and whether it accepted the files.
pub struct Opened {
    pub session: Session,
    /// `false`: no document could be read, or kube-scheduler would refuse the configuration.
    pub taken: bool,
}

/// `status`, unless the input has errors.
pub fn status(session: &Session, status: Status) -> Status {
    if session.has_errors() {
        Status::BadInput
    } else {
        status
    }
}

/// Calls `step` until it returns `false`, which means that no attempt is left.
pub fn drive(
    session: &mut Session,
    mut step: impl FnMut(&mut Session) -> Result<bool, Stop>,
) -> Result<(), Stop> {
    let mut progress = Progress::new();
    while step(session)? {
        progress.tick(|| {
            let waiting = session.run().queue().count();
            format!(
                "{} attempts, {waiting} Pods in the queue",
                session.position()
            )
        });
    }
    Ok(())
}

/// `file:line:column: error: path: message (help)`.
pub fn problem_line(problem: &Problem, paint: impl Fn(Style, &str) -> String) -> String {
    let style = match problem.severity {
        Severity::Error => Style::Bad,
        Severity::Warning => Style::Warn,
    };
    let [place, severity, text, help] = problem.parts();
    let (place, severity) = (paint(Style::Bold, &place), paint(style, &severity));
    let help = match help.is_empty() {
        true => help,
        false => paint(Style::Dim, &help),
    };
    format!("{place} {severity} {text}{help}")
}
