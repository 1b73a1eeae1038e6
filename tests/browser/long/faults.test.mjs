// A visit through faults: files that do not arrive, a worker that dies, a browser that stores nothing.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { DIST, withPage } from "../harness.mjs";
import * as on from "../steps.mjs";
import { stored } from "../storage.mjs";

const isSplit = readdirSync(DIST).some((name) => name.endsWith("_lazy.wasm"));
const skip = isSplit || !process.env.BERTH_DIST ? false : "a page built for development";
const allowed = () => true;
const NODE = `apiVersion: v1
kind: Node
metadata: {name: one}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
`;
/** A text that is too large for the local storage of browsers. */
const dump = () => NODE + Array.from({ length: 20_000 }, (_, at) => `# ${at} ${"x".repeat(300)}\n`).join("");

const leave = (page) => page.evaluate(() => globalThis.dispatchEvent(new Event("pagehide")));

/** Waits until something of the visit is stored that matches. */
async function untilStored(page, matches) {
  for (let tries = 0; !(await stored(page)).some(matches); tries += 1) {
    assert.ok(tries < 100, "nothing was stored");
    await page.waitForTimeout(100);
  }
}

async function reload(page) {
  await page.reload({ waitUntil: "load" });
  await on.started(page);
}

const LOST = [
  [/\/berth-web-[^/]*\.js$/, "en", /A part of Berth could not be fetched/],
  [/lazy-module\.js$/, "zh", /Berth 的一部分无法获取/],
  [/_bg\.wasm$/, "en", /A part of Berth could not be fetched/],
];
for (const [lost, lang, sentence] of LOST) {
  test(`a first visit that loses a file says so, in both languages: ${lost}`, { timeout: 120_000 }, async () => {
    await withPage(
      async (page, url) => {
        await page.route(lost, (route) => route.abort());
        await page.goto(`${url}?lang=${lang}`);
        const fault = page.locator("#app [data-fault]");
        await fault.waitFor();
        assert.match(await fault.innerText(), sentence);
        await page.unroute(lost);
        await fault.locator("button").click();
        await on.started(page);
        assert.equal(await page.locator("[data-fault], #late").count(), 0);
      },
      { path: null, allowed },
    );
  });
}

test("even without that script's own words there is something to read", { timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.route(/\.(js|wasm)$/, (route) => route.abort());
      await page.goto(url);
      assert.equal(await page.locator("#late").isVisible(), false, "not at once");
      await page.locator("#late").waitFor({ timeout: 20_000 });
      assert.match(await page.locator("#late").innerText(), /Berth is still loading.*Berth 仍在加载/s);
    },
    { path: null, allowed },
  );
});

test("a worker that does not start is replaced by an engine in the page", { timeout: 120_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.route("**/worker.js", (route) => route.abort());
      await page.goto(url);
      await page.locator('[data-trouble="inline"]').waitFor();
      await on.started(page);
      const { position } = await on.moment(page);
      await on.step(page);
      assert.equal((await on.moment(page)).position, position + 1);
      assert.match(await page.locator("[data-trouble]").innerText(), /runs in it/);
    },
    { path: null, allowed },
  );
});

test("a worker that dies is reported, and a reload restores what it had done", { timeout: 120_000 }, async () => {
  const break_ = () => {
    const Own = globalThis.Worker;
    globalThis.Worker = class extends Own {
      constructor(...given) {
        super(...given);
        globalThis.lastWorker = this;
      }
    };
  };
  await withPage(
    async (page, url, { context }) => {
      await context.addInitScript(break_);
      await page.goto(url);
      await on.started(page);
      await on.step(page);
      await on.step(page);
      const before = await on.moment(page);
      await untilStored(page, ([name]) => name.endsWith(".moment"));
      await page.waitForTimeout(1000);
      // As an error in the worker does.
      await page.evaluate(() => globalThis.lastWorker.dispatchEvent(new ErrorEvent("error", { message: "memory access out of bounds" })));
      const trouble = page.locator('[data-trouble="stopped"]');
      await trouble.waitFor();
      assert.match(await trouble.innerText(), /memory access out of bounds/);
      await trouble.locator('[data-action="reload"]').click();
      await page.locator("[data-trouble]").waitFor({ state: "detached" });
      await on.started(page);
      await page.waitForFunction((position) => document.querySelector("[data-position]")?.dataset.position === String(position), before.position);
    },
    { path: null, allowed },
  );
});

