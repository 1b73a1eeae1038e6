//! The tools: their names, arguments and command lines.

use std::collections::BTreeMap;
use std::ffi::OsString;

use berth_session::{Printable, closest};
use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Value, json};

use super::files::add;
use crate::cli::given::Files;
use crate::cli::live::Context;

/// A tool, as `tools.json` has it.
#[derive(Deserialize)]
pub struct Tool {
    name: &'static str,
    /// The command that answers.
    pub command: &'static str,
    description: String,
    required: Vec<&'static str>,
    arguments: BTreeMap<&'static str, Value>,
}

/// Arguments of every tool.
fn shared() -> BTreeMap<&'static str, Value> {
    let text = |what: &str| json!({"type": "string", "description": what});
    let texts =
        |what: &str| json!({"type": "array", "items": {"type": "string"}, "description": what});
    BTreeMap::from([
        (
            "manifests",
            text("Manifests in YAML or JSON, several documents in one text"),
        ),
        (
            "files",
            texts(
                "Files and folders of manifests, below the folders that the server was started with",
            ),
        ),
        ("from", texts("Names of what was loaded")),
        (
            "texts",
            json!({
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Further files that the call names, by name: a configuration, a patch, what kubectl applies"
            }),
        ),
        (
            "config",
            text(
                "The name of a KubeSchedulerConfiguration in `texts`, in place of the one among the manifests",
            ),
        ),
        (
            "kubernetes",
            text("The release to follow in place of the Scenario's: 1.34, 1.35 or 1.36"),
        ),
        (
            "seed",
            json!({"type": "integer", "minimum": 0, "description": "Seed of the random tie break; 1 by default"}),
        ),
    ])
}

/// Shared arguments that `load` does not have.
const OF_RUNS: [&str; 3] = ["config", "seed", "texts"];

/// The arguments of a call. Which of them a tool has is in its table.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Asked {
    pub manifests: Option<String>,
    pub files: Vec<String>,
    pub from: Vec<String>,
    texts: BTreeMap<String, String>,
    config: Option<String>,
    kubernetes: Option<String>,
    seed: Option<u64>,
    pub name: Option<String>,
    pub cluster: bool,
    pod: Option<String>,
    node: Option<String>,
    attempt: Option<u64>,
    question: Option<String>,
    nodes: Vec<String>,
    each: Option<String>,
    count: Option<u64>,
    like: Option<String>,
    workload: Option<String>,
    at_most: Option<u64>,
    pool: Option<String>,
    max_surge: Option<u64>,
    max_unavailable: Option<u64>,
    max_runs: Option<u64>,
    a: Vec<String>,
    b: Vec<String>,
    topology: Option<String>,
    args: Vec<String>,
    after: Option<u64>,
}

/// All tools.
pub struct Tools {
    all: Vec<Tool>,
}

impl Tools {
    /// # Errors
    /// If the table is none; a test reads it.
    pub fn read() -> Result<Self, String> {
        let mut all: Vec<Tool> = serde_json::from_str(include_str!("tools.json"))
            .map_err(|error| format!("tools.json: {error}"))?;
        for tool in &mut all {
            let known = shared().into_iter();
            let is_run = tool.command != "check";
            tool.arguments
                .extend(known.filter(|(name, _)| is_run || !OF_RUNS.contains(name)));
        }
        Ok(Tools { all })
    }

    /// The tools as clients list them.
    pub fn described(&self) -> Vec<Described> {
        self.all.iter().map(Tool::described).collect()
    }

    /// # Errors
    /// If there is no such tool.
    pub fn find(&self, name: &str) -> Result<&Tool, String> {
        let found = self.all.iter().find(|tool| tool.name == name);
        found.ok_or_else(|| unknown("there is no tool", name, self.all.iter().map(|it| it.name)))
    }
}

fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let meant = closest(name, known);
    let meant = meant.map_or(String::new(), |meant| format!(" (did you mean {meant}?)"));
    format!("{what} {:?}{meant}", Printable(name).to_string())
}

