// On a phone-sized screen everything is reachable: nothing covers anything else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "../harness.mjs";
import * as on from "../steps.mjs";

const VIEWPORT = { width: 390, height: 844 };

const started = (body) =>
  withPage(
    async (page) => {
      await on.started(page);
      await body(page);
    },
    { viewport: VIEWPORT, contextOptions: { hasTouch: true } },
  );

/** The visible panels, with the pixel positions of their top and bottom edges. */
const panels = (page) =>
  page.locator(".app > .panel").evaluateAll((all) =>
    all
      .filter((panel) => panel.checkVisibility())
      .map((panel) => {
        const inside = [panel, ...panel.children].map((one) => one.getBoundingClientRect());
        return {
          name: panel.getAttribute("aria-label"),
          top: Math.min(...inside.map((one) => one.top)),
          bottom: Math.max(...inside.map((one) => one.bottom)),
        };
      })
      .sort((one, other) => one.top - other.top),
  );

// The next panel would cover a panel without a height of its own.
test("the panels lie below each other", async () => {
  await started(async (page) => {
    for (const run of [false, true]) {
      if (run) await on.runToEnd(page);
      const shown = await panels(page);
      for (const [index, panel] of shown.entries()) {
        const before = shown[index - 1];
        assert.ok(!before || panel.top >= before.bottom - 1, `${panel.name} lies over ${before?.name}`);
      }
    }
  });
});

// Bars at the top and at the bottom that do not wrap would widen the page.
test("nothing is wider than the screen", async () => {
  await started(async (page) => {
    await on.runToEnd(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= VIEWPORT.width, `the page is ${width} pixels wide`);
    await page.locator('[data-action="pending-why"]').first().click();
    const board = await page.locator(".board").boundingBox();
    assert.deepEqual([board.x, board.width], [0, VIEWPORT.width], "the board");
  });
});

test("every control is on the screen, on every tab of a living cluster", async () => {
  await started(async (page) => {
    await page.locator(".topbar__menu").tap();
    await page.locator('[data-live="true"]').tap();
    await page.locator(".clock").waitFor();
    for (const tab of ["sources", "stage", "explain"]) {
      await page.locator(`[data-tab="${tab}"]`).tap();
      const outside = await page.locator(":is(.topbar, .timeline, .tabbar) :is(button, select, summary, label.btn)").evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility() && !one.closest(".visually-hidden"))
          .map((one) => [one.dataset.action ?? one.textContent, one.getBoundingClientRect()])
          .filter(([, { left, right, top, bottom }]) => left < 0 || right > innerWidth || top < 0 || bottom > innerHeight)
          .map(([name, { left, right }]) => `${name}: ${left} to ${right}`),
      );
      assert.deepEqual(outside, [], tab);
    }
  });
});

test("a lesson is in view where one panel fills the screen", async () => {
  await withPage(
    async (page) => {
      await page.locator(".lesson").waitFor();
      assert.ok(await page.locator(".lesson").isVisible());
      assert.match(await page.locator('[data-tab="sources"]').textContent(), /^Lesson/);
    },
    { path: "?lesson=01-where-does-it-go", viewport: VIEWPORT },
  );
});

test("the tabs show one panel at a time", async () => {
  await started(async (page) => {
    await on.step(page);
    const labels = async () => (await panels(page)).map((panel) => panel.name);
    assert.deepEqual(await labels(), ["Stage"]);
    // Every tab shows the result of the step.
    const verdict = page.locator(".verdictbar");
    assert.match(await verdict.textContent(), / goes to /);
    assert.ok(await verdict.isVisible());
    for (const [tab, label] of [["explain", "Explain"], ["sources", "Sources"], ["stage", "Stage"]]) {
      await page.locator(`[data-tab="${tab}"]`).tap();
      assert.deepEqual(await labels(), [label]);
      assert.equal(await page.locator("[data-tab][aria-current]").getAttribute("data-tab"), tab);
      // The page itself never scrolls: bars at the top and at the bottom stay.
      for (const bar of [".topbar", ".timeline", ".tabbar"]) assert.ok(await page.locator(bar).isVisible());
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      assert.ok(height <= VIEWPORT.height, `${tab}: ${height} pixels high`);
    }
    // A question asked on the stage opens the answer in Explain.
    const { nodes, selected } = await page.evaluate(() => globalThis.berth.explain(0));
    const { node } = nodes.find((one) => one.node !== selected);
    await on.node(page, node).locator(".node__name").tap();
    await on.action(page, "why-not").tap();
    await page.locator(`[data-why-not-answer="${node}"]`).waitFor();
    assert.deepEqual(await labels(), ["Explain"]);
  });
});

