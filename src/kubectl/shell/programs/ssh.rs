//! `ssh NODE systemctl stop kubelet`: how people make a node fall silent, and `start` how it comes back.
//!
//! Nothing else can be done on a node.

use super::usage;
use crate::kubectl::Output;
use crate::kubectl::shell::run::Run;
use crate::sim::store::Key;

pub(crate) fn ssh(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let Some((target, words)) = arguments.split_first() else {
        return Output::failure(
            "usage: ssh NODE systemctl stop|start|restart|status kubelet",
            255,
        );
    };
    let node = target.rsplit('@').next().unwrap_or_default();
    if run
        .cluster
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
    // The command may be one word in quotes.
    let line = words.join(" ");
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if words.first() == Some(&"sudo") {
        words.remove(0);
    }
    let ["systemctl", action, "kubelet" | "kubelet.service"] = words.as_slice() else {
        return usage(
            "ssh",
            "only `systemctl stop|start|restart|status kubelet` is simulated here",
        );
    };
    let done = match *action {
        "stop" => run.cluster.api_mut().silence_node(node),
        "start" | "restart" => run.cluster.api_mut().revive_node(node),
        "status" => return status(run, node),
        other => {
            return Output::failure(&format!("Unknown command verb '{other}'."), 1);
        }
    };
    run.cluster.settle();
    match done {
        Ok(()) => Output::default(),
        Err(error) => Output::failure(&error.to_string(), 1),
    }
}

fn status(run: &Run<'_>, node: &str) -> Output {
    let runs = run.cluster.api().silent_since(node).is_none();
    let active = if runs {
        "active (running)"
    } else {
        "inactive (dead)"
    };
    Output {
        // As systemd has it for units that do not run.
        code: if runs { 0 } else { 3 },
        ..Output::text(format!(
            "kubelet.service - kubelet: The Kubernetes Node Agent\n     Active: {active}\n"
        ))
    }
}
