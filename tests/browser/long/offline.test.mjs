// What a visit may need is fetched while the page is idle; a missing part is reported.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { DIST, withPage } from "../harness.mjs";
import * as on from "../steps.mjs";

const isSplit = readdirSync(DIST).some((name) => name.endsWith("_lazy.wasm"));
const skip = isSplit || !process.env.BERTH_DIST ? false : "a page built for development";

const fetched = (requests, ending) => requests.some((path) => path.endsWith(ending));

/** Waits until all of these were requested. */
async function until(page, requests, endings) {
  for (let tries = 0; !endings.every((ending) => fetched(requests, ending)); tries += 1) {
    assert.ok(tries < 300, `not fetched: ${endings.filter((ending) => !fetched(requests, ending))}`);
    await page.waitForTimeout(100);
  }
  await page.waitForTimeout(500);
}

test("after the first paint the page does without a connection", { timeout: 120_000 }, async () => {
  await withPage(async (page, _, { context, requests }) => {
    await on.started(page);
    await until(page, requests, ["/fields.json", "/index.json", "/pictures.json", "/default.yaml", "/dump.yaml", "/compare.css", "/docks.css", "/lesson.css", "/link.js"]);
    assert.ok(!fetched(requests, "/zh-CN.txt"), "an English browser does not need the other language");
    await context.setOffline(true);
    const before = requests.length;
    await on.action(page, "examples").click();
    await page.locator(".card__art svg").first().waitFor();
    await page.locator('[data-example="taints"]').click();
    await page.waitForFunction(() => /^Taints: /.test(globalThis.berth.frame().title));
    await on.step(page);
    const text = (await on.text(page)).replace(/title: .*/, "title: Typed offline");
    await on.field(page, "manifests").fill(text);
    await page.waitForFunction(() => globalThis.berth.frame().title === "Typed offline");
    await on.terminal(page);
    assert.match((await on.run(page, "kubectl get nodes")).out, /^NAME /);
    // The whole descriptions of fields are fetched when they are asked for.
    assert.match((await on.run(page, "kubectl explain pod.spec.tolerations")).error, /try again with a connection/);
    await on.action(page, "compare").click();
    await page.waitForFunction(() => document.querySelector('link[data-style="./compare.css"]:not([media])')?.sheet);
    assert.equal(requests.length, before, requests.slice(before).join(" "));
    await context.setOffline(false);
    await page.evaluate(() => globalThis.dispatchEvent(new Event("pagehide")));
    await page.reload({ waitUntil: "load" });
    await on.started(page);
    await page.waitForFunction(() => globalThis.berth.frame().title === "Typed offline");
  }, { allowed: (problem) => problem.includes("ERR_INTERNET_DISCONNECTED") });
});

test("without a connection the gallery and an example say that they could not be fetched", { timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.route("**/scenarios/*", (route) => route.abort());
      await page.goto(url);
      await on.started(page);
      await on.action(page, "examples").click();
      await page.locator('[data-examples="missing"]').waitFor();
      assert.match(await page.locator('[data-examples="missing"]').innerText(), /could not be fetched/);
      await on.action(page, "close").first().click();
      await page.unroute("**/scenarios/*");
      await page.route("**/scenarios/*.yaml", (route) => route.abort());
      await on.action(page, "examples").click();
      await page.locator('[data-example="taints"]').click();
      await on.notice(page).waitFor();
      assert.match(await on.notice(page).innerText(), /This example could not be fetched/);
    },
    { path: null, allowed: (problem) => /ERR_FAILED/.test(problem) },
  );
});

test("a style sheet that cannot be fetched is said to be missing", { timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.route("**/compare.css", (route) => route.abort());
      await page.goto(url);
      await on.started(page);
      await on.action(page, "compare").click();
      await on.notice(page).waitFor();
      assert.match(await on.notice(page).innerText(), /could not fetch a style sheet/);
    },
    { path: null, allowed: (problem) => /ERR_FAILED/.test(problem) },
  );
});

test("text that cannot be read yet is kept, marked, and read later", { skip, timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.route("**/*_lazy.wasm", (route) => route.abort());
      await page.goto(url);
      await page.waitForSelector("[data-digest]");
      const text = (await on.text(page)).replace(/title: .*/, "title: Typed offline");
      await on.field(page, "manifests").fill(text);
      await page.locator("[data-unread]").waitFor();
      assert.match(await page.locator("[data-problems]").innerText(), /Not read yet.*Your text is kept/);
      // A step is possible in the meantime.
      await on.action(page, "step").click();
      await page.waitForSelector('[data-position="1"]');
      await page.unroute("**/*_lazy.wasm");
      await page.locator(".topbar__title", { hasText: "Typed offline" }).waitFor();
      await page.locator("[data-unread]").waitFor({ state: "detached" });
      assert.equal(await on.text(page), text);
    },
    { path: null, allowed: (problem) => /_lazy\.wasm|ERR_FAILED/.test(problem) },
  );
});