test("on a small laptop Sources opens over the stage, on a tablet Explain as well", async () => {
  for (const [width, drawers] of [[1024, ["sources"]], [800, ["sources", "explain"]]]) {
    await withPage(
      async (page) => {
        await on.started(page);
        const names = async () => (await panels(page)).map((panel) => panel.name).sort();
        const before = await names();
        const shown = (name) => names().then((all) => all.includes(name));
        for (const drawer of ["sources", "explain"]) {
          const button = page.locator(`[data-drawer="${drawer}"]`);
          assert.equal(await button.isVisible(), drawers.includes(drawer), `${width}: ${drawer}`);
          if (!drawers.includes(drawer)) continue;
          const name = await button.textContent();
          assert.ok(!(await shown(name)));
          await button.click();
          assert.ok(await shown(name));
          assert.equal(await button.getAttribute("aria-expanded"), "true");
          await button.click();
          assert.deepEqual(await names(), before);
          await button.click();
          await page.keyboard.press("Escape");
          await page.waitForFunction((drawer) => !document.querySelector(`.app--${drawer}`), drawer);
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `the page is ${wide} pixels wide`);
      },
      { viewport: { width, height: 768 } },
    );
  }
});

test("nodes and Pods are chosen by touch", async () => {
  await started(async (page) => {
    await on.runToEnd(page);
    await on.pod(page, "default/report").first().tap();
    await page.waitForSelector('[data-attempt="default/report"]', { state: "attached" });
    await on.node(page, "node-a1").locator(".node__name").tap();
    await page.waitForSelector('[data-selected="1"]');
  });
});

test("the bar has the whole title, and a menu of everything else", async () => {
  await started(async (page) => {
    const title = await page.locator(".topbar__title .clip").evaluate((one) => one.scrollWidth - one.clientWidth);
    assert.ok(title <= 0, `${title} pixels of the title are cut`);
    for (const name of ["compare", "examples", "new", "share", "export", "language", "theme", "help"]) {
      await page.locator(".topbar__menu").tap();
      const control = on.action(page, name);
      const { x, y, width, height } = await control.boundingBox();
      assert.ok(x >= 0 && y >= 0 && x + width <= VIEWPORT.width && y + height <= VIEWPORT.height, name);
      assert.ok(await page.locator(".topbar label.btn").isVisible(), "Open");
      if (name === "language" || name === "new") {
        if (name === "new") await page.keyboard.press("Escape");
        else await page.locator(".topbar__menu").tap();
        assert.ok(!(await page.locator(".topbar__more").isVisible()), "the menu closes");
        continue;
      }
      await control.tap();
      assert.ok(!(await page.locator(".topbar__more").isVisible()), `the menu stays open after ${name}`);
      if (name === "theme") continue;
      await page.locator('[role="dialog"]').first().waitFor();
      await page.keyboard.press("Escape");
      await page.locator('[role="dialog"]').first().waitFor({ state: "detached" });
    }
  });
});

test("one row of the stage's tab has transport and ruler, and a swipe is a step", async () => {
  await started(async (page) => {
    await on.step(page);
    const box = (selector) => page.locator(selector).boundingBox();
    const [timeline, transport, ruler] = [await box(".timeline"), await box(".transport"), await box(".ruler")];
    assert.ok(ruler.x >= transport.x + transport.width && ruler.y < transport.y + transport.height, "side by side");
    assert.ok(timeline.height < 60, `the timeline is ${timeline.height} pixels high`);
    const [sentence, tabs] = [await box(".verdictbar"), await box(".tabbar")];
    const share = (sentence.height + timeline.height + tabs.height) / VIEWPORT.height;
    assert.ok(share < 0.2, `${share} of the height`);
    assert.equal(await page.locator(".timeline [data-step]:visible").count(), 0);
    await page.locator('[data-tab="explain"]').tap();
    assert.equal(await page.locator(".timeline [data-step]:visible").count(), 3, "where one steps by plugin");
    assert.equal(await page.locator(".ruler:visible").count(), 0);
    await page.locator('[data-tab="stage"]').tap();

    const client = await page.context().newCDPSession(page);
    const swipe = async (from, to) => {
      const touch = (type, points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points });
      await touch("touchStart", [{ x: from[0], y: from[1] }]);
      for (let part = 1; part <= 5; part += 1) {
        const at = (axis) => from[axis] + ((to[axis] - from[axis]) * part) / 5;
        await touch("touchMove", [{ x: at(0), y: at(1) }]);
      }
      await touch("touchEnd", []);
      await on.inStep(page);
    };
    const position = () => on.moment(page).then(({ position }) => position);
    await swipe([300, 400], [120, 410]);
    await page.waitForFunction(() => document.querySelector("[data-position]").dataset.position === "2");
    await swipe([120, 400], [300, 390]);
    await page.waitForFunction(() => document.querySelector("[data-position]").dataset.position === "1");
    await swipe([200, 500], [190, 250]);
    assert.equal(await position(), 1, "down and up scrolls");
    assert.ok(await on.action(page, "board").isVisible(), "What if");
  });
});
