// Presenter mode: one key plays a lesson or steps a scenario, the notes are in a second window that the room never
// sees, and a ring follows the pointer.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import axe from "axe-core";
import { withPage } from "../harness.mjs";
import * as on from "../steps.mjs";

const fixture = (name) => readFile(new URL(`../../it/lessons/${name}`, import.meta.url), "utf8");
const LESSONS = ["05-labels", "06-again"];
const COURSE = JSON.stringify({
  chapters: [{
    title: { en: "Choosing nodes", "zh-CN": "选择节点" },
    lessons: LESSONS.map((slug) => ({
      slug, title: { en: `Lesson ${slug}`, "zh-CN": `课程 ${slug}` }, minutes: 6, exam: [],
    })),
  }],
  glossary: [],
});
/** What the room must not see before it is played: a hint, the solution and its note, and feedback. */
const SECRETS = {
  en: ["which labels there are", "label node node-b disk=ssd", "asks for the label", "label on the Pod is not", "has no SSD"],
  zh: ["查看有哪些标签", "label node node-b disk=ssd", "选择算符看的是标签", "不是节点上的标签", "这个节点没有 SSD"],
};

/** Opens the fixture as a lesson of two, in presentation size. */
async function presented(language, body, more = {}) {
  const options = { path: null, viewport: { width: 1440, height: 900 }, contextOptions: { locale: language === "zh" ? "zh-CN" : "en", bypassCSP: true }, ...more };
  await withPage(async (page, url, details) => {
    const text = await fixture("05-labels.yaml");
    const answers = { "course.json": COURSE, [`${LESSONS[0]}.zh-CN.yaml`]: await fixture("05-labels.zh-CN.yaml") };
    for (const slug of LESSONS) answers[`${slug}.yaml`] = text;
    answers[`${LESSONS[1]}.zh-CN.yaml`] = answers[`${LESSONS[0]}.zh-CN.yaml`];
    await details.context.route("**/lessons/*", (route) => {
      const body = answers[new URL(route.request().url()).pathname.split("/").pop()];
      return body === undefined ? route.abort() : route.fulfill({ body });
    });
    await page.goto(`${url}?lesson=${LESSONS[0]}`);
    await page.locator(".lesson h2").first().waitFor();
    await page.locator("[data-goal]").first().waitFor();
    await page.keyboard.press("p");
    await page.locator("[data-ring]").waitFor({ state: "attached" });
    await body(page, details);
  }, options);
}

/** Opens the notes by the key. */
async function notesOf(page, context) {
  const [notes] = await Promise.all([context.waitForEvent("page"), page.keyboard.press("n")]);
  await notes.locator('[data-notes="there"] .pad__node').first().waitFor({ timeout: 60_000 });
  return notes;
}

/** The step of the solution that was played, in the lesson. */
const played = (page) => page.locator(".lesson__solution > [data-step]");
const upcoming = (notes, what) => notes.locator(`[data-upcoming="${what}"]`).waitFor();
const seen = async (page) => page.evaluate(() => document.body.textContent);

/** The room sees these of the secrets, and no others. */
async function sees(page, secrets, expected) {
  const text = await seen(page);
  assert.deepEqual(secrets.filter((secret) => text.includes(secret)), expected);
}

