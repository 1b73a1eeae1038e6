// On a screen as large as a phone's everything is in reach: nothing lies over anything else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const VIEWPORT = { width: 390, height: 844 };

const started = (body) =>
  withPage(
    async (page) => {
      await on.started(page);
      await body(page);
    },
    { viewport: VIEWPORT, contextOptions: { hasTouch: true, reducedMotion: "reduce" } },
  );

/** The panels that are shown, with their first and last line of pixels. */
const panels = (page) =>
  page.locator(".app > .panel").evaluateAll((all) =>
    all
      .filter((panel) => panel.checkVisibility())
      .map((panel) => {
        const inside = [panel, ...panel.children].map((one) => one.getBoundingClientRect());
        return {
          name: panel.getAttribute("aria-label"),
          top: Math.min(...inside.map((one) => one.top)),
          bottom: Math.max(...inside.map((one) => one.bottom)),
        };
      })
      .sort((one, other) => one.top - other.top),
  );

// The stage keeps no height of its own, so Explain is drawn over it.
test("the panels lie below each other", async () => {
  await started(async (page) => {
    for (const run of [false, true]) {
      if (run) await on.runToEnd(page);
      const shown = await panels(page);
      for (const [index, panel] of shown.entries()) {
        const before = shown[index - 1];
        assert.ok(!before || panel.top >= before.bottom - 1, `${panel.name} lies over ${before?.name}`);
      }
    }
  });
});

// The bars at the top and at the bottom do not wrap.
test("nothing is wider than the screen", async () => {
  await started(async (page) => {
    await on.runToEnd(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= VIEWPORT.width, `the page is ${width} pixels wide`);
  });
});

test("nodes and Pods are chosen by touch", async () => {
  await started(async (page) => {
    await on.runToEnd(page);
    await on.pod(page, "default/report").first().tap();
    await page.waitForSelector('[data-attempt="default/report"]');
    await on.node(page, "node-a1").locator(".node__name").tap();
    await page.waitForSelector('[data-selected="1"]');
  });
});
