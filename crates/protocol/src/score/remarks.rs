//! The arithmetic of a score in words and numbers, line by line.

use super::super::fact::{Fact, taint};
use super::super::quantity;
use super::super::remark::{Remark, Value};
use super::formula::{
    LEAST_IMAGE_BYTES, MOST_IMAGE_BYTES_PER_CONTAINER, balance, loads, utilization,
};
use super::{Arithmetic, Formula, Input, Normalization, PodTermKind};

impl Arithmetic {
    /// What the inputs add up to: the raw score. `None` if that goes without saying.
    pub fn sum(&self) -> Option<Remark> {
        self.formula.sum(&self.inputs)
    }

    /// From the raw to the normalized score.
    pub fn scaled(&self) -> Remark {
        match self.formula {
            Formula::LeftOut => Remark::score_left_out(),
            _ => self.normalization.remark(self.raw()),
        }
    }

    /// From the normalized to the weighted score.
    pub fn weighted(&self, weight: i64) -> Remark {
        let normalized = self.normalized();
        Remark::score_weighted(normalized, weight, normalized * weight)
    }

    /// An input in numbers.
    pub fn part(&self, input: &Fact<Input>) -> Remark {
        self.formula.input(&input.kind)
    }

    /// All lines, from the rule to the weighted score.
    pub fn lines(&self, weight: i64) -> Vec<Remark> {
        let rule = std::iter::once(self.formula.remark());
        let parts = self.inputs.iter().map(|input| self.part(input));
        let end = [self.scaled(), self.weighted(weight)];
        rule.chain(parts).chain(self.sum()).chain(end).collect()
    }
}

impl Formula {
    /// The rule in one sentence.
    pub fn remark(&self) -> Remark {
        match self {
            Self::UntoleratedTaints => Remark::formula_taints(),
            Self::PreferredTerms => Remark::formula_preferred_terms(),
            Self::LeastAllocated => Remark::formula_least_allocated(),
            Self::MostAllocated => Remark::formula_most_allocated(),
            Self::RequestedToCapacityRatio { shape } => {
                let point = |it: &super::ShapePoint| format!("{} % → {}", it.utilization, it.score);
                Remark::formula_ratio(shape.iter().map(point).collect::<Vec<String>>())
            }
            Self::Balance => Remark::formula_balance(),
            Self::BalanceChange => Remark::formula_balance_change(),
            Self::Spread => Remark::formula_spread(),
            Self::PodTerms => Remark::formula_pod_terms(),
            Self::ImageSizes { .. } => Remark::formula_images(),
            Self::Alternatives => Remark::formula_alternatives(),
            Self::Zero => Remark::formula_zero(),
            Self::LeftOut => Remark::formula_left_out(),
        }
    }

    fn input(&self, input: &Input) -> Remark {
        match input {
            Input::Taint {
                key,
                value,
                effect,
                tolerated,
            } => match tolerated {
                true => Remark::score_tolerated(taint(key, value, effect)),
                false => Remark::score_untolerated(taint(key, value, effect)),
            },
            Input::PreferredTerm {
                requirements,
                weight,
                holds,
            } => match holds {
                true => Remark::score_term_holds(requirements, *weight),
                false => Remark::score_term_fails(requirements, *weight),
            },
            Input::Load { .. } => self.load(input),
            Input::Spread {
                topology_key,
                domain: Some(domain),
                count,
                domains,
                max_skew,
            } => Remark::score_spread(
                format!("{topology_key}={domain}"),
                *count,
                *domains,
                *max_skew,
                rounded(input.spread_points()),
            ),
            Input::PodTerm {
                domain: Some(_), ..
            } => pod_term(input),
            Input::Spread { topology_key, .. } | Input::PodTerm { topology_key, .. } => {
                Remark::no_topology_label(topology_key)
            }
            Input::Image {
                image,
                present: false,
                ..
            } => Remark::score_image_absent(image),
            Input::Image {
                image,
                size_bytes,
                nodes,
                all_nodes,
                ..
            } => Remark::score_image(
                image,
                quantity::readable_bytes(*size_bytes),
                *nodes,
                *all_nodes,
                quantity::readable_bytes(input.points()),
            ),
            Input::Alternative {
                claim,
                request,
                index,
            } => Remark::score_alternative(
                format!("{claim}/{request}"),
                index + 1,
                *index,
                input.points(),
            ),
        }
    }

