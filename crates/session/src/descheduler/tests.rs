//! The unit tables of descheduler v0.36.0, in a form of our own: what a cycle evicts, and which Pods pass the evictor.
//!
//! A table has cases, and bases that cases and other bases include (`+ NAME…`). Their lines are
//! `node NAME CPU MEMORY PODS WORD…`, `pod NAME NODE CPU MEMORY WORD…` (`p1..p3` are three; CPU in thousandths), `ns NAME LABEL…`,
//! `pdb NAME APP`, `pvc NAME CLASS`, the arguments of plugins as JSON (`evictor`, `low`, `dup`) and `limits` of the policy,
//! then what is expected: `evicts NUMBER NAME…`, or whether the first Pod passes (`filter`, `prefilter`).

mod validation;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::default_evictor::DefaultEvictor;
use super::{Caches, Lists, Policy, run};

/// A case of a table.
#[derive(Clone, Default)]
struct Case {
    nodes: Vec<Value>,
    pods: Vec<Value>,
    budgets: Vec<Value>,
    claims: Vec<Value>,
    namespaces: Vec<Value>,
    args: BTreeMap<&'static str, Value>,
    limits: Value,
    expected: Vec<String>,
}

/// The cases of a table, by name.
fn cases(table: &str) -> Vec<(String, Case)> {
    let mut bases: BTreeMap<String, Case> = BTreeMap::new();
    let mut cases: Vec<(String, Case)> = Vec::new();
    let mut base: Option<(String, Case)> = None;
    let lines = table.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').expect("has a word");
        match word {
            "base" => {
                bases.extend(base.take());
                base = Some((rest.to_owned(), Case::default()));
            }
            "case" => {
                bases.extend(base.take());
                cases.push((rest.to_owned(), Case::default()));
            }
            _ => {
                let last = base.as_mut().or(cases.last_mut());
                let (_, case) = last.expect("begins with a base or a case");
                case.read_line(word, rest, &bases);
            }
        }
    }
    cases
}

impl Case {
    fn read_line(&mut self, word: &str, rest: &str, bases: &BTreeMap<String, Case>) {
        let words: Vec<&str> = rest.split(' ').collect();
        let json = |text: &str| serde_json::from_str::<Value>(text).expect("is JSON");
        match word {
            "+" => words.iter().for_each(|name| self.include(&bases[*name])),
            "node" => self.nodes.push(node(&words)),
            "pod" => {
                let names = names(words[0]);
                let pods = names.iter().map(|name| pod(name, &words[1..]));
                self.pods.extend(pods);
            }
            "ns" => {
                let labels = pairs(&words[1..]);
                self.namespaces
                    .push(json!({"metadata": {"name": words[0], "labels": labels}}));
            }
            "pdb" => self.budgets.push(json!({
                "metadata": {"namespace": "default", "name": words[0]},
                "spec": {"selector": {"matchLabels": {"app": words[1]}}},
            })),
            "pvc" => self.claims.push(json!({
                "metadata": {"namespace": "default", "name": words[0]},
                "spec": {"storageClassName": words[1]},
            })),
            "evictor" => drop(self.args.insert("DefaultEvictor", json(rest))),
            "low" => drop(self.args.insert("LowNodeUtilization", json(rest))),
            "dup" => drop(self.args.insert("RemoveDuplicates", json(rest))),
            "limits" => self.limits = json(rest),
            "evicts" | "filter" | "prefilter" => {
                self.expected = [word]
                    .iter()
                    .chain(&words)
                    .map(|it| (*it).to_owned())
                    .collect();
            }
            _ => panic!("{word} {rest}"),
        }
    }

    fn include(&mut self, base: &Case) {
        let base = base.clone();
        self.nodes.extend(base.nodes);
        self.pods.extend(base.pods);
        self.budgets.extend(base.budgets);
        self.claims.extend(base.claims);
        self.namespaces.extend(base.namespaces);
        self.args.extend(base.args);
    }

    fn caches(&self) -> Caches {
        Caches {
            nodes: objects(&self.nodes),
            pods: objects(&self.pods),
            budgets: objects(&self.budgets),
            claims: objects(&self.claims),
            namespaces: objects(&self.namespaces),
            now: time("12:00"),
        }
    }

