//! Text about a fork: what was changed, and how it comes out.

use std::collections::BTreeMap;

use berth_words::{counted, say, text};

use super::language::comma;
use super::{Text, after_attempt};
use berth_protocol::drain::DrainPlan;
use berth_protocol::edit::ObjectRef;
use berth_protocol::frame::{ForkChange, ForkFrame};

/// Shown with a fork in a lesson.
pub const FORK_IN_LESSON: Text =
    text!("The lesson's goals look at this fork as it is: you need not keep it.");
pub const FORK_KEPT: Text = text!("The fork is kept: its changes are now part of the scenario.");
pub const FORK: Text = text!("Fork");
pub const FORKED_HERE: Text = text!("The fork begins here");
pub const BACK_TO_FIRST: Text = text!("Back to the first run");
pub const KEEP_FORK: Text = text!("Keep this fork");
pub const CHANGES: Text = text!("Changes");
pub const DIFFERENTLY: Text = text!("What changes");
pub const FIRST_RUN: Text = text!("First run");
pub const THE_FIRST_RUN: Text = text!("first run");
pub const THIS_FORK: Text = text!("This fork");
pub const SCHEDULED: Text = text!("Scheduled");
pub const WAITING: Text = text!("waiting");
pub const GONE: Text = text!("not there");
/// The first line of what a change comes to: `29 more Pods wait:`.
pub fn more_wait(pods: usize) -> String {
    counted!(pods, "{pods} more Pod waits:", "{pods} more Pods wait:")
}

/// Pods of DaemonSets and static Pods, folded.
pub fn gone_with_nodes(pods: usize) -> String {
    counted!(
        pods,
        "{pods} Pod of a DaemonSet or static Pod is gone with its node.",
        "{pods} Pods of DaemonSets and static Pods are gone with their nodes."
    )
}

pub const NONE_ELSEWHERE: Text = text!("No Pod lands elsewhere.");
pub const NOT_TRIED: Text = text!("Not tried yet.");
pub const NO_CHANGE_LEFT: Text = text!("Nothing differs from the first run any more.");
/// Why a command in a list of changes has no undo of its own.
pub const NOT_ALONE: Text = text!("not alone");
pub const NOT_ALONE_MEANS: Text = text!(
    "A command of the terminal follows it and builds on it. Undo takes back what was done last."
);

/// Maximum length of a value in characters.
const VALUE: usize = 60;

/// A change in three parts: what is changed, its name, and how.
#[derive(Debug, PartialEq, Eq)]
pub struct Phrase {
    pub what: String,
    pub name: String,
    pub how: String,
}

/// `attempts`: the number of those before the fork.
pub fn forked(attempts: usize) -> String {
    say!(
        "You changed the past {place}, so this is a fork; the first run is kept beside it.",
        place = after_attempt(attempts)
    )
}

/// How the fork comes out, as the end of a sentence.
fn outcome(fork: &ForkFrame) -> String {
    match (fork.tried, fork.different) {
        (false, _) => text!("not tried yet").to_owned(),
        (true, 0) => text!("no Pod lands elsewhere").to_owned(),
        (true, different) => counted!(
            different,
            "{different} Pod lands elsewhere",
            "{different} Pods land elsewhere"
        ),
    }
}

/// `attempts`: the number of those before the fork.
pub fn fork(fork: &ForkFrame, attempts: usize) -> String {
    say!(
        "Fork {place}: {outcome}",
        place = after_attempt(attempts),
        outcome = outcome(fork)
    )
}

pub fn undo_change(phrase: &Phrase) -> String {
    say!("Undo: {change}", change = joined(phrase))
}

/// The button that takes a change back.
pub fn undo(what: Option<&ForkChange>) -> String {
    match what {
        Some(what) => say!("Undo: {change}", change = change_in_words(what)),
        None => super::UNDO.to_owned(),
    }
}

