//! Pod Security admission: the levels that a namespace's labels ask for, and what of a Pod breaks them
//! (`k8s.io/pod-security-admission`, v1.36). Nothing here is audited.

mod checks;
mod container_checks;
mod subject;

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::release::Release;
use checks::{BASELINE, Check, RESTRICTED};
use subject::Subject;

/// The prefix of the labels.
pub const PREFIX: &str = "pod-security.kubernetes.io/";

type Labels = BTreeMap<String, String>;

/// How strict a policy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Privileged,
    Baseline,
    Restricted,
}

impl Level {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "privileged" => Level::Privileged,
            "baseline" => Level::Baseline,
            "restricted" => Level::Restricted,
            _ => return None,
        })
    }
}

/// A level as a minor version of Kubernetes defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standard {
    pub level: Level,
    /// `None` is the latest.
    minor: Option<u32>,
}

impl Standard {
    /// Whether the same version defines both.
    pub fn same_version(self, other: Self) -> bool {
        self.minor == other.minor
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Privileged => "privileged",
            Level::Baseline => "baseline",
            Level::Restricted => "restricted",
        };
        match self.minor {
            Some(minor) => write!(f, "{level}:v1.{minor}"),
            None => write!(f, "{level}:latest"),
        }
    }
}

/// What a namespace asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Pods that break it are refused.
    pub enforce: Standard,
    /// Of Pods and templates that break it, the API server warns.
    pub warn: Standard,
}

impl Policy {
    /// The policy of a namespace with these labels. A label that cannot be read asks for the strictest policy, but
    /// for no warnings (`PolicyToEvaluate`).
    pub fn of(labels: Option<&Labels>) -> Self {
        let none = Labels::new();
        let labels = labels.unwrap_or(&none);
        let label = |mode: &str| labels.get(&format!("{PREFIX}{mode}")).map(String::as_str);
        let version = |mode: &str| label(mode).and_then(|text| minor(text).unwrap_or_default());
        let level = |mode: &str, fallback| match label(mode) {
            Some(text) => Level::parse(text).unwrap_or(fallback),
            None => Level::Privileged,
        };
        let enforce = Standard {
            level: level("enforce", Level::Restricted),
            minor: version("enforce-version"),
        };
        let mut warn = Standard {
            level: level("warn", Level::Privileged),
            minor: version("warn-version"),
        };
        let is_known = label("enforce").is_some_and(|text| Level::parse(text).is_some());
        if label("warn").is_none() && is_known && enforce.level > warn.level {
            warn.level = enforce.level;
            if label("warn-version").is_none() {
                warn.minor = enforce.minor;
            }
        }
        Policy { enforce, warn }
    }

    /// Whether it asks for nothing.
    pub fn is_privileged(&self) -> bool {
        self.enforce.level == Level::Privileged && self.warn.level == Level::Privileged
    }
}

/// The minor version of `v1.36`, or none of `latest`; an error for any other text.
fn minor(text: &str) -> Result<Option<u32>, ()> {
    if text == "latest" {
        return Ok(None);
    }
    let digits = text.strip_prefix("v1.").ok_or(())?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || digits.len() > 1 && digits.starts_with('0') {
        return Err(());
    }
    digits.parse().map(Some).map_err(|_| ())
}

/// The errors of a namespace's labels.
pub fn label_errors(labels: Option<&Labels>) -> Vec<FieldError> {
    let path = Path::root().child("metadata").child("labels");
    let mut errors = Vec::new();
    for mode in ["enforce", "audit", "warn"] {
        for (label, is_version) in [
            (format!("{PREFIX}{mode}"), false),
            (format!("{PREFIX}{mode}-version"), true),
        ] {
            let Some(text) = labels.and_then(|labels| labels.get(&label)) else {
                continue;
            };
            let detail = match is_version {
                true if minor(text).is_err() => "must be \"latest\" or \"v1.x\"",
                false if Level::parse(text).is_none() => {
                    "must be one of privileged, baseline, restricted"
                }
                _ => continue,
            };
            errors.push(FieldError::invalid(
                &path.key(&label),
                text.as_str(),
                detail,
            ));
        }
    }
    errors
}

/// How a Pod breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// `hostPort`.
    pub reason: String,
    /// `container "c" uses hostPort 80`.
    pub detail: String,
}

/// What of a Pod, or of a template, breaks a standard: its `metadata` and `spec`.
pub fn violations(
    standard: Standard,
    metadata: &Value,
    spec: &Value,
    release: &Release,
) -> Vec<Violation> {
    let newest = release.rules().minor.split_once('.');
    let newest = newest.and_then(|(_, minor)| minor.parse().ok());
    let newest: u32 = newest.unwrap_or(u32::MAX);
    let subject = Subject {
        metadata,
        spec,
        minor: standard.minor.map_or(newest, |minor| minor.min(newest)),
    };
    let is_restricted = standard.level == Level::Restricted;
    let baseline = BASELINE.iter().filter(|check| match standard.level {
        Level::Privileged => false,
        Level::Baseline => true,
        Level::Restricted => subject.minor < check.overridden,
    });
    let restricted = RESTRICTED.iter().filter(|_| is_restricted);
    let checks = baseline.chain(restricted);
    let checks = checks.filter(|check| subject.minor >= check.since);
    checks
        .filter_map(|Check { run, .. }| run(&subject))
        .collect()
}

/// `hostPort (container "c" uses hostPort 80), privileged (…)`
pub fn in_detail(violations: &[Violation]) -> String {
    let all = violations.iter().map(|it| match it.detail.as_str() {
        "" => it.reason.clone(),
        detail => format!("{} ({detail})", it.reason),
    });
    all.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
