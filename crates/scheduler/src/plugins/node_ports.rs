//! NodePorts: a host port can be used once per node.
//!
//! - **Extension points**: PreFilter, Filter.
//! - **Why**: two processes cannot listen on the same address, protocol and port.
//! - **Example**: hostPort 80 on `0.0.0.0` conflicts with hostPort 80 on any address.
//! - **Upstream**: `plugins/nodeports`, v1.34.

use super::helpers::freed_by;
use crate::cluster::node::NodeInfo;
use crate::cluster::spec::HostPort;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource,
};
use crate::framework::plugin::{Context, Filter, PreFilter, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreFiltered, Rejection, Verdict};
use berth_protocol::fact::{Fact, FactKind};

/// The plugin.
pub struct NodePorts;

/// Marks that PreFilter ran; without it, Filter returns an error.
#[derive(Clone)]
struct Prepared;

extends!(NodePorts: PreFilter, Filter, EnqueueExtensions);

impl PreFilter for NodePorts {
    fn pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFiltered {
        if cx.spec.host_ports.is_empty() {
            return PreFiltered::Skip;
        }
        state.write(Prepared);
        PreFiltered::Continue
    }
}

impl Filter for NodePorts {
    fn is_node_local(&self) -> bool {
        true
    }

    fn filter(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict {
        if state.read::<Prepared>().is_none() {
            return Err(Rejection::error(
                "reading \"PreFilterNodePorts\" from cycleState: not found",
            ));
        }
        match conflicts(cx, node).next() {
            Some(_) => Err(Rejection::unschedulable(
                "node(s) didn't have free ports for the requested pod ports",
            )),
            None => Ok(()),
        }
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Facts {
        conflicts(cx, node)
            .map(|port| {
                Fact::new(FactKind::HostPort {
                    host_ip: port.host_ip.clone(),
                    protocol: port.protocol.clone(),
                    port: port.port,
                })
                .in_pod(port.pod_path.clone())
            })
            .collect()
    }
}

fn conflicts<'a>(cx: Context<'a>, node: &'a NodeInfo) -> impl Iterator<Item = &'a HostPort> {
    cx.spec
        .host_ports
        .iter()
        .filter(|port| node.used_ports.iter().any(|used| used.conflicts_with(port)))
}

impl EnqueueExtensions for NodePorts {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 2] = [
            EventToRegister::hinted(Resource::Pod, ActionType::DELETE),
            EventToRegister::always(Resource::Node, ActionType::ADD),
        ];
        &EVENTS
    }

    /// A deleted Pod held a host port that this one requests.
    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        let Some(deleted) = freed_by(change) else {
            return Hint::Skip;
        };
        let held = &cx.cluster.spec_of(deleted).host_ports;
        Hint::queue_if(
            cx.spec
                .host_ports
                .iter()
                .any(|port| held.iter().any(|held| held.conflicts_with(port))),
        )
    }
}