/// The button that makes it again.
pub fn redo(what: Option<&ForkChange>) -> String {
    match what {
        Some(what) => say!("Redo: {change}", change = change_in_words(what)),
        None => super::REDO.to_owned(),
    }
}

/// What a change quotes, an object's name or a command: the part of [`change_in_words`] that is in no language. A first
/// visit does not run it.
#[inline(never)]
pub fn quoted_by(one: &ForkChange) -> String {
    change(one).name
}

/// A change in one line: `Cordon node-a1`.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn change_in_words(one: &ForkChange) -> String {
    joined(&change(one))
}

fn joined(phrase: &Phrase) -> String {
    let text = format!("{} {}{}", phrase.what, phrase.name, phrase.how);
    text.trim_start().to_owned()
}

pub fn change(change: &ForkChange) -> Phrase {
    match change {
        ForkChange::Created { object } => phrase(object, format!(" {}", text!("added"))),
        ForkChange::Deleted { object } => phrase(object, format!(" {}", text!("deleted"))),
        ForkChange::Command { line } => Phrase {
            what: String::new(),
            name: value(line),
            how: String::new(),
        },
        ForkChange::Drained { plan } => Phrase {
            what: super::DRAIN.get().to_owned(),
            name: plan.node.clone(),
            how: say!(": {evicted}", evicted = evicted(plan)),
        },
        ForkChange::ZoneLost { zone, nodes, pods } => Phrase {
            what: text!("Lose").to_owned(),
            name: zone.value.clone(),
            how: say!(
                ": {nodes} with {pods}",
                nodes = super::nodes(nodes.len()),
                pods = super::pods(*pods)
            ),
        },
        ForkChange::NodesAdded { like, nodes } => Phrase {
            what: text!("Add").to_owned(),
            name: super::nodes(nodes.len()),
            how: say!(" like {like}: {nodes}", nodes = nodes.join(comma())),
        },
        ForkChange::Seed { before, after } => Phrase {
            what: text!("Seed").to_owned(),
            name: after.to_string(),
            how: format!(" {}", say!("instead of {before}")),
        },
        ForkChange::Release { before, after } => Phrase {
            what: "Kubernetes".to_owned(),
            name: after.clone(),
            how: format!(" {}", say!("instead of {before}")),
        },
        ForkChange::Field {
            object,
            path,
            before,
            after,
        } => field(object, path, (before.as_deref(), after.as_deref())),
    }
}

fn field(object: &ObjectRef, path: &str, (before, after): (Option<&str>, Option<&str>)) -> Phrase {
    if let Some(cordoned) = cordons(object, path, before, after) {
        let what = if cordoned {
            super::CORDON
        } else {
            super::UNCORDON
        };
        return Phrase {
            what: what.to_owned(),
            name: object.name.clone(),
            how: String::new(),
        };
    }
    let how = match (before, after) {
        (None, Some(after)) => say!(": {path} set to {after}", after = value(after)),
        (Some(before), None) => {
            say!(": {path} removed; it was {before}", before = value(before))
        }
        (before, after) => {
            let value = |json: Option<&str>| value(json.unwrap_or_default());
            say!(
                ": {path} from {before} to {after}",
                before = value(before),
                after = value(after)
            )
        }
    };
    phrase(object, how)
}

/// The scheduler's configuration has no name.
fn phrase(object: &ObjectRef, how: String) -> Phrase {
    let (what, name) = match object.name.as_str() {
        "" => ("", &object.kind),
        _ => (object.kind.as_str(), &object.name),
    };
    Phrase {
        what: what.to_owned(),
        name: name.clone(),
        how,
    }
}

