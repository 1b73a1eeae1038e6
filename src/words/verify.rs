//! What a comparison of a case with a real cluster came to.

use berth_words::{counted, say, text};

use super::language::{comma, semicolon};
use super::{BRAND, NONE, Text, number, short};
use berth_protocol::verify::{Difference, File, NodeVerdict, Room, Verification, What};

// Headings of the attempts.
pub const POD: &str = "Pod";
pub const ATTEMPT: Text = text!("Attempt");
pub const CLUSTER: Text = text!("Cluster");
pub const BERTH: &str = BRAND;
pub const SCORES: Text = text!("Scores");
pub const DIFFERENCES: Text = text!("Differences");

/// In place of a node: the Pod waits.
pub const WAITS: Text = text!("waits | a Pod");

/// A difference in words.
pub struct Told {
    pub sentence: String,
    /// Kubernetes' own texts, with who said each.
    pub texts: Vec<(String, String)>,
}

/// How much was compared, and whether all of it agrees.
pub fn sentence(verification: &Verification) -> String {
    let counts = &verification.counts;
    let attempts = counts.attempts.compared;
    let scores = counts.scores.compared;
    let messages = counts.messages.compared;
    let what = [
        counted!(attempts, "{attempts} attempt", "{attempts} attempts"),
        counted!(scores, "{scores} score", "{scores} scores"),
        counted!(messages, "{messages} message", "{messages} messages"),
    ];
    let what = what.join(comma());
    match verification.differences.len() {
        0 => say!("{what}: all as the cluster said."),
        differences => counted!(
            differences,
            "{what}: {differences} difference from what the cluster said.",
            "{what}: {differences} differences from what the cluster said."
        ),
    }
}

/// How many scores of each plugin differ; `None` if none does.
pub fn by_plugin(verification: &Verification) -> Option<String> {
    let plugins = verification.differing_scores();
    let plugins: Vec<String> = plugins
        .into_iter()
        .map(|(plugin, scores)| format!("{plugin} {}", number(scores)))
        .collect();
    (!plugins.is_empty()).then(|| {
        say!(
            "Scores that differ: {plugins}",
            plugins = plugins.join(comma())
        )
    })
}

/// How many more differences an attempt has.
pub fn more(more: usize) -> String {
    say!("and {more} more (-o json lists all)", more = number(more))
}

/// What a difference is about: the Pod, and its attempt.
pub fn place(difference: &Difference) -> String {
    let pod = short(&difference.pod);
    match difference.attempt {
        Some(attempt) => say!("{pod}, attempt {attempt}"),
        None => pod.to_owned(),
    }
}

/// The difference in words.
pub fn told(difference: &Difference) -> Told {
    let (sentence, texts) = match &difference.what {
        What::Node {
            cluster,
            berth,
            verdict,
            message,
        } => (
            with_verdict(node(cluster, berth), cluster, Some(verdict)),
            said(None, message.as_deref()),
        ),
        What::Waits { cluster, berth } => (
            say!(
                "waits in the cluster; Berth takes {nodes}",
                nodes = berth.join(comma())
            ),
            said(Some(cluster.as_str()), None),
        ),
        What::Message { cluster, berth } => (
            text!("waits for other reasons in the cluster").to_owned(),
            said(Some(cluster.as_str()), Some(berth.as_str())),
        ),
        What::Event { cluster, berth } => (
            text!("an event says what no attempt comes to").to_owned(),
            texts_of_event(cluster, berth),
        ),
        What::Condition { cluster, berth } => (
            text!("the condition PodScheduled says something else").to_owned(),
            said(Some(cluster.as_str()), berth.as_deref()),
        ),
        What::HeldBack { berth } => (
            text!("the cluster tried it; in the case it is held back").to_owned(),
            said(None, Some(berth.as_str())),
        ),
        other => (short_one(other), Vec::new()),
    };
    Told { sentence, texts }
}

fn node(cluster: &str, berth: &[String]) -> String {
    match berth {
        [] => say!("on {cluster} in the cluster; in Berth it waits"),
        _ => say!(
            "on {cluster} in the cluster; Berth takes {nodes}",
            nodes = berth.join(comma())
        ),
    }
}

