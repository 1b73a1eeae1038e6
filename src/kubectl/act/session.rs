//! `config`, `version`, `cluster-info`, `auth`: there is one context, and everybody may do everything.

use serde_json::{Value, json};

use crate::kubectl::arguments::Flag;
use crate::kubectl::call::{CONTEXT, Call, Done, Verb};
use crate::kubectl::show::{Format, output};
use crate::kubectl::{Cluster, Output};

const SERVER: &str = "https://berth.local:6443";
const USER: &str = "kubernetes-admin";
const VERSION_NUMBER: &str = "v1.34.1";
const KUSTOMIZE: &str = "v5.7.1";

pub(super) const CONFIG_CURRENT: Verb = Verb {
    name: "config current-context",
    about: "Display the current-context",
    usage: "config current-context",
    examples: &["kubectl config current-context"],
    flags: &[],
    run: |_, _| Ok(Output::text(format!("{CONTEXT}\n"))),
};

pub(super) const CONFIG_GET: Verb = Verb {
    name: "config get-contexts",
    about: "Describe one or many contexts",
    usage: "config get-contexts [(-o|--output=)name]",
    examples: &["kubectl config get-contexts"],
    flags: &[Flag::word("output").short('o'), Flag::switch("no-headers")],
    run: get_contexts,
};

pub(super) const CONFIG_CLUSTERS: Verb = Verb {
    name: "config get-clusters",
    about: "Display clusters defined in the kubeconfig",
    usage: "config get-clusters",
    examples: &["kubectl config get-clusters"],
    flags: &[],
    run: |_, _| Ok(Output::text(format!("NAME\n{CONTEXT}\n"))),
};

pub(super) const CONFIG_USERS: Verb = Verb {
    name: "config get-users",
    about: "Display users defined in the kubeconfig",
    usage: "config get-users",
    examples: &["kubectl config get-users"],
    flags: &[],
    run: |_, _| Ok(Output::text(format!("NAME\n{USER}\n"))),
};

pub(super) const CONFIG_SET: Verb = Verb {
    name: "config set-context",
    about: "Set a context entry in kubeconfig",
    usage: "config set-context [NAME | --current] [--namespace=namespace]",
    examples: &["kubectl config set-context --current --namespace=shop"],
    flags: &[Flag::switch("current")],
    run: set_context,
};

pub(super) const CONFIG_USE: Verb = Verb {
    name: "config use-context",
    about: "Set the current-context in a kubeconfig file",
    usage: "config use-context CONTEXT_NAME",
    examples: &["kubectl config use-context berth"],
    flags: &[],
    run: use_context,
};

pub(super) const CONFIG_VIEW: Verb = Verb {
    name: "config view",
    about: "Display merged kubeconfig settings or a specified kubeconfig file",
    usage: "config view",
    examples: &["kubectl config view --minify"],
    flags: &[
        Flag::switch("minify"),
        Flag::switch("raw"),
        Flag::switch("flatten"),
        Flag::word("output").short('o'),
    ],
    run: view,
};

pub(super) const VERSION: Verb = Verb {
    name: "version",
    about: "Print the client and server version information",
    usage: "version",
    examples: &["kubectl version", "kubectl version --client"],
    flags: &[Flag::switch("client"), Flag::word("output").short('o')],
    run: version,
};

pub(super) const COMPLETION: Verb = Verb {
    name: "completion",
    about: "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
    usage: "completion SHELL",
    examples: &["source <(kubectl completion bash)"],
    flags: &[],
    run: completion,
};

pub(super) const CLUSTER_INFO: Verb = Verb {
    name: "cluster-info",
    about: "Display cluster information",
    usage: "cluster-info",
    examples: &["kubectl cluster-info"],
    flags: &[],
    run: |_, _| {
        Ok(Output::text(format!(
            "Kubernetes control plane is running at {SERVER}\n\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n"
        )))
    },
};

