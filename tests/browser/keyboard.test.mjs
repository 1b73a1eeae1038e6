// A cluster of two zones is built and a Pod placed without a mouse.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const MOST = 200;

const isFocused = (page, selector) =>
  page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector);

/** Tab until the focus is there; every element on the way lets it go on, the editor after Escape. */
async function tabTo(page, selector, key = "Tab") {
  const visited = [];
  for (let number = 0; number < MOST; number += 1) {
    if (await isFocused(page, selector)) return;
    if (await isFocused(page, ".cm-content")) await page.keyboard.press("Escape");
    await page.keyboard.press(key);
    visited.push(
      await page.evaluate(() => {
        const { dataset, tagName, className } = document.activeElement;
        return dataset.action ?? dataset.field ?? `${tagName}.${className}`;
      }),
    );
  }
  assert.fail(`${key} does not reach ${selector}: ${visited.slice(-12).join(", ")}`);
}

const button = (name) => `[data-action="${name}"]`;
const input = (name) => `[data-field="${name}"]`;

test("from an empty page to a placed Pod by keyboard alone", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.waitForSelector(".cm-content");
    await tabTo(page, button("new"));
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !document.querySelector("[data-node]"));
    await on.inStep(page);

    await tabTo(page, button("add"));
    await page.keyboard.press("Space");
    await page.waitForSelector('[data-form="add"]');
    for (const zone of ["zone-a", "zone-b"]) {
      await tabTo(page, input("zone"), zone === "zone-a" ? "Tab" : "Shift+Tab");
      await page.keyboard.press("Control+a");
      await page.keyboard.type(zone);
      await page.keyboard.press("Enter");
      await page.waitForFunction(
        (zone) => [...document.querySelector('[data-field="domain"]').options].some((one) => one.value === zone),
        zone,
      );
      await tabTo(page, input("domain"));
      await page.keyboard.type(zone);
      assert.equal(await page.locator(input("domain")).inputValue(), zone);
      await tabTo(page, button("add-nodes"));
      await page.keyboard.press("Enter");
      await page.waitForSelector(`[data-zone="${zone}"] [data-node]`);
      await on.inStep(page);
    }

    await tabTo(page, input("name"));
    await page.keyboard.type("lone");
    await tabTo(page, input("pod-cpu"));
    await page.keyboard.press("Control+a");
    await page.keyboard.type("250m");
    await tabTo(page, input("kind"));
    await page.keyboard.type("Pod");
    assert.equal(await page.locator(input("kind")).inputValue(), "pod");
    await tabTo(page, button("add-pods"));
    await page.keyboard.press("Space");
    await page.waitForSelector('[data-pod="default/lone"]');
    await on.inStep(page);
    await page.keyboard.press("Escape");
    await page.locator('[data-form="add"]').waitFor({ state: "detached" });

    const { position } = await on.moment(page);
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector('[data-node] [data-pod="default/lone"][data-state="bound"]');
    await on.inStep(page);
    const frame = await on.frame(page);
    assert.equal(frame.position, position + 1);
    assert.deepEqual(frame.nodes.map((node) => node.labels["topology.kubernetes.io/zone"]), ["zone-a", "zone-b"]);
    await page.keyboard.press("ArrowLeft");
    await page.waitForSelector('[data-pod="default/lone"][data-state="pending"]');
    await on.inStep(page);
    assert.equal((await on.moment(page)).position, position);
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector('[data-pod="default/lone"][data-state="bound"]');

    // Explain tells it, and the way back to the top is open.
    await page.waitForSelector('[data-attempt="default/lone"]');
    await tabTo(page, button("new"), "Shift+Tab");
  });
});

test("undo and redo have keys, and the editor is left with the keyboard", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.waitForSelector(".cm-content");
    const nodes = await page.locator("[data-node]").count();
    await tabTo(page, button("new"));
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !document.querySelector("[data-node]"));
    await on.inStep(page);
    await page.keyboard.press("Control+z");
    await page.waitForSelector("[data-node]");
    await on.inStep(page);
    assert.equal(await page.locator("[data-node]").count(), nodes);
    await page.keyboard.press("Control+Shift+Z");
    await page.waitForFunction(() => !document.querySelector("[data-node]"));
    await on.inStep(page);

    await tabTo(page, ".cm-content");
    await tabTo(page, button("add"));
    await tabTo(page, ".cm-content", "Shift+Tab");
    await tabTo(page, button("new"), "Shift+Tab");
  });
});

test("dialogs are opened, walked and closed with the keyboard", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.keyboard.press("?");
    await page.waitForSelector(".dialog .keys");
    await page.keyboard.press("Escape");
    await page.locator(".dialog").waitFor({ state: "detached" });
    await tabTo(page, button("examples"));
    await page.keyboard.press("Enter");
    await page.locator("[data-example]").first().waitFor();
    await tabTo(page, '[data-example="taints"]');
    await page.keyboard.press("Enter");
    await page.locator(".dialog").waitFor({ state: "detached" });
    await page.waitForFunction(() => globalThis.berth.frame().title !== "A shop over three zones");
    await on.inStep(page);
  });
});

// The focus stays on the page behind the dialog.
test("a dialog takes the focus, keeps it, and gives it back", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await tabTo(page, button("examples"));
    await page.keyboard.press("Enter");
    await page.locator("[data-example]").first().waitFor();
    assert.ok(await isFocused(page, ".dialog, .dialog *"), "the dialog has the focus");
    for (let number = 0; number < 40; number += 1) {
      await page.keyboard.press("Tab");
      assert.ok(await isFocused(page, ".dialog, .dialog *"), "the dialog keeps the focus");
    }
    await page.keyboard.press("Escape");
    await page.locator(".dialog").waitFor({ state: "detached" });
    assert.ok(await isFocused(page, button("examples")), "the button has it again");
  });
});

// Whoever opens a form by keyboard has to go through the whole stage to reach it.
test("a form takes the focus, and gives it back", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await tabTo(page, button("add"));
    await page.keyboard.press("Enter");
    await page.waitForSelector('[data-form="add"]');
    assert.ok(await isFocused(page, '[data-form="add"] *'), "the form has the focus");
    await page.keyboard.press("Escape");
    await page.locator('[data-form="add"]').waitFor({ state: "detached" });
    assert.ok(await isFocused(page, button("add")), "the button has it again");
  });
});
