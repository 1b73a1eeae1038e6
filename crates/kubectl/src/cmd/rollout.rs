//! `kubectl rollout status|undo|pause|resume|restart` (kubectl v1.34 `cmd/rollout`).

pub(super) mod history;
mod status;

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::report::{DRY_RUN, DryRun, FIELD_MANAGER, OUTPUT, Report, dry_run, on};
use crate::resource::files::{self, FILENAME};
use crate::resource::targets::{self, Found, Target};
use crate::resource::write::{self, LAST_APPLIED};
use crate::suspended::{Poll, Suspended};
use crate::{Cluster, Output};
use berth_sim::patch::merge;
use berth_sim::rollback;

const SELECTOR: Flag = Flag::word("selector").short('l');

macro_rules! verb {
    ($constant:ident, $name:literal, $about:literal, $run:expr, [$($flag:expr),*]) => {
        pub(crate) const $constant: Verb = Verb {
            name: concat!("rollout ", $name),
            about: $about,
            usage: concat!("rollout ", $name, " (TYPE NAME | TYPE/NAME)"),
            examples: &[concat!("kubectl rollout ", $name, " deployment/web")],
            flags: &[FILENAME, SELECTOR, $($flag),*],
            run: $run,
        };
    };
}

verb!(
    UNDO,
    "undo",
    "Undo a previous rollout",
    undo,
    [OUTPUT, DRY_RUN, Flag::number("to-revision")]
);
verb!(
    PAUSE,
    "pause",
    "Mark the provided resource as paused",
    |call, cluster| pause(call, cluster, true),
    [OUTPUT, FIELD_MANAGER]
);
verb!(
    RESUME,
    "resume",
    "Resume a paused resource",
    |call, cluster| pause(call, cluster, false),
    [OUTPUT, FIELD_MANAGER]
);
verb!(
    RESTART,
    "restart",
    "Restart a resource",
    restart,
    [OUTPUT, FIELD_MANAGER]
);
verb!(
    STATUS,
    "status",
    "Show the status of the rollout",
    follow,
    [
        Flag::switch("watch").short('w'),
        Flag::number("revision"),
        Flag::duration("timeout")
    ]
);

/// Maximum wait for a rollout without `--timeout`.
const PATIENCE_MS: i64 = 24 * 3_600_000;

fn meant(call: &Call<'_>, cluster: &dyn Cluster) -> Result<Found, String> {
    let (words, select) = (&call.arguments.words, targets::select_or_all);
    let none = "error: required resource not specified";
    files::targets_or(call, words, select, none, cluster)
}

fn undo(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let dry = dry_run(call)?;
    let mut report = Report::new(call)?;
    let found = meant(call, cluster)?;
    let to = call.arguments.number("to-revision").unwrap_or(0);
    for target in &found.targets {
        let Target { kind, key } = target;
        let object = cluster.api().get(kind.kind, key);
        let meta = object.as_ref().map(|object| object.metadata());
        let is_applied = meta
            .and_then(|it| it.annotations.as_ref()?.get(LAST_APPLIED))
            .is_some();
        if is_applied && cluster.api().release().rules().warns_of_undo {
            report.output.warn(format!(
                "Warning: resource {}/{} was previously managed with 'kubectl apply'. Rolling back will not update the {LAST_APPLIED} annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead.",
                kind.plural,
                key.name()
            ));
        }
        let undone = on(
            if dry == DryRun::Client {
                DryRun::Server
            } else {
                dry
            },
            cluster,
            |api| rollback::undo(kind.kind, key, to, api),
        );
        let object = cluster.api().get(kind.kind, key);
        let object = object.map(|object| object.to_json()).unwrap_or_default();
        report.hear(cluster);
        match undone {
            Ok(undone) => report.done(kind, &object, &undone.to_string()),
            Err(why) => report.refuse(format!("error: {why}")),
        }
    }
    report.finish_without(&found.missing)
}