fn with_verdict(sentence: String, node: &str, verdict: Option<&NodeVerdict>) -> String {
    let verdict = match verdict {
        Some(NodeVerdict::Rejected { plugin, reason }) => {
            say!("{plugin} rejects {node}: {reason}")
        }
        Some(NodeVerdict::Behind { total, highest }) => {
            say!("{node} has {total} points, and the best {highest}")
        }
        Some(NodeVerdict::Unknown) => say!("{node} was not examined, or is not in the case"),
        None => return sentence,
    };
    format!("{sentence}{}{verdict}", semicolon())
}

fn said(cluster: Option<&str>, berth: Option<&str>) -> Vec<(String, String)> {
    let cluster = cluster.map(|text| (CLUSTER.to_owned(), text.to_owned()));
    let berth = berth.map(|text| (BERTH.to_owned(), text.to_owned()));
    cluster.into_iter().chain(berth).collect()
}

fn texts_of_event(cluster: &str, berth: &[String]) -> Vec<(String, String)> {
    let mut texts = said(Some(cluster), None);
    texts.extend(
        berth
            .iter()
            .flat_map(|text| said(None, Some(text.as_str()))),
    );
    texts
}

/// A difference of names and numbers.
fn short_one(what: &What) -> String {
    match what {
        What::Feasible { cluster, berth } => say!(
            "nodes that pass: {cluster} in the cluster, {berth} in Berth",
            cluster = number(*cluster),
            berth = number(*berth)
        ),
        What::Score {
            plugin,
            node,
            cluster,
            berth,
        } => say!(
            "score of {plugin} on {node}: {cluster} in the cluster, {berth} in Berth",
            cluster = points(*cluster),
            berth = points(*berth)
        ),
        What::Total {
            node,
            cluster,
            berth,
        } => say!(
            "total of {node}: {cluster} in the cluster, {berth} in Berth",
            berth = points(*berth)
        ),
        What::Sum { node, sum, total } => {
            say!("the log does not add up: the scores of {node} make {sum}, its total is {total}")
        }
        What::Preemption { cluster, berth } => say!(
            "preempted: {cluster} in the cluster, {berth} in Berth",
            cluster = room(cluster.as_ref()),
            berth = room(berth.as_ref())
        ),
        What::Nomination { cluster, berth } => say!(
            "nominated node: {cluster} in the cluster, {berth} in Berth",
            cluster = or_none(cluster.as_deref()),
            berth = or_none(berth.as_deref())
        ),
        What::Sources {
            file,
            node,
            attempts,
            verdict,
        } => {
            let values = (or_waits(node.as_deref()), or_waits(attempts.as_deref()));
            let sentence = sources(*file, &values.0, &values.1);
            with_verdict(sentence, &values.0, verdict.as_ref())
        }
        What::Given { case, cluster } => say!(
            "on {case} in the case, on {cluster} in the cluster",
            cluster = or_none(cluster.as_deref())
        ),
        What::NeverTried => {
            text!("the cluster never tried it, and nothing in the case holds it back").to_owned()
        }
        What::NotWaiting => text!("the cluster tried it; in the case it does not wait").to_owned(),
        What::NotInCase => text!("not in the case").to_owned(),
        What::NotInCluster => {
            text!("in the case and not in the cluster, and no preemption says why").to_owned()
        }
        What::Node { .. }
        | What::Waits { .. }
        | What::Message { .. }
        | What::Event { .. }
        | What::Condition { .. }
        | What::HeldBack { .. } => String::new(),
    }
}

fn sources(file: File, node: &str, attempts: &str) -> String {
    match file {
        File::Pods => {
            say!(
                "the cluster's files contradict each other: {node} by the Pods, {attempts} by the attempts"
            )
        }
        File::Events => {
            say!(
                "the cluster's files contradict each other: {node} by the events, {attempts} by the log"
            )
        }
    }
}

fn points(points: Option<i64>) -> String {
    points.map_or_else(|| NONE.to_owned(), |points| points.to_string())
}

fn or_none(node: Option<&str>) -> String {
    node.map_or_else(|| NONE.to_owned(), str::to_owned)
}

/// The node, or that the Pod waits.
pub fn or_waits(node: Option<&str>) -> String {
    node.map_or_else(|| WAITS.to_owned(), str::to_owned)
}

fn room(room: Option<&Room>) -> String {
    let Some(Room { node, victims }) = room else {
        return NONE.to_owned();
    };
    let victims: Vec<&str> = victims.iter().map(|pod| short(pod)).collect();
    say!("{victims} on {node}", victims = victims.join(comma()))
}
