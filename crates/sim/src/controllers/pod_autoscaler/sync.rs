//! One sync of an autoscaler (`reconcileAutoscaler`).

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::autoscaling::v2::{
    HPAScalingRules, HorizontalPodAutoscaler, HorizontalPodAutoscalerStatus, MetricStatus,
};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::calculator::{Basis, Tolerances};
use super::conditions::{self, ABLE, ACTIVE, LIMITED};
use super::history::History;
use super::limits::{self, Bounds};
use super::proposal::{self, Failure, Proposed};
use super::target::Target;
use crate::audit_log::{Event, Level};
use crate::server::ApiServer;
use crate::store::{Key, Store};
use berth_base::quantity::Quantity;
use berth_scheduler::selector::compiled::Selector;

/// `--horizontal-pod-autoscaler-tolerance`.
const TOLERANCE: f64 = 0.1;

/// A sync of one autoscaler.
pub(super) struct Sync<'a> {
    autoscaler: &'a Arc<HorizontalPodAutoscaler>,
    key: Key,
    cache: &'a Store,
    api: &'a mut ApiServer,
    history: &'a mut History,
    /// The selectors of all autoscalers.
    selectors: &'a mut BTreeMap<Key, Selector>,
    status: HorizontalPodAutoscalerStatus,
    now: Time,
}

/// What the metrics together recommend.
struct Recommended {
    replicas: i32,
    /// The metric that asks for most replicas.
    metric: String,
    statuses: Vec<MetricStatus>,
}

impl<'a> Sync<'a> {
    pub fn new(
        autoscaler: &'a Arc<HorizontalPodAutoscaler>,
        cache: &'a Store,
        api: &'a mut ApiServer,
        history: &'a mut History,
        selectors: &'a mut BTreeMap<Key, Selector>,
    ) -> Self {
        Sync {
            autoscaler,
            key: Key::of(&autoscaler.metadata),
            cache,
            history,
            selectors,
            status: autoscaler.status.clone().unwrap_or_default(),
            now: api.now(),
            api,
        }
    }

    /// Decides on the number of replicas, and writes it and the status if they change.
    pub fn run(mut self) {
        let spec = &self.autoscaler.spec;
        match Target::of(&spec.scale_target_ref, self.key.namespace(), self.cache) {
            Ok(target) => self.scale(&target),
            Err(why) => {
                let message = format!(
                    "the HPA controller was unable to get the target's current scale: {why}"
                );
                self.warn("FailedGetScale", why);
                self.condition(ABLE, false, ("FailedGetScale", &message));
            }
        }
        self.write_status();
    }

    fn scale(&mut self, target: &Target) {
        let message = "the HPA controller was able to get the target's current scale";
        self.condition(ABLE, true, ("SucceededGetScale", message));
        let current = target.replicas;
        self.history.begin(current, self.api.now_ms());
        let spec = &self.autoscaler.spec;
        let (min, max) = (spec.min_replicas.unwrap_or(1), spec.max_replicas);
        if current == 0 {
            let message = "scaling is disabled since the replica count of the target is zero";
            self.condition(ACTIVE, false, ("ScalingDisabled", message));
            self.report(current, current, Vec::new());
        } else if current > max {
            let reason = "Current number of replicas above Spec.MaxReplicas";
            self.rescale(target, max, reason, Vec::new());
        } else if current < min {
            let reason = "Current number of replicas below Spec.MinReplicas";
            self.rescale(target, min, reason, Vec::new());
        } else {
            self.scale_by_metrics(target, min, max);
        }
    }

    fn scale_by_metrics(&mut self, target: &Target, min: i32, max: i32) {
        let current = target.replicas;
        let recommended = match self.recommend(target) {
            Ok(recommended) => recommended,
            Err((why, statuses)) => {
                let desired = self.status.desired_replicas;
                self.report(current, desired, statuses);
                self.warn("FailedComputeMetricsReplicas", why);
                return;
            }
        };
        let bounds = Bounds {
            current,
            min,
            max,
            behavior: self.autoscaler.spec.behavior.as_ref(),
        };
        let now_ms = self.api.now_ms();
        let decision = limits::decide(bounds, recommended.replicas, self.history, now_ms);
        self.condition(ABLE, true, decision.able);
        self.condition(LIMITED, decision.is_limited, decision.limited);
        if decision.replicas == current {
            self.report(current, current, recommended.statuses);
            return;
        }
        let reason = match recommended.replicas.cmp(&current) {
            std::cmp::Ordering::Greater => format!("{} above target", recommended.metric),
            std::cmp::Ordering::Less => "All metrics below target".to_owned(),
            std::cmp::Ordering::Equal => String::new(),
        };
        self.rescale(target, decision.replicas, &reason, recommended.statuses);
    }