    fn load(&self, input: &Input) -> Remark {
        let Input::Load {
            resource,
            used,
            request,
            allocatable,
            ..
        } = input
        else {
            return Remark::default();
        };
        let requested = used.wrapping_add(*request);
        let amount = |amount| quantity::exact(resource, amount);
        let (sum, all) = (amount(requested), amount(*allocatable));
        let (used, request) = (amount(*used), amount(*request));
        let score = self.part(input).map(|(score, _)| score);
        match (self, score) {
            (Self::LeastAllocated, Some(score)) => {
                let free = amount(allocatable.wrapping_sub(requested).max(0));
                Remark::score_free(resource, used, request, free, all, score)
            }
            (Self::RequestedToCapacityRatio { .. }, Some(score)) => {
                let utilization = utilization(requested, *allocatable);
                Remark::score_on_shape(resource, used, request, sum, all, utilization, score)
            }
            (_, Some(score)) => Remark::score_used(resource, used, request, sum, all, score),
            (_, None) => {
                let share = percent(requested, *allocatable);
                Remark::score_share(resource, used, request, sum, all, share)
            }
        }
    }

    fn sum(&self, inputs: &[Fact<Input>]) -> Option<Remark> {
        let raw = self.evaluate(inputs);
        let kinds = || inputs.iter().map(|fact| &fact.kind);
        Some(match self {
            Self::UntoleratedTaints
            | Self::PreferredTerms
            | Self::PodTerms
            | Self::Alternatives => {
                added(kinds().map(Input::points).map(signed), inputs.len(), raw)?
            }
            Self::LeastAllocated | Self::MostAllocated | Self::RequestedToCapacityRatio { .. } => {
                let zeros_count = !matches!(self, Self::RequestedToCapacityRatio { .. });
                let parts = kinds().filter_map(|input| self.part(input));
                let parts: Vec<(i64, i64)> = parts
                    .filter(|(score, _)| zeros_count || *score > 0)
                    .collect();
                averaged(&parts, raw)
            }
            Self::Balance => {
                Remark::score_balance(shares(inputs, |(used, request, _)| used + request), raw)
            }
            Self::BalanceChange => {
                let with = balance(loads(kinds()).map(|it| (it.0 + it.1, it.2)));
                let without = balance(loads(kinds()).map(|it| (it.0, it.2)));
                Remark::score_balance_change(
                    shares(inputs, |(used, request, _)| used + request),
                    with,
                    shares(inputs, |(used, _, _)| used),
                    without,
                    raw,
                )
            }
            Self::Spread => {
                let parts = kinds().map(|input| rounded(input.spread_points()));
                Remark::score_rounded(parts.collect::<Vec<String>>().join(" + "), raw)
            }
            Self::ImageSizes { containers } => {
                let sum = kinds().fold(0, |sum: i64, it| sum.wrapping_add(it.points()));
                let most = MOST_IMAGE_BYTES_PER_CONTAINER.saturating_mul(*containers);
                Remark::score_images(
                    quantity::readable_bytes(sum),
                    quantity::readable_bytes(LEAST_IMAGE_BYTES),
                    quantity::readable_bytes(most),
                    raw,
                )
            }
            Self::Zero | Self::LeftOut => return None,
        })
    }
}

/// `3 + 5 = 8`; a single number needs no sum.
fn added(parts: impl Iterator<Item = String>, count: usize, sum: i64) -> Option<Remark> {
    match count {
        0 => Some(Remark::score_nothing()),
        1 => None,
        _ => {
            let parts = parts
                .collect::<Vec<String>>()
                .join(" + ")
                .replace("+ −", "− ");
            Some(Remark::quoted(format!("{parts} = {}", signed(sum))))
        }
    }
}

/// `(75 × 1 + 87 × 1) ÷ 2 = 81`.
fn averaged(parts: &[(i64, i64)], score: i64) -> Remark {
    if parts.is_empty() {
        return Remark::score_nothing();
    }
    let weights: i64 = parts.iter().map(|(_, weight)| weight).sum();
    let parts = parts
        .iter()
        .map(|(score, weight)| format!("{score} × {weight}"));
    let parts = parts.collect::<Vec<String>>().join(" + ");
    Remark::quoted(format!("({parts}) ÷ {weights} = {score}"))
}

/// The shares of the resources, as the standard deviation counts them.
fn shares(inputs: &[Fact<Input>], requested: impl Fn((i64, i64, i64)) -> i64) -> Value {
    let loads = loads(inputs.iter().map(|fact| &fact.kind));
    let shares = loads.map(|load| percent(requested(load), load.2));
    shares.collect::<Vec<String>>().into()
}

/// A share of at most the whole, in percent.
fn percent(part: i64, whole: i64) -> String {
    format!("{:.1} %", (part as f64 / whole as f64).min(1.0) * 100.0)
}