fn pause(call: &mut Call<'_>, cluster: &mut dyn Cluster, wanted: bool) -> Done {
    let mut report = Report::new(call)?;
    let found = meant(call, cluster)?;
    let name = if wanted { "pausing" } else { "resuming" };
    for target in &found.targets {
        let Target { kind, key } = target;
        if kind.kind != "Deployment" {
            report.output.complain(format!(
                "error: {} {:?} {name} is not supported",
                kind.resource(),
                key.name()
            ));
            continue;
        }
        let patch = json!({"spec": {"paused": wanted.then_some(true)}});
        let mut already = false;
        let mut edit = |object: &mut Value| {
            let paused = object.pointer("/spec/paused") == Some(&Value::Bool(true));
            already = paused == wanted;
            merge(object, &patch);
            Ok(())
        };
        let changed = write::change(kind, key, cluster.api_mut(), &mut edit);
        match changed {
            Err(complaint) => report.refuse(complaint),
            Ok(_) if already => report.output.complain(format!(
                "error: {} {:?} is {}",
                kind.resource(),
                key.name(),
                if wanted {
                    "already paused"
                } else {
                    "not paused"
                }
            )),
            Ok((_, object)) => {
                let operation = if wanted { "paused" } else { "resumed" };
                report.done(kind, &object, operation);
            }
        }
    }
    report.finish_without(&found.missing)
}

fn restart(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let mut report = Report::new(call)?;
    let found = meant(call, cluster)?;
    let now = cluster.api().now();
    let now = berth_base::json::value(&now);
    for target in &found.targets {
        let Target { kind, key } = target;
        if !matches!(kind.kind, "Deployment" | "DaemonSet" | "StatefulSet") {
            report.output.complain(format!(
                "error: {} {:?} restarting is not supported",
                kind.resource(),
                key.name()
            ));
            continue;
        }
        let patch = json!({"spec": {"template": {"metadata": {"annotations": {
            "kubectl.kubernetes.io/restartedAt": now,
        }}}}});
        let mut edit = |object: &mut Value| {
            if object.pointer("/spec/paused") == Some(&Value::Bool(true)) {
                return Err(format!(
                    "error: {} {:?} can't restart paused deployment (run rollout resume first)",
                    kind.resource(),
                    key.name()
                ));
            }
            merge(object, &patch);
            Ok(())
        };
        let changed = write::change(kind, key, cluster.api_mut(), &mut edit);
        report.hear(cluster);
        match changed {
            Ok((_, object)) => report.done(kind, &object, "restarted"),
            Err(complaint) => report.refuse(complaint),
        }
    }
    report.finish_without(&found.missing)
}

/// Waits for a rollout, and prints its progress whenever that changes.
fn follow(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let found = meant(call, cluster)?;
    if let Some(missing) = found.missing.first() {
        return Err(missing.clone());
    }
    let timeout = call.arguments.duration_ms("timeout").filter(|ms| *ms > 0);
    let start = cluster.api().now_ms();
    let rollouts = Rollouts {
        targets: found.targets.into(),
        printed: String::new(),
        revision: call.arguments.number("revision").unwrap_or(0),
        watches: call.arguments.is_or("watch", true),
        until: start.saturating_add(timeout.unwrap_or(PATIENCE_MS)),
    };
    Ok(call.wait(rollouts, cluster))
}

/// Waits for rollouts, one after the other.
struct Rollouts {
    targets: VecDeque<Target>,
    /// The last line printed for the first target.
    printed: String,
    revision: i64,
    watches: bool,
    until: i64,
}

impl Suspended for Rollouts {
    fn poll(&mut self, _: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll {
        while let Some(target) = self.targets.front() {
            match status::of(target, self.revision, cluster.api()) {
                Err(complaint) => output.complain(complaint),
                Ok(state) => {
                    if state.text != self.printed {
                        output.stdout.push_str(&state.text);
                        self.printed = state.text;
                    }
                    if !state.is_done && self.watches {
                        if cluster.api().now_ms() < self.until {
                            return Poll::Pending(self.until);
                        }
                        output.complain("error: timed out waiting for the condition");
                    }
                }
            }
            self.targets.pop_front();
            self.printed.clear();
        }
        Poll::Ready
    }
}
