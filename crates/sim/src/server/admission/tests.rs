use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{
    Namespace, Node, PersistentVolumeClaim, Pod, ResourceQuota, Service, Toleration,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::controllers::stage::Stage;
use crate::server::ApiError;
use crate::strategy::Served;

fn pod(fields: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: web}}, spec: {{containers: [{{name: c, image: app}}], {fields}}}}}"
    )
}

fn refused(stage: &mut Stage, text: &str) -> ApiError {
    let outcome = stage.create(text).into_iter().next_back();
    outcome.expect("a document").expect_err("it is refused")
}

/// The causes with which the server refuses an edit.
fn unchangeable<T: Served + std::fmt::Debug>(
    stage: &mut Stage,
    name: &str,
    edit: impl FnOnce(&mut T),
) -> Vec<String> {
    let mut object = stage.get::<T>("default", name);
    edit(&mut object);
    stage
        .api()
        .update(object)
        .expect_err("it is refused")
        .causes()
}

#[test]
fn every_cluster_has_its_namespaces_and_system_classes() {
    let stage = Stage::new();
    let store = stage.plane.api.store();
    let names: Vec<_> = store
        .namespaces
        .iter()
        .filter_map(|it| it.metadata.name.clone())
        .collect();
    assert_eq!(
        names,
        ["default", "kube-node-lease", "kube-public", "kube-system"]
    );
    assert_eq!(store.priority_classes.count(), 2);
    let default = stage.get::<Namespace>("", "default");
    assert_eq!(
        default.metadata.labels.unwrap()["kubernetes.io/metadata.name"],
        "default"
    );
}

#[test]
fn namespaces_have_to_exist_and_some_cannot_be_deleted() {
    let mut stage = Stage::new();
    let error = refused(
        &mut stage,
        &pod("").replace("name: web", "name: web, namespace: shop"),
    );
    assert_eq!(error.to_string(), "namespaces \"shop\" not found");
    assert_eq!(error.reason(), "NotFound");
    let key = crate::store::Key::new("", "kube-system");
    let error = stage.api().delete::<Namespace>(&key).expect_err("it stays");
    assert_eq!(
        error.to_string(),
        "namespaces \"kube-system\" is forbidden: this namespace may not be deleted"
    );
}

#[test]
fn priority_comes_from_the_stored_classes() {
    let mut stage = Stage::new();
    let error = refused(&mut stage, &pod("priorityClassName: high"));
    assert_eq!(
        error.to_string(),
        "pods \"web\" is forbidden: no PriorityClass with name high was found"
    );
    stage.apply("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000, preemptionPolicy: Never}");
    stage.apply(&pod("priorityClassName: high"));
    let spec = stage.get::<Pod>("default", "web").spec.unwrap();
    assert_eq!(
        (spec.priority, spec.preemption_policy.as_deref()),
        (Some(1000), Some("Never"))
    );
    let global = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: 7, globalDefault: true}";
    stage.apply(global);
    stage.apply(&pod("").replace("name: web", "name: other"));
    assert_eq!(
        stage.get::<Pod>("default", "other").spec.unwrap().priority,
        Some(7)
    );
    let error = refused(&mut stage, &global.replace("usual", "second"));
    assert_eq!(
        error.to_string(),
        "priorityclasses.scheduling.k8s.io \"second\" is forbidden: PriorityClass usual is already marked as default. Only one default can exist"
    );
}

#[test]
fn a_pod_gets_its_defaults_tolerations_and_the_ranges_of_its_namespace() {
    let mut stage = Stage::new();
    stage.apply("{apiVersion: v1, kind: LimitRange, metadata: {name: r}, spec: {limits: [{type: Container, default: {cpu: '1'}, defaultRequest: {cpu: 100m}, max: {cpu: '2'}}, {type: PersistentVolumeClaim, max: {storage: 1Gi}}]}}");
    stage.apply(&pod(""));
    let web = stage.get::<Pod>("default", "web");
    assert_eq!(web.status.unwrap().phase.as_deref(), Some("Pending"));
    let spec = web.spec.unwrap();
    let resources = spec.containers[0].resources.clone().unwrap();
    assert_eq!(resources.requests.unwrap()["cpu"].0, "100m");
    assert_eq!(resources.limits.unwrap()["cpu"].0, "1");
    let keys: Vec<_> = spec
        .tolerations
        .unwrap()
        .into_iter()
        .filter_map(|it| it.key)
        .collect();
    assert_eq!(
        keys,
        [
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable"
        ]
    );
    let large = "{apiVersion: v1, kind: Pod, metadata: {name: large}, spec: {containers: [{name: c, image: app, resources: {limits: {cpu: '3'}}}]}}";
    assert_eq!(
        refused(&mut stage, large).to_string(),
        "pods \"large\" is forbidden: maximum cpu usage per Container is 2, but limit is 3"
    );
    let claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}}";
    assert_eq!(
        refused(&mut stage, claim).to_string(),
        "persistentvolumeclaims \"c\" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi"
    );
}

