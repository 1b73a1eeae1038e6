//! Text around the explanation: steps, forms, forks, dialogs.

use berth_words::{counted, say, text};

use super::Text;
use crate::scene::progress::{Point, Stop};
use berth_protocol::cycle::Cycle;
use berth_protocol::fix::Fix;

pub const PANELS: Text = text!("Panels");
pub const UNDO: Text = text!("Undo");
pub const REDO: Text = text!("Redo");
pub const GO_TO: Text = text!("Go to");
pub const DOCUMENTS: Text = text!("Documents");
pub const PLAY: Text = text!("Play");
pub const STEP_BY: Text = text!("Step");
pub const POD: Text = text!("Pod");
pub const EXTENSION_POINT: Text = text!("Extension point");
pub const POINT: Text = text!("Point");
pub const PLUGIN: Text = text!("Plugin");
pub const SPEED: Text = text!("Speed: steps a second");
pub const BACK_TO_LATEST: Text = text!("Back to latest");
pub const EXAMPLES: Text = text!("Examples");
pub const NEW: Text = text!("New");
pub const OPEN_FILES: Text = text!("Open");
pub const EXPORT: Text = text!("Export");
pub const PRESENTATION: Text = text!("Presentation size");
pub const MENU: Text = text!("Menu");
pub const HELP: Text = text!("Keys and help");
pub const FOLD_RULER: Text = text!("Fold the ruler");
pub const UNFOLD_RULER: Text = text!("Unfold the ruler");
pub const ABOUT: Text = text!("About this scenario");
pub const CLOSE: Text = text!("Close");
pub const LOADING: Text = text!("One moment.");
pub const OPENING: Text = text!("This is kube-scheduler, placing Pods one by one.");
pub const PRESS: Text = text!("Press");
pub const TO_PLACE_THE_NEXT: Text =
    text!("to place the next, choose a Pod to see why it is there, or");
/// [`PRESS`] where there are no keys.
pub const TAP: Text = text!("Tap");
/// Number of lessons of the course, whose list a first visit does not fetch.
const LESSONS: usize = 30;
/// The end of the first sentence, a link to the course.
pub fn learn_it() -> String {
    say!("learn it in {lessons} short lessons", lessons = LESSONS)
}
pub const NO_EXAMPLES: Text =
    text!("The list of examples could not be fetched: check the connection, then open it again.");
pub const NO_EXAMPLE: Text =
    text!("This example could not be fetched: check the connection, then try again.");
pub const FILTER_EXAMPLES: Text = text!("Filter: a question, a message, a plugin, a release");
pub const NO_SUCH_EXAMPLE: Text = text!("No example has all these words.");
pub const GALLERY_TITLE: Text = text!("See why a Pod lands where it lands");
pub const EDIT_TITLE: Text = text!("Edit the title in the manifests");
pub const DECIDES: Text =
    text!("Each picture shows the end of a run. The blue outline marks the node that decides.");
/// The default release, before the engine names the one that is followed.
pub const DEFAULT_RELEASE: &str = "1.36";
/// `release`: the minor version that is followed; empty until the engine answers.
pub fn gallery_lead(release: &str) -> String {
    let release = if release.is_empty() {
        DEFAULT_RELEASE
    } else {
        release
    };
    say!(
        "Berth makes kube-scheduler {release}'s decisions in this tab: the same verdicts, scores and messages. Draw a cluster or paste one, then step through every choice. Nothing leaves the page."
    )
}

pub const PASTE_CLUSTER: Text = text!("Paste a cluster");
pub const PASTE_HERE: Text = text!("Paste manifests, or the output of");
pub const PASTE_DEVICES: Text = text!("With devices (DRA), also the output of");
pub const START_EMPTY: Text = text!("Start empty");
pub const PRIVATE: Text =
    text!("Everything happens in this browser. Nothing that you paste leaves it.");

pub const THIRD_PARTY: Text = text!("Notices and licenses of the code in Berth that others wrote");