/// How many Pods a drain evicts, and what becomes of them.
fn evicted(plan: &DrainPlan) -> String {
    let (replaced, lost) = (plan.replaced.len(), plan.lost.len());
    let parts = [
        (replaced, say!("{replaced} replaced")),
        (lost, say!("{lost} lost")),
        (
            plan.blocked.len(),
            say!("{blocked} blocked for now", blocked = plan.blocked.len()),
        ),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(_, part)| part).collect();
    let evicted = counted!(
        pods = replaced + lost,
        "{pods} Pod evicted",
        "{pods} Pods evicted"
    );
    if parts.is_empty() {
        return evicted;
    }
    say!("{evicted} ({parts})", parts = parts.join(comma()))
}

/// Whether a change cordons a node (`true`) or uncordons it.
fn cordons(
    object: &ObjectRef,
    path: &str,
    before: Option<&str>,
    after: Option<&str>,
) -> Option<bool> {
    let is_cordon = object.kind == "Node" && path == "spec.unschedulable";
    let [before, after] = [before, after].map(|json| json == Some("true"));
    (is_cordon && before != after).then_some(after)
}

/// A value of a field; strings without quotes, taints as kubectl writes them.
fn value(json: &str) -> String {
    let text = serde_json::from_str::<String>(json).ok();
    let text = text.or_else(|| taints(json)).or_else(|| named(json));
    let text = text.unwrap_or_else(|| json.to_owned());
    if text.chars().count() <= VALUE {
        return text;
    }
    text.chars().take(VALUE).chain(['…']).collect()
}

/// A list of taints; `None` if it is another value.
fn taints(json: &str) -> Option<String> {
    let list = serde_json::from_str::<Vec<BTreeMap<String, String>>>(json).ok()?;
    let texts: Option<Vec<String>> = list
        .iter()
        .map(|taint| {
            let value = taint.get("value").map_or("", String::as_str);
            Some(berth_protocol::fact::taint(
                taint.get("key")?,
                value,
                taint.get("effect")?,
            ))
        })
        .collect();
    texts.map(|texts| texts.join(comma()))
}

/// A list of objects with names, such as arguments of plugins: each with the words that it holds; `None` if it is another
/// value.
fn named(json: &str) -> Option<String> {
    let list = serde_json::from_str::<Vec<serde_json::Value>>(json).ok()?;
    let texts: Option<Vec<String>> = list
        .iter()
        .map(|item| {
            let name = item.get("name")?.as_str()?;
            let mut words = Vec::new();
            collect_words(
                item.get("args").unwrap_or(&serde_json::Value::Null),
                &mut words,
            );
            Some(match words.is_empty() {
                true => name.to_owned(),
                false => format!("{name} ({})", words.join(comma())),
            })
        })
        .collect();
    texts
        .filter(|texts| !texts.is_empty())
        .map(|texts| texts.join(comma()))
}

