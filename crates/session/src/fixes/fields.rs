//! Paths to fields of objects.

use serde_json::Value;

use berth_protocol::edit::PathStep;

/// A step to a key.
pub fn key(name: &str) -> PathStep {
    PathStep::Key(name.to_owned())
}

/// Splits a field path of the API server (`spec.containers[0].image`) into steps. A number in brackets is an index,
/// anything else a key.
pub fn steps(path: &str) -> Vec<PathStep> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (name, after) = inside.split_once(']').unwrap_or((inside, ""));
            steps.push(name.parse().map_or_else(|_| key(name), PathStep::Index));
            rest = after;
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if !name.is_empty() {
            steps.push(key(name));
        }
        rest = after;
    }
    steps
}

/// The value of a field, if it exists.
pub fn get<'v>(value: &'v Value, path: &[PathStep]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        PathStep::Index(index) => value.get(index),
        PathStep::Key(name) => value.get(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_the_api_server_writes_them() {
        let path = steps("spec.containers[1].resources.limits[nvidia.com/gpu]");
        let want = [
            key("spec"),
            key("containers"),
            PathStep::Index(1),
            key("resources"),
            key("limits"),
            key("nvidia.com/gpu"),
        ];
        assert_eq!(path, want);
    }
}