#[test]
fn quotas_count_pods_and_other_objects() {
    let mut stage = Stage::new();
    stage.apply("{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: 1, services: 1}}}");
    stage.apply(&pod(""));
    let error = refused(&mut stage, &pod("").replace("name: web", "name: more"));
    assert_eq!(
        error.to_string(),
        "pods \"more\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"
    );
    let service = "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}], selector: {a: b}}}";
    stage.apply(service);
    let error = refused(&mut stage, &service.replace("name: a", "name: b"));
    assert_eq!(
        error.to_string(),
        "services \"b\" is forbidden: exceeded quota: q, requested: services=1, used: services=1, limited: services=1"
    );
}

#[test]
fn quotas_count_the_ports_of_services_and_what_they_grow() {
    let mut stage = Stage::new();
    stage.apply("{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {services.nodeports: 1, services.loadbalancers: 0}}}");
    let service = |fields: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: a}}, spec: {{selector: {{a: b}}, {fields}}}}}"
        )
    };
    let balanced = "type: LoadBalancer, ports: [{port: 80, name: a}, {port: 81, name: b}]";
    assert_eq!(
        refused(&mut stage, &service(balanced)).to_string(),
        "services \"a\" is forbidden: exceeded quota: q, requested: services.loadbalancers=1,services.nodeports=2, used: services.loadbalancers=0,services.nodeports=0, limited: services.loadbalancers=0,services.nodeports=1"
    );
    stage.apply(&service("ports: [{port: 80}]"));
    let mut open = stage.get::<Service>("default", "a");
    open.spec.get_or_insert_default().type_ = Some("LoadBalancer".to_owned());
    let error = stage.api().update(open).expect_err("it is refused");
    assert!(
        error
            .to_string()
            .contains("requested: services.loadbalancers=1, used")
    );
}

#[test]
fn node_ports_and_addresses_are_given_once_and_from_their_ranges() {
    let mut stage = Stage::new();
    let service = |name: &str, fields: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: {name}}}, spec: {{selector: {{a: b}}, ports: [{{port: 80, nodePort: {fields}}}}}"
        )
    };
    stage.apply(&service("one", "30080}], type: NodePort"));
    for (fields, cause) in [
        (
            "30080}], type: NodePort",
            "spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated",
        ),
        (
            "80}], type: NodePort",
            "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767",
        ),
        (
            "30081}], type: NodePort, clusterIP: 1.2.3.4",
            "spec.clusterIPs: Invalid value: [\"1.2.3.4\"]: failed to allocate IP 1.2.3.4: the provided IP (1.2.3.4) is not in the valid range. The range of valid IPs is 10.96.0.0/12",
        ),
        (
            "30081}], type: NodePort, ipFamilyPolicy: RequireDualStack",
            "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for dual-stack services",
        ),
    ] {
        let error = refused(&mut stage, &service("two", fields));
        assert_eq!(error.causes(), [cause]);
    }
    // An ExternalName has no address: what was allocated goes.
    stage.edit::<Service>("default", "one", |service| {
        let spec = service.spec.as_mut().unwrap();
        spec.type_ = Some("ExternalName".to_owned());
        spec.external_name = Some("example.com".to_owned());
    });
    let spec = stage.get::<Service>("default", "one").spec.unwrap();
    assert_eq!((spec.cluster_ip, spec.ip_families), (None, None));
    assert_eq!(spec.ports.unwrap()[0].node_port, None);
}

#[test]
fn a_namespace_enforces_its_pod_security_standard() {
    let mut stage = Stage::new();
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: strict, labels: {pod-security.kubernetes.io/enforce: LEVEL}}}";
    let error = refused(&mut stage, &namespace.replace("LEVEL", "strict"));
    assert_eq!(
        error.causes(),
        [
            "metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"strict\": must be one of privileged, baseline, restricted"
        ]
    );
    stage.apply(&namespace.replace("LEVEL", "privileged"));
    let bad = pod("hostNetwork: true").replace("name: web", "name: web, namespace: strict");
    stage.apply(&bad);
    stage.api().set_user_write(true);
    stage.edit::<Namespace>("", "strict", |it| {
        let labels = it.metadata.labels.as_mut().unwrap();
        labels.insert(
            "pod-security.kubernetes.io/enforce".to_owned(),
            "baseline".to_owned(),
        );
    });
    assert_eq!(
        stage.api().take_warnings(),
        [
            "existing pods in namespace \"strict\" violate the new PodSecurity enforce level \"baseline:latest\"",
            "web: host namespaces",
        ]
    );
    let error = refused(&mut stage, &bad.replace("name: web", "name: more"));
    assert_eq!(
        error.to_string(),
        "pods \"more\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces (hostNetwork=true)"
    );
}

