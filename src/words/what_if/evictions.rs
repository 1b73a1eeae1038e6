//! Text of what the descheduler evicts: the sentence, the rows of its tables, and the notes.

use berth_words::{counted, say, text};

use super::{Text, lost, more_wait};
use crate::words::language::comma;
use crate::words::number;
use berth_protocol::what_if::{
    Answer, Evictions, Idle, PluginLeftOut, PluginRun, Refused, Utilization,
};

// Headings of columns.
pub const PLUGIN: Text = text!("Plugin");
pub const PODS: Text = text!("Pods");
pub const REFUSED: Text = text!("Refused");
pub const UTILIZATION: Text = text!("Utilization");
pub const CPU: Text = text!("CPU, %");
pub const MEMORY: Text = text!("Memory, %");
pub const PODS_PERCENT: Text = text!("Pods, %");
pub const CAME: Text = text!("Came");

/// What a cycle comes to.
pub fn evicted(answer: &Answer, evictions: &Evictions) -> String {
    let sentence = match evictions.pods.len() {
        0 => {
            let why = evictions.plugins.iter().map(idle);
            say!(
                "The descheduler evicts no Pod: {why}.",
                why = why.collect::<Vec<String>>().join(comma())
            )
        }
        pods => counted!(
            pods,
            "The descheduler evicts {pods} Pod ({by}): {returned}, {wait}; {lost}.",
            "The descheduler evicts {pods} Pods ({by}): {returned}, {wait}; {lost}.",
            by = by_plugin(evictions),
            returned = returned(evictions.returned),
            wait = more_wait(answer),
            lost = lost(&answer.lost)
        ),
    };
    match evictions.refused.len() {
        0 => sentence,
        refused => counted!(
            refused,
            "{sentence} Budgets refuse {refused} eviction.",
            "{sentence} Budgets refuse {refused} evictions."
        ),
    }
}

/// `LowNodeUtilization 9, RemoveDuplicates 3`.
fn by_plugin(evictions: &Evictions) -> String {
    let plugins = evictions.plugins.iter().filter(|run| run.evicted > 0);
    let plugins = plugins.map(|run| format!("{} {}", run.plugin, number(run.evicted)));
    plugins.collect::<Vec<String>>().join(comma())
}

fn returned(pods: usize) -> String {
    match pods {
        0 => text!("none comes again to the node that it left").to_owned(),
        pods => counted!(
            pods,
            "{pods} comes again to the node that it left",
            "{pods} come again to the node that they left"
        ),
    }
}

/// Why a plugin evicts nothing.
fn idle(run: &PluginRun) -> String {
    let plugin = &run.plugin;
    match run.idle {
        Some(Idle::FewNodes) => say!("{plugin} needs two ready nodes"),
        Some(Idle::NoneUnderutilized) => say!("{plugin} finds no underutilized node"),
        Some(Idle::FewUnderutilized) => {
            say!("{plugin} finds no more underutilized nodes than numberOfNodes says")
        }
        Some(Idle::AllUnderutilized) => say!("{plugin} finds all nodes underutilized"),
        Some(Idle::NoneOverutilized) => say!("{plugin} finds no overutilized node"),
        None if run.overutilized > 0 => say!(
            "{plugin} finds {over} overutilized nodes, and no Pod on them that may go and fits elsewhere",
            over = number(run.overutilized)
        ),
        None => say!("{plugin} finds no Pod to evict"),
    }
}

/// The plugins that evict nothing where others do, and how many nodes LowNodeUtilization takes from and counts on.
pub fn plugins(evictions: &Evictions) -> Vec<String> {
    let mut notes = Vec::new();
    for run in &evictions.plugins {
        let plugin = &run.plugin;
        if run.evicted == 0 && !evictions.pods.is_empty() {
            notes.push(say!("{why}.", why = idle(run)));
        } else if run.overutilized > 0 && run.evicted > 0 {
            notes.push(say!(
                "{plugin} finds {over} overutilized nodes and {under} underutilized ones.",
                over = number(run.overutilized),
                under = number(run.underutilized)
            ));
        }
        if run.limited > 0 {
            notes.push(counted!(
                limited = run.limited,
                "The policy's limits forbid {plugin} {limited} more eviction.",
                "The policy's limits forbid {plugin} {limited} more evictions."
            ));
        }
    }
    notes
}

/// Plugins that were not played.
pub fn left_out(plugins: &[PluginLeftOut]) -> Option<String> {
    let names = plugins.iter().map(|it| match it.for_metrics {
        true => say!("{plugin} by metrics", plugin = it.plugin),
        false => it.plugin.clone(),
    });
    let names = names.collect::<Vec<String>>().join(comma());
    (!plugins.is_empty()).then(|| {
        say!(
            "Not played, although the policy enables it: {names}. Berth plays LowNodeUtilization by requests, and RemoveDuplicates."
        )
    })
}

/// What LowNodeUtilization says of a node.
pub fn utilization(of: Option<Utilization>) -> String {
    match of {
        Some(Utilization::Over) => text!("over").to_owned(),
        Some(Utilization::Under) => text!("under").to_owned(),
        None => String::new(),
    }
}

/// A number of percent before and after.
pub fn change(before: f64, after: f64) -> String {
    let [before, after] = [before, after].map(|percent| format!("{percent:.0}"));
    match before == after {
        true => before,
        false => format!("{before} → {after}"),
    }
}

/// Why an eviction is refused.
pub fn why_refused(refused: &Refused) -> String {
    super::drains::why_blocked(&refused.blocked)
}
