// The smallest fixes: for each kind of failure there is one, and trying the first places the Pod.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withManifests } from "./harness.mjs";
import * as on from "./steps.mjs";

const node = (name, zone, more = "", allocatable = "") => `---
apiVersion: v1
kind: Node
metadata: {name: ${name}, labels: {topology.kubernetes.io/zone: ${zone}, disktype: hdd}}
spec: {${more}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"${allocatable}}}
`;

const nodes = (more, allocatable) => node("node-a", "zone-a", more, allocatable) + node("node-b", "zone-b", more, allocatable);

const pod = (name, spec = "", { cpu = "500m", ports = "", extra = "" } = {}) => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name.replace(/-\d+$/, "")}}}
spec:
  containers:
  - name: main
    image: a
    resources: {requests: {cpu: ${cpu}${extra}}, limits: {cpu: "64"${extra}}}
    ${ports}
${spec}`;

const TAINTS = "taints: [{key: dedicated, value: gpu, effect: NoSchedule}]";
const PORT = { ports: "ports: [{containerPort: 80, hostPort: 8080}]" };
const SPREAD = `  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: DoNotSchedule
    labelSelector: {matchLabels: {app: web}}
`;
const APART = `  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector: {matchLabels: {app: web}}
`;
const AFFINITY = `  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: disktype, operator: In, values: [ssd]}]
`;
const DEPLOYMENT = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {disktype: ssd}
      containers: [{name: main, image: a, resources: {requests: {cpu: 500m}}}]
`;

/** Each failure: its name, the manifests, the unschedulable Pod, and the plugin that rejects it. */
const FAILURES = [
  ["a taint", nodes(TAINTS) + pod("web"), "web", "TaintToleration"],
  ["a nodeSelector", nodes() + pod("web", "  nodeSelector: {disktype: ssd}\n"), "web", "NodeAffinity"],
  ["a request that is too big", nodes() + pod("web", "", { cpu: "6" }), "web", "NodeResourcesFit"],
  ["cordoned nodes", nodes("unschedulable: true") + pod("web"), "web", "NodeUnschedulable"],
  [
    "a hostPort that is taken",
    node("node-a", "zone-a") + pod("web-1", "", PORT) + pod("web-2", "", PORT),
    "web-2",
    "NodePorts",
  ],
  [
    "a hard spread",
    node("node-a", "zone-a") +
      node("node-b", "zone-b", "unschedulable: true") +
      pod("web-1", SPREAD) +
      pod("web-2", SPREAD),
    "web-2",
    "PodTopologySpread",
  ],
  [
    "a required anti-affinity",
    nodes() + pod("web-1", APART) + pod("web-2", APART) + pod("web-3", APART),
    "web-3",
    "InterPodAffinity",
  ],
  ["a required node affinity", nodes() + pod("web", AFFINITY), "web", "NodeAffinity"],
  ["an extended resource", nodes() + pod("web", "", { extra: ", example.com/gpu: 1" }), "web", "NodeResourcesFit"],
  ["a Deployment's nodeSelector", nodes() + DEPLOYMENT, null, "NodeAffinity"],
];

const states = (frame) => frame.pods.map((pod) => [pod.labels.app, pod.state]);

for (const [failure, yaml, waiting, plugin] of FAILURES) {
  test(`${failure}: the first fix places the Pod`, async () => {
    await withManifests(yaml.trimStart(), async (page) => {
      assert.equal(await page.locator("[data-problems]").getAttribute("data-problems"), "0");
      await on.runToEnd(page);
      const before = await on.frame(page);
      const key = waiting ? `default/${waiting}` : before.pods[0].key;
      await page.waitForSelector(`[data-pod="${key}"][data-state="pending"]`);
      await on.pod(page, key).first().click();
      await page.waitForSelector(`[data-attempt="${key}"]`);
      const cycle = await page.evaluate((key) => globalThis.berth.explain(key), key);
      assert.ok(
        cycle.nodes.some((report) => report.failures.some((one) => one.plugin === plugin)),
        `${plugin} refuses no node`,
      );

      const section = page.locator('[data-fixes][data-done="true"]');
      await section.waitFor({ timeout: 60_000 });
      assert.notEqual(await section.getAttribute("data-fixes"), "0");
      const first = section.locator("[data-fix]").first();
      assert.match(await first.getAttribute("data-fix"), /^[a-zA-Z]+$/);
      await first.locator('[data-action="try-fix"]').click();
      await page.locator("[data-fork]").waitFor();
      await on.runToEnd(page);

      // A changed template creates other Pods: then the workload's new Pod must be placed.
      const after = await on.frame(page);
      const app = before.pods.find((pod) => pod.key === key).labels.app;
      const ours = waiting ? after.pods.filter((pod) => pod.key === key) : after.pods.filter((pod) => pod.labels.app === app);
      assert.equal(ours.length, 1, JSON.stringify(states(after)));
      assert.equal(ours[0].state, "bound");
      await page.waitForSelector(`[data-pod="${ours[0].key}"][data-state="bound"]`);
      const waits = (frame) => frame.pods.filter((pod) => pod.state !== "bound").length;
      assert.ok(waits(after) < waits(before), "another Pod waits instead");

      // The first run is unchanged.
      await on.does(page, "back-to-first-run");
      await on.runToEnd(page);
      assert.equal((await on.frame(page)).digest, before.digest);
    });
  });
}
