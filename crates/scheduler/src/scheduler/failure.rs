//! A Pod that fits nowhere: PostFilter, the message, and who may help (`RunPostFilterPlugins`, `FitError`).

use crate::cluster::Cluster;
use crate::framework::fit_error::{FitError, fit_error};
use crate::framework::plugin::Context;
use crate::framework::preemption::{PostFiltered, PreemptionContext};
use crate::framework::runner::Profile;
use crate::framework::status::Rejection;
use berth_base::sort;
use berth_protocol::cycle::Code;

use super::cycle::{Filtered, Unschedulable};
use super::observer::Observer;

/// No node is feasible: runs the PostFilter plugins, which may make room (`RunPostFilterPlugins`).
pub(super) fn post_filter<O: Observer>(
    cx: Context<'_>,
    profile: &Profile,
    filtered: &Filtered,
    observer: &mut O,
) -> Unschedulable {
    let mut unschedulable = Unschedulable {
        rejected_by: rejecting_plugins(filtered),
        clear_nomination: profile.post_filter.is_empty()
            && cx.release().rules().no_post_filter_clears_nomination,
        ..Unschedulable::default()
    };
    let preemption = PreemptionContext {
        cx,
        profile,
        state: &filtered.state,
        skipped: &filtered.pre_filter.skipped,
        rejected: &filtered.rejected,
        absent: filtered.absent.as_ref(),
    };
    let mut messages: Vec<FitError> = Vec::new();
    for &position in &profile.post_filter {
        let Some(plugin) = profile.plugins[position].as_post_filter() else {
            continue;
        };
        let answer = plugin.post_filter(&preemption);
        observer.post_filtered(cx, &answer);
        match answer {
            PostFiltered::Nominated(preemption) => {
                messages.clear();
                unschedulable.preemption = Some(preemption);
                break;
            }
            PostFiltered::Error(rejection) => {
                messages = vec![rejection.message().into()];
                unschedulable.clear_nomination = false;
                break;
            }
            PostFiltered::Unschedulable {
                message,
                clear_nomination,
                ..
            } => {
                messages.push(message);
                unschedulable.clear_nomination |= clear_nomination;
            }
            PostFiltered::Deallocated { claim, rejection } => {
                messages.push(rejection.message().into());
                unschedulable.deallocated = Some(claim);
            }
            PostFiltered::NotEligible { rejection, .. } => {
                messages.push(rejection.message().into());
            }
        }
    }
    let mut message = failure(cx.cluster, filtered);
    let own = message.clauses.len();
    for (position, part) in messages.iter().enumerate() {
        message
            .text
            .push_str(if position == 0 { " " } else { ", " });
        message.append(part);
    }
    unschedulable.post_filter_clauses = message.clauses.split_off(own);
    unschedulable.clauses = message.clauses;
    unschedulable.message = message.text;
    unschedulable
}

fn failure(cluster: &Cluster, filtered: &Filtered) -> FitError {
    let pre_filter = filtered.pre_filter.rejected.as_ref();
    let pre_filter_message = pre_filter
        .map(|rejected| rejected.rejection.message())
        .unwrap_or_default();
    let silent = Rejection::with(Code::UnschedulableAndUnresolvable, Vec::new());
    let absent = filtered
        .absent
        .as_ref()
        .map_or(&silent, |rejected| &rejected.rejection);
    fit_error(
        cluster.node_order().len(),
        &pre_filter_message,
        filtered
            .rejected
            .counts()
            .map(|(count, rejected)| (count, &rejected.rejection)),
        absent,
    )
}

/// The plugins whose registered events may help the Pod. A plugin that rejects it in PreFilter is the
/// only one, as upstream; plugins that narrowed the nodes count if the search ran or if they left no
/// node.
fn rejecting_plugins(filtered: &Filtered) -> Vec<&'static str> {
    if let Some(rejected) = &filtered.pre_filter.rejected
        && !rejected.plugin.is_empty()
    {
        return vec![rejected.plugin];
    }
    let by_filter = filtered
        .rejected
        .counts()
        .map(|(_, rejected)| rejected.plugin);
    let narrowed = filtered.pre_filter.narrowed_by.iter().copied();
    let mut plugins: Vec<&'static str> = by_filter.chain(narrowed).collect();
    plugins.retain(|plugin| !plugin.is_empty());
    sort::sort(&mut plugins);
    plugins.dedup();
    plugins
}
