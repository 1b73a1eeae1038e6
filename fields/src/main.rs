//! Prints the fields of every kind that Berth reads, as compact JSON:
//!
//! ```json
//! {"kinds": {"v1/Pod": "Pod"},
//!  "enums": {"PodSpec.dnsPolicy": "ClusterFirst,Default"},
//!  "types": {"Pod": {"": "What a Pod is.", "spec": "PodSpec|What is wanted."}}}
//! ```
//!
//! A field is `TYPE|DESCRIPTION`. TYPE starts with `!` if the field is required, and is a name,
//! `[]TYPE` for a list or `{}TYPE` for a map of names to values. Types that are not listed are
//! scalars. Descriptions are Kubernetes' own, cut after the first sentences.

mod describe;
mod enums;
mod types;

use k8s_openapi::Resource;
use k8s_openapi::api::{
    apps::v1 as apps, autoscaling::v2 as autoscaling, batch::v1 as batch, core::v1 as core,
    discovery::v1 as discovery, policy::v1 as policy, resource::v1 as resource,
    scheduling::v1 as scheduling, storage::v1 as storage,
};
use k8s_openapi::schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

/// The kinds asked for so far, and the types that they reach.
#[derive(Default)]
struct Kinds {
    names: Map<String, Value>,
    generator: SchemaGenerator,
}

impl Kinds {
    fn add<K: Resource + JsonSchema>(mut self) -> Self {
        self.generator.subschema_for::<K>();
        let id = format!("{}/{}", K::API_VERSION, K::KIND);
        self.names
            .insert(id, types::short(&K::schema_name()).into());
        self
    }
}

/// The kinds of the table in `api::kinds`.
fn kinds() -> Kinds {
    Kinds::default()
        .add::<core::Node>()
        .add::<core::Pod>()
        .add::<core::Namespace>()
        .add::<scheduling::PriorityClass>()
        .add::<policy::PodDisruptionBudget>()
        .add::<core::Service>()
        .add::<core::ReplicationController>()
        .add::<apps::ReplicaSet>()
        .add::<apps::StatefulSet>()
        .add::<apps::Deployment>()
        .add::<apps::DaemonSet>()
        .add::<batch::Job>()
        .add::<batch::CronJob>()
        .add::<core::PersistentVolume>()
        .add::<core::PersistentVolumeClaim>()
        .add::<storage::StorageClass>()
        .add::<storage::CSINode>()
        .add::<storage::CSIDriver>()
        .add::<storage::CSIStorageCapacity>()
        .add::<core::LimitRange>()
        .add::<core::ResourceQuota>()
        .add::<apps::ControllerRevision>()
        .add::<core::ConfigMap>()
        .add::<core::Secret>()
        .add::<core::Endpoints>()
        .add::<discovery::EndpointSlice>()
        .add::<autoscaling::HorizontalPodAutoscaler>()
        .add::<resource::ResourceClaim>()
        .add::<resource::ResourceClaimTemplate>()
        .add::<resource::ResourceSlice>()
        .add::<resource::DeviceClass>()
}

/// One type a line, so that a change is seen as one.
fn print(kinds: &Map<String, Value>, types: &Map<String, Value>) -> Result<(), String> {
    let enums = Value::from(enums::enums(types)?);
    let lines: Vec<String> = types
        .iter()
        .map(|(name, fields)| format!("{}:{fields}", Value::from(name.as_str())))
        .collect();
    let kinds = Value::from(kinds.clone());
    println!(
        "{{\"kinds\":{kinds},\n\"enums\":{enums},\n\"types\":{{\n{}\n}}}}",
        lines.join(",\n")
    );
    Ok(())
}

fn main() {
    let mut kinds = kinds();
    let definitions = kinds.generator.take_definitions(true);
    let printed = types::types(&definitions).and_then(|types| print(&kinds.names, &types));
    if let Err(reason) = printed {
        eprintln!("error: {reason}");
        std::process::exit(1);
    }
}