    fn policy(&self) -> Policy {
        let plugins = self.args.keys().filter(|name| **name != "DefaultEvictor");
        let config = self.args.iter();
        let config = config.map(|(name, args)| json!({"name": name, "args": args}));
        let mut policy = json!({
            "apiVersion": "descheduler/v1alpha2",
            "kind": "DeschedulerPolicy",
            "profiles": [{
                "name": "test",
                "pluginConfig": config.collect::<Vec<Value>>(),
                "plugins": {"balance": {"enabled": plugins.collect::<Vec<&&str>>()}},
            }],
        });
        let fields = policy.as_object_mut().expect("is an object");
        fields.extend(self.limits.as_object().cloned().unwrap_or_default());
        // The tables have arguments that a policy may not have.
        Policy::of_value(policy, false).expect("is a policy")
    }
}

fn objects<T: DeserializeOwned>(values: &[Value]) -> Vec<Arc<T>> {
    let read = |value: &Value| serde_json::from_value(value.clone()).expect("is an object");
    values.iter().map(|value| Arc::new(read(value))).collect()
}

fn time(of_day: &str) -> Time {
    serde_json::from_value(json!(format!("2026-01-01T{of_day}:00Z"))).expect("is a time")
}

/// `p1..p3`: three names.
fn names(word: &str) -> Vec<String> {
    let Some((first, last)) = word.split_once("..") else {
        return vec![word.to_owned()];
    };
    let number = |name: &str| name.trim_start_matches('p').parse::<u32>().expect("is pN");
    let numbers = number(first)..=number(last);
    numbers.map(|number| format!("p{number}")).collect()
}

fn pairs(words: &[&str]) -> Map<String, Value> {
    let pairs = words.iter().filter_map(|word| word.split_once('='));
    pairs
        .map(|(key, value)| (key.to_owned(), json!(value)))
        .collect()
}

fn taint(text: &str) -> Value {
    let (key, rest) = text.split_once('=').expect("is KEY=VALUE:EFFECT");
    let (value, effect) = rest.split_once(':').expect("is KEY=VALUE:EFFECT");
    json!({"key": key, "value": value, "effect": effect})
}

