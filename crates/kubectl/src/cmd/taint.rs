//! `kubectl taint` (kubectl v1.34 `cmd/taint`).

use serde_json::{Value, json};

use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::report::{self, DRY_RUN, FIELD_MANAGER, OUTPUT, Report};
use crate::resource::targets::{self, Target, kind_of};
use crate::resource::write;
use berth_scheduler::names::{label_key_errors, label_value_errors};

pub(crate) const TAINT: Verb = Verb {
    name: "taint",
    about: "Update the taints on one or more nodes",
    usage: "taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
    examples: &[
        "kubectl taint nodes n1 dedicated=special-user:NoSchedule",
        "kubectl taint nodes n1 dedicated:NoSchedule-",
        "kubectl taint nodes n1 dedicated-",
    ],
    flags: &[
        OUTPUT,
        DRY_RUN,
        FIELD_MANAGER,
        Flag::switch("overwrite"),
        Flag::switch("all"),
        Flag::word("selector").short('l'),
        Flag::maybe("validate", "strict"),
    ],
    run,
};

/// A taint to add or to remove. When removing, an empty effect matches all taints of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Taint {
    key: String,
    value: String,
    effect: String,
}

impl Taint {
    fn is_same(&self, taint: &Value) -> bool {
        let text = |field: &str| taint.get(field).and_then(Value::as_str).unwrap_or_default();
        text("key") == self.key && (self.effect.is_empty() || text("effect") == self.effect)
    }
}

fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let words = &call.arguments.words;
    let is_taint = |word: &&String| {
        word.contains('=') || word.contains(':') || word.ends_with('-') && word.len() > 1
    };
    let count = words.iter().take_while(|word| !is_taint(word)).count();
    let (objects, specs) = words.split_at(count);
    let Some(first) = objects.first() else {
        return Err("error: one or more resources must be specified as <resource> <name> or <resource>/<name>".to_owned());
    };
    if let Some(stray) = specs.iter().find(|word| !is_taint(word)) {
        return Err(format!(
            "error: all resources must be specified before taint changes: {stray}"
        ));
    }
    let kind = first.split(['/', ',']).next().unwrap_or_default();
    let kind = kind_of(kind)?;
    if kind.kind != "Node" {
        return Err(format!(
            "error: invalid resource type {}, only node types are supported",
            kind.plural
        ));
    }
    if specs.is_empty() {
        return Err("error: at least one taint update is required".to_owned());
    }
    if objects.len() < 2
        && !first.contains('/')
        && !call.arguments.is("all")
        && !call.arguments.has("selector")
    {
        return Err(
            "error: at least one resource name must be specified since 'all' parameter is not set"
                .to_owned(),
        );
    }
    let (add, remove) = read(specs)?;
    let dry = report::dry_run(call)?;
    let mut report = Report::new(call)?;
    let found = targets::select(call, objects, cluster)?;
    for target in &found.targets {
        let overwrite = call.arguments.is("overwrite");
        let mut operation = "modified";
        let mut edit = |node: &mut Value| {
            operation = change(node, &add, &remove, overwrite)?;
            Ok(())
        };
        let Target { kind, key } = target;
        let changed = report::on(dry, cluster, |api| write::change(kind, key, api, &mut edit));
        match changed {
            Ok((_, object)) => report.done(kind, &object, operation),
            Err(complaint) => report.refuse(complaint),
        }
    }
    report.finish_without(&found.missing)
}

/// Parses the taints to add and to remove.
fn read(specs: &[String]) -> Result<(Vec<Taint>, Vec<Taint>), String> {
    let (mut add, mut remove): (Vec<Taint>, Vec<Taint>) = (Vec::new(), Vec::new());
    for spec in specs {
        if let Some(spec) = spec.strip_suffix('-') {
            let taint = taint_of(spec)?;
            remove.push(Taint {
                value: String::new(),
                ..taint
            });
            continue;
        }
        let taint = taint_of(spec)?;
        if taint.effect.is_empty() {
            return Err(usage(&format!("invalid taint spec: {spec}")));
        }
        if add
            .iter()
            .any(|it| it.key == taint.key && it.effect == taint.effect)
        {
            return Err(usage(&format!(
                "duplicated taints with the same key and effect: {{{} {} {} <nil>}}",
                taint.key, taint.value, taint.effect
            )));
        }
        add.push(taint);
    }
    let both = add.iter().find(|taint| {
        remove
            .iter()
            .any(|it| it.key == taint.key && (it.effect.is_empty() || it.effect == taint.effect))
    });
    match both {
        Some(taint) => Err(format!(
            "error: can not both modify and remove the following taint(s) in the same command: {{{} {} {} <nil>}}",
            taint.key, taint.value, taint.effect
        )),
        None => Ok((add, remove)),
    }
}

