// Two runs of a large cluster are compared in short tasks.
//
// BERTH_LARGE=NODESxPODS changes the size; on a slow machine BERTH_STRICT=2 allows tasks twice as long.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cluster, open } from "../cluster.mjs";
import { choose, done, entriesAre } from "../compare.mjs";
import { withPage } from "../harness.mjs";
import { tasks } from "../speed.mjs";
import * as on from "../steps.mjs";

const [NODES, PODS] = (process.env.BERTH_LARGE ?? "5000x10000").split("x").map(Number);
const LONG_MS = 50;
const ALLOWED_MS = LONG_MS * (Number(process.env.BERTH_STRICT ?? 0) || 1);
const TIMEOUT = 600_000;
const ROUNDS = { least: 2, most: 4 };

test(`${NODES} nodes and ${PODS} Pods are compared without a long task`, { timeout: TIMEOUT }, async (t) => {
  await withPage(async (page, _, { context }) => {
    page.setDefaultTimeout(TIMEOUT);
    await on.started(page);
    await open(page, cluster("A large cluster", NODES, PODS), "A large cluster");
    const longest = new Map();
    const measure = async (phase, body) => {
      const all = await tasks(page, context, body);
      t.diagnostic(`${phase}: longest task worked ${Math.round(all[0])} ms`);
      longest.set(phase, Math.min(longest.get(phase) ?? Infinity, all[0]));
    };
    const isShort = () => longest.size > 0 && [...longest.values()].every((worked) => worked <= ALLOWED_MS);
    for (let round = 0; round < ROUNDS.least || (round < ROUNDS.most && !isShort()); round += 1) {
      await measure("comparing", async () => {
        await choose(page, "configurations", (form) => form.locator('[name="preset"]').selectOption("packing"));
        await page.waitForSelector('[data-compare="running"]');
        await done(page, TIMEOUT);
        await page.waitForSelector(".moves__why b");
      });
      await measure("choosing a Pod", async () => {
        await page.locator("[data-moved] button").first().click();
        await page.waitForSelector("[data-duel]");
      });
      await measure("moving both", async () => {
        await on.action(page, "step-back").click();
        await page.waitForFunction(() => !document.querySelector('[data-action="run"]').disabled);
        await on.action(page, "reset").click();
        await entriesAre(page, 0, 0);
      });
      await on.action(page, "leave-compare").click();
      await on.inStep(page);
    }
    // A comparison that is cancelled leaves no trace.
    await choose(page, "seeds");
    await on.action(page, "cancel-compare").click();
    await on.inStep(page);
    for (const [phase, worked] of longest) {
      assert.ok(worked <= ALLOWED_MS, `${phase}: a task worked ${Math.round(worked)} ms at best`);
    }
  }, { motion: true });
});
