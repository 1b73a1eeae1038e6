use berth::api::load::load;
use berth::api::prepare::{PrepareOptions, prepare};
use berth::api::source::SourceFile;
use berth::plugins::registry::registry;
use berth::sim::run::{Run, RunOptions};
use berth::trace::format;
use serde_json::{Value, json};
fn main() {
    let path = std::env::args().nth(2).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let loaded = load(&[SourceFile::new(path, text)]);
    for p in &loaded.problems {
        eprintln!("{p}");
    }
    let (prepared, problems) = prepare(
        &loaded,
        &PrepareOptions {
            expand_workloads: false,
        },
    );
    for p in &problems {
        eprintln!("{p}");
    }
    let mut run = Run::new(&prepared, &registry(), RunOptions::default()).unwrap();
    let mut attempts = Vec::new();
    while let Some(cycle) = run.explain_next() {
        attempts.push(format::attempt(&cycle));
        let attempt = run.step().unwrap();
        assert!(attempt.agrees_with(&cycle), "{attempt:?} {cycle:?}");
    }
    let keys = |pods: &mut dyn Iterator<Item = &berth::cluster::pod::PodInfo>| {
        pods.map(|p| p.object.key()).collect::<Vec<_>>()
    };
    let fin: serde_json::Map<String, Value> = run
        .cluster()
        .pods()
        .iter()
        .filter(|p| !p.object.phase.is_terminal())
        .map(|p| (p.object.key(), json!(p.object.node_name.as_deref())))
        .collect();
    println!(
        "{}",
        json!({"gated": keys(&mut run.gated()), "unmanaged": keys(&mut run.unmanaged()), "attempts": attempts, "deleted": run.deleted(), "final": fin})
    );
}
