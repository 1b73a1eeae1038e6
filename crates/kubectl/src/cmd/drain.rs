//! `kubectl cordon`, `uncordon` and `drain`.

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::report::DRY_RUN;
use crate::resource::selector::parse_labels;
use crate::resource::targets::{Found, select};
use crate::suspended::{Poll, Suspended};
use crate::{Cluster, Output, errors};
use berth_sim::drain::{Course, DrainOptions, DryRun, Line, PatientDrain, cordon};

const SELECTOR: Flag = Flag::word("selector").short('l');

pub(crate) const CORDON: Verb = Verb {
    name: "cordon",
    about: "Mark node as unschedulable",
    usage: "cordon NODE",
    examples: &["kubectl cordon n1"],
    flags: &[SELECTOR, DRY_RUN],
    run: |call, cluster| set(call, cluster, true),
};

pub(crate) const UNCORDON: Verb = Verb {
    name: "uncordon",
    about: "Mark node as schedulable",
    usage: "uncordon NODE",
    examples: &["kubectl uncordon n1"],
    flags: &[SELECTOR, DRY_RUN],
    run: |call, cluster| set(call, cluster, false),
};

pub(crate) const DRAIN: Verb = Verb {
    name: "drain",
    about: "Drain node in preparation for maintenance",
    usage: "drain NODE",
    examples: &[
        "kubectl drain n1 --ignore-daemonsets",
        "kubectl drain n1 --force --grace-period=900",
    ],
    flags: &[
        SELECTOR,
        DRY_RUN,
        Flag::switch("ignore-daemonsets"),
        Flag::switch("delete-emptydir-data"),
        Flag::switch("delete-local-data"),
        Flag::switch("force"),
        Flag::switch("disable-eviction"),
        Flag::number("grace-period"),
        Flag::duration("timeout"),
        Flag::word("pod-selector"),
        Flag::number("chunk-size"),
        Flag::number("skip-wait-for-delete-timeout"),
    ],
    run: drain,
};

/// The nodes that a call selects, and an error line for each missing one.
fn nodes(call: &Call<'_>, cluster: &dyn Cluster) -> Result<Found, String> {
    let words = &call.arguments.words;
    let selects = call.arguments.has("selector");
    if words.is_empty() && !selects {
        let name = call.verb.name;
        return Err(format!(
            "error: USAGE: {name} NODE [flags]\nSee 'kubectl {name} -h' for help and examples"
        ));
    }
    if !words.is_empty() && selects {
        return Err(
            "error: error: cannot specify both a node name and a --selector option".to_owned(),
        );
    }
    let kind = "nodes".to_owned();
    let names = words.iter().map(|word| {
        let name = word.strip_prefix("node/").or(word.strip_prefix("nodes/"));
        name.unwrap_or(word).to_owned()
    });
    let asked: Vec<String> = std::iter::once(kind).chain(names).collect();
    select(call, &asked, cluster)
}

fn dry_run(call: &Call<'_>) -> Result<DryRun, String> {
    Ok(match crate::printers::report::dry_run(call)? {
        crate::printers::report::DryRun::No => DryRun::None,
        crate::printers::report::DryRun::Client => DryRun::Client,
        crate::printers::report::DryRun::Server => DryRun::Server,
    })
}

fn set(call: &mut Call<'_>, cluster: &mut dyn Cluster, wanted: bool) -> Done {
    let dry = dry_run(call)?;
    let found = nodes(call, cluster)?;
    let mut output = Output::default();
    for target in &found.targets {
        match cordon(target.key.name(), wanted, dry, cluster.api_mut()) {
            Ok(line) => print(&mut output, &[line]),
            Err(error) => output.complain(errors::server(&error)),
        }
    }
    for line in &found.missing {
        output.complain(line);
    }
    Ok(output)
}

fn drain(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let arguments = &call.arguments;
    let pods = arguments.word("pod-selector").unwrap_or_default();
    let pod_selector = match pods {
        "" => None,
        text => Some(parse_labels(text).map_err(|why| format!("error: {why}"))?),
    };
    let options = DrainOptions {
        ignore_daemonsets: arguments.is("ignore-daemonsets"),
        delete_emptydir_data: arguments.is("delete-emptydir-data")
            || arguments.is("delete-local-data"),
        force: arguments.is("force"),
        disable_eviction: arguments.is("disable-eviction"),
        grace_seconds: arguments.number("grace-period").filter(|it| *it >= 0),
        timeout_ms: arguments.duration_ms("timeout").filter(|it| *it > 0),
        skip_wait_for_delete_timeout_seconds: arguments
            .number("skip-wait-for-delete-timeout")
            .unwrap_or(0),
        pod_selector,
        dry_run: dry_run(call)?,
        order: None,
    };
    let found = nodes(call, cluster)?;
    if let Some(missing) = found.missing.first() {
        return Err(missing.clone());
    }
    let names: Vec<String> = found
        .targets
        .into_iter()
        .map(|it| it.key.name().to_owned())
        .collect();
    let mut output = Output::default();
    if arguments.has("delete-local-data") {
        output.warn("Flag --delete-local-data has been deprecated, This option is deprecated and will be deleted. Use --delete-emptydir-data.");
    }
    let started = PatientDrain::start(&names, options, cluster.api_mut());
    let (drain, lines) = started.map_err(|error| errors::server(&error))?;
    print(&mut output, &lines);
    if drain.is_done() {
        output.code = i32::from(drain.has_failed());
        return Ok(output);
    }
    Ok(output.and(call.wait(Drain(drain), cluster)))
}

/// A running drain.
struct Drain(PatientDrain);

impl Suspended for Drain {
    fn poll(&mut self, _: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll {
        let (lines, course) = self.0.poll(cluster.api_mut());
        print(output, &lines);
        match course {
            Course::Waits(until) => return Poll::Pending(until),
            Course::Done => {}
            Course::GivenUp => {
                let what = match self.0.waits_for_deletions() {
                    true => "terminating ten minutes of virtual time after their grace periods",
                    false => "refused after ten minutes of virtual time",
                };
                output.complain(format!("error: still {what}; interrupted"));
            }
        }
        // Lines about Pods that could not be evicted yet are not failures.
        output.code = output.code.max(i32::from(self.0.has_failed()));
        Poll::Ready
    }
}

/// Prints the lines of a drain.
fn print(output: &mut Output, lines: &[Line]) {
    for line in lines {
        if line.is_error {
            output.warn(&line.text);
        } else {
            output.line(&line.text);
        }
    }
}
