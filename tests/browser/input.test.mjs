// The page's input: broken text, text that looks like markup, stored manifests, examples, files.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DIST, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const GOOD = `apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {topology.kubernetes.io/zone: zone-a}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: lone}
spec: {containers: [{name: main, image: a, resources: {requests: {cpu: 500m}}}]}
`;

const started = (body, options) =>
  withPage(async (page, url, more) => {
    await on.started(page);
    await body(page, url, more);
  }, options);

/** Types a text with an error at this line, which the page has to name. */
async function breakAt(page, broken, line) {
  await on.field(page, "manifests").fill(broken);
  const problem = page.locator(`[data-severity="error"][data-line="${line}"]`).first();
  await problem.waitFor();
  assert.ok(Number(await problem.getAttribute("data-column")) > 0);
  assert.match(await problem.textContent(), new RegExp(`${line}:\\d+`));
  await on.inStep(page);
  assert.equal(await on.text(page), broken);
}

/** The state, independent of the steps that led to it. */
async function state(page) {
  return { digest: (await on.moment(page)).digest, stage: await on.stage(page) };
}

test("text that cannot be read at all keeps the last good state, and says at which line and column", async () => {
  await started(async (page) => {
    await on.open(page, GOOD);
    await on.runToEnd(page);
    const before = { ...(await state(page)), ...(await on.moment(page)) };
    for (const [broken, line] of [["kind: [\n", 2], ["a: b\n\tc: d\n", 2], ["- {\n", 2]]) {
      await breakAt(page, broken, line);
      assert.deepEqual({ ...(await state(page)), ...(await on.moment(page)) }, before);
    }
    await on.field(page, "manifests").fill(GOOD);
    await page.waitForSelector('[data-problems="0"]');
    await on.inStep(page);
    assert.deepEqual(await state(page), { digest: before.digest, stage: before.stage });
  });
});

test("a broken document leaves the others as they are", async () => {
  await started(async (page) => {
    await on.open(page, GOOD);
    await on.runToEnd(page);
    const before = await state(page);
    await breakAt(page, `${GOOD}---\nkind: Pod\n\tmetadata: {}\n`, 12);
    assert.deepEqual(await state(page), before);
    await on.field(page, "manifests").fill(GOOD);
    await page.waitForSelector('[data-problems="0"]');
    await on.inStep(page);
    assert.deepEqual(await state(page), before);
  });
});

// It must not leave the state until its document can be read again.
test("an object stays as it was while its document is broken", async () => {
  await started(async (page) => {
    await on.open(page, GOOD);
    await on.runToEnd(page);
    const before = await state(page);
    await breakAt(page, GOOD.replace("{name: lone}", "{name: [}"), 8);
    assert.deepEqual(await state(page), before);
    await breakAt(page, GOOD.replace("name: node-a", "name: [node-a"), 3);
    assert.deepEqual(await state(page), before);
  });
});

test("a problem's place leads the cursor there", async () => {
  await started(async (page) => {
    await on.open(page, GOOD);
    await on.field(page, "manifests").fill(GOOD.replace("kind: Pod", "kind: Pod\nspecs: {}"));
    const problem = page.locator('[data-line="8"]').first();
    await problem.waitFor();
    await problem.locator("button.link").click();
    await page.waitForSelector(".cm-content:focus");
    await page.keyboard.insertText("# here ");
    await on.textThat(page, /\n# here specs: \{\}/);
  });
});

const MARKUP = "<img src=x onerror=globalThis.hacked=1>";
const SCRIPT = "<script>globalThis.hacked=1</script>";

/** Asserts that the hostile text neither became an element nor ran. */
async function isHarmless(page) {
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  // The code editor puts images without a source beside its widgets.
  assert.equal(await page.locator("img:not(.cm-widgetBuffer)").count(), 0);
  assert.equal(await page.locator("#app script").count(), 0);
}

/** Hostile text in every place of a scenario that takes any text, or whose error message quotes it. */
const HOSTILE = `apiVersion: berth.dev/v1alpha1
kind: Scenario
title: "${MARKUP}"
description: "${SCRIPT}"
---
apiVersion: v1
kind: Node
metadata:
  name: node-a
  labels: {topology.kubernetes.io/zone: zone-a}
  annotations: {note: "${MARKUP}"}
spec: {taints: [{key: dedicated, effect: NoSchedule}]}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: "${MARKUP}"}
---
apiVersion: v1
kind: Node
metadata: {name: node-b, labels: {note: "${SCRIPT}"}}
---
apiVersion: v1
kind: Pod
metadata: {name: "${SCRIPT}"}
spec: {containers: [{name: main, image: a}]}
---
apiVersion: v1
kind: "${MARKUP}"
metadata: {name: other}
---
apiVersion: v1
kind: Pod
metadata: {name: lone, annotations: {note: "${SCRIPT}"}}
spec:
  schedulerName: default-scheduler
  containers: [{name: main, image: "${MARKUP}", resources: {requests: {cpu: 500m}}}]
  "${MARKUP}": 1
