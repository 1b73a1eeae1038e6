// Every cell of the matrix and every number of the score table is the core's, on three scenarios
// whose decisions were compared with kube-scheduler's.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const SCENARIOS = ["two-hard-spreads", "taint-and-room", "ties"];

/** What a cell must say of a plugin and a node. */
function verdict(cycle, report, plugin) {
  if (!report.verdict) return "NotExamined";
  if (report.verdict.code !== "Success" && report.verdict.plugin === plugin) return report.verdict.code;
  const failure = report.failures.find((one) => one.plugin === plugin);
  if (failure) return failure.code;
  return cycle.preFilter.skipped.includes(plugin) ? "Skipped" : "Success";
}

const shownMatrix = (page) =>
  page.locator("[data-cell]").evaluateAll((cells) =>
    Object.fromEntries(cells.map(({ dataset }) => [dataset.cell, dataset.verdict])),
  );

const shownTotals = (page) =>
  page.locator("[data-score]").evaluateAll((cells) =>
    Object.fromEntries(cells.map(({ dataset, textContent }) => [dataset.score, [dataset.total, textContent]])),
  );

/** The table of raw, normalized and weighted scores, by node and plugin. */
const shownScores = (page) =>
  page.locator("table.scores").evaluateAll(([table]) => {
    if (!table) return {};
    const nodes = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.title);
    const rows = [...table.tBodies[0].rows];
    const totals = [...table.tFoot.rows[0].cells].slice(1).map((cell) => cell.textContent);
    return Object.fromEntries(
      nodes.map((node, column) => {
        const cells = rows.map((row) => {
          const cell = row.cells[column + 1];
          const weighted = cell.querySelector("b").textContent;
          return [row.cells[0].title, `${weighted} ${cell.querySelector("small").textContent}`];
        });
        return [node, { ...Object.fromEntries(cells), Total: totals[column] }];
      }),
    );
  });

function expectedScores(cycle) {
  const scores = cycle.scores ?? [];
  return Object.fromEntries(
    scores.map((score) => {
      const plugins = score.plugins.map((one) => [one.plugin, `${one.weighted} ${one.raw}→${one.normalized}`]);
      return [score.node, { ...Object.fromEntries(plugins), Total: String(score.total) }];
    }),
  );
}

async function compare(page, position) {
  const cycle = await page.evaluate((at) => globalThis.berth.explain(at), position);
  await page.waitForFunction(
    (pod) => document.querySelector("[data-attempt]")?.dataset.attempt === pod,
    cycle.pod,
  );
  const wanted = {};
  for (const report of cycle.nodes) {
    for (const plugin of cycle.filterPlugins) {
      wanted[`${report.node}/${plugin}`] = verdict(cycle, report, plugin);
    }
  }
  // Explain may come a moment after the step.
  await page
    .waitForFunction((wanted) => {
      const cells = [...document.querySelectorAll("[data-cell]")];
      const count = Object.keys(wanted).length;
      return cells.length === count && cells.every(({ dataset }) => wanted[dataset.cell] === dataset.verdict);
    }, wanted, { timeout: 10_000 })
    .catch(() => {});
  assert.deepEqual(await shownMatrix(page), wanted);
  const totals = (cycle.scores ?? []).map((score) => [score.node, [String(score.total), String(score.total)]]);
  assert.deepEqual(await shownTotals(page), Object.fromEntries(totals));
  assert.deepEqual(await shownScores(page), expectedScores(cycle));
  const messages = await page.locator("[data-message]").allTextContents();
  assert.deepEqual(messages, cycle.message === null || cycle.message === undefined ? [] : [cycle.message]);
  return cycle;
}

const cycles = {};

for (const scenario of SCENARIOS) {
  test(`every attempt of ${scenario} is shown as the core tells it`, async () => {
    const yaml = await readFile(new URL(`scenarios/${scenario}.yaml`, import.meta.url), "utf8");
    await withPage(async (page) => {
      await on.started(page);
      await on.open(page, yaml);
      cycles[scenario] = [];
      while (await on.action(page, "step").isEnabled()) {
        await on.step(page);
        const { position } = await on.moment(page);
        cycles[scenario].push(await compare(page, position - 1));
      }
      // Once more, from behind: what is shown then is the attempt before.
      const { position } = await on.moment(page);
      for (let at = position - 1; at > 0; at -= 1) {
        await on.does(page, "step-back");
        await compare(page, at - 1);
      }
    });
  });
}

test("the scenarios show what they are there for", () => {
  const all = Object.values(cycles).flat();
  const rejects = (plugin) => all.some(({ nodes }) => nodes.some((one) => one.failures.some((two) => two.plugin === plugin)));
  for (const plugin of ["PodTopologySpread", "TaintToleration", "NodeResourcesFit"]) assert.ok(rejects(plugin), plugin);
  assert.ok(all.some((cycle) => cycle.tieBreak?.among > 1));
  assert.ok(all.some((cycle) => cycle.scores?.length > 1));
});
