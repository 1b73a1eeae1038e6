// A first visit plays its own opening: something is placed at once, and any key or click takes over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import { slowness } from "./speed.mjs";
import * as on from "./steps.mjs";

const line = (page) => page.locator("[data-opening]");
const ended = (page) => page.locator('[data-opening="true"]');

test("it places three Pods, stops, and says what to press", { timeout: 60_000 }, async () => {
  await withPage(
    async (page) => {
      await page.locator('[data-opening="false"]').waitFor();
      await ended(page).waitFor();
      await on.started(page);
      assert.equal((await on.moment(page)).position, 3);
      const text = /This is kube-scheduler.*7 more wait\. Press → to place the next, .*or learn it in 30 short lessons\./s;
      assert.match(await ended(page).innerText(), text);
      assert.equal(await on.action(page, "play").getAttribute("aria-label"), "Play");
      await page.keyboard.press("ArrowRight");
      await line(page).waitFor({ state: "detached" });
      await on.inStep(page);
      assert.equal((await on.moment(page)).position, 4);
      // A returning visitor is where they were.
      await page.waitForTimeout(700);
      await page.reload({ waitUntil: "load" });
      await on.started(page);
      assert.equal((await on.moment(page)).position, 4);
      await page.waitForTimeout(1500);
      assert.equal(await line(page).count(), 0);
      assert.equal((await on.moment(page)).position, 4);
    },
    { opening: true, motion: true },
  );
});

for (const [what, take] of [
  ["a key", (page) => page.keyboard.press("Shift")],
  ["a click", (page) => page.mouse.click(700, 300)],
]) {
  test(`${what} takes over`, { timeout: 60_000 }, async () => {
    await withPage(
      async (page) => {
        await page.locator('[data-opening="false"]').waitFor();
        await take(page);
        await page.locator('[data-opening="false"]').waitFor({ state: "detached" });
        await on.started(page);
        const { position } = await on.moment(page);
        assert.ok(position < 3, String(position));
        await page.waitForTimeout(1500);
        assert.equal((await on.moment(page)).position, position);
      },
      { opening: true, motion: true },
    );
  });
}

test("without motion it shows its end", { timeout: 60_000 }, async () => {
  await withPage(
    async (page) => {
      await ended(page).waitFor();
      await on.started(page);
      assert.equal((await on.moment(page)).position, 3);
    },
    { opening: true },
  );
});

test("the text is open at the explained Pod's document, and has room for its lines", { timeout: 60_000 }, async () => {
  await withPage(
    async (page) => {
      await ended(page).waitFor();
      await on.started(page);
      const lines = () =>
        page.evaluate(() => {
          const box = document.querySelector(".cm-scroller")?.getBoundingClientRect();
          const shown = [...document.querySelectorAll(".cm-line")].map((line) => {
            const range = document.createRange();
            range.selectNodeContents(line);
            const { top, bottom, right } = range.getBoundingClientRect();
            return { text: line.textContent, isIn: top >= box.top && bottom <= box.bottom, isCut: right > box.right };
          });
          return shown.filter(({ isIn }) => isIn);
        });
      await page.waitForFunction(() => [...document.querySelectorAll(".cm-line")].some((line) => line.textContent === "kind: Deployment"));
      const shown = await lines();
      const first = shown.findIndex(({ text }) => text === "kind: Deployment");
      assert.equal(shown[first + 2]?.text, "  name: web", JSON.stringify(shown));
      const rest = shown.slice(first);
      const end = rest.findIndex(({ text }) => text === "---");
      const cut = rest.slice(0, end < 0 ? rest.length : end).filter(({ isCut }) => isCut);
      assert.deepEqual(cut, []);
    },
    { opening: true, viewport: { width: 1440, height: 900 } },
  );
});

test("its last words open the course", { timeout: 60_000 }, async () => {
  await withPage(
    async (page) => {
      await ended(page).waitFor();
      await on.action(page, "learn").click();
      await page.locator(".course .stop").first().waitFor();
      assert.equal(await line(page).count(), 0);
    },
    { opening: true },
  );
});

for (const [lang, theme, title] of [["en", "light", /^First steps/], ["zh", "dark", /^入门/]]) {
  test(`a picture stands until the program is there (${lang}, ${theme})`, { timeout: 60_000 }, async () => {
    await withPage(
      async (page, url) => {
        let open;
        const gate = new Promise((resolve) => (open = resolve));
        await page.route("**/*_bg.wasm", async (route) => {
          await gate;
          await route.continue();
        });
        const picture = page.locator("#picture");
        await page.goto(`${url}?lang=${lang}&theme=${theme}`, { waitUntil: "commit" });
        await picture.waitFor();
        assert.equal(await page.getAttribute("html", "data-theme"), theme);
        assert.equal(await picture.getAttribute("aria-hidden"), "true");
        const shown = await picture.locator(`.topbar [data-in]`).evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent));
        assert.equal(shown.length, 1);
        assert.match(shown[0], title);
        assert.ok((await picture.locator("svg .art-quay").count()) === 6);
        open();
        await on.started(page);
        await picture.waitFor({ state: "detached" });
        // Another visit is not a first one, and an address may name something else.
        await page.reload();
        await on.started(page);
        await page.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()));
        const stood = () => page.evaluate(() => globalThis.stood);
        await page.addInitScript(() => new MutationObserver(() => (globalThis.stood ||= document.getElementById("picture") !== null)).observe(document, { childList: true, subtree: true }));
        await page.goto(`${url}?example=taints`);
        await on.started(page);
        assert.ok(!(await stood()));
      },
      { opening: true, path: null },
    );
  });
}

test("something is placed soon after the program has drawn", { timeout: 60_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.addInitScript(() => {
        new MutationObserver((_, observer) => {
          if (document.querySelector("#app .app") && !performance.getEntriesByName("drawn").length) performance.mark("drawn");
          if (!document.querySelector("[data-node] [data-pod]")) return;
          observer.disconnect();
          requestAnimationFrame(() => performance.mark("placed"));
        }).observe(document, { childList: true, subtree: true });
        addEventListener("TrunkApplicationStarted", () => performance.mark("started"));
      });
      await page.goto(url);
      await ended(page).waitFor();
      const times = await page.evaluate(() => {
        const at = (entries) => entries[0]?.startTime ?? Number.NaN;
        const loaded = (ending) => performance.getEntriesByType("resource").find(({ name }) => name.endsWith(ending))?.responseEnd;
        return {
          "the page's WebAssembly is there": loaded("_bg.wasm"),
          "it is compiled and has started": at(performance.getEntriesByName("started")),
          "first paint": at(performance.getEntriesByName("first-contentful-paint")),
          "the program has drawn": at(performance.getEntriesByName("drawn")),
          "first Pod placed": at(performance.getEntriesByName("placed")),
        };
      });
      for (const [what, time] of Object.entries(times)) console.log(`${Math.round(time).toString().padStart(6)} ms  ${what}`);
      const [paint, placed] = [times["the program has drawn"], times["first Pod placed"]];
      const { slow } = await slowness(page, async () => {});
      assert.ok((placed - paint) / slow < 1000, `${placed} ms, ${paint} ms, on a machine ${slow} times slower`);
    },
    { opening: true, motion: true, path: null },
  );
});
