//! Text of what-ifs in which nodes are drained: sentences, and the rows of their tables.

use berth_words::{counted, say, text};

use super::{lost, more_wait};
use crate::words::language::{colon, comma};
use crate::words::{clock, number, short, short_key};
use berth_protocol::what_if::{
    Answer, BlockedPod, Drains, HeldUp, Kept, Loss, Losses, NodeDrain, WhyKept,
};

/// What a drain of these nodes comes to. `labels`: the selectors by which they were named.
pub fn drained(answer: &Answer, nodes: &[String], labels: &[String]) -> String {
    let what = match (labels, nodes) {
        ([label], _) => counted!(
            nodes = nodes.len(),
            "the {nodes} node with {label}",
            "the {nodes} nodes with {label}"
        ),
        (_, [node]) => node.clone(),
        _ => counted!(nodes = nodes.len(), "{nodes} node", "{nodes} nodes"),
    };
    match blocks(answer) {
        Some(blocks) => say!(
            "The drain of {what} blocks: {blocks}. {rest}.",
            rest = rest(answer)
        ),
        None => say!(
            "The drain of {what} takes {time}: {rest}.",
            time = time(answer),
            rest = rest(answer)
        ),
    }
}

/// The drains of each node, or of each group, in one sentence.
pub fn each(drains: &Losses) -> String {
    let all = &drains.losses;
    let harmless = all.iter().filter(|drain| drain.is_harmless()).count();
    let blocks = |drain: &&Loss| {
        let drains = drain.drains.as_ref();
        drains.is_some_and(|it| !it.blocked.is_empty())
    };
    let blocked = all.iter().filter(blocks).count();
    let harmless = match drains.label {
        None => counted!(
            harmless,
            "{harmless} of {all} nodes can be drained without more Pods waiting or being lost",
            "{harmless} of {all} nodes can be drained without more Pods waiting or being lost",
            all = number(all.len())
        ),
        Some(ref label) => say!(
            "The nodes of {harmless} of the {all} values of {label} can be drained without more Pods waiting or being lost",
            harmless = number(harmless),
            all = number(all.len()),
            label = short_key(label)
        ),
    };
    match blocked {
        0 => say!("{harmless}; none blocks."),
        _ => counted!(
            blocked,
            "{harmless}; {blocked} drain blocks.",
            "{harmless}; {blocked} drains block."
        ),
    }
}

/// What replacing the nodes of a pool comes to.
pub fn upgraded(answer: &Answer, pool: &str, nodes: usize) -> String {
    let drains = answer.drains.as_deref();
    let batches = drains.and_then(|it| Some(it.nodes.last()?.batch));
    let what = counted!(
        batches = batches.unwrap_or(0),
        "The upgrade of {pool} ({nodes} nodes, {batches} batch)",
        "The upgrade of {pool} ({nodes} nodes, {batches} batches)",
        nodes = number(nodes)
    );
    match blocks(answer) {
        Some(blocks) => say!("{what} blocks: {blocks}. {rest}.", rest = rest(answer)),
        None => say!(
            "{what} takes {time}: {rest}.",
            time = time(answer),
            rest = rest(answer)
        ),
    }
}

/// How many nodes can go.
pub fn shrunk(answer: &Answer, of: usize) -> String {
    let drains = answer.drains.as_deref();
    let gone = drains.map_or(0, |it| it.nodes.len());
    let can_go = counted!(
        gone,
        "{gone} of {of} nodes can go, the least used first; another order may free more",
        "{gone} of {of} nodes can go, one after the other, the least used first; another order may free more",
        of = number(of)
    );
    let saved = drains.and_then(saved);
    let can_go = match saved {
        Some(saved) => say!("{can_go}. They cost {saved}"),
        None => can_go,
    };
    match gone {
        0 => say!("None of {of} nodes can go.", of = number(of)),
        _ => say!("{can_go}. {rest}.", rest = rest(answer)),
    }
}

/// The sum of prices.
fn saved(drains: &Drains) -> Option<String> {
    let sum = (drains.saved? * 1_000.0).round() / 1_000.0;
    Some(match drains.unpriced.len() {
        0 => sum.to_string(),
        nodes => counted!(
            nodes,
            "{sum} without {nodes} node that has no price",
            "{sum} without {nodes} nodes that have no price"
        ),
    })
}

/// `12 Pods are evicted, no more Pods wait; nothing is lost for good`.
fn rest(answer: &Answer) -> String {
    let drains = answer.drains.iter();
    let nodes = drains.flat_map(|it| &it.nodes);
    let evicted = counted!(
        pods = nodes.map(|it| it.evicted).sum::<usize>(),
        "{pods} Pod is evicted",
        "{pods} Pods are evicted"
    );
    say!(
        "{evicted}, {wait}; {lost}",
        wait = more_wait(answer),
        lost = lost(&answer.lost)
    )
}

