// The page in a real browser shows what the core returns.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const SCENARIO = `
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {topology.kubernetes.io/zone: zone-a}}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-b, labels: {topology.kubernetes.io/zone: zone-b}}
spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}
status: {allocatable: {cpu: '8', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-c}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: first}
spec: {containers: [{name: main, image: a, resources: {requests: {cpu: 500m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: second}
spec: {containers: [{name: main, image: a, resources: {requests: {cpu: 1500m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: third}
spec: {containers: [{name: main, image: a, resources: {requests: {cpu: '7'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: gated}
spec: {schedulingGates: [{name: example.com/wait}], containers: [{name: main, image: a}]}
`;

const digest = (page) => page.locator("[data-digest]").getAttribute("data-digest");
const { action, does } = on;

async function paste(page, text) {
  const before = await digest(page);
  await page.locator('[data-field="manifests"]').fill(text);
  await page.waitForFunction(
    (old) => document.querySelector("[data-digest]").getAttribute("data-digest") !== old,
    before,
  );
}

/** The verdict that a matrix cell must show, from the core's record of the attempt. */
function expected(cycle, report, plugin) {
  if (!report.verdict) return "NotExamined";
  if (report.verdict.code !== "Success" && report.verdict.plugin === plugin) return report.verdict.code;
  const failure = report.failures.find((one) => one.plugin === plugin);
  if (failure) return failure.code;
  return cycle.preFilter.skipped.includes(plugin) ? "Skipped" : "Success";
}

async function compareWithCore(page, position) {
  const cycle = await page.evaluate((at) => globalThis.berth.explain(at), position);
  const cells = await page.locator("[data-cell]").evaluateAll((all) =>
    Object.fromEntries(all.map((cell) => [cell.dataset.cell, cell.dataset.verdict])),
  );
  const wanted = {};
  for (const report of cycle.nodes) {
    for (const plugin of cycle.filterPlugins) {
      wanted[`${report.node}/${plugin}`] = expected(cycle, report, plugin);
    }
  }
  assert.deepEqual(cells, wanted);
  const totals = await page.locator("[data-score]").evaluateAll((all) =>
    Object.fromEntries(all.map((cell) => [cell.dataset.score, Number(cell.dataset.total)])),
  );
  assert.deepEqual(totals, Object.fromEntries((cycle.scores ?? []).map((score) => [score.node, score.total])));
  if (cycle.message !== null) {
    assert.equal(await page.locator("[data-message]").textContent(), cycle.message);
  }
  return cycle;
}

test("every attempt of a pasted scenario is shown as the core tells it, and back again", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await paste(page, SCENARIO);
    assert.equal(await page.locator("[data-node]").count(), 3);
    assert.equal(await page.locator('[data-zone="zone-a"] [data-node="node-a"]').count(), 1);
    assert.equal(await page.locator('[data-pod="default/gated"]').getAttribute("data-state"), "gated");

    const digests = [await digest(page)];
    const pods = [];
    while (await action(page, "step").isEnabled()) {
      await does(page, "step");
      await page.waitForSelector(`[data-attempt][data-at="${pods.length}"]`);
      const cycle = await compareWithCore(page, pods.length);
      pods.push(cycle.pod);
      digests.push(await digest(page));
    }
    assert.deepEqual(pods, ["default/first", "default/second", "default/third", "default/third"]);
    assert.equal(await page.locator('[data-pod="default/first"]').getAttribute("data-state"), "bound");
    assert.equal(await page.locator('[data-pod="default/third"]').getAttribute("data-state"), "pending");

    for (let position = pods.length; position > 0; position -= 1) {
      assert.equal(await digest(page), digests[position]);
      await does(page, "step-back");
    }
    assert.equal(await digest(page), digests[0]);
    assert.ok(await action(page, "step-back").isDisabled());

    await action(page, "run").click();
    await page.waitForSelector(`[data-position="${pods.length}"]`);
    await on.inStep(page);
    assert.equal(await digest(page), digests.at(-1));
    await does(page, "reset");
    assert.equal(await digest(page), digests[0]);
  });
});

test("a chosen cell shows the arithmetic", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await paste(page, SCENARIO);
    await action(page, "run").click();
    await page.locator('[data-pod="default/third"]').click();
    await page.locator('[data-cell="node-c/NodeResourcesFit"]').click();
    const text = await page.locator("[data-arithmetic]").textContent();
    assert.match(text, /Insufficient cpu/);
    assert.match(text, /7000m requested = \d+m > 4000m allocatable/);
  });
});

test("what globalThis.berth does, the page shows", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.evaluate((text) => globalThis.berth.applyYaml(text), SCENARIO);
    await page.waitForSelector('[data-node="node-c"]');
    await page.evaluate(() => globalThis.berth.run());
    await page.waitForSelector('[data-pod="default/first"][data-state="bound"]');
    assert.equal(await digest(page), await page.evaluate(() => globalThis.berth.digest()));
    const manifests = page.locator('[data-field="manifests"]');
    assert.equal(await manifests.inputValue(), SCENARIO);
    const edited = SCENARIO.replaceAll("node-c", "node-d");
    await page.evaluate((text) => globalThis.berth.editYaml(text), edited);
    await page.waitForSelector('[data-node="node-d"]');
    assert.equal(await manifests.inputValue(), edited);
  });
});

test("broken YAML keeps the last good state and says where it is broken", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await paste(page, SCENARIO);
    const before = await digest(page);
    await page.locator('[data-field="manifests"]').fill("apiVersion: v1\nkind: Pod\nmetadata: {name: [}\n");
    const problem = page.locator('[data-severity="error"]').first();
    await problem.waitFor();
    assert.equal(await problem.getAttribute("data-line"), "3");
    assert.ok(Number(await problem.getAttribute("data-column")) > 1);
    assert.equal(await digest(page), before);
    assert.equal(await page.locator("[data-node]").count(), 3);
  });
});

test("names and labels that look like markup stay text", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const hostile = "<img src=x onerror=globalThis.hacked=1>";
    const scenario = `apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: "${hostile}"\n---\n${SCENARIO}`;
    await page.locator('[data-field="manifests"]').fill(scenario);
    await page.getByText(hostile, { exact: true }).first().waitFor();
    await page.locator('[data-field="manifests"]').fill(SCENARIO.replace("name: first", `name: "${hostile}"`));
    await page.locator('[data-severity="error"]').first().waitFor();
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
    assert.equal(await page.locator("img").count(), 0);
  });
});

test("the keyboard steps, goes back, and reaches every action", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => globalThis.berth?.position === 1);
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => globalThis.berth.position === 0);
    for (const name of ["run", "step"]) {
      await action(page, name).focus();
      assert.ok(await action(page, name).evaluate((button) => button === document.activeElement));
    }
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => globalThis.berth.position === 1);
  });
});

test("what happened is printed as a list, and costs nothing on the screen", async () => {
  await withPage(async (page) => {
    await on.started(page);
    for (let steps = 0; steps < 3; steps += 1) await on.step(page);
    const lines = page.locator(".printed li");
    assert.equal(await lines.count(), 0);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await lines.nth(2).waitFor();
    const bound = (await on.frame(page)).pods.filter((pod) => pod.node && pod.lastAttempt != null);
    const listed = await lines.allTextContents();
    assert.equal(listed.length, 3);
    // Without the namespace and the ReplicaSet's hash, as on the stage.
    const name = (key) => key.replace("default/", "").replace(/-[a-z0-9]+-(?=[a-z0-9]{5}$)/, "-");
    for (const { key, node } of bound) assert.ok(listed.includes(`${name(key)} to ${node}`), key);
    assert.equal(await page.locator(".transport").isVisible(), false);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await lines.first().waitFor({ state: "detached" });
  });
});

test("Pods of a dump that have ended are counted on the stage", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const pod = (name, phase) =>
      `---\napiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\n` +
      `spec: {nodeName: node-a, containers: [{name: a, image: a}]}\nstatus: {phase: ${phase}}\n`;
    await on.open(page, pod("well", "Succeeded") + pod("badly", "Failed") + pod("not", "Running"));
    const size = page.locator('.stage__head [data-ended="2"]');
    await size.waitFor();
    assert.match(await size.textContent(), /1 Pod · 2 ended$/);
    assert.match(await size.getAttribute("title"), /take no room/);
  });
});