/// Where the visit is kept: below the manifests, near the place to paste.
pub const STAYS_HERE: Text = text!("What you paste stays in this browser.");
pub const MANIFESTS_STAY: Text =
    text!("There are too many changes to keep: a reload restores the manifests alone.");
pub const NO_ROOM: Text = text!(
    "This browser has no more room for Berth, so a reload loses this visit. Export it as a file, or forget what is kept."
);
pub const KEEPING_REFUSED: Text = text!(
    "This browser keeps nothing for Berth (a private window, or site data is blocked), so a reload loses this visit. Export it as a file."
);
pub const KEEPING_UNFETCHED: Text = text!(
    "Berth could not fetch the part of itself that stores this visit, so until the connection is back a reload loses it."
);
pub const FRAME_KEEPS_NOTHING: Text = text!("What you paste stays in this frame, and is not kept.");
pub const ENGINE_INLINE: Text = text!(
    "The engine could not start beside the page and runs in it: the page pauses while it computes. Reloading may help."
);
pub const ENGINE_SILENT: Text = text!(
    "The engine has not answered for half a minute. It may still be computing: wait, or reload to go back to what it had done."
);
/// `why`: the browser's message; empty if it gave none.
pub fn engine_stopped(why: &str) -> String {
    if why.is_empty() {
        return text!("The engine has stopped. Reloading restores what it had done.").to_string();
    }
    say!("The engine has stopped ({why}). Reloading restores what it had done.")
}

/// The button below the manifests, and the title of its dialog.
pub const FORGET_IT: Text = text!("Forget it…");
pub const KEPT_HERE: Text = text!("What this browser keeps");
pub const KEPT_WHAT: Text = text!(
    "A reload restores the manifests, the run with its changes, and the terminal, for each open tab and for a few tabs that were closed. A private window forgets them when it is closed."
);
pub const KEPT_SHARED: Text = text!(
    "Other pages of this address can read it, and whoever uses this browser. Forget removes the visits of this tab and of all closed ones, with the terminal's history, and begins anew. Settings and progress in lessons stay."
);
pub const FORGET: Text = text!("Forget");

/// The button that writes the field that was meant instead of a misspelt one.
pub fn use_field(field: &str) -> String {
    say!("Use {field}")
}

/// Problems that only follow from another one.
pub fn consequences(count: usize) -> String {
    counted!(
        count,
        "{count} problem follows from it",
        "{count} problems follow from it"
    )
}

/// A kind that is read although scheduling does not depend on it.
pub fn ignored(kind: &str, count: usize) -> String {
    say!("{count} × {kind}: read; scheduling does not depend on it")
}

/// The manifests of an empty cluster.
pub fn empty_scenario() -> String {
    let title = text!("New scenario");
    format!("apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: {title}\n")
}

