// The form for the scheduler's configuration and its document stay in sync, and the scenario reruns
// at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withManifests } from "./harness.mjs";
import * as on from "./steps.mjs";

const CLUSTER = `# Two nodes, the second half full.
apiVersion: v1
kind: Node
metadata: {name: empty}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}
---
apiVersion: v1
kind: Node
metadata: {name: half}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}
---
apiVersion: v1
kind: Pod
metadata: {name: old}
spec: {nodeName: half, containers: [{name: c, image: i, resources: {requests: {cpu: 2, memory: 4Gi}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: new}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1, memory: 1Gi}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: job}
spec: {schedulerName: batch, containers: [{name: c, image: i, resources: {requests: {cpu: 100m, memory: 100Mi}}}]}
`;

const CONFIGURATION = `---
# How we schedule.
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 8 # of the old machine
profiles:
- schedulerName: default-scheduler # for most
  plugins:
    score:
      disabled: [{name: ImageLocality}, {name: NodeAffinity}] # not enabled
      enabled:
      - name: TaintToleration
        weight: 7 # much
`;

const field = (page, name, profile = 0) => page.locator(`[data-profile="${profile}"] [data-field="${name}"]`);
const plugin = (page, row, name) => page.locator(`[data-profile="0"] [data-row="${row}"] [data-field="${name}"]`);

/** Opens a scenario, runs it, and opens the form. */
const withForm = (text, body) =>
  withManifests(text, async (page) => {
    await on.runToEnd(page);
    await on.action(page, "scheduler").click();
    await page.locator('[data-form="scheduler"]').waitFor();
    await body(page);
  });

const isOn = (page, pod, node) => page.waitForSelector(`[data-node="${node}"] [data-pod="default/${pod}"]`);

const explain = async (page, pod) => {
  await on.pod(page, `default/${pod}`).first().click();
  await page.waitForSelector(`[data-attempt="default/${pod}"]`);
};

/** A change forks the run, and the fork has a tab of its own. */
const backToExplain = (page) => page.locator('[data-explain="explain"]').evaluate((tab) => tab.click());

test("another scoring strategy is written, and places Pods elsewhere; undo takes both back", async () => {
  await withForm(CLUSTER, async (page) => {
    await isOn(page, "new", "empty");
    await field(page, "Strategy").selectOption("MostAllocated");
    const text = await on.textThat(page, /type: MostAllocated/);
    assert.ok(text.startsWith(`${CLUSTER}---\n`), "the text before is as it was");
    assert.doesNotMatch(text.slice(CLUSTER.length), /enabled|LeastAllocated|memory/, "only what differs");
    await isOn(page, "new", "half");
    const { position } = await on.moment(page);
    assert.equal(position, 1, "the run is at its end again");
    await on.does(page, "undo");
    await on.textIs(page, CLUSTER);
    await isOn(page, "new", "empty");
    assert.equal(await field(page, "Strategy").inputValue(), "LeastAllocated");
    await on.does(page, "redo");
    await isOn(page, "new", "half");
    assert.equal(await field(page, "Strategy").inputValue(), "MostAllocated");
  });
});

test("a plugin that is switched off by the keyboard leaves the matrix, and comes back", async () => {
  await withForm(CLUSTER, async (page) => {
    await explain(page, "new");
    await page.waitForSelector('[data-cell="empty/NodeResourcesFit"]', { state: "attached" });
    await plugin(page, "NodeResourcesFit", "Filter").focus();
    await page.keyboard.press("Space");
    await on.textThat(page, /filter:\n\s+disabled:\n\s+- name: NodeResourcesFit/);
    await backToExplain(page);
    await page.waitForSelector('[data-cell="empty/NodeResourcesFit"]', { state: "detached" });
    assert.ok((await page.locator('[data-cell^="empty/"]').count()) > 0, "the others are still there");
    assert.ok(await plugin(page, "NodeResourcesFit", "Score").isChecked(), "it still scores");
    const focused = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    assert.equal(focused, "Filter, NodeResourcesFit");
    await page.keyboard.press("Control+z");
    await on.textIs(page, CLUSTER);
    await page.waitForSelector('[data-cell="empty/NodeResourcesFit"]', { state: "attached" });
    assert.ok(await plugin(page, "NodeResourcesFit", "Filter").isChecked());
  });
});

test("a weight changes the total", async () => {
  await withForm(CLUSTER, async (page) => {
    await explain(page, "new");
    const cycle = () => page.evaluate(() => globalThis.berth.explain("default/new"));
    const of = (cycle) => cycle.scores.find((score) => score.node === "empty");
    const before = of(await cycle());
    const fit = before.plugins.find((one) => one.plugin === "NodeResourcesFit");
    await on.change(plugin(page, "NodeResourcesFit", "Weight"), "5");
    await on.textThat(page, /name: NodeResourcesFit\n\s+weight: 5/);
    await backToExplain(page);
    const total = before.total + 4 * fit.normalized;
    assert.ok(fit.normalized > 0);
    await page.waitForSelector(`[data-score="empty"][data-total="${total}"]`);
    assert.equal(of(await cycle()).total, total);
  });
});