    /// The highest number of replicas that a metric proposes. Sets the condition `ScalingActive`.
    ///
    /// # Errors
    /// If no metric is valid, or some are not and the others would scale down; with the statuses of the valid ones.
    fn recommend(&mut self, target: &Target) -> Result<Recommended, (String, Vec<MetricStatus>)> {
        let pods = self.select(target).map_err(|why| (why, Vec::new()))?;
        let basis = Basis {
            pods: &pods,
            replicas: target.replicas,
            found: target.found,
            tolerances: self.tolerances(),
            now_ms: self.api.now_ms(),
        };
        let metrics = self.autoscaler.spec.metrics.as_deref().unwrap_or_default();
        let mut statuses = Vec::new();
        let mut failures: Vec<Failure> = Vec::new();
        let mut most: Option<Proposed> = None;
        for metric in metrics {
            match proposal::of_metric(metric, self.key.namespace(), basis, self.cache) {
                Ok(own) => {
                    statuses.push(own.status.clone());
                    if most
                        .as_ref()
                        .is_none_or(|most| own.replicas > most.replicas)
                    {
                        most = Some(own);
                    }
                }
                Err(failure) => {
                    self.warn(failure.reason, failure.message.clone());
                    statuses.push(MetricStatus::default());
                    failures.push(failure);
                }
            }
        }
        let usable = most.filter(|most| failures.is_empty() || most.replicas >= target.replicas);
        match (usable, failures.first()) {
            (Some(most), _) => {
                let message = format!(
                    "the HPA was able to successfully calculate a replica count from {}",
                    most.metric
                );
                self.condition(ACTIVE, true, ("ValidMetricFound", &message));
                Ok(Recommended {
                    replicas: most.replicas,
                    metric: most.metric,
                    statuses,
                })
            }
            (None, first) => {
                let (reason, message, whole) = first.map_or(("", "", ""), |first| {
                    (first.reason, first.message.as_str(), first.whole.as_str())
                });
                let message = format!("the HPA was unable to compute the replica count: {message}");
                self.condition(ACTIVE, false, (reason, &message));
                let why = format!(
                    "invalid metrics ({} invalid out of {}), first error is: {whole}",
                    failures.len(),
                    metrics.len()
                );
                Err((why, statuses))
            }
        }
    }

    /// The Pods of the target, which no other autoscaler may scale.
    fn select(&mut self, target: &Target) -> Result<Vec<Arc<Pod>>, String> {
        let Some(selector) = &target.selector else {
            let why = "selector is required";
            self.warn("SelectorRequired", why.to_owned());
            let message = "the HPA target's scale is missing a selector";
            self.condition(ACTIVE, false, ("InvalidSelector", message));
            return Err(why.to_owned());
        };
        if let Some(own) = self.selectors.get_mut(&self.key) {
            own.clone_from(selector);
        }
        let nothing = BTreeMap::new();
        let all = self.cache.pods.of_namespace(self.key.namespace());
        let pods: Vec<Arc<Pod>> = all
            .filter(|pod| selector.matches(pod.metadata.labels.as_ref().unwrap_or(&nothing)))
            .cloned()
            .collect();
        let scales = |(key, selector): &(&Key, &Selector)| {
            key.namespace() == self.key.namespace()
                && pods
                    .iter()
                    .any(|pod| selector.matches(pod.metadata.labels.as_ref().unwrap_or(&nothing)))
        };
        let scaling = self.selectors.iter().filter(scales);
        let scaling: Vec<String> = scaling.map(|(key, _)| key.to_string()).collect();
        if scaling.len() < 2 {
            return Ok(pods);
        }
        let why = format!(
            "pods by selector {selector} are controlled by multiple HPAs: [{}]",
            scaling.join(" ")
        );
        self.warn("AmbiguousSelector", why.clone());
        self.condition(ACTIVE, false, ("AmbiguousSelector", &why));
        Err(why)
    }

    /// The tolerances of `behavior`; the API server drops them where `HPAConfigurableTolerance` is off.
    fn tolerances(&self) -> Tolerances {
        let behavior = self.autoscaler.spec.behavior.as_ref();
        let own = |rules: Option<&HPAScalingRules>| {
            let text = rules.and_then(|rules| rules.tolerance.as_ref());
            let quantity = text.and_then(|text| Quantity::parse(&text.0).ok());
            quantity.map_or(TOLERANCE, Quantity::as_f64)
        };
        Tolerances {
            down: own(behavior.and_then(|behavior| behavior.scale_down.as_ref())),
            up: own(behavior.and_then(|behavior| behavior.scale_up.as_ref())),
        }
    }

    /// Writes the target's number of replicas.
    fn rescale(&mut self, target: &Target, to: i32, reason: &str, statuses: Vec<MetricStatus>) {
        let from = target.replicas;
        if let Err(error) = target.rescale(to, self.api) {
            let message = format!("New size: {to}; reason: {reason}; error: {error}");
            self.warn("FailedRescale", message);
            let message =
                format!("the HPA controller was unable to update the target scale: {error}");
            self.condition(ABLE, false, ("FailedUpdateScale", &message));
            let desired = self.status.desired_replicas;
            self.report(from, desired, statuses);
            return;
        }
        let message = format!("the HPA controller was able to update the target scale to {to}");
        self.condition(ABLE, true, ("SucceededRescale", &message));
        let message = format!("New size: {to}; reason: {reason}");
        self.event(Level::Normal, "SuccessfulRescale", message);
        if self.autoscaler.spec.behavior.is_some() {
            self.history.rescaled(from, to, self.api.now_ms());
        }
        self.report(from, to, statuses);
        self.status.last_scale_time = Some(self.now.clone());
    }

    fn report(&mut self, current: i32, desired: i32, statuses: Vec<MetricStatus>) {
        self.status.current_replicas = Some(current).filter(|current| *current != 0);
        self.status.desired_replicas = desired;
        self.status.current_metrics = Some(statuses).filter(|statuses| !statuses.is_empty());
    }

    fn write_status(&mut self) {
        if self.autoscaler.status.as_ref() == Some(&self.status) {
            return;
        }
        let mut changed = (**self.autoscaler).clone();
        changed.status = Some(self.status.clone());
        if let Err(error) = self.api.update_status(&changed) {
            self.warn("FailedUpdateStatus", error.to_string());
        }
    }

    fn condition(&mut self, kind: &str, holds: bool, why: (&str, &str)) {
        conditions::set(&mut self.status, kind, holds, why, &self.now);
    }

    fn warn(&mut self, reason: &'static str, message: String) {
        self.event(Level::Warning, reason, message);
    }

    fn event(&mut self, level: Level, reason: &'static str, message: String) {
        let event = Event::new(&**self.autoscaler, level, reason, message);
        self.api.event(event);
    }
}
