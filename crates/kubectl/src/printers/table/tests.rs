//! Tables as the API server prints them.

use serde_json::{Value, json};

use super::of;
use crate::printers::rows::Rows;

const NOW_MS: i64 = 100_000;

fn check(wide: bool, objects: &[Value], expected: &str) {
    let kind = objects[0]["kind"].as_str().expect("a kind");
    let table = of(kind);
    let keep = |cells: Vec<String>| {
        let columns = table.columns.iter().zip(cells);
        let kept = columns.filter(|(column, _)| wide || !column.is_wide);
        kept.map(|(_, cell)| cell).collect::<Vec<_>>()
    };
    let heads = table.columns.iter().map(|column| column.name.to_owned());
    let mut rows = vec![keep(heads.collect())];
    rows.extend(
        objects
            .iter()
            .map(|object| keep((table.row)(object, NOW_MS))),
    );
    let printed = Rows::default().print(&rows);
    assert_eq!(printed, expected, "{printed}");
}

/// A Pod created 90 seconds ago.
fn pod(name: &str, spec: Value, status: Value) -> Value {
    json!({
        "kind": "Pod",
        "metadata": {"name": name, "creationTimestamp": "2025-01-01T00:00:10Z"},
        "spec": spec,
        "status": status,
    })
}

fn word(spec: Value, status: Value) -> String {
    super::pod_status(&pod("p", spec, status)).word
}

#[test]
fn pods() {
    let spec = json!({"containers": [{"name": "a"}, {"name": "b"}], "nodeName": "n1"});
    let running = json!({"phase": "Running", "podIPs": [{"ip": "10.0.0.1"}], "containerStatuses": [
        {"name": "a", "ready": true, "restartCount": 3, "state": {"running": {}},
         "lastState": {"terminated": {"finishedAt": "2025-01-01T00:01:30Z"}}},
        {"name": "b", "ready": false, "restartCount": 0, "state": {"running": {}}},
    ]});
    let pending = json!({"phase": "Pending", "nominatedNodeName": "n2"});
    check(
        true,
        &[
            pod("web-1", spec, running),
            pod(
                "waits",
                json!({"containers": [{"name": "a"}], "readinessGates": [{"conditionType": "x"}]}),
                pending,
            ),
        ],
        "NAME    READY   STATUS    RESTARTS      AGE   IP         NODE     NOMINATED NODE   READINESS GATES\n\
         web-1   1/2     Running   3 (10s ago)   90s   10.0.0.1   n1       <none>           <none>\n\
         waits   0/1     Pending   0             90s   <none>     <none>   n2               0/1\n",
    );
}

