// The page in Firefox and WebKit: first visit, stepping, editing, terminal, reload. Everything else is tested in
// Chromium. An engine that is not installed is skipped with a message.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINES } from "../engines.mjs";
import { DIST } from "../harness.mjs";
import { serve } from "../server.mjs";

const TIMEOUT = 240_000;

/** Waits in the page until the condition, a function without variables of the test, is true. */
async function until(browser, condition, what) {
  const body = `async () => {
    const end = Date.now() + 60000;
    while (Date.now() < end) {
      if (await (${condition})()) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  }`;
  assert.ok(await browser.evaluate(body), `never: ${what}`);
}

/** Waits until the page shows what the session of `globalThis.berth` has. */
const inStep = (browser) =>
  until(
    browser,
    () => {
      const { position, digest } = document.querySelector("[data-position]")?.dataset ?? {};
      return globalThis.berth && Number(position) === globalThis.berth.position && digest === globalThis.berth.digest();
    },
    "the page is in step",
  );

const click = (browser, selector) => browser.evaluate(`() => document.querySelector(${JSON.stringify(selector)}).click()`);

for (const engine of ENGINES) {
  const skip = engine.missing ? `skipped: ${engine.missing}` : false;
  test(`${engine.name}: first visit, stepping, editing, terminal, reload`, { skip, timeout: TIMEOUT }, async () => {
    const server = await serve(DIST);
    try {
      await engine.with(async (browser) => {
        await browser.open(server.url);
        await until(browser, () => document.querySelector("[data-node]") !== null, "nodes are drawn");
        await inStep(browser);
        const { nodes, drawn } = await browser.evaluate(() => ({
          nodes: globalThis.berth.frame().nodes.length,
          drawn: document.querySelectorAll("[data-node]").length,
        }));
        assert.equal(drawn, nodes);

        // The first visit may play an opening, so a step begins from the start.
        await click(browser, '[data-action="reset"]');
        await until(browser, () => globalThis.berth.position === 0 && document.querySelector("[data-position]").dataset.position === "0", "the start is shown");
        await click(browser, '[data-action="step"]');
        await until(browser, () => Number(document.querySelector("[data-position]").dataset.position) === 1, "a step is drawn");
        await until(browser, () => document.querySelector("[data-attempt]") !== null, "the attempt is explained");
        await inStep(browser);

        await browser.evaluate(() => {
          const area = document.querySelector('[data-field="manifests"]');
          // The editor has the lines in DOM that are near those it shows.
          const lines = [...document.querySelectorAll(".cm-line")].map((line) => line.textContent);
          const name = lines.find((line) => line.startsWith("  name: "));
          area.value = area.value.replace(/^title: .*$/m, "title: Edited here").replace(`\n${name}\n`, `\n${name} # Edited there\n`);
          area.dispatchEvent(new InputEvent("input", { bubbles: true }));
        });
        await until(browser, () => document.querySelector(".topbar__title").textContent.includes("Edited here"), "the edit is read");
        await until(browser, () => document.querySelector(".cm-content")?.textContent.includes("Edited there"), "the editor shows it");

        await click(browser, '[data-source="terminal"]');
        await until(browser, () => document.querySelector('[data-field="terminal"]') !== null, "the terminal is open");
        await browser.evaluate(() => {
          const line = document.querySelector('[data-field="terminal"]');
          line.value = "kubectl get nodes";
          line.dispatchEvent(new InputEvent("input", { bubbles: true }));
          line.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
        });
        await until(browser, () => document.querySelector("[data-printed] .term__out")?.textContent.includes("STATUS"), "kubectl prints nodes");

        // The visit is stored half a second after the last change.
        await new Promise((resolve) => setTimeout(resolve, 2000));
        await browser.open(server.url);
        await until(browser, () => document.querySelector(".topbar__title")?.textContent.includes("Edited here"), "the reload restores the edit");
        await until(browser, () => document.querySelector("[data-node]") !== null, "nodes are drawn again");
      });
    } finally {
      await server.close();
    }
  });
}
