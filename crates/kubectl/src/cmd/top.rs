//! `kubectl top node|pod` (v1.34 `pkg/cmd/top`): resource usage.
//!
//! There is no metrics server. A container's usage is what its behavior sets (annotations like `berth.dev/memory`, or
//! the arguments of `stress`), else its requests, which a line then says, and else next to nothing.

use k8s_openapi::api::core::v1::{Container, Pod};
use serde_json::Value;

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::amounts::Amounts;
use crate::printers::fields::{Fields, scalar};
use crate::printers::rows::Rows;
use crate::resource::selector::Selection;
use crate::{Cluster, Output};
use berth_base::quantity::Quantity;
use berth_base::sort;
use berth_sim::kubelet::{Usage, usages};
use berth_sim::store::{Object, Stored, name_of, namespace_of};

const FLAGS: &[Flag] = &[
    Flag::switch("all-namespaces").short('A'),
    Flag::word("selector").short('l'),
    Flag::word("field-selector"),
    Flag::word("sort-by"),
    Flag::switch("no-headers"),
    Flag::switch("containers"),
    Flag::switch("sum"),
    Flag::switch("show-capacity"),
    Flag::switch("use-protocol-buffers"),
];

pub(crate) const TOP_NODE: Verb = Verb {
    name: "top node",
    about: "Display resource (CPU/memory) usage of nodes",
    usage: "top node [NAME | -l label]",
    examples: &["kubectl top node", "kubectl top node n1"],
    flags: FLAGS,
    run: nodes,
};

pub(crate) const TOP_NODES: Verb = Verb {
    name: "top nodes",
    ..TOP_NODE
};

pub(crate) const TOP_NO: Verb = Verb {
    name: "top no",
    ..TOP_NODE
};

pub(crate) const TOP_POD: Verb = Verb {
    name: "top pod",
    about: "Display resource (CPU/memory) usage of pods",
    usage: "top pod [NAME | -l label]",
    examples: &["kubectl top pod", "kubectl top pod --containers"],
    flags: FLAGS,
    run: pods,
};

pub(crate) const TOP_PODS: Verb = Verb {
    name: "top pods",
    ..TOP_POD
};

pub(crate) const TOP_PO: Verb = Verb {
    name: "top po",
    ..TOP_POD
};

/// CPU in millicores, memory in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Use {
    milli_cpu: i64,
    memory_bytes: i64,
    /// A request stands in for what is not known.
    is_requested: bool,
}

impl Use {
    fn add(&mut self, other: Use) {
        self.milli_cpu = self.milli_cpu.saturating_add(other.milli_cpu);
        self.memory_bytes = self.memory_bytes.saturating_add(other.memory_bytes);
        self.is_requested |= other.is_requested;
    }

    /// `250m` and `64Mi`.
    fn cells(self) -> [String; 2] {
        let mib = self.memory_bytes / (1 << 20);
        [format!("{}m", self.milli_cpu), format!("{mib}Mi")]
    }
}

/// The usage of an idle server.
const IDLE: Use = Use {
    milli_cpu: 1,
    memory_bytes: 5 << 20,
    is_requested: false,
};

const REQUESTED: &str = "Berth does not know what processes use: requests stand in for it. The Pod annotations berth.dev/cpu and berth.dev/memory set it.";

/// A running container's usage, with its requests where that is unknown.
fn of_container(container: &Container, used: Usage) -> Use {
    let resources = container.resources.as_ref();
    let requests = resources.and_then(|resources| resources.requests.as_ref());
    let request = |what: &str| Quantity::parse(&requests?.get(what)?.0).ok();
    let cpu = || request("cpu").map(Quantity::milli_value);
    let memory = || request("memory").map(Quantity::value);
    let stand_in = [
        used.milli_cpu.is_none().then(cpu).flatten(),
        used.memory_bytes.is_none().then(memory).flatten(),
    ];
    let [cpu, memory] = stand_in;
    Use {
        milli_cpu: used.milli_cpu.or(cpu).unwrap_or(IDLE.milli_cpu),
        memory_bytes: used.memory_bytes.or(memory).unwrap_or(IDLE.memory_bytes),
        is_requested: stand_in.iter().any(Option::is_some),
    }
}

fn amounts_of(map: &Value) -> Amounts {
    let entries = map
        .entries_here()
        .into_iter()
        .filter_map(|(resource, value)| {
            Some((resource.to_owned(), Quantity::parse(&scalar(value)).ok()?))
        });
    sort::gather(entries)
}