#[test]
fn allocatable_resources_cannot_be_negative() {
    let mut stage = Stage::new();
    stage.apply(
        "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '2'}}}",
    );
    let mut node = stage.get::<Node>("", "n1");
    let status = node.status.get_or_insert_default();
    let room = status.allocatable.get_or_insert_default();
    room.insert("cpu".to_owned(), Quantity("-1".to_owned()));
    let error = stage.api().update_status(&node).expect_err("it is refused");
    assert_eq!(
        error.causes(),
        ["status.allocatable.cpu: Invalid value: \"-1\": must be greater than or equal to 0"]
    );
}

#[test]
fn errors_are_reported_field_by_field() {
    let mut stage = Stage::new();
    let mut invalid = Pod::default();
    invalid.metadata.name = Some("Web".to_owned());
    invalid.spec = Some(Default::default());
    let error = stage.api().create(invalid).expect_err("it is refused");
    assert_eq!(error.reason(), "Invalid");
    assert_eq!(
        error.causes().last().map(String::as_str),
        Some("spec.containers: Required value")
    );
    assert!(
        error
            .to_string()
            .starts_with("Pod \"Web\" is invalid: [metadata.name: Invalid value: \"Web\"")
    );
    let mut one = Deployment::default();
    one.metadata.name = Some("web".to_owned());
    let error = stage.api().create(one).expect_err("it is refused");
    let message = error.to_string();
    assert!(
        message.starts_with("Deployment.apps \"web\" is invalid: [spec.selector: Required value, "),
        "{message}"
    );
}

#[test]
fn only_few_fields_of_a_pod_are_mutable() {
    let mut stage = Stage::new();
    stage.apply(&pod(
        "tolerations: [{key: a, operator: Exists}], activeDeadlineSeconds: 60",
    ));
    stage.edit::<Pod>("default", "web", |pod| {
        let spec = pod.spec.as_mut().unwrap();
        spec.containers[0].image = Some("app:v2".to_owned());
        spec.active_deadline_seconds = Some(30);
        spec.tolerations.as_mut().unwrap().push(Toleration {
            key: Some("b".to_owned()),
            operator: Some("Exists".to_owned()),
            ..Toleration::default()
        });
    });
    let causes = unchangeable::<Pod>(&mut stage, "web", |pod| {
        pod.spec.as_mut().unwrap().node_selector = Some([("a".to_owned(), "b".to_owned())].into());
    });
    assert!(causes[0].starts_with("spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"), "{causes:?}");
    let causes = unchangeable::<Pod>(&mut stage, "web", |pod| {
        pod.spec
            .as_mut()
            .unwrap()
            .tolerations
            .as_mut()
            .unwrap()
            .remove(0);
    });
    assert_eq!(
        causes,
        [
            "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"
        ]
    );
    let causes = unchangeable::<Pod>(&mut stage, "web", |pod| {
        pod.spec.as_mut().unwrap().active_deadline_seconds = Some(90);
    });
    assert_eq!(
        causes,
        [
            "spec.activeDeadlineSeconds: Invalid value: 90: must be less than or equal to previous value"
        ]
    );
}

