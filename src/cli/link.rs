//! `berth link`: prints a link to manifests at a moment of their run. `berth open`: writes a link's files, or shows the
//! user's cluster in the page.

mod class;
mod codec;
mod show;

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use berth_protocol::command::{Moment, Mutation, Recorded, Recording, Replay};
use berth_protocol::link::{Damage, LONGEST, Link, LinkError, joined};
use berth_session::export::redact_link;
use berth_session::{Options, Printable, Session, SourceFile, Version};
use clap::Args;

use super::args::{RunOptions, TieBreakChoice};
use super::compare;
use super::files::{self, Existing};
use super::live::Context;
use super::messages::Messages;
use super::open::{open, status};
use super::terminal::Terminal;
use super::{Outcome, Status, Stop};

/// Maximum files that are written: a few characters of a link may hold a million empty ones.
const MAX_FILES: usize = 1_000;
/// The page that `berth serve` and `cargo xtask serve` serve.
const PAGE: &str = "http://127.0.0.1:8080/";

/// What a link leaves out of objects that came from a cluster.
pub const REDACTED: &str = "values of environment variables, arguments, annotations that nothing reads, and the data of ConfigMaps \
                        and Secrets";

pub const LINK_EXAMPLES: &str = "\
Examples:
  berth link app.yaml nodes.yaml
  berth link lesson.yaml --at 7 --page https://example.org/berth/
  {dump} | berth link -

  # Lessons for a class, in this order: those of the course by name, your own by file
  berth link --class 'Monday' 05-node-selector quiz.yaml 08-taint-and-toleration

The link holds the manifests themselves: no server stores anything, and anyone with the link
has them. Objects from a cluster leave out the values of environment variables, arguments,
annotations that nothing reads, and the data of ConfigMaps and Secrets.

Exit status:
  0  the link is printed
  1  it is printed, but too long for many programs: send the file instead
  2  something is wrong with the input";

pub const OPEN_EXAMPLES: &str = "\
Examples:
  berth open 'https://example.org/berth/#1.eNqrVk…'
  berth open '#1.eNqrVk…' --into lesson
  berth open - < link.txt

  # Your cluster in the page, from this machine alone; as a plugin of kubectl: kubectl berth open
  berth open --context staging

Without a link, the page shows your cluster, listed as by `berth snapshot`. It is on 127.0.0.1, at
a port and a path that are drawn anew each time, answers no other host or origin, and ends once
nothing was asked for ten minutes.

Exit status:
  0  the files are written, or the page has ended
  2  the link cannot be read, has more than 1,000 files or two names that differ only in case, or
     a file exists already (see --force)";

/// Options of `berth link`.
#[derive(Debug, Args)]
pub struct LinkOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// The moment to show: after this many entries of the log
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub at: usize,

    /// Make a class of this title: each FILE is a lesson's, or the name of one of the course
    #[arg(long, value_name = "TITLE", conflicts_with = "at")]
    pub class: Option<String>,

    /// The address of the page that opens it
    #[arg(long, value_name = "URL", default_value = PAGE, env = "BERTH_PAGE")]
    pub page: String,
}

/// Options of `berth open`.
#[derive(Debug, Args)]
pub struct OpenOptions {
    /// The link, or its part from # on; - for standard input. Without it: the page with your cluster
    #[arg(value_name = "LINK", allow_hyphen_values = true)]
    pub link: Option<String>,

    #[command(flatten)]
    pub cluster: Context,

    /// After how many seconds without a request the page with your cluster ends
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub idle: u64,

    /// Only print the address of the page with your cluster
    #[arg(long)]
    pub no_browser: bool,

    /// The page: a folder made by `cargo xtask site`, or an unpacked berth-VERSION.zip, in place of the one that the
    /// command contains
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    pub site: Option<PathBuf>,

    /// The folder in which to write the files
    #[arg(long, value_name = "FOLDER", default_value = ".", value_hint = clap::ValueHint::DirPath)]
    pub into: PathBuf,

    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
}

/// Refuses options that a link cannot carry.
fn refuse_unlinkable(run: &RunOptions) -> Result<(), Stop> {
    if run.config.is_some() {
        return Err(Stop::Message(
            "a link holds manifests alone: put the configuration among the files".to_owned(),
        ));
    }
    if run.no_controllers || run.tie_break != TieBreakChoice::Random {
        return Err(Stop::Message(
            "the page always runs workloads and breaks ties at random: leave --no-controllers and --tie-break out"
                .to_owned(),
        ));
    }
    if !run.release.feature_gates.is_empty() {
        return Err(Stop::Message(
            "a link holds manifests alone: put featureGates into their Scenario".to_owned(),
        ));
    }
    Ok(())
}

/// Prints a link to a class.
fn make_class(title: &str, options: &LinkOptions, out: &mut dyn Write) -> Outcome {
    if options.run.seed != Options::default().seed || options.run.release.kubernetes.is_some() {
        return Err(Stop::Message(
            "lessons choose seed and release themselves: leave --seed and --kubernetes out"
                .to_owned(),
        ));
    }
    let link = class::link(title, &options.run.files)?;
    print(&codec::encode(&link)?, options, Status::Good, out)
}