test("a worker that says nothing for long is reported, until it answers", { timeout: 120_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.clock.install();
      await page.goto(url);
      await page.clock.runFor(2000);
      await page.waitForSelector("[data-node]");
      // A browser that is idle fetches the rest of the program.
      while (!(await page.evaluate(() => globalThis.berth))) await page.clock.runFor(100);
      // Messages of the worker are held back.
      await page.evaluate(() => {
        const post = Worker.prototype.postMessage;
        globalThis.held = [];
        Worker.prototype.postMessage = function (...message) {
          globalThis.held.push(() => post.apply(this, message));
        };
      });
      await on.action(page, "step").click();
      await page.clock.runFor(31_000);
      await page.locator('[data-trouble="silent"]').waitFor();
      await page.evaluate(() => globalThis.held.forEach((go) => go()));
      await page.locator("[data-trouble]").waitFor({ state: "detached" });
    },
    { path: null, allowed },
  );
});

test("an editor that could not be loaded is loaded again", { timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.route("**/editor.js*", (route) => route.abort());
      await page.goto(url);
      await on.started(page);
      assert.equal(await page.locator(".cm-editor").count(), 0);
      await page.unroute("**/editor.js*");
      await page.waitForTimeout(3500);
      await on.step(page);
      await page.locator(".cm-editor").waitFor();
    },
    { path: null, allowed },
  );
});

test("a part that could not be fetched is fetched again by the next action", { skip, timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.route("**/*_lazy.wasm", (route) => route.abort());
      await page.goto(url);
      await page.waitForSelector("[data-digest]");
      await on.action(page, "share").click();
      await on.notice(page).waitFor();
      await page.unroute("**/*_lazy.wasm");
      await on.action(page, "share").click();
      await page.locator('[role="dialog"]').waitFor();
    },
    { path: null, allowed },
  );
});

test("a last visit stays stored if what opens it cannot be fetched", { skip, timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.goto(url);
      await on.started(page);
      await on.action(page, "step").click();
      await page.waitForSelector('[data-position="1"]');
      await untilStored(page, ([name]) => name.endsWith(".moment"));
      await page.route("**/*_lazy.wasm", (route) => route.abort());
      await page.reload();
      const fault = page.locator("#app [data-fault]");
      await fault.waitFor();
      assert.match(await fault.innerText(), /A part of Berth could not be fetched/);
      await page.unroute("**/*_lazy.wasm");
      await fault.locator("button").click();
      await page.waitForSelector('[data-digest][data-position="1"]');
    },
    { path: null, allowed },
  );
});

test("one visit goes through six network faults", { skip, timeout: 240_000 }, async () => {
  await withPage(
    async (page, url) => {
      const lose = (pattern) => page.route(pattern, (route) => route.abort());
      // 1: a script of the page.
      await lose(/\/berth-web-[^/]*\.js$/);
      await page.goto(url);
      const fault = page.locator("#app [data-fault]");
      await fault.waitFor();
      await page.unroute(/\/berth-web-[^/]*\.js$/);
      // 2: the worker; 3: the editor.
      await lose("**/worker.js");
      await lose("**/editor.js*");
      await fault.locator("button").click();
      await page.locator('[data-trouble="inline"]').waitFor();
      await on.started(page);
      await on.step(page);
      assert.equal((await on.moment(page)).position, 1);
      assert.equal(await page.locator(".cm-editor").count(), 0);
      assert.match(await on.text(page), /kind: Node/);
      await untilStored(page, ([name]) => name.endsWith(".moment"));
      await page.waitForTimeout(1000);
      await page.unroute("**/worker.js");
      await page.unroute("**/editor.js*");
      await reload(page);
      assert.equal(await page.locator("[data-trouble]").count(), 0);
      assert.equal((await on.moment(page)).position, 1, "the visit is where it was");
      await page.locator(".cm-editor").waitFor();
      // 4: an example; 5: the other language.
      await lose("**/scenarios/*.yaml");
      await on.action(page, "examples").click();
      await page.locator('[data-example="taints"]').click();
      await on.notice(page).waitFor();
      assert.equal((await on.moment(page)).position, 1);
      await page.unroute("**/scenarios/*.yaml");
      await on.action(page, "examples").click();
      await page.locator('[data-example="taints"]').click();
      await page.waitForFunction(() => /^Taints: /.test(globalThis.berth.frame().title));
      await lose("**/zh-CN.txt*");
      await page.evaluate(() => (globalThis.kept = true));
      await on.action(page, "language").selectOption("zh-CN");
      await on.notice(page).waitFor();
      assert.equal(await page.getAttribute("html", "lang"), "en");
      await page.unroute("**/zh-CN.txt*");
      // 6: everything, for a while.
      await page.context().setOffline(true);
      await on.step(page);
      assert.equal((await on.moment(page)).position, 1);
      await page.context().setOffline(false);
      assert.equal(await page.evaluate(() => globalThis.kept), true, "no reload in between");
      await on.runToEnd(page);
    },
    { path: null, allowed },
  );
});

