//! The flags of all commands, as far as one cluster that everybody may change gives them a meaning (cli-runtime's
//! `ConfigFlags`, client-go's `clientcmd`, v1.36).

use berth_shell::duration_ms;

use crate::call::{CONTEXT, Call};
use crate::cmd::auth::NO_RBAC;
use crate::cmd::config::USER;
use crate::{Cluster, Output};

/// Says which flags have no effect.
///
/// # Errors
/// kubectl's error about a flag that names nothing.
pub(crate) fn check(call: &Call<'_>, cluster: &dyn Cluster) -> Result<Output, String> {
    let flag = |name: &str| call.arguments.word(name).filter(|it| !it.is_empty());
    let mut output = Output::default();
    if let Some(name) = flag("kubeconfig") {
        let path = call.path(name);
        if cluster.file(&path).is_none() {
            return Err(format!("error: stat {name}: no such file or directory"));
        }
        output.warn("There is one cluster here: --kubeconfig has no effect");
    }
    for (name, known, noun) in [
        ("context", CONTEXT, "context"),
        ("cluster", CONTEXT, "cluster"),
        ("user", USER, "auth info"),
    ] {
        // `create rolebinding --user` names a subject.
        let is_of_verb = call.verb.flags.iter().any(|flag| flag.name == name);
        if let Some(other) = flag(name).filter(|it| !is_of_verb && *it != known) {
            return Err(format!("error: {noun} {other:?} does not exist"));
        }
    }
    if let Some(timeout) = flag("request-timeout") {
        if timeout.parse::<i64>().is_err() && duration_ms(timeout).is_none() {
            return Err("error: Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)".to_owned());
        }
        let watches = ["watch", "watch-only"]
            .iter()
            .any(|it| call.arguments.is(it));
        if !watches {
            output.warn("Requests take no time here: --request-timeout has no effect");
        }
    }
    let acts = flag("as").is_some();
    if !acts && ["as-group", "as-uid"].iter().any(|it| flag(it).is_some()) {
        return Err(
            "error: requesting uid, groups or user-extra without impersonating a user".to_owned(),
        );
    }
    if acts {
        output.warn(NO_RBAC);
    }
    Ok(output)
}

/// With `--warnings-as-errors`, warnings of the API server fail the command.
pub(crate) fn judge(call: &Call<'_>, output: &mut Output) {
    if output.code != 0 || !call.arguments.is("warnings-as-errors") {
        return;
    }
    match output.warnings {
        0 => {}
        1 => output.complain("error: 1 warning received"),
        count => output.complain(format!("error: {count} warnings received")),
    }
}
