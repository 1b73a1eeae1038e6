//! The evictions of one node's Pods: requests, retries after refusals, and waiting for the deletions.

use k8s_openapi::api::core::v1::Pod;

use super::filters::is_overdue;
use super::{DrainOptions, DryRun, Line};
use crate::server::{ApiError, ApiServer, EvictOptions};
use crate::store::{Key, uid_of};
use berth_shell::go_duration;

/// Delay before a refused eviction is retried, in milliseconds.
const RETRY_MS: i64 = 5_000;

/// State of a Pod's eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The eviction is due at this time, in milliseconds.
    Due(i64),
    /// Deleted, but still terminating.
    Ends,
    Done,
}

#[derive(Clone, Debug)]
struct Target {
    key: Key,
    uid: String,
    state: State,
    /// Since when its eviction is refused, in milliseconds, and the last refusal.
    refusal: Option<(i64, ApiError)>,
}

/// An eviction that was refused and is tried again.
#[derive(Clone, Copy, Debug)]
pub struct Refused<'e> {
    pub pod: &'e Key,
    /// When it was refused first, in milliseconds.
    pub since_ms: i64,
    /// The last refusal.
    pub error: &'e ApiError,
}

/// The evictions of a node.
#[derive(Clone, Debug)]
pub(super) struct Evictions {
    targets: Vec<Target>,
    errors: Vec<String>,
    /// When kubectl gives up, in milliseconds.
    end_ms: Option<i64>,
}

impl Evictions {
    pub(super) fn new(pods: &[Key], options: &DrainOptions, api: &ApiServer) -> Self {
        let now = api.now_ms();
        let targets = pods.iter().map(|key| {
            let pod = api.store().pods.get(key);
            let uid = pod.map_or("", |pod| uid_of(&pod.metadata));
            Target {
                key: key.clone(),
                uid: uid.to_owned(),
                state: State::Due(now),
                refusal: None,
            }
        });
        Evictions {
            targets: targets.collect(),
            errors: Vec::new(),
            end_ms: options
                .timeout_ms
                .map(|timeout| now.saturating_add(timeout)),
        }
    }

    /// Whether no eviction or deletion is pending.
    pub(super) fn is_done(&self) -> bool {
        self.targets
            .iter()
            .all(|target| target.state == State::Done)
    }

    /// Number of Pods left, and of those whose evictions have not been accepted.
    pub(super) fn left(&self) -> (usize, usize) {
        let count = |is: &dyn Fn(State) -> bool| {
            let targets = self.targets.iter();
            targets.filter(|target| is(target.state)).count()
        };
        let not_accepted = count(&|state| matches!(state, State::Due(_)));
        (count(&|state| state != State::Done), not_accepted)
    }

    /// The end of the last grace period of the Pods that are being deleted, in milliseconds.
    pub(super) fn ends_by(&self, api: &ApiServer) -> Option<i64> {
        let ending = self.targets.iter().filter(|it| it.state == State::Ends);
        let ends = ending.filter_map(|target| {
            let pod = api.store().pods.get(&target.key)?;
            pod.metadata.deletion_timestamp.as_ref()
        });
        ends.map(crate::server::ms_of).max()
    }

    /// The evictions that were refused and are tried again.
    pub(super) fn refusals(&self) -> impl Iterator<Item = Refused<'_>> {
        let refused = self.targets.iter();
        let refused = refused.filter(|target| matches!(target.state, State::Due(_)));
        refused.filter_map(|target| {
            let (since_ms, error) = target.refusal.as_ref()?;
            Some(Refused {
                pod: &target.key,
                since_ms: *since_ms,
                error,
            })
        })
    }

    /// Why Pods could not be evicted.
    pub(super) fn errors(&self) -> &[String] {
        &self.errors
    }

    /// The same, owned.
    pub(super) fn into_errors(self) -> Vec<String> {
        self.errors
    }

    /// When the next step is due, in milliseconds, if nothing happens before.
    pub(super) fn next_due(&self, options: &DrainOptions, api: &ApiServer) -> Option<i64> {
        let due = self.targets.iter().filter_map(|target| match target.state {
            State::Due(at) => Some(at),
            State::Ends => {
                let overdue = overdue_ms(&target.key, options, api);
                overdue.into_iter().chain(self.end_ms).min()
            }
            State::Done => None,
        });
        due.min()
    }

    /// Makes the evictions that are due, and checks for completed deletions.
    pub(super) fn step(&mut self, options: &DrainOptions, api: &mut ApiServer) -> Vec<Line> {
        let mut lines = Vec::new();
        let end = self.end_ms.filter(|end| *end <= api.now_ms());
        for target in &mut self.targets {
            if matches!(target.state, State::Due(at) if at <= api.now_ms()) {
                let tried = evict(target, end.is_some(), options, api, &mut lines);
                self.errors.extend(tried.err());
            }
            if target.state == State::Ends {
                let waited = wait(target, end.is_some(), options, api, &mut lines);
                self.errors.extend(waited.err());
            }
        }
        lines
    }
}

