//! `kubectl config`: there is one context, with one cluster and one user.

use serde_json::json;

use crate::arguments::Flag;
use crate::call::{CONTEXT, Call, Done, Verb};
use crate::printers::{Format, output};
use crate::{Cluster, Output};

pub(super) const SERVER: &str = "https://berth.local:6443";
pub(crate) const USER: &str = "kubernetes-admin";

pub(crate) const CONFIG_GET: Verb = Verb {
    name: "config get-contexts",
    about: "Describe one or many contexts",
    usage: "config get-contexts [(-o|--output=)name]",
    examples: &["kubectl config get-contexts"],
    flags: &[Flag::word("output").short('o'), Flag::switch("no-headers")],
    run: get_contexts,
};

pub(crate) const CONFIG_SET: Verb = Verb {
    name: "config set-context",
    about: "Set a context entry in kubeconfig",
    usage: "config set-context [NAME | --current] [--namespace=namespace]",
    examples: &["kubectl config set-context --current --namespace=shop"],
    flags: &[Flag::switch("current")],
    run: set_context,
};

pub(crate) const CONFIG_UNSET: Verb = Verb {
    name: "config unset",
    about: "Unset an individual value in a kubeconfig file",
    usage: "config unset PROPERTY_NAME",
    examples: &["kubectl config unset contexts.berth.namespace"],
    flags: &[],
    run: unset,
};

pub(crate) const CONFIG_USE: Verb = Verb {
    name: "config use-context",
    about: "Set the current-context in a kubeconfig file",
    usage: "config use-context CONTEXT_NAME",
    examples: &["kubectl config use-context berth"],
    flags: &[],
    run: use_context,
};

pub(crate) const CONFIG_VIEW: Verb = Verb {
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
        output.line(format!(
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

/// Only the namespace of the context can be set here.
fn unset(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let [property] = call.arguments.words.as_slice() else {
        return Err(
            "error: wrong number of arguments\nSee 'kubectl config unset -h' for help and examples"
                .to_owned(),
        );
    };
    let namespace = format!("contexts.{CONTEXT}.namespace");
    if *property != namespace {
        return Err(format!(
            "error: the only property that can be unset here is {namespace}"
        ));
    }
    let done = format!("Property {property:?} unset.\n");
    "default".clone_into(&mut call.settings.namespace);
    Ok(Output::text(done))
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

/// The configuration, with fields in the order of Go's structs.
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
        // A kubeconfig has no table form.
        Format::Table => output::yaml(&config),
        format => format.print(vec![config], true, false)?,
    };
    Ok(Output::text(text))
}

#[cfg(test)]
mod tests {
    use crate::call::Settings;
    use crate::tests::cluster::TestCluster;
    use crate::tests::commands::{fails, prints, run, run_words};

    #[test]
    fn the_configuration_is_shown_as_a_file_of_one_context() {
        let mut cluster = TestCluster::with_nodes(&[]);
        prints(
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
        let shown = run_words(&mut cluster, &words.map(str::to_owned), &mut settings);
        assert_eq!(shown.stdout, "shop");
        let words = ["config", "unset", "contexts.berth.namespace"];
        let unset = run_words(&mut cluster, &words.map(str::to_owned), &mut settings);
        assert_eq!(
            unset.stdout,
            "Property \"contexts.berth.namespace\" unset.\n"
        );
        assert_eq!(settings.namespace, "default");
        fails(
            &mut cluster,
            "config unset users",
            "error: the only property that can be unset here is contexts.berth.namespace",
        );
        prints(&mut cluster, "config get-clusters", "NAME\nberth\n");
        prints(&mut cluster, "config get-users", "NAME\nkubernetes-admin\n");
        prints(
            &mut cluster,
            "config get-contexts",
            "CURRENT   NAME    CLUSTER   AUTHINFO           NAMESPACE\n*         berth   berth     kubernetes-admin   \n",
        );
        let shown = run(&mut cluster, "config get-contexts kind");
        assert_eq!(shown.stderr, "error: context kind not found\n");
        let head = "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n";
        assert_eq!((shown.stdout.as_str(), shown.code), (head, 1));
    }
}
