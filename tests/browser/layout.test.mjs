// How the regions share the window: folded, widened, in presentation size; and the scenario's description.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const region = (page, name) => page.locator(`.panel.${name}`);
const width = async (page, name) => Math.round((await region(page, name).boundingBox()).width);
const seen = (page, name) => page.locator(`[data-fold="${name}"]:visible`).first();
const edge = (page, name) => page.locator(`.edge--${name}`);
const focused = (page) =>
  page.evaluate(() => `${document.activeElement.dataset.fold} ${document.activeElement.getAttribute("aria-expanded")}`);

test("panels fold to a rail and come back, by mouse and by key, and stay so after a reload", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const stage = await width(page, "stage");
    await seen(page, "sources").click();
    await page.waitForSelector(".app--no-sources");
    assert.equal(await width(page, "sources"), 28);
    assert.ok((await width(page, "stage")) > stage + 200);
    assert.equal(await page.locator(".cm-content:visible, .manifests:visible").count(), 0);
    await page.waitForFunction(() => document.activeElement.classList.contains("rail"));
    assert.equal(await focused(page), "sources false");
    await page.keyboard.press("]");
    await page.waitForSelector(".app--no-explain");
    assert.equal(await width(page, "explain"), 28);

    await page.reload({ waitUntil: "load" });
    await on.started(page);
    assert.deepEqual([await width(page, "sources"), await width(page, "explain")], [28, 28]);
    await seen(page, "sources").press("Enter");
    await page.waitForSelector(".app:not(.app--no-sources)");
    await page.waitForFunction(() => document.activeElement.classList.contains("fold"));
    await page.locator("body").press("]");
    await page.waitForSelector(".app:not(.app--no-explain)");
    assert.equal(await width(page, "stage"), stage);
    // Explaining a Pod unfolds Explain.
    await page.locator("body").press("]");
    await page.waitForSelector(".app--no-explain");
    await page.locator(".queue [data-pod]").first().focus();
    await page.keyboard.press("e");
    await page.waitForSelector(".app:not(.app--no-explain)");
  });
});

test("an edge is dragged, moved by arrows, and put back", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const first = await width(page, "sources");
    const box = await edge(page, "sources").boundingBox();
    await page.mouse.move(box.x + 3, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 63, box.y + 200, { steps: 4 });
    assert.equal(await width(page, "sources"), first + 60, "it follows the pointer");
    await page.mouse.up();
    assert.equal(await width(page, "sources"), first + 60);
    const { position } = await on.moment(page);
    await edge(page, "sources").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((width) => document.querySelector(".sources").clientWidth === width, first + 76);
    assert.equal((await on.moment(page)).position, position, "the run took no step");
    await page.reload({ waitUntil: "load" });
    await on.started(page);
    assert.equal(await width(page, "sources"), first + 76);
    await edge(page, "sources").dblclick();
    await page.waitForFunction((width) => document.querySelector(".sources").clientWidth === width, first);

    const explain = await width(page, "explain");
    await edge(page, "explain").focus();
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((width) => document.querySelector(".explain").offsetWidth === width, explain + 16);
  });
});

test("an edge that the browser takes the pointer from goes back", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const first = await width(page, "sources");
    const { x, y } = await edge(page, "sources").boundingBox();
    const send = (type, by) =>
      edge(page, "sources").dispatchEvent(type, { clientX: x + by, clientY: y + 200, pointerId: 1, bubbles: true });
    await send("pointerdown", 3);
    await send("pointermove", 63);
    assert.equal(await width(page, "sources"), first + 60);
    await send("pointercancel", 63);
    assert.equal(await width(page, "sources"), first);
    await send("pointermove", 93);
    assert.equal(await width(page, "sources"), first, "no button is down");

    // Two taps put it back, even if the browser sends no `dblclick`.
    await edge(page, "sources").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((width) => document.querySelector(".sources").clientWidth === width, first + 16);
    for (const type of ["pointerdown", "pointerup", "pointerdown", "pointerup"]) await send(type, 19);
    await page.waitForFunction((width) => document.querySelector(".sources").clientWidth === width, first);
  });
});

test("in presentation size the manifests are one click away", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.locator("body").press("p");
    await page.waitForSelector("[data-size=presentation] .app--no-sources");
    await seen(page, "sources").click();
    await page.waitForSelector(".app:not(.app--no-sources)");
    assert.ok((await width(page, "sources")) > 300);
    await on.terminal(page);
    await on.run(page, "kubectl get nodes");
    await page.locator('[data-action="presentation"]').click();
    await page.waitForSelector(":root:not([data-size])");
  });
});