impl Tool {
    fn described(&self) -> Described {
        let schema = json!({
            "type": "object",
            "properties": self.arguments,
            "required": self.required,
            "additionalProperties": false,
        });
        let schema = match schema {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        };
        let hints = ToolAnnotations::new()
            .read_only(true)
            .destructive(false)
            .open_world(false);
        Described::new(self.name, self.description.clone(), schema).with_annotations(hints)
    }

    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// If one is missing, unknown, or of another type.
    pub fn asked(&self, arguments: JsonObject) -> Result<Asked, String> {
        let name = self.name;
        let mut names = arguments.keys().map(String::as_str);
        if let Some(other) = names.find(|other| !self.arguments.contains_key(*other)) {
            let what = format!("{name} has no argument");
            return Err(unknown(&what, other, self.arguments.keys().copied()));
        }
        let mut required = self.required.iter();
        if let Some(missing) = required.find(|required| !arguments.contains_key(**required)) {
            return Err(format!("{name} needs the argument {missing:?}"));
        }
        let read = serde_json::from_value(Value::Object(arguments));
        read.map_err(|error| format!("{name}: {error}"))
    }

    /// The command line of a call, without the program. Adds the call's texts to its files.
    ///
    /// # Errors
    /// If there is nothing to read, or an argument that the question needs is missing.
    pub fn words(&self, asked: &Asked, files: &mut Files) -> Result<Vec<String>, String> {
        if files.is_empty() {
            let how = "give manifests as text, name files, or what was loaded";
            return Err(format!("{}: {how}", self.name));
        }
        let manifests: Vec<String> = files.keys().cloned().collect();
        for (name, text) in &asked.texts {
            add(files, name, text.clone())?;
        }
        let mut words = Words::of(self.command);
        if self.command == "what-if" {
            words.words.extend(asked.question.clone());
        }
        words.option("lang", Some("en"));
        words.option("kubernetes", asked.kubernetes.as_deref());
        words.option("config", asked.config.as_deref());
        words.option("seed", asked.seed);
        let mut first = Vec::new();
        match self.command {
            "kubectl" => {
                for manifest in manifests {
                    words.option("on", Some(manifest));
                }
                words.option("after", asked.after);
                return Ok(words.end(asked.args.iter().cloned()));
            }
            "what-if" => first = what_if(asked, &mut words)?,
            _ => {
                words.option("pod", asked.pod.as_deref());
                words.option("node", asked.node.as_deref());
                words.option("attempt", asked.attempt);
                words.option("max-runs", asked.max_runs);
                words.option("topology", asked.topology.as_deref());
                for (side, settings) in [("a", &asked.a), ("b", &asked.b)] {
                    for setting in settings {
                        words.option(side, Some(setting.as_str()));
                    }
                }
            }
        }
        words.option("output", Some("json"));
        Ok(words.end(first.into_iter().chain(manifests)))
    }

    /// The command line that reads a cluster.
    pub fn of_cluster(which: &Context) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["snapshot".into()];
        if let Some(context) = &which.context {
            words.push(format!("--context={context}").into());
        }
        if let Some(file) = &which.kubeconfig {
            words.extend(["--kubeconfig".into(), file.into()]);
        }
        words
    }
}

/// The options of a what-if, and the words before its files.
fn what_if(asked: &Asked, words: &mut Words) -> Result<Vec<String>, String> {
    let question = asked.question.as_deref().unwrap_or_default();
    let needs = |what: &str| format!("{question} needs the argument {what:?}");
    let mut first = Vec::new();
    match question {
        "lose" | "drain" => {
            words.option("each", asked.each.as_deref());
            if asked.each.is_none() {
                first.clone_from(&asked.nodes);
                if first.is_empty() {
                    return Err(needs("nodes"));
                }
            }
        }
        "add" => {
            words.option("like", asked.like.as_deref());
            first.push(asked.count.ok_or_else(|| needs("count"))?.to_string());
        }
        "fit" => {
            words.option("at-most", asked.at_most);
            first.push(asked.workload.clone().ok_or_else(|| needs("workload"))?);
        }
        "upgrade" => {
            words.option("max-surge", asked.max_surge);
            words.option("max-unavailable", asked.max_unavailable);
            first.push(asked.pool.clone().ok_or_else(|| needs("pool"))?);
        }
        "shrink" => first.extend(asked.pool.clone()),
        _ => {}
    }
    Ok(first)
}

