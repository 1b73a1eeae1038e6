//! `kubectl events` (v1.34 `pkg/cmd/events`): events, oldest first.

use std::collections::BTreeMap;

use serde_json::Value;

use super::get::watch;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::Format;
use crate::printers::fields::Fields;
use crate::printers::rows::Rows;
use crate::printers::time;
use crate::resource::event;
use crate::resource::targets::kind_of;
use crate::suspended::{Poll, Suspended};
use crate::{Cluster, Output};
use berth_base::sort;

pub(crate) const EVENTS: Verb = Verb {
    name: "events",
    about: "List events",
    usage: "events [(-o|--output=)json|yaml|name|jsonpath] [--for TYPE/NAME] [--types=Normal,Warning] [--watch]",
    examples: &[
        "kubectl events",
        "kubectl events --for pod/web-1",
        "kubectl events --types=Warning -A",
    ],
    flags: &[
        Flag::switch("all-namespaces").short('A'),
        Flag::word("for"),
        Flag::words("types"),
        Flag::word("output").short('o'),
        Flag::word("template"),
        Flag::switch("no-headers"),
        Flag::switch("watch").short('w'),
        Flag::number("chunk-size"),
    ],
    run: events,
};

fn events(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let (types, about) = (types(call)?, about(call)?);
    let output = call.arguments.word("output").unwrap_or_default();
    let template = call.arguments.word("template").unwrap_or_default();
    let format = Format::parse(output, template)?;
    let namespace = (!call.is_all_namespaces()).then(|| call.namespace().to_owned());
    let wanted = Filter {
        types,
        about,
        namespace,
    };
    let found = wanted.find(cluster);
    let mut shown = Output::default();
    if format != Format::Table {
        shown.stdout = format.print(found, false, false)?;
        return Ok(shown);
    }
    let mut printer = Printer {
        wanted,
        rows: Rows::default(),
        has_head: call.arguments.is("no-headers"),
    };
    printer.print(&found, cluster.api().now_ms(), &mut shown);
    if call.arguments.is("watch") {
        let watch = Watch::new(printer, &found, cluster.api().now_ms());
        return Ok(shown.and(call.wait(watch, cluster)));
    }
    if found.is_empty() {
        shown.warn(match &printer.wanted.namespace {
            None => "No events found.".to_owned(),
            Some(namespace) => format!("No events found in {namespace} namespace."),
        });
    }
    Ok(shown)
}

