// Records the functions that a first visit runs: opens a page whose module records them (`berth-split
// watch`) in a browser, plays the first example and opens its views. Functions that only show the
// example belong to the first module; functions that change manifests may wait for the lazy module.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withPage } from "../../../tests/browser/harness.mjs";

export const VIEWPORT = { width: 1440, height: 900 };

/** Milliseconds without a change after which the page has settled. */
const QUIET_MS = 400;

/** The broadcast channel on which the worker reports the functions it ran. */
const CHANNEL = "first-visit";

/** Numbers of the functions that ran on the page and in its worker. `folder`: the page with the recording module. */
export async function firstVisit(folder) {
  const worker = join(folder, "worker.js");
  const script = readFileSync(worker, "utf8").replace("await bindings.default(", "self.watched = await bindings.default(");
  writeFileSync(worker, `${script}${ran}\nnew BroadcastChannel("${CHANNEL}").onmessage = ({ target, data }) => {
  if (data === "tell") target.postMessage(ran(self.watched));\n};\n`);
  const seen = new Set();
  await withPage(
    async (page, url, { context }) => {
      await context.addInitScript(() => {
        // Each page that is opened is a first visit: what restores one comes with the lazy module.
        const isKept = (name) => name.endsWith(".opened");
        for (const name of Object.keys(localStorage)) if (!isKept(name)) localStorage.removeItem(name);
        sessionStorage.clear();
        addEventListener("TrunkApplicationStarted", ({ detail }) => (globalThis.watched = detail.wasm));
      });
      const devtools = await context.newCDPSession(page);
      const collect = async () => {
        for (const number of await page.evaluate(`(${functionsThatRan})(${ran}, "${CHANNEL}")`)) seen.add(number);
      };
      // Which functions run may depend on whether the page or the engine is faster.
      for (const rate of [1, 4]) {
        await devtools.send("Emulation.setCPUThrottlingRate", { rate });
        await page.goto(url);
        if (rate === 1) await page.locator('[data-opening="true"]').waitFor();
        await visit(page);
        // This page has no lazy module, so the action fails with a notice. That path must be in the first module.
        await page.locator('[data-action="add"]').click();
        await page.locator("[data-notice]").waitFor();
        await collect();
      }
      // A key takes over from the opening.
      await page.evaluate(() => localStorage.removeItem("berth.opened"));
      await page.goto(url);
      await page.locator('[data-opening="false"]').waitFor();
      await page.keyboard.press("Shift");
      await page.locator('[data-opening="false"]').waitFor({ state: "detached" });
      await page.evaluate(settled, QUIET_MS);
      await collect();
      // A worker that is late, and an editor that cannot be fetched: nothing that is said of them may wait.
      await page.route("**/editor.js*", (route) => route.abort());
      await page.goto(`${url}?lang=en`, { waitUntil: "commit" });
      await page.evaluate(() => {
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (...message) {
          setTimeout(() => post.apply(this, message), 1500);
        };
      });
      await page.waitForSelector("[data-digest]");
      await page.evaluate(settled, QUIET_MS);
      await page.locator('[data-action="step"]').first().click();
      await page.waitForTimeout(4000);
      await page.evaluate(settled, QUIET_MS);
      await collect();
      await page.unroute("**/editor.js*");
      // A run that begins at once draws all Pods together.
      await page.goto(url);
      await page.waitForSelector("[data-digest]");
      await page.locator('[data-action="run"]').click();
      await page.evaluate(settled, QUIET_MS);
      await collect();
      // A first visit in Chinese begins without the lazy module as well.
      await page.goto(`${url}?lang=zh`);
      await page.waitForSelector("html[lang=zh-CN] [data-digest]");
      await page.locator('[data-action="step"]').first().click();
      await page.evaluate(settled, QUIET_MS);
      await collect();
      await page.goto(`${url}?lang=en`);
      await page.waitForSelector("[data-digest]");
      // Typed text is kept until it can be read.
      const manifests = page.locator('[data-field="manifests"]');
      await manifests.fill((await manifests.inputValue()).replace("replicas: ", "replicas:  "));
      await page.locator("[data-unread]").waitFor({ state: "attached" });
      await collect();
    },
    { folder, opening: true, motion: true, path: null, viewport: VIEWPORT, allowed: (problem) => /404|ERR_FAILED/.test(problem) },
  );
  return [...seen].sort((a, b) => a - b);
}

/** Runs on the page and in its worker. */
function ran(exports) {
  const names = Object.keys(exports).filter((name) => /^seen\d+$/.test(name));
  return names.filter((name) => exports[name].value === 1).map((name) => Number(name.slice(4)));
}

/** Runs on the page. */
async function functionsThatRan(ran, name) {
  const channel = new BroadcastChannel(name);
  const worker = new Promise((resolve) => (channel.onmessage = ({ data }) => resolve(data)));
  channel.postMessage("tell");
  return [...ran(globalThis.watched), ...(await worker)];
}

/** Runs on the page: waits until it has not changed for `quiet` milliseconds, at most ten times that, so that the
 * recording does not depend on the machine's load. */
function settled(quiet) {
  return new Promise((resolve) => {
    let timer;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(done, quiet);
    };
    const observer = new MutationObserver(wait);
    const done = () => {
      observer.disconnect();
      resolve();
    };
    observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
    setTimeout(done, 10 * quiet);
    wait();
  });
}

/**
 * Acts as a first visitor, and lets the page settle for `quiet` milliseconds after each action. Must not wait for
 * `globalThis.berth`: that is a second engine, which visitors do not call.
 */
export async function visit(page, quiet = QUIET_MS) {
  const rest = () => page.evaluate(settled, quiet);
  const does = async (name) => {
    await page.locator(`[data-action="${name}"]`).first().click();
    await rest();
  };
  await page.waitForSelector("[data-node]");
  await page.waitForSelector("[data-digest]");
  await rest();
  for (const name of ["step", "step", "step-back", "step"]) await does(name);
  // Without the lazy module the page says that it cannot store the visit.
  await page.locator("[data-notice] button").click();
  for (const size of ["2", "3", "1"]) {
    await page.keyboard.press(size);
    for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight"]) {
      await page.keyboard.press(key);
      await rest();
    }
  }
  await page.keyboard.press("Space");
  await page.waitForTimeout(1500);
  await page.keyboard.press("Space");
  await rest();
  await does("run");
  await rest();
  // Printing cannot wait for a fetch.
  for (const event of ["beforeprint", "afterprint"]) {
    await page.evaluate((event) => dispatchEvent(new Event(event)), event);
    await rest();
  }
  // The focus comes to a card and leaves it.
  await page.locator("[data-node]").first().focus();
  await page.keyboard.press("Tab");
  await rest();
  for (const kind of ["[data-cell]", "[data-pod]"]) {
    const count = await page.locator(kind).count();
    for (let index = 0; index < count; index += Math.ceil(count / 8)) {
      await page.locator(kind).nth(index).click({ timeout: 2000 }).catch(() => {});
      await rest();
    }
  }
  await does("theme");
  await does("theme");
  await does("step-back");
  await does("reset");
}
