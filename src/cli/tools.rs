//! The tools: commands as functions of manifests and named arguments, for programs. `berth mcp` offers them to agents; the
//! packages for JavaScript and Python are made of them.

use std::collections::BTreeMap;

use berth_session::{Printable, closest};
use clap::Parser;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::args::{Arguments, Command};
use super::given::{self, Files};
use super::messages;
use super::terminal::Terminal;
use super::{Outcome, Status, Stop, dispatch};

/// Arguments by name.
pub type JsonObject = Map<String, Value>;

/// Columns of what kubectl prints.
const WIDTH: usize = 80;

/// Who calls.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    /// A client of `berth mcp`, whose server reads files and keeps what was loaded.
    Agent,
    /// A program that has the manifests.
    Program,
}

/// A tool, as `tools.json` has it.
#[derive(Deserialize)]
pub struct Tool {
    pub name: &'static str,
    /// The command that answers.
    pub command: &'static str,
    pub description: String,
    /// Who can call it; `None`: everybody.
    caller: Option<Caller>,
    required: Vec<&'static str>,
    arguments: BTreeMap<&'static str, Value>,
}

/// `tools.json`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'static"))]
struct Table {
    /// Where the server of an agent finds manifests. Programs hand them over.
    sources: BTreeMap<&'static str, Value>,
    /// Arguments of every tool.
    shared: BTreeMap<&'static str, Value>,
    /// Arguments of all but `check`.
    of_runs: BTreeMap<&'static str, Value>,
    tools: Vec<Tool>,
}

/// The arguments of a call. Which of them a tool has is in its table.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Asked {
    pub manifests: Option<String>,
    pub files: Vec<String>,
    pub from: Vec<String>,
    pub texts: BTreeMap<String, String>,
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
    policy: Option<String>,
    prices: Option<String>,
    max_runs: Option<u64>,
    differs: Option<String>,
    source: Option<String>,
    a: Vec<String>,
    b: Vec<String>,
    topology: Option<String>,
    args: Vec<String>,
    after: Option<u64>,
}

/// All tools of a caller.
pub struct Tools {
    pub all: Vec<Tool>,
}

