//! The formulas of kube-scheduler's Score plugins, on plain numbers.

use super::super::fact::Fact;
use super::{Formula, Input, MAX_NODE_SCORE, Normalization, ShapePoint};

/// The score of a node whose balance the Pod worsens as much as possible.
const HALF_SCORE: i64 = MAX_NODE_SCORE / 2;
/// The most alternatives of a request.
const MAX_ALTERNATIVES: i64 = 8;
const MIB: i64 = 1024 * 1024;
/// Sizes of images below this score 0.
pub const LEAST_IMAGE_BYTES: i64 = 23 * MIB;
/// Sizes of images above this, per container, score 100.
pub const MOST_IMAGE_BYTES_PER_CONTAINER: i64 = 1000 * MIB;

impl Formula {
    /// The raw score.
    pub fn evaluate(&self, inputs: &[Fact<Input>]) -> i64 {
        let inputs = || inputs.iter().map(|fact| &fact.kind);
        match self {
            Self::UntoleratedTaints
            | Self::PreferredTerms
            | Self::PodTerms
            | Self::Alternatives => inputs().map(Input::points).sum(),
            Self::LeastAllocated | Self::MostAllocated => {
                average(inputs().filter_map(|input| self.part(input)))
            }
            Self::RequestedToCapacityRatio { .. } => {
                let parts = inputs().filter_map(|input| self.part(input));
                rounded_average(parts.filter(|(score, _)| *score > 0))
            }
            Self::Balance => balance(loads(inputs()).map(|load| (load.0 + load.1, load.2))),
            Self::BalanceChange => balance_change(
                balance(loads(inputs()).map(|load| (load.0 + load.1, load.2))),
                balance(loads(inputs()).map(|load| (load.0, load.2))),
            ),
            Self::Spread => {
                let parts = inputs().map(Input::spread_points);
                parts.fold(0.0, |sum, part| sum + part).round() as i64
            }
            Self::ImageSizes { containers } => {
                let sizes = inputs().map(Input::points);
                images(
                    sizes.fold(0, |sum: i64, size| sum.wrapping_add(size)),
                    *containers,
                )
            }
            Self::Zero | Self::LeftOut => 0,
        }
    }

    /// A resource's score and weight in an average; `None` for other inputs.
    pub fn part(&self, input: &Input) -> Option<(i64, i64)> {
        let Input::Load {
            used,
            request,
            allocatable,
            weight,
            ..
        } = input
        else {
            return None;
        };
        let requested = used.wrapping_add(*request);
        let score = match self {
            Self::LeastAllocated => least_allocated(requested, *allocatable),
            Self::MostAllocated => most_allocated(requested, *allocatable),
            Self::RequestedToCapacityRatio { shape } => on_shape(shape, requested, *allocatable),
            _ => return None,
        };
        Some((score, *weight))
    }
}

/// Used, requested by the Pod, allocatable.
pub(super) fn loads<'a>(
    inputs: impl Iterator<Item = &'a Input>,
) -> impl Iterator<Item = (i64, i64, i64)> {
    inputs.filter_map(|input| match input {
        Input::Load {
            used,
            request,
            allocatable,
            ..
        } => Some((*used, *request, *allocatable)),
        _ => None,
    })
}

impl Input {
    /// What it adds to a sum: points or, for an image, bytes. Constraints and loads add nothing by themselves.
    pub fn points(&self) -> i64 {
        match self {
            Self::Taint { tolerated, .. } => i64::from(!tolerated),
            Self::PreferredTerm { weight, holds, .. } => weight * i64::from(*holds),
            Self::PodTerm { count, weight, .. } => count * weight,
            Self::Image {
                size_bytes,
                nodes,
                all_nodes,
                present,
                ..
            } => match present {
                true => spread_size(*size_bytes, *nodes, *all_nodes),
                false => 0,
            },
            Self::Alternative { index, .. } => alternative(*index),
            Self::Spread { .. } | Self::Load { .. } => 0,
        }
    }

    /// What a constraint adds to the score of PodTopologySpread.
    pub fn spread_points(&self) -> f64 {
        match self {
            Self::Spread {
                domain: Some(_),
                count,
                domains,
                max_skew,
                ..
            } => spread(*count, spread_weight(*domains), *max_skew),
            _ => 0.0,
        }
    }
}

impl Normalization {
    /// By the highest of these scores (`helper.DefaultNormalizeScore`).
    pub fn by_maximum(raw: &[i64], reverse: bool) -> Self {
        let maximum = raw.iter().copied().max().unwrap_or(0).max(0);
        match reverse {
            true => Self::Reversed { maximum },
            false => Self::ByMaximum { maximum },
        }
    }

    /// A node's normalized score.
    #[inline]
    pub fn of(&self, raw: i64) -> i64 {
        match *self {
            Self::Unchanged | Self::ByMaximum { maximum: 0 } => raw,
            Self::ByMaximum { maximum } => MAX_NODE_SCORE * raw / maximum,
            Self::Reversed { maximum: 0 } | Self::Mirrored { maximum: 0, .. } => MAX_NODE_SCORE,
            Self::Reversed { maximum } => MAX_NODE_SCORE - MAX_NODE_SCORE * raw / maximum,
            Self::Mirrored { minimum, maximum } => {
                MAX_NODE_SCORE * (maximum + minimum - raw) / maximum
            }
            // Upstream computes in float64.
            Self::Between { minimum, maximum } => match maximum - minimum {
                range @ 1.. => {
                    (MAX_NODE_SCORE as f64 * ((raw - minimum) as f64 / range as f64)) as i64
                }
                _ => 0,
            },
        }
    }
}