test("the timeline folds to its bar", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.locator('[data-fold="ruler"]').click();
    await page.waitForSelector(".app--no-ruler");
    assert.equal(await page.locator(".ruler:visible").count(), 0);
    await on.step(page);
    await page.locator('[data-fold="ruler"]').click();
    await page.waitForSelector(".ruler");
  });
});

test("the title opens what the scenario is about, with a hint at a time", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.action(page, "about").click();
    const dialog = page.locator('[role="dialog"]');
    await dialog.waitFor();
    const { title, about } = await on.frame(page);
    assert.equal(await dialog.locator("h3").textContent(), title);
    assert.equal(about.hints.length, 3);
    assert.equal(await dialog.locator("details").count(), 3);
    assert.equal(await dialog.locator("details[open]").count(), 0);
    await dialog.locator("summary").first().click();
    assert.equal(await dialog.locator("details[open] p").textContent(), about.hints[0].replaceAll("`", ""));
    await page.keyboard.press("Escape");
    await on.open(page, "apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: <b>plain</b>\n");
    await page.waitForFunction(() => !document.querySelector('[data-action="about"]'));
    assert.match(await page.locator(".topbar__title").textContent(), /<b>plain<\/b>/);
    // Without a Scenario, the file's name is the title.
    await on.open(page, "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n", "production.yaml");
    await page.locator(".topbar__title", { hasText: /^production\.yaml$/ }).waitFor();
  });
});

test("arrows reach labels and taints on a card, and Enter edits them", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.node(page, "cp-1").focus();
    await page.keyboard.press("Enter");
    const here = () => page.evaluate(() => document.activeElement.className);
    for (let count = 0; count < 6 && !/\bchip--taint\b/.test(await here()); count += 1) await page.keyboard.press("ArrowLeft");
    for (let count = 0; count < 6 && !/\bchip--taint\b/.test(await here()); count += 1) await page.keyboard.press("ArrowRight");
    assert.match(await here(), /\bchip--taint\b/);
    await page.keyboard.press("Enter");
    await page.locator('[data-form="cp-1"]').waitFor();
  });
});

test("the editor that is typed in is as wide as the terminal, and its note is not broken", async () => {
  await withPage(
    async (page) => {
      await on.started(page);
      const note = page.locator(".problem--note").first();
      assert.equal(await note.textContent(), "No problems.");
      const lines = await note.evaluate((note) => {
        const range = document.createRange();
        range.selectNode(note.firstChild);
        return range.getClientRects().length;
      });
      assert.equal(lines, 1, "“No problems.” is broken");
      await page.locator('[data-source="terminal"]').click();
      const wide = await width(page, "sources");
      await page.locator('[data-source="manifests"]').click();
      assert.ok((await width(page, "sources")) < wide);
      await page.locator(".cm-content").click();
      await page.keyboard.type("# ");
      await page.waitForSelector(".app--writing");
      assert.equal(await width(page, "sources"), wide);
    },
    { viewport: { width: 1366, height: 768 } },
  );
});

test("in a large window few nodes fill most of the stage, and lines of YAML are whole", async () => {
  await withPage(
    async (page) => {
      await on.started(page);
      await page.locator(".cm-line").first().waitFor();
      const filled = await page.evaluate(() => {
        const box = (element) => element.getBoundingClientRect();
        const stage = box(document.querySelector(".stage__body"));
        const bottoms = [...document.querySelectorAll("[data-node]")].map((node) => box(node).bottom);
        return (Math.max(...bottoms) - stage.top) / stage.height;
      });
      assert.ok(filled > 0.55 && filled <= 1, `${Math.round(100 * filled)} % of the stage`);
      assert.ok((await width(page, "sources")) > 500);
    },
    { viewport: { width: 1920, height: 1080 } },
  );
});

test("a notice covers no control beside the stage, on narrow windows too", async () => {
  for (const size of [{ width: 1366, height: 768 }, { width: 1024, height: 768 }, { width: 800, height: 600 }]) {
    await withPage(
      async (page) => {
        await on.started(page);
        await on.runToEnd(page);
        await page.locator('[data-live="true"]').click();
        const notice = await on.notice(page).boundingBox();
        const covered = await page.locator(":is(.topbar, .sources, .explain, .timeline, .queue, .stage__head) :is(button, select, input, summary)").evaluateAll(
          (all, notice) =>
            all
              .filter((one) => one.checkVisibility() && !one.closest(".visually-hidden, .ruler"))
              .filter((one) => {
                const { left, right, top, bottom } = one.getBoundingClientRect();
                return left < notice.x + notice.width && right > notice.x && top < notice.y + notice.height && bottom > notice.y;
              })
              .map((one) => one.dataset.action ?? one.textContent),
          notice,
        );
        assert.deepEqual(covered, [], `${size.width} pixels`);
      },
      { viewport: size },
    );
  }
});