#[test]
fn the_status_of_a_pod_reflects_its_containers() {
    let one = json!({"containers": [{"name": "a"}]});
    let state = |state: Value| json!({"phase": "Running", "containerStatuses": [{"name": "a", "state": state}]});
    for (status, expected) in [
        (json!({"phase": "Pending"}), "Pending"),
        (json!({"phase": "Failed", "reason": "Evicted"}), "Evicted"),
        (
            json!({"phase": "Pending", "conditions": [
                {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]}),
            "SchedulingGated",
        ),
        (
            state(json!({"waiting": {"reason": "ContainerCreating"}})),
            "ContainerCreating",
        ),
        (
            state(json!({"waiting": {"reason": "CrashLoopBackOff"}})),
            "CrashLoopBackOff",
        ),
        (
            state(json!({"waiting": {"reason": "ImagePullBackOff"}})),
            "ImagePullBackOff",
        ),
        (
            state(json!({"terminated": {"reason": "Completed", "exitCode": 0}})),
            "Completed",
        ),
        (
            state(json!({"terminated": {"reason": "OOMKilled", "exitCode": 137}})),
            "OOMKilled",
        ),
        (
            state(json!({"terminated": {"reason": "Error", "exitCode": 1}})),
            "Error",
        ),
        (state(json!({"terminated": {"exitCode": 3}})), "ExitCode:3"),
        (
            state(json!({"terminated": {"exitCode": 137, "signal": 9}})),
            "Signal:9",
        ),
    ] {
        assert_eq!(word(one.clone(), status), expected);
    }
}

#[test]
fn init_containers_come_first() {
    let spec = json!({
        "initContainers": [{"name": "i"}, {"name": "side", "restartPolicy": "Always"}],
        "containers": [{"name": "a"}],
    });
    let init = |first: Value, second: Value| {
        json!({
            "phase": "Pending",
            "initContainerStatuses": [
                {"name": "i", "state": first},
                {"name": "side", "state": second, "started": true, "ready": true},
            ],
            "containerStatuses": [{"name": "a", "state": {"waiting": {"reason": "PodInitializing"}}}],
        })
    };
    let done = json!({"terminated": {"exitCode": 0, "reason": "Completed"}});
    let failed = json!({"terminated": {"exitCode": 1, "reason": "Error"}});
    let running = json!({"running": {}});
    assert_eq!(
        word(spec.clone(), init(running.clone(), json!({}))),
        "Init:0/2"
    );
    assert_eq!(word(spec.clone(), init(failed, json!({}))), "Init:Error");
    let crash = json!({"waiting": {"reason": "CrashLoopBackOff"}});
    assert_eq!(
        word(spec.clone(), init(crash, json!({}))),
        "Init:CrashLoopBackOff"
    );
    let ready = super::pod_status(&pod("p", spec.clone(), init(done, running)));
    assert_eq!(
        (ready.word.as_str(), ready.ready, ready.containers),
        ("PodInitializing", 1, 2)
    );
}

#[test]
fn terminating_pods() {
    let going = |reason: &str, phase: &str| {
        let mut pod = pod("p", json!({}), json!({"phase": phase, "reason": reason}));
        pod["metadata"]["deletionTimestamp"] = json!("2025-01-01T00:02:00Z");
        super::pod_status(&pod).word
    };
    assert_eq!(going("", "Running"), "Terminating");
    assert_eq!(going("NodeLost", "Running"), "Unknown");
    assert_eq!(going("", "Succeeded"), "Succeeded");
}

#[test]
fn nodes() {
    let node = json!({
        "kind": "Node",
        "metadata": {"name": "cp", "creationTimestamp": "2025-01-01T00:00:00Z", "labels": {
            "node-role.kubernetes.io/control-plane": "", "kubernetes.io/role": "extra"}},
        "spec": {"unschedulable": true},
        "status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "addresses": [{"type": "InternalIP", "address": "192.168.0.1"}],
            "nodeInfo": {"kubeletVersion": "v1.34.0", "osImage": "Debian GNU/Linux 12"},
        },
    });
    let lost = json!({"kind": "Node", "metadata": {"name": "n1"}, "status": {
        "conditions": [{"type": "Ready", "status": "Unknown"}]}});
    let new = json!({"kind": "Node", "metadata": {"name": "n2"}});
    check(
        false,
        &[node.clone(), lost, new],
        "NAME   STATUS                     ROLES                 AGE         VERSION\n\
         cp     Ready,SchedulingDisabled   control-plane,extra   100s        v1.34.0\n\
         n1     NotReady                   <none>                <unknown>   \n\
         n2     Unknown                    <none>                <unknown>   \n",
    );
    check(
        true,
        &[node],
        "NAME   STATUS                     ROLES                 AGE    VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE              KERNEL-VERSION   CONTAINER-RUNTIME\n\
         cp     Ready,SchedulingDisabled   control-plane,extra   100s   v1.34.0   192.168.0.1   <none>        Debian GNU/Linux 12   <unknown>        <unknown>\n",
    );
}

/// An object with this kind, spec and status, created 90 seconds ago.
fn object(kind: &str, rest: Value) -> Value {
    let mut object = rest;
    object["kind"] = json!(kind);
    object["metadata"]["name"] = json!("x");
    object["metadata"]["creationTimestamp"] = json!("2025-01-01T00:00:10Z");
    object
}

fn template() -> Value {
    json!({"spec": {"containers": [{"name": "a", "image": "nginx"}, {"name": "b", "image": "redis:7"}]}})
}

