//! Text of what-ifs: the sentence of an answer, and the notes of its table.

pub mod drains;
pub mod evictions;

use berth_words::{counted, say, text};

use super::language::comma;
use super::{Text, number, short, short_key};
use berth_protocol::compare::{Summary, ZONE};
use berth_protocol::what_if::{Answer, Count, Losses, Need, NodesLike, OnNode, Question, Workload};

// Headings of columns.
pub const BATCH: Text = text!("Batch");
pub const NODE: Text = text!("Node");
pub const FROM: Text = text!("From");
pub const UNTIL: Text = text!("Until");
pub const EVICTED: Text = text!("Evicted");
pub const OUTCOME: Text = text!("Outcome");
pub const BLOCKED: Text = text!("Blocked");
pub const BUDGET: Text = text!("Budget");
pub const SINCE: Text = text!("Since");
pub const WHY: Text = text!("Why | column");
pub const DRAINED: Text = text!("Drained");
pub const TIME: Text = text!("Time");
pub const BLOCKED_BY: Text = text!("Blocked by");
pub const MORE: Text = text!("More");
pub const AGAIN: Text = text!("Again");
pub const WORKLOAD: Text = text!("Workload");
pub const PLACED: Text = text!("Placed");
pub const BEFORE: Text = text!("Before");
pub const WAIT: Text = text!("Wait");
pub const WHY_OR_WHERE: Text = text!("Why, or where");
pub const POOL_OR_WORKLOAD: Text = text!("Pool, or workload");
pub const LIKE: Text = text!("Like");
pub const NODES: Text = text!("Nodes");
pub const WHY_NONE_HELPS: Text = text!("Why none helps");
pub const LOST: Text = text!("Lost");
pub const FOR_GOOD: Text = text!("For good");
pub const PRIORITY: Text = text!("Priority");
pub const MORE_WAIT_OF: Text = text!("More wait of");

/// Of a workload whose Pods waited before: they have a node now, and are none that came again.
pub const WAITS_NO_MORE: Text = text!("waits no more");

/// Maximum number of names in a sentence; the rest is counted.
const NAMED: usize = 6;
/// Maximum number of nodes that a row names.
const NAMED_NODES: usize = 2;

/// The answer in one sentence.
pub fn sentence(answer: &Answer) -> String {
    let wait = more_wait(answer);
    match &answer.question {
        Some(Question::Lose { nodes, labels }) => say!(
            "If {what}, {wait}; {lost}.",
            what = goes(nodes, labels),
            lost = lost(&answer.lost)
        ),
        Some(Question::Add { like, nodes }) => added(answer, like, nodes.len()),
        Some(Question::Fit { workload, at_most }) => fits(answer, workload, *at_most),
        Some(Question::Anew) => anew(answer, &wait),
        Some(Question::Drain { nodes, labels }) => drains::drained(answer, nodes, labels),
        Some(Question::Upgrade { pool, nodes, .. }) => drains::upgraded(answer, pool, nodes.len()),
        Some(Question::Shrink { nodes, .. }) => drains::shrunk(answer, *nodes),
        Some(Question::Evict { .. }) => match &answer.evictions {
            Some(evictions) => evictions::evicted(answer, evictions),
            None => wait,
        },
        None => wait,
    }
}

/// What is lost.
fn goes(nodes: &[String], labels: &[String]) -> String {
    let zone = |label: &String| {
        let value = label.strip_prefix(ZONE)?.strip_prefix('=')?;
        Some(value.trim_start_matches('=').to_owned())
    };
    match (labels, nodes) {
        ([label], _) => match zone(label) {
            Some(zone) => say!("zone {zone} goes"),
            None => counted!(
                nodes = nodes.len(),
                "the node with {label} goes",
                "the {nodes} nodes with {label} go"
            ),
        },
        (_, [node]) => say!("{node} goes"),
        _ => counted!(nodes = nodes.len(), "{nodes} node goes", "{nodes} nodes go"),
    }
}

/// How many more Pods wait, and the most urgent of them.
fn more_wait(answer: &Answer) -> String {
    let more = answer.more;
    let wait = match (more.is_one(), more.most) {
        (true, 0) => text!("no more Pods wait").to_owned(),
        (true, pods) => counted!(pods, "{pods} more Pod waits", "{pods} more Pods wait"),
        (false, _) => say!(
            "{least} to {most} more Pods wait, by the order in which controllers come, {by_name} in the order of names",
            least = number(more.least),
            most = number(more.most),
            by_name = number(more.by_name)
        ),
    };
    let urgent = answer.urgent.as_ref();
    let wait = match urgent {
        Some(urgent) => wait + &of_priority(&urgent.priority, urgent.pods, more.by_name),
        None => wait,
    };
    match answer.fewer.by_name {
        0 => wait,
        fewer => {
            wait + &counted!(
                fewer,
                ", and {fewer} that waits now does not",
                ", and {fewer} that wait now do not"
            )
        }
    }
}

