//! The columns of a table: those of the kind, and those that flags add.

use serde_json::Value;

use crate::call::Call;
use crate::kinds::KindInfo;
use crate::printers::fields::{Fields, pairs};
use crate::printers::table;

/// What `get` shows besides a kind's own columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) wide: bool,
    pub(crate) namespaces: bool,
    /// Whether names are prefixed with their kind.
    pub(crate) kinds: bool,
    pub(crate) labels: bool,
    pub(crate) label_columns: Vec<String>,
    /// Whether rows show the type of their watch event (`ADDED`).
    pub(crate) changes: bool,
}

impl Layout {
    pub(crate) fn of(call: &Call<'_>) -> Self {
        let columns = call.arguments.list("label-columns").into_iter();
        Layout {
            wide: call.arguments.word("output") == Some("wide"),
            namespaces: call.is_all_namespaces(),
            kinds: call.arguments.is("show-kind"),
            labels: call.arguments.is("show-labels"),
            label_columns: columns.map(str::to_owned).collect(),
            changes: false,
        }
    }

    /// The column headers of a kind.
    pub(crate) fn heads(&self, kind: &KindInfo) -> Vec<String> {
        let mut heads = Vec::new();
        if self.changes {
            heads.push("EVENT".to_owned());
        }
        if self.namespaces && kind.namespaced {
            heads.push("NAMESPACE".to_owned());
        }
        let columns = table::of(kind.kind)
            .columns
            .iter()
            .filter(|column| self.wide || !column.is_wide);
        heads.extend(columns.map(|column| column.name.to_owned()));
        for label in &self.label_columns {
            let name = label.rsplit('/').next().unwrap_or_default();
            heads.push(name.to_uppercase());
        }
        if self.labels {
            heads.push("LABELS".to_owned());
        }
        heads
    }

    /// An object's cells at `now_ms`; `change` is the type of its watch event.
    pub(crate) fn row(
        &self,
        kind: &KindInfo,
        object: &Value,
        now_ms: i64,
        change: &str,
    ) -> Vec<String> {
        let mut row = Vec::new();
        if self.changes {
            row.push(change.to_owned());
        }
        if self.namespaces && kind.namespaced {
            row.push(object.text("metadata.namespace").to_owned());
        }
        let table = table::of(kind.kind);
        let cells = (table.row)(object, now_ms);
        for (column, cell) in table.columns.iter().zip(cells) {
            let shown = self.wide || !column.is_wide;
            if shown && self.kinds && column.name == "NAME" {
                row.push(format!("{}/{cell}", kind.qualified()));
            } else if shown {
                row.push(cell);
            }
        }
        let labels = object.at("metadata.labels");
        for label in &self.label_columns {
            let label = labels.get(label).and_then(Value::as_str);
            row.push(label.unwrap_or_default().to_owned());
        }
        if self.labels {
            row.push(pairs(&labels.entries_here()));
        }
        row
    }
}
