// axe-core finds no serious or critical accessibility violation, in light and dark, at desktop and
// phone size.
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { withPage } from "../harness.mjs";
import { STATES } from "../states.mjs";
import * as on from "../steps.mjs";

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

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of SIZES) {
    test(`${colorScheme}, ${viewport.width}×${viewport.height}`, { timeout: 300_000 }, async (t) => {
      // axe-core is injected into the page, which the released page's policy forbids.
      const contextOptions = { colorScheme, bypassCSP: true };
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
