// After one visit a published site works without a connection, and a newer version comes whole, on a reload.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withPage } from "../harness.mjs";
import { withSites } from "../published.mjs";
import { serve } from "../server.mjs";
import * as on from "../steps.mjs";

/** A name that the browser takes for a host like any other, and still trusts: the worker treats 127.0.0.1 specially. */
const PUBLIC = "http://berth.localhost";
const published = (url) => url.replace("http://127.0.0.1", PUBLIC);
/** A connection that is cut, on purpose. */
const cut = (problem) => problem.includes(PUBLIC) || /ERR_CONNECTION_REFUSED|ERR_FAILED/.test(problem);

/** Calls `body(page, url, more)` with a site open, at its public name. */
async function visited(site, body, options = {}) {
  const { allowed = cut, ...more } = options;
  await withPage(
    async (page, url, others) => {
      const address = published(url);
      await page.goto(address);
      await on.started(page);
      await body(page, address, others);
    },
    { folder: site.folder, path: null, allowed, ...more },
  );
}

/** Waits until a function that the page runs, and awaits, returns true. */
async function until(page, passes, argument) {
  for (let tries = 0; !(await page.evaluate(passes, argument)); tries += 1) {
    assert.ok(tries < 300, `not within a minute: ${passes}`);
    await page.waitForTimeout(200);
  }
}

/** Waits until a version is stored whole and in charge. */
const stored = (page, version) =>
  until(
    page,
    async (version) => {
      const registration = await navigator.serviceWorker.getRegistration();
      if (registration?.active?.state !== "activated" || registration.installing) return false;
      const names = await caches.keys();
      return names.some((name) => name.endsWith(` ${version}`)) && navigator.serviceWorker.controller !== null;
    },
    version,
  );

/** The versions whose files the page has used. */
const used = (page) =>
  page.evaluate(() => {
    const names = performance.getEntriesByType("resource").map(({ name }) => name.match(/\/assets\/(\w+)\//)?.[1]);
    return [...new Set(names.filter(Boolean))];
  });

/** Makes the page look for a newer version, as it does when a visitor returns to it. */
const comeBack = (page) => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));

/** Waits for the Share dialog's link, which a module of its own makes. */
const linked = (page) => page.waitForFunction(() => document.querySelector('[data-field="link"]')?.value.includes("#1."));

const newer = (page) => page.locator("[data-newer]");

test("after one visit everything works without a connection, in a new page", { timeout: 240_000 }, async () => {
  await withSites(async ({ make }) => {
    const site = await make();
    // A host that lets browsers keep nothing: only the worker's cache can answer.
    rmSync(join(site.folder, "_headers"));
    await visited(site, async (first, url, { context, server }) => {
      await stored(first, site.version);
      await first.close();
      await server.close();
      const page = await context.newPage();
      await page.goto(url);
      await on.started(page);
      await on.action(page, "examples").click();
      await page.locator(".card__art svg").first().waitFor();
      await page.locator('[data-example="preemption"]').click();
      await page.waitForFunction(() => /^Preemption: /.test(globalThis.berth.frame().title));
      await page.locator(".cm-content").waitFor();
      await on.field(page, "manifests").fill((await on.text(page)).replace(/title: .*/, "title: Typed offline"));
      await page.waitForFunction(() => globalThis.berth.frame().title === "Typed offline");
      // Until then, the page restores the first one's visit, and the button pauses that.
      await on.inStep(page);
      await on.runToEnd(page);
      await on.terminal(page);
      assert.match((await on.run(page, "kubectl get nodes -o name")).out, /^node\//);
      assert.match((await on.run(page, "kubectl explain pod.spec.tolerations")).out, /FIELD: tolerations/);
      await on.action(page, "share").click();
      await linked(page);
      await page.reload();
      await on.started(page);
      await page.locator('[data-printed="kubectl get nodes -o name"]').waitFor();
      const embed = await context.newPage();
      await embed.goto(`${url}?embed&example=taints&step=2`);
      await embed.locator('[data-position="2"]').waitFor({ state: "attached" });
      assert.ok(await embed.locator("link[href$='embed.css']").count());
      await embed.goto(`${url}gallery/`);
      await embed.locator(".card").first().waitFor();
    });
  });
});

test("a newer version is announced, and a reload switches to all of it", { timeout: 240_000 }, async () => {
  await withSites(async ({ make }) => {
    const [old, next] = [await make(), await make({ teaser: "A newer teaser." })];
    assert.notEqual(old.version, next.version);
    const teaser = async (page) => {
      await on.action(page, "examples").click();
      const text = await page.locator("[data-example] .card__teaser").first().innerText();
      await on.action(page, "close").first().click();
      return text;
    };
    await visited(old, async (page, url, { context, server }) => {
      await stored(page, old.version);
      const other = await context.newPage();
      await other.goto(url);
      await on.started(other);
      server.show(next.folder);
      assert.equal(await newer(page).count(), 0);
      await comeBack(page);
      await newer(page).waitFor();
      assert.match(await newer(page).innerText(), /newer version of Berth is ready/);
      await newer(other).waitFor();
      // The server has no file of the old version any more; the open page keeps using it.
      await newer(page).locator("button").last().click();
      assert.notEqual(await teaser(page), "A newer teaser.");
      await on.action(page, "share").click();
      await linked(page);
      assert.deepEqual(await used(page), [old.version]);

      await newer(other).locator('[data-action="reload"]').click();
      await other.waitForFunction((version) => document.querySelector(`script[src*="${version}"]`), next.version);
      await on.started(other);
      assert.equal(await teaser(other), "A newer teaser.");
      assert.deepEqual(await used(other), [next.version]);
      assert.equal(await newer(other).count(), 0);
      // The old version's files stay for as long as a page uses them.
      const kept = () => other.evaluate(async () => (await caches.keys()).map((name) => name.split(" ").at(-1)).sort());
      assert.deepEqual(await kept(), [old.version, next.version].sort());
      await page.close();
      await server.close();
      await other.reload();
      await on.started(other);
      assert.deepEqual(await used(other), [next.version]);
      await until(other, async () => (await caches.keys()).length === 1);
      assert.deepEqual(await kept(), [next.version]);
    });
  });
});

test("a version that is published in part is not taken", { timeout: 240_000 }, async () => {
  await withSites(async ({ make }) => {
    const [old, next] = [await make(), await make({ teaser: "Half." })];
    const list = join(next.folder, "assets", next.version, "scenarios/index.json");
    const whole = readFileSync(list);
    await visited(old, async (page, url, { requests, server }) => {
      await stored(page, old.version);
      writeFileSync(list, "[]");
      server.show(next.folder);
      await comeBack(page);
      // Looking for it took a moment; then its files are requested, and one is wrong.
      for (let tries = 0; !requests.some((path) => path.includes(next.version)); tries += 1) {
        assert.ok(tries < 300, "it is tried");
        await page.waitForTimeout(100);
      }
      await until(page, async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        return !registration.installing && !registration.waiting;
      });
      await page.reload();
      await on.started(page);
      assert.deepEqual(await used(page), [old.version]);
      assert.equal(await newer(page).count(), 0);
      assert.equal(await page.evaluate(async () => (await caches.keys()).length), 1);

      // An immutable file that was cached wrong would stay: a host publishes a file whole, or under another name.
      writeFileSync(list, whole);
      await page.evaluate(async (address) => void (await fetch(address, { cache: "reload" })), `${url}assets/${next.version}/scenarios/index.json`);
      await comeBack(page);
      await newer(page).waitFor();
    });
  });
});

