//! `kubectl version`.

use serde_json::{Value, json};

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::output;
use crate::{Cluster, Output};

/// The release whose build is known.
const BUILT: &str = "v1.34.1";

pub(crate) const VERSION: Verb = Verb {
    name: "version",
    about: "Print the client and server version information",
    usage: "version",
    examples: &["kubectl version", "kubectl version --client"],
    flags: &[Flag::switch("client"), Flag::word("output").short('o')],
    run: version,
};

/// A release, as its binaries print it; of v1.34.1 with the data of the build.
fn release(full: &str, of_server: bool) -> Value {
    let minor = full.split('.').nth(1).unwrap_or_default();
    let before = minor
        .parse::<u32>()
        .map_or(0, |minor| minor.saturating_sub(1));
    let mut version = json!({"major": "1", "minor": minor});
    if of_server {
        for (field, value) in [
            ("emulationMajor", "1"),
            ("emulationMinor", minor),
            ("minCompatibilityMajor", "1"),
            ("minCompatibilityMinor", before.to_string().as_str()),
        ] {
            version[field] = value.into();
        }
    }
    for (field, value) in [
        ("gitVersion", full),
        ("gitCommit", "93248f9ae092f571eb870b7664c534bfc7d00f03"),
        ("gitTreeState", "clean"),
        ("buildDate", "2025-09-09T19:44:50Z"),
        ("goVersion", "go1.24.6"),
        ("compiler", "gc"),
        ("platform", "linux/amd64"),
    ] {
        let of_build = ["gitCommit", "gitTreeState", "buildDate", "goVersion"];
        if full == BUILT || !of_build.contains(&field) {
            version[field] = value.into();
        }
    }
    version
}

fn version(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    // The cluster's own kubectl.
    let full = cluster.api().release().version().full();
    let kustomize = cluster.api().release().rules().kustomize;
    if !call.arguments.words.is_empty() {
        let words = call.arguments.words.join(" ");
        return Err(format!("error: extra arguments: [{words}]"));
    }
    let is_client = call.arguments.is("client");
    let mut output = Output::default();
    let how = call.arguments.word("output").unwrap_or_default();
    if how.is_empty() {
        output.line(format!("Client Version: {full}"));
        output.line(format!("Kustomize Version: {kustomize}"));
        if !is_client {
            output.line(format!("Server Version: {full}"));
        }
        return Ok(output);
    }
    let mut versions =
        json!({"clientVersion": release(full, false), "kustomizeVersion": kustomize});
    if !is_client {
        versions["serverVersion"] = release(full, true);
    }
    match how {
        "json" => output.stdout = output::json_in_order(&versions, "  "),
        // kubectl prints an empty line after the YAML.
        "yaml" => output.line(output::yaml(&versions)),
        _ => return Err("error: --output must be 'yaml' or 'json'".to_owned()),
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use crate::tests::cluster::TestCluster;
    use crate::tests::commands::run;

    #[test]
    fn versions_print_in_every_format() {
        let mut cluster = TestCluster::with_nodes(&[]);
        let shown = run(&mut cluster, "version -o yaml").stdout;
        assert!(
            shown.starts_with("clientVersion:\n  compiler: gc\n"),
            "{shown}"
        );
        assert!(
            shown.contains("\nkustomizeVersion: v5.8.1\nserverVersion:\n"),
            "{shown}"
        );
        assert!(shown.ends_with("\n  platform: linux/amd64\n\n"), "{shown}");
        let shown = run(&mut cluster, "version --client -o json").stdout;
        let start = "{\n  \"clientVersion\": {\n    \"major\": \"1\",\n    \"minor\": \"36\",\n    \"gitVersion\": ";
        assert!(shown.starts_with(start), "{shown}");
        assert!(!shown.contains("serverVersion"), "{shown}");
        let shown = run(&mut cluster, "version -o wide");
        assert_eq!(shown.stderr, "error: --output must be 'yaml' or 'json'\n");
    }
}
