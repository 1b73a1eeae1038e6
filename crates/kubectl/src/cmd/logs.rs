//! `kubectl logs`: the output of containers, as far as an annotation or their command determines it (kubectl v1.36
//! `pkg/cmd/logs`, `polymorphichelpers/logsforobject.go`).

mod source;

use k8s_openapi::api::core::v1::{Container, Pod};

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::resource::targets::kind_of;
use crate::{Cluster, Output, errors};
use berth_sim::kubelet::logs_of;
use berth_sim::store::Key;
use source::Source;

pub(crate) const LOGS: Verb = Verb {
    name: "logs",
    about: "Print the logs for a container in a pod",
    usage: "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]",
    examples: &["kubectl logs web-0"],
    flags: &[
        Flag::word("container").short('c'),
        Flag::switch("follow").short('f'),
        Flag::switch("previous").short('p'),
        Flag::switch("timestamps"),
        Flag::switch("all-containers"),
        Flag::switch("all-pods"),
        Flag::switch("prefix"),
        Flag::switch("ignore-errors"),
        Flag::number("tail"),
        Flag::number("limit-bytes"),
        Flag::number("max-log-requests"),
        Flag::duration("since"),
        Flag::word("since-time"),
        Flag::word("selector").short('l'),
    ],
    run: logs,
};

/// The kind and key of the object that a word names, if it exists.
pub(super) fn pod(
    word: &str,
    call: &Call<'_>,
    cluster: &dyn Cluster,
) -> Result<(&'static str, Key), String> {
    let (kind, name) = match word.split_once('/') {
        Some((kind, name)) => (kind_of(kind)?.kind, name),
        None => ("Pod", word),
    };
    let key = Key::new(call.namespace(), name);
    if kind != "Node" && cluster.api().store().get(kind, &key).is_none() {
        return Err(errors::not_found(kind, name));
    }
    Ok((kind, key))
}

/// The flags about the time of a line, which is unknown.
const TIMED: [&str; 3] = ["timestamps", "since", "since-time"];

/// Checks the words and flags (`LogsOptions.Complete` and `Validate`).
fn check(call: &Call<'_>) -> Result<(), String> {
    let arguments = &call.arguments;
    let usage = |why: &str| format!("error: {why}\nSee 'kubectl logs -h' for help and examples");
    let selects = arguments.word("selector").is_some_and(|it| !it.is_empty());
    let expected = "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command";
    match arguments.words.len() {
        0 if !selects => return Err(usage(expected)),
        1 if selects => return Err(usage("only a selector (-l) or a POD name is allowed")),
        0..=2 => {}
        _ => return Err(usage(expected)),
    }
    if let (true, Some(name)) = (arguments.is("all-containers"), container_word(call)) {
        return Err(format!(
            "error: --all-containers=true should not be specified with container name {name}"
        ));
    }
    if arguments.has("container") && arguments.words.len() == 2 {
        return Err("error: only one of -c or an inline [CONTAINER] arg is allowed".to_owned());
    }
    for (flag, least, why) in [
        ("limit-bytes", 0, "--limit-bytes must be greater than 0"),
        ("tail", -1, "--tail must be greater than or equal to -1"),
    ] {
        if arguments.number(flag).is_some_and(|it| it < least) {
            return Err(format!("error: {why}"));
        }
    }
    Ok(())
}

/// The container that `-c` or a second word names.
fn container_word<'c>(call: &'c Call<'_>) -> Option<&'c str> {
    let inline = call.arguments.words.get(1).map(String::as_str);
    inline
        .or(call.arguments.word("container"))
        .filter(|it| !it.is_empty())
}

