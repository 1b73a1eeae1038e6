// A cluster's dump as `kubectl get nodes,pods -A -o yaml` prints it, with all that tools put into it.

const ZONES = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
/** Pods at the end that fit on no node. */
const PENDING = 14;

const nodeName = (number) => `ip-10-0-${10 + (number % 3)}-${number}.ec2.internal`;

const item = (number, kind, name, labels, meta, rest) => `- apiVersion: v1
  kind: ${kind}
  metadata:
    annotations:
      kubernetes.io/config.seen: "2025-01-01T00:00:00.000000000Z"
      kubernetes.io/config.source: api
    creationTimestamp: "2025-09-14T07:12:01Z"
    labels:
${labels.map((label) => `      ${label}\n`).join("")}    name: ${name}
${meta}    resourceVersion: "${4000 + number}"
    uid: 0b4d3d5c-6a5e-4d5c-9f39-${String(number).padStart(12, "1")}
${rest}`;

const node = (number) => {
  const labels = [
    "kubernetes.io/arch: amd64",
    `kubernetes.io/hostname: ${nodeName(number)}`,
    `pool: ${number % 10 ? "general" : "db"}`,
    `topology.kubernetes.io/zone: ${ZONES[number % 3]}`,
  ];
  const rest = `  spec:
    podCIDR: 10.244.${number}.0/24
    providerID: aws:///eu/${number}
  status:
    addresses:
    - address: 10.0.0.${number}
      type: InternalIP
    allocatable: {cpu: 3920m, ephemeral-storage: "95551679124", memory: 15Gi, pods: "58"}
    conditions:
    - lastHeartbeatTime: "2025-10-14T07:12:01Z"
      message: kubelet is posting ready status
      reason: KubeletReady
      status: "True"
      type: Ready
`;
  return item(number, "Node", nodeName(number), labels, "", rest);
};

const pod = (number, nodes, pending) => {
  const app = `app-${number % 40}`;
  const name = `${app}-6c9f7d9b8c-${number.toString(36).padStart(5, "x")}`;
  const labels = [`app: ${app}`, "pod-template-hash: 6c9f7d9b8c"];
  const meta = `    namespace: ${["shop", "data", "pay"][number % 3]}
    ownerReferences:
    - apiVersion: apps/v1
      blockOwnerDeletion: true
      controller: true
      kind: ReplicaSet
      name: ${app}-6c9f7d9b8c
      uid: 0b4d3d5c-6a5e-4d5c-9f39-${String(number % 40).padStart(12, "0")}
`;
  const rest = `  spec:
    containers:
    - env:
      - name: POD_NAME
        valueFrom:
          fieldRef:
            apiVersion: v1
            fieldPath: metadata.name
      - name: LOG_LEVEL
        value: info
      image: registry.example.com/team/${app}:1.${number}
      imagePullPolicy: IfNotPresent
      livenessProbe:
        failureThreshold: 3
        httpGet:
          path: /healthz
          port: 8080
          scheme: HTTP
        periodSeconds: 10
        successThreshold: 1
        timeoutSeconds: 1
      name: main
      ports:
      - containerPort: 8080
        name: http
        protocol: TCP
      resources:
        limits:
          memory: 1Gi
        requests:
          cpu: ${pending ? 3900 : 100}m
          memory: 256Mi
      terminationMessagePath: /dev/termination-log
      terminationMessagePolicy: File
      volumeMounts:
      - mountPath: /var/run/secrets/kubernetes.io/serviceaccount
        name: kube-api-access-x7k2p
        readOnly: true
    dnsPolicy: ClusterFirst
    enableServiceLinks: true
${pending ? "" : `    nodeName: ${nodeName(number % nodes)}\n`}    preemptionPolicy: PreemptLowerPriority
    priority: 0
    restartPolicy: Always
    schedulerName: default-scheduler
    serviceAccountName: default
    terminationGracePeriodSeconds: 30
    tolerations:
    - effect: NoExecute
      key: node.kubernetes.io/not-ready
      operator: Exists
      tolerationSeconds: 300
    volumes:
    - name: kube-api-access-x7k2p
      projected:
        defaultMode: 420
        sources:
        - serviceAccountToken:
            expirationSeconds: 3607
            path: token
  status:
    conditions:
    - lastProbeTime: null
      lastTransitionTime: "2025-10-14T07:12:01Z"
      status: "${pending ? "False" : "True"}"
      type: PodScheduled
    phase: ${pending ? "Pending" : "Running"}
    qosClass: Burstable
    startTime: "2025-10-14T07:12:01Z"
`;
  return item(number, "Pod", name, labels, meta, rest);
};

const range = (length) => Array.from({ length }, (_, number) => number);

/** Nodes in three zones and their Pods; the last ones are Pending. 60 nodes with 2,100 Pods are 5 MB. */
export const dump = (nodes, pods) =>
  [
    "apiVersion: v1\nitems:\n",
    ...range(nodes).map(node),
    ...range(pods).map((number) => pod(number, nodes, number >= pods - PENDING)),
    'kind: List\nmetadata:\n  resourceVersion: ""\n',
  ].join("");