/// The priority of the most urgent of these Pods; `pods`: how many have it.
pub fn of_priority(priority: &str, pods: usize, of: usize) -> String {
    match of == pods {
        true => say!(", of priority {priority}"),
        false => say!(
            ", {pods} of them of priority {priority}",
            pods = number(pods)
        ),
    }
}

/// What nothing makes again.
pub fn lost(pods: &[String]) -> String {
    match pods {
        [] => text!("nothing is lost for good").to_owned(),
        [pod] => say!("Pod {pod} is lost for good", pod = short(pod)),
        _ => say!(
            "{count} Pods are lost for good: {pods}",
            count = number(pods.len()),
            pods = named(pods)
        ),
    }
}

fn named(pods: &[String]) -> String {
    let shown: Vec<&str> = pods.iter().take(NAMED).map(|pod| short(pod)).collect();
    let shown = shown.join(comma());
    match pods.len().saturating_sub(NAMED) {
        0 => shown,
        more => say!("{shown} and {more} more", more = number(more)),
    }
}

fn added(answer: &Answer, like: &str, nodes: usize) -> String {
    let with = counted!(
        nodes,
        "With {nodes} more node like {like}",
        "With {nodes} more nodes like {like}"
    );
    let placed = match answer.fewer.by_name {
        0 => text!("no waiting Pod is placed").to_owned(),
        pods => counted!(
            pods,
            "{pods} waiting Pod is placed",
            "{pods} waiting Pods are placed"
        ),
    };
    match answer.waiting.by_name {
        0 => say!("{with}, {placed}; none waits any more."),
        pods => counted!(
            pods,
            "{with}, {placed}; {pods} Pod still waits.",
            "{with}, {placed}; {pods} Pods still wait."
        ),
    }
}

fn fits(answer: &Answer, workload: &Workload, at_most: usize) -> String {
    let workload = workload.to_string();
    let pools = answer.pools.iter().map(|of| match of.pool.as_str() {
        "" => number(of.pods),
        pool => say!("{pods} in {pool}", pods = number(of.pods)),
    });
    let pools = pools.collect::<Vec<String>>().join(comma());
    match answer.placed.by_name {
        0 => say!("No more replica of {workload} fits."),
        pods if pods == at_most => counted!(
            pods,
            "{pods} more replica of {workload} fits, and no more was tried: {pools}.",
            "{pods} more replicas of {workload} fit, and no more were tried: {pools}."
        ),
        pods => counted!(
            pods,
            "{pods} more replica of {workload} fits: {pools}. The next one waits.",
            "{pods} more replicas of {workload} fit: {pools}. The next one waits."
        ),
    }
}

fn anew(answer: &Answer, wait: &str) -> String {
    say!(
        "Placed anew, {moved} of {pods} Pods that can move go to another node, and {wait}. Empty nodes: {empty}, before {before}.",
        moved = range(&answer.moved),
        pods = number(answer.again),
        empty = range(&answer.empty),
        before = number(answer.empty_before)
    )
}

/// The most unevenly spread workload's skew over zones, now and before.
pub fn skew(answer: &Answer) -> Option<String> {
    let skew = |figures: &Summary| Some(number(figures.spread.as_ref()?.skew()));
    let (now, before) = (skew(&answer.figures)?, skew(&answer.figures_before)?);
    Some(say!("Widest skew over zones: {now}, before {before}."))
}

/// A count, or what it is by order.
pub fn range(count: &Count) -> String {
    match count.is_one() {
        true => number(count.by_name),
        false => say!(
            "{least} to {most}",
            least = number(count.least),
            most = number(count.most)
        ),
    }
}

/// Where Pods are.
pub fn on_nodes(nodes: &[OnNode]) -> String {
    match nodes {
        [] => String::new(),
        _ if nodes.len() > NAMED_NODES => say!("on {nodes} nodes", nodes = number(nodes.len())),
        _ => {
            let named = nodes.iter().map(|on| match on.pods {
                1 => on.node.clone(),
                pods => format!("{} ({pods})", on.node),
            });
            say!(
                "on {nodes}",
                nodes = named.collect::<Vec<String>>().join(comma())
            )
        }
    }
}

/// Pods that wait as before, and are not listed.
pub fn as_before(pods: usize) -> Option<String> {
    (pods > 0).then(|| {
        counted!(
            pods,
            "{pods} Pod waits as before.",
            "{pods} Pods wait as before."
        )
    })
}

