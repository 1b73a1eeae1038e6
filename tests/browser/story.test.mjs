// One story in both modes: a living cluster continues from what is drawn; a drain shows its effects first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withManifests, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

/** What is drawn: each Pod with its node. */
const drawn = async (page) => {
  const { pods } = await on.frame(page);
  return pods.map(({ key, node }) => `${key} ${node ?? "-"}`).sort();
};

const owned = (name, kind, owner) => `---
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: default
  uid: uid-of-${name}
  resourceVersion: "7"
  labels: {app: ${owner}}
  ownerReferences: [{apiVersion: apps/v1, kind: ${kind}, name: ${owner}, uid: uid-${owner}, controller: true}]
spec: {nodeName: node-a, containers: [{name: main, image: main}]}
status: {phase: Running}
`;
const NODE = (name) => `---
apiVersion: v1
kind: Node
metadata: {name: ${name}, uid: uid-${name}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}}
`;
const DUMP = `${NODE("node-a")}${NODE("node-b")}${owned("web-x", "ReplicaSet", "web")}${owned("agent-x", "DaemonSet", "agent")}---
apiVersion: v1
kind: Pod
metadata: {name: alone}
spec: {nodeName: node-a, containers: [{name: main, image: main}]}
`;

test("the first kubectl line continues from the placed Pods, and undo brings the run back", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.runToEnd(page);
    const before = await drawn(page);
    const moment = await on.moment(page);
    await on.terminal(page);
    const { out } = await on.run(page, "kubectl get pods --no-headers");
    assert.equal(out.trim().split("\n").length, before.length);
    for (const pod of before) assert.ok(out.includes(pod.split(" ")[0].split("/")[1]), pod);
    assert.match(await page.locator(".term__note").textContent(), /continues from what is on the stage/);
    assert.deepEqual(await drawn(page), before);
    await on.runToEnd(page);
    assert.deepEqual(await drawn(page), before, "report waits, and all others run where they are");
    await on.does(page, "undo");
    await page.waitForSelector('[data-live="false"][aria-checked="true"]');
    assert.deepEqual(await on.moment(page), moment);
  });
});

test("a cluster begins anew only when asked", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.runToEnd(page);
    await page.locator('[data-live="true"]').click();
    await page.waitForSelector('[data-live="true"][aria-checked="true"]');
    assert.match(await on.notice(page).textContent(), /Undo brings the run back/);
    await on.action(page, "begin-anew").click();
    await page.waitForFunction(() => globalThis.berth.position < 5);
    await on.runToEnd(page);
    const { pods } = await on.frame(page);
    assert.deepEqual(pods.filter(({ node }) => !node).map(({ key }) => key), ["default/report"]);
  });
});

test("D says what a drain would do, and the button does it", async () => {
  await withManifests(DUMP, async (page) => {
    const note = page.locator("[data-inferred]");
    assert.equal(await note.getAttribute("data-inferred"), "2");
    await note.locator("summary").click();
    assert.match(await note.textContent(), /ReplicaSet default\/web, from 1 Pod/);
    assert.match(await note.textContent(), /DaemonSet default\/agent, from 1 Pod/);
    await on.node(page, "node-a").focus();
    await page.keyboard.press("d");
    const plan = page.locator('[data-plan="node-a"]');
    await plan.waitFor();
    assert.match(await plan.locator('[data-drain="replaced"]').textContent(), /1 Pod, replaced by its owner.*web-x \(ReplicaSet\/web\)/);
    assert.match(await plan.locator('[data-drain="lost"]').textContent(), /is lost.*alone/);
    assert.match(await plan.locator('[data-drain="staying"]').textContent(), /stays.*agent-x/);
    const before = await drawn(page);
    await on.action(page, "drain-now").click();
    await page.waitForSelector('[data-node="node-a"].node--cordoned');
    assert.deepEqual(await drawn(page), ["default/agent-x node-a", "default/web-x -"]);
    await on.runToEnd(page);
    assert.deepEqual(await drawn(page), ["default/agent-x node-a", "default/web-x node-b"]);
    await on.does(page, "undo");
    assert.deepEqual(await drawn(page), before);
  });
});

test("in a living cluster the drain is kubectl's, and a Pod of an absent owner is replaced", async () => {
  await withManifests(DUMP, async (page) => {
    await page.locator('[data-live="true"]').click();
    await page.waitForSelector('[data-live="true"][aria-checked="true"]');
    await on.edit(page, "node-a");
    await on.action(page, "drain").click();
    await page.locator('[data-plan="node-a"]').waitFor();
    await on.action(page, "drain-now").click();
    // While the command waits for evicted Pods, the button interrupts it.
    await page.waitForFunction(() => /node-a drained/.test(document.querySelector("[data-printed]")?.textContent));
    await on.runToEnd(page);
    const pods = await drawn(page);
    assert.equal(pods.length, 2, pods.join());
    assert.ok(pods.includes("default/agent-x node-a"));
    assert.match(pods.find((pod) => pod.includes("/web-")), / node-b$/);
    assert.match(await page.locator("[data-printed]").first().textContent(), /node\/node-a cordoned/);
  });
});