pub const KEYS: [(&str, Text); 31] = [
    ("Space", text!("play or pause")),
    ("← →", text!("step back, forward")),
    ("Home End", text!("to the start, run to the end")),
    ("1 2 3", text!("step by Pod, extension point, plugin")),
    (
        "F6 Shift+F6",
        text!("to the next, the previous region of the page"),
    ),
    ("/", text!("find a node or a Pod")),
    (
        "E",
        text!("explain the Pod, or why the explained Pod did not go to the node"),
    ),
    ("A", text!("add to the cluster")),
    ("B", text!("compare two runs: choose A and B")),
    (
        "Enter",
        text!("on a node: to its Pods and its Edit button, arrows between them, Esc back"),
    ),
    ("X", text!("on the stage: select or deselect the node")),
    (
        "C",
        text!("cordon or uncordon the node, or the selected nodes"),
    ),
    (
        "D",
        text!("drain the node: first what would happen to its Pods, then the button that does it"),
    ),
    (
        "M",
        text!(
            "pick up the node, or the selected nodes: arrows choose a zone, Enter drops, Esc puts back"
        ),
    ),
    (
        "Delete",
        text!("delete the node, the Pod, or the selected nodes"),
    ),
    ("[ ]", text!("fold or unfold Sources, Explain")),
    (
        "P",
        text!("presentation size: everything larger, for a room"),
    ),
    (
        "PageDown PageUp",
        text!("in presentation size: the next step of the run or the lesson, and back"),
    ),
    (
        "N",
        text!("in presentation size: the trainer's notes in a second window"),
    ),
    (
        "L",
        text!("in presentation size: while held, a ring follows the pointer"),
    ),
    ("Ctrl+Z Ctrl+Shift+Z", text!("undo, redo")),
    ("Esc", text!("close, stop long work, or deselect")),
    ("?", text!("these keys")),
    (
        "Enter",
        text!("in the terminal: run the line; several that are pasted run one after the other"),
    ),
    ("↑ ↓", text!("in the terminal: earlier lines, later ones")),
    ("Tab", text!("in the terminal: complete the word")),
    (
        "Ctrl+C",
        text!("in the terminal: cancel the line, or interrupt the command"),
    ),
    ("Ctrl+L", text!("in the terminal: clear")),
    ("Ctrl+F", text!("in the editor: search")),
    ("Ctrl+Space", text!("in the editor: complete")),
    ("Esc Tab", text!("one after the other: leave the editor")),
];
/// The setting that WCAG 2.1.4 asks for.
pub const SINGLE_KEYS: Text = text!("Shortcuts of a single letter, digit or sign");
pub const FIND: Text = text!("Find");
pub const FIND_WHAT: Text = text!("Name of a node or a Pod");
pub const NOTHING_FOUND: Text = text!("No node or Pod has that in its name.");
pub const CARRY_KEYS: Text = text!("Arrows choose, Enter drops, Esc puts back.");
pub const ADD: Text = text!("Add");
pub const ADD_TITLE: Text = text!("Add to the cluster");
pub const CORDON: Text = text!("Cordon");
pub const UNCORDON: Text = text!("Uncordon");
pub const DELETE: Text = text!("Delete");
pub const EDIT: Text = text!("Edit");
pub const REMOVE: Text = text!("Remove");
pub const LABELS: Text = text!("Labels");
pub const TAINTS: Text = text!("Taints");
pub const ALLOCATABLE: Text = text!("Allocatable");
pub const NEW_LABEL: Text = text!("New label");
pub const NEW_TAINT: Text = text!("New taint");

pub const EFFECT: Text = text!("Effect");
pub const NODES: Text = text!("Nodes");
pub const PODS: Text = text!("Pods");
pub const MORE_RESOURCES: Text = text!("other resources, name=amount");
pub const NAME: Text = text!("name");
pub const REPLICAS: Text = text!("replicas");
pub const KIND: Text = text!("Kind");
pub const MORE_KNOBS: Text = text!("Placement");
pub const NODE_SELECTOR: Text = text!("nodeSelector, key=value");
pub const TOLERATIONS: Text = text!("tolerations, key=value:Effect");
pub const APART: Text = text!("replicas apart, by node");
pub const NEAR: Text = text!("together with Pods, key=value");
pub const PRIORITY_CLASS: &str = "priorityClassName";
pub const NO: Text = text!("no");
pub const PREFERRED: Text = text!("preferred");
pub const REQUIRED: Text = text!("required");
pub const SELECTION: Text = text!("Selected nodes");
pub const YAML_FOLLOWS: Text = text!("The manifests follow every change. Drag a node to move it.");
pub const FIXES: Text = text!("Fixes");
pub const LOOKING: Text = text!("searching");
pub const NO_FIX: Text = text!("No single change was found that lets this Pod schedule.");
pub const FIXES_UNAVAILABLE: Text = text!(
    "The search for fixes could not be fetched. It is tried again with the next explanation."
);
pub const TRY_ON_FORK: Text = text!("Try on a fork");

pub fn at_stop(cycle: &Cycle, stop: &Stop) -> String {
    let plugin = |names: &mut dyn Iterator<Item = &str>| {
        stop.plugin
            .and_then(|at| names.nth(at))
            .map(str::to_owned)
            .unwrap_or_default()
    };
    match stop.point {
        Point::Filter => {
            let name = plugin(&mut cycle.filter_plugins.iter().map(String::as_str));
            say!("Filter, {name}")
        }
        Point::Score => {
            let mut names = cycle
                .score_plugins
                .iter()
                .map(|scored| scored.plugin.as_str());
            say!("Score, {name}", name = plugin(&mut names))
        }
        point => point.name().to_owned(),
    }
}

