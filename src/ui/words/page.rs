//! Text around the explanation: steps, forms, forks, dialogs.

use super::count;
use crate::ui::store::progress::{Point, Stop};
use berth_protocol::cycle::Cycle;

pub const PANELS: &str = "Panels";
pub const UNDO: &str = "Undo";
pub const REDO: &str = "Redo";
pub const GO_TO: &str = "Go to";
pub const DOCUMENTS: &str = "Documents";
pub const TOO_LONG_TO_LIST: &str = "too long to list its documents";
pub const PLAY: &str = "Play";
pub const STEP_BY: &str = "Step";
pub const POD: &str = "Pod";
pub const EXTENSION_POINT: &str = "Extension point";
pub const POINT: &str = "Point";
pub const PLUGIN: &str = "Plugin";
pub const SPEED: &str = "Speed: steps a second";
pub const BACK_TO_LATEST: &str = "Back to latest";
pub const EXAMPLES: &str = "Examples";
pub const NEW: &str = "New";
pub const OPEN_FILES: &str = "Open";
pub const EXPORT: &str = "Export";
pub const PRESENTATION: &str = "Presentation size";
pub const HELP: &str = "Keys and help";
pub const FOLD_RULER: &str = "Fold the ruler";
pub const UNFOLD_RULER: &str = "Unfold the ruler";
pub const ABOUT: &str = "About this scenario";
pub const CLOSE: &str = "Close";
pub const LOADING: &str = "One moment.";
pub const OPENING: &str = "This is kube-scheduler, placing Pods one by one.";
pub const PRESS: &str = "Press";
pub const TO_PLACE_THE_NEXT: &str = "to place the next, or choose a Pod to see why it is there.";
pub const NO_EXAMPLES: &str =
    "The list of examples could not be fetched: check the connection, then open it again.";
pub const NO_EXAMPLE: &str =
    "This example could not be fetched: check the connection, then try again.";
pub const GALLERY_TITLE: &str = "See why a Pod lands where it lands";
pub const GALLERY_LEAD: &str = "Berth makes kube-scheduler 1.34's decisions in this tab: the same verdicts, scores and messages. Draw a cluster or paste one, then step through every choice. Nothing leaves the page.";
pub const PASTE_CLUSTER: &str = "Paste a cluster";
pub const PASTE_HERE: &str = "Paste manifests, or the output of";
pub const PASTE_COMMAND: &str = "kubectl get nodes,pods -A -o yaml";
pub const START_EMPTY: &str = "Start empty";
pub const PRIVATE: &str = "Everything happens in this tab. Nothing that you paste leaves it.";
/// Below the manifests, near where one pastes.
pub const STAYS_HERE: &str = "What you paste stays in this tab.";

/// A kind that is read although scheduling does not depend on it.
pub fn ignored(kind: &str, count: usize) -> String {
    format!("{count} × {kind}: read; scheduling does not depend on it")
}

pub const EMPTY_SCENARIO: &str =
    "apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: New scenario\n";