/// The usage of a Pod's running containers, by container name.
fn of_pod(pod: &Pod, now_ms: i64) -> Vec<(String, Use)> {
    let used = usages(pod, now_ms).into_iter();
    used.map(|(container, used)| (container.name.clone(), of_container(container, used)))
        .collect()
}

fn selection(call: &Call<'_>) -> Result<Selection, String> {
    let labels = call.arguments.word("selector").unwrap_or_default();
    Selection::parse(
        labels,
        call.arguments.word("field-selector").unwrap_or_default(),
    )
}

/// Sorts rows by `--sort-by`.
///
/// # Errors
/// kubectl's error about another key; it checks that before it asks for anything.
fn order(call: &Call<'_>, rows: &mut [(Vec<String>, Use)]) -> Result<(), String> {
    match call.arguments.word("sort-by") {
        None | Some("") => {}
        Some("cpu") => sort::sort_by_key(rows, |(_, used)| -used.milli_cpu),
        Some("memory") => sort::sort_by_key(rows, |(_, used)| -used.memory_bytes),
        Some(_) => return Err("error: --sort-by accepts only cpu or memory".to_owned()),
    }
    Ok(())
}

fn print(call: &Call<'_>, heads: &[&str], rows: Vec<(Vec<String>, Use)>) -> Output {
    let mut all = Vec::new();
    if !call.arguments.is("no-headers") {
        all.push(heads.iter().map(|head| (*head).to_owned()).collect());
    }
    let is_requested = rows.iter().any(|(_, used)| used.is_requested);
    all.extend(rows.into_iter().map(|(row, _)| row));
    let mut output = Output::text(Rows::default().print(&all));
    if is_requested {
        output.warn(REQUESTED);
    }
    output
}

/// The metrics API's error about an object that does not run.
fn unmeasured(resource: &str, name: &str) -> String {
    format!("Error from server (NotFound): {resource}.metrics.k8s.io {name:?} not found")
}

fn pods(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    order(call, &mut [])?;
    let selection = selection(call)?;
    let (everywhere, by_container) = (call.is_all_namespaces(), call.arguments.is("containers"));
    let name = call.arguments.words.first();
    let now_ms = cluster.api().now_ms();
    let (mut rows, mut seen) = (Vec::new(), 0);
    for pod in cluster.api().store().pods.iter() {
        let meta = &pod.metadata;
        let is_meant = name.is_none_or(|name| meta.name.as_ref() == Some(name))
            && (everywhere || namespace_of(meta) == call.namespace())
            && selection.selects(&Stored::wrap(pod.clone()));
        if !is_meant {
            continue;
        }
        seen += 1;
        let used = of_pod(pod, now_ms);
        let mut head: Vec<String> = Vec::new();
        if everywhere {
            head.push(namespace_of(meta).to_owned());
        }
        head.push(name_of(meta).to_owned());
        if by_container {
            rows.extend(used.into_iter().map(|(container, used)| {
                let row = head.iter().cloned().chain([container]).chain(used.cells());
                (row.collect(), used)
            }));
        } else if !used.is_empty() {
            let mut sum = Use::default();
            used.into_iter().for_each(|(_, used)| sum.add(used));
            let row = head.into_iter().chain(sum.cells());
            rows.push((row.collect(), sum));
        }
    }
    match (name, seen) {
        (Some(name), _) if rows.is_empty() => {
            let name = format!("{}/{name}", call.namespace());
            return Err(unmeasured("podmetrics", &name));
        }
        (None, 0) => {
            let mut none = Output::default();
            none.warn(if everywhere {
                "No resources found".to_owned()
            } else {
                format!("No resources found in {} namespace.", call.namespace())
            });
            return Ok(none);
        }
        _ if rows.is_empty() => return Err("error: Metrics not available".to_owned()),
        _ => {}
    }
    order(call, &mut rows)?;
    let mut heads = vec!["NAME", "CPU(cores)", "MEMORY(bytes)"];
    if by_container {
        heads.splice(0..1, ["POD", "NAME"]);
    }
    if everywhere {
        heads.insert(0, "NAMESPACE");
    }
    if call.arguments.is("sum") {
        let mut sum = Use::default();
        rows.iter().for_each(|(_, used)| sum.add(*used));
        let lines = ["________".to_owned(), "________".to_owned()];
        for cells in [lines, sum.cells()] {
            let blank = std::iter::repeat_n(String::new(), heads.len() - cells.len());
            rows.push((blank.chain(cells).collect(), Use::default()));
        }
    }
    Ok(print(call, &heads, rows))
}

