//! `kubectl get --watch`: prints rows as objects change, on the virtual clock.
//!
//! kubectl watches until it is interrupted. This watch ends after half a minute of virtual time without a change in the
//! cluster, and after ten minutes at the latest. With `--request-timeout`, it ends exactly then.

use std::collections::BTreeMap;

use serde_json::Value;

use super::layout::Layout;
use crate::call::{Call, Done};
use crate::cmd::get;
use crate::kinds::KindInfo;
use crate::printers::Format;
use crate::printers::fields::Fields;
use crate::printers::rows::Rows;
use crate::resource::find::Query;
use crate::suspended::{Poll, Suspended};
use crate::{Cluster, Output};
use berth_shell::duration_ms;

/// Virtual time without a change that ends a watch.
pub(crate) const QUIET_MS: i64 = 30_000;

/// The note printed at that end: kubectl itself would keep waiting.
pub(crate) const QUIET: &str = "# nothing happens any more for now: kubectl itself would wait on\n";

/// Maximum duration of a watch without `--request-timeout`.
pub(crate) const LONGEST_MS: i64 = 600_000;

/// Maximum lines that a watch prints.
const MAX_LINES: usize = 10_000;

/// Objects by namespace and name.
type Seen = BTreeMap<(String, String), Value>;

pub(crate) fn watch(
    call: &mut Call<'_>,
    query: Query,
    format: Format,
    cluster: &mut dyn Cluster,
) -> Done {
    let [(kind, _)] = query.kinds.as_slice() else {
        return Err("error: you may only specify a single resource type".to_owned());
    };
    let kind = *kind;
    let mut layout = get::layout_of(call, &query);
    layout.changes = call.arguments.is("output-watch-events");
    let mut printer = Printer {
        kind,
        format,
        layout,
        rows: Rows::default(),
        no_headers: call.arguments.is("no-headers"),
        lines: 0,
    };
    let found = query.find(cluster);
    if let Some(line) = found.missing.first() {
        return Err(line.clone());
    }
    let first = found.groups.into_iter().flat_map(|group| group.objects);
    let first: Vec<Value> = first.collect();
    let mut output = Output::default();
    if !call.arguments.is("watch-only") {
        let changes = first.iter().map(|object| ("ADDED", object));
        let changes: Vec<_> = changes.collect();
        printer.print(&changes, cluster.api().now_ms(), &mut output)?;
    }
    let asked = call.arguments.word("request-timeout").and_then(timeout_ms);
    let start = cluster.api().now_ms();
    let watch = Watch {
        query,
        printer,
        seen: by_name(&first),
        end: start.saturating_add(asked.unwrap_or(LONGEST_MS)),
        has_end: asked.is_some(),
    };
    Ok(output.and(call.wait(watch, cluster)))
}

/// A running watch.
struct Watch {
    query: Query,
    printer: Printer,
    seen: Seen,
    /// When the watch ends, in milliseconds of virtual time.
    end: i64,
    /// Whether `--request-timeout` set that end; a quiet cluster does not end such a watch.
    has_end: bool,
}

impl Suspended for Watch {
    fn poll(&mut self, happened: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll {
        let [(kind, keys)] = self.query.kinds.as_slice() else {
            return Poll::Ready;
        };
        let now: Vec<Value> = if keys.is_empty() {
            self.query.all(kind, cluster)
        } else {
            keys.iter()
                .filter_map(|key| Query::one(kind, key, cluster))
                .collect()
        };
        let now = by_name(&now);
        let now_ms = cluster.api().now_ms();
        let changes = changes(&self.seen, &now);
        if let Err(complaint) = self.printer.print(&changes, now_ms, output) {
            output.complain(complaint);
            return Poll::Ready;
        }
        self.seen = now;
        let is_quiet = !happened && !self.has_end;
        if is_quiet || now_ms >= self.end || self.printer.lines >= MAX_LINES {
            if !self.has_end {
                output.stderr.push_str(QUIET);
            }
            return Poll::Ready;
        }
        Poll::Pending(if self.has_end {
            self.end
        } else {
            self.end.min(now_ms.saturating_add(QUIET_MS))
        })
    }
}

/// `30` and `30s`; 0 means no limit.
fn timeout_ms(text: &str) -> Option<i64> {
    let seconds = text
        .parse::<i64>()
        .ok()
        .map(|seconds| seconds.saturating_mul(1_000));
    seconds.or_else(|| duration_ms(text)).filter(|ms| *ms > 0)
}

fn by_name(objects: &[Value]) -> Seen {
    let entries = objects.iter().map(|object| {
        let [namespace, name] =
            ["metadata.namespace", "metadata.name"].map(|path| object.text(path).to_owned());
        ((namespace, name), object.clone())
    });
    berth_base::sort::gather(entries)
}

/// The watch events between two states, ordered by resource version; deletions of objects that are gone come last.
fn changes<'a>(before: &'a Seen, now: &'a Seen) -> Vec<(&'static str, &'a Value)> {
    let mut found: Vec<(&'static str, &Value)> = Vec::new();
    for (key, object) in now {
        match before.get(key) {
            None => found.push(("ADDED", object)),
            Some(old) if old.text("metadata.uid") != object.text("metadata.uid") => {
                found.push(("DELETED", old));
                found.push(("ADDED", object));
            }
            Some(old) if old != object => found.push(("MODIFIED", object)),
            Some(_) => {}
        }
    }
    let version = |object: &Value| {
        object
            .text("metadata.resourceVersion")
            .parse::<u64>()
            .unwrap_or(0)
    };
    berth_base::sort::sort_by_key(&mut found, |(_, object)| version(object));
    let gone = before.iter().filter(|(key, _)| !now.contains_key(*key));
    found.extend(gone.map(|(_, object)| ("DELETED", object)));
    found
}

struct Printer {
    kind: &'static KindInfo,
    format: Format,
    layout: Layout,
    rows: Rows,
    no_headers: bool,
    lines: usize,
}

impl Printer {
    fn print(
        &mut self,
        changes: &[(&str, &Value)],
        now_ms: i64,
        output: &mut Output,
    ) -> Result<(), String> {
        if changes.is_empty() {
            return Ok(());
        }
        if self.format != Format::Table {
            for (_, object) in changes {
                let objects = vec![(*object).clone()];
                let text = self.format.print(objects, true, self.no_headers)?;
                output.stdout.push_str(&text);
                self.lines += 1;
            }
            return Ok(());
        }
        let mut rows = Vec::new();
        if self.lines == 0 && !self.no_headers {
            rows.push(self.layout.heads(self.kind));
        }
        let (kind, layout) = (self.kind, &self.layout);
        let changes = changes.iter();
        rows.extend(changes.map(|(change, object)| layout.row(kind, object, now_ms, change)));
        self.lines += rows.len();
        output.stdout.push_str(&self.rows.print(&rows));
        Ok(())
    }
}
