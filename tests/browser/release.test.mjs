// The choice of the Kubernetes release in the bar at the top runs everything again at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withManifests } from "./harness.mjs";
import * as on from "./steps.mjs";

const TAINTED = `apiVersion: v1
kind: Node
metadata: {name: node-a}
spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: i}]}
`;

/** Waits until the Pod's message says so: v1.34 names the taint, later ones do not. */
const says = (page, text) =>
  page.waitForFunction((text) => {
    try {
      return globalThis.berth.explain("default/web").message.includes(text);
    } catch {
      // It was not tried yet in the new run.
      return false;
    }
  }, text);

test("another release runs everything again, and undo takes it back", async () => {
  await withManifests(TAINTED, async (page) => {
    await on.runToEnd(page);
    await says(page, "untolerated taint(s)");
    const choice = on.action(page, "kubernetes");
    assert.equal(await choice.inputValue(), "1.36");
    assert.deepEqual(await choice.locator("option").allTextContents(), [
      "Kubernetes 1.34 (out of support since 2026-10-27)",
      "Kubernetes 1.35",
      "Kubernetes 1.36",
      "Compare versions…",
    ]);
    await choice.selectOption("1.34");
    await says(page, "untolerated taint {dedicated: gpu}");
    await page.locator('[data-action="kubernetes"][title*="v1.34.1"]').waitFor();
    await on.does(page, "undo");
    await says(page, "untolerated taint(s)");
    assert.equal(await choice.inputValue(), "1.36");
  });
});
