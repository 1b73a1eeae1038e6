// Devices: a node with a GPU is drawn with Add, a Pod claims the GPU, the next one waits, and a fix helps it.
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { withManifests, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const TEXT = `apiVersion: v1
kind: Node
metadata: {name: cpu-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
`;

const dock = (page, state) => page.locator(`[data-device][data-state="${state}"]`);

/** Adds a Pod that claims a device. */
async function claim(page, name) {
  await on.field(page, "name").fill(name);
  await on.field(page, "kind").selectOption("pod");
  await on.field(page, "devices").evaluate((input) => (input.closest("details").open = true));
  await on.field(page, "devices").fill("1");
  await on.action(page, "add-pods").click();
  const text = await on.textThat(page, new RegExp(`kind: Pod\n[^]*name: ${name}\n`));
  await on.runToEnd(page);
  return text;
}

async function withGpu(body, options) {
  await withManifests(TEXT, async (page) => {
    await on.action(page, "add").click();
    await on.field(page, "node-devices").evaluate((input) => (input.closest("details").open = true));
    await on.field(page, "node-devices").fill("1");
    await page.locator('[data-add="custom-devices"]').click();
    const text = await on.textThat(page, /kind: ResourceSlice/);
    assert.match(text, /kind: DeviceClass/);
    await dock(page, "free").waitFor();
    await body(page);
  }, options);
}

test("a GPU is added, claimed, waited for and freed", async () => {
  await withGpu(async (page) => {
    const text = await claim(page, "train-0");
    assert.match(text, /kind: ResourceClaimTemplate/);
    const taken = dock(page, "taken");
    await taken.waitFor();
    assert.match(await taken.getAttribute("title"), /^gpu-0, h100 80Gi, taken by train-0 \(claim train-0-gpu\)/);

    // A click says it in words, and leads to the Pod.
    await on.action(page, "close-form").click();
    await taken.click();
    const about = page.locator(".dock__about");
    await about.waitFor();
    assert.match(await about.innerText(), /gpu\.example\.com[^]*model: h100[^]*memory: 80Gi[^]*train-0/);
    await about.locator(".link").click();
    await page.waitForSelector('[data-attempt="default/train-0"]');
    await taken.click();
    await about.waitFor({ state: "detached" });

    await on.action(page, "add").click();
    await claim(page, "train-1");
    await on.action(page, "close-form").click();
    await on.pod(page, "default/train-1").first().click();
    await page.waitForSelector('[data-attempt="default/train-1"]');
    const matrix = page.locator("[data-devices]");
    await matrix.waitFor();
    assert.match(await matrix.innerText(), /gpu-0[^]*train-0 has it/);
    assert.match(await on.node(page, "cpu-1").innerText(), /no devices/);
    assert.match(await page.locator("[data-asks]").innerText(), /memory, claim train-1-gpu$/);

    await page.locator('[data-fixes][data-done="true"]').waitFor();
    const fix = page.locator("[data-fix]", { hasText: "train-0" }).first();
    await fix.locator('[data-action="try-fix"]').click();
    await page.locator("[data-fork]").waitFor();
    await on.runToEnd(page);
    const { pods, nodes } = await on.frame(page);
    assert.ok(pods.find((pod) => pod.key === "default/train-1").node);
    const holders = nodes.flatMap((node) => node.devices?.devices ?? []).flatMap((device) => device.holders);
    assert.deepEqual(holders.map((holder) => holder.pods), [["default/train-1"]]);
    await page.waitForFunction(() =>
      document.querySelector('[data-device][data-state="taken"]')?.title.includes("train-1"),
    );
  });
});

test("devices are reached by keyboard, and deleting their node takes the slice along", async () => {
  await withGpu(async (page) => {
    await on.action(page, "close-form").click();
    const card = page.locator("[data-node]:has([data-device])");
    await card.focus();
    await page.keyboard.press("Enter");
    for (let at = 0; at < 12 && !(await page.locator("[data-device]:focus").count()); at += 1) {
      await page.keyboard.press("ArrowRight");
    }
    assert.equal(await page.locator("[data-device]:focus").count(), 1, "the arrow keys reach the dock");
    await page.keyboard.press("Enter");
    await page.locator(".dock__about").waitFor();
    await page.keyboard.press("Escape");
    await card.focus();
    await page.keyboard.press("Delete");
    await page.waitForFunction(() => !document.querySelector("[data-device]"));
    const text = await on.textThat(page, /^(?![^]*kind: ResourceSlice)/);
    assert.doesNotMatch(text, /gpu-0/);
  });
});

test("a chosen cell of the devices rings its node and marks the claims of the Pod", async () => {
  await withPage(
    async (page) => {
      await on.started(page);
      await page.locator(".cm-content").waitFor();
      await on.runToEnd(page);
      await on.pod(page, "default/train-3").first().click();
      const cells = page.locator("[data-devices] .cell");
      await cells.first().click();
      await page.locator(".node--compared").waitFor();
      await page.locator(".cm-line.cm-clash").first().waitFor();
      // Another cell of the row leaves both; the same cell again takes them away.
      await cells.nth(1).click();
      assert.equal(await page.locator(".node--compared").count(), 1);
      assert.equal(await cells.nth(1).getAttribute("aria-pressed"), "true");
      await cells.nth(1).click();
      await page.locator(".node--compared").waitFor({ state: "detached" });
      await page.locator(".cm-line.cm-clash").first().waitFor({ state: "detached" });
    },
    { path: "?example=gpu-models", viewport: { width: 1440, height: 900 } },
  );
});

for (const colorScheme of ["light", "dark"]) {
  test(`docks and the matrix of devices are accessible: ${colorScheme}`, async () => {
    const contextOptions = { colorScheme, bypassCSP: true };
    await withPage(
      async (page) => {
        await on.started(page);
        await on.runToEnd(page);
        await on.pod(page, "default/train-3").first().click();
        await page.locator("[data-devices]").waitFor();
        await page.locator("[data-devices] .cell").nth(1).click();
        await page.locator("[data-device]").first().click();
        await page.locator(".dock__about").waitFor();
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate(() =>
          globalThis.axe.run(document, { resultTypes: ["violations"] }),
        );
        const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        assert.deepEqual(grave.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(" "))]), []);
      },
      { path: "?example=gpu-models", contextOptions, viewport: { width: 1440, height: 900 } },
    );
  });
}
