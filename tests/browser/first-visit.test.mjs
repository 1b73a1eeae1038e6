// A released page comes in two parts: a visit without edits does not download the second.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { catalogues } from "../../xtask/src/node/catalogues.mjs";
import { VIEWPORT, visit } from "../../xtask/src/node/first-visit.mjs";
import { DIST, withPage } from "./harness.mjs";
import { action, notice, pod, started } from "./steps.mjs";

const isLazyModule = (path) => path.endsWith("_lazy.wasm");
const skip = !readdirSync(DIST).some(isLazyModule) && process.env.BERTH_DIST ? "a page built for development" : false;

test("a first visit loads only the first module", { skip, timeout: 120_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.route("**/*_lazy.wasm", (route) => route.abort());
      await page.goto(url);
      await visit(page, 100);
      assert.equal(await notice(page).count(), 0);
    },
    { path: null, motion: true, viewport: VIEWPORT, allowed: (problem) => /_lazy\.wasm|ERR_FAILED/.test(problem) },
  );
});

test("an embed's first visit is not larger than the page's", { skip, timeout: 60_000 }, async () => {
  const bytes = async (path) => {
    let sum = 0;
    const body = async (page, _, { requests }) => {
      await page.waitForSelector("[data-digest]", { state: "attached" });
      while (!requests.some(isLazyModule)) await page.waitForTimeout(50);
      const asked = new Set(requests.slice(0, requests.findIndex(isLazyModule)).filter((name) => name !== "/"));
      for (const name of asked) sum += statSync(join(DIST, name)).size;
    };
    await withPage(body, { path });
    return sum;
  };
  const [page, embed] = [await bytes(""), await bytes("?embed")];
  assert.ok(0 < embed && embed <= page, `${embed} bytes, and the page's ${page}`);
});

test("until it is drawn, a first visit asks for nothing that its size leaves out, but the editor", { skip, timeout: 60_000 }, async () => {
  const measures = readFileSync(new URL("../../xtask/src/size.rs", import.meta.url), "utf8");
  const [, list] = measures.match(/const LATER[^=]*= \[([^\]]*)\]/);
  const translated = catalogues().flatMap(({ tag }) => [`/${tag}.txt`, `.${tag}.json`]);
  const later = [...list.matchAll(/"([^"]+)"/g)].map(([, ending]) => ending).concat(translated);
  await withPage(
    async (page, _, { requests }) => {
      await page.waitForSelector("[data-digest]");
      // The lazy module is the first of what the page fetches when it has nothing else to do.
      while (!requests.some(isLazyModule)) await page.waitForTimeout(50);
      const asked = requests.slice(0, requests.findIndex(isLazyModule));
      assert.ok(asked.some((path) => path.endsWith("_bg.wasm")), asked.join(" "));
      const left = asked.filter((path) => later.some((ending) => path.endsWith(ending)));
      assert.deepEqual(left, ["/editor.js"]);
    },
    { opening: true, motion: true },
  );
});

test("the search for fixes is fetched by itself, once the page is drawn", { skip, timeout: 60_000 }, async () => {
  await withPage(async (page, url, { requests }) => {
    const drawn = [];
    await page.route("**/*_lazy.wasm", async (route) => {
      drawn.push(await page.locator("[data-digest]").count());
      await route.continue();
    });
    await page.goto(url);
    await page.waitForSelector("[data-digest]");
    await action(page, "run").click();
    await pod(page, "default/report").first().click();
    await page.waitForSelector('[data-fixes][data-done="true"]');
    assert.ok(drawn.length > 0 && drawn.every((count) => count > 0), "not before the page is drawn");
    assert.ok(requests.filter(isLazyModule).length <= 2, "page and worker fetch the lazy module at most once each");
  }, { path: null });
});

test("fixes that cannot be fetched are missing in words, and searched again", { skip, timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.route("**/*_lazy.wasm", (route) => route.abort());
      await page.goto(url);
      await page.waitForSelector("[data-digest]");
      await action(page, "run").click();
      await pod(page, "default/report").first().click();
      await page.locator("[data-fixes]").getByText("could not be fetched").waitFor();
      // So are the numbers of a cell.
      await page.locator("[data-cell]").first().click();
      await page.locator("[data-arithmetic]").getByText("could not fetch the rest of itself").waitFor();
      await page.unroute("**/*_lazy.wasm");
      await pod(page, "default/report").first().click();
      await pod(page, "default/report").first().click();
      await page.waitForSelector('[data-fixes][data-done="true"]');
    },
    { path: null, allowed: (problem) => /_lazy\.wasm|ERR_FAILED/.test(problem) },
  );
});

test("without the lazy module the page reports it, and tries again", { skip, timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.route("**/*_lazy.wasm", (route) => route.abort());
      await page.goto(url);
      await page.waitForSelector("[data-node]");
      await action(page, "add").click();
      // That the visit is not stored may be reported first.
      await notice(page).getByText("could not fetch the rest of itself").waitFor();
      assert.equal(await page.locator('[data-action="add-nodes"]').count(), 0);
      await page.unroute("**/*_lazy.wasm");
      await action(page, "add").click();
      await page.waitForSelector('[data-action="add-nodes"]');
    },
    { path: null, allowed: (problem) => /_lazy\.wasm|ERR_FAILED/.test(problem) },
  );
});

test("a script that asks globalThis.berth is answered at once", { skip, timeout: 60_000 }, async () => {
  await withPage(async (page, _, { requests }) => {
    await started(page);
    const before = await page.evaluate(() => globalThis.berth.position);
    assert.equal(await page.evaluate(() => (globalThis.berth.step(), globalThis.berth.position)), before + 1);
    const text = await page.evaluate(() => globalThis.berth.exportYaml());
    assert.match(text, /kind: Pod/);
    assert.ok(requests.filter(isLazyModule).length <= 2, "page and worker fetch the lazy module at most once each");
  });
});
