// A first visit plays its own opening: something is placed at once, and any key or click takes over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import { slowness } from "./speed.mjs";
import * as on from "./steps.mjs";

const line = (page) => page.locator("[data-opening]");
const ended = (page) => page.locator('[data-opening="true"]');

test("it places three Pods, stops, and says what to press", { timeout: 60_000 }, async () => {
  await withPage(
    async (page) => {
      await page.locator('[data-opening="false"]').waitFor();
      await ended(page).waitFor();
      await on.started(page);
      assert.equal((await on.moment(page)).position, 3);
      assert.match(await ended(page).innerText(), /This is kube-scheduler.*7 more wait\. Press → to place the next/s);
      assert.equal(await on.action(page, "play").getAttribute("aria-label"), "Play");
      await page.keyboard.press("ArrowRight");
      await line(page).waitFor({ state: "detached" });
      await on.inStep(page);
      assert.equal((await on.moment(page)).position, 4);
      // A returning visitor is where they were.
      await page.waitForTimeout(700);
      await page.reload({ waitUntil: "load" });
      await on.started(page);
      assert.equal((await on.moment(page)).position, 4);
      await page.waitForTimeout(1500);
      assert.equal(await line(page).count(), 0);
      assert.equal((await on.moment(page)).position, 4);
    },
    { opening: true, motion: true },
  );
});

for (const [what, take] of [
  ["a key", (page) => page.keyboard.press("Shift")],
  ["a click", (page) => page.mouse.click(700, 300)],
]) {
  test(`${what} takes over`, { timeout: 60_000 }, async () => {
    await withPage(
      async (page) => {
        await page.locator('[data-opening="false"]').waitFor();
        await take(page);
        await page.locator('[data-opening="false"]').waitFor({ state: "detached" });
        await on.started(page);
        const { position } = await on.moment(page);
        assert.ok(position < 3, String(position));
        await page.waitForTimeout(1500);
        assert.equal((await on.moment(page)).position, position);
      },
      { opening: true, motion: true },
    );
  });
}

test("without motion it shows its end", { timeout: 60_000 }, async () => {
  await withPage(
    async (page) => {
      await ended(page).waitFor();
      await on.started(page);
      assert.equal((await on.moment(page)).position, 3);
    },
    { opening: true },
  );
});

test("something is placed soon after the first paint", { timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.addInitScript(() => {
        new MutationObserver((_, observer) => {
          if (!document.querySelector("[data-node] [data-pod]")) return;
          observer.disconnect();
          requestAnimationFrame(() => performance.mark("placed"));
        }).observe(document, { childList: true, subtree: true });
        addEventListener("TrunkApplicationStarted", () => performance.mark("started"));
      });
      await page.goto(url);
      await ended(page).waitFor();
      const times = await page.evaluate(() => {
        const at = (entries) => entries[0]?.startTime ?? Number.NaN;
        const loaded = (ending) => performance.getEntriesByType("resource").find(({ name }) => name.endsWith(ending))?.responseEnd;
        return {
          "the page's WebAssembly is there": loaded("_bg.wasm"),
          "it is compiled and has started": at(performance.getEntriesByName("started")),
          "first paint": at(performance.getEntriesByName("first-contentful-paint")),
          "first Pod placed": at(performance.getEntriesByName("placed")),
        };
      });
      for (const [what, time] of Object.entries(times)) console.log(`${Math.round(time).toString().padStart(6)} ms  ${what}`);
      const [paint, placed] = [times["first paint"], times["first Pod placed"]];
      const { slow } = await slowness(page, async () => {});
      assert.ok((placed - paint) / slow < 1000, `${placed} ms, ${paint} ms, on a machine ${slow} times slower`);
    },
    { opening: true, motion: true, path: null },
  );
});