impl Tools {
    /// # Errors
    /// If the table is none; a test reads it.
    pub fn of(caller: Caller) -> Result<Self, String> {
        let table: Table = serde_json::from_str(include_str!("tools.json"))
            .map_err(|error| format!("tools.json: {error}"))?;
        let mut all = table.tools;
        all.retain(|tool| tool.caller.is_none_or(|known| known == caller));
        for tool in &mut all {
            tool.arguments.extend(table.shared.clone());
            if tool.command != "check" {
                tool.arguments.extend(table.of_runs.clone());
            }
            if caller == Caller::Agent {
                tool.arguments.extend(table.sources.clone());
            }
        }
        Ok(Tools { all })
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
    /// The JSON Schema of its arguments.
    pub fn schema(&self) -> JsonObject {
        let schema = json!({
            "type": "object",
            "properties": self.arguments,
            "required": self.required,
            "additionalProperties": false,
        });
        match schema {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        }
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

    /// The command line of a call, without the program. `manifests`: the names of the files that it reads.
    ///
    /// # Errors
    /// If there is nothing to read, or an argument that the question needs is missing.
    pub fn words(&self, asked: &Asked, manifests: Vec<String>) -> Result<Vec<String>, String> {
        if manifests.is_empty() {
            let how = "give manifests as text, name files, or what was loaded";
            return Err(format!("{}: {how}", self.name));
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
            "reduce" if asked.pod.is_none() && asked.differs.is_none() => {
                return Err("reduce needs the argument \"pod\" or \"differs\"".to_owned());
            }
            _ => {
                words.option("pod", asked.pod.as_deref());
                words.option("node", asked.node.as_deref());
                words.option("attempt", asked.attempt);
                words.option("max-runs", asked.max_runs);
                words.option("differs", asked.differs.as_deref());
                words.option("source", asked.source.as_deref());
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
        "shrink" => {
            words.option("prices", asked.prices.as_deref());
            first.extend(asked.pool.clone());
        }
        "evict" => {
            let policy = asked.policy.as_deref().ok_or_else(|| needs("policy"))?;
            words.option("policy", Some(policy));
        }
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

/// Runs the command of a call, which reads these files and nothing else.
pub(super) fn run(words: Vec<String>, files: Files, out: &mut dyn std::io::Write) -> Outcome {
    let words = ["berth".to_owned()].into_iter().chain(words);
    let arguments = Arguments::try_parse_from(words);
    let arguments = arguments.map_err(|error| {
        let message = error.to_string();
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        Stop::Message(message.trim_end().to_owned())
    })?;
    let terminal = Terminal::plain(WIDTH);
    given::with(files, || match &arguments.command {
        Command::Check(_)
        | Command::Schedule(_)
        | Command::Explain(_)
        | Command::WhatIf(_)
        | Command::Reduce(_)
        | Command::Compare(_)
        | Command::Kubectl(_) => dispatch(&arguments.command, &terminal, out),
        _ => Err("this command is no tool".to_owned().into()),
    })
}

/// What a tool answered.
#[derive(Debug)]
pub struct Answer {
    /// The exit status of the command: 1 if a Pod has no node, or the answer is one that scripts want to hear of. Only
    /// kubectl has others.
    pub status: u8,
    /// JSON; of kubectl what it prints.
    pub out: String,
    /// What the command says besides, a line each: problems of the manifests, what was inferred.
    pub messages: String,
}

/// Calls a tool. `manifests` are names and texts, in order.
///
/// # Errors
/// If the call cannot be made, or something is wrong with what it reads: lines for people.
pub fn answer(
    tool: &str,
    manifests: Vec<(String, String)>,
    arguments: JsonObject,
) -> Result<Answer, String> {
    let tools = Tools::of(Caller::Program)?;
    let tool = tools.find(tool)?;
    let asked = tool.asked(arguments)?;
    let names: Vec<String> = manifests.iter().map(|(name, _)| name.clone()).collect();
    let words = tool.words(&asked, names)?;
    let mut files = Files::new();
    for (name, text) in manifests.into_iter().chain(asked.texts) {
        if name.is_empty() || name == "-" {
            return Err("a text needs a name, and - is standard input".to_owned());
        }
        if files.insert(name.clone(), text).is_some() {
            return Err(format!(
                "two texts are called {:?}",
                Printable(&name).to_string()
            ));
        }
    }
    let mut out = Vec::new();
    let (outcome, messages) = messages::collect(|| run(words, files, &mut out));
    let failed = |why: &str| {
        let lines = [why, messages.trim_end()].into_iter();
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        Err(lines.join("\n"))
    };
    match outcome {
        Err(Stop::Message(why)) => failed(&why),
        Err(Stop::Output(error)) => failed(&error.to_string()),
        Ok(Status::BadInput) => failed(""),
        Ok(status) => Ok(Answer {
            status: status.code(),
            out: String::from_utf8_lossy(&out).into_owned(),
            messages,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> JsonObject {
        match value {
            Value::Object(object) => object,
            _ => panic!("no object"),
        }
    }

    fn words(tool: &str, arguments: Value) -> Result<String, String> {
        let tools = Tools::of(Caller::Agent).unwrap();
        let tool = tools.find(tool)?;
        let asked = tool.asked(object(arguments))?;
        let words = tool.words(&asked, vec!["a.yaml".to_owned()])?;
        Ok(words.join(" "))
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
                "reduce",
                json!({}),
                "reduce needs the argument \"pod\" or \"differs\"",
            ),
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
        let of = |caller| Tools::of(caller).unwrap().all;
        let names = |tools: &[Tool]| tools.iter().map(|tool| tool.name).collect::<Vec<_>>();
        let (agents, programs) = (of(Caller::Agent), of(Caller::Program));
        let common = [
            "schedule", "explain", "what-if", "reduce", "compare", "kubectl",
        ];
        assert_eq!(names(&agents), [&["load"][..], &common].concat());
        assert_eq!(names(&programs), [&["check"][..], &common].concat());
        for (tools, has_sources) in [(&agents, true), (&programs, false)] {
            for tool in tools {
                let properties = tool.schema()["properties"].as_object().unwrap().clone();
                assert_eq!(
                    properties.contains_key("manifests"),
                    has_sources,
                    "{}",
                    tool.name
                );
                assert!(properties.contains_key("kubernetes"), "{}", tool.name);
            }
        }
    }

    const CLUSTER: &str = "\
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '3'}}}]}
";

    fn ask(tool: &str, arguments: Value) -> Result<Answer, String> {
        let manifests = vec![("a.yaml".to_owned(), CLUSTER.to_owned())];
        answer(tool, manifests, object(arguments))
    }

    #[test]
    fn a_program_calls_a_tool_as_often_as_it_likes() {
        for cpu in [1, 5] {
            let pod = format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: db}}, spec: {{containers: [{{name: c, image: i, \
                 resources: {{requests: {{cpu: '{cpu}'}}}}}}]}}}}"
            );
            let manifests = vec![
                ("a.yaml".to_owned(), CLUSTER.to_owned()),
                ("b.yaml".to_owned(), pod),
            ];
            let answered = answer("schedule", manifests, JsonObject::new()).unwrap();
            assert_eq!(answered.status, u8::from(cpu == 5));
            let list: Value = serde_json::from_str(&answered.out).unwrap();
            assert_eq!(list["items"].as_array().unwrap().len(), 2);
        }
        let printed = ask("kubectl", json!({"args": ["get", "pods"]})).unwrap();
        assert!(printed.out.contains("web"), "{}", printed.out);
        let printed = ask("kubectl", json!({"args": ["get", "pods", "x"]})).unwrap();
        assert_eq!((printed.status, printed.out.as_str()), (1, ""));
        assert!(
            printed.messages.contains("NotFound"),
            "{}",
            printed.messages
        );
    }

    #[test]
    fn a_program_hears_what_is_wrong() {
        let files = |name: &str, text: &str| vec![(name.to_owned(), text.to_owned())];
        for (outcome, expected) in [
            (
                ask("explain", json!({"pod": "none"})),
                "no Pod default/none",
            ),
            (
                ask("explain", json!({"pod": "web", "from": ["x"]})),
                "explain has no argument \"from\"",
            ),
            (
                ask("load", json!({"name": "x"})),
                "there is no tool \"load\"",
            ),
            (
                ask("schedule", json!({"config": "/etc/hosts"})),
                "/etc/hosts: no such file",
            ),
            (
                ask("schedule", json!({"texts": {"a.yaml": ""}})),
                "two texts are called \"a.yaml\"",
            ),
            (
                answer("schedule", files("-", ""), JsonObject::new()),
                "a text needs a name",
            ),
            (
                answer("schedule", files("a", "kind: ["), JsonObject::new()),
                "a:1:",
            ),
            (
                answer("schedule", Vec::new(), JsonObject::new()),
                "schedule: give manifests",
            ),
        ] {
            let error = outcome.unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
