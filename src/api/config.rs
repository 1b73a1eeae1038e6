//! `KubeSchedulerConfiguration` (`kubescheduler.config.k8s.io/v1`), read and defaulted.

/// The defaulted configuration.
#[derive(Clone, Debug, Default)]
pub struct SchedulerConfiguration {}