async function isClean(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(grave.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
}

for (const language of ["en", "zh"]) {
  test(`one key plays the solution, and only the notes tell it before (${language})`, { timeout: 180_000 }, async () => {
    const secrets = SECRETS[language];
    const [, solution, note] = secrets;
    await presented(language, async (page, { context }) => {
      const notes = await notesOf(page, context);
      assert.equal(await notes.evaluate(() => document.documentElement.lang), language === "zh" ? "zh-CN" : "en");
      await upcoming(notes, "Solution");
      const shown = await seen(notes);
      for (const secret of secrets) assert.ok(shown.includes(secret), `the notes lack: ${secret}`);
      assert.ok(shown.includes(language === "zh" ? "课程 06-again" : "Lesson 06-again"), "what comes after it");
      assert.equal(await notes.locator('[data-solution="next"]').count(), 1);
      await sees(page, secrets, []);
      await isClean(notes);

      // A clicker sends PageDown and PageUp, to whichever window has the focus.
      await page.keyboard.press("PageDown");
      await played(page).waitFor();
      await notes.locator('[data-solution="played"]').waitFor();
      await upcoming(notes, "Lesson");
      await page.locator('[data-lesson="done"]').waitFor();
      await sees(page, secrets, [solution, note]);
      await isClean(page);

      await notes.keyboard.press("PageUp");
      await played(page).waitFor({ state: "detached" });
      await notes.locator('[data-solution="next"]').waitFor();
      // The engine reports the goals after it has played the lesson again.
      await notes.waitForFunction(() => !document.querySelector('[data-goal="true"]'));
      await sees(page, secrets, []);

      await page.keyboard.press("ArrowRight");
      await notes.locator('[data-solution="played"]').waitFor();
      await on.action(notes, "notes-back").click();
      await upcoming(notes, "Solution");
      await on.action(notes, "notes-next").click();
      await upcoming(notes, "Lesson");
      await played(page).waitFor();

      // A reload keeps what the engine has played.
      await notes.waitForFunction(() => document.querySelectorAll('[data-goal="true"]').length === 2);
      await on.inStep(page);
      // A reload of the projected page loses neither the notes nor what was played.
      // (An address with ?lesson= begins that lesson, so it is left out.)
      await page.evaluate(() => history.replaceState(null, "", location.pathname));
      await page.reload();
      await played(page).waitFor();
      await upcoming(notes, "Lesson");

      await on.action(notes, "notes-next").click();
      await notes.waitForFunction(() => /2.*2/.test(document.querySelector(".notes__head .muted").textContent));
      await upcoming(notes, "Solution");
      await sees(page, secrets, []);

      await page.keyboard.press("p");
      await notes.locator('[data-notes="waits"]').waitFor();
    });
  });
}

test("the room has the lesson, the queue and the played step at 1366 x 768", { timeout: 120_000 }, async () => {
  await presented("en", async (page) => {
    await page.locator(".lesson h2").waitFor();
    const edges = (selector) => page.locator(selector).evaluateAll((found) => found.map((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return { left, right, top, bottom };
    }));
    const [stage] = await edges(".app > .stage");
    const lanes = await edges(".queue > .lane");
    assert.equal(lanes.length, 3);
    for (const lane of lanes) assert.ok(lane.left >= stage.left && lane.right <= stage.right + 1, JSON.stringify({ lane, stage }));
    await page.keyboard.press("PageDown");
    await page.locator('[data-lesson="done"]').waitFor();
    await page.waitForFunction(() => {
      const [panel, step] = [".lesson__scroll", ".lesson__solution > [data-step] pre"].map((it) => document.querySelector(it).getBoundingClientRect());
      return step.top >= panel.top && step.bottom <= panel.bottom;
    });

    // Folded by hand, the lesson leaves the step to a row below the stage.
    await page.keyboard.press("[");
    await page.locator('[data-played="1"] .played__done').waitFor();
    assert.ok(!(await page.locator(".lesson h2").isVisible()));
    await page.keyboard.press("[");
    await page.locator("[data-played]").waitFor({ state: "detached" });
  }, { viewport: { width: 1366, height: 768 } });
});

/** Whether lines that the step changes are in view, where they scroll and in the window: the first one, or all. */
const showsChanges = ([scrolled, all]) => {
  const [box, pre] = [scrolled, `${scrolled} pre:has(ins, del)`].map((it) => document.querySelector(it)?.getBoundingClientRect());
  const lines = [...document.querySelectorAll(`${scrolled} :is(ins, del)`)].slice(0, all ? undefined : 1).map((it) => it.getBoundingClientRect());
  const isIn = (line, box) => line.top >= box.top - 1 && line.bottom <= box.bottom + 1;
  return lines.length > 0 && lines.every((line) => isIn(line, box) && isIn(line, pre) && line.bottom <= innerHeight);
};

for (const [width, height] of [[1366, 768], [1440, 900]]) {
  test(`the room sees the lines that a step changes at ${width} x ${height}`, { timeout: 240_000 }, async () => {
    await withPage(async (page, url) => {
      for (const slug of ["06-or-of-terms-and-of-expressions", "12-one-per-host", "13-first-of-its-kind", "20-two-hard-rules-no-place"]) {
        await page.goto(`${url}?lesson=${slug}`);
        await page.locator(`.lesson[data-slug="${slug}"]`).waitFor();
        await page.locator("[data-goal]").first().waitFor();
        if ((await page.locator("[data-ring]").count()) === 0) await page.keyboard.press("p");
        await page.locator("[data-ring]").waitFor({ state: "attached" });
        await page.keyboard.press("PageDown");
        await page.waitForFunction(showsChanges, [".lesson__scroll", false]);
        // Folded, the lesson leaves the step to a row below the stage.
        await page.keyboard.press("PageUp");
        await page.locator(".lesson__solution > [data-step]").waitFor({ state: "detached" });
        await page.keyboard.press("[");
        await page.locator(".lesson h2").waitFor({ state: "hidden" });
        await page.keyboard.press("PageDown");
        await page.locator('[data-played="1"]').waitFor();
        await page.waitForFunction(showsChanges, [".played", true]);
        await page.keyboard.press("[");
      }
    }, { path: null, viewport: { width, height } });
  });
}

test("a ring follows the pointer, in the notes or with the key, and disappears", { timeout: 120_000 }, async () => {
  await presented("en", async (page, { context }) => {
    const notes = await notesOf(page, context);
    const ring = page.locator("[data-ring]");
    const at = async () => {
      const { x, y, width, height } = await ring.boundingBox();
      return [x + width / 2, y + height / 2];
    };
    assert.ok(!(await ring.isVisible()));
    // Its words are those that the room sees, none over another.
    const lines = await notes.locator(".pad__line").evaluateAll((all) => all.map((one) => ({ text: one.textContent, ...one.getBoundingClientRect().toJSON() })));
    assert.ok(lines.length > 0);
    for (const [index, one] of lines.entries()) {
      const over = lines.slice(index + 1).find((other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 2);
      assert.equal(over, undefined, `${over?.text} over ${one.text}`);
    }
    // Over a node of the small picture, the ring is over that node on the projector.
    const name = await notes.locator(".pad__node").nth(1).innerText();
    await notes.locator(".pad__node").nth(1).scrollIntoViewIfNeeded();
    const { x, y, width, height } = await notes.locator(".pad__node").nth(1).boundingBox();
    await notes.mouse.move(x + width / 2, y + height / 2, { steps: 3 });
    await ring.waitFor();
    await page.waitForTimeout(150);
    const card = await on.node(page, name).first().boundingBox();
    const [left, top] = await at();
    assert.ok(left > card.x && left < card.x + card.width && top > card.y && top < card.y + card.height, name);
    await ring.waitFor({ state: "hidden", timeout: 5000 });

    await notes.locator("[data-pad]").focus();
    await notes.keyboard.press("ArrowLeft");
    await ring.waitFor();
    await notes.keyboard.press("Escape");
    await ring.waitFor({ state: "hidden" });
    assert.equal(await played(page).count(), 0, "the arrow moved the ring alone");

    await page.bringToFront();
    await page.mouse.move(300, 300);
    assert.ok(!(await ring.isVisible()));
    await page.keyboard.down("l");
    await page.mouse.move(420, 340);
    await ring.waitFor();
    await page.waitForTimeout(150);
    assert.deepEqual((await at()).map(Math.round), [420, 340]);
    await page.keyboard.up("l");
  });
});

test("a scenario is stepped by the same key", { timeout: 120_000 }, async () => {
  await withPage(async (page, _url, { context }) => {
    await on.started(page);
    const { position } = await on.moment(page);
    await page.keyboard.press("PageDown");
    await on.inStep(page);
    assert.equal((await on.moment(page)).position, position, "only in presentation size");
    await page.keyboard.press("p");
    await page.locator("[data-ring]").waitFor({ state: "attached" });
    const notes = await notesOf(page, context);
    await upcoming(notes, "Step");
    await page.keyboard.press("PageDown");
    await on.inStep(page);
    assert.equal((await on.moment(page)).position, position + 1);
    await on.action(notes, "notes-next").click();
    await page.waitForFunction((wanted) => Number(document.querySelector("[data-position]").dataset.position) === wanted, position + 2);
    await page.keyboard.press("PageUp");
    await on.inStep(page);
    assert.equal((await on.moment(page)).position, position + 1);
    await notes.waitForFunction(() => document.querySelector(".notes__keys .muted").textContent.includes("1"));
    await on.runToEnd(page);
    await upcoming(notes, "Nothing");
    assert.ok(await on.action(notes, "notes-next").isDisabled());
  });
});

test("a refused window is said in words, with a link that works", { timeout: 120_000 }, async () => {
  await withPage(async (page, _url, { context }) => {
    await on.started(page);
    await page.evaluate(() => {
      globalThis.open = () => null;
    });
    await page.keyboard.press("p");
    await on.action(page, "notes").click();
    const refused = page.locator('[data-notes="refused"]');
    await refused.waitFor();
    const [notes] = await Promise.all([context.waitForEvent("page"), refused.locator("a").click()]);
    await notes.locator('[data-notes="there"]').waitFor({ timeout: 60_000 });
    await refused.waitFor({ state: "detached" });
  });
});