/// A command line.
struct Words {
    words: Vec<String>,
}

impl Words {
    fn of(command: &str) -> Self {
        Words {
            words: vec![command.to_owned()],
        }
    }

    /// `--name=value`: a value is never an option itself.
    fn option(&mut self, name: &str, value: Option<impl ToString>) {
        let option = value.map(|value| format!("--{name}={}", value.to_string()));
        self.words.extend(option);
    }

    /// With the words that are no options.
    fn end(mut self, words: impl Iterator<Item = String>) -> Vec<String> {
        self.words.push("--".to_owned());
        self.words.extend(words);
        self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(tool: &str, arguments: Value) -> Result<String, String> {
        let tools = Tools::read().unwrap();
        let tool = tools.find(tool)?;
        let Value::Object(arguments) = arguments else {
            panic!("no object");
        };
        let asked = tool.asked(arguments)?;
        let mut files = Files::from([("a.yaml".to_owned(), String::new())]);
        tool.words(&asked, &mut files).map(|words| words.join(" "))
    }

    #[test]
    fn a_call_is_a_command_line() {
        for (tool, arguments, expected) in [
            (
                "load",
                json!({"name": "x"}),
                "check --lang=en --output=json -- a.yaml",
            ),
            (
                "explain",
                json!({"pod": "-o", "kubernetes": "1.34"}),
                "explain --lang=en --kubernetes=1.34 --pod=-o --output=json -- a.yaml",
            ),
            (
                "what-if",
                json!({"question": "lose", "nodes": ["n1", "--config"]}),
                "what-if lose --lang=en --output=json -- n1 --config a.yaml",
            ),
            (
                "what-if",
                json!({"question": "add", "count": 2, "like": "pool=a"}),
                "what-if add --lang=en --like=pool=a --output=json -- 2 a.yaml",
            ),
            (
                "kubectl",
                json!({"args": ["get", "pods", "-o", "wide"], "after": 5}),
                "kubectl --lang=en --on=a.yaml --after=5 -- get pods -o wide",
            ),
            (
                "compare",
                json!({"b": ["config=c.yaml"], "texts": {"c.yaml": ""}}),
                "compare --lang=en --b=config=c.yaml --output=json -- a.yaml",
            ),
        ] {
            assert_eq!(words(tool, arguments).as_deref(), Ok(expected), "{tool}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_call_is_said() {
        for (tool, arguments, expected) in [
            (
                "shedule",
                json!({}),
                "there is no tool \"shedule\" (did you mean schedule?)",
            ),
            (
                "explain",
                json!({"pd": "a"}),
                "explain has no argument \"pd\"",
            ),
            ("explain", json!({}), "explain needs the argument \"pod\""),
            (
                "schedule",
                json!({"pod": "a"}),
                "schedule has no argument \"pod\"",
            ),
            (
                "load",
                json!({"name": "x", "seed": 1}),
                "load has no argument \"seed\"",
            ),
            (
                "what-if",
                json!({"question": "fit"}),
                "fit needs the argument \"workload\"",
            ),
        ] {
            let error = words(tool, arguments).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        let wrong = words("schedule", json!({"seed": "x"})).unwrap_err();
        assert!(wrong.starts_with("schedule: invalid type"), "{wrong}");
    }

    #[test]
    fn every_tool_has_a_schema() {
        let tools = Tools::read().unwrap().described();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        let expected = [
            "load", "schedule", "explain", "what-if", "reduce", "compare", "kubectl",
        ];
        assert_eq!(names, expected);
        for tool in tools {
            let properties = tool.input_schema["properties"].as_object().unwrap();
            assert!(properties.contains_key("manifests"), "{}", tool.name);
        }
    }
}