/// A template of nodes: its name and its size.
pub fn template(name: &str) -> (&'static str, &'static str) {
    let (name, size) = match name {
        "large" => (text!("Large node"), "16 CPU · 64 GiB"),
        "gpu" => (text!("GPU node"), "8 CPU · 64 GiB · 1 GPU"),
        "devices" => (
            text!("Node with devices"),
            text!("16 CPU · 128 GiB · 4 GPUs").get(),
        ),
        "control-plane" => (
            text!("Control plane"),
            text!("4 CPU · 8 GiB · tainted").get(),
        ),
        "custom" => (text!("Custom size"), ""),
        _ => (text!("General node"), "4 CPU · 16 GiB"),
    };
    (name.get(), size)
}

pub fn value_of(key: &str) -> String {
    say!("Value of {key}")
}

pub fn remove(what: &str) -> String {
    say!("Remove {what}")
}

/// A Pod that got a node.
pub fn bound(pod: &str, node: &str) -> String {
    say!("{what} to {to}", what = pod, to = node)
}

pub fn fits_nowhere(pod: &str) -> String {
    say!("{pod} fits nowhere")
}

/// A Pod that preempts others.
pub fn makes_room(pod: &str, node: &str) -> String {
    say!("{pod} makes room on {node}")
}

/// How many nodes of a template to add.
pub fn how_many(template: &str) -> String {
    say!("{template}: how many")
}

pub fn fewer(template: &str) -> String {
    say!("{template}: one fewer")
}

pub fn another(template: &str) -> String {
    say!("{template}: one more")
}

pub fn add_one(template: &str) -> String {
    say!("Add: {template}")
}

pub const DRAG_TO_ZONE: Text = text!("Drag a row onto a zone, or press Add.");

/// What a drop would do, in two lines: `Drop to move node-a2 here` and `zone=us-east-1b`.
pub fn drop_here(nodes: &[String], key: &str, value: Option<&str>) -> String {
    let what = match nodes {
        [] => text!("Drop to add here").to_owned(),
        [node] => say!("Drop to move {node} here"),
        nodes => say!(
            "Drop to move {nodes} here",
            nodes = super::nodes(nodes.len())
        ),
    };
    let key = short_key(key);
    match value {
        Some(value) => format!("{what}\n{key}={value}"),
        None => format!("{what}\n{}", say!("without the label {key}")),
    }
}

/// The label of the button that folds a panel.
pub fn fold(panel: &str) -> String {
    say!("Fold {panel}")
}

pub fn unfold(panel: &str) -> String {
    say!("Unfold {panel}")
}

/// How to move the edge between a panel and the stage.
pub const EDGE_KEYS: Text =
    text!("Drag it, or use the arrows. A double click or Esc puts it back, Enter folds the panel.");

/// The label of the edge between a panel and the stage.
pub fn width_of(panel: &str) -> String {
    say!("Width of {panel}")
}

/// The line that opens a hint.
pub fn hint(number: usize, all: usize) -> String {
    say!("Hint {number} of {all}")
}

/// The number of documents, and how many are listed if not all are. `cut`: there may be more than were counted.
pub fn documents(number: usize, listed: usize, cut: bool) -> String {
    if cut {
        say!("the first {listed}")
    } else if number > listed {
        say!("first {listed} of {all}", all = super::number(number))
    } else {
        all_documents(number)
    }
}

/// `14 documents`.
pub fn all_documents(documents: usize) -> String {
    counted!(documents, "{documents} document", "{documents} documents")
}

/// Nodes carried by keyboard: `node-a1 to zone-b`.
pub fn carried(nodes: &[String], to: &str) -> String {
    match nodes {
        [node] => say!("{what} to {to}", what = node),
        nodes => say!("{what} to {to}", what = super::nodes(nodes.len())),
    }
}