fn node(words: &[&str]) -> Value {
    let mut node = json!({
        "metadata": {"name": words[0], "labels": {}},
        "spec": {},
        "status": {
            "allocatable": {"cpu": format!("{}m", words[1]), "memory": words[2], "pods": words[3]},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    });
    for word in &words[4..] {
        match word.split_once('=').unwrap_or((word, "")) {
            ("cordoned", _) => node["spec"]["unschedulable"] = json!(true),
            ("taint", text) => node["spec"]["taints"] = json!([taint(text)]),
            ("label", pair) => node["metadata"]["labels"] = json!(pairs(&[pair])),
            (resource, amount) => node["status"]["allocatable"][resource] = json!(amount),
        }
    }
    node
}

fn owner(word: &str, uid: &str) -> Value {
    let (kind, name) = match word {
        "rs" => ("ReplicaSet", "replicaset-1"),
        "rs2" => ("ReplicaSet", "replicaset-2"),
        "ds" => ("DaemonSet", ""),
        _ => ("Pod", ""),
    };
    json!({"apiVersion": "v1", "kind": kind, "name": name, "uid": uid})
}

fn push(list: &mut Value, item: Value) {
    match list {
        Value::Array(items) => items.push(item),
        list => *list = json!([item]),
    }
}

fn pod(name: &str, words: &[&str]) -> Value {
    let mut pod = json!({
        "metadata": {"namespace": "default", "name": name},
        "spec": {
            "nodeName": words[0],
            "containers": [{
                "name": "",
                "resources": {"requests": {"cpu": format!("{}m", words[1]), "memory": words[2]}},
            }],
        },
        "status": {},
    });
    for word in &words[3..] {
        let (word, value) = word.split_once('=').unwrap_or((word, ""));
        set(&mut pod, word, value);
    }
    pod
}

fn set(pod: &mut Value, word: &str, value: &str) {
    let annotate = |pod: &mut Value, key: &str, value: &str| {
        pod["metadata"]["annotations"][key] = json!(value);
    };
    match word {
        "rs" | "rs2" | "ds" | "owned" | "owner" => {
            push(&mut pod["metadata"]["ownerReferences"], owner(word, value));
        }
        "ns" => pod["metadata"]["namespace"] = json!(value),
        "app" => pod["metadata"]["labels"] = json!({"app": value}),
        "priority" => pod["spec"]["priority"] = json!(value.parse::<i32>().unwrap()),
        "best-effort" => pod["spec"]["containers"][0]["resources"] = json!({}),
        "storage" => push(
            &mut pod["spec"]["volumes"],
            json!({"name": "v", "emptyDir": {}}),
        ),
        "claim" => {
            let volume = json!({"name": value, "persistentVolumeClaim": {"claimName": value}});
            push(&mut pod["spec"]["volumes"], volume);
        }
        "device" => push(&mut pod["spec"]["resourceClaims"], json!({"name": "d"})),
        "image" => match value.strip_prefix('+') {
            Some(image) => push(
                &mut pod["spec"]["containers"],
                json!({"name": image, "image": image}),
            ),
            None => pod["spec"]["containers"][0]["image"] = json!(value),
        },
        "tolerate" => push(&mut pod["spec"]["tolerations"], taint(value)),
        "select" => pod["spec"]["nodeSelector"] = json!(pairs(&[value])),
        "affinity" => {
            let terms = json!([{"matchExpressions": expressions(value)}]);
            pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
                json!({"nodeSelectorTerms": terms});
        }
        "mirror" => {
            annotate(pod, "kubernetes.io/config.source", "api");
            annotate(pod, "kubernetes.io/config.mirror", "mirror");
        }
        "evict" => annotate(pod, "descheduler.alpha.kubernetes.io/evict", "true"),
        "no-evict" => {
            annotate(
                pod,
                "descheduler.alpha.kubernetes.io/prefer-no-eviction",
                "",
            );
        }
        "failed" => pod["status"]["phase"] = json!("Failed"),
        "age" => {
            let minutes = 12 * 60 - value.parse::<u32>().unwrap();
            let started = time(&format!("{:02}:{:02}", minutes / 60, minutes % 60));
            pod["status"]["startTime"] = json!(started);
        }
        resource => {
            pod["spec"]["containers"][0]["resources"]["requests"][resource] = json!(value);
        }
    }
}

/// `KEY=VALUE` or `!KEY`, with commas between.
fn expressions(text: &str) -> Vec<Value> {
    let expression = |text: &str| match text.strip_prefix('!') {
        Some(key) => json!({"key": key, "operator": "DoesNotExist"}),
        None => {
            let (key, value) = text.split_once('=').expect("is KEY=VALUE");
            json!({"key": key, "operator": "In", "values": [value]})
        }
    };
    text.split(',').map(expression).collect()
}

/// The names of the Pods that a cycle evicts, one for each eviction.
fn evicted(case: &Case) -> Vec<String> {
    let mut evicted = Vec::new();
    let caches = case.caches();
    let runs = run(&case.policy(), &caches, &mut |pod, _| {
        evicted.extend(pod.metadata.name.clone());
        true
    });
    let counted: u64 = runs.iter().map(|run| run.evicted).sum();
    assert_eq!(counted, evicted.len() as u64);
    evicted
}

/// Plays a table, in the order of names and in the reverse one; returns the number of its cases.
#[track_caller]
fn play(table: &str) -> usize {
    let cases = cases(table);
    for (name, case) in &cases {
        let [_, number, names @ ..] = case.expected.as_slice() else {
            panic!("{name} expects nothing");
        };
        let mut reversed = case.clone();
        reversed.pods.reverse();
        for case in [case, &reversed] {
            let evicted = evicted(case);
            assert_eq!(evicted.len().to_string(), *number, "{name}: {evicted:?}");
            let evicted: BTreeSet<&String> = evicted.iter().collect();
            let is_named = names.is_empty() || evicted == names.iter().collect();
            assert!(is_named, "{name}: {evicted:?}");
        }
    }
    cases.len()
}

#[test]
fn low_node_utilization_evicts_what_its_table_says() {
    let cases = play(include_str!("tests/low_node_utilization.txt"));
    assert_eq!(cases, 21);
}

#[test]
fn remove_duplicates_evicts_what_its_table_says() {
    let cases = play(include_str!("tests/remove_duplicates.txt"));
    assert_eq!(cases, 25);
}

#[test]
fn the_evictor_lets_pass_what_its_table_says() {
    let cases = cases(include_str!("tests/default_evictor.txt"));
    for (name, case) in &cases {
        let caches = case.caches();
        let lists = Lists::new(&caches);
        let gone = BTreeSet::new();
        let policy = case.policy();
        let evictor = DefaultEvictor::new(&policy.profiles[0].evictor, &lists, &gone);
        let passes = match case.expected[0].as_str() {
            "filter" => evictor.filter(&lists.listed(0)),
            _ => evictor.pre_eviction_filter(&lists.listed(0)),
        };
        assert_eq!(passes.to_string(), case.expected[1], "{name}");
    }
    assert_eq!(cases.len(), 53);
}
