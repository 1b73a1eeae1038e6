//! Dynamic resource allocation: one device a Pod, by class and selector, on 500 nodes with eight devices each.

use std::fmt::Write;

use berth_core::api::manifests::read;
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::prepared::Prepared;
use berth_core::api::source::SourceFile;

const NODES: usize = 500;
const DEVICES: usize = 8;
/// Devices of a node that the Pods' selector refuses.
const OTHERS: usize = 2;

/// Throughput of kube-scheduler v1.34 in Pods per second on the same cluster, in process: the best of several runs, with
/// all nodes scored and with default sampling.
pub const REAL: [(u32, f64); 2] = [(100, 38.0), (0, 84.0)];

/// `count` pending Pods. `percentage`: `percentageOfNodesToScore`, 0 for the default.
pub fn pending(count: usize, percentage: u32) -> Prepared {
    let mut text = format!(
        "apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: {percentage}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: gpu}}
spec: {{selectors: [{{cel: {{expression: device.driver == \"gpu.example.com\"}}}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: big}}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: gpu
          selectors:
          - cel: {{expression: 'device.attributes[\"gpu.example.com\"].model == \"h100\" && \
         device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"40Gi\")) >= 0'}}
"
    );
    for node in 0..NODES {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}", node_with_devices(node));
    }
    for pod in 0..count {
        let _ = write!(
            text,
            "---
apiVersion: v1
kind: Pod
metadata: {{name: train-{pod:05}, labels: {{app: train}}}}
spec:
  resourceClaims: [{{name: gpu, resourceClaimTemplateName: big}}]
  containers:
  - name: train
    image: train
    resources: {{requests: {{cpu: 100m, memory: 500Mi}}, claims: [{{name: gpu}}]}}
"
        );
    }
    let files = [SourceFile::new("bench.yaml", text)];
    read(&files, &PrepareOptions::default()).prepared
}

fn node_with_devices(node: usize) -> String {
    let zone = node % 3;
    let mut text = format!(
        "---
apiVersion: v1
kind: Node
metadata: {{name: node-{node:05}, labels: {{topology.kubernetes.io/zone: zone-{zone}}}}}
status: {{allocatable: {{cpu: '4', memory: 32Gi, pods: '110'}}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: node-{node:05}-gpus}}
spec:
  driver: gpu.example.com
  nodeName: node-{node:05}
  pool: {{name: node-{node:05}, generation: 1, resourceSliceCount: 1}}
  devices:
"
    );
    for device in 0..DEVICES {
        let (model, memory) = if device < OTHERS {
            ("l4", 24)
        } else {
            ("h100", 80)
        };
        let _ = writeln!(
            text,
            "  - {{name: gpu-{device}, attributes: {{model: {{string: {model}}}, index: {{int: {device}}}}}, capacity: \
             {{memory: {{value: {memory}Gi}}}}}}"
        );
    }
    text
}
