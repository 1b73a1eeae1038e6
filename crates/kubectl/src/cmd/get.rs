//! `kubectl get` (v1.34 `pkg/cmd/get`).

mod layout;
mod order;
pub(super) mod watch;

use serde_json::Value;

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::Format;
use crate::printers::rows::Rows;
use crate::resource::find::{Found, Query};
use crate::resource::subresource::{self, SUBRESOURCE};
use crate::{Cluster, Output};
use layout::Layout;

pub(crate) const GET: Verb = Verb {
    name: "get",
    about: "Display one or many resources",
    usage: "get [(-o|--output=)json|yaml|name|jsonpath|jsonpath-as-json|custom-columns|wide] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]",
    examples: &[
        "kubectl get pods",
        "kubectl get pods -o wide",
        "kubectl get deployment web -o yaml",
        "kubectl get pods -l app=web --show-labels",
        "kubectl get nodes -L topology.kubernetes.io/zone",
        "kubectl get pods --field-selector status.phase=Pending -A",
    ],
    flags: FLAGS,
    run: get,
};

const FLAGS: &[Flag] = &[
    Flag::switch("all-namespaces").short('A'),
    Flag::words("filename").short('f'),
    Flag::switch("recursive").short('R'),
    Flag::word("output").short('o'),
    Flag::word("template"),
    Flag::word("selector").short('l'),
    Flag::word("field-selector"),
    Flag::words("label-columns").short('L'),
    Flag::switch("show-labels"),
    Flag::switch("show-kind"),
    Flag::switch("show-managed-fields"),
    Flag::word("sort-by"),
    Flag::switch("no-headers"),
    Flag::switch("ignore-not-found"),
    Flag::switch("allow-missing-template-keys"),
    Flag::switch("watch").short('w'),
    Flag::switch("watch-only"),
    Flag::switch("output-watch-events"),
    Flag::switch("server-print"),
    Flag::number("chunk-size"),
    SUBRESOURCE,
];

const NOTHING_ASKED: &str = "You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n\nerror: Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).\nSee 'kubectl get -h' for help and examples";

fn get(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    if call.arguments.words.is_empty() && !call.arguments.has("filename") {
        return Err(NOTHING_ASKED.to_owned());
    }
    let output = call.arguments.word("output").unwrap_or_default();
    let template = call.arguments.word("template").unwrap_or_default();
    let format = Format::parse(output, template)?;
    let query = Query::of(call, cluster)?;
    if call.arguments.is("watch") || call.arguments.is("watch-only") {
        return watch::watch(call, query, format, cluster);
    }
    let mut found = query.find(cluster);
    if let Some(part) = subresource::asked(call) {
        only(part, &query, &mut found)?;
    }
    let sort_by = call.arguments.word("sort-by").unwrap_or_default();
    for group in &mut found.groups {
        if !sort_by.is_empty() && !group.objects.is_empty() {
            let sorted = order::sort_by(&mut group.objects, sort_by)?;
            // kubectl prints no row of a table if no object has the path.
            if !sorted && format == Format::Table {
                group.objects.clear();
            } else if !sorted {
                return Err(order::nowhere(sort_by));
            }
        }
    }
    let ignores = call.arguments.is("ignore-not-found");
    let no_headers = call.arguments.is("no-headers");
    let mut shown = Output::default();
    if let Some(warning) = query.warning() {
        shown.warning(warning);
    }
    if format == Format::Table {
        let mut layout = Layout::of(call);
        // Names are prefixed if there are answers of several kinds (kubectl's `multipleGVKsRequested`).
        let is_found = |kind: &str| {
            let mut groups = found.groups.iter().filter(|it| it.kind.kind == kind);
            groups.any(|it| !it.objects.is_empty())
        };
        let kinds = query.kinds.iter();
        let kinds = kinds.filter(|(kind, names)| names.is_empty() || is_found(kind.kind));
        let mut kinds = kinds.map(|(kind, _)| kind.kind);
        let first = kinds.next();
        layout.kinds |= kinds.any(|kind| Some(kind) != first);
        shown.stdout = tables(&found, &layout, no_headers, cluster.api().now_ms());
        if found.count() == 0 && found.missing.is_empty() && !ignores {
            shown.warn(nothing_found(&query));
        }
    } else {
        let is_single = query.is_single();
        if found.count() > 0 || found.missing.is_empty() {
            let objects = found.groups.iter_mut();
            let objects: Vec<Value> = objects
                .flat_map(|it| std::mem::take(&mut it.objects))
                .collect();
            shown.stdout = format.print(objects, is_single, no_headers)?;
        }
    }
    if !ignores {
        for line in &found.missing {
            shown.complain(line);
        }
    }
    Ok(shown)
}

/// `--subresource`: the API server returns the whole object, except for `scale`.
fn only(part: &str, query: &Query, found: &mut Found) -> Result<(), String> {
    if query.kinds.iter().any(|(_, names)| names.is_empty()) {
        return Err(
            "error: subresource cannot be used when bulk resources are specified".to_owned(),
        );
    }
    for group in &mut found.groups {
        subresource::check(group.kind, Some(part))?;
        if part == "scale" {
            group.kind = &subresource::SCALE;
            for object in &mut group.objects {
                *object = subresource::scale_of(object);
            }
        }
    }
    Ok(())
}

/// The columns that a call asks for. With several kinds, names are prefixed with their kind.
pub(crate) fn layout_of(call: &Call<'_>, query: &Query) -> Layout {
    let mut layout = Layout::of(call);
    let mut kinds = query.kinds.iter().map(|(kind, _)| kind.kind);
    let first = kinds.next();
    layout.kinds |= kinds.any(|kind| Some(kind) != first);
    layout
}

fn tables(found: &Found, layout: &Layout, no_headers: bool, now_ms: i64) -> String {
    let mut out = String::new();
    for group in found
        .groups
        .iter()
        .filter(|group| !group.objects.is_empty())
    {
        if !out.is_empty() && !no_headers {
            out.push('\n');
        }
        let mut rows = Vec::with_capacity(group.objects.len() + 1);
        if !no_headers {
            rows.push(layout.heads(group.kind));
        }
        let objects = group.objects.iter();
        rows.extend(objects.map(|object| layout.row(group.kind, object, now_ms, "")));
        out.push_str(&Rows::default().print(&rows));
    }
    out
}

fn nothing_found(query: &Query) -> String {
    if !query.everywhere && query.kinds.iter().all(|(kind, _)| kind.namespaced) {
        format!("No resources found in {} namespace.", query.namespace)
    } else {
        "No resources found".to_owned()
    }
}

#[cfg(test)]
mod tests;