test("a dump of any size survives a reload, and Forget removes it with all copies", { timeout: 240_000 }, async () => {
  await withPage(async (page) => {
    await on.started(page);
    const text = dump();
    await on.field(page, "files").setInputFiles({ name: "dump.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) });
    await page.waitForFunction(() => globalThis.berth.frame().nodes.some(({ name }) => name === "one"), null, { timeout: 60_000 });
    await on.inStep(page);
    await untilStored(page, ([name, length]) => name.endsWith(".text") && length > 6e6);
    await untilStored(page, ([name, length]) => name.includes(".large.") && length > 6e6);
    assert.ok((await page.evaluate(() => JSON.stringify(localStorage).length)) < 20_000, "nothing large in the local storage");
    await reload(page);
    await page.waitForFunction(() => globalThis.berth.frame().nodes.some(({ name }) => name === "one"), null, { timeout: 60_000 });
    assert.equal(await page.locator("[data-kept]").getAttribute("data-kept"), "kept");
    assert.match(await page.locator("[data-kept]").innerText(), /stays in this browser/);
    await on.action(page, "kept").click();
    await on.action(page, "forget").click();
    await page.waitForFunction(() => document.querySelector(".topbar__title") && !globalThis.berth?.frame().nodes.some(({ name }) => name === "one"), null, { timeout: 60_000 });
    await on.started(page);
    await leave(page);
    await page.waitForTimeout(1000);
    assert.ok((await stored(page)).every(([, length]) => length < 1e5), "nothing of the dump is left");
  });
});

test("visits of the earlier storage are taken over", { timeout: 60_000 }, async () => {
  await withPage(
    async (page, url, { context }) => {
      await context.addInitScript((text) => {
        if (localStorage.getItem("berth.seeded")) return;
        for (const [name, value] of Object.entries({ seeded: "1", tabs: "old", "old.text": text, "old.run": "x", "old.page": "y" })) localStorage.setItem(`berth.${name}`, value);
      }, NODE);
      await page.goto(url);
      await on.started(page);
      assert.equal(await on.text(page), NODE);
      assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("berth.old."))), []);
      assert.deepEqual((await stored(page)).filter(([name]) => name.startsWith("old.")), [["old.text", NODE.length]]);
    },
    { path: null },
  );
});

test("a browser that refuses to store says so, and one that is full", { timeout: 120_000 }, async () => {
  const refuse = () => {
    indexedDB.open = () => {
      throw new DOMException("denied", "SecurityError");
    };
  };
  const fill = () => {
    const own = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...given) {
      const request = own.apply(this, given);
      const { transaction } = this;
      queueMicrotask(() => {
        Object.defineProperty(transaction, "error", { configurable: true, value: new DOMException("full", "QuotaExceededError") });
        transaction.dispatchEvent(new Event("abort"));
      });
      return request;
    };
  };
  for (const [script, state, sentence] of [[refuse, "refused", /keeps nothing for Berth/], [fill, "full", /no more room/]]) {
    await withPage(
      async (page, url, { context }) => {
        await context.addInitScript(script);
        await page.goto(url);
        await on.started(page);
        await on.step(page);
        await page.locator(`[data-kept="${state}"]`).waitFor();
        assert.match(await page.locator("[data-kept]").innerText(), sentence);
        await on.notice(page).waitFor();
      },
      { path: null },
    );
  }
});

test("an open tab's visit outlives those of many tabs that were closed", { timeout: 240_000 }, async () => {
  await withPage(async (page, url, { context }) => {
    await on.started(page);
    await on.open(page, NODE);
    await leave(page);
    await untilStored(page, ([name]) => name.endsWith(".text"));
    // The tab is open again.
    await reload(page);
    for (let count = 0; count < 10; count += 1) {
      const other = await context.newPage();
      await other.goto(url, { waitUntil: "load" });
      await on.started(other);
      await other.waitForTimeout(700);
      await other.close();
    }
    await reload(page);
    assert.equal(await on.text(page), NODE);
    const tabs = new Set((await stored(page)).map(([name]) => name.split(".")[0]));
    assert.ok(tabs.size <= 10, String([...tabs]));
  });
});

test("framed by another page, the page shows and stores nothing of the visitor's", { timeout: 60_000 }, async () => {
  await withPage(async (page, url) => {
    await on.started(page);
    await on.open(page, NODE);
    await untilStored(page, ([name]) => name.endsWith(".text"));
    const before = await stored(page);
    await page.route("**/framing.html", (route) => route.fulfill({ contentType: "text/html", body: `<iframe src="./" width="1000" height="700"></iframe>` }));
    await page.goto(`${url}framing.html`);
    const frame = page.frameLocator("iframe");
    await frame.locator("[data-node]").first().waitFor();
    assert.equal(await frame.locator('[data-node="one"]').count(), 0);
    assert.equal(await frame.locator("[data-kept]").getAttribute("data-kept"), "nothing");
    await page.waitForTimeout(1000);
    await page.goto(url);
    await on.started(page);
    assert.equal(await on.text(page), NODE);
    assert.equal((await stored(page)).length, before.length);
  });
});
