// Three lessons of the course by the keyboard alone, in each language: with the terminal, on the stage, and in the
// editor. The start does not pass, a lock refuses, a wrong answer gets its own feedback, and the solution passes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "../harness.mjs";
import { goTo, press, tabTo, type } from "../keys.mjs";
import * as on from "../steps.mjs";

const unmet = (page) => page.locator('[data-goal="false"]').count();
const done = (page) => page.locator('[data-lesson="done"]').waitFor();

/** Opens the lesson of the address, of which this many goals are to be met. */
async function lesson(language, slug, goals, body) {
  await withPage(async (page, url) => {
    await page.goto(`${url}?lesson=${slug}`);
    await page.locator(".lesson h2").waitFor();
    await on.inStep(page);
    assert.equal(await unmet(page), goals, "the start does not pass");
    assert.equal(await page.locator('[data-lesson="wrong"]').count(), 0);
    assert.equal(await page.locator(".goal .why").count(), goals, "each says what is observed instead");
    const whys = await page.locator(".goal .why").allInnerTexts();
    for (const why of whys) assert.equal(/[\u4e00-\u9fff]/.test(why), language === "zh-CN", why);
    await body(page);
  }, { path: null, contextOptions: { locale: language }, viewport: { width: 1440, height: 900 } });
}

async function show(page) {
  await page.keyboard.press("Control+Home");
  await press(page, '[data-source="lesson"]');
}

/** Lets the cluster run until nothing is left to do, unless it came to rest after the line. */
async function settle(page) {
  await on.inStep(page);
  if (!(await page.locator('[data-action="settle"]:enabled').count())) return;
  await press(page, '[data-action="settle"]');
  await on.inStep(page);
}

/** Waits for the feedback to a wrong answer. */
async function isTold(page, words) {
  await page.locator('[data-lesson="wrong"]', { hasText: words }).waitFor();
  assert.ok((await unmet(page)) > 0);
}

/** A notice that the page shows, which is dismissed; a form says it in itself. */
async function isRefused(page, words) {
  await on.notice(page).waitFor();
  assert.match(await on.notice(page).innerText(), words);
  if (!(await on.notice(page).locator("button").count())) return;
  await tabTo(page, "[data-notice] button");
  await page.keyboard.press("Enter");
}

/** Adds a label to a node in its form. */
async function label(page, node, text) {
  await goTo(page, node);
  // Enter leads into the card, and the arrows from button to button.
  await page.keyboard.press("Enter");
  const isThere = () => page.evaluate(() => document.activeElement.matches('[data-action="edit-node"]'));
  for (let button = 0; button < 30 && !(await isThere()); button += 1) await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.locator(`[data-form="${node}"]`).waitFor();
  await tabTo(page, '[data-field="label"]');
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
  await on.inStep(page);
}

const LANGUAGES = ["en", "zh-CN"];
const of = (language, english, chinese) => (language === "en" ? english : chinese);

for (const language of LANGUAGES) {
  test(`requests are lowered in the terminal (${language})`, { timeout: 120_000 }, async () => {
    await lesson(language, "02-requests-not-usage", 1, async (page) => {
      // A gesture is refused in the page's language, a command as kubectl would be.
      await goTo(page, "worker-1");
      await page.keyboard.press("c");
      await isRefused(page, of(language, /this lesson locks Node/, /本课锁定了 Node/));
      assert.match(await type(page, "kubectl scale deployment shop --replicas=1"), /this lesson locks Deployment\/shop/);

      await type(page, "kubectl set resources deployment shop --limits=cpu=3");
      await show(page);
      await settle(page);
      await isTold(page, of(language, "The limit changed", "限制变了"));

      await press(page, '[data-action="start-over"]');
      await page.locator('[data-lesson="wrong"]').waitFor({ state: "detached" });
      await type(page, "kubectl set resources deployment shop --requests=cpu=500m,memory=1Gi");
      await show(page);
      await settle(page);
      await done(page);
      assert.equal(await unmet(page), 0);
    });
  });

  test(`a node is labelled on the stage (${language})`, { timeout: 120_000 }, async () => {
    await lesson(language, "05-node-selector", 2, async (page) => {
      await label(page, "worker-1", "disktype=hdd");
      await isRefused(page, of(language, /this lesson locks Node\/worker-1/, /本课锁定了 Node\/worker-1/));
      await page.keyboard.press("Escape");

      await label(page, "worker-2", "disk=ssd");
      await page.keyboard.press("Escape");
      await settle(page);
      await isTold(page, of(language, "The template asks for the key", "模板要的键是"));

      await label(page, "worker-2", "disktype=ssd");
      await page.keyboard.press("Escape");
      await settle(page);
      await done(page);
      assert.equal(await unmet(page), 0);
    });
  });

  test(`a toleration is written in the editor (${language})`, { timeout: 120_000 }, async () => {
    await lesson(language, "08-taint-and-toleration", 1, async (page) => {
      const editor = async () => {
        await page.keyboard.press("Control+Home");
        await press(page, '[data-source="manifests"]');
        await tabTo(page, ".cm-content");
      };
      const find = async (text) => {
        await page.keyboard.press("Control+Home");
        const before = (await on.text(page)).split(text)[0];
        const line = before.split("\n").length;
        for (let number = 1; number < line; number += 1) await page.keyboard.press("ArrowDown");
        await page.keyboard.press("End");
      };
      await editor();
      // The taint is locked.
      await find("NoSchedule");
      for (let letter = 0; letter < 2; letter += 1) await page.keyboard.press("Backspace");
      const problem = page.locator(".problem", { hasText: of(language, "this lesson locks Node", "本课锁定了 Node") });
      await problem.waitFor();
      assert.match(await problem.innerText(), of(language, /put it back as it was/, /请恢复原样/));
      await page.keyboard.press("Control+z");
      await problem.waitFor({ state: "detached" });

      await find("nodeSelector");
      await page.keyboard.press("Enter");
      await page.keyboard.type("tolerations: [{key: dedicated, operator: Equal, effect: NoSchedule}]");
      await page.waitForFunction(() => /tolerations: \[.*\]\n/.test(document.querySelector('[data-field="manifests"]').value));
      await on.inStep(page);
      await page.keyboard.press("Escape");
      await show(page);
      await settle(page);
      await isTold(page, of(language, "compares values", "要比较值"));

      await editor();
      await find("tolerations");
      const back = "effect: NoSchedule}]".length;
      for (let letter = 0; letter < back; letter += 1) await page.keyboard.press("ArrowLeft");
      await page.keyboard.type("value: db, ");
      await page.waitForFunction(() => document.querySelector('[data-field="manifests"]').value.includes("value: db, effect"));
      await on.inStep(page);
      await show(page);
      await settle(page);
      await done(page);
      assert.equal(await unmet(page), 0);
    });
  });
}