/// Prints a link to the files.
pub fn make(options: &LinkOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    refuse_unlinkable(&options.run)?;
    if let Some(title) = &options.class {
        return make_class(title, options, out);
    }
    let opened = open(&options.run, terminal)?;
    let mut session = opened.session;
    session.advance(options.at);
    if session.position() < options.at {
        return Err(Stop::Message(format!(
            "--at {}: the run ends after {} entries",
            options.at,
            session.position()
        )));
    }
    let files = files_of(&session);
    let change = |mutation| Recorded::new(Moment::default(), Replay::Mutation(mutation));
    let mut recorded = vec![change(Mutation::Open {
        text: joined(&files),
    })];
    let seed = session.options().seed;
    if seed != Options::default().seed {
        recorded.push(change(Mutation::Seed { seed }));
    }
    if let Some(version) = options.run.release.kubernetes {
        recorded.push(change(Mutation::Kubernetes {
            version: version.minor().to_owned(),
        }));
    }
    let at = Moment {
        log_length: session.log().len(),
        position: session.position(),
    };
    let mut link = Link {
        digest: session.digest(),
        ..Link::of(
            Recording {
                recorded,
                at,
                waits: false,
            },
            files,
            Version::default().minor(),
        )
    };
    let objects = redact_link(&mut link);
    if objects > 0 {
        writeln!(
            Messages,
            "left out of {objects} objects from a cluster: {REDACTED}"
        )?;
    }
    let result = status(&session, Status::Good);
    print(&codec::encode(&link)?, options, result, out)
}

/// Prints the address with a fragment, and warns if it is too long.
fn print(fragment: &str, options: &LinkOptions, result: Status, out: &mut dyn Write) -> Outcome {
    writeln!(
        out,
        "{}{fragment}",
        options.page.split('#').next().unwrap_or_default()
    )?;
    out.flush()?;
    if fragment.len() > LONGEST {
        writeln!(
            Messages,
            "warning: {} characters; many programs cut addresses above {LONGEST}: send the files instead",
            fragment.len()
        )?;
        return Ok(match result {
            Status::Good => Status::SomeNotPlaced,
            other => other,
        });
    }
    Ok(result)
}

/// The session's files, by their last names: a link does not carry the writer's folders.
fn files_of(session: &Session) -> Vec<(String, String)> {
    session
        .sources()
        .iter()
        .map(|file| (file_name(file), file.text.to_string()))
        .collect()
}

fn file_name(file: &SourceFile) -> String {
    match file.name.as_str() {
        "-" => "scenario.yaml".to_owned(),
        path => Path::new(path).file_name().map_or_else(
            || path.to_owned(),
            |name| name.to_string_lossy().into_owned(),
        ),
    }
}

/// Writes the files of a link, and prints the position of its run, or the lessons of its class.
pub fn unpack(options: &OpenOptions, out: &mut dyn Write) -> Outcome {
    let Some(link) = &options.link else {
        return show::cluster(options, out);
    };
    let address = if link == "-" {
        // Links that are longer than an argument may be.
        let mut text = String::new();
        io::stdin().lock().read_to_string(&mut text)?;
        text
    } else {
        link.clone()
    };
    let link = match codec::decode(&address) {
        Ok(link) => link,
        Err(damage) => return salvage(options, damage, out),
    };
    write_files(options, &link.files, out)?;
    let pairing = link.compare.clone();
    if let Some(class) = &link.class {
        for line in class::listed(class, &link) {
            writeln!(out, "{}", Printable(&line))?;
        }
        return Ok(Status::Good);
    }
    let (recording, _) = link.visit();
    let changes = recording.recorded.len() - 1;
    let position = recording.at.position;
    writeln!(
        out,
        "at entry {position} of the run, after {changes} changes"
    )?;
    if let Some(pairing) = pairing {
        let [a, b] = [&pairing.a, &pairing.b].map(compare::side_name);
        writeln!(
            out,
            "it compares two runs of them: A is {}, B is {}",
            Printable(&a),
            Printable(&b)
        )?;
    }
    Ok(Status::Good)
}

/// Writes what a link that cannot be opened still holds, beside the error.
fn salvage(options: &OpenOptions, damage: Damage, out: &mut dyn Write) -> Outcome {
    let Damage { error, salvaged } = damage;
    if salvaged.is_empty() {
        return Err(Stop::Message(error.to_string()));
    }
    if matches!(
        error,
        LinkError::LaterChanges { .. } | LinkError::UnknownRelease { .. }
    ) {
        write_files(options, &salvaged, out)?;
        return Err(Stop::Message(format!(
            "{error}; its files are those above, without the run"
        )));
    }
    let files: Vec<(String, String)> = salvaged
        .into_iter()
        .map(|(name, text)| (format!("damaged-{name}"), text))
        .collect();
    write_files(options, &files, out)?;
    Err(Stop::Message(format!(
        "{error}; what could be read is in the files above, and may end in the middle"
    )))
}

fn write_files(
    options: &OpenOptions,
    files: &[(String, String)],
    out: &mut dyn Write,
) -> Result<(), Stop> {
    if files.len() > MAX_FILES {
        return Err(Stop::Message(format!(
            "the link has {} files, and no more than {MAX_FILES} are written",
            files.len()
        )));
    }
    let mut taken = BTreeSet::new();
    let named = files.iter().enumerate().map(|(number, (name, text))| {
        // A link is hostile input: it names files, never folders.
        let safe = Path::new(name)
            .file_name()
            .filter(|safe| *safe == name.as_str());
        let safe = safe.map(|safe| safe.to_string_lossy().into_owned());
        let safe = safe.filter(|safe| !safe.starts_with('.') && !safe.contains('\\'));
        let name = safe.unwrap_or_else(|| format!("file-{number}.yaml"));
        (free_name(&name, &mut taken), text.as_str())
    });
    let existing = match options.force {
        true => Existing::Overwritten,
        false => Existing::Refused("choose a folder with --into, or overwrite with --force"),
    };
    files::write(&options.into, named, existing, out)
}

/// The name, or one with a number if it is taken: files of several folders may have one name.
fn free_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) => (stem, format!(".{ending}")),
        None => (name, String::new()),
    };
    let mut free = name.to_owned();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = format!("{stem}-{number}{ending}");
        number += 1;
    }
    free
}
