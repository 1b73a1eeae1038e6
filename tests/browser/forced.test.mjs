// Forced colours keep every meaning, and nothing is cut at 200 % zoom.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

/** The background that the browser really paints. */
const painted = (page, selector, pseudo) =>
  page.locator(selector).first().evaluate((element, pseudo) => {
    const { backgroundColor } = getComputedStyle(element, pseudo);
    return backgroundColor;
  }, pseudo);

test("forced colours show what is on, how full a node is and where the run is", async () => {
  await withPage(
    async (page) => {
      await on.started(page);
      await on.runToEnd(page);
      const canvas = await painted(page, "body");
      const differs = async (selector, pseudo) => {
        const color = await painted(page, selector, pseudo);
        assert.ok(color !== canvas && color !== "rgba(0, 0, 0, 0)", `${selector}: ${color} on ${canvas}`);
      };
      await differs('.seg [aria-checked="true"]');
      await differs(".node .bar", "::before");
      await differs(".playhead");
      await differs(".ruler__done");
      await differs(".dot");
      await differs(".step--now", "::before");
      const tab = (selected) =>
        page.locator(`.tab[aria-selected="${selected}"]`).first().evaluate((tab) => getComputedStyle(tab).borderBottomColor);
      assert.notEqual(await tab(true), await tab(false));
    },
    { contextOptions: { forcedColors: "active" } },
  );
});

test("forced colours keep the patterns of owners, and the nominated node", async () => {
  await withPage(
    async (page) => {
      await on.started(page);
      await on.runToEnd(page);
      const patterns = await page.locator(".quay > .pod[data-pod]").evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundImage));
      assert.ok(new Set(patterns).size > 1 && !patterns.includes("none"), JSON.stringify(patterns));
      const ring = await page.locator(".node").first().evaluate((node) => {
        node.className = "node node--nominated";
        return getComputedStyle(node).outlineStyle;
      });
      assert.equal(ring, "solid");
    },
    { contextOptions: { forcedColors: "active" } },
  );
});

test("nothing is cut in a window of 720 × 450", async () => {
  await withPage(
    async (page) => {
      await on.started(page);
      await on.step(page);
      const outside = await page.locator(".topbar *, .timeline *").evaluateAll((all) =>
        all
          .filter((element) => element.checkVisibility() && !element.closest(".visually-hidden, .ruler"))
          .map((element) => [element.className || element.tagName, element.getBoundingClientRect()])
          .filter(([, { left, right, width }]) => width > 1 && (left < -1 || right > innerWidth + 1))
          .map(([name, { right }]) => `${name} to ${right}`),
      );
      assert.deepEqual(outside, []);
      const numbers = await page.locator(".ruler__t").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
      assert.ok(numbers.length > 3 && numbers.every((bottom) => bottom <= 450), `the ruler's numbers end at ${numbers}`);
      assert.ok(await page.locator(".timeline__event").isVisible());
      const stage = await page.locator(".stage__body").boundingBox();
      assert.ok(stage.height > 450 * 0.4, `${stage.height} px are the stage`);
      // The bars give way, not the numbers.
      const shown = await page.locator(".node .meters").first().evaluate((meters) => {
        const seen = (selector) => [...meters.querySelectorAll(selector)].filter((one) => one.checkVisibility() && one.clientWidth > 0);
        return { numbers: seen(".v").map((one) => one.textContent), bars: seen(".bar").length };
      });
      assert.equal(shown.bars, 0);
      assert.ok(shown.numbers.length >= 3 && shown.numbers.every((text) => /\d/.test(text)), JSON.stringify(shown));
    },
    { viewport: { width: 720, height: 450 } },
  );
});