/// Which events to list.
struct Filter {
    types: Vec<&'static str>,
    about: Option<(&'static str, String)>,
    /// `None` for all namespaces.
    namespace: Option<String>,
}

impl Filter {
    /// The matching events, oldest first.
    fn find(&self, cluster: &dyn Cluster) -> Vec<Value> {
        let mut found = event::events(cluster.api());
        found.retain(|event| {
            let object = event.at("involvedObject");
            let is_meant = self.about.as_ref().is_none_or(|(kind, name)| {
                object.text("kind") == *kind && object.text("name") == name
            });
            let namespace = self.namespace.as_ref();
            namespace.is_none_or(|it| event.text("metadata.namespace") == it)
                && (self.types.is_empty() || self.types.contains(&event.text("type")))
                && is_meant
        });
        sort::sort_by(&mut found, |a, b| {
            let last = |event| time::ms(event::times(event).1);
            last(a).cmp(&last(b))
        });
        found
    }
}

struct Printer {
    wanted: Filter,
    rows: Rows,
    has_head: bool,
}

impl Printer {
    fn print(&mut self, events: &[Value], now_ms: i64, output: &mut Output) {
        if events.is_empty() {
            return;
        }
        let everywhere = self.wanted.namespace.is_none();
        let mut rows = Vec::new();
        if !std::mem::replace(&mut self.has_head, true) {
            let heads = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"].map(str::to_owned);
            rows.push(row(everywhere.then_some("NAMESPACE"), heads));
        }
        rows.extend(events.iter().map(|event| {
            let namespace = everywhere.then(|| event.text("metadata.namespace"));
            row(namespace, cells(event, now_ms))
        }));
        output.stdout.push_str(&self.rows.print(&rows));
    }
}

/// `--watch`: the events from now on.
struct Watch {
    printer: Printer,
    /// Printed events, by namespace and name.
    seen: BTreeMap<(String, String), Value>,
    end_ms: i64,
}

impl Watch {
    fn new(printer: Printer, printed: &[Value], now_ms: i64) -> Self {
        let named = printed.iter().map(|event| (key(event), event.clone()));
        Self {
            printer,
            seen: sort::gather(named),
            end_ms: now_ms.saturating_add(watch::LONGEST_MS),
        }
    }
}

impl Suspended for Watch {
    fn poll(&mut self, happened: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll {
        let now_ms = cluster.api().now_ms();
        let mut news = self.printer.wanted.find(cluster);
        news.retain(|event| self.seen.get(&key(event)) != Some(event));
        self.printer.print(&news, now_ms, output);
        let news = news.into_iter();
        self.seen.extend(news.map(|event| (key(&event), event)));
        if !happened || now_ms >= self.end_ms {
            output.stderr.push_str(watch::QUIET);
            return Poll::Ready;
        }
        Poll::Pending(self.end_ms.min(now_ms.saturating_add(watch::QUIET_MS)))
    }
}

fn key(event: &Value) -> (String, String) {
    let [namespace, name] = ["metadata.namespace", "metadata.name"].map(|path| event.text(path));
    (namespace.to_owned(), name.to_owned())
}

fn row(namespace: Option<&str>, cells: [String; 5]) -> Vec<String> {
    let mut row: Vec<String> = namespace.map(str::to_owned).into_iter().collect();
    row.extend(cells);
    row
}

fn cells(event: &Value, now_ms: i64) -> [String; 5] {
    let (first, last, count) = event::times(event);
    let (first, last) = (time::age(first, now_ms), time::age(last, now_ms));
    let seen = match count {
        1 => first,
        count => format!("{last} (x{count} over {first})"),
    };
    let object = event.at("involvedObject");
    [
        seen,
        event.text("type").to_owned(),
        event.text("reason").to_owned(),
        format!("{}/{}", object.text("kind"), object.text("name")),
        event.text("message").trim().to_owned(),
    ]
}

/// `--types`, in the API's spelling.
fn types(call: &Call<'_>) -> Result<Vec<&'static str>, String> {
    let types = call.arguments.list("types").into_iter();
    let types = types.map(|word| match word.to_lowercase().as_str() {
        "normal" => Ok("Normal"),
        "warning" => Ok("Warning"),
        _ => Err("error: valid --types are Normal or Warning".to_owned()),
    });
    types.collect()
}

/// `--for`: the kind and name of the object.
fn about(call: &Call<'_>) -> Result<Option<(&'static str, String)>, String> {
    let Some(word) = call.arguments.word("for") else {
        return Ok(None);
    };
    match word.split_once('/') {
        Some((kind, name)) if !kind.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok(Some((kind_of(kind)?.kind, name.to_owned())))
        }
        _ => Err("error: --for must be in resource/name form".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::commands::{fails, prints, run, web};

    #[test]
    fn events_of_one_object_or_all() {
        let mut cluster = web();
        prints(
            &mut cluster,
            "events --for rs/web",
            "LAST SEEN   TYPE     REASON             OBJECT           MESSAGE\n\
             5s          Normal   SuccessfulCreate   ReplicaSet/web   Created pod: web-0001\n\
             5s          Normal   SuccessfulCreate   ReplicaSet/web   Created pod: web-0002\n",
        );
        let warnings = run(&mut cluster, "events --types=Warning");
        assert_eq!(warnings.stderr, "No events found in default namespace.\n");
        let watched = run(&mut cluster, "events --for rs/web -w");
        assert_eq!(watched.stdout.lines().count(), 3);
        assert!(
            watched.stderr.contains("nothing happens"),
            "{}",
            watched.stderr
        );
        fails(
            &mut cluster,
            "events --types=Odd",
            "error: valid --types are Normal or Warning",
        );
        fails(
            &mut cluster,
            "events --for web",
            "error: --for must be in resource/name form",
        );
    }
}