pub const KEYS: [(&str, &str); 26] = [
    ("Space", "play or pause"),
    ("← →", "step back, forward"),
    ("Home End", "to the start, run to the end"),
    ("1 2 3", "step by Pod, extension point, plugin"),
    (
        "F6 Shift+F6",
        "to the next, the previous region of the page",
    ),
    ("/", "find a node or a Pod"),
    (
        "E",
        "explain the Pod, or why the explained Pod did not go to the node",
    ),
    ("A", "add to the cluster"),
    ("X", "on the stage: select or deselect the node"),
    ("C", "cordon or uncordon the node, or the selected nodes"),
    (
        "D",
        "drain the node: first what would happen to its Pods, then the button that does it",
    ),
    (
        "M",
        "pick up the node, or the selected nodes: arrows choose a zone, Enter drops, Esc puts back",
    ),
    ("Delete", "delete the node, the Pod, or the selected nodes"),
    ("[ ]", "fold or unfold Sources, Explain"),
    ("P", "presentation size: everything larger, for a room"),
    ("Ctrl+Z Ctrl+Shift+Z", "undo, redo"),
    ("Esc", "close, or deselect"),
    ("?", "these keys"),
    (
        "Enter",
        "in the terminal: run the line; several that are pasted run one after the other",
    ),
    ("↑ ↓", "in the terminal: earlier lines, later ones"),
    ("Tab", "in the terminal: complete the word"),
    (
        "Ctrl+C",
        "in the terminal: cancel the line, or stop what it waits for",
    ),
    ("Ctrl+L", "in the terminal: clear"),
    ("Ctrl+F", "in the editor: search"),
    ("Ctrl+Space", "in the editor: complete"),
    (
        "Esc Tab",
        "one after the other: out of the editor, once you have typed in it",
    ),
];
pub const FIND: &str = "Find";
pub const FIND_WHAT: &str = "Name of a node or a Pod";
pub const NOTHING_FOUND: &str = "No node and no Pod has that in its name.";
pub const CARRY_KEYS: &str = "Arrows choose, Enter drops, Esc puts back.";
pub const ADD: &str = "Add";
pub const ADD_TITLE: &str = "Add to the cluster";
pub const CORDON: &str = "Cordon";
pub const UNCORDON: &str = "Uncordon";
pub const DELETE: &str = "Delete";
pub const EDIT: &str = "Edit";
pub const REMOVE: &str = "Remove";
pub const LABELS: &str = "Labels";
pub const TAINTS: &str = "Taints";
pub const ALLOCATABLE: &str = "Allocatable";
pub const NEW_LABEL: &str = "New label";
pub const NEW_TAINT: &str = "New taint";
pub const VALUE_OF: &str = "Value of";
pub const EFFECT: &str = "Effect";
pub const NODES: &str = "Nodes";
pub const PODS: &str = "Pods";
pub const MORE_RESOURCES: &str = "other resources, name=amount";
pub const NAME: &str = "name";
pub const REPLICAS: &str = "replicas";
pub const KIND: &str = "Kind";
pub const MORE_KNOBS: &str = "Placement";
pub const NODE_SELECTOR: &str = "nodeSelector, key=value";
pub const TOLERATIONS: &str = "tolerations, key=value:Effect";
pub const APART: &str = "replicas apart, by node";
pub const NEAR: &str = "together with Pods, key=value";
pub const PRIORITY_CLASS: &str = "priorityClassName";
pub const NO: &str = "no";
pub const PREFERRED: &str = "preferred";
pub const REQUIRED: &str = "required";
pub const SELECTION: &str = "Selected nodes";
pub const YAML_FOLLOWS: &str = "The manifests follow every change. Drag a node to move it.";
pub const FIXES: &str = "Smallest fixes";
pub const LOOKING: &str = "searching";
pub const NO_FIX: &str = "No single change was found that lets this Pod schedule.";
pub const FIXES_UNAVAILABLE: &str =
    "The search for fixes could not be fetched. It is tried again with the next explanation.";
pub const TRY_ON_FORK: &str = "Try on a fork";

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
            format!("Filter, {name}")
        }
        Point::Score => {
            let mut names = cycle
                .score_plugins
                .iter()
                .map(|scored| scored.plugin.as_str());
            format!("Score, {}", plugin(&mut names))
        }
        point => point.name().to_owned(),
    }
}

/// A template of nodes: its name and its size.
pub fn template(name: &str) -> (&'static str, &'static str) {
    match name {
        "large" => ("Large node", "16 CPU · 64 GiB"),
        "gpu" => ("GPU node", "8 CPU · 64 GiB · 1 GPU"),
        "control-plane" => ("Control plane", "4 CPU · 8 GiB · tainted"),
        "custom" => ("Custom size", ""),
        _ => ("General node", "4 CPU · 16 GiB"),
    }
}

/// How many nodes of a template to add.
pub fn how_many(template: &str) -> String {
    format!("{template}: how many")
}

pub fn fewer(template: &str) -> String {
    format!("{template}: one fewer")
}

pub fn another(template: &str) -> String {
    format!("{template}: one more")
}

pub fn add_one(template: &str) -> String {
    format!("Add: {template}")
}

pub const DRAG_TO_ZONE: &str = "Drag a row onto a zone, or press Add.";

