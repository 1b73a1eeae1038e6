// Manifests of Pods that wait.

/** Pods in a namespace: `replicas` of a Deployment that fit nowhere, one with a gate, one of another scheduler. */
export const PENDING = `apiVersion: v1
kind: Node
metadata: {name: ip-1, labels: {pool: general}}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: ip-2, labels: {pool: db}}
status: {allocatable: {cpu: "2", memory: 16Gi, pods: "110"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: reindex, namespace: shop}
spec:
  replicas: 12
  selector: {matchLabels: {app: reindex}}
  template:
    metadata: {labels: {app: reindex}}
    spec: {containers: [{name: a, image: a, resources: {requests: {cpu: "6", memory: 1Gi}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: db-only, namespace: shop}
spec: {nodeSelector: {pool: db}, containers: [{name: a, image: a, resources: {requests: {cpu: "3"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: migration, namespace: shop}
spec: {schedulingGates: [{name: quota.example.com/approved}], containers: [{name: a, image: a}]}
---
apiVersion: v1
kind: Pod
metadata: {name: fit-model, namespace: ml}
spec: {schedulerName: volcano, containers: [{name: a, image: a}]}
`;
