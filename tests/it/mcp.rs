//! `berth mcp`, with the protocol written by hand, and with the public client in Python.

#[cfg(unix)]
mod cluster;
mod hostile;
mod python;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const CLUSTER: &str = "\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {pool: a}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {pool: b}}
status: {allocatable: {cpu: '2', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '3'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: db}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '5'}}}]}
";

/// A folder with the cluster in `cluster.yaml`.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mcp-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("cluster.yaml"), CLUSTER).unwrap();
    folder
}

/// A server, and the connection to it.
struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    /// Starts `berth mcp OPTIONS` in a folder, and shakes hands.
    fn start(folder: &Path, options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_berth"));
        command.arg("mcp").args(options).current_dir(folder);
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut client = Client {
            child,
            stdin,
            stdout,
            next: 1,
        };
        let hello = client.ask(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(hello["serverInfo"]["name"], "berth", "{hello}");
        client.notify("notifications/initialized", json!({}));
        client
    }

    fn send(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send(message.to_string().as_bytes());
    }

    /// Sends a request, and returns its id.
    fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(message.to_string().as_bytes());
        id
    }

    /// The next message. Everything on standard output is one.
    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool: whether it is an error, and its blocks.
    fn call(&mut self, tool: &str, arguments: Value) -> (bool, Vec<String>) {
        let result = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        blocks(&result)
    }

    /// The JSON of a tool that answers.
    fn json(&mut self, tool: &str, arguments: Value) -> Value {
        let (is_error, blocks) = self.call(tool, arguments);
        assert!(!is_error, "{blocks:?}");
        serde_json::from_str(&blocks[1]).unwrap()
    }

    /// Why a tool does not answer.
    fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let (is_error, blocks) = self.call(tool, arguments);
        assert!(is_error, "{blocks:?}");
        blocks.join("\n")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

fn blocks(result: &Value) -> (bool, Vec<String>) {
    let blocks = result["content"].as_array().unwrap().iter();
    let blocks = blocks.map(|block| block["text"].as_str().unwrap().to_owned());
    (result["isError"] == true, blocks.collect())
}

/// What the command itself prints.
fn printed(folder: &Path, line: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_berth"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn tools_answer_with_the_json_of_their_commands() {
    let folder = folder("tools");
    let mut client = Client::start(&folder, &["--root", "."]);
    let tools = client.ask("tools/list", json!({}));
    let names = tools["tools"].as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "load", "schedule", "explain", "what-if", "reduce", "compare", "kubectl",
    ];
    assert_eq!(names, expected);
    let loaded = client.json("load", json!({"name": "lab", "files": ["cluster.yaml"]}));
    assert_eq!(loaded, json!([]));
    for (tool, arguments, line) in [
        ("schedule", json!({}), "schedule cluster.yaml -o json"),
        (
            "explain",
            json!({"pod": "db"}),
            "explain cluster.yaml --pod db -o json",
        ),
        (
            "what-if",
            json!({"question": "lose", "nodes": ["n1"]}),
            "what-if lose n1 cluster.yaml -o json",
        ),
        (
            "what-if",
            json!({"question": "add", "count": 1, "like": "pool=a"}),
            "what-if add 1 --like pool=a cluster.yaml -o json",
        ),
        (
            "reduce",
            json!({"pod": "db"}),
            "reduce cluster.yaml --pod db -o json",
        ),
        (
            "compare",
            json!({"b": ["without=pool=a"]}),
            "compare cluster.yaml --b without=pool=a -o json",
        ),
    ] {
        let mut from = arguments.clone();
        from["from"] = json!(["lab"]);
        let answer = client.json(tool, from);
        assert_eq!(answer, printed(&folder, line), "{tool}");
        let mut text = arguments;
        text["manifests"] = json!(CLUSTER);
        let answer = client.json(tool, text);
        assert_eq!(answer, printed(&folder, line), "{tool}");
    }
}

#[test]
fn kubectl_prints_and_texts_are_its_files() {
    let mut client = Client::start(&folder("kubectl"), &["--root", "."]);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: more}\nspec: {containers: [{name: c, image: i}]}\n";
    let arguments = json!({"files": ["cluster.yaml"], "args": ["apply", "-f", "more.yaml"], "texts": {"more.yaml": pod}});
    let (is_error, blocks) = client.call("kubectl", arguments);
    assert!(!is_error && blocks[1] == "pod/more created", "{blocks:?}");
    let (_, blocks) = client.call(
        "kubectl",
        json!({"files": ["cluster.yaml"], "args": ["get", "nodes", "-o", "name"]}),
    );
    assert_eq!(blocks[1], "node/n1\nnode/n2");
    let (_, blocks) = client.call(
        "kubectl",
        json!({"files": ["cluster.yaml"], "args": ["get", "pod", "none"]}),
    );
    assert!(blocks[0].contains("exit status 1"), "{blocks:?}");
    assert!(blocks[1].contains("pods \"none\" not found"), "{blocks:?}");
}

#[test]
fn bad_calls_are_answered() {
    let mut client = Client::start(&folder("bad"), &[]);
    for (tool, arguments, expected) in [
        ("shedule", json!({}), "did you mean schedule?"),
        ("schedule", json!({}), "give manifests as text"),
        ("schedule", json!({"from": ["lab"]}), "nothing is loaded"),
        (
            "schedule",
            json!({"files": ["cluster.yaml"]}),
            "started with --root FOLDER",
        ),
        (
            "schedule",
            json!({"manifests": "kind: ["}),
            "error converting YAML to JSON",
        ),
        (
            "explain",
            json!({"manifests": CLUSTER, "pod": "wbe"}),
            "wbe",
        ),
        (
            "load",
            json!({"name": "lab", "cluster": true}),
            "started with --cluster",
        ),
        (
            "schedule",
            json!({"manifests": CLUSTER, "kubernetes": "1.99"}),
            "1.99",
        ),
    ] {
        let why = client.refused(tool, arguments);
        assert!(why.contains(expected), "{tool}: {why}");
    }
    // What is no message is no message.
    client.send(b"nonsense");
    client.send(b"");
    client.send(b"\xff\xfe");
    assert_eq!(client.ask("ping", json!({})), json!({}));
}
