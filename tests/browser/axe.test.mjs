// axe-core finds no serious or critical accessibility violation, in light and dark, at desktop and
// phone size.
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** The rules that are broken, with the elements that break them. */
async function violations(page) {
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ["violations"], reporter: "v2" }),
  );
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return grave.map(({ id, impact, nodes }) => ({
    rule: `${id} (${impact})`,
    where: nodes.map(({ target, any, all, none }) => {
      const reason = [...any, ...all, ...none].map((check) => check.message)[0] ?? "";
      return `${target.join(" ")}: ${reason}`;
    }),
  }));
}

/** Clicks a button even if its part of the page is not visible. */
const press = (page, name) => on.action(page, name).first().evaluate((button) => button.click());

/** Each state of the page to check, and how to reach it from the previous one. */
const STATES = [
  ["the start", async () => {}],
  [
    "a failed attempt with fixes and an open cell",
    async (page) => {
      await press(page, "run");
      await page.waitForFunction(() => document.querySelector('[data-action="run"]').disabled);
      await on.pod(page, "default/report").first().evaluate((pod) => pod.click());
      await page.waitForSelector('[data-attempt="default/report"]', { state: "attached" });
      await page.waitForSelector('[data-fixes][data-done="true"]', { state: "attached", timeout: 60_000 });
      assert.ok((await page.locator("[data-fix]").count()) > 0);
      const cell = page.locator('[data-cell$="/NodeResourcesFit"][data-verdict="Unschedulable"]').first();
      await cell.evaluate((cell) => cell.click());
      await page.waitForSelector("[data-arithmetic]", { state: "attached" });
    },
  ],
  [
    "the form to add",
    async (page) => {
      await press(page, "add");
      await page.locator('[data-form="add"]').waitFor({ state: "attached" });
    },
  ],
  [
    "a node's form",
    async (page) => {
      await press(page, "close-form");
      await on.node(page, "cp-1").locator('[data-action="edit-node"]').evaluate((button) => button.click());
      await page.locator('[data-form="cp-1"]').waitFor({ state: "attached" });
    },
  ],
  [
    "the scheduler's form with a refusal",
    async (page) => {
      await press(page, "close-form");
      await press(page, "scheduler");
      const sources = page.locator('[data-tab="sources"]');
      if (await sources.isVisible()) await sources.click();
      const name = page.locator('[data-form="scheduler"] [data-field="AddProfile"]');
      await name.fill("default-scheduler");
      await name.press("Enter");
      await page.locator('[data-form="scheduler"] [role="alert"]').waitFor();
    },
  ],
  [
    "a fork",
    async (page) => {
      await press(page, "close-scheduler");
      await press(page, "try-fix");
      await page.locator("[data-fork]").waitFor({ state: "attached" });
      await on.inStep(page);
    },
  ],
  [
    "the keys",
    async (page) => {
      await press(page, "help");
      await page.locator(".dialog .keys").waitFor();
    },
  ],
  [
    "the examples",
    async (page) => {
      await press(page, "close");
      await press(page, "examples");
      await page.locator("[data-example]").first().waitFor();
    },
  ],
  [
    "a cluster that lives, with the terminal open",
    async (page) => {
      await press(page, "close");
      const sources = page.locator('[data-tab="sources"]');
      if (await sources.isVisible()) await sources.click();
      await page.locator('[data-source="terminal"]').click();
      const line = on.field(page, "terminal");
      for (const text of ["kubectl scale deployment web --replicas=4", "kubectl gett nodes"]) {
        await line.fill(text);
        await line.press("Enter");
        await page.locator(`[data-printed="${text}"]`).waitFor();
      }
      await line.fill("kubectl get p");
      await line.press("Tab");
      await page.locator("[data-choices] button").first().waitFor();
      await on.runToEnd(page);
      await page.locator(".happened").evaluate((fold) => (fold.open = true));
    },
  ],
  [
    "an object in the terminal's editor",
    async (page) => {
      const sources = page.locator('[data-tab="sources"]');
      if (await sources.isVisible()) await sources.click();
      await on.field(page, "terminal").fill("kubectl edit node cp-1");
      await on.field(page, "terminal").press("Enter");
      await page.locator('[data-dialog="edit"]').waitFor();
    },
  ],
];

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of SIZES) {
    test(`${colorScheme}, ${viewport.width}×${viewport.height}`, { timeout: 300_000 }, async (t) => {
      // axe-core is injected into the page, which the released page's policy forbids. Reduced motion
      // keeps it from checking colors in mid-transition.
      const contextOptions = { colorScheme, reducedMotion: "reduce", bypassCSP: true };
      await withPage(
        async (page) => {
          await on.started(page);
          await page.waitForSelector(".cm-content", { state: "attached" });
          await page.evaluate(axe.source);
          for (const [name, reach] of STATES) {
            await reach(page);
            // A phone shows one panel at a time, unless a dialog covers them.
            const tabs = page.locator("[data-tab]");
            const isPhone = (await tabs.first().isVisible()) && (await page.locator(".veil, .gallery, [aria-modal=true]").count()) === 0;
            for (const tab of isPhone ? await tabs.all() : [null]) {
              const panel = await tab?.getAttribute("data-tab");
              await tab?.click();
              await t.test(panel ? `${name}: ${panel}` : name, async () => {
                assert.deepEqual(await violations(page), []);
              });
            }
          }
        },
        { viewport, contextOptions },
      );
    });
  }
}
