// Two runs side by side: what differs, one timeline, a Pod on both stages, and links.
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { choose, done, entriesAre } from "./compare.mjs";
import { example, withManifests, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const entries = (page) =>
  page.locator("[data-track]").evaluateAll((tracks) => tracks.map((track) => Number(track.dataset.entries)));

/** The rows of the summary: name, A, B, B − A. */
const tally = (page) =>
  page.locator("[data-tally] tbody tr").evaluateAll((rows) =>
    Object.fromEntries(rows.map((row) => {
      const [name, ...values] = [...row.cells].map((cell) => cell.textContent.trim());
      return [name, values];
    })),
  );

/** The Pods on one side's stage, by node. */
const stage = (page, side) =>
  page.locator(`[data-side="${side}"] [data-node]`).evaluateAll((nodes) =>
    nodes.map((node) => [node.dataset.node, [...node.querySelectorAll("[data-pod]")].map((pod) => pod.dataset.pod).sort()]),
  );

test("an example opens in Compare: figures, both stages, a Pod and its points", async () => {
  await withManifests(example("spreading-or-packing"), async (page) => {
    await done(page);
    const figures = await tally(page);
    assert.deepEqual(figures.Placed, ["31 of 32", "32 of 32", "+1"]);
    assert.deepEqual(figures.Pending, ["1", "0", "−1"]);
    assert.deepEqual(figures["Nodes empty"], ["0", "2", "+2"]);
    assert.match(await page.locator("[data-sentence]").textContent(), /places train, which waits in A/);

    // Both stages agree with the list.
    const [a, b] = [await stage(page, "A"), await stage(page, "B")];
    const place = (stage) => new Map(stage.flatMap(([node, pods]) => pods.map((pod) => [pod, node])));
    const [inA, inB] = [place(a), place(b)];
    const moved = [...inB.keys()].filter((pod) => inA.get(pod) !== inB.get(pod));
    assert.equal(Number(await page.locator("[data-compare]").getAttribute("data-different")), moved.length);
    const corners = await page.locator('[data-side="B"] .node .pod--moved[data-pod]').count();
    assert.equal(corners, moved.length);

    // A click on one shows its attempt on both sides, and the course between its places.
    await page.waitForSelector(".moves__why b");
    const row = page.locator("[data-moved]", { hasText: "NodeResourcesFit" }).first();
    const pod = await row.getAttribute("data-moved");
    await row.locator("button").click();
    await page.waitForSelector(`[data-duel="${pod}"] .duel`);
    const sums = await page.locator(".duel tbody tr").evaluateAll((rows) =>
      rows.map((row) => [...row.cells].slice(1, -1).map((cell) => Number(cell.textContent.replace("±", "").replace("−", "-")))),
    );
    for (const terms of sums) {
      assert.equal(terms.slice(0, -1).reduce((sum, term) => sum + term, 0), terms.at(-1), "the terms add up");
    }
    assert.notDeepEqual(sums[0], sums[1]);
    for (const side of ["A", "B"]) {
      assert.equal(await page.locator(`[data-side="${side}"] .pod--selected[data-pod="${pod}"]`).count(), 1);
      assert.ok(await page.locator(`[data-side="${side}"] .node--chosen`).count());
    }
    assert.match(await page.locator("[data-course] path").getAttribute("d"), /^M/);

    // Nothing can be edited, and the way back leaves the page as it was.
    await page.locator('[data-side="A"] [data-node="node-a1"]').focus();
    await page.keyboard.press("c");
    await on.action(page, "leave-compare").click();
    await page.waitForSelector('[data-action="add"]');
    await on.inStep(page);
    assert.equal(await on.text(page), example("spreading-or-packing"));
    assert.equal((await on.moment(page)).position, 0);
  });
});

test("one timeline steps both runs, by Pod, point and plugin, with keys", async () => {
  await withManifests(example("two-versions"), async (page) => {
    await done(page);
    const ends = await entries(page);
    await page.keyboard.press("Home");
    await entriesAre(page, 0, 0);
    assert.equal(await page.locator('[data-side="A"] [data-pod="default/index"]').count(), 1, "it waits in the head");
    await page.keyboard.press("ArrowRight");
    await entriesAre(page, 1, 1);
    await page.keyboard.press("ArrowLeft");
    await entriesAre(page, 0, 0);
    // By extension point, both show the verdicts of an attempt before either makes it.
    await page.keyboard.press("2");
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(300);
    await page.keyboard.press("ArrowRight");
    for (const side of ["A", "B"]) await page.waitForSelector(`[data-side="${side}"] .node--rejected`);
    assert.deepEqual(await entries(page), [0, 0]);
    await page.keyboard.press("End");
    await entriesAre(page, ...ends);
    await page.locator(".ruler--pair .ruler__scrub").fill("1");
    await entriesAre(page, 1, 1);
    await page.keyboard.press("1");
    await page.keyboard.press("Home");
    await on.action(page, "play").click();
    await entriesAre(page, ...ends);
  });
});

test("runs that came out the same have no stages until they are asked for, and B − A is not cut", async () => {
  await withPage(
    async (page) => {
      await on.started(page);
      await choose(page, "seeds");
      await done(page);
      await on.field(page, "seed-B").fill(await on.field(page, "seed-A").inputValue());
      await on.field(page, "seed-B").blur();
      await page.locator('[data-compare="done"][data-different="0"]').waitFor();
      assert.equal(await page.locator("[data-side] [data-node]").count(), 0);
      const same = "Both runs came out the same: every Pod is where it is in the other.";
      assert.equal(await page.locator(".pair__wait p").textContent(), same);
      await on.action(page, "show-stages").click();
      for (const side of ["A", "B"]) await page.waitForSelector(`[data-side="${side}"] [data-node]`);
      assert.equal(await page.locator(".pair__wait").count(), 0);

      await choose(page, "nodes", (form) => form.locator('[name="without"]').fill("topology.kubernetes.io/zone=zone-c"));
      await page.locator('[data-compare="done"]:not([data-different="0"])').waitFor();
      const cells = await page.locator("[data-tally] tr").evaluateAll((rows) => {
        const right = document.querySelector(".explain").getBoundingClientRect().right;
        return rows.map((row) => [row.textContent, right - row.lastElementChild.getBoundingClientRect().right]);
      });
      for (const [text, room] of cells) assert.ok(room >= 0, `${text}: cut by ${-room} px`);
    },
    { viewport: { width: 1440, height: 900 } },
  );
});

test("versions, seeds, gates, node pools, configurations and edits are compared", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await choose(page, "versions");
    await done(page);
    const names = () => page.locator(".side__name").evaluateAll((names) => names.map((name) => name.textContent));
    assert.deepEqual(await names(), ["A: v1.36", "B: v1.35"]);

    // The seed of one side runs that side again.
    await on.field(page, "seed-B").fill("9");
    await on.field(page, "seed-B").blur();
    await page.waitForFunction(() => document.querySelectorAll(".side__name")[1].textContent.includes("9"));
    await done(page);
    await on.action(page, "settings").click();
    assert.match(await page.locator("[data-settings]").textContent(), /v1\.36\.3.*v1\.35\.6/s);

    await choose(page, "seeds");
    await done(page);
    assert.deepEqual(await names(), ["A: seed 1", "B: seed 2"]);

    await choose(page, "nodes", (form) => form.locator('[name="without"]').fill("topology.kubernetes.io/zone=zone-c"));
    await done(page);
    assert.deepEqual((await tally(page))["Nodes in use"].map((text) => text.split(" of ").at(-1)).slice(0, 2), ["6", "4"]);
    // The skew by the last of the nodes' labels.
    const label = await on.field(page, "topology").locator("option").last().getAttribute("value");
    await on.field(page, "topology").selectOption(label);
    await page.waitForFunction((label) => document.querySelector('[data-field="topology"]').title === label, label);

    await choose(page, "gates", (form) => form.locator('[name="gate"]').fill("NoSuchGate"));
    await page.waitForSelector('[data-compare="refused"]');
    assert.match(await page.locator(".pair__wait").textContent(), /NoSuchGate/);

    await choose(page, "configurations", (form) => form.locator('[name="preset"]').selectOption("packing"));
    await done(page);
    assert.ok((await page.locator('[data-side="B"] .chip--differs').count()) >= 1);
    await page.locator('[data-stages="differences"]').click();
    await page.waitForSelector(".node__left [data-left]");
    await page.keyboard.press("Escape");
    await page.waitForSelector('[data-action="add"]');

    // An edit of the past is compared with the run before it.
    await on.does(page, "run");
    await page.waitForFunction(() => document.querySelector('[data-action="run"]').disabled);
    await on.does(page, "step-back");
    await on.edit(page, "node-a1");
    await on.change(page.locator('[data-form="node-a1"] [data-field="allocatable-cpu"]'), "1");
    await page.locator("[data-fork]").waitFor();
    await on.action(page, "compare-fork").click();
    await done(page);
    assert.deepEqual(await names(), ["A: before the edits", "B: with the edits"]);
  });
});