test("a Pod of a second profile is placed by its rules", async () => {
  await withForm(CLUSTER, async (page) => {
    const waits = async () => (await on.frame(page)).queue.unmanaged;
    assert.deepEqual(await waits(), ["default/job"]);
    await page.locator('[data-form="scheduler"] [data-field="AddProfile"]').fill("batch");
    await page.keyboard.press("Enter");
    await on.textThat(page, /- schedulerName: default-scheduler\n- schedulerName: batch\n/);
    await isOn(page, "job", "empty");
    await page.locator('[data-profile="1"] summary').focus();
    await page.keyboard.press("Space");
    await field(page, "Strategy", 1).selectOption("MostAllocated");
    await isOn(page, "job", "half");
    await isOn(page, "new", "empty");
    await page.locator('[data-profile="1"] [data-action="RemoveProfile"]').click();
    await on.textThat(page, /- schedulerName: default-scheduler\n$/);
    assert.deepEqual(await waits(), ["default/job"]);
  });
});

test("the form shows what is typed, and leaves what it has no place for", async () => {
  await withForm(CLUSTER + CONFIGURATION, async (page) => {
    assert.ok(!(await plugin(page, "ImageLocality", "Score").isChecked()));
    assert.equal(await plugin(page, "TaintToleration", "Weight").inputValue(), "7");
    assert.match(await page.locator("[data-rest]").textContent(), /left as written: parallelism/);

    await plugin(page, "ImageLocality", "Score").click();
    await on.textIs(page, CLUSTER + CONFIGURATION.replace("{name: ImageLocality}, ", ""));
    await on.change(plugin(page, "TaintToleration", "Weight"), "2");
    const now = CONFIGURATION.replace("{name: ImageLocality}, ", "").replace("weight: 7", "weight: 2");
    await on.textIs(page, CLUSTER + now);

    const typed = now.replace("disabled: [{name: NodeAffinity}]", "disabled: [{name: '*'}]");
    await on.field(page, "manifests").evaluate((area, text) => {
      area.value = text;
      area.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }, CLUSTER + typed);
    await page.waitForFunction(
      () => document.querySelectorAll('[data-field="Score"]:checked').length === 1,
    );
    assert.ok(await plugin(page, "TaintToleration", "Score").isChecked());
    assert.ok(await plugin(page, "TaintToleration", "Filter").isChecked());
  });
});

test("a refusal is shown at its field in kube-scheduler's words, and nothing is lost", async () => {
  await withForm(CLUSTER + CONFIGURATION, async (page) => {
    const alert = page.locator('[data-form="scheduler"] [role="alert"]');
    const weight = plugin(page, "TaintToleration", "Weight");
    await on.change(weight, "-1");
    await alert.waitFor();
    assert.match(await alert.textContent(), /total score of Score plugins could overflow/);
    assert.equal(await weight.inputValue(), "-1");
    assert.equal(await weight.getAttribute("aria-invalid"), "true");
    assert.equal(await on.text(page), CLUSTER + CONFIGURATION);
    assert.equal(await on.notice(page).count(), 0);

    const added = page.locator('[data-form="scheduler"] [data-field="AddProfile"]');
    await added.fill("default-scheduler");
    await page.keyboard.press("Enter");
    await page.locator('form [role="alert"]').waitFor();
    assert.match(await alert.textContent(), /Duplicate value/);
    assert.equal(await added.inputValue(), "default-scheduler");
    assert.equal(await weight.inputValue(), "7");

    await plugin(page, "NodePorts", "Filter").click();
    await on.textThat(page, /filter:\n\s+disabled:\n\s+- name: NodePorts/);
    assert.equal(await alert.count(), 0);
    assert.equal(await added.inputValue(), "");
  });
});

// They are at the end of a text that is longer than the editor.
test("the editor shows the lines that changed, and the form keeps the focus", async () => {
  const node = (number) => `---\napiVersion: v1\nkind: Node\nmetadata: {name: more-${number}}\n`;
  const text = CLUSTER + Array.from({ length: 60 }, (_, number) => node(number)).join("");
  await withForm(text, async (page) => {
    await page.waitForSelector(".cm-content");
    await field(page, "Strategy").selectOption("MostAllocated");
    await page.waitForFunction(() => {
      const line = [...document.querySelectorAll(".cm-line")].find((one) => one.textContent.includes("MostAllocated"));
      const editor = document.querySelector(".cm-scroller").getBoundingClientRect();
      const box = line?.getBoundingClientRect();
      return box && box.top >= editor.top && box.bottom <= editor.bottom;
    });
    assert.equal(await page.locator(".cm-focused").count(), 0);
  });
});
