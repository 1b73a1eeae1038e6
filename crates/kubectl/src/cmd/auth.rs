//! `kubectl auth can-i`: the only user is allowed everything.

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::kinds::find;
use crate::{Cluster, Output};

/// What `auth can-i` and `describe` say of roles.
pub(crate) const NO_RBAC: &str =
    "Warning: roles are kept here and not enforced: every user may do everything";

pub(crate) const CAN_I: Verb = Verb {
    name: "auth can-i",
    about: "Check whether an action is allowed",
    usage: "auth can-i VERB [TYPE | TYPE/NAME | NONRESOURCEURL]",
    examples: &["kubectl auth can-i create pods"],
    flags: &[
        Flag::switch("all-namespaces").short('A'),
        Flag::switch("quiet").short('q'),
        Flag::switch("list"),
        Flag::word("subresource"),
    ],
    run: can_i,
};

fn can_i(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    if call.arguments.is("list") {
        return Ok(Output::text(
            "Resources   Non-Resource URLs   Resource Names   Verbs\n*.*         []                  []               [*]\n            [*]                 []               [*]\n",
        ));
    }
    if call.arguments.words.len() < 2 {
        return Err(
            "error: you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples."
                .to_owned(),
        );
    }
    let mut output = Output::default();
    if let Some(warning) = doubt(call) {
        output.warn(format!("Warning: {warning}\n"));
    }
    if !call.arguments.is("quiet") {
        output.line("yes");
    }
    Ok(output)
}

/// What kubectl says about the type of the resource.
fn doubt(call: &Call<'_>) -> Option<String> {
    let asked = call.arguments.words.get(1)?;
    let resource = asked.split('/').next().unwrap_or_default();
    if asked.starts_with('/') || resource == "*" {
        return None;
    }
    let (name, group) = match resource.split_once('.') {
        Some((name, group)) => (name, format!(" in group '{group}'")),
        None => (resource, String::new()),
    };
    let Some(info) = find(resource) else {
        return Some(format!(
            "the server doesn't have a resource type '{name}'{group}"
        ));
    };
    if info.namespaced || call.is_all_namespaces() {
        return None;
    }
    let group = match info.group() {
        "" => String::new(),
        group => format!(" in group '{group}'"),
    };
    let name = info.plural;
    Some(format!("resource '{name}' is not namespace scoped{group}"))
}
