// On a phone-sized screen everything is reachable: nothing covers anything else.
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

/** The visible panels, with the pixel positions of their top and bottom edges. */
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

// The next panel would cover a panel without a height of its own.
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

// Bars at the top and at the bottom that do not wrap would widen the page.
test("nothing is wider than the screen", async () => {
  await started(async (page) => {
    await on.runToEnd(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= VIEWPORT.width, `the page is ${width} pixels wide`);
    await page.locator('[data-action="pending-why"]').first().click();
    const board = await page.locator(".board").boundingBox();
    assert.deepEqual([board.x, board.width], [0, VIEWPORT.width], "the board");
  });
});

test("the tabs show one panel at a time", async () => {
  await started(async (page) => {
    await on.step(page);
    const labels = async () => (await panels(page)).map((panel) => panel.name);
    assert.deepEqual(await labels(), ["Stage"]);
    // Every tab shows the result of the step.
    const verdict = page.locator(".verdictbar");
    assert.match(await verdict.textContent(), / goes to /);
    assert.ok(await verdict.isVisible());
    for (const [tab, label] of [["explain", "Explain"], ["sources", "Sources"], ["stage", "Stage"]]) {
      await page.locator(`[data-tab="${tab}"]`).tap();
      assert.deepEqual(await labels(), [label]);
      assert.equal(await page.locator("[data-tab][aria-current]").getAttribute("data-tab"), tab);
      // The page itself never scrolls: bars at the top and at the bottom stay.
      for (const bar of [".topbar", ".timeline", ".tabbar"]) assert.ok(await page.locator(bar).isVisible());
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      assert.ok(height <= VIEWPORT.height, `${tab}: ${height} pixels high`);
    }
    // A question asked on the stage opens the answer in Explain.
    const { nodes, selected } = await page.evaluate(() => globalThis.berth.explain(0));
    const { node } = nodes.find((one) => one.node !== selected);
    await on.node(page, node).locator(".node__name").tap();
    await on.action(page, "why-not").tap();
    await page.locator(`[data-why-not-answer="${node}"]`).waitFor();
    assert.deepEqual(await labels(), ["Explain"]);
  });
});

test("on a small laptop Sources opens over the stage, on a tablet Explain as well", async () => {
  for (const [width, drawers] of [[1024, ["sources"]], [800, ["sources", "explain"]]]) {
    await withPage(
      async (page) => {
        await on.started(page);
        const names = async () => (await panels(page)).map((panel) => panel.name).sort();
        const before = await names();
        const shown = (name) => names().then((all) => all.includes(name));
        for (const drawer of ["sources", "explain"]) {
          const button = page.locator(`[data-drawer="${drawer}"]`);
          assert.equal(await button.isVisible(), drawers.includes(drawer), `${width}: ${drawer}`);
          if (!drawers.includes(drawer)) continue;
          const name = await button.textContent();
          assert.ok(!(await shown(name)));
          await button.click();
          assert.ok(await shown(name));
          assert.equal(await button.getAttribute("aria-expanded"), "true");
          await button.click();
          assert.deepEqual(await names(), before);
          await button.click();
          await page.keyboard.press("Escape");
          await page.waitForFunction((drawer) => !document.querySelector(`.app--${drawer}`), drawer);
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `the page is ${wide} pixels wide`);
      },
      { viewport: { width, height: 768 } },
    );
  }
});

test("nodes and Pods are chosen by touch", async () => {
  await started(async (page) => {
    await on.runToEnd(page);
    await on.pod(page, "default/report").first().tap();
    await page.waitForSelector('[data-attempt="default/report"]', { state: "attached" });
    await on.node(page, "node-a1").locator(".node__name").tap();
    await page.waitForSelector('[data-selected="1"]');
  });
});
