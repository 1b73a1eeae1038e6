// A run on a hundred cards: each frame redraws only some of them, so that no task of the page is long, and in the end
// all of them are drawn. The tasks are printed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import { cluster, open } from "./cluster.mjs";
import { run, tasks } from "./speed.mjs";
import * as on from "./steps.mjs";

const [NODES, PODS] = [100, 600];
/** Cards that a task may redraw: twice `A_FRAME` of `stage/cards.rs`, as a frame may begin within it. */
const A_TASK = 20;
const LONG_MS = 50;

test("a run redraws a few cards a task, and all of them by its end", { timeout: 300_000 }, async (t) => {
  await withPage(async (page, _, { context }) => {
    await on.started(page);
    await open(page, cluster("sliced", NODES, PODS), "sliced");
    await page.waitForFunction((nodes) => document.querySelectorAll("[data-node] .quay").length === nodes, NODES);
    await page.evaluate(() => {
      globalThis.redrawn = [];
      // The observer is called once for all that a task has changed.
      new MutationObserver((records) => {
        const cards = records.map(({ target }) => {
          const element = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
          return element?.closest(".node");
        });
        const count = new Set(cards.filter(Boolean)).size;
        if (count > 0) redrawn.push(count);
      }).observe(document.querySelector(".stage"), { subtree: true, childList: true, attributes: true, characterData: true });
    });
    const all = await tasks(page, context, async () => {
      await run(page, PODS);
      await on.cardsDrawn(page);
    });
    const redrawn = await page.evaluate(() => globalThis.redrawn);
    const long = all.filter((worked) => worked > LONG_MS).length;
    t.diagnostic(
      `${long} of ${all.length} tasks above ${LONG_MS} ms, the longest ${all.slice(0, 4).map(Math.round).join(", ")} ms; ` +
        `${redrawn.length} tasks redrew up to ${Math.max(...redrawn)} cards`,
    );
    assert.ok(Math.max(...redrawn) <= A_TASK, `${Math.max(...redrawn)} cards in one task`);
    // A run shows the cluster at its end; a step shows its verdicts.
    await on.does(page, "step-back");
    await on.step(page);
    const { bound, nodes } = await page.evaluate(() => ({
      bound: document.querySelectorAll(".quay > .pod[data-pod], .quay .sliver .pod[data-pod]").length,
      nodes: document.querySelectorAll(".node.node--rejected").length,
    }));
    assert.equal(bound, PODS - 1, "every Pod but the last is on a card");
    assert.equal(nodes, NODES, "every card has the last verdict");
  }, { motion: true });
});
