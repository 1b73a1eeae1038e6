//! Small lives for the tests of controllers: three nodes, some workloads, a script.

use serde_json::Value;

use crate::controllers::Options;
use crate::replay::timeline::{Failure, play, recorded};
use berth_core::api::load::load;
use berth_core::api::manifests::refuse_invalid;
use berth_core::api::object::Manifest;
use berth_core::api::problem::Problem;
use berth_core::api::script::{self, Verbs};
use berth_core::api::source::SourceFile;
use berth_scheduler::release::{Release, Version};

/// The release whose controllers these lives are of.
const RECORDED: Version = Version::V1_34;

/// A recorded life.
pub(crate) struct Life(Value);

/// Plays workloads on nodes n1, n2 and n3. `script` are the lines of the Script after its kind.
pub(crate) fn life(workloads: &str, script: &str) -> Life {
    life_as(workloads, script, recorded(Release::of(RECORDED)))
}

/// The same with other controller options.
pub(crate) fn life_as(workloads: &str, script: &str, options: Options) -> Life {
    let (record, problems) = attempt_as(workloads, script, options);
    assert_eq!(problems, [], "{workloads}\n{script}");
    Life(record.expect("a record"))
}

/// The same, with the problems instead of a panic.
pub(crate) fn attempt(workloads: &str, script: &str) -> (Option<Value>, Vec<Problem>) {
    attempt_as(workloads, script, recorded(Release::of(RECORDED)))
}

fn attempt_as(workloads: &str, script: &str, options: Options) -> (Option<Value>, Vec<Problem>) {
    let nodes = ["n1", "n2", "n3"]
        .map(|name| format!("{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}}}\n---\n"));
    let text = format!(
        "{}{workloads}\n---\napiVersion: conformance/v1\nkind: Script\n{script}",
        nodes.concat()
    );
    let mut loaded = load(&[SourceFile::new("life.yaml", text)]);
    let refused = refuse_invalid(&mut loaded, &Release::of(RECORDED));
    let mut problems = std::mem::take(&mut loaded.problems);
    problems.extend(refused);
    let (source, script, warnings) = match script::find(&loaded, Verbs::Operations) {
        Ok(found) => found,
        Err(wrong) => return (None, wrong),
    };
    problems.extend(warnings);
    let objects: Vec<&Manifest> = loaded
        .documents
        .iter()
        .filter_map(|document| document.object.as_deref())
        .collect();
    match play(&objects, &script, options) {
        Ok(record) => (Some(record), problems),
        Err(Failure::Script(findings)) => {
            let findings = findings.into_iter();
            problems.extend(findings.map(|it| loaded.problem(source, it)));
            (None, problems)
        }
        Err(Failure::Manifest { message, .. }) => panic!("{message}"),
    }
}

/// A manifest of a kind of `apps/v1` with one container `c` of image `app:v1`, selected by `app: NAME`.
pub(crate) fn workload(kind: &str, name: &str, spec: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{selector: {{matchLabels: {{app: {name}}}}}, template: {{metadata: {{labels: {{app: {name}}}}}, spec: {{containers: [{{name: c, image: \"app:v1\"}}]}}}}, {spec}}}"
    )
}

/// A Job `job` with image `job:v1` that is not restarted.
pub(crate) fn job(spec: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: job}}\nspec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: \"job:v1\"}}]}}}}, {spec}}}"
    )
}

impl Life {
    fn instants(&self) -> &[Value] {
        self.0["timeline"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The seconds in which something happened.
    pub(crate) fn seconds(&self) -> Vec<i64> {
        self.instants()
            .iter()
            .map(|instant| instant["t"].as_i64().unwrap())
            .collect()
    }

    fn lines(&self, second: i64, field: &str) -> Vec<&Value> {
        let at = self.instants().iter().find(|it| it["t"] == second);
        at.and_then(|it| it[field].as_array())
            .into_iter()
            .flatten()
            .collect()
    }

    /// The writes in a second, without the bindings.
    pub(crate) fn actions(&self, second: i64) -> Vec<&str> {
        self.lines(second, "actions")
            .into_iter()
            .filter_map(Value::as_str)
            .filter(|line| !line.starts_with("bind "))
            .collect()
    }

    /// `reason: message` of the events in a second, without successful creations and deletions.
    pub(crate) fn events(&self, second: i64) -> Vec<String> {
        let events = self.lines(second, "events").into_iter();
        let text = |event: &Value, field: &str| event[field].as_str().unwrap().to_owned();
        events
            .map(|event| (text(event, "reason"), text(event, "message")))
            .filter(|(reason, _)| !reason.starts_with("Successful"))
            .map(|(reason, message)| format!("{reason}: {message}"))
            .collect()
    }

    /// The output of `kubectl` in a second.
    pub(crate) fn messages(&self, second: i64) -> Vec<&str> {
        self.lines(second, "messages")
            .into_iter()
            .filter_map(Value::as_str)
            .collect()
    }

    /// The state of a workload in a second, or the last one before.
    pub(crate) fn at(&self, second: i64, name: &str) -> &Value {
        let mut before = self
            .instants()
            .iter()
            .rev()
            .skip_while(|it| it["t"].as_i64().unwrap() > second);
        let instant = before.next().expect("an instant");
        let mut workloads = instant["workloads"].as_array().unwrap().iter();
        workloads
            .find(|it| it["name"] == name)
            .unwrap_or(&Value::Null)
    }

    /// A number of the status; 0 if it is absent.
    pub(crate) fn status(&self, second: i64, name: &str, field: &str) -> i64 {
        self.at(second, name)["status"][field].as_i64().unwrap_or(0)
    }

    /// `Type=Status/Reason` of the conditions.
    pub(crate) fn conditions(&self, second: i64, name: &str) -> Vec<String> {
        let conditions = self.at(second, name)["status"]["conditions"].as_array();
        let text = |it: &Value, field: &str| it[field].as_str().unwrap().to_owned();
        conditions
            .into_iter()
            .flatten()
            .map(|it| {
                let (kind, status) = (text(it, "type"), text(it, "status"));
                format!("{kind}={status}/{}", text(it, "reason"))
            })
            .collect()
    }

    /// The names of a workload's Pods, with `X` if they are terminating.
    pub(crate) fn pods(&self, second: i64, name: &str) -> Vec<String> {
        let pods = self.at(second, name)["pods"].as_array();
        pods.into_iter()
            .flatten()
            .map(|pod| {
                let ending = if pod["terminating"] == true { "X" } else { "" };
                format!("{}{ending}", pod["name"].as_str().unwrap())
            })
            .collect()
    }
}
