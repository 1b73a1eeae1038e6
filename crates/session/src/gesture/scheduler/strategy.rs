//! Changes of NodeResourcesFit's `scoringStrategy`: its type, the weights of its resources, the points of its shape.

use serde_json::{Value, json};

use super::{Draft, get, key, positions};
use berth_protocol::edit::PathStep;
use berth_protocol::scheduler::SchedulerField as Field;

const FIT: &str = "NodeResourcesFit";
const RATIO: &str = "RequestedToCapacityRatio";

impl Draft<'_> {
    /// Changes of NodeResourcesFit's `scoringStrategy`.
    pub(super) fn strategy(&mut self) {
        let (change, profile) = (self.change, self.profile);
        let strategy = &profile.args.node_resources_fit.scoring_strategy;
        let list = self.raw.get("pluginConfig");
        let entry = positions(list, FIT).first().copied();
        let raw = entry.and_then(|at| list?.get(at)?.get("args")?.get("scoringStrategy"));
        let base = self.args(FIT, &["scoringStrategy"]);
        let at =
            |rest: &[&str]| [base.clone(), rest.iter().map(|name| key(name)).collect()].concat();
        let has = |field: &[&str]| {
            raw.and_then(|raw| get(raw, field))
                .is_some_and(|it| !it.is_null())
        };
        if change.field == Field::Strategy {
            return self.strategy_type(&at, &has);
        }
        if !has(&["type"]) {
            // The type is required as soon as another field of the strategy is set.
            self.set(&at(&["type"]), json!(format!("{:?}", strategy.kind)));
        }
        let (resources, shape) = (
            at(&["resources"]),
            at(&["requestedToCapacityRatio", "shape"]),
        );
        let item = |list: &[PathStep], field: &[&str]| {
            let fields = field.iter().map(|name| key(name)).collect();
            [list.to_vec(), vec![PathStep::Index(change.index)], fields].concat()
        };
        let is_resource = matches!(
            change.field,
            Field::AddResource | Field::RemoveResource | Field::ResourceWeight
        );
        if is_resource && !has(&["resources"]) {
            let specs = strategy.resources.iter();
            let specs: Vec<Value> = specs
                .map(|spec| json!({"name": spec.name, "weight": spec.weight}))
                .collect();
            self.set(&resources, Value::Array(specs));
        }
        match change.field {
            Field::AddResource => {
                let spec = json!({"name": change.value.trim(), "weight": 1});
                self.append(&resources, spec);
            }
            Field::RemoveResource => self.remove(&item(&resources, &[])),
            Field::ResourceWeight => self.write(&item(&resources, &["weight"])),
            Field::RemovePoint => self.remove(&item(&shape, &[])),
            Field::Utilization => self.write(&item(&shape, &["utilization"])),
            Field::PointScore => self.write(&item(&shape, &["score"])),
            _ => {
                let points = strategy
                    .shape
                    .iter()
                    .map(|point| (point.utilization, point.score));
                let mut points: Vec<_> = points.collect();
                let (position, point) = between(&points);
                if position == points.len() {
                    return self.append(&shape, point_json(point));
                }
                points.insert(position.min(points.len()), point);
                self.set(&shape, points.into_iter().map(point_json).collect());
            }
        }
    }

    /// Sets another strategy type, with a shape if and only if the type has one.
    fn strategy_type(
        &mut self,
        at: &dyn Fn(&[&str]) -> Vec<PathStep>,
        has: &dyn Fn(&[&str]) -> bool,
    ) {
        let ratio = "requestedToCapacityRatio";
        self.write(&at(&["type"]));
        match self.change.value == RATIO {
            true if !has(&[ratio, "shape"]) => {
                // As MostAllocated: a higher utilization has a higher score.
                let points = [(0, 0), (100, 10)].map(point_json);
                self.set(&at(&[ratio, "shape"]), points.into_iter().collect());
            }
            false if has(&[ratio]) => self.remove(&at(&[ratio])),
            _ => {}
        }
    }
}

fn point_json((utilization, score): (i32, i32)) -> Value {
    json!({"utilization": utilization, "score": score})
}

/// A point in the middle of a shape's widest gap, on its line, and its position in the list.
fn between(shape: &[(i32, i32)]) -> (usize, (i32, i32)) {
    let (Some(first), Some(last)) = (shape.first(), shape.last()) else {
        return (0, (0, 0));
    };
    if last.0 < 100 {
        return (shape.len(), (100, last.1));
    }
    if first.0 > 0 {
        return (0, (0, first.1));
    }
    let widest = shape
        .windows(2)
        .enumerate()
        .filter_map(|(position, pair)| match pair {
            [one, other] => Some((other.0.saturating_sub(one.0), position, one, other)),
            _ => None,
        })
        .max_by_key(|(width, position, ..)| (*width, usize::MAX - position));
    widest.map_or((1, (100, last.1)), |(_, position, one, other)| {
        let middle = |a: i32, b: i32| i32::midpoint(a, b);
        (
            position + 1,
            (middle(one.0, other.0), middle(one.1, other.1)),
        )
    })
}
