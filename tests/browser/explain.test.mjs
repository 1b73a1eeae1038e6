// Compares every cell of the matrix and every number of the score table with the core, on three
// scenarios whose decisions were compared with kube-scheduler's.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { withManifests, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const SCENARIOS = ["two-hard-spreads", "taint-and-room", "ties"];

/** The verdict that the cell of a plugin and a node must show. */
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
          return [row.cells[0].dataset.plugin, `${weighted} ${cell.querySelector("small").textContent}`];
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
  // Explain may be drawn a moment after the step.
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
    await withManifests(yaml, async (page) => {
      cycles[scenario] = [];
      while (await on.action(page, "step").isEnabled()) {
        await on.step(page);
        const { position } = await on.moment(page);
        cycles[scenario].push(await compare(page, position - 1));
      }
      // Again, backwards: after a step back, the page shows the attempt before.
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

/** Asks why the Pod is not on the node, and waits for the answer. */
async function whyNot(page, node) {
  await on.field(page, "why-not").fill(node);
  const answer = page.locator(`[data-why-not-answer="${node}"]`);
  await answer.waitFor();
  return answer.textContent();
}

/** The numbers and names from the core's record of a node that the answer must contain. */
function expectedAnswer(cycle, node) {
  if (node === cycle.selected) return [`did go to ${node}`];
  const report = cycle.nodes.find((one) => one.node === node);
  if (!report.verdict) {
    const cause = cycle.search.nominatedOnly ? "was nominated for" : cycle.preFilter.nodes ? "PreFilter left only" : "the search stopped";
    return [`${node} was not examined`, cause, ...report.failures.map((one) => one.plugin)];
  }
  if (report.verdict.code !== "Success") return [`${report.verdict.plugin} rejects ${node}`];
  const score = (name) => cycle.scores.find((one) => one.node === name);
  const [here, there] = [score(node), score(cycle.selected)];
  if (here.total === there.total) {
    return [` score ${here.total}`, `seed ${cycle.tieBreak.seed} picked ${cycle.selected}`];
  }
  const margins = here.plugins.map((part, index) => [part.plugin, there.plugins[index].weighted - part.weighted]);
  const parts = margins.filter(([, margin]) => margin !== 0);
  return [
    `${node} scores ${here.total}, ${there.total - here.total} less than ${cycle.selected}`,
    ...parts.map(([plugin]) => plugin),
    ...parts.map(([, margin]) => `${Math.abs(margin)} ${margin > 0 ? "less" : "more"}`),
  ];
}

const answers = [];

for (const scenario of [...SCENARIOS, "default"]) {
  test(`"why not" is answered for every node of ${scenario}`, async () => {
    const yaml = await readFile(new URL(`scenarios/${scenario}.yaml`, import.meta.url), "utf8").catch(() => null);
    await withPage(async (page) => {
      await on.started(page);
      if (yaml) await on.open(page, yaml);
      const before = answers.length;
      while ((await on.action(page, "step").isEnabled()) && answers.length < before + 24) {
        await on.step(page);
        const { position } = await on.moment(page);
        const cycle = await compare(page, position - 1);
        // An unschedulable Pod gets fixes instead.
        assert.equal(await on.field(page, "why-not").count(), cycle.selected ? 1 : 0);
        if (!cycle.selected) continue;
        for (const { node } of cycle.nodes) {
          const answer = await whyNot(page, node);
          for (const part of expectedAnswer(cycle, node)) assert.ok(answer.includes(part), `${part} in: ${answer}`);
          answers.push(answer);
        }
      }
    });
  });
}

test("every kind of answer was given", () => {
  for (const kind of [/did go to/, / rejects .*, as it /, / less than .*: .* gives it/, /seed \d+ picked/]) {
    assert.ok(answers.some((answer) => kind.test(answer)), `${kind} in ${answers.length} answers`);
  }
});

test("a row of the matrix and a chosen node ask as well, and the answer follows an edit", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.step(page);
    const at = async (node) => {
      await page.locator(`[data-why-not-answer="${node}"]`).waitFor();
      assert.equal(await on.field(page, "why-not").inputValue(), node);
    };
    await page.locator(".sect__head", { hasText: "Filter" }).click();
    const first = await page.locator("[data-why-not]").first().getAttribute("data-why-not");
    await page.locator("[data-why-not]").first().click();
    await at(first);
    // By keyboard: from the first verdict to the row's name.
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.activeElement.dataset.cell);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    const second = await page.evaluate(() => document.activeElement.dataset.whyNot);
    await page.keyboard.press("Enter");
    await at(second);

    const { nodes, selected } = await page.evaluate(() => globalThis.berth.explain(0));
    const other = nodes.map((one) => one.node).find((node) => ![first, second, selected].includes(node));
    await on.node(page, other).locator(".node__name").click();
    await on.action(page, "why-not").click();
    await at(other);

    // The Pod's own node does not offer the question.
    await on.node(page, selected).locator(".node__name").click();
    assert.equal(await on.action(page, "why-not").count(), 0);
    // Part of a name is enough, and an unknown name is refused.
    await on.field(page, "why-not").fill(other.slice(1));
    await page.keyboard.press("Enter");
    await at(other);
    await on.field(page, "why-not").fill("nowhere");
    await page.keyboard.press("Enter");
    await on.notice(page).waitFor();
    assert.match(await on.notice(page).textContent(), /no node nowhere/);
  });
});

