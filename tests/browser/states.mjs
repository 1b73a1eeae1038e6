// States of the page that tests go through one after the other: accessibility, languages.
import assert from "node:assert/strict";
import * as on from "./steps.mjs";

/** Clicks a button even if its part of the page is not visible. */
export const press = (page, name) => on.action(page, name).first().evaluate((button) => button.click());

/** Each state of the page to check, and how to reach it from the previous one. */
export const STATES = [
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
    "the smallest case",
    async (page) => {
      await press(page, "reduce");
      await page.locator('[data-case="done"]').waitFor({ state: "attached", timeout: 60_000 });
    },
  ],
  [
    "the form to add",
    async (page) => {
      await press(page, "close-case");
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
    "what one can take away",
    async (page) => {
      await press(page, "close");
      await press(page, "export");
      await page.locator(".exports").waitFor();
    },
  ],
  [
    "the link to share",
    async (page) => {
      await press(page, "close");
      await press(page, "share");
      await on.field(page, "link").waitFor();
    },
  ],
  [
    "what embeds it",
    async (page) => {
      await page.locator('[data-share="embed"]').click();
      await on.field(page, "snippet").waitFor();
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
