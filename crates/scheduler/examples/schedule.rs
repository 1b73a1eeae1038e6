//! Schedules one Pod on two nodes, binds it, and prints why the other node was not chosen.

use std::sync::Arc;

use berth_scheduler::cluster::{Cluster, event::Event};
use berth_scheduler::config::SchedulerConfiguration;
use berth_scheduler::cycle::Outcome;
use berth_scheduler::framework::registry::build_profiles;
use berth_scheduler::k8s_openapi::api::core::v1::{Node, Pod};
use berth_scheduler::pod_object::{stored_pod, template_of};
use berth_scheduler::trace::recorder::Recorder;
use berth_scheduler::{Scheduler, TieBreak, plugins, release::Release};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut cluster = Cluster::new(Release::default());
    for (name, cpu) in [("small", "1"), ("large", "8")] {
        let room = json!({"cpu": cpu, "memory": "16Gi", "pods": "110"});
        let node: Node = serde_json::from_value(
            json!({"metadata": {"name": name}, "status": {"allocatable": room, "capacity": room}}),
        )?;
        cluster.apply(Event::NodeSet(Arc::new(node)));
    }
    let pod: Pod = serde_json::from_value(json!({
        "metadata": {"namespace": "default", "name": "web"},
        "spec": {"schedulerName": "default-scheduler", "containers": [
            {"name": "web", "image": "nginx", "resources": {"requests": {"cpu": "2"}}}]},
    }))?;
    let object = stored_pod(&pod, Arc::new(template_of(&pod)));
    cluster.apply(Event::PodAdded(Box::new(object)));

    let configuration = SchedulerConfiguration::default();
    let profiles = build_profiles(&configuration, &plugins::registry::registry(), &mut cluster)
        .map_err(|errors| format!("{errors:?}"))?;
    let mut scheduler = Scheduler::new(profiles, 0, TieBreak::First, 0);
    let web = cluster.pods().find("default", "web").ok_or("no Pod")?;
    let mut recorder = Recorder::new(&cluster);
    let outcome = scheduler.schedule(&cluster, web, 0, &mut recorder);
    let cycle = recorder.finish(web.ix, &scheduler.profiles()[0], 1, &outcome);
    println!("{}", serde_json::to_string_pretty(&cycle)?);
    if let Outcome::Scheduled { node, .. } = outcome {
        let (pod, node) = (web.ix, Arc::clone(&cluster.node(node).name));
        cluster.apply(Event::PodBound {
            pod,
            node,
            start_ms: 0,
        });
    }
    Ok(())
}