test("it begins when a first visit has all it needs, and downloads nothing twice", { timeout: 120_000 }, async () => {
  await withSites(async ({ make }) => {
    const site = await make();
    await visited(site, async (page, _, { requests }) => {
      await stored(page, site.version);
      const at = requests.indexOf("/sw.js");
      for (const name of ["fields.json", "scenarios/default.yaml", "scenarios/dump.yaml"]) {
        const fetched = requests.findIndex((path) => path.endsWith(name));
        assert.ok(fetched >= 0 && fetched < at, name);
      }
      const wasm = requests.filter((path) => path.endsWith(".wasm"));
      assert.deepEqual(wasm, [...new Set(wasm)]);
    });
  });
});

test("other programs get their local address back", { timeout: 120_000 }, async () => {
  await withSites(async ({ make, work }) => {
    const site = await make();
    const other = join(work, "other");
    mkdirSync(other);
    writeFileSync(join(other, "index.html"), "<!doctype html><title>Another project</title>");
    await withPage(
      async (page, url, { server }) => {
        await on.started(page);
        await stored(page, site.version);
        server.show(other);
        await page.goto(url);
        assert.equal(await page.title(), "Another project");
        await until(page, async () => !(await navigator.serviceWorker.getRegistration()));
      },
      { folder: site.folder, allowed: (problem) => /404/.test(problem) },
    );
  });
});

test("a site that was taken down leaves no worker", { timeout: 120_000 }, async () => {
  await withSites(async ({ make, work }) => {
    const site = await make();
    const empty = join(work, "empty");
    mkdirSync(empty);
    await visited(
      site,
      async (page, _, { server }) => {
        await stored(page, site.version);
        server.show(empty);
        await page.reload();
        await until(page, async () => !(await navigator.serviceWorker.getRegistration()));
      },
      { allowed: (problem) => cut(problem) || /404/.test(problem) },
    );
  });
});

for (const [name, query, options] of [
  ["an embedded page", "?embed", {}],
  ["a browser that refuses workers", "", { contextOptions: { serviceWorkers: "block" } }],
]) {
  test(`${name} registers none, and works`, { timeout: 120_000 }, async () => {
    await withSites(async ({ make }) => {
      const site = await make();
      await withPage(
        async (page, url, { requests }) => {
          await page.goto(url + query);
          await page.locator("[data-node]").first().waitFor();
          for (let tries = 0; !requests.some((path) => path.endsWith("dump.yaml")); tries += 1) {
            assert.ok(tries < 300, "examples are fetched");
            await page.waitForTimeout(100);
          }
          await page.waitForTimeout(1000);
          assert.ok(!requests.includes("/sw.js"));
        },
        { folder: site.folder, path: null, ...options },
      );
    });
  });
}

test("in a sandboxed frame it registers none, and works", { timeout: 120_000 }, async () => {
  await withSites(async ({ make, work }) => {
    const site = await make();
    const host = join(work, "host");
    mkdirSync(host);
    const page = await serve(site.folder);
    writeFileSync(join(host, "index.html"), `<!doctype html><iframe sandbox="allow-scripts" src="${page.url}" width="800" height="500"></iframe>`);
    try {
      await withPage(
        async (hosting) => {
          await hosting.frameLocator("iframe").locator("[data-node]").first().waitFor();
          await hosting.waitForTimeout(2000);
          assert.ok(!page.requests.includes("/sw.js"));
        },
        { folder: host, allowed: (problem) => problem.includes(page.url) },
      );
    } finally {
      await page.close();
    }
  });
});
