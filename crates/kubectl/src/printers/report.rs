//! What a command prints about the objects that it changed: one line each, or the objects themselves.

use serde_json::Value;

use super::Format;
use crate::Output;
use crate::arguments::Flag;
use crate::call::{Call, Done};
use crate::errors::{self, Complaint};
use crate::kinds::{KindInfo, deprecation};
use crate::resource::write::entries_of;
use berth_core::api::advice::{self, Written};
use berth_scheduler::release::Release;
use berth_sim::server::ApiServer;

/// The flags of commands that report.
pub(crate) const OUTPUT: Flag = Flag::word("output").short('o');
pub(crate) const DRY_RUN: Flag = Flag::maybe("dry-run", "unchanged");
pub(crate) const SAVE_CONFIG: Flag = Flag::switch("save-config");
pub(crate) const FIELD_MANAGER: Flag = Flag::word("field-manager");
pub(crate) const RECORD: Flag = Flag::switch("record");

/// The annotation in which `--record` stores the command.
pub(crate) const CAUSE: &str = "kubernetes.io/change-cause";

/// Stores the command in the object if `--record` is set: its words, then its flags in long form (kubectl's
/// `genericclioptions.RecordFlags`).
pub(crate) fn record(call: &Call<'_>, object: &mut Value) {
    if !call.arguments.is("record") {
        return;
    }
    let mut command = format!("kubectl {}", call.verb.name);
    for word in &call.arguments.words {
        command.push(' ');
        command.push_str(word);
    }
    for (name, value) in call.arguments.given() {
        command.push_str(&format!(" --{name}={value}"));
    }
    if let Some(annotations) = entries_of(object, "annotations") {
        annotations.insert(CAUSE.to_owned(), command.into());
    }
}

/// Operations after which the API server's warnings about an object are printed.
const WRITTEN: [&str; 6] = [
    "created",
    "configured",
    "replaced",
    "patched",
    "patched (no change)",
    "serverside-applied",
];

/// The dry-run mode of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DryRun {
    No,
    /// Shows the request without sending it.
    Client,
    /// The API server processes the request without storing the result.
    Server,
}

/// The value of `--dry-run`.
///
/// # Errors
/// kubectl's error about any other value.
pub(crate) fn dry_run(call: &Call<'_>) -> Result<DryRun, String> {
    match call.arguments.word("dry-run") {
        None | Some("none" | "false") => Ok(DryRun::No),
        Some("client" | "unchanged" | "true") => Ok(DryRun::Client),
        Some("server") => Ok(DryRun::Server),
        Some(other) => Err(format!(
            "error: Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."
        )),
    }
}

/// A report in progress.
pub(crate) struct Report {
    format: Format,
    is_table: bool,
    suffix: &'static str,
    pub(crate) output: Output,
    objects: Vec<Value>,
    complaints: Vec<Complaint>,
    /// What admission warned of since the last object.
    heard: Vec<String>,
    /// Warnings that are printed, each once.
    told: Vec<String>,
    /// The API server's, which decides what it warns of.
    release: Release,
}

impl Report {
    /// An empty report in the format that a call's flags ask for.
    ///
    /// # Errors
    /// kubectl's error about invalid flags.
    pub(crate) fn new(call: &Call<'_>) -> Result<Self, String> {
        let output = call.arguments.word("output").unwrap_or_default();
        let template = call.arguments.word("template").unwrap_or_default();
        let suffix = match dry_run(call)? {
            DryRun::No => "",
            DryRun::Client => " (dry run)",
            DryRun::Server => " (server dry run)",
        };
        let mut warnings = Output::default();
        if call.arguments.has("record") {
            warnings
                .warn("Flag --record has been deprecated, --record will be removed in the future");
        }
        Ok(Report {
            format: Format::parse(output, template)?,
            is_table: matches!(output, "" | "wide"),
            suffix,
            output: warnings,
            objects: Vec::new(),
            complaints: Vec::new(),
            heard: Vec::new(),
            told: Vec::new(),
            release: Release::default(),
        })
    }

    /// Sets the API server's release.
    pub(crate) fn follow(&mut self, release: &Release) {
        self.release = *release;
    }

    /// Notes a request about objects of a kind, which may be deprecated.
    pub(crate) fn asks(&mut self, kind: &KindInfo) {
        if let Some(warning) = deprecation(kind) {
            self.warn(warning.to_owned());
        }
    }

    /// Takes the warnings of the API server's admission about the next object.
    pub(crate) fn hear(&mut self, cluster: &mut dyn crate::Cluster) {
        if cluster.api().has_warnings() {
            self.heard = cluster.api_mut().take_warnings();
        }
    }

    /// Prints a warning of the API server, unless this command has printed it before.
    pub(crate) fn warn(&mut self, warning: String) {
        if !self.told.contains(&warning) {
            self.output.warning(&warning);
            self.told.push(warning);
        }
    }

    /// Records a changed object: `deployment.apps/web created`.
    pub(crate) fn done(&mut self, kind: &KindInfo, object: &Value, operation: &str) {
        let name = object.pointer("/metadata/name").and_then(Value::as_str);
        let name = name.unwrap_or_default();
        let heard = std::mem::take(&mut self.heard);
        if WRITTEN.contains(&operation) {
            let written = match operation {
                "created" => Written::Created,
                "patched (no change)" => Written::Same,
                _ => Written::Changed,
            };
            for warning in advice::warnings(object, written, &self.release) {
                self.warn(warning);
            }
            if let Some(key) = advice::misplaced(object) {
                self.output.warn(format!("Warning: the annotation {key:?} has no effect here: move it to the annotations of the Pod template"));
            }
        }
        for warning in heard {
            self.warn(warning);
        }
        if self.is_table {
            let (kind, suffix) = (kind.qualified(), self.suffix);
            self.output
                .line(format!("{kind}/{name} {operation}{suffix}"));
        } else {
            self.objects.push(object.clone());
        }
    }

    /// Records an error about one of the objects.
    pub(crate) fn refuse(&mut self, complaint: impl Into<Complaint>) {
        self.complaints.push(complaint.into());
    }

    /// Whether an object was refused.
    pub(crate) fn is_refused(&self) -> bool {
        !self.complaints.is_empty()
    }

    /// The whole report, with an error for each missing object.
    ///
    /// # Errors
    /// A template that cannot be evaluated.
    pub(crate) fn finish_without(mut self, missing: &[String]) -> Done {
        for line in missing {
            self.refuse(line.as_str());
        }
        self.finish()
    }

    /// The whole report.
    ///
    /// # Errors
    /// A template that cannot be evaluated.
    pub(crate) fn finish(mut self) -> Done {
        if !self.is_table && !self.objects.is_empty() {
            let is_single = self.objects.len() == 1;
            let text = self.format.print(self.objects, is_single, false)?;
            self.output.stdout.push_str(&text);
        }
        for line in errors::lines(&self.complaints) {
            self.output.complain(line);
        }
        Ok(self.output)
    }
}

/// Runs `act` on the API server, or on a copy of it for a dry run.
pub(crate) fn on<T>(
    call_dry_run: DryRun,
    cluster: &mut dyn crate::Cluster,
    act: impl FnOnce(&mut ApiServer) -> T,
) -> T {
    if call_dry_run == DryRun::No {
        act(cluster.api_mut())
    } else {
        let mut api = cluster.api().dry();
        let outcome = act(&mut api);
        let warnings = api.take_warnings();
        if !warnings.is_empty() {
            cluster.api_mut().add_warnings(warnings);
        }
        outcome
    }
}
