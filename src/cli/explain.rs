//! `berth explain`: prints one attempt of a Pod in full.

mod facts;
mod fixes;
mod header;
mod matrix;
mod node;
mod preemption;
mod reasons;
mod scores;

use std::io::{self, Write};

use crate::cli::moment::Scene;
use crate::export::markdown;
use berth_protocol::cycle::Cycle;
use berth_protocol::frame::{PodFrame, PodState};
use berth_protocol::key::split;
use berth_session::{Printable, Session};

use super::args::{ExplainOptions, ExplainOutput};
use super::open::{self, Opened};
use super::terminal::Terminal;
use super::{Outcome, Status, Stop};

/// Maximum number of names suggested if the Pod does not exist.
const MAX_SUGGESTIONS: usize = 3;

/// Runs the command.
pub fn run(options: &ExplainOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let Opened { mut session, taken } = open::open(&options.run, terminal)?;
    if !taken {
        return Ok(Status::BadInput);
    }
    open::drive(&mut session, |session| Ok(session.step()))?;
    let key = if options.pod.contains('/') {
        options.pod.clone()
    } else {
        format!("default/{}", options.pod)
    };
    let attempts: Vec<usize> = session
        .attempts()
        .filter(|(_, attempt)| attempt.key == key)
        .map(|(position, _)| position)
        .collect();
    let Some(last) = attempts.last() else {
        let why = never_attempted(&session, &key)?;
        if options.output == ExplainOutput::Json {
            return Err(Stop::Message(why));
        }
        writeln!(out, "{why}")?;
        return Ok(open::status(&session, Status::Good));
    };
    let number = options.attempt.unwrap_or(attempts.len());
    let position = match number.checked_sub(1).map(|index| attempts.get(index)) {
        Some(Some(position)) => *position,
        _ if attempts.len() == 1 => return Err(format!("{key} was attempted once only").into()),
        _ => return Err(format!("{key} was attempted {} times", attempts.len()).into()),
    };
    let cycle = match &options.node {
        Some(node) => narrowed(session.explain_node(position, node)?, node)?,
        None => session.explain(position)?,
    };
    if options.output == ExplainOutput::Json {
        serde_json::to_writer_pretty(&mut *out, &cycle).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(open::status(&session, Status::Good));
    }
    if options.output == ExplainOutput::Markdown {
        let fixes = session.fixes(position)?;
        let scene = Scene::new(&session, Some(position), None);
        let text = markdown::explanation(&scene.moment(), &fixes).unwrap_or_default();
        out.write_all(text.as_bytes())?;
        return Ok(open::status(&session, Status::Good));
    }
    let place = header::Place {
        position,
        attempts: session.log().len(),
        number,
        of_pod: attempts.len(),
        is_last: position == *last,
    };
    header::write(&cycle, &place, terminal, out)?;
    match &options.node {
        Some(_) => node::write(&cycle, terminal, out)?,
        None => {
            matrix::write(&cycle, terminal, out)?;
            reasons::write(&cycle, terminal, out)?;
            scores::write(&cycle, terminal, out)?;
        }
    }
    preemption::write(&cycle, terminal, out)?;
    if options.node.is_none() {
        fixes::write(&session.fixes(position)?, terminal, out)?;
    }
    Ok(open::status(&session, Status::Good))
}

/// Why a Pod that exists, or was preempted, has no attempt to explain.
fn never_attempted(session: &Session, key: &str) -> Result<String, String> {
    let frame = session.frame();
    let shown = Printable(key);
    if let Some(pod) = frame.pods.iter().find(|pod| pod.key == key) {
        let message = Printable(&pod.message);
        return Ok(match (pod.state, &pod.node) {
            (PodState::Bound, Some(node)) => {
                let node = Printable(node);
                format!("{shown} runs on {node} already: there was nothing to schedule.")
            }
            (PodState::Gated, _) => {
                let fix = session.ungate(&[key.to_owned()]);
                let fix = fix.map(|found| {
                    let (what, node) = (found.fix.remark().to_string(), found.fix.node);
                    format!(
                        "\n{}; it would go to {}",
                        Printable(&what),
                        Printable(&node)
                    )
                });
                let fix = fix.unwrap_or_default();
                format!("{shown} was not attempted: {message}{fix}")
            }
            _ => format!("{shown} was never attempted."),
        });
    }
    if session.run().deleted().iter().any(|deleted| deleted == key) {
        return Ok(format!(
            "{shown} ran already, and was preempted: see `berth schedule`."
        ));
    }
    Err(format!("no Pod {shown}{}", suggestions(&frame.pods, key)))
}

/// Pods of the same name in other namespaces, then Pods whose name begins with it.
fn suggestions(pods: &[PodFrame], key: &str) -> String {
    let name = |key| split(key).1;
    let wanted = name(key);
    let same = pods.iter().filter(|pod| name(&pod.key) == wanted);
    let begins = pods
        .iter()
        .filter(|pod| name(&pod.key) != wanted && name(&pod.key).starts_with(wanted));
    let found: Vec<String> = same
        .chain(begins)
        .take(MAX_SUGGESTIONS)
        .map(|pod| Printable(&pod.key).to_string())
        .collect();
    if found.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", found.join(" or "))
    }
}

/// The cycle reduced to one node.
fn narrowed(mut cycle: Cycle, node: &str) -> Result<Cycle, String> {
    cycle.nodes.retain(|report| report.node == node);
    if cycle.nodes.is_empty() {
        return Err(format!("no node {}", Printable(node)));
    }
    Ok(cycle)
}
