//! `kubectl --help` and `kubectl VERB --help`: a short form that lists only what is implemented.

use super::verbs;
use crate::arguments::{Flag, GLOBAL, Takes};
use crate::call::{Call, Done, Verb};
use crate::{Cluster, Output};

pub(super) const HELP: Verb = Verb {
    name: "help",
    about: "Help about any command",
    usage: "help [command]",
    examples: &[],
    flags: &[],
    run: run_help,
};

pub(super) const OPTIONS: Verb = Verb {
    name: "options",
    about: "Print the list of flags inherited by all commands",
    usage: "options",
    examples: &[],
    flags: &[],
    run: run_options,
};

/// Groups of commands, as kubectl lists them.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Basic Commands (Beginner):",
        &["create", "expose", "run", "set"],
    ),
    (
        "Basic Commands (Intermediate):",
        &["explain", "get", "edit", "delete"],
    ),
    ("Deploy Commands:", &["rollout", "scale", "autoscale"]),
    (
        "Cluster Management Commands:",
        &[
            "cluster-info",
            "top",
            "cordon",
            "uncordon",
            "drain",
            "taint",
        ],
    ),
    (
        "Troubleshooting and Debugging Commands:",
        &[
            "describe",
            "logs",
            "attach",
            "exec",
            "port-forward",
            "proxy",
            "cp",
            "auth",
            "debug",
            "events",
        ],
    ),
    (
        "Advanced Commands:",
        &["diff", "apply", "patch", "replace", "wait", "kustomize"],
    ),
    ("Settings Commands:", &["label", "annotate"]),
    (
        "Other Commands:",
        &["api-resources", "api-versions", "config", "version"],
    ),
];

/// Commands with subcommands.
const FAMILIES: &[(&str, &str)] = &[
    ("auth", "Inspect authorization"),
    ("config", "Modify kubeconfig files"),
    ("create", "Create a resource from a file or from stdin"),
    ("rollout", "Manage the rollout of a resource"),
    ("set", "Set specific features on objects"),
    ("top", "Display resource (CPU/memory) usage"),
];

/// The help of `kubectl` without a command.
pub fn overview() -> String {
    let mut text = "kubectl controls the Kubernetes cluster manager.\n\n Find more information at: https://kubernetes.io/docs/reference/kubectl/\n".to_owned();
    for (title, names) in GROUPS {
        let about = |name: &&str| {
            let family = FAMILIES.iter().find(|(own, _)| own == name);
            let verb = verbs().find(|verb| verb.name == *name);
            let about = family.map(|(_, about)| *about);
            let about = about.or(verb.map(|verb| verb.about))?;
            Some(format!("  {name:<15} {about}\n"))
        };
        let lines: Vec<String> = names.iter().filter_map(about).collect();
        if !lines.is_empty() {
            text.push_str(&format!("\n{title}\n{}", lines.concat()));
        }
    }
    text.push_str("\nUsage:\n  kubectl [flags] [options]\n\nUse \"kubectl <command> --help\" for more information about a given command.\nUse \"kubectl options\" for a list of global command-line options (applies to all commands).\n");
    text
}

/// The help of a command with subcommands.
pub fn group(name: &str, verbs: &[&Verb]) -> String {
    let about = FAMILIES.iter().find(|(own, _)| *own == name);
    let mut text = about.map_or_else(String::new, |(_, about)| format!("{about}.\n\n"));
    text.push_str("Available Commands:\n");
    let own = |verb: &Verb| verb.name.split_once(' ').map_or("", |(_, own)| own);
    let mut listed: Vec<(&str, &str)> = Vec::new();
    for verb in verbs {
        // Other names of the same command are not listed.
        if listed.iter().all(|(_, about)| *about != verb.about) {
            listed.push((own(verb), verb.about));
        }
    }
    berth_base::sort::sort(&mut listed);
    let widest = listed.iter().map(|(own, _)| own.len()).max();
    let width = widest.unwrap_or_default().max(11) + 3;
    for (own, about) in listed {
        text.push_str(&format!("  {own:<width$}{about}\n"));
    }
    text.push_str(&format!(
        "\nUsage:\n  kubectl {name} SUBCOMMAND [options]\n\nUse \"kubectl {name} <command> --help\" for more information about a given command.\nUse \"kubectl options\" for a list of global command-line options (applies to all commands).\n"
    ));
    text
}

/// The help of a command.
pub fn of(verb: &Verb) -> String {
    let mut text = format!("{}.\n", verb.about);
    if !verb.examples.is_empty() {
        text.push_str("\nExamples:\n");
        for example in verb.examples {
            text.push_str(&format!("  {example}\n"));
        }
    }
    let inside = format!("{} ", verb.name);
    let own: Vec<&Verb> = verbs().filter(|it| it.name.starts_with(&inside)).collect();
    if !own.is_empty() {
        text.push_str("\nAvailable Commands:\n");
        for verb in own {
            let name = verb.name.get(inside.len()..).unwrap_or_default();
            text.push_str(&format!("  {name:<15} {}\n", verb.about));
        }
    }
    if !verb.flags.is_empty() {
        text.push_str("\nOptions:\n");
        for flag in verb.flags {
            text.push_str(&line_of(flag));
        }
    }
    text.push_str(&format!(
        "\nUsage:\n  kubectl {} [options]\n\nUse \"kubectl options\" for a list of global command-line options (applies to all commands).\n",
        verb.usage
    ));
    text
}

fn line_of(flag: &Flag) -> String {
    let short = flag
        .short
        .map_or_else(|| "    ".to_owned(), |it| format!("-{it}, "));
    let value = match flag.takes {
        Takes::Switch => "",
        Takes::Word => "=''",
        Takes::Words => "=[]",
        Takes::Maybe(otherwise) => {
            return format!("    {short}--{}[={otherwise}]\n", flag.name);
        }
        Takes::Number => "=0",
        Takes::Duration => "=0s",
    };
    format!("    {short}--{}{value}\n", flag.name)
}

fn run_options(_: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let mut text = "The following options can be passed to any command:\n\n".to_owned();
    for flag in GLOBAL {
        text.push_str(&line_of(flag));
    }
    Ok(Output::text(text))
}

fn run_help(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let name = call.arguments.words.join(" ");
    if name.is_empty() {
        return Ok(Output::text(overview()));
    }
    if let Some(verb) = verbs().find(|verb| verb.name == name) {
        return Ok(Output::text(of(verb)));
    }
    let inside = format!("{name} ");
    let own: Vec<&Verb> = verbs().filter(|it| it.name.starts_with(&inside)).collect();
    if own.is_empty() {
        return Err(format!(
            "Unknown help topic [`{}`]",
            call.arguments.words.join("` `")
        ));
    }
    Ok(Output::text(group(&name, &own)))
}
