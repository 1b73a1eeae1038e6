//! `ssh NODE systemctl stop kubelet` makes a node fail, as lessons do, and `start` brings it back.
//!
//! Nothing else can be done on a node.

use super::{Cluster, Output};
use berth_sim::store::Key;

pub(super) fn ssh(arguments: &[String], cluster: &mut dyn Cluster) -> Output {
    let Some((target, words)) = arguments.split_first() else {
        return Output::failure(
            "usage: ssh NODE systemctl stop|start|restart|status kubelet",
            255,
        );
    };
    let node = target.rsplit('@').next().unwrap_or_default();
    if cluster
        .api()
        .store()
        .nodes
        .get(&Key::new("", node))
        .is_none()
    {
        let why =
            format!("ssh: Could not resolve hostname {node}: Temporary failure in name resolution");
        return Output::failure(&why, 255);
    }
    // The command may be a single quoted word.
    let line = words.join(" ");
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if words.first() == Some(&"sudo") {
        words.remove(0);
    }
    // These flags only change how the status is shown.
    words.retain(|word| !matches!(*word, "-l" | "--full" | "--no-pager"));
    let ["systemctl", action, "kubelet" | "kubelet.service"] = words.as_slice() else {
        return Output::failure(
            "ssh: only `systemctl stop|start|restart|status kubelet` is simulated here",
            2,
        );
    };
    let done = match *action {
        "stop" => cluster.api_mut().silence_node(node),
        "start" | "restart" => cluster.api_mut().revive_node(node),
        "status" => return status(cluster, node),
        other => {
            return Output::failure(&format!("Unknown command verb '{other}'."), 1);
        }
    };
    cluster.settle();
    match done {
        Ok(()) => Output::default(),
        Err(error) => Output::failure(&error.to_string(), 1),
    }
}

fn status(cluster: &dyn Cluster, node: &str) -> Output {
    let runs = cluster.api().silent_since(node).is_none();
    let active = if runs {
        "active (running)"
    } else {
        "inactive (dead)"
    };
    Output {
        // systemd's exit code for units that are not running.
        code: if runs { 0 } else { 3 },
        ..Output::text(format!(
            "kubelet.service - kubelet: The Kubernetes Node Agent\n     Active: {active}\n"
        ))
    }
}
