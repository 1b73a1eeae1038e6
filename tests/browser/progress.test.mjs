// Work that lasts longer than a second shows its name and progress, is announced to screen readers, and can be stopped.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import { cluster, open } from "./cluster.mjs";
import * as on from "./steps.mjs";

const TIMEOUT = 300_000;

const announced = (page) => page.locator("[data-announced]").textContent();

test("a long run shows how far it is, and Escape stops it", { timeout: TIMEOUT }, async () => {
  await withPage(async (page) => {
    page.setDefaultTimeout(TIMEOUT);
    await on.started(page);
    // Of 1,000 nodes each attempt scores hundreds: the run is far from its end when Escape stops it.
    const pods = 20_000;
    await open(page, cluster("long", 1000, pods), "long");
    await page.waitForSelector(".work", { state: "detached" });
    await on.action(page, "run").click();
    const strip = page.locator('[data-work="run"]');
    await strip.waitFor();
    const bar = strip.getByRole("progressbar", { name: "Scheduling Pods" });
    const percent = Number(await bar.getAttribute("aria-valuenow"));
    assert.ok(percent >= 0 && percent < 100, `${percent} %`);
    assert.match(await strip.locator("[data-far]").textContent(), /^[\d,]+ of 20,000 attempts$/);
    assert.match(await announced(page), /^Scheduling Pods: \d+ %$/);
    assert.equal(await page.locator("[data-announced]").getAttribute("aria-live"), "polite");
    // On a busy machine a second may pass before the first slice is done.
    await page.waitForFunction(() => Number(document.querySelector('[data-work="run"] [role="progressbar"]')?.ariaValueNow) > 0);
    await page.keyboard.press("Escape");
    await strip.waitFor({ state: "detached" });
    assert.equal(await announced(page), "Scheduling Pods: stopped");
    await on.inStep(page);
    const { position } = await on.moment(page);
    assert.ok(Number(position) > 0 && Number(position) < pods, position);
  });
});

test("a command that waits for days shows the time, and Escape interrupts it", { timeout: TIMEOUT }, async () => {
  await withPage(async (page) => {
    page.setDefaultTimeout(TIMEOUT);
    await on.started(page);
    const manifests = `${cluster("waits", 3, 1)}---
apiVersion: batch/v1
kind: CronJob
metadata: {name: often}
spec:
  schedule: "* * * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: busybox, command: [sleep, "5"]}]}}}}
`;
    await open(page, manifests, "waits");
    await on.terminal(page);
    const line = page.locator('[data-field="terminal"]');
    await line.fill("sleep 86400");
    await line.press("Enter");
    const strip = page.locator('[data-work="wait"]');
    await strip.waitFor();
    assert.match(await strip.locator("[data-far]").textContent(), /of 1 d 00:0\d/);
    await line.press("Escape");
    await strip.waitFor({ state: "detached" });
    await page.waitForSelector('[data-terminal="ready"]');
    assert.match(await page.locator(".term").textContent(), /\^C/);
  });
});