pub(super) const CAN_I: Verb = Verb {
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

pub(super) const WHOAMI: Verb = Verb {
    name: "auth whoami",
    about: "Experimental: Check self subject attributes",
    usage: "auth whoami",
    examples: &["kubectl auth whoami"],
    flags: &[Flag::word("output").short('o')],
    run: |_, _| {
        Ok(Output::text(
            "ATTRIBUTE   VALUE\nUsername    kubernetes-admin\nGroups      [system:masters system:authenticated]\n",
        ))
    },
};

fn get_contexts(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    if call.arguments.word("output") == Some("name") {
        return Ok(Output::text(format!("{CONTEXT}\n")));
    }
    let namespace = match call.settings.namespace.as_str() {
        "default" => "",
        other => other,
    };
    let words = &call.arguments.words;
    let is_shown = words.is_empty() || words.iter().any(|word| word == CONTEXT);
    let mut rows = Vec::new();
    if !call.arguments.is("no-headers") {
        rows.push(["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"]);
    }
    if is_shown {
        rows.push(["*", CONTEXT, CONTEXT, USER, namespace]);
    }
    let widths = [0, 1, 2, 3].map(|column| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.len()).max().unwrap_or_default() + 3
    });
    let mut output = Output::default();
    for [current, name, cluster, user, namespace] in rows {
        let [first, second, third, fourth] = widths;
        output.say(format!(
            "{current:<first$}{name:<second$}{cluster:<third$}{user:<fourth$}{namespace}"
        ));
    }
    for word in words.iter().filter(|word| *word != CONTEXT) {
        output.complain(format!("error: context {word} not found"));
    }
    Ok(output)
}

fn set_context(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let name = call.arguments.words.first().map(String::as_str);
    let name = match (call.arguments.is("current"), name) {
        (true, None) => CONTEXT,
        (true, Some(_)) => {
            return Err("error: you cannot specify both a context name and --current".to_owned());
        }
        (false, None) => {
            return Err("error: you must specify a non-empty context name or --current".to_owned());
        }
        (false, Some(name)) => name,
    };
    if name != CONTEXT {
        return Err(format!(
            "error: there is only one context here, {CONTEXT:?}; {name:?} cannot be made"
        ));
    }
    if let Some(namespace) = call.arguments.word("namespace") {
        let namespace = if namespace.is_empty() {
            "default"
        } else {
            namespace
        };
        call.settings.namespace = namespace.to_owned();
    }
    Ok(Output::text(format!("Context {name:?} modified.\n")))
}

fn use_context(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    match call.arguments.words.as_slice() {
        [name] if name == CONTEXT => Ok(Output::text(format!("Switched to context {name:?}.\n"))),
        [name] => Err(format!("error: no context exists with the name: {name:?}")),
        _ => Err(
            "error: context must be set\nSee 'kubectl config use-context -h' for help and examples"
                .to_owned(),
        ),
    }
}

/// The configuration, its fields in the order of Go's structures.
fn view(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let mut context = json!({"cluster": CONTEXT, "user": USER});
    if call.settings.namespace != "default" {
        context["namespace"] = call.settings.namespace.as_str().into();
    }
    let config = json!({
        "kind": "Config",
        "apiVersion": "v1",
        "clusters": [{"name": CONTEXT, "cluster": {"server": SERVER}}],
        "users": [{"name": USER, "user": {}}],
        "contexts": [{"name": CONTEXT, "context": context}],
        "current-context": CONTEXT,
    });
    let format = call.arguments.word("output").unwrap_or("yaml");
    let text = match Format::parse(format, call.arguments.word("template").unwrap_or_default())? {
        Format::Json => output::json_in_order(&config, "    "),
        // There is no table of it.
        Format::Table => output::yaml(&config),
        format => format.print(vec![config], true, false)?,
    };
    Ok(Output::text(text))
}

/// What is known of the release, as its binaries say it.
fn release(of_server: bool) -> Value {
    let mut version = json!({"major": "1", "minor": "34"});
    if of_server {
        for (field, value) in [
            ("emulationMajor", "1"),
            ("emulationMinor", "34"),
            ("minCompatibilityMajor", "1"),
            ("minCompatibilityMinor", "33"),
        ] {
            version[field] = value.into();
        }
    }
    for (field, value) in [
        ("gitVersion", VERSION_NUMBER),
        ("gitCommit", "93248f9ae092f571eb870b7664c534bfc7d00f03"),
        ("gitTreeState", "clean"),
        ("buildDate", "2025-09-09T19:44:50Z"),
        ("goVersion", "go1.24.6"),
        ("compiler", "gc"),
        ("platform", "linux/amd64"),
    ] {
        version[field] = value.into();
    }
    version
}