#[test]
fn workloads() {
    let selector = json!({"matchLabels": {"app": "web"}});
    let spec = json!({"replicas": 3, "selector": selector, "template": template()});
    check(
        true,
        &[object(
            "Deployment",
            json!({"spec": spec, "status": {"readyReplicas": 1, "updatedReplicas": 2, "availableReplicas": 1}}),
        )],
        "NAME   READY   UP-TO-DATE   AVAILABLE   AGE   CONTAINERS   IMAGES          SELECTOR\n\
         x      1/3     2            1           90s   a,b          nginx,redis:7   app=web\n",
    );
    check(
        false,
        &[object(
            "ReplicaSet",
            json!({"spec": spec, "status": {"replicas": 3, "readyReplicas": 2}}),
        )],
        "NAME   DESIRED   CURRENT   READY   AGE\nx      3         3         2       90s\n",
    );
    check(
        true,
        &[object(
            "ReplicationController",
            json!({"spec": {"replicas": 1, "selector": {"a": "b"}, "template": template()}}),
        )],
        "NAME   DESIRED   CURRENT   READY   AGE   CONTAINERS   IMAGES          SELECTOR\n\
         x      1         0         0       90s   a,b          nginx,redis:7   a=b\n",
    );
    check(
        true,
        &[object("StatefulSet", json!({"spec": spec}))],
        "NAME   READY   AGE   CONTAINERS   IMAGES\nx      0/3     90s   a,b          nginx,redis:7\n",
    );
    let status = json!({"desiredNumberScheduled": 3, "currentNumberScheduled": 2, "numberReady": 1,
        "updatedNumberScheduled": 2, "numberAvailable": 1});
    check(
        false,
        &[object("DaemonSet", json!({"spec": spec, "status": status}))],
        "NAME   DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE\n\
         x      3         2         1       2            1           <none>          90s\n",
    );
}

#[test]
fn jobs() {
    let job = |spec: Value, status: Value| object("Job", json!({"spec": spec, "status": status}));
    let complete = json!({
        "succeeded": 2, "startTime": "2025-01-01T00:00:10Z", "completionTime": "2025-01-01T00:00:17Z",
        "conditions": [{"type": "Complete", "status": "True"}],
    });
    let failed = json!({"startTime": "2025-01-01T00:00:10Z", "conditions": [{"type": "Failed", "status": "True"}]});
    check(
        false,
        &[
            job(json!({"completions": 2}), complete),
            job(json!({"parallelism": 3}), failed),
            job(
                json!({"parallelism": 1}),
                json!({"conditions": [{"type": "Suspended", "status": "True"}]}),
            ),
            job(json!({"completions": 1}), json!({})),
        ],
        "NAME   STATUS      COMPLETIONS   DURATION   AGE\n\
         x      Complete    2/2           7s         90s\n\
         x      Failed      0/1 of 3      90s        90s\n\
         x      Suspended   0/1                      90s\n\
         x      Running     0/1                      90s\n",
    );
    let cron = json!({
        "spec": {"schedule": "*/5 * * * *", "suspend": false, "timeZone": "Asia/Shanghai"},
        "status": {"lastScheduleTime": "2025-01-01T00:01:00Z", "active": [{"name": "j"}]},
    });
    check(
        false,
        &[
            object("CronJob", cron),
            object(
                "CronJob",
                json!({"spec": {"schedule": "@daily", "suspend": true}}),
            ),
        ],
        "NAME   SCHEDULE      TIMEZONE        SUSPEND   ACTIVE   LAST SCHEDULE   AGE\n\
         x      */5 * * * *   Asia/Shanghai   False     1        40s             90s\n\
         x      @daily        <none>          True      0        <none>          90s\n",
    );
    let owner = json!([{"kind": "DaemonSet", "name": "log", "controller": true}]);
    check(
        false,
        &[object(
            "ControllerRevision",
            json!({"revision": 2, "metadata": {"ownerReferences": owner}}),
        )],
        "NAME   CONTROLLER           REVISION   AGE\nx      daemonset.apps/log   2          90s\n",
    );
}

#[test]
fn storage() {
    let volume = json!({
        "spec": {
            "capacity": {"storage": "1024Mi"}, "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain", "storageClassName": "fast",
            "claimRef": {"namespace": "default", "name": "data"}, "volumeMode": "Filesystem",
        },
        "status": {"phase": "Bound"},
    });
    check(
        true,
        &[object("PersistentVolume", volume)],
        "NAME   CAPACITY   ACCESS MODES   RECLAIM POLICY   STATUS   CLAIM          STORAGECLASS   VOLUMEATTRIBUTESCLASS   REASON   AGE   VOLUMEMODE\n\
         x      1Gi        RWO,RWX        Retain           Bound    default/data   fast           <unset>                          90s   Filesystem\n",
    );
    let claim = json!({"spec": {"storageClassName": "fast"}, "status": {"phase": "Pending"}});
    check(
        false,
        &[object("PersistentVolumeClaim", claim)],
        "NAME   STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   VOLUMEATTRIBUTESCLASS   AGE\n\
         x      Pending                                      fast           <unset>                 90s\n",
    );
    let class = json!({"provisioner": "csi.example.com", "metadata": {"annotations": {
        "storageclass.kubernetes.io/is-default-class": "true"}}});
    check(
        false,
        &[object("StorageClass", class)],
        "NAME          PROVISIONER       RECLAIMPOLICY   VOLUMEBINDINGMODE   ALLOWVOLUMEEXPANSION   AGE\n\
         x (default)   csi.example.com   Delete          Immediate           false                  90s\n",
    );
    check(
        false,
        &[object(
            "CSINode",
            json!({"spec": {"drivers": [{"name": "d"}]}}),
        )],
        "NAME   DRIVERS   AGE\nx      1         90s\n",
    );
    check(
        false,
        &[object(
            "CSIDriver",
            json!({"spec": {"attachRequired": false}}),
        )],
        "NAME   ATTACHREQUIRED   PODINFOONMOUNT   STORAGECAPACITY   TOKENREQUESTS   REQUIRESREPUBLISH   MODES        AGE\n\
         x      false            false            false             <unset>         false               Persistent   90s\n",
    );
}

