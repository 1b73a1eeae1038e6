//! Claims from templates, and their way back.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::resource::v1::ResourceClaimConsumerReference;
use k8s_openapi::api::resource::v1::{AllocationResult, ResourceClaim};

use crate::controllers::stage::Stage;

const TEMPLATE: &str = "
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec:
  metadata: {labels: {a: b}}
  spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}
";

const POD: &str = "
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i}]
  resourceClaims: [{name: g, resourceClaimTemplateName: gpu}]
";

fn names(stage: &Stage) -> Vec<String> {
    stage
        .plane
        .api
        .store()
        .resource_claims
        .iter()
        .filter_map(|it| it.metadata.name.clone())
        .collect()
}

/// Allocates the claim and reserves it for the Pod, as the scheduler does.
fn allocate(stage: &mut Stage, name: &str) {
    let uid = stage.get::<Pod>("default", "p").metadata.uid.unwrap();
    stage.edit::<ResourceClaim>("default", name, |claim| {
        let protection = "resource.kubernetes.io/delete-protection".to_owned();
        claim.metadata.finalizers = Some(vec![protection]);
        let status = claim.status.get_or_insert_default();
        status.allocation = Some(AllocationResult::default());
        status.reserved_for = Some(vec![ResourceClaimConsumerReference {
            api_group: None,
            name: "p".to_owned(),
            resource: "pods".to_owned(),
            uid,
        }]);
    });
}

#[test]
fn a_claim_is_made_from_the_template_and_dies_with_its_pod() {
    let mut stage = Stage::new();
    // The Pod comes first: its claim is made once there is a template.
    stage.apply(POD);
    assert!(names(&stage).is_empty());
    stage.apply(TEMPLATE);
    let [name] = names(&stage).try_into().unwrap();
    assert!(
        name.starts_with("p-g-") && name.len() == "p-g-".len() + 5,
        "{name}"
    );
    let claim = stage.get::<ResourceClaim>("default", &name);
    assert_eq!(claim.metadata.labels.unwrap()["a"], "b");
    let pod = stage.get::<Pod>("default", "p");
    let owners = claim.metadata.owner_references.unwrap();
    assert_eq!(Some(&owners[0].uid), pod.metadata.uid.as_ref());
    let made = pod.status.unwrap().resource_claim_statuses.unwrap();
    assert_eq!(made[0].resource_claim_name.as_ref(), Some(&name));

    allocate(&mut stage, &name);
    let claim = stage.get::<ResourceClaim>("default", &name);
    assert!(claim.status.unwrap().reserved_for.is_some());
    stage.delete::<Pod>("default", "p");
    stage.run(60_000);
    assert!(names(&stage).is_empty());
}

#[test]
fn a_shared_claim_is_free_again_when_its_last_user_is_gone() {
    let mut stage = Stage::new();
    let claim = TEMPLATE
        .replace("ResourceClaimTemplate", "ResourceClaim")
        .replace(
            "  metadata: {labels: {a: b}}\n  spec: {devices",
            "  {devices",
        );
    stage.apply(&claim.replace("spec:\n  {devices", "spec: {devices"));
    stage.apply(&POD.replace("resourceClaimTemplateName", "resourceClaimName"));
    allocate(&mut stage, "gpu");
    stage.delete::<Pod>("default", "p");
    stage.run(60_000);
    let claim = stage.get::<ResourceClaim>("default", "gpu");
    assert!(claim.metadata.finalizers.unwrap_or_default().is_empty());
    let status = claim.status.unwrap_or_default();
    assert!(status.allocation.is_none() && status.reserved_for.is_none());
}