fn version(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    if !call.arguments.words.is_empty() {
        let words = call.arguments.words.join(" ");
        return Err(format!("error: extra arguments: [{words}]"));
    }
    let is_client = call.arguments.is("client");
    let mut output = Output::default();
    let how = call.arguments.word("output").unwrap_or_default();
    if how.is_empty() {
        output.say(format!("Client Version: {VERSION_NUMBER}"));
        output.say(format!("Kustomize Version: {KUSTOMIZE}"));
        if !is_client {
            output.say(format!("Server Version: {VERSION_NUMBER}"));
        }
        return Ok(output);
    }
    let mut versions = json!({"clientVersion": release(false), "kustomizeVersion": KUSTOMIZE});
    if !is_client {
        versions["serverVersion"] = release(true);
    }
    match how {
        "json" => output.stdout = output::json_in_order(&versions, "  "),
        // kubectl ends the text with a line of its own.
        "yaml" => output.say(output::yaml(&versions)),
        _ => return Err("error: --output must be 'yaml' or 'json'".to_owned()),
    }
    Ok(output)
}

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
    Ok(Output::text(if call.arguments.is("quiet") {
        ""
    } else {
        "yes\n"
    }))
}

#[cfg(test)]
mod tests {
    use crate::kubectl::call::Settings;
    use crate::kubectl::dispatch::kubectl;
    use crate::kubectl::show::tests::{run, told};
    use crate::kubectl::tests::cluster::TestCluster;

    #[test]
    fn the_configuration_is_shown_as_a_file_of_one_context() {
        let mut cluster = TestCluster::with_nodes(&[]);
        told(
            &mut cluster,
            "config view",
            "apiVersion: v1\nclusters:\n- cluster:\n    server: https://berth.local:6443\n  name: berth\ncontexts:\n- context:\n    cluster: berth\n    user: kubernetes-admin\n  name: berth\ncurrent-context: berth\nkind: Config\nusers:\n- name: kubernetes-admin\n  user: {}\n",
        );
        let shown = run(&mut cluster, "config view -o json").stdout;
        let start =
            "{\n    \"kind\": \"Config\",\n    \"apiVersion\": \"v1\",\n    \"clusters\": [\n";
        assert!(shown.starts_with(start), "{shown}");
        let mut settings = Settings {
            namespace: "shop".to_owned(),
        };
        let words = ["config", "view", "--minify", "-o", "jsonpath={..namespace}"];
        let shown = kubectl(
            &words.map(str::to_owned),
            &mut settings,
            "",
            "",
            &mut cluster,
        );
        assert_eq!(shown.stdout, "shop");
        told(&mut cluster, "config get-clusters", "NAME\nberth\n");
        told(&mut cluster, "config get-users", "NAME\nkubernetes-admin\n");
        told(
            &mut cluster,
            "config get-contexts",
            "CURRENT   NAME    CLUSTER   AUTHINFO           NAMESPACE\n*         berth   berth     kubernetes-admin   \n",
        );
        let shown = run(&mut cluster, "config get-contexts kind");
        assert_eq!(shown.stderr, "error: context kind not found\n");
        let head = "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n";
        assert_eq!((shown.stdout.as_str(), shown.code), (head, 1));
    }

    #[test]
    fn versions_are_told_in_every_format() {
        let mut cluster = TestCluster::with_nodes(&[]);
        let shown = run(&mut cluster, "version -o yaml").stdout;
        assert!(
            shown.starts_with("clientVersion:\n  buildDate: \""),
            "{shown}"
        );
        assert!(
            shown.contains("\nkustomizeVersion: v5.7.1\nserverVersion:\n"),
            "{shown}"
        );
        assert!(shown.ends_with("\n  platform: linux/amd64\n\n"), "{shown}");
        let shown = run(&mut cluster, "version --client -o json").stdout;
        let start = "{\n  \"clientVersion\": {\n    \"major\": \"1\",\n    \"minor\": \"34\",\n    \"gitVersion\": ";
        assert!(shown.starts_with(start), "{shown}");
        assert!(!shown.contains("serverVersion"), "{shown}");
        let shown = run(&mut cluster, "version -o wide");
        assert_eq!(shown.stderr, "error: --output must be 'yaml' or 'json'\n");
    }
}