fn rounded(points: f64) -> String {
    format!("{points:.2}")
}

fn signed(number: i64) -> String {
    match number {
        0.. => number.to_string(),
        _ => format!("−{}", number.unsigned_abs()),
    }
}

impl Normalization {
    fn remark(&self, raw: i64) -> Remark {
        let normalized = self.of(raw);
        let raw = signed(raw);
        match *self {
            Self::Unchanged => Remark::score_unchanged(normalized),
            Self::ByMaximum { maximum: 0 } => Remark::score_no_maximum(normalized),
            Self::ByMaximum { maximum } => Remark::score_by_maximum(raw, maximum, normalized),
            Self::Reversed { maximum: 0 } | Self::Mirrored { maximum: 0, .. } => {
                Remark::score_all_zero(normalized)
            }
            Self::Reversed { maximum } => Remark::score_reversed(raw, maximum, normalized),
            Self::Mirrored { minimum, maximum } => {
                Remark::score_mirrored(maximum, minimum, raw, normalized)
            }
            Self::Between { minimum, maximum } if maximum == minimum => {
                Remark::score_all_equal(signed(minimum), normalized)
            }
            Self::Between { minimum, maximum } => Remark::score_between(
                signed(minimum),
                signed(maximum),
                raw,
                maximum - minimum,
                normalized,
            ),
        }
    }
}

/// A term of Pod affinity that counts Pods in the node's domain.
fn pod_term(input: &Input) -> Remark {
    let Input::PodTerm {
        term,
        topology_key,
        domain: Some(domain),
        count,
        weight,
        selector,
    } = input
    else {
        return Remark::default();
    };
    let place = format!("{topology_key}={domain}");
    let (weight, points) = (signed(*weight), signed(input.points()));
    let what = match term {
        PodTermKind::Affinity => Remark::score_near(selector, *count, weight, points),
        PodTermKind::AntiAffinity => Remark::score_away(selector, *count, weight, points),
        PodTermKind::ExistingAffinity => Remark::score_wanted(*count, weight, points),
        PodTermKind::ExistingAntiAffinity => Remark::score_unwanted(*count, weight, points),
        PodTermKind::ExistingRequired => Remark::score_required(*count, weight, points),
    };
    Remark::prefixed(place, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(resource: &str, used: i64, request: i64, allocatable: i64) -> Fact<Input> {
        Fact::new(Input::Load {
            resource: resource.to_owned(),
            used,
            request,
            allocatable,
            weight: 1,
        })
    }

    fn lines(arithmetic: &Arithmetic, weight: i64) -> Vec<String> {
        let lines = arithmetic.lines(weight);
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_score_reads_line_by_line() {
        let fit = Arithmetic {
            formula: Formula::LeastAllocated,
            inputs: vec![
                load("cpu", 500, 500, 4000),
                load("memory", 1 << 30, 1 << 30, 8 << 30),
            ],
            normalization: Normalization::Unchanged,
        };
        assert_eq!(
            lines(&fit, 1),
            [
                "LeastAllocated: the free share of each resource, averaged by weight",
                "cpu: 500m used + 500m requested leave 3000m of 4000m free → 75",
                "memory: 1Gi used + 1Gi requested leave 6Gi of 8Gi free → 75",
                "(75 × 1 + 75 × 1) ÷ 2 = 75",
                "from 0 to 100 already: 75",
                "75 × weight 1 = 75",
            ]
        );
    }

    #[test]
    fn anti_affinity_is_subtracted() {
        let term = |term, count, weight| {
            Fact::new(Input::PodTerm {
                term,
                topology_key: "zone".to_owned(),
                domain: Some("a".to_owned()),
                count,
                weight,
                selector: "app=web".to_owned(),
            })
        };
        let affinity = Arithmetic {
            formula: Formula::PodTerms,
            inputs: vec![
                term(PodTermKind::Affinity, 2, 10),
                term(PodTermKind::ExistingAntiAffinity, 1, -30),
            ],
            normalization: Normalization::Between {
                minimum: -10,
                maximum: 30,
            },
        };
        assert_eq!(
            lines(&affinity, 2)[1..],
            [
                "zone=a: Pods of app=web that it wants near: 2 × weight 10 = 20",
                "zone=a: running Pods that want this Pod away: 1 × weight −30 = −30",
                "20 − 30 = −10",
                "from −10, the lowest of all nodes, to 30, the highest: 100 × (−10 − −10) ÷ 40 = 0",
                "0 × weight 2 = 0",
            ]
        );
    }
}
