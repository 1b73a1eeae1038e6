// A reload restores the manifests, the run, its history, and the page's settings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withManifests, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";
import { stored } from "./storage.mjs";

const NODE = (name, zone) => `apiVersion: v1
kind: Node
metadata:
  name: ${name}
  labels: {topology.kubernetes.io/zone: ${zone}}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
`;
const POD = (name) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  containers: [{name: main, image: nginx, resources: {requests: {cpu: "1"}}}]
`;
const NODES = [NODE("node-a", "zone-a"), NODE("node-b", "zone-b")].join("---\n");
const PODS = [NODES, ...["one", "two", "three", "four", "five"].map(POD)].join("---\n");

/** Everything of the session that a view shows. */
const shown = async (page) => ({ frame: await on.frame(page), text: await on.text(page), ...(await on.moment(page)) });

/** Reloads the page, and waits until the last visit is restored. */
async function reload(page) {
  await page.reload({ waitUntil: "load" });
  await on.started(page);
  await page.waitForFunction(() => localStorage.getItem(`berth.${sessionStorage.getItem("berth.tab")}.failed`) === null);
  await on.inStep(page);
}

for (const path of ["", "?engine=inline"]) {
  test(`a run goes on where it was ${path}`, async () => {
    await withManifests(
      PODS,
      async (page) => {
        for (let count = 0; count < 4; count += 1) await on.step(page);
        await on.does(page, "step-back");
        await on.field(page, "manifests").fill(PODS.replace("name: five", "name: six"));
        await page.waitForFunction(() => globalThis.berth.frame().fork);
        await on.step(page);
        await on.inStep(page);
        const before = await shown(page);
        assert.equal(before.frame.fork.at, 3);
        await reload(page);
        assert.deepEqual(await shown(page), before);
        await on.does(page, "undo");
        assert.equal(await on.text(page), PODS);
        assert.equal((await on.frame(page)).logLength, 4);
      },
      { path },
    );
  });
}

test("a living cluster is restored, with the commands and output of the terminal", async () => {
  await withManifests(NODES, async (page) => {
    await on.terminal(page);
    await on.run(page, "kubectl create deployment web --image=nginx --replicas=3");
    await on.run(page, "kubectl rollout status deployment web");
    await on.run(page, "N=7; kubectl cordon node-b");
    await page.waitForSelector('[data-action="play"][aria-label="Play"]');
    await on.inStep(page);
    const before = await shown(page);
    assert.equal(before.frame.pods.filter((pod) => pod.node).length, 3);
    const printed = await page.locator("[data-printed]").allTextContents();
    await reload(page);
    assert.deepEqual(await shown(page), before);
    assert.deepEqual(await page.locator("[data-printed]").allTextContents(), printed);
    assert.match((await on.run(page, "kubectl get nodes; echo $N")).out, /node-b\s+Ready,SchedulingDisabled[^]*7\n$/);
    assert.match((await on.run(page, "kubectl get deployment web")).out, /3\/3/);
    // A note below the manifests states that the terminal has changed the cluster, not them.
    await page.locator('[data-source="manifests"]').click();
    await page.locator("[data-parted]").waitFor();
  });
});

test("what was typed last is there even if the page crashes before it was kept", async () => {
  await withManifests(PODS, async (page) => {
    await on.step(page);
    await page.evaluate(() => globalThis.dispatchEvent(new Event("pagehide")));
    await on.inStep(page);
    // From now on only the manifests are stored.
    const text = PODS.replace("name: five", "name: six");
    await page.evaluate((text) => {
      const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (value, name) {
        return name.endsWith(".text") ? put.call(this, value, name) : this.get(name);
      };
      globalThis.textThen = text;
    }, text);
    await on.field(page, "manifests").fill(text);
    await page.waitForFunction(() => globalThis.berth.frame().pods.some((pod) => pod.key === "default/six"));
    await reload(page);
    await on.textIs(page, text);
    const frame = await on.frame(page);
    assert.ok(frame.pods.some((pod) => pod.key === "default/six"));
    assert.equal(frame.pods.filter((pod) => pod.node).length, 1);
  });
});

test("a visit that cannot be restored gives its manifests", async () => {
  await withManifests(PODS, async (page) => {
    await on.step(page);
    await page.evaluate(() => globalThis.dispatchEvent(new Event("pagehide")));
    // As if restoring had failed twice in a row.
    await page.evaluate(() => localStorage.setItem(`berth.${sessionStorage.getItem("berth.tab")}.failed`, "2"));
    await page.reload({ waitUntil: "load" });
    await on.started(page);
    assert.equal(await on.text(page), PODS);
    assert.equal((await on.moment(page)).position, 0);
    // Later actions are stored again.
    await on.step(page);
    await reload(page);
    assert.equal((await on.moment(page)).position, 1);
  });
});

test("theme, size and grouping stay", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const theme = await page.evaluate(() => {
      document.querySelector('[data-action="theme"]').click();
      document.querySelector('[data-action="presentation"]').click();
      return document.documentElement.dataset.theme;
    });
    await reload(page);
    const { dataset } = { dataset: await page.evaluate(() => ({ ...document.documentElement.dataset })) };
    assert.equal(dataset.theme, theme);
    assert.equal(dataset.size, "presentation");
    await on.action(page, "presentation").click();
    await reload(page);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.size), undefined);
  });
});

test("each tab keeps its own visit, and a new one starts with the last", async () => {
  await withPage(async (page, url, { context }) => {
    const keeps = async (page) => {
      await page.evaluate(() => globalThis.dispatchEvent(new Event("pagehide")));
      await on.inStep(page);
    };
    await on.started(page);
    await on.open(page, PODS);
    await on.step(page);
    await keeps(page);

    const other = await context.newPage();
    await other.goto(url, { waitUntil: "load" });
    await on.started(other);
    assert.equal(await on.text(other), PODS, "it starts with the last visit");
    assert.equal((await on.moment(other)).position, 1);
    await on.open(other, NODES);
    await keeps(other);

    await reload(page);
    assert.equal(await on.text(page), PODS, "the other tab's visit is its own");
    assert.equal((await on.moment(page)).position, 1);
    await reload(other);
    assert.equal(await on.text(other), NODES);
    const third = await context.newPage();
    await third.goto(url, { waitUntil: "load" });
    await on.started(third);
    assert.equal(await on.text(third), NODES);
  });
});

test("a duplicated tab goes its own way", async () => {
  await withManifests(PODS, async (page, url, { context }) => {
    await page.evaluate(() => globalThis.dispatchEvent(new Event("pagehide")));
    const id = () => sessionStorage.getItem("berth.tab");
    const own = await page.evaluate(id);
    const copy = await context.newPage();
    // A browser copies the tab's own storage, too.
    await copy.addInitScript((own) => {
      if (!sessionStorage.getItem("berth.tab")) sessionStorage.setItem("berth.tab", own);
    }, own);
    await copy.goto(url, { waitUntil: "load" });
    await on.started(copy);
    assert.equal(await on.text(copy), PODS);
    await copy.waitForFunction((own) => sessionStorage.getItem("berth.tab") !== own, own);
    assert.equal(await page.evaluate(id), own, "the first one keeps its place");
    await on.open(copy, NODES);
    await copy.evaluate(() => globalThis.dispatchEvent(new Event("pagehide")));
    await reload(page);
    assert.equal(await on.text(page), PODS);
    await reload(copy);
    assert.equal(await on.text(copy), NODES);
  });
});

test("visits of old tabs do not pile up", async () => {
  await withPage(async (page, url) => {
    await on.started(page);
    for (let tab = 0; tab < 12; tab += 1) {
      await page.evaluate(() => sessionStorage.clear());
      await page.goto(url, { waitUntil: "load" });
      await on.started(page);
      await page.evaluate(() => globalThis.dispatchEvent(new Event("pagehide")));
      await on.inStep(page);
    }
    await page.waitForTimeout(500);
    const names = await stored(page);
    const visits = names.filter(([name]) => name.endsWith(".text"));
    assert.equal(visits.length, 8, String(names));
    assert.ok(names.length < 8 * 8, "nothing else is left of the others");
  });
});
