// A lesson by the keyboard alone: a wrong answer, a lock, hints, the solution, and what is done of the course.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import { press, tabTo, type } from "./keys.mjs";
import * as on from "./steps.mjs";

const SLUG = "05-labels";
const fixture = (name) => readFile(new URL(`../it/lessons/${name}`, import.meta.url), "utf8");
const COURSE = JSON.stringify({
  chapters: [{
    title: { en: "Choosing nodes", "zh-CN": "选择节点" },
    lessons: [{ slug: SLUG, title: { en: "Orders want a fast disk", "zh-CN": "orders 需要快速磁盘" }, minutes: 6, exam: ["CKA"] }],
  }],
  glossary: [],
});

/** Opens the fixture as the lesson of the address. */
async function opened(language, body) {
  const options = { path: null, contextOptions: { locale: language } };
  await withPage(async (page, url, more) => {
    await page.addInitScript((language) => {
      addEventListener("DOMContentLoaded", () => {
        document.documentElement.lang = language;
      });
    }, language);
    const answers = { "course.json": COURSE };
    for (const name of [`${SLUG}.yaml`, `${SLUG}.zh-CN.yaml`]) answers[name] = await fixture(name);
    await page.route("**/lessons/*", (route) => {
      const body = answers[new URL(route.request().url()).pathname.split("/").pop()];
      return body === undefined ? route.abort() : route.fulfill({ body });
    });
    await page.goto(`${url}?lesson=${SLUG}`);
    await page.locator(".lesson h2").waitFor();
    await body(page, more);
  }, options);
}

async function back(page) {
  await page.keyboard.press("Control+Home");
  await press(page, '[data-source="lesson"]');
}

const unmet = (page) => page.locator('[data-goal="false"]').count();

for (const [language, title, words, wrong] of [
  ["en", "Orders want a fast disk", "all three orders run", "That node has no SSD."],
  ["zh-CN", "orders 需要快速磁盘", "三个 orders 都在运行", "这个节点没有 SSD。"],
]) {
  test(`a lesson is solved by the keyboard alone (${language})`, { timeout: 120_000 }, async () => {
    await opened(language, async (page) => {
      assert.equal(await page.locator(".lesson h2").innerText(), title);
      assert.equal(await unmet(page), 2, "the start meets no goal");
      assert.ok((await page.locator(".goals").innerText()).includes(words));
      assert.ok(!(await on.text(page)).includes("solution"), "the manifests give nothing away");

      assert.match(await type(page, "kubectl scale deployment orders --replicas=1"), /this lesson locks Deployment\/orders/);
      await type(page, "kubectl label node node-a disk=ssd");
      await back(page);
      await press(page, '[data-action="settle"]');
      await page.locator('[data-lesson="wrong"]').waitFor();
      assert.ok((await page.locator('[data-lesson="wrong"]').innerText()).includes(wrong));

      await press(page, '[data-action="start-over"]');
      await page.locator('[data-lesson="wrong"]').waitFor({ state: "detached" });
      await press(page, '[data-action="hint"]');
      await page.locator('[data-hint="1"]').waitFor();
      await press(page, '[data-action="solve"]');
      await page.locator('[data-lesson="done"]').waitFor();
      assert.equal(await unmet(page), 0);

      await press(page, '[data-action="course"]');
      await page.locator(".stop--done").waitFor();
      const code = await page.locator('[data-lesson="code"]').innerText();
      assert.match(code, /^[0-9A-Z]{2}$/);
      await page.keyboard.press("Escape");
      await page.locator(".course").waitFor({ state: "detached" });

      // What is done outlives a reload, and a code brings it to another browser.
      await page.evaluate(() => localStorage.removeItem("berth.lessons"));
      await page.reload();
      await page.locator(".lesson h2").waitFor();
      await press(page, '[data-action="course"]');
      await page.locator(".stop--next").waitFor();
      await press(page, '[data-action="take-progress"]');
      await tabTo(page, '[data-field="code"]');
      await page.keyboard.type(code.toLowerCase());
      await page.keyboard.press("Enter");
      await page.locator(".stop--done").waitFor();
    });
  });
}