/// Pods that are not tried.
pub fn held(pods: usize) -> Option<String> {
    (pods > 0).then(|| {
        counted!(
            pods,
            "{pods} Pod has scheduling gates or another scheduler, and is not tried.",
            "{pods} Pods have scheduling gates or another scheduler, and are not tried."
        )
    })
}

/// Other Pods that are elsewhere, as preemption evicted them.
pub fn moved(pods: &Count) -> Option<String> {
    (pods.most > 0).then(|| {
        counted!(
            count = pods.most,
            "{moved} other Pod is evicted for one of higher priority, and placed again elsewhere.",
            "{moved} other Pods are evicted for Pods of higher priority, and placed again elsewhere.",
            moved = range(pods)
        )
    })
}

/// How many orders were played.
pub fn orders(further: usize) -> Option<String> {
    (further > 0).then(|| {
        counted!(
            further,
            "Played in the order of names and in {further} further order.",
            "Played in the order of names and in {further} further orders."
        )
    })
}

/// The losses in one sentence: the worst, and how many are harmless.
pub fn losses(losses: &Losses) -> String {
    let all = &losses.losses;
    let harmless = all
        .iter()
        .filter(|loss| loss.more == 0 && loss.lost.is_empty())
        .count();
    let harmless = match losses.label {
        None => counted!(
            harmless,
            "{harmless} of {all} nodes can go without more Pods waiting or being lost",
            "{harmless} of {all} nodes can go without more Pods waiting or being lost",
            all = number(all.len())
        ),
        Some(ref label) => say!(
            "{harmless} of the {all} values of {label} can go without more Pods waiting or being lost",
            harmless = number(harmless),
            all = number(all.len()),
            label = short_key(label)
        ),
    };
    let worst = all.iter().max_by_key(|loss| loss.more);
    match worst.filter(|loss| loss.more > 0) {
        None => say!("{harmless}."),
        Some(worst) => counted!(
            pods = worst.more,
            "{harmless}; the worst is {name}, after which {pods} more Pod waits.",
            "{harmless}; the worst is {name}, after which {pods} more Pods wait.",
            name = worst.name
        ),
    }
}

/// The fewest nodes in one sentence.
pub fn need(need: &Need) -> String {
    let unhelped: usize = need.unhelped.iter().map(|of| of.pods).sum();
    let left = match unhelped {
        0 => text!("then none waits").to_owned(),
        pods => counted!(
            pods,
            "{pods} waits that no node like an existing one helps",
            "{pods} wait that no node like an existing one helps"
        ),
    };
    match (need.waiting_before, need.mix.as_slice(), need.pools.first()) {
        (0, _, _) => text!("No Pod waits.").to_owned(),
        (pods, [], None) => counted!(
            pods,
            "No node like an existing one helps the {pods} Pod that waits.",
            "No node like an existing one helps the {pods} Pods that wait."
        ),
        (_, [], Some(of)) => say!(
            "It takes {what} to place {pods} of {all} waiting Pods; {left}.",
            what = nodes_of(of),
            pods = number(of.placed),
            all = number(need.waiting_before)
        ),
        (_, mix, _) => {
            let what: Vec<String> = mix.iter().map(nodes_of).collect();
            say!(
                "No pool alone helps all that can be helped. Found node by node: it takes {what} to place {pods} of {all} waiting Pods; {left}.",
                what = what.join(comma()),
                pods = number(mix.first().map_or(0, |of| of.placed)),
                all = number(need.waiting_before)
            )
        }
    }
}

fn nodes_of(of: &NodesLike) -> String {
    if of.pool.is_empty() && of.zone.is_empty() {
        return counted!(
            nodes = of.nodes,
            "{nodes} more node like {like}",
            "{nodes} more nodes like {like}",
            like = of.like
        );
    }
    let pool = pool(&of.pool, &of.zone);
    counted!(
        nodes = of.nodes,
        "{nodes} more node of {pool}",
        "{nodes} more nodes of {pool}"
    )
}

/// A pool, and the zone of its nodes.
pub fn pool(pool: &str, zone: &str) -> String {
    match (pool, zone) {
        ("", "") => text!("no pool").to_owned(),
        (pool, "") => pool.to_owned(),
        ("", zone) => zone.to_owned(),
        (pool, zone) => say!("{pool} in {zone}"),
    }
}

/// In place of a number: what is left by the mix as a whole.
pub fn of_the_mix() -> String {
    text!("mix").to_owned()
}

/// Rows that are not printed.
pub fn and_more(rows: usize) -> String {
    counted!(
        rows,
        "and {rows} more row (-o json lists all)",
        "and {rows} more rows (-o json lists all)"
    )
}