/// Explains why a Pod cannot be deleted separately.
pub fn is_owned(pod: &str, owner: &str) -> String {
    let pod = super::short(pod);
    say!("{pod} is made by {owner}: change its replicas, or delete it.")
}

pub fn edit_node(name: &str) -> String {
    say!("Edit {title}", title = name)
}

pub fn move_to(key: &str) -> String {
    say!("Move to {key}")
}

pub fn spread_over(key: &str) -> String {
    say!("spread over {key}, maxSkew 1")
}

/// What the domains of a topology key are.
pub fn domain(key: &str) -> &str {
    match key {
        "topology.kubernetes.io/zone" => text!("zone").get(),
        "topology.kubernetes.io/region" => text!("region").get(),
        "kubernetes.io/hostname" => text!("hostname").get(),
        _ => short_key(key),
    }
}

/// The same beside other keys. Of those with one name, the key that Kubernetes uses has it alone, and the others say whose
/// they are: `zone (failure-domain.beta.kubernetes.io)`.
pub fn domain_among(key: &str, keys: &[String]) -> String {
    let is_shared = |short: &str| {
        let mut alike = keys.iter().filter(|other| short_key(other) == short);
        alike.any(|other| other != key)
    };
    match key.rsplit_once('/') {
        Some((prefix, short)) if prefix != "topology.kubernetes.io" && is_shared(short) => {
            format!("{short} ({prefix})")
        }
        _ => domain(key).to_owned(),
    }
}

pub fn short_key(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

pub fn fixes_found(number: usize) -> String {
    match number {
        0 => super::NONE.to_owned(),
        _ => counted!(
            number,
            "{number} found and tried",
            "{number} found, each tried"
        ),
    }
}

pub fn would_go_to(node: &str) -> String {
    match node {
        "" => text!("It would not be asked for any more.").to_owned(),
        node => say!("It would go to {node}."),
    }
}

/// The same, and which other Pods a fix moves.
pub fn would_do(fix: &Fix) -> String {
    let goes = would_go_to(&fix.node);
    match moves(fix) {
        Some(moves) => goes + super::language::space() + &moves,
        None => goes,
    }
}

/// The other Pods that a fix moves; `None` if it moves none.
pub fn moves(fix: &Fix) -> Option<String> {
    match fix.moves.as_slice() {
        [] => None,
        [moved] => Some(say!(
            "{pod} moves to {node}.",
            pod = super::short(&moved.pod),
            node = moved.node
        )),
        moves => Some(counted!(
            pods = moves.len(),
            "{pods} other Pod moves.",
            "{pods} other Pods move."
        )),
    }
}

/// The size of an example.
pub fn size_of(nodes: usize, pods: usize, waiting: usize) -> String {
    let size = super::size(nodes, pods);
    match waiting {
        0 => size,
        waiting => counted!(waiting, "{size}, {waiting} waits", "{size}, {waiting} wait"),
    }
}

pub fn opening_waits(waiting: usize) -> String {
    counted!(waiting, "{waiting} more waits.", "{waiting} more wait.")
}

pub fn more(number: usize) -> String {
    say!("{number} more")
}

pub fn and_more(number: usize) -> String {
    say!("… and {number} more", number = super::number(number))
}

/// The position of the run after a number of attempts.
pub fn after_attempt(at: usize) -> String {
    match at {
        0 => text!("from the beginning").to_owned(),
        at => say!("after attempt {at}"),
    }
}

#[cfg(test)]
mod tests {
    use super::domain_among;

    #[test]
    fn keys_of_one_name_are_distinguished() {
        let known = "topology.kubernetes.io/zone".to_owned();
        let old = "failure-domain.beta.kubernetes.io/zone".to_owned();
        let keys = [known.clone(), old.clone(), "pool".to_owned()];
        assert_eq!(domain_among(&known, &keys), "zone");
        let of_old = "zone (failure-domain.beta.kubernetes.io)";
        assert_eq!(domain_among(&old, &keys), of_old);
        assert_eq!(domain_among("pool", &keys), "pool");
        assert_eq!(domain_among(&old, std::slice::from_ref(&old)), "zone");
    }
}