#[test]
fn gates_can_only_be_removed_and_a_gated_pod_can_be_narrowed() {
    let mut stage = Stage::new();
    stage.apply(&pod(
        "schedulingGates: [{name: a}, {name: b}], nodeSelector: {disk: ssd}",
    ));
    stage.edit::<Pod>("default", "web", |pod| {
        let spec = pod.spec.as_mut().unwrap();
        spec.scheduling_gates.as_mut().unwrap().remove(0);
        spec.node_selector
            .as_mut()
            .unwrap()
            .insert("zone".to_owned(), "a".to_owned());
    });
    let causes = unchangeable::<Pod>(&mut stage, "web", |pod| {
        pod.spec.as_mut().unwrap().node_selector = None;
    });
    assert_eq!(
        causes,
        [
            "spec.nodeSelector: Invalid value: null: only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        ]
    );
    let causes = unchangeable::<Pod>(&mut stage, "web", |pod| {
        pod.spec
            .as_mut()
            .unwrap()
            .scheduling_gates
            .as_mut()
            .unwrap()[0]
            .name = "c".to_owned();
    });
    assert_eq!(
        causes,
        [
            "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'c'"
        ]
    );
}

#[test]
fn selectors_of_workloads_and_specs_of_claims_are_immutable() {
    let mut stage = Stage::new();
    stage.apply("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web, tier: one}}, spec: {containers: [{name: c, image: app}]}}}}");
    let causes = unchangeable::<Deployment>(&mut stage, "web", |it| {
        let selector = &mut it.spec.as_mut().unwrap().selector;
        selector.match_labels = Some([("tier".to_owned(), "one".to_owned())].into());
    });
    assert_eq!(
        causes,
        ["spec.selector: Invalid value: {\"matchLabels\":{\"tier\":\"one\"}}: field is immutable"]
    );
    stage.apply("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {accessModes: [ReadWriteOnce], storageClassName: '', resources: {requests: {storage: 2Gi}}}}");
    let causes = unchangeable::<PersistentVolumeClaim>(&mut stage, "c", |it| {
        it.spec.as_mut().unwrap().access_modes = Some(vec!["ReadWriteMany".to_owned()]);
    });
    assert_eq!(
        causes,
        [
            "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n@@ -1,6 +1,6 @@\n {\n  \"AccessModes\": [\n-  \"ReadWriteOnce\"\n+  \"ReadWriteMany\"\n  ],\n  \"Selector\": null,\n  \"Resources\": {\n"
        ]
    );
}

#[test]
fn ten_thousand_pods_are_admitted_in_a_moment() {
    let mut stage = Stage::new();
    stage.apply("{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: 20k, requests.cpu: 20k}}}");
    stage.apply(&pod("").replace(
        "image: app",
        "image: app, resources: {requests: {cpu: 100m}}",
    ));
    let mut template = stage.get::<Pod>("default", "web");
    template.metadata = Default::default();
    template.status = None;
    for number in 0..10_000 {
        let mut pod = template.clone();
        pod.metadata.name = Some(format!("web-{number}"));
        stage.api().create(pod).expect("there is room");
    }
    // This tests the running time: with a scan of all Pods per creation, it takes minutes.
    let quota = stage.get::<ResourceQuota>("default", "q");
    let used = quota.status.and_then(|status| status.used).unwrap();
    assert_eq!(used["pods"].0, "10001");
    assert_eq!(used["requests.cpu"].0, "1000100m");
}

#[test]
fn label_keys_are_merged_into_selectors_and_stay_valid() {
    let mut stage = Stage::new();
    let own = |selector: &str| {
        let labels = "{app: web, rev: '1', tenant: t}";
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: web, labels: {labels}}}, spec: {{containers: [{{name: c, \
             image: app}}], affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: \
             [{{topologyKey: zone, labelSelector: {selector}, matchLabelKeys: [rev], mismatchLabelKeys: [tenant]}}]}}}}, \
             topologySpreadConstraints: [{{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, \
             labelSelector: {selector}, matchLabelKeys: [rev]}}]}}}}"
        )
    };
    // A key of the selector may not be a label key as well.
    let error = refused(&mut stage, &own("{matchLabels: {rev: '2'}}"));
    let path = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0][0]";
    let detail = "Invalid value: \"rev\": exists in both matchLabelKeys and labelSelector";
    let spread = "spec.topologySpreadConstraints[0][0]";
    assert_eq!(
        error.causes(),
        [format!("{path}: {detail}"), format!("{spread}: {detail}")]
    );
    assert!(
        stage
            .create(&own("{matchLabels: {app: web}}"))
            .iter()
            .all(Result::is_ok)
    );
    let mut stored = stage.get::<Pod>("default", "web");
    let spec = stored.spec.clone().unwrap();
    let terms = spec.affinity.unwrap().pod_affinity.unwrap();
    let terms = terms.required_during_scheduling_ignored_during_execution;
    let selector = terms.unwrap().remove(0).label_selector.unwrap();
    let expressions = selector.match_expressions.unwrap();
    let expressions: Vec<_> = expressions
        .iter()
        .map(|it| (&*it.key, &*it.operator))
        .collect();
    assert_eq!(expressions, [("rev", "In"), ("tenant", "NotIn")]);
    // The stored object is valid in an update.
    let labels = stored.metadata.labels.get_or_insert_default();
    labels.insert("more".to_owned(), "yes".to_owned());
    assert!(stage.api().update(stored).is_ok());
}
