//! Where a case holds: in each release, and with the usual scoring strategies. Outcomes only: reasons and sums may differ.

use berth_core::api::source::SourceFile;
use berth_protocol::compare::Side;
use berth_protocol::key::split;
use berth_scheduler::release::Version;

use super::{case_of, key_of};
use crate::session::Options;
use crate::{expectations, pairing};

/// The strategies of NodeResourcesFit that most clusters have.
const STRATEGIES: [&str; 2] = ["LeastAllocated", "MostAllocated"];

/// What comes of a case's Pod in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// A release (`1.36`), or a scoring strategy in place of the case's configuration.
    pub place: String,
    /// The node of the Pod at the end; `None` if it waits.
    pub node: Option<String>,
    /// Whether that is what the case claims; `None` if its objects are refused there.
    pub is_claimed: Option<bool>,
}

/// Plays a case in each place; empty if the file is no case.
pub fn strip(file: &SourceFile) -> Vec<Held> {
    let releases = Version::ALL.map(|version| {
        let side = Side {
            kubernetes: Some(version.minor().to_owned()),
            ..Side::default()
        };
        (version.minor(), side)
    });
    let strategies = STRATEGIES.map(|strategy| {
        let side = Side {
            config: Some((format!("{strategy}.yaml"), configuration(strategy))),
            ..Side::default()
        };
        (strategy, side)
    });
    let sides = releases.into_iter().chain(strategies);
    sides
        .filter_map(|(place, side)| held(file, place, &side))
        .collect()
}

fn held(file: &SourceFile, place: &str, side: &Side) -> Option<Held> {
    let opened = pairing::open(std::slice::from_ref(file), &Options::default(), side);
    let mut opened = opened.ok()?;
    let session = &mut opened.session;
    let claim = case_of(&session.manifests().loaded)?.claim;
    let place = place.to_owned();
    if !opened.taken || session.has_errors() {
        return Some(Held {
            place,
            node: None,
            is_claimed: None,
        });
    }
    session.run_to_end();
    let key = key_of(&claim);
    let (namespace, name) = split(&key);
    let pod = session.run().cluster().pods().find(namespace, name);
    let node = pod.and_then(|pod| pod.object.node_name.as_deref());
    let outcomes = expectations::check(session, &[claim.expectation()]);
    Some(Held {
        place,
        node: node.map(str::to_owned),
        is_claimed: Some(outcomes.iter().all(|outcome| outcome.met)),
    })
}

/// The default configuration with this strategy.
fn configuration(strategy: &str) -> String {
    format!(
        "apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig: [{{name: NodeResourcesFit, args: {{scoringStrategy: {{type: {strategy}}}}}}}]
"
    )
}