#[test]
fn the_rest_of_the_cluster() {
    check(
        false,
        &[object("Namespace", json!({"status": {"phase": "Active"}}))],
        "NAME   STATUS   AGE\nx      Active   90s\n",
    );
    let ports = json!([{"port": 80, "protocol": "TCP"}, {"port": 443, "nodePort": 30443, "protocol": "TCP"}]);
    check(
        true,
        &[
            object(
                "Service",
                json!({"spec": {"type": "NodePort", "clusterIP": "10.0.0.9", "ports": ports, "selector": {"app": "web"}}}),
            ),
            object("Service", json!({"spec": {"type": "LoadBalancer"}})),
        ],
        "NAME   TYPE           CLUSTER-IP   EXTERNAL-IP   PORT(S)                AGE   SELECTOR\n\
         x      NodePort       10.0.0.9     <none>        80/TCP,443:30443/TCP   90s   app=web\n\
         x      LoadBalancer   <none>       <pending>     <none>                 90s   <none>\n",
    );
    check(
        false,
        &[object(
            "PodDisruptionBudget",
            json!({"spec": {"minAvailable": "50%"}, "status": {"disruptionsAllowed": 1}}),
        )],
        "NAME   MIN AVAILABLE   MAX UNAVAILABLE   ALLOWED DISRUPTIONS   AGE\n\
         x      50%             N/A               1                     90s\n",
    );
    check(
        false,
        &[object(
            "PriorityClass",
            json!({"value": 1000, "preemptionPolicy": "Never"}),
        )],
        "NAME   VALUE   GLOBAL-DEFAULT   AGE   PREEMPTIONPOLICY\n\
         x      1000    false            90s   Never\n",
    );
    let hard = json!({"pods": "10", "requests.cpu": "2", "limits.memory": "4Gi"});
    check(
        false,
        &[object(
            "ResourceQuota",
            json!({"status": {"hard": hard, "used": {"pods": "1", "requests.cpu": "0.5"}}}),
        )],
        "NAME   REQUEST                            LIMIT                  AGE\n\
         x      pods: 1/10, requests.cpu: 500m/2   limits.memory: 0/4Gi   90s\n",
    );
    check(
        false,
        &[object("LimitRange", json!({}))],
        "NAME   CREATED AT\nx      2025-01-01T00:00:10Z\n",
    );
}

#[test]
fn events() {
    let event = json!({
        "kind": "Event", "metadata": {"name": "web-1.18"}, "type": "Warning", "reason": "FailedScheduling",
        "message": "0/1 nodes are available.\n", "count": 4,
        "involvedObject": {"kind": "Pod", "name": "web-1"},
        "source": {"component": "kubelet", "host": "n1"},
        "firstTimestamp": "2025-01-01T00:00:40Z", "lastTimestamp": "2025-01-01T00:01:37Z",
    });
    check(
        false,
        std::slice::from_ref(&event),
        "LAST SEEN   TYPE      REASON             OBJECT      MESSAGE\n\
         3s          Warning   FailedScheduling   pod/web-1   0/1 nodes are available.\n",
    );
    check(
        true,
        &[event],
        "LAST SEEN   TYPE      REASON             OBJECT      SUBOBJECT   SOURCE        MESSAGE                    FIRST SEEN   COUNT   NAME\n\
         3s          Warning   FailedScheduling   pod/web-1               kubelet, n1   0/1 nodes are available.   60s          4       web-1.18\n",
    );
}