/// Reads `key=value:effect`, `key:effect` or `key` (`parseTaint`).
fn taint_of(spec: &str) -> Result<Taint, String> {
    let wrong = |faults: &[String]| {
        let mut why = format!("invalid taint spec: {spec}");
        if !faults.is_empty() {
            why = format!("{why}, {}", faults.join("; "));
        }
        usage(&why)
    };
    let parts: Vec<&str> = spec.split(':').collect();
    let (key, value, effect) = match parts.as_slice() {
        [key] => (*key, "", ""),
        [name, effect] => {
            if !matches!(*effect, "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
                let why = format!("invalid taint effect: {effect}, unsupported taint effect");
                return Err(usage(&why));
            }
            let (key, value) = name.split_once('=').unwrap_or((name, ""));
            if value.contains('=') {
                return Err(wrong(&[]));
            }
            (key, value, *effect)
        }
        _ => return Err(wrong(&[])),
    };
    for faults in [label_value_errors(value), label_key_errors(key)] {
        if !faults.is_empty() {
            return Err(wrong(&faults));
        }
    }
    Ok(Taint {
        key: key.to_owned(),
        value: value.to_owned(),
        effect: effect.to_owned(),
    })
}

fn usage(why: &str) -> String {
    format!("error: {why}\nSee 'kubectl taint -h' for help and examples")
}

/// Changes a node's taints. Returns kubectl's word for the change.
fn change(
    node: &mut Value,
    add: &[Taint],
    remove: &[Taint],
    overwrite: bool,
) -> Result<&'static str, String> {
    let name = node.pointer("/metadata/name").and_then(Value::as_str);
    let name = name.unwrap_or_default().to_owned();
    let own = node.pointer("/spec/taints").and_then(Value::as_array);
    let mut taints = own.cloned().unwrap_or_default();
    let clashes = add
        .iter()
        .filter(|taint| taints.iter().any(|own| taint.is_same(own)));
    let clashes: Vec<String> = clashes
        .map(|taint| format!("{}={}:{}", taint.key, taint.value, taint.effect))
        .collect();
    if !overwrite && !clashes.is_empty() {
        return Err(format!(
            "error: node {name} already has {} taint(s) with same effect(s) and --overwrite is false",
            clashes_keys(add, &taints)
        ));
    }
    for taint in remove {
        let count = taints.len();
        taints.retain(|own| !taint.is_same(own));
        if taints.len() == count {
            let name = if taint.effect.is_empty() {
                taint.key.clone()
            } else {
                format!("{}:{}", taint.key, taint.effect)
            };
            return Err(format!("error: taint {name:?} not found"));
        }
    }
    for taint in add {
        let mut made = json!({"key": taint.key, "effect": taint.effect});
        if !taint.value.is_empty()
            && let Some(made) = made.as_object_mut()
        {
            made.insert("value".to_owned(), taint.value.clone().into());
        }
        match taints.iter_mut().find(|own| taint.is_same(own)) {
            Some(own) => *own = made,
            None => taints.push(made),
        }
    }
    let operation = match (add.is_empty(), remove.is_empty()) {
        (true, false) => "untainted",
        (false, true) if clashes.is_empty() => "tainted",
        _ => "modified",
    };
    if let Some(node) = node.as_object_mut() {
        let spec = node.entry("spec").or_insert_with(|| json!({}));
        if !spec.is_object() {
            *spec = json!({});
        }
        if let Some(spec) = spec.as_object_mut() {
            if taints.is_empty() {
                spec.shift_remove("taints");
            } else {
                spec.insert("taints".to_owned(), Value::Array(taints));
            }
        }
    }
    Ok(operation)
}

/// The keys that clash, as kubectl lists them.
fn clashes_keys(add: &[Taint], taints: &[Value]) -> String {
    let clashing = add
        .iter()
        .filter(|taint| taints.iter().any(|own| taint.is_same(own)));
    let keys: Vec<&str> = clashing.map(|taint| taint.key.as_str()).collect();
    keys.join(",")
}