/// The free share of a resource, 0–100.
pub fn least_allocated(requested: i64, allocatable: i64) -> i64 {
    if allocatable == 0 || requested > allocatable {
        return 0;
    }
    share(allocatable.wrapping_sub(requested), allocatable)
}

/// The requested share of a resource, 0–100.
pub fn most_allocated(requested: i64, allocatable: i64) -> i64 {
    if allocatable == 0 {
        return 0;
    }
    share(requested.min(allocatable), allocatable)
}

/// `part` of `whole` in percent, truncated. For amounts near the end of `i64` (from 80 PiB) the
/// product wraps, as upstream's does.
fn share(part: i64, whole: i64) -> i64 {
    part.wrapping_mul(MAX_NODE_SCORE).wrapping_div(whole)
}

/// The requested share as a shape reads it: 100 if more is requested than there is.
pub fn utilization(requested: i64, allocatable: i64) -> i64 {
    let full = allocatable == 0 || requested > allocatable;
    if full {
        100
    } else {
        share(requested, allocatable)
    }
}

/// The shape's score at this utilization.
pub fn on_shape(shape: &[ShapePoint], requested: i64, allocatable: i64) -> i64 {
    let utilization = utilization(requested, allocatable);
    let Some(position) = shape
        .iter()
        .position(|point| utilization <= point.utilization)
    else {
        return shape.last().map_or(0, |point| point.score);
    };
    let to = shape[position];
    let Some(from) = position.checked_sub(1).map(|previous| shape[previous]) else {
        return to.score;
    };
    let rise = (to.score - from.score) * (utilization - from.utilization);
    from.score + rise / (to.utilization - from.utilization).max(1)
}

/// The average of scores by weight, truncated; 0 without any.
pub fn average(parts: impl Iterator<Item = (i64, i64)>) -> i64 {
    match sums(parts) {
        (_, 0) => 0,
        (sum, weights) => sum / weights,
    }
}

/// The same, rounded half away from zero (`math.Round`).
pub fn rounded_average(parts: impl Iterator<Item = (i64, i64)>) -> i64 {
    match sums(parts) {
        (_, 0) => 0,
        (sum, weights) => (2 * sum + weights) / (2 * weights),
    }
}

fn sums(parts: impl Iterator<Item = (i64, i64)>) -> (i64, i64) {
    parts.fold((0, 0), |(sum, weights), (score, weight)| {
        (sum + score * weight, weights + weight)
    })
}

/// 100 minus the standard deviation of the requested shares (requested, allocatable), in percent.
// Upstream computes in float64.
pub fn balance(loads: impl Iterator<Item = (i64, i64)>) -> i64 {
    let fractions: Vec<f64> = loads
        .map(|(requested, allocatable)| (requested as f64 / allocatable as f64).min(1.0))
        .collect();
    let deviation = match fractions.as_slice() {
        [] | [_] => 0.0,
        [one, other] => ((one - other) / 2.0).abs(),
        several => {
            let count = several.len() as f64;
            let mean = several.iter().sum::<f64>() / count;
            let squares: f64 = several
                .iter()
                .map(|fraction| (fraction - mean) * (fraction - mean))
                .sum();
            (squares / count).sqrt()
        }
    };
    ((1.0 - deviation) * MAX_NODE_SCORE as f64) as i64
}

/// The score of a change of the balance: 75 if the Pod changes nothing.
pub fn balance_change(with: i64, without: i64) -> i64 {
    HALF_SCORE + (HALF_SCORE + with - without) / 2
}

/// ln(domains + 2), so that three zones weigh less than a hundred hosts.
// libm's logarithm gives the same result natively and in wasm.
pub fn spread_weight(domains: i64) -> f64 {
    libm::log((domains + 2) as f64)
}

/// What a constraint adds to the score of a node: its domain's Pods by the weight, and the allowed skew.
// Upstream computes in float64.
#[inline]
pub fn spread(count: i64, weight: f64, max_skew: i64) -> f64 {
    count as f64 * weight + (max_skew - 1) as f64
}

/// An image's size, scaled by the share of nodes that have it.
// Upstream computes in float64.
pub fn spread_size(size_bytes: i64, nodes: i64, all_nodes: i64) -> i64 {
    let share = nodes as f64 / all_nodes as f64;
    (size_bytes as f64 * share) as i64
}

/// The score of the images on a node.
pub fn images(sum_bytes: i64, containers: i64) -> i64 {
    let maximum = MOST_IMAGE_BYTES_PER_CONTAINER.saturating_mul(containers);
    let sum = sum_bytes.clamp(LEAST_IMAGE_BYTES, maximum.max(LEAST_IMAGE_BYTES));
    let range = (maximum - LEAST_IMAGE_BYTES).max(1);
    MAX_NODE_SCORE.wrapping_mul(sum - LEAST_IMAGE_BYTES) / range
}

/// The score of the alternative at this place, from 0.
pub fn alternative(index: i64) -> i64 {
    MAX_ALTERNATIVES - index
}