/// The strings in a value, but those that say what it is.
fn collect_words<'v>(value: &'v serde_json::Value, words: &mut Vec<&'v str>) {
    match value {
        serde_json::Value::String(word) => words.push(word),
        serde_json::Value::Array(items) => items.iter().for_each(|it| collect_words(it, words)),
        serde_json::Value::Object(fields) => {
            let own = fields.iter();
            let own = own.filter(|(key, _)| !matches!(key.as_str(), "apiVersion" | "kind"));
            own.for_each(|(_, it)| collect_words(it, words));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Phrase, change, fork};
    use berth_protocol::drain::{DrainPlan, Evicted};
    use berth_protocol::edit::ObjectRef;
    use berth_protocol::frame::{ForkChange, ForkFrame};
    use berth_protocol::gesture::Label;

    fn field(kind: &str, path: &str, before: Option<&str>, after: Option<&str>) -> String {
        let object = ObjectRef::new(kind, "", "it");
        let Phrase { what, name, how } = change(&ForkChange::Field {
            object,
            path: path.into(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        });
        format!("{what} {name}{how}")
    }

    #[test]
    fn what_has_no_name_is_named_by_its_kind() {
        let object = ObjectRef::new("KubeSchedulerConfiguration", "", "");
        let phrase = change(&ForkChange::Created { object });
        assert_eq!(phrase.what, "");
        assert_eq!(
            super::undo_change(&phrase),
            "Undo: KubeSchedulerConfiguration added"
        );
    }

    #[test]
    fn a_change_is_named_by_its_field() {
        assert_eq!(
            field("Node", "spec.unschedulable", Some("true"), None),
            "Uncordon it"
        );
        let taints = r#"[{"effect":"NoSchedule","key":"a.b/c","timeAdded":"t"},{"effect":"NoExecute","key":"d","value":"e"}]"#;
        assert_eq!(
            field("Node", "spec.taints", Some(taints), None),
            "Node it: spec.taints removed; it was a.b/c:NoSchedule, d=e:NoExecute"
        );
        assert_eq!(
            field("Node", "spec.unschedulable", Some("false"), Some("true")),
            "Cordon it"
        );
        let config = r#"[{"name":"NodeResourcesFit","args":{"kind":"NodeResourcesFitArgs","scoringStrategy":{"type":"MostAllocated"}}}]"#;
        assert_eq!(
            field("Scheduler", "profiles[0].pluginConfig", None, Some(config)),
            "Scheduler it: profiles[0].pluginConfig set to NodeResourcesFit (MostAllocated)"
        );
        let other = Some(r#"{"unschedulable":true}"#);
        assert_eq!(
            field("Pod", "spec", None, other),
            r#"Pod it: spec set to {"unschedulable":true}"#
        );
        let effect = "spec.taints[0].effect";
        assert_eq!(
            field(
                "Node",
                effect,
                Some("\"NoSchedule\""),
                Some("\"PreferNoSchedule\"")
            ),
            "Node it: spec.taints[0].effect from NoSchedule to PreferNoSchedule"
        );
        assert_eq!(
            field("Deployment", "spec.replicas", Some("2"), None),
            "Deployment it: spec.replicas removed; it was 2"
        );
        let long = format!("\"{}\"", "é".repeat(100));
        assert!(field("Pod", "a", None, Some(&long)).ends_with("é…"));
    }

    #[test]
    fn what_was_asked_is_listed_whole() {
        let text = |asked: &ForkChange| {
            let Phrase { what, name, how } = change(asked);
            format!("{what} {name}{how}")
        };
        let evicted = |pod: &str| Evicted {
            pod: pod.into(),
            owner: "ReplicaSet/web".into(),
        };
        let plan = DrainPlan {
            node: "worker-1".into(),
            replaced: vec![evicted("a"), evicted("b")],
            lost: vec!["alone".into()],
            ..DrainPlan::default()
        };
        assert_eq!(
            text(&ForkChange::Drained { plan }),
            "Drain worker-1: 3 Pods evicted (2 replaced, 1 lost)"
        );
        let zone = Label {
            key: "zone".into(),
            value: "zone-b".into(),
        };
        let nodes = vec!["b1".to_owned(), "b2".to_owned()];
        let lost = ForkChange::ZoneLost {
            zone,
            nodes: nodes.clone(),
            pods: 1,
        };
        assert_eq!(text(&lost), "Lose zone-b: 2 nodes with 1 Pod");
        let like = "b0".to_owned();
        assert_eq!(
            text(&ForkChange::NodesAdded { like, nodes }),
            "Add 2 nodes like b0: b1, b2"
        );
    }

    #[test]
    fn only_what_was_tried_is_listed() {
        let mut frame = ForkFrame::default();
        assert_eq!(fork(&frame, 5), "Fork after attempt 5: not tried yet");
        frame.tried = true;
        assert_eq!(
            fork(&frame, 5),
            "Fork after attempt 5: no Pod lands elsewhere"
        );
        frame.different = 2;
        assert_eq!(
            fork(&frame, 0),
            "Fork from the beginning: 2 Pods land elsewhere"
        );
    }
}
