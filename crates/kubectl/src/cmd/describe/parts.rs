//! Parts of pages that many kinds share: labels, annotations, tolerations, events.

use serde_json::Value;

use super::page::Page;
use crate::printers::fields::{Fields, controller, scalar, selector};
use crate::printers::time;
use crate::resource::event;
use berth_base::sort;
use berth_sim::server::ApiServer;

/// Annotations beyond this length are shown on lines of their own, and cut there.
const MAX_ANNOTATION: usize = 140;

/// The annotation that kubectl hides.
const HIDDEN_ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Labels, or any map of strings: one pair per line.
pub(crate) fn labels(page: &mut Page, prefix: &str, name: &str, map: &Value) {
    let pairs = map.entries_here().into_iter();
    let pairs: Vec<_> = pairs
        .map(|(key, value)| format!("{key}={}", scalar(value)))
        .collect();
    page.values(prefix, name, &pairs);
}

/// Annotations; long ones below their key.
pub(crate) fn annotations(page: &mut Page, name: &str, map: &Value) {
    let mut lines = Vec::new();
    for (key, value) in map.entries_here() {
        if key == HIDDEN_ANNOTATION {
            continue;
        }
        let value = scalar(value);
        let value = value.strip_suffix('\n').unwrap_or(&value);
        if value.len() + key.len() + 2 > MAX_ANNOTATION || value.contains('\n') {
            lines.push(format!("{key}:"));
            lines.extend(
                value
                    .split('\n')
                    .map(|line| format!("  {}", shortened(line))),
            );
        } else {
            lines.push(format!("{key}: {value}"));
        }
    }
    page.values("", name, &lines);
}

fn shortened(text: &str) -> String {
    let limit = MAX_ANNOTATION - 2;
    match text.char_indices().find(|(at, _)| *at >= limit) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// `Name`, `Namespace`, `Labels` and `Annotations` of an object.
pub(crate) fn head(page: &mut Page, object: &Value) {
    page.field(0, "Name", object.text("metadata.name"));
    page.field(0, "Namespace", object.text("metadata.namespace"));
    metadata(page, object);
}

/// `Labels` and `Annotations` of an object.
pub(crate) fn metadata(page: &mut Page, object: &Value) {
    labels(page, "", "Labels", object.at("metadata.labels"));
    annotations(page, "Annotations", object.at("metadata.annotations"));
}

/// `Controlled By`, if the object has a controller.
pub(crate) fn controlled_by(page: &mut Page, object: &Value) {
    let owner = controller(object);
    if !owner.is_null() {
        let label = format!("{}/{}", owner.text("kind"), owner.text("name"));
        page.field(0, "Controlled By", label);
    }
}

/// `node.kubernetes.io/not-ready:NoExecute op=Exists for 300s`, sorted by key.
pub(crate) fn tolerations(page: &mut Page, prefix: &str, spec: &Value) {
    let mut all: Vec<&Value> = spec.items("tolerations").iter().collect();
    sort::sort_by(&mut all, |a, b| a.text("key").cmp(b.text("key")));
    let lines = all.into_iter().map(|it| {
        let mut line = it.text("key").to_owned();
        for (sign, field) in [("=", "value"), (":", "effect")] {
            if !it.text(field).is_empty() {
                line.push_str(sign);
                line.push_str(it.text(field));
            }
        }
        if it.text("operator") == "Exists" && it.text("value").is_empty() {
            line.push_str(if line.is_empty() {
                "op=Exists"
            } else {
                " op=Exists"
            });
        }
        if it.has("tolerationSeconds") {
            line.push_str(&format!(" for {}s", it.int("tolerationSeconds")));
        }
        line
    });
    let lines: Vec<_> = lines.collect();
    page.values(prefix, "Tolerations", &lines);
}

/// `zone:DoNotSchedule when max skew 1 is exceeded for selector app=web`; omitted if there are none.
pub(crate) fn spread(page: &mut Page, prefix: &str, spec: &Value) {
    let mut all: Vec<&Value> = spec.items("topologySpreadConstraints").iter().collect();
    sort::sort_by(&mut all, |a, b| {
        a.text("topologyKey").cmp(b.text("topologyKey"))
    });
    let lines = all.into_iter().map(|it| {
        let whose = match it.at("labelSelector") {
            Value::Null => String::new(),
            labels => format!(" for selector {}", selector(labels)),
        };
        format!(
            "{}:{} when max skew {} is exceeded{whose}",
            it.text("topologyKey"),
            it.text("whenUnsatisfiable"),
            it.int("maxSkew")
        )
    });
    let lines: Vec<_> = lines.collect();
    if !lines.is_empty() {
        page.values(prefix, "Topology Spread Constraints", &lines);
    }
}

/// The events about an object, oldest first.
pub(crate) fn events(page: &mut Page, object: &Value, api: &ApiServer) {
    let records = event::about(api, object.text("metadata.uid"));
    if records.is_empty() {
        page.field(0, "Events", "<none>");
        return;
    }
    page.flush();
    page.line(0, "Events:\n  Type\tReason\tAge\tFrom\tMessage");
    page.line(1, "----\t------\t----\t----\t-------");
    for record in records {
        let since = |ms: i64| time::human(api.now_ms().saturating_sub(ms));
        let age = match record.count {
            0 | 1 => since(record.first_ms),
            count => format!(
                "{} (x{count} over {})",
                since(record.last_ms),
                since(record.first_ms)
            ),
        };
        let message = record.message.trim();
        page.line(
            1,
            format!(
                "{}\t{}\t{age}\t{}\t{message}",
                record.level.name(),
                record.reason,
                record.source
            ),
        );
    }
}

/// A table of conditions: type, status and reason.
pub(crate) fn reasons(page: &mut Page, object: &Value) {
    let conditions = object.items("status.conditions");
    if conditions.is_empty() {
        return;
    }
    page.line(0, "Conditions:\n  Type\tStatus\tReason");
    page.line(1, "----\t------\t------");
    for it in conditions {
        let cells = ["type", "status", "reason"].map(|field| it.text(field));
        page.line(1, format!("{} \t{}\t{}", cells[0], cells[1], cells[2]));
    }
}

/// `True`, `False`, or `<unset>`.
pub(crate) fn truth(value: &Value) -> &'static str {
    match value {
        Value::Bool(true) => "True",
        Value::Bool(false) => "False",
        _ => "<unset>",
    }
}

/// A value, or `<unset>`.
pub(crate) fn or_unset(value: &Value) -> String {
    match scalar(value) {
        text if text.is_empty() => "<unset>".to_owned(),
        text => text,
    }
}

/// `[a b]`: a list as Go prints it.
pub(crate) fn go_list(items: &[Value]) -> String {
    let items: Vec<_> = items.iter().map(scalar).collect();
    format!("[{}]", items.join(" "))
}
