//! `kubectl completion`: the terminal completes words without a script.

use crate::call::{Call, Done, Verb};
use crate::{Cluster, Output};

pub(crate) const COMPLETION: Verb = Verb {
    name: "completion",
    about: "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
    usage: "completion SHELL",
    examples: &["source <(kubectl completion bash)"],
    flags: &[],
    run: completion,
};

fn completion(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let more = "See 'kubectl completion -h' for help and examples";
    match call.arguments.words.as_slice() {
        [] => Err(format!("error: Shell not specified.\n{more}")),
        [shell] if ["bash", "zsh", "fish", "powershell"].contains(&shell.as_str()) => Ok(
            Output::text("# Words are completed with Tab here, without a script.\n".to_owned()),
        ),
        [shell] => Err(format!(
            "error: Unsupported shell type \"{shell}\".\n{more}"
        )),
        _ => Err(format!(
            "error: Too many arguments. Expected only the shell type.\n{more}"
        )),
    }
}