test("a link holds both sides", async () => {
  let address, shown;
  const state = async (page) => [await tally(page), await stage(page, "A"), await stage(page, "B")];
  await withPage(async (page) => {
    await on.started(page);
    await choose(page, "configurations", (form) => form.locator('[name="preset"]').selectOption("packing"));
    await done(page);
    await page.waitForSelector(".moves__why b");
    await page.locator("[data-moved] button").first().click();
    await page.waitForSelector("[data-duel]");
    shown = await state(page);
    await on.action(page, "share").click();
    await page.waitForSelector('[data-holds="compare"]');
    address = await on.field(page, "link").inputValue();
  });
  await withPage(
    async (page) => {
      await page.waitForFunction(() => globalThis.berth !== undefined);
      await done(page);
      await page.waitForSelector("[data-duel]");
      assert.deepEqual(await state(page), shown);
    },
    { path: address.slice(address.indexOf("#")) },
  );
});

test("in Chinese, no sentence is left in English", async () => {
  await withPage(
    async (page) => {
      await page.waitForFunction(() => globalThis.berth !== undefined);
      await page.waitForSelector("[data-node]");
      await page.locator('[data-action="language"]').selectOption("zh-CN");
      await page.waitForFunction(() => document.documentElement.lang === "zh-CN");
      await on.open(page, example("spreading-or-packing"));
      await done(page);
      await page.waitForSelector(".moves__why b");
      assert.match(await page.locator("[data-sentence]").textContent(), /train.*等待/);
      const names = Object.keys(await tally(page));
      assert.ok(names.every((name) => /[\u4e00-\u9fff]/.test(name)), names.join());
    },
    { contextOptions: { locale: "en-US" } },
  );
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing serious, ${colorScheme}`, async () => {
    const contextOptions = { colorScheme, bypassCSP: true };
    await withManifests(
      example("spreading-or-packing"),
      async (page) => {
        await done(page);
        await page.waitForSelector(".moves__why b");
        await page.locator("[data-moved] button").first().click();
        await page.waitForSelector("[data-duel]");
        await on.action(page, "settings").click();
        await page.evaluate(axe.source);
        const grave = async () => {
          const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
          return violations
            .filter(({ impact }) => impact === "serious" || impact === "critical")
            .map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(" "))]);
        };
        assert.deepEqual(await grave(), []);
        await page.locator('[data-stages="differences"]').click();
        assert.deepEqual(await grave(), []);
        await page.keyboard.press("b");
        for (const topic of ["configurations", "nodes", "edits"]) {
          await page.locator(`[data-topic="${topic}"]`).click();
          assert.deepEqual(await grave(), [], topic);
        }
      },
      { viewport: { width: 1440, height: 900 }, contextOptions },
    );
  });
}