`;

test("what looks like markup in manifests stays text", async () => {
  await started(async (page) => {
    const dialogs = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      return dialog.dismiss();
    });
    await on.open(page, HOSTILE);
    await page.locator(".topbar__title", { hasText: MARKUP }).waitFor();
    await page.locator("[data-problems]", { hasText: MARKUP }).waitFor();
    await on.runToEnd(page);
    await page.locator("[data-fixes][data-done=true]").waitFor();
    await isHarmless(page);

    // Through a fix, a fork and its table.
    await on.action(page, "try-fix").first().click();
    await page.locator("[data-fork]").waitFor();
    await on.runToEnd(page);
    await isHarmless(page);
    await on.does(page, "undo");
    assert.deepEqual(dialogs, []);
  });
});

test("what looks like markup in forms stays text", async () => {
  await started(async (page) => {
    await on.open(page, GOOD);
    await on.edit(page, "node-a");
    // The form says each refusal in itself.
    let said = null;
    const isRefused = async () => {
      await page.waitForFunction((said) => ![undefined, said].includes(document.querySelector("[data-form] [data-notice]")?.textContent), said);
      said = await on.notice(page).textContent();
      assert.equal(await on.text(page), GOOD);
      await isHarmless(page);
    };
    for (const [name, button] of [["label", "add-label"], ["taint", "add-taint"]]) {
      await on.field(page, name).fill(`key=${MARKUP}`);
      await on.action(page, button).click();
      await isRefused();
    }
    await on.field(page, "allocatable-cpu").fill(SCRIPT);
    await on.field(page, "allocatable-cpu").blur();
    await isRefused();

    await on.does(page, "add");
    await on.field(page, "zone").fill(SCRIPT);
    await on.action(page, "add-zone").click();
    await on.field(page, "name").fill(MARKUP);
    await on.action(page, "add-pods").click();
    await on.inStep(page);
    await isHarmless(page);
    assert.equal((await on.frame(page)).pods.length, 1);
  });
});

test("a list in JSON has its objects, and no empty list of documents", async () => {
  await started(async (page) => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "json" }, status: { allocatable: { cpu: "4", pods: "110" } } };
    await on.open(page, JSON.stringify({ apiVersion: "v1", kind: "List", items: [node] }, null, 2), "list.json");
    await on.node(page, "json").waitFor();
    assert.equal(await page.locator(".doclist").count(), 0);
    await on.open(page, GOOD);
    await page.locator(".doclist option").first().waitFor({ state: "attached" });
  });
});

test("the manifests are there again after a reload", async () => {
  await started(async (page) => {
    await on.open(page, GOOD);
    await on.field(page, "manifests").fill(GOOD.replace("500m", "750m"));
    await page.waitForFunction(() => globalThis.berth.frame().pods[0].milliCpu === 750);
    await on.inStep(page);
    const { digest } = await on.moment(page);
    await page.reload({ waitUntil: "load" });
    await on.started(page);
    assert.equal(await on.text(page), GOOD.replace("500m", "750m"));
    assert.equal((await on.moment(page)).digest, digest);
  });
});

// A Pod's requests are part of the digest.
test("the digest changes with what a Pod asks for", async () => {
  await started(async (page) => {
    await on.open(page, GOOD);
    const { digest } = await on.moment(page);
    await on.open(page, GOOD.replace("500m", "750m"));
    assert.notEqual((await on.moment(page)).digest, digest);
  });
});

test("New empties the page, and undo brings all back", async () => {
  await started(async (page) => {
    await on.open(page, GOOD);
    const before = { ...(await on.moment(page)), stage: await on.stage(page) };
    await on.action(page, "new").click();
    await page.waitForFunction(() => !document.querySelector("[data-node]"));
    await on.inStep(page);
    assert.match(await on.text(page), /kind: Scenario/);
    assert.equal((await on.frame(page)).nodes.length, 0);
    await on.action(page, "undo").click();
    await on.textIs(page, GOOD);
    await on.node(page, "node-a").waitFor();
    assert.deepEqual({ ...(await on.moment(page)), stage: await on.stage(page) }, before);
  });
});

test("every example opens from the dialog, without a problem", async () => {
  const index = JSON.parse(await readFile(join(DIST, "scenarios", "index.json"), "utf8"));
  assert.ok(index.length > 5);
  await started(async (page) => {
    for (const { slug, title } of index) {
      await on.action(page, "examples").click();
      await page.locator(`[data-example="${slug}"]`).click();
      await on.textIs(page, await readFile(join(DIST, "scenarios", `${slug}.yaml`), "utf8"));
      assert.equal(await page.locator(".dialog").count(), 0);
      assert.deepEqual((await on.frame(page)).problems, [], slug);
      assert.equal(await page.locator("[data-problems]").getAttribute("data-problems"), "0", slug);
      assert.notEqual(title, "");
      assert.equal(await page.locator(".topbar__title").textContent(), (await on.frame(page)).title, slug);
      await on.runToEnd(page);
    }
  });
});

test("files that are dropped on the sources are opened, several as one text", async () => {
  await started(async (page) => {
    const drop = async (files) => {
      const transfer = await page.evaluateHandle((files) => {
        const transfer = new DataTransfer();
        for (const [name, text] of files) transfer.items.add(new File([text], name, { type: "application/yaml" }));
        return transfer;
      }, files);
      await page.dispatchEvent(".sources", "dragover", { dataTransfer: transfer });
      await page.dispatchEvent(".sources", "drop", { dataTransfer: transfer });
    };
    await drop([["good.yaml", GOOD]]);
    await on.textIs(page, GOOD);
    await on.node(page, "node-a").waitFor();
    const other = GOOD.split("---\n")[0].replace("node-a", "node-b");
    await drop([["one.yaml", GOOD], ["two.yml", other]]);
    await on.node(page, "node-b").waitFor();
    await on.inStep(page);
    assert.equal((await on.frame(page)).nodes.length, 2);
    assert.deepEqual((await on.frame(page)).problems, []);
  });
});