/** Nodes, every third of them tainted, and a Pod that fits nowhere. */
function crowd(count) {
  const documents = Array.from({ length: count }, (_, number) =>
    `apiVersion: v1\nkind: Node\nmetadata: {name: n-${number}}\n` +
    `spec: ${number % 3 === 0 ? "{taints: [{key: gpu, effect: NoSchedule}]}" : "{}"}\n` +
    'status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}\n');
  documents.push(
    "apiVersion: v1\nkind: Pod\nmetadata: {name: huge}\n" +
      "spec: {containers: [{name: main, image: a, resources: {requests: {cpu: 64}}}]}\n",
  );
  return documents.join("---\n");
}

test("what the matrix is searched for takes no verdict from the stage", async () => {
  await withManifests(crowd(15), async (page) => {
    await on.step(page);
    await page.waitForSelector('[data-attempt="default/huge"]');
    const rejected = page.locator("[data-node].node--rejected");
    assert.equal(await rejected.count(), 15);
    const rows = page.locator('.matrix th[scope="row"]');
    assert.equal(await rows.count(), 15);
    const find = page.getByRole("searchbox");
    await find.fill("insufficient");
    await page.waitForFunction(() => document.querySelectorAll('.matrix th[scope="row"]').length === 10);
    assert.equal(await rejected.count(), 15);
    await find.fill("n-14");
    await page.waitForFunction(() => document.querySelectorAll('.matrix th[scope="row"]').length === 1);
    assert.equal(await page.locator("[data-cell]").first().getAttribute("data-cell"), "n-14/NodeUnschedulable");
    assert.equal(await rejected.count(), 15);
    await find.fill("nowhere");
    await page.waitForFunction(() => document.querySelectorAll('.matrix th[scope="row"]').length === 0);
    assert.equal(await rejected.count(), 15);
  });
});

test("reasons stand for the rows of a large cluster until they are asked for", async () => {
  await withManifests(crowd(240), async (page) => {
    await on.step(page);
    await page.waitForSelector('[data-attempt="default/huge"]');
    const rows = page.locator('.matrix th[scope="row"]');
    const reasons = page.locator("[data-reason]");
    await reasons.first().waitFor();
    assert.equal(await rows.count(), 0);
    assert.match(await reasons.first().innerText(), /^160\s+Insufficient cpu\s+NodeResourcesFit\s+n-\d+ \+159 like it$/);
    await reasons.first().locator("button").click();
    await rows.first().waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), "Insufficient cpu");
    await page.getByRole("searchbox").fill("");
    await reasons.first().waitFor();
    assert.equal(await rows.count(), 0);
    await on.action(page, "all-rows").click();
    await rows.first().waitFor();
    assert.equal(await reasons.count(), 0);
  });
});

test("far away, every node tells its verdict, plugin by plugin", async () => {
  await withManifests(crowd(240), async (page) => {
    const current = page.locator('.far__list [role="option"][aria-selected="true"]');
    const find = async (node) => {
      await page.keyboard.press("/");
      await page.locator('[data-field="find"]').fill(node);
      await page.keyboard.press("Enter");
      await page.waitForFunction(
        (node) => document.querySelector('.far__list [aria-selected="true"]')?.dataset.node === node,
        node,
      );
      await page.waitForFunction(() => document.activeElement.matches(".far__list"));
    };
    await find("n-231");
    await page.keyboard.press("3");
    const tells = (words) =>
      page.waitForFunction(
        (words) => document.querySelector('.far__list [aria-selected="true"]').textContent.includes(words),
        words,
      );
    // PreFilter, then plugin by plugin. The focused list handles the arrow keys, so the button steps.
    for (const words of ["feasible so far", "rejected: had untolerated taint"]) {
      for (let steps = 0; steps < 8 && !(await current.textContent()).includes(words); steps += 1) {
        await on.action(page, "step").click();
        await page.waitForTimeout(100);
      }
      await tells(words);
    }
    // Another node is rejected by a plugin that has not run yet: it is still feasible.
    await find("n-232");
    await tells("feasible so far");
    for (let steps = 0; steps < 12 && !(await current.textContent()).includes("rejected"); steps += 1) {
      await on.action(page, "step").click();
      await page.waitForTimeout(100);
    }
    await tells("rejected: Insufficient cpu");
    // Its card shows the verdict as well.
    await page.locator(".far__list").focus();
    await page.keyboard.press("Enter");
    await page.locator('.hovercard [data-node="n-232"].node--rejected', { hasText: "Insufficient cpu" }).waitFor();
  });
});

