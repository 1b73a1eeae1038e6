//! From the recommendation of the metrics to the number of replicas: stabilization windows, then the limits of
//! `behavior` or their defaults, and of `minReplicas` and `maxReplicas`.

use k8s_openapi::api::autoscaling::v2::{HPAScalingRules, HorizontalPodAutoscalerBehavior};

use super::history::{Direction, History};

/// The downscale stabilization window (`--horizontal-pod-autoscaler-downscale-stabilization`).
const STABILIZATION_SECONDS: i32 = 300;
/// Without `behavior`, a sync at most doubles the replicas, or adds up to this number of them.
const LEAST_SCALE_UP_LIMIT: i32 = 4;

/// The bounds of one decision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<'a> {
    pub current: i32,
    pub min: i32,
    pub max: i32,
    pub behavior: Option<&'a HorizontalPodAutoscalerBehavior>,
}

/// A reason and a message of a condition.
pub(super) type Why = (&'static str, &'static str);

/// A number of replicas and how it came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    pub replicas: i32,
    /// For the condition `AbleToScale`.
    pub able: Why,
    pub is_limited: bool,
    /// For the condition `ScalingLimited`.
    pub limited: Why,
}

const READY: Why = ("ReadyForNewScale", "recommended size matches current size");
const DOWN_STABILIZED: Why = (
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent recommendation",
);
const UP_STABILIZED: Why = (
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
);
const WITHIN_RANGE: Why = (
    "DesiredWithinRange",
    "the desired count is within the acceptable range",
);
const TOO_FEW: Why = (
    "TooFewReplicas",
    "the desired replica count is less than the minimum replica count",
);
const TOO_MANY: Why = (
    "TooManyReplicas",
    "the desired replica count is more than the maximum replica count",
);
const TOO_FAST_UP: Why = (
    "ScaleUpLimit",
    "the desired replica count is increasing faster than the maximum scale rate",
);
const TOO_FAST_DOWN: Why = (
    "ScaleDownLimit",
    "the desired replica count is decreasing faster than the maximum scale rate",
);

/// The replicas that follow from the number that the metrics recommend, which becomes part of the history.
pub(super) fn decide(
    bounds: Bounds<'_>,
    recommended: i32,
    history: &mut History,
    now_ms: i64,
) -> Decision {
    let (stable, why) = match bounds.behavior {
        None => {
            let recent = history.recommended(STABILIZATION_SECONDS, now_ms);
            (recent.fold(recommended, i32::max), DOWN_STABILIZED)
        }
        Some(behavior) => stabilize(bounds, behavior, recommended, history, now_ms),
    };
    history.recommend(recommended, now_ms);
    let (replicas, limited) = match bounds.behavior {
        None => limit(bounds, stable),
        Some(behavior) => limit_rate(bounds, behavior, stable, history, now_ms),
    };
    Decision {
        replicas,
        able: if stable == recommended { READY } else { why },
        is_limited: replicas != stable,
        limited,
    }
}

/// The current replicas, moved no farther than all recommendations of the windows agree on.
fn stabilize(
    bounds: Bounds<'_>,
    behavior: &HorizontalPodAutoscalerBehavior,
    recommended: i32,
    history: &History,
    now_ms: i64,
) -> (i32, Why) {
    let window = |rules: &Option<HPAScalingRules>, default| {
        let seconds = rules
            .as_ref()
            .and_then(|it| it.stabilization_window_seconds);
        history.recommended(seconds.unwrap_or(default), now_ms)
    };
    let least = window(&behavior.scale_up, 0).fold(recommended, i32::min);
    let most = window(&behavior.scale_down, STABILIZATION_SECONDS).fold(recommended, i32::max);
    let why = if recommended >= bounds.current {
        UP_STABILIZED
    } else {
        DOWN_STABILIZED
    };
    (bounds.current.max(least).min(most), why)
}

/// The limits without `behavior`.
fn limit(bounds: Bounds<'_>, wanted: i32) -> (i32, Why) {
    let rate = bounds.current.saturating_mul(2).max(LEAST_SCALE_UP_LIMIT);
    if wanted < bounds.min {
        (bounds.min, TOO_FEW)
    } else if wanted > rate.min(bounds.max) {
        at_most(bounds.max, rate)
    } else {
        (wanted, WITHIN_RANGE)
    }
}

/// The limits of `behavior`.
fn limit_rate(
    bounds: Bounds<'_>,
    behavior: &HorizontalPodAutoscalerBehavior,
    wanted: i32,
    history: &History,
    now_ms: i64,
) -> (i32, Why) {
    let rate = |direction, rules: &Option<HPAScalingRules>| {
        rate_limit(direction, rules.as_ref(), bounds.current, history, now_ms)
    };
    if wanted > bounds.current {
        let rate = rate(Direction::Up, &behavior.scale_up).max(bounds.current);
        if wanted > rate.min(bounds.max) {
            return at_most(bounds.max, rate);
        }
    } else if wanted < bounds.current {
        let rate = rate(Direction::Down, &behavior.scale_down).min(bounds.current);
        if wanted < rate.max(bounds.min) {
            return if bounds.min < rate {
                (rate, TOO_FAST_DOWN)
            } else {
                (bounds.min, TOO_FEW)
            };
        }
    }
    (wanted, WITHIN_RANGE)
}

fn at_most(max: i32, rate: i32) -> (i32, Why) {
    if max > rate {
        (rate, TOO_FAST_UP)
    } else {
        (max, TOO_MANY)
    }
}

/// The replicas up or down to which the policies of a direction allow a change now.
fn rate_limit(
    direction: Direction,
    rules: Option<&HPAScalingRules>,
    current: i32,
    history: &History,
    now_ms: i64,
) -> i32 {
    let select = rules.and_then(|rules| rules.select_policy.as_deref());
    if select == Some("Disabled") {
        return current;
    }
    let policies = rules.and_then(|rules| rules.policies.as_ref());
    let limits = policies.into_iter().flatten().map(|policy| {
        let before = history.replicas_before(current, policy.period_seconds, now_ms);
        let part = f64::from(policy.value) / 100.0;
        match (direction, policy.type_.as_str()) {
            (Direction::Up, "Percent") => (f64::from(before) * (1.0 + part)).ceil() as i32,
            (Direction::Down, "Percent") => (f64::from(before) * (1.0 - part)) as i32,
            (Direction::Up, _) => before.saturating_add(policy.value),
            (Direction::Down, _) => before.saturating_sub(policy.value),
        }
    });
    // The smallest change is the lowest limit when scaling up, and the highest when scaling down.
    let limit = match (direction, select == Some("Min")) {
        (Direction::Up, false) | (Direction::Down, true) => limits.max(),
        (Direction::Up, true) | (Direction::Down, false) => limits.min(),
    };
    limit.unwrap_or(current)
}
