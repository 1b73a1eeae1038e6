//! Scores of the feasible nodes (`prioritizeNodes` of kube-scheduler v1.34).

use crate::cluster::NodeIx;
use crate::framework::feasible::Feasible;
use crate::framework::plugin::{Context, Score};
use crate::framework::preemption::Skipped;
use crate::framework::runner::Profile;
use crate::framework::state::CycleState;
use crate::framework::status::Rejection;

use super::memo::{ShapeMemo, UNKNOWN};
use super::observer::{Observer, PluginScores};

/// Bounds of a normalized score.
pub const NODE_SCORES: std::ops::RangeInclusive<i64> = 0..=100;

/// Every node's total score, in the order of `nodes`. `Err`: a plugin failed with an error.
pub fn total_scores<O: Observer>(
    cx: Context<'_>,
    profile: &Profile,
    state: &mut CycleState,
    nodes: &[NodeIx],
    mut memo: Option<&mut ShapeMemo>,
    observer: &mut O,
) -> Result<Vec<i64>, Rejection> {
    if profile.score.is_empty() {
        return Ok(vec![1; nodes.len()]);
    }
    let skipped = profile
        .run_pre_score(cx, state, Feasible::all(nodes))
        .map_err(|rejected| rejected.rejection)?;
    observer.pre_scored(profile, &skipped);
    let mut totals = vec![0; nodes.len()];
    let mut raw = Vec::with_capacity(nodes.len());
    let mut normalized = Vec::with_capacity(nodes.len());
    for (position, point) in profile.score.iter().enumerate() {
        let Some(plugin) = active(profile, point.plugin, &skipped) else {
            continue;
        };
        let name = profile.name(point.plugin);
        let remembered = memo
            .as_deref_mut()
            .and_then(|memo| memo.scores.get_mut(position))
            .filter(|list| !list.is_empty());
        raw.clear();
        score_all(plugin, cx, state, nodes, remembered, &mut raw).map_err(|rejection| {
            let message = rejection.message();
            Rejection::error(format!(
                "running Score plugins: plugin \"{name}\" failed with: {message}"
            ))
        })?;
        normalized.clone_from(&raw);
        plugin.normalize(state, nodes, &mut normalized);
        if let Some(bad) = normalized.iter().find(|score| !NODE_SCORES.contains(score)) {
            return Err(Rejection::error(format!(
                "applying score defaultWeights on Score plugins: plugin \"{name}\" returns an invalid score {bad}, it should in the range of [0, 100] after normalizing"
            )));
        }
        for (total, score) in totals.iter_mut().zip(&normalized) {
            *total += score * point.weight;
        }
        let scores = PluginScores {
            plugin: name,
            weight: point.weight,
            nodes,
            raw: &raw,
            normalized: &normalized,
        };
        observer.scored(cx, state, plugin, scores);
    }
    Ok(totals)
}

fn active<'a>(profile: &'a Profile, plugin: usize, skipped: &Skipped) -> Option<&'a dyn Score> {
    if skipped.contains(plugin) {
        return None;
    }
    profile.plugins[plugin].as_score()
}

fn score_all(
    plugin: &dyn Score,
    cx: Context<'_>,
    state: &CycleState,
    nodes: &[NodeIx],
    remembered: Option<&mut Vec<i64>>,
    raw: &mut Vec<i64>,
) -> Result<(), Rejection> {
    let Some(remembered) = remembered else {
        return plugin.score_all(cx, state, nodes, raw);
    };
    for &node in nodes {
        if remembered[node.0 as usize] == UNKNOWN {
            remembered[node.0 as usize] = plugin.score(cx, state, cx.cluster.node(node))?;
        }
    }
    raw.extend(nodes.iter().map(|node| remembered[node.0 as usize]));
    Ok(())
}
