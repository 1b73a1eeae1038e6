//! `kubectl events` (v1.34 `pkg/cmd/events`): what was said, oldest first.

use serde_json::Value;

use super::fields::Fields;
use super::format::Format;
use super::rows::Rows;
use super::{event, time};
use crate::base::sort;
use crate::kubectl::arguments::Flag;
use crate::kubectl::call::{Call, Done, Verb};
use crate::kubectl::targets::kind_of;
use crate::kubectl::{Cluster, Output};

pub(super) const EVENTS: Verb = Verb {
    name: "events",
    about: "List events",
    usage: "events [(-o|--output=)json|yaml|name|jsonpath] [--for TYPE/NAME] [--types=Normal,Warning]",
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
        Flag::number("chunk-size"),
    ],
    run: events,
};

fn events(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let (types, about) = (types(call)?, about(call)?);
    let output = call.arguments.word("output").unwrap_or_default();
    let template = call.arguments.word("template").unwrap_or_default();
    let format = Format::parse(output, template)?;
    let everywhere = call.is_all_namespaces();
    let mut found = event::events(cluster.api());
    found.retain(|event| {
        let object = event.at("involvedObject");
        let is_meant = about
            .as_ref()
            .is_none_or(|(kind, name)| object.text("kind") == *kind && object.text("name") == name);
        (everywhere || event.text("metadata.namespace") == call.namespace())
            && (types.is_empty() || types.contains(&event.text("type")))
            && is_meant
    });
    sort::sort_by(&mut found, |one, other| {
        one.text("lastTimestamp").cmp(other.text("lastTimestamp"))
    });
    let mut shown = Output::default();
    if format != Format::Table {
        shown.stdout = format.print(found, false, false)?;
    } else if found.is_empty() {
        shown.warn(if everywhere {
            "No events found.".to_owned()
        } else {
            format!("No events found in {} namespace.", call.namespace())
        });
    } else {
        let mut rows = Vec::new();
        if !call.arguments.is("no-headers") {
            let heads = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"].map(str::to_owned);
            rows.push(row(everywhere.then_some("NAMESPACE"), heads));
        }
        let now_ms = cluster.api().now_ms();
        rows.extend(found.iter().map(|event| {
            let namespace = everywhere.then(|| event.text("metadata.namespace"));
            row(namespace, cells(event, now_ms))
        }));
        shown.stdout = Rows::default().print(&rows);
    }
    Ok(shown)
}

fn row(namespace: Option<&str>, cells: [String; 5]) -> Vec<String> {
    let mut row: Vec<String> = namespace.map(str::to_owned).into_iter().collect();
    row.extend(cells);
    row
}

fn cells(event: &Value, now_ms: i64) -> [String; 5] {
    let last = time::age(event.text("lastTimestamp"), now_ms);
    let seen = match event.int("count") {
        0 | 1 => last,
        count => {
            let first = time::age(event.text("firstTimestamp"), now_ms);
            format!("{last} (x{count} over {first})")
        }
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
    use crate::kubectl::show::tests::{fails, run, told, web};

    #[test]
    fn events_of_one_object_or_all() {
        let mut cluster = web();
        told(
            &mut cluster,
            "events --for rs/web",
            "LAST SEEN   TYPE     REASON             OBJECT           MESSAGE\n\
             5s          Normal   SuccessfulCreate   ReplicaSet/web   Created pod: web-0001\n\
             5s          Normal   SuccessfulCreate   ReplicaSet/web   Created pod: web-0002\n",
        );
        let warnings = run(&mut cluster, "events --types=Warning");
        assert_eq!(warnings.stderr, "No events found in default namespace.\n");
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
