//! Processes of which more is known than their commands say.

use k8s_openapi::api::core::v1::Pod;

use berth_core::api::script::Processes;

use super::{Behavior, Schedule};
use crate::pod_util;

/// When a process that serves without a readiness probe is ready.
const READY_MS: i64 = 5_000;

/// What is known of a Pod's processes besides annotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Known {
    /// Their commands and images.
    #[default]
    Command,
    /// That they serve ([`Processes::Serve`]).
    Serves,
    /// That they ran before, and were not ready.
    Unready,
}

impl Known {
    /// Of a Pod that arrives at its kubelet.
    pub fn at_arrival(pod: &Pod, processes: Processes) -> Self {
        let ready = pod_util::ready_condition(pod).filter(|_| pod_util::phase_of(pod) == "Running");
        match processes {
            Processes::ByCommand => Self::Command,
            Processes::Serve if ready.is_some_and(|it| it.status != "True") => Self::Unready,
            Processes::Serve => Self::Serves,
        }
    }
}

impl Behavior {
    /// Runs until it is stopped; `is_ready`: whether it is ready, once its probe or the time says so.
    pub(super) fn serve(&mut self, is_ready: bool, has_probe: bool) {
        self.runs_ms = None;
        self.liveness = Schedule::always(true);
        self.startup = Schedule::always(true);
        self.readiness = match (is_ready, has_probe) {
            (true, true) => Schedule::always(true),
            (true, false) => Schedule::changing(false, READY_MS, true),
            (false, _) => Schedule::always(false),
        };
        self.sets_readiness = true;
    }
}