fn nodes(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    order(call, &mut [])?;
    let selection = selection(call)?;
    let name = call.arguments.words.first();
    let store = cluster.api().store();
    let mut used: std::collections::BTreeMap<String, Use> = std::collections::BTreeMap::new();
    for pod in store.pods.iter() {
        let node = berth_sim::pod_util::node_of(pod).to_owned();
        for (_, own) in of_pod(pod, cluster.api().now_ms()) {
            used.entry(node.clone()).or_default().add(own);
        }
    }
    let mut rows = Vec::new();
    for node in store.nodes.iter() {
        let is_meant = name.is_none_or(|name| node.metadata.name.as_ref() == Some(name));
        if !is_meant || !selection.selects(&Object::Node(node.clone())) {
            continue;
        }
        let node = berth_base::json::value(&**node);
        let name = node.text("metadata.name");
        let used = used.get(name).copied().unwrap_or_default();
        let field = if call.arguments.is("show-capacity") {
            "status.capacity"
        } else {
            "status.allocatable"
        };
        let whole = amounts_of(node.at(field));
        let of = |resource: &str| whole.get(resource).copied().unwrap_or_default();
        let [cpu, memory] = used.cells();
        let share = |part: i64, whole: i64| match whole {
            0 => "<unknown>".to_owned(),
            whole => format!("{}%", i128::from(part) * 100 / i128::from(whole)),
        };
        let cpu_share = share(used.milli_cpu, of("cpu").milli_value());
        let memory_share = share(used.memory_bytes, of("memory").value());
        rows.push((
            vec![name.to_owned(), cpu, cpu_share, memory, memory_share],
            used,
        ));
    }
    if rows.is_empty() {
        return match name {
            Some(name) => Err(unmeasured("nodemetrics", name)),
            None => Err("error: metrics not available yet".to_owned()),
        };
    }
    order(call, &mut rows)?;
    let heads = ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"];
    Ok(print(call, &heads, rows))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::REQUESTED;
    use crate::tests::cluster::TestCluster;
    use crate::tests::commands::{create, fails, prints, run};

    /// Asserts that a line prints this, and that it is what Pods request.
    #[track_caller]
    fn guesses(cluster: &mut TestCluster, line: &str, expected: &str) {
        let output = run(cluster, line);
        assert_eq!(output.stderr.trim_end(), REQUESTED, "{line}");
        assert_eq!(output.stdout, expected, "{line}:\n{}", output.stdout);
    }

    #[test]
    fn usage_comes_from_behavior_or_requests() {
        let mut cluster = TestCluster::with_nodes(&["n1"]);
        let pod = |name: &str, memory: &str, requests: serde_json::Value| {
            json!({"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "annotations": {"berth.dev/memory": memory}},
                "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}]}})
        };
        create(
            &mut cluster,
            &pod("a", "50Mi,300Mi@2s", json!({"cpu": "1"})),
        );
        create(&mut cluster, &pod("b", "", json!({})));
        cluster.play(1);
        guesses(
            &mut cluster,
            "top pods",
            "NAME   CPU(cores)   MEMORY(bytes)\na      1000m        50Mi\nb      1m           5Mi\n",
        );
        let stress = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "s"}, "spec": {"containers": [
            {"name": "c", "image": "polinux/stress", "command": ["stress"], "args": ["--vm", "1", "--vm-bytes", "150M"],
            "resources": {"limits": {"cpu": "600m"}}}]}});
        create(&mut cluster, &stress);
        cluster.play(3);
        prints(
            &mut cluster,
            "top pod s --no-headers",
            "s     600m   150Mi\n",
        );
        guesses(
            &mut cluster,
            "top pod a --containers --no-headers",
            "a     c     1000m   300Mi\n",
        );
        prints(
            &mut cluster,
            "top pod s --no-headers --sum",
            "s     600m       150Mi\n      ________   ________\n      600m       150Mi\n",
        );
        guesses(
            &mut cluster,
            "top node",
            "NAME   CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)\nn1     1601m        40%      455Mi           5%\n",
        );
        prints(&mut cluster, "top po b --no-headers", "b     1m    5Mi\n");
        create(
            &mut cluster,
            &json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "large"},
                "spec": {"nodeSelector": {"disk": "ssd"}, "containers": [{"name": "c", "image": "i"}]}}),
        );
        fails(
            &mut cluster,
            "top pod large",
            "Error from server (NotFound): podmetrics.metrics.k8s.io \"default/large\" not found",
        );
        fails(
            &mut cluster,
            "top pod x",
            "Error from server (NotFound): podmetrics.metrics.k8s.io \"default/x\" not found",
        );
    }
}
