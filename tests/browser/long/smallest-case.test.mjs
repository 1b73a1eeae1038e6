// The smallest case of a Pod that waits in a dump: found beside its fixes, opened and undone, copied for an issue, opened
// by its link in another browser, and made the start of a lesson.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { withPage } from "../harness.mjs";
import { packed } from "../packed.mjs";
import * as on from "../steps.mjs";

const TIMEOUT = 600_000;
/** Characters up to which a link travels everywhere. */
const SHORT = 2000;

const sentence = (page) => page.locator("[data-sentence]");

/** Reduces the explained attempt to its end. */
async function reduced(page) {
  await on.action(page, "reduce").click();
  await page.locator('[data-case="done"][data-linked="true"]').waitFor({ timeout: TIMEOUT / 3 });
}

/** Explains a waiting Pod whose key begins so. */
async function explained(page, prefix) {
  await on.action(page, "board").click();
  await page.locator(`.group[data-group^="${prefix}"] [data-action="explain-pending"]`).first().click();
  await page.locator(`[data-attempt^="${prefix}"]`).waitFor();
  await on.inStep(page);
}

test("a waiting Pod of a dump is reduced, copied for an issue, and opened elsewhere", { timeout: TIMEOUT }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "berth-case-"));
  const file = join(folder, "dump.yaml");
  await writeFile(file, packed("what_ifs/scenarios.br").get("dumps/eks60"));
  let claim;
  let link;
  try {
    await withPage(async (page) => {
      page.setDefaultTimeout(TIMEOUT / 4);
      await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void (globalThis.copied = text) } }));
      await on.started(page);
      await on.field(page, "files").setInputFiles(file);
      await page.waitForFunction(() => document.querySelectorAll("[data-node]").length === 60);
      await on.inStep(page);
      await on.runToEnd(page);
      const { digest } = await on.moment(page);
      await explained(page, "checkout/payments-");
      const why = await sentence(page).textContent();

      // Stopped before anything could go, there is no case; Escape then leads back to the explanation.
      await on.action(page, "reduce").click();
      await on.action(page, "stop-case").click();
      await page.locator('[data-case="none"], [data-case="done"]').waitFor();
      await page.keyboard.press("Escape");
      await on.action(page, "reduce").waitFor();
      assert.equal(await sentence(page).textContent(), why);

      const began = Date.now();
      await reduced(page);
      const sizes = await page.locator("[data-sizes]").textContent();
      t.diagnostic(`${sizes}, in ${((Date.now() - began) / 1000).toFixed(1)} s`);
      const [, nodes, pods, lines] = /^60 nodes, 900 Pods → (\d+) nodes?, (\d+) Pods?, (\d+) lines$/.exec(sizes).map(Number);
      assert.ok(nodes <= 4 && pods <= 5 && lines <= 60, sizes);
      claim = await page.locator("[data-claim]").textContent();
      assert.match(claim, / waits: .*\d.*\.$/);
      assert.match(await page.locator("[data-lands-after]").textContent(), /^It lands after this: /);
      assert.equal(await page.locator("[data-lacks]").count(), 0);
      assert.equal((await on.moment(page)).digest, digest, "nothing has changed");

      await on.action(page, "copy-case").click();
      await page.waitForFunction(() => globalThis.copied);
      const copied = await page.evaluate(() => globalThis.copied);
      assert.ok(copied.replaceAll("\\", "").startsWith(claim), copied);
      const yaml = /^```yaml\n(.*?)^```$/ms.exec(copied)[1];
      assert.doesNotMatch(yaml, /payments|checkout/);
      assert.equal(yaml.trimEnd().split("\n").length, lines);
      link = /\]\((\S+)\)\n$/.exec(copied)[1];
      assert.ok(link.length < SHORT, `${link.length} characters`);
      const download = page.waitForEvent("download");
      await on.action(page, "save-case").click();
      assert.equal(await readFile(await (await download).path(), "utf8"), yaml);

      await on.action(page, "open-case").click();
      await on.textIs(page, yaml);
      await page.waitForFunction((claim) => document.querySelector("[data-sentence]")?.textContent === claim, claim);
      await on.does(page, "undo");
      await page.waitForFunction(() => document.querySelectorAll("[data-node]").length === 60);
    });
    await withPage(
      async (page) => {
        await on.started(page);
        await page.waitForFunction((claim) => document.querySelector("[data-sentence]")?.textContent === claim, claim);
        // Nothing more can go from a case.
        await reduced(page);
        const [from, to] = (await page.locator("[data-sizes]").textContent()).split(" → ");
        assert.equal(to.replace(/, \d+ lines$/, ""), from);
        await on.action(page, "lesson-of-case").click();
        const start = await page.locator('[data-build="start"]').textContent();
        assert.equal(start.split(",")[0], from.split(",")[0], start);
      },
      { path: link.slice(link.indexOf("#")) },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