fn time(answer: &Answer) -> String {
    let seconds = answer.drains.as_ref().map_or(0, |it| it.seconds);
    clock(seconds.saturating_mul(1_000))
}

/// How many Pods cannot be evicted, and why the first cannot.
fn blocks(answer: &Answer) -> Option<String> {
    let blocked = &answer.drains.as_ref()?.blocked;
    let first = blocked.first()?;
    Some(match blocked.len() {
        1 => say!(
            "Pod {pod} cannot be evicted, {why}",
            pod = short(&first.pod),
            why = why_blocked(first)
        ),
        pods => say!(
            "{pods} Pods cannot be evicted; {pod}, {why}",
            pods = number(pods),
            pod = short(&first.pod),
            why = why_blocked(first)
        ),
    })
}

/// Why a Pod cannot be evicted, and what its budget would need.
pub fn why_blocked(pod: &BlockedPod) -> String {
    match pod.budgets.as_slice() {
        [] if pod.cause.is_empty() => {
            say!("as the kubelet of {node} does not end it", node = pod.node)
        }
        [] => pod.cause.clone(),
        [budget] if pod.needs >= pod.pods => say!(
            "as budget {budget} needs all of its {pods} Pods ready: it has to allow one fewer, or its workload needs one more Pod",
            budget = short(budget),
            pods = pod.pods.to_string()
        ),
        [budget] => say!(
            "as budget {budget} needs {needs} ready Pods and has {healthy}: {missing} more of its {pods} Pods would have to be ready",
            budget = short(budget),
            needs = pod.needs.to_string(),
            healthy = pod.healthy.to_string(),
            missing = (pod.needs.saturating_add(1) - pod.healthy).to_string(),
            pods = pod.pods.to_string()
        ),
        budgets => say!(
            "as the API server evicts no Pod of several budgets: {budgets}",
            budgets = budgets.join(comma())
        ),
    }
}

/// How the drain of a node ended.
pub fn outcome(node: &NodeDrain, of: &Drains) -> String {
    let blocked = of.blocked.iter().filter(|pod| pod.node == node.node);
    let end = match (node.is_drained, blocked.count()) {
        (true, _) => text!("drained").to_owned(),
        (false, pods) => counted!(
            pods,
            "blocks: {pods} Pod cannot be evicted",
            "blocks: {pods} Pods cannot be evicted"
        ),
    };
    let held = node.held.iter().filter(|_| node.is_drained);
    let held = held.map(|HeldUp { budget, seconds }| {
        say!(
            "{budget} refused for {time}",
            budget = short(budget),
            time = clock(seconds.saturating_mul(1_000))
        )
    });
    [end]
        .into_iter()
        .chain(held)
        .collect::<Vec<String>>()
        .join(comma())
}

/// Why a node may not go.
pub fn why_kept(kept: &Kept) -> String {
    match &kept.why {
        WhyKept::ControlPlane => text!("stays: it is of the control plane").to_owned(),
        WhyKept::Lost { pod } => say!("stays: Pod {pod} would be lost for good", pod = short(pod)),
        WhyKept::Blocked { pod, budgets } => match budgets.as_slice() {
            [] => say!("stays: Pod {pod} does not end", pod = short(pod)),
            budgets => say!(
                "stays: {budgets} keeps Pod {pod}",
                budgets = budgets.join(comma()),
                pod = short(pod)
            ),
        },
        WhyKept::Returns { pod } => say!(
            "stays: Pod {pod} tolerates the cordon and comes again to it",
            pod = short(pod)
        ),
        WhyKept::Waits {
            workload,
            pods,
            reason,
        } => {
            let waits = counted!(
                pods = *pods,
                "stays: {pods} more Pod of {workload} would wait",
                "stays: {pods} more Pods of {workload} would wait",
                workload = workload.to_string()
            );
            format!("{waits}{}{reason}", colon())
        }
    }
}

/// Pods of which it is not known what becomes of them.
pub fn unmade(pods: &[String]) -> Option<String> {
    (!pods.is_empty()).then(|| {
        counted!(
            count = pods.len(),
            "{count} evicted Pod has a controller that Berth does not run, so it is not made again here: {pods}.",
            "{count} evicted Pods have controllers that Berth does not run, so they are not made again here: {pods}.",
            pods = super::named(pods)
        )
    })
}

/// What is assumed of time.
pub fn assumed() -> String {
    text!("Assumed: what runs goes on to run, and a new Pod without a readiness probe is ready five seconds after its start.")
        .to_owned()
}
