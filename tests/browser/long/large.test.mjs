// A large cluster: the page keeps drawing while the engine reads and runs it, and the page's own
// work comes in short tasks.
//
// BERTH_LARGE=NODESxPODS changes the size; on a slow machine BERTH_STRICT=2 allows tasks twice as long.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "../harness.mjs";
import { cluster, open } from "../cluster.mjs";
import { run, tasks } from "../speed.mjs";
import * as on from "../steps.mjs";

const [NODES, PODS] = (process.env.BERTH_LARGE ?? "5000x10000").split("x").map(Number);
const TIMEOUT = 600_000;
const LONG_MS = 50;
const ALLOWED_MS = LONG_MS * (Number(process.env.BERTH_STRICT ?? 0) || 1);
/**
 * Number of rounds; the best counts, since the browser still compiles code in the first. Other load on the
 * machine slows the page's threads as well, so a run that is too slow gets some more rounds.
 */
const ROUNDS = { least: 2, most: 4 };

/** Makes the page record its frames and long tasks, as its users would see them. */
const watch = (page) =>
  page.evaluate(() => {
    const seen = (globalThis.seen = { longest: 0, frames: 0, positions: new Set() });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
    }).observe({ type: "longtask" });
    const draw = () => {
      seen.frames += 1;
      seen.positions.add(document.querySelector("[data-position]").dataset.position);
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  });

/** Returns and resets the record. */
const seen = (page) =>
  page.evaluate(() => {
    const { longest, frames, positions } = globalThis.seen;
    Object.assign(globalThis.seen, { longest: 0, frames: 0, positions: new Set() });
    return { longest: Math.round(longest), frames, positions: positions.size };
  });

test(`${NODES} nodes and ${PODS} Pods: the page goes on drawing`, { timeout: TIMEOUT }, async (t) => {
  await withPage(async (page, _, { context }) => {
    page.setDefaultTimeout(TIMEOUT);
    await on.started(page);
    await watch(page);
    const longest = new Map();
    const measure = async (phase, body) => {
      await seen(page);
      const all = await tasks(page, context, body);
      const found = await seen(page);
      const [worst] = all;
      const long = all.filter((worked) => worked > LONG_MS).length;
      t.diagnostic(
        `${phase}: longest task worked ${Math.round(worst)} ms, ${long} of ${all.length} above ${LONG_MS} ms; ` +
          `on the clock ${found.longest} ms; ${found.frames} frames`,
      );
      longest.set(phase, Math.min(longest.get(phase) ?? Infinity, worst));
      return found;
    };

    const isShort = () => longest.size > 0 && [...longest.values()].every((worked) => worked <= ALLOWED_MS);
    for (let round = 0; round < ROUNDS.least || (round < ROUNDS.most && !isShort()); round += 1) {
      const title = `A large cluster, ${round}`;
      const opening = await measure("opening", () => open(page, cluster(title, NODES, PODS), title));
      assert.ok(opening.frames >= 3, `${opening.frames} frames while the manifests were read`);

      // `globalThis.berth` is not used here: it would do all the work again, in the page's own thread.
      const beginning = await on.moment(page);
      const running = await measure("running", async () => {
        await run(page, PODS);
        await page.waitForSelector('[data-attempt="default/huge"]');
        await page.waitForSelector("[data-reason], [data-cell]");
      });
      assert.ok(running.frames >= 10, `${running.frames} frames while the run went on`);
      assert.ok(running.positions >= 3, `${running.positions} positions were drawn on the way`);

      await measure("all rows", async () => {
        // They stay once they were asked for.
        if ((await on.action(page, "all-rows").count()) > 0) await on.action(page, "all-rows").click();
        await page.waitForSelector("[data-cell]");
      });
      const rows = await page.locator(".matrix tbody tr").count();
      assert.ok(rows > 0 && rows <= 300, `${rows} rows of the matrix are in the DOM`);
      t.diagnostic(`${await page.locator("*").count()} elements, ${await page.locator("[data-node]").count()} nodes in the DOM`);
      await measure("explaining", async () => {
        await page.locator("[data-cell]").first().click();
        await page.waitForSelector("[data-arithmetic]");
      });

      await measure("back and to the start", async () => {
        await on.action(page, "step-back").click();
        await page.waitForFunction(() => !document.querySelector('[data-action="run"]').disabled);
        await on.action(page, "reset").click();
        await page.waitForSelector('[data-position="0"]', { state: "attached" });
      });
      assert.deepEqual(await on.moment(page), beginning);
    }
    for (const [phase, worked] of longest) {
      assert.ok(worked <= ALLOWED_MS, `${phase}: a task worked ${Math.round(worked)} ms at best`);
    }
  }, { motion: true });
});