/// Where dragged nodes would be dropped: `Drop to move node-a2 here, zone=us-east-1b`.
pub fn drop_here(nodes: &[String], key: &str, value: Option<&str>) -> String {
    let what = match nodes {
        [] => "Drop to add here".to_owned(),
        [node] => format!("Drop to move {node} here"),
        nodes => format!("Drop to move {} nodes here", super::number(nodes.len())),
    };
    let key = short_key(key);
    match value {
        Some(value) => format!("{what}, {key}={value}"),
        None => format!("{what}, without the label {key}"),
    }
}

/// The label of the button that folds a panel.
pub fn fold(panel: &str) -> String {
    format!("Fold {panel}")
}

pub fn unfold(panel: &str) -> String {
    format!("Unfold {panel}")
}

/// How to move the edge between a panel and the stage.
pub const EDGE_KEYS: &str =
    "Drag it, or use the arrows. A double click or Esc puts it back, Enter folds the panel.";

/// The label of the edge between a panel and the stage.
pub fn width_of(panel: &str) -> String {
    format!("Width of {panel}")
}

/// The line that opens a hint.
pub fn hint(number: usize, all: usize) -> String {
    format!("Hint {number} of {all}")
}

/// The number of documents, and how many are listed if not all are.
pub fn documents(number: usize, listed: usize) -> String {
    if number > listed {
        format!("first {listed} of {}", super::number(number))
    } else {
        count(number, "document", "documents")
    }
}

/// Nodes carried by keyboard: `node-a1 to zone-b`.
pub fn carried(nodes: &[String], to: &str) -> String {
    match nodes {
        [node] => format!("{node} to {to}"),
        nodes => format!("{} to {to}", count(nodes.len(), "node", "nodes")),
    }
}

/// Explains why a Pod cannot be deleted separately.
pub fn is_owned(pod: &str, owner: &str) -> String {
    let pod = super::short(pod);
    format!("{pod} is made by {owner}: change its replicas, or delete it.")
}

pub fn edit_node(name: &str) -> String {
    format!("Edit {name}")
}

pub fn move_to(key: &str) -> String {
    format!("Move to {key}")
}

pub fn spread_over(key: &str) -> String {
    format!("spread over {key}, maxSkew 1")
}

pub fn short_key(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

pub fn quantity(resource: &str, amount: i64) -> String {
    const UNITS: [(i64, &str); 4] = [
        (1 << 40, "Ti"),
        (1 << 30, "Gi"),
        (1 << 20, "Mi"),
        (1 << 10, "Ki"),
    ];
    match resource {
        "cpu" if amount % 1000 == 0 => (amount / 1000).to_string(),
        "cpu" => format!("{amount}m"),
        "memory" | "ephemeral-storage" => {
            let fits = |(size, _): &&(i64, &str)| amount > 0 && amount % size == 0;
            match UNITS.iter().find(fits) {
                Some((size, unit)) => format!("{}{unit}", amount / size),
                None => amount.to_string(),
            }
        }
        _ => amount.to_string(),
    }
}

pub fn fixes_found(number: usize) -> String {
    match number {
        0 => "none".to_owned(),
        1 => "1 found and tried".to_owned(),
        many => format!("{many} found, each tried"),
    }
}

pub fn would_go_to(node: &str) -> String {
    format!("It would go to {node}.")
}

/// The size of an example.
pub fn size_of(nodes: usize, pods: usize, waiting: usize) -> String {
    let size = format!(
        "{} · {}",
        count(nodes, "node", "nodes"),
        count(pods, "Pod", "Pods")
    );
    match waiting {
        0 => size,
        waiting => format!("{size}, {}", count(waiting, "waits", "wait")),
    }
}

pub fn opening_waits(waiting: usize) -> String {
    count(waiting, "waits", "wait").replacen(' ', " more ", 1) + "."
}

pub fn more(number: usize) -> String {
    format!("{number} more")
}

pub fn and_more(number: usize) -> String {
    format!("… and {} more", super::number(number))
}

pub fn from_position(at: usize) -> String {
    match at {
        0 => "from the beginning".to_owned(),
        at => format!("after attempt {at}"),
    }
}