/// When kubectl stops waiting for an overdue Pod, in milliseconds.
fn overdue_ms(key: &Key, options: &DrainOptions, api: &ApiServer) -> Option<i64> {
    let limit = options.skip_wait_for_delete_timeout_seconds;
    let pod = api.store().pods.get(key).filter(|_| limit > 0)?;
    let deletion = pod.metadata.deletion_timestamp.as_ref()?;
    let late = limit.saturating_add(1).saturating_mul(1_000);
    Some(crate::server::ms_of(deletion).saturating_add(late))
}

/// Tries one eviction.
fn evict(
    target: &mut Target,
    is_late: bool,
    options: &DrainOptions,
    api: &mut ApiServer,
    lines: &mut Vec<Line>,
) -> Result<(), String> {
    let key = target.key.clone();
    let (namespace, name) = (key.namespace(), key.name());
    if options.disable_eviction {
        target.state = State::Ends;
        let outcome = match options.dry_run {
            DryRun::None => api.delete_within::<Pod>(&target.key, options.grace_seconds),
            _ => Ok(()),
        };
        if let Err(error) = outcome
            && !matches!(error, ApiError::NotFound { .. })
        {
            target.state = State::Done;
            return Err(error.to_string());
        }
        return Ok(());
    }
    let suffix = options.dry_run.suffix();
    lines.push(Line::out(format!(
        "evicting pod {namespace}/{name}{suffix}"
    )));
    target.state = State::Done;
    let failed = format!("error when evicting pods/{name:?} -n {namespace:?}");
    if is_late {
        let timeout = go_duration(options.timeout_ms.unwrap_or(0));
        return Err(format!("{failed}: global timeout reached: {timeout}"));
    }
    let eviction = EvictOptions {
        dry_run: options.dry_run != DryRun::None,
        grace_seconds: options.grace_seconds,
    };
    match api.evict(&target.key, eviction) {
        Ok(()) => target.state = State::Ends,
        // The Pod has already been deleted.
        Err(ApiError::NotFound { .. }) => {}
        Err(error @ ApiError::TooManyRequests { .. }) => {
            let text = format!("{failed} (will retry after 5s): {error}");
            lines.push(Line::error(text));
            let now = api.now_ms();
            target.state = State::Due(now.saturating_add(RETRY_MS));
            let since = target.refusal.take().map_or(now, |(since, _)| since);
            target.refusal = Some((since, error));
        }
        Err(error) => return Err(format!("{failed}: {error}")),
    }
    Ok(())
}

/// Checks whether the Pod has been deleted, or whether to stop waiting for it.
fn wait(
    target: &mut Target,
    is_late: bool,
    options: &DrainOptions,
    api: &ApiServer,
    lines: &mut Vec<Line>,
) -> Result<(), String> {
    let key = target.key.clone();
    let (namespace, name) = (key.namespace(), key.name());
    if options.dry_run != DryRun::None {
        target.state = State::Done;
        return Ok(());
    }
    let pod = api.store().pods.get(&target.key);
    let Some(pod) = pod.filter(|pod| uid_of(&pod.metadata) == target.uid) else {
        target.state = State::Done;
        let done = if options.disable_eviction {
            "deleted"
        } else {
            "evicted"
        };
        lines.push(Line::out(format!("pod/{name} {done}")));
        return Ok(());
    };
    if is_overdue(pod, options, api.now_ms()) {
        target.state = State::Done;
        let seconds = options.skip_wait_for_delete_timeout_seconds;
        lines.push(Line::out(format!(
            "pod {name:?} has DeletionTimestamp older than {seconds} seconds, skipping"
        )));
        return Ok(());
    }
    if is_late {
        target.state = State::Done;
        let why = "context deadline exceeded";
        return Err(if options.disable_eviction {
            why.to_owned()
        } else {
            format!(
                "error when waiting for pod {name:?} in namespace {namespace:?} to terminate: {why}"
            )
        });
    }
    Ok(())
}