test("where no step is left, a Pod that is held back says what it waits for", async () => {
  const held = `apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: held}
spec:
  schedulingGates: [{name: example.com/quota}]
  containers: [{name: c, image: i}]
`;
  await withManifests(held, async (page) => {
    assert.match(await page.locator("[data-unexplained]").innerText(), /held waits for the gate example\.com\/quota/);
  });
});

test("a score shows its formula, its numbers and the Pods that count", async () => {
  const yaml = await readFile(new URL("scenarios/spread-score.yaml", import.meta.url), "utf8");
  await withManifests(yaml, async (page) => {
    await on.step(page);
    const { position } = await on.moment(page);
    const cycle = await page.evaluate((at) => globalThis.berth.explain(at), position - 1);
    const score = (node, plugin) =>
      cycle.scores.find((one) => one.node === node).plugins.find((one) => one.plugin === plugin);
    const arithmetic = page.locator("[data-arithmetic]");

    await page.locator('[data-scored="a/PodTopologySpread"]').click();
    await page.locator('[data-arithmetic="a/PodTopologySpread"] [data-counted]').waitFor();
    const { raw, normalized, weight, weighted } = score("a", "PodTopologySpread");
    const text = await arithmetic.textContent();
    assert.ok(text.includes("matching Pods 2 × ln(domains 3 + 2) + maxSkew 1 − 1"), text);
    assert.ok(text.includes(`rounded = ${raw}`), text);
    assert.ok(text.includes(`= ${normalized}${normalized} × weight ${weight} = ${weighted}`), text);
    assert.ok(text.includes("whenUnsatisfiable: ScheduleAnyway"), text);
    assert.match(await arithmetic.locator("a").getAttribute("href"), /^https:\/\/kubernetes\.io\/docs\//);
    const lit = await page.locator(".pod--counted").evaluateAll((pods) => pods.map((pod) => pod.dataset.pod));
    assert.deepEqual(lit.sort(), ["default/web-1", "default/web-2"]);
    const listed = await arithmetic.locator("li").allTextContents();
    assert.deepEqual(listed.sort(), ["default/web-1", "default/web-2"]);

    // With the keyboard: an arrow to the next node, and Enter.
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.locator('[data-arithmetic="b/PodTopologySpread"]').waitFor();
    assert.equal(await page.locator(".pod--counted").count(), 1);
    assert.equal((await on.moment(page)).position, position, "the arrow did not step");

    // Again: it is closed, and no Pod is lit.
    await page.keyboard.press("Enter");
    await arithmetic.waitFor({ state: "detached" });
    assert.equal(await page.locator(".pod--counted").count(), 0);
  });
});

test("a refusal by a running Pod names it and its rule", async () => {
  const yaml = await readFile(new URL("scenarios/refused.yaml", import.meta.url), "utf8");
  await withManifests(yaml, async (page) => {
    await on.step(page);
    await page.locator('[data-cell="a/InterPodAffinity"]').click();
    await page.locator('[data-arithmetic="a/InterPodAffinity"] [data-counted]').waitFor();
    const text = await page.locator("[data-arithmetic]").textContent();
    assert.ok(text.includes("default/loner"), text);
    assert.ok(text.includes("podAntiAffinity") || text.includes("topologyKey"), text);
    assert.ok(text.includes("Pod loner"), text);
    assert.equal(await page.locator('.pod--counted[data-pod="default/loner"]').count(), 1);
  });
});

test("the score panel leads with the difference and greys what is equal", async () => {
  const yaml = await readFile(new URL("scenarios/spread-score.yaml", import.meta.url), "utf8");
  await withManifests(yaml, async (page) => {
    await on.step(page);
    const { position } = await on.moment(page);
    const cycle = await page.evaluate((at) => globalThis.berth.explain(at), position - 1);
    const [first, second] = cycle.scores.map((one) => one.total).sort((one, other) => other - one);
    assert.ok(first > second);
    assert.equal(await page.locator("[data-lead]").getAttribute("data-lead"), String(first - second));
    const equal = cycle.scores[0].plugins
      .filter(({ plugin, weighted }) =>
        cycle.scores.every((one) => one.plugins.find((two) => two.plugin === plugin).weighted === weighted))
      .map(({ plugin }) => plugin);
    const grey = await page.locator(".scores .is-equal th").evaluateAll((heads) => heads.map((head) => head.dataset.plugin));
    assert.deepEqual(grey, equal);
    assert.ok(equal.length > 0);
    // Where a plugin's name stands, a sentence says what it does.
    const heads = await page.locator("[data-plugin]").evaluateAll((all) => all.map(({ title, dataset }) => [dataset.plugin, title]));
    const named = new Set(heads.map(([plugin]) => plugin));
    for (const plugin of [...cycle.filterPlugins, ...equal]) assert.ok(named.has(plugin), plugin);
    for (const [plugin, title] of heads) assert.match(title, new RegExp(`^${plugin}: [A-Z].*\\.$`));
  });
});