/// The output of containers.
fn logs(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    check(call)?;
    let arguments = &call.arguments;
    let mut output = Output::default();
    for flag in TIMED.iter().filter(|flag| arguments.has(flag)) {
        output.warn(format!(
            "Berth does not know when lines were printed: --{flag} has no effect"
        ));
    }
    let pods = source::pods(call, cluster, &mut output)?;
    let mut sources = Vec::new();
    for pod in &pods {
        sources.extend(source::of_pod(pod, call, pods.len() == 1, &mut output)?);
    }
    let most = arguments.number("max-log-requests").unwrap_or(5);
    let count = i64::try_from(sources.len()).unwrap_or(i64::MAX);
    if arguments.is("follow") && count > 1 && count > most {
        return Err(format!(
            "error: you are attempting to follow {count} log streams, but maximum allowed concurrency is {most}, use --max-log-requests to increase the limit"
        ));
    }
    for source in &sources {
        match text_of(source, call) {
            Ok(Some(text)) => output.stdout.push_str(&text),
            Ok(None) => output.warn(unknown(&source.container.name)),
            Err(why) if arguments.is("ignore-errors") => output.line(format!("error: {why}")),
            Err(why) => {
                output.complain(format!("Error from server (BadRequest): {why}"));
                break;
            }
        }
    }
    Ok(output)
}

/// That there would be output, if processes really ran.
fn unknown(container: &str) -> String {
    format!(
        "Berth does not know what container {container:?} prints: processes do not really run here. The Pod annotation berth.dev/logs gives lines."
    )
}

/// What one container prints; `None` if that is unknown.
///
/// # Errors
/// The kubelet's error about a container without logs.
fn text_of(source: &Source<'_>, call: &Call<'_>) -> Result<Option<String>, String> {
    let Source { pod, container } = source;
    let arguments = &call.arguments;
    // A Pod without a node has no kubelet to ask, so its logs are empty.
    if pod.spec.as_ref().is_none_or(|it| it.node_name.is_none()) {
        return Ok(Some(String::new()));
    }
    source::check_status(pod, &container.name, arguments.is("previous"))?;
    let Some(text) = printed(pod, container) else {
        return Ok(None);
    };
    let usual = arguments.has("selector").then_some(10);
    let tail = arguments.number("tail").or(usual);
    let mut text = last_lines(&text, tail);
    if let Some(bytes) = arguments.number("limit-bytes").filter(|it| *it > 0) {
        let mut end = usize::try_from(bytes).unwrap_or(usize::MAX).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    if arguments.is("prefix") || arguments.is("all-pods") {
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        let prefix = format!("[pod/{name}/{}] ", container.name);
        let lines = text
            .split_inclusive('\n')
            .map(|line| format!("{prefix}{line}"));
        text = lines.collect();
    }
    Ok(Some(text))
}

/// What a container prints, in whole lines; `None` if that is unknown.
pub(super) fn printed(pod: &Pod, container: &Container) -> Option<String> {
    let given = logs_of(pod, &container.name).map(str::to_owned);
    let mut text = given.or_else(|| echoed(container))?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Some(text)
}

/// The last `tail` lines; all of them if it is negative or absent.
fn last_lines(text: &str, tail: Option<i64>) -> String {
    let Some(tail) = tail.and_then(|tail| usize::try_from(tail).ok()) else {
        return text.to_owned();
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let skipped = lines.len().saturating_sub(tail);
    lines.get(skipped..).unwrap_or_default().concat()
}

/// The output of a container whose command is `echo`.
fn echoed(container: &Container) -> Option<String> {
    let words = container.command.iter().chain(&container.args).flatten();
    let words: Vec<&str> = words.map(String::as_str).collect();
    match words.as_slice() {
        ["echo", words @ ..] => Some(words.join(" ")),
        ["sh" | "/bin/sh" | "bash" | "/bin/bash", "-c", script] => {
            let first = script
                .split([';', '&', '|'])
                .next()
                .unwrap_or_default()
                .trim();
            let text = first.strip_prefix("echo ");
            text.map(|text| text.trim().trim_matches(['"', '\'']).to_owned())
                .filter(|text| !text.contains('$'))
        }
        _ => None,
    }
}
