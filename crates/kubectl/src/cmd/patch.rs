//! `kubectl patch`.

mod faults;

use serde_json::Value;

use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors::ErrorContext;
use crate::printers::report::{self, DRY_RUN, FIELD_MANAGER, OUTPUT, RECORD, Report};
use crate::resource::files::{self, FILENAME};
use crate::resource::subresource::{self, SCALE, SUBRESOURCE, scale_of};
use crate::resource::targets::{self, Target};
use crate::resource::write;
use berth_core::api::yaml;
use berth_sim::patch::{apply_operations, merge, strategic, strategic_problem};

pub(crate) const PATCH: Verb = Verb {
    name: "patch",
    about: "Update fields of a resource",
    usage: "patch (-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]",
    examples: &[
        "kubectl patch node n1 -p '{\"spec\":{\"unschedulable\":true}}'",
        "kubectl patch deployment web --type=json -p='[{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 3}]'",
    ],
    flags: &[
        FILENAME,
        OUTPUT,
        DRY_RUN,
        FIELD_MANAGER,
        RECORD,
        Flag::word("patch").short('p'),
        Flag::word("patch-file"),
        Flag::word("type"),
        SUBRESOURCE,
        Flag::switch("local"),
    ],
    run,
};

const DOES_NOT_APPLY: &str =
    "The request is invalid: the server rejected our request due to an error in our request";

fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let how = call.arguments.word("type").unwrap_or("strategic");
    if !matches!(how, "strategic" | "merge" | "json") {
        return Err(format!(
            "error: --type must be one of [json merge strategic], not {how:?}"
        ));
    }
    let patch = given(how, call, cluster)?;
    let dry = report::dry_run(call)?;
    let mut report = Report::new(call)?;
    report.follow(cluster.api().release());
    let part = subresource::asked(call);
    let (words, select) = (&call.arguments.words, targets::select);
    let none = "error: must specify one or more resources by argument or filename";
    let found = files::targets_or(call, words, select, none, cluster)?;
    for target in &found.targets {
        let Target { kind, key } = target;
        let mut warnings = Vec::new();
        let mut edit = |object: &mut Value| {
            subresource::check(kind, part)?;
            let before = object.clone();
            if part == Some("scale") {
                let mut scale = scale_of(object);
                apply(how, &mut scale, &patch)?;
                return subresource::rescale(object, &scale, key.name());
            }
            apply(how, object, &patch)?;
            faults::same_type(&before, object)?;
            warnings = faults::mend(how, &patch, object)?;
            if part != Some("resize") {
                write::stay_within(part, object, &before);
            }
            report::record(call, object);
            Ok(())
        };
        let context = ErrorContext::Nothing;
        let mut changed = report::on(dry, cluster, |api| {
            write::change_part(kind, key, part, context, api, &mut edit)
        });
        for warning in &warnings {
            report.output.warn(warning);
        }
        report.asks(kind);
        if part.is_none() {
            report.hear(cluster);
        }
        let kind = if part == Some("scale") {
            changed = changed.map(|(is_other, object)| (is_other, scale_of(&object)));
            &SCALE
        } else {
            kind
        };
        match changed {
            Ok((true, object)) => report.done(kind, &object, "patched"),
            Ok((false, object)) => report.done(kind, &object, "patched (no change)"),
            Err(complaint) => report.refuse(complaint),
        }
    }
    report.finish_without(&found.missing)
}

/// The patch of `--patch` or `--patch-file`.
fn given(how: &str, call: &Call<'_>, cluster: &dyn Cluster) -> Result<Value, String> {
    let text = match (
        call.arguments.word("patch"),
        call.arguments.word("patch-file"),
    ) {
        (Some(_), Some(_)) => {
            return Err("error: cannot specify --patch and --patch-file together".to_owned());
        }
        (Some(text), None) => text.to_owned(),
        (None, Some("-")) => call.stdin.to_owned(),
        (None, Some(name)) => {
            let text = cluster.file(&call.path(name));
            let missing = || {
                format!("error: unable to read patch file: open {name}: no such file or directory")
            };
            text.ok_or_else(missing)?
        }
        (None, None) => {
            return Err(
                "error: must specify --patch or --patch-file containing the contents of the patch"
                    .to_owned(),
            );
        }
    };
    let parsed = yaml::parse(&text);
    let patch = parsed
        .map_err(|error| format!("error: unable to parse {text:?}: yaml: {}", error.message))?
        .value;
    let is_list = how == "json";
    if is_list != patch.is_array() || !is_list && !patch.is_object() {
        let (decoding, target) = match is_list {
            true => ("error decoding patch: ", "[]handlers.jsonPatchOp"),
            false if how == "merge" => ("error decoding patch: ", "map[string]interface {}"),
            false => ("", "map[string]interface {}"),
        };
        let found = match &patch {
            Value::Array(_) => "array",
            Value::Object(_) => "object",
            Value::Number(_) => "number",
            Value::Bool(_) => "bool",
            _ => "string",
        };
        return Err(format!(
            "Error from server (BadRequest): {decoding}json: cannot unmarshal {found} into Go value of type {target}"
        ));
    }
    Ok(patch)
}

fn apply(how: &str, object: &mut Value, patch: &Value) -> Result<(), String> {
    match how {
        "merge" => merge(object, patch),
        "json" => {
            return apply_operations(object, patch).map_err(|_| DOES_NOT_APPLY.to_owned());
        }
        _ => {
            strategic_problem(object, patch)
                .map_or(Ok(()), |why| Err(format!("Error from server: {why}")))?;
            strategic(object, patch);
        }
    }
    Ok(())
}
