//! `kubectl edit`: opens an object in the editor, and writes it back.

use serde_json::Value;

use super::replace::replaced;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::kinds::of_kind;
use crate::printers::report::{OUTPUT, SAVE_CONFIG};
use crate::resource::files::{self, FILENAME};
use crate::resource::subresource::{self, SUBRESOURCE, scale_of};
use crate::resource::targets;
use crate::resource::write;
use crate::{Cluster, OpenRequest, Output};
use berth_core::api::yaml;
use berth_sim::store::Key;

/// The comment that the editor shows above the object.
const HEAD: &str = "# Please edit the object below. Lines beginning with a '#' will be ignored,\n# and an empty file will abort the edit. If an error occurs while saving this file will be\n# reopened with the relevant failures.\n#\n";

pub(crate) const EDIT: Verb = Verb {
    name: "edit",
    about: "Edit a resource on the server",
    usage: "edit (RESOURCE/NAME | -f FILENAME)",
    examples: &["kubectl edit deployment/web"],
    flags: &[
        OUTPUT,
        SAVE_CONFIG,
        FILENAME,
        SUBRESOURCE,
        Flag::maybe("validate", "strict"),
    ],
    run,
};

fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let found = match files::targets(call, cluster)? {
        Some(found) => found,
        None => targets::select(call, &call.arguments.words, cluster)?,
    };
    if let Some(missing) = found.missing.first() {
        return Err(missing.clone());
    }
    let [target] = found.targets.as_slice() else {
        return Err(if found.targets.is_empty() {
            targets::NO_OBJECTS.to_owned()
        } else {
            "error: one object is edited at a time here".to_owned()
        });
    };
    let key = &target.key;
    let object = cluster.api().get(target.kind.kind, key);
    let mut object = object.map(|object| object.to_json()).unwrap_or_default();
    let part = subresource::asked(call);
    subresource::check(target.kind, part)?;
    if part == Some("scale") {
        object = scale_of(&object);
    }
    let kind = target.kind.kind;
    Ok(Output {
        open: Some(OpenRequest::Object {
            kind: part.map_or_else(|| kind.to_owned(), |part| format!("{kind}/{part}")),
            namespace: key.namespace().to_owned(),
            name: key.name().to_owned(),
            text: format!("{HEAD}{}", yaml::write(&object)),
        }),
        ..Output::default()
    })
}

/// Writes an edited object or file back.
pub fn edited(request: &OpenRequest, text: &str, cluster: &mut dyn Cluster) -> Output {
    match request {
        OpenRequest::File { path, .. } => {
            cluster.write_file(path, text.to_owned());
            Output::default()
        }
        OpenRequest::Object {
            kind,
            namespace,
            name,
            text: before,
        } => {
            if text.trim() == before.trim() {
                return Output {
                    stderr: "Edit cancelled, no changes made.\n".to_owned(),
                    ..Output::default()
                };
            }
            let lines = text
                .lines()
                .filter(|line| !line.trim_start().starts_with('#'));
            if lines.clone().all(|line| line.trim().is_empty()) {
                return Output {
                    stderr: "Edit cancelled, saved file was empty.\n".to_owned(),
                    ..Output::default()
                };
            }
            match write_back(kind, &Key::new(namespace, name), text, cluster) {
                Ok(output) => {
                    cluster.settle();
                    output
                }
                Err(complaint) => Output::failure(&complaint, 1),
            }
        }
    }
}

fn write_back(kind: &str, key: &Key, text: &str, cluster: &mut dyn Cluster) -> Done {
    let (kind, part) = match kind.split_once('/') {
        Some((kind, part)) => (kind, Some(part)),
        None => (kind, None),
    };
    let is_scale = part == Some("scale");
    let info = of_kind(kind).ok_or_else(|| format!("error: no such kind: {kind}"))?;
    let parsed = yaml::parse(text);
    let parsed = parsed.map_err(|error| {
        let why = files::go_yaml(error.position.line, &error.message.to_string());
        format!("error: the edited file had a syntax error: {why}")
    })?;
    let wanted: Value = parsed.value;
    let name = wanted.pointer("/metadata/name").and_then(Value::as_str);
    let shown = if is_scale { "Scale" } else { kind };
    if wanted.get("kind").and_then(Value::as_str) != Some(shown) || name != Some(key.name()) {
        return Err("error: At least one of apiVersion, kind and name was changed".to_owned());
    }
    let mut edit = |live: &mut Value| {
        let before = live.clone();
        if is_scale {
            subresource::rescale(live, &wanted, key.name())?;
            return Ok(());
        }
        *live = replaced(live, &wanted);
        write::stay_within(part, live, &before);
        Ok(())
    };
    let (is_other, _) = write::change(info, key, cluster.api_mut(), &mut edit)?;
    let label = if is_scale {
        "scale.autoscaling".to_owned()
    } else {
        info.qualified()
    };
    let name = key.name();
    Ok(if is_other {
        Output::text(format!("{label}/{name} edited\n"))
    } else {
        Output {
            stderr: "Edit cancelled, no changes made.\n".to_owned(),
            ..Output::default()
        }
    })
}
