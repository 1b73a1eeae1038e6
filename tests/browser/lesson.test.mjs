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
      await page.waitForFunction(() => {
        const [verdict, panel] = ['[data-lesson="wrong"]', ".lesson__scroll"].map((it) => document.querySelector(it).getBoundingClientRect());
        return verdict.bottom <= panel.bottom + 1 && verdict.top >= panel.top - 1;
      });

      await press(page, '[data-action="start-over"]');
      await page.locator('[data-lesson="wrong"]').waitFor({ state: "detached" });
      // Undo takes back the start over.
      await press(page, '[data-action="undo"]');
      await page.locator('[data-lesson="wrong"]').waitFor();
      await press(page, '[data-action="start-over"]');
      await page.locator('[data-lesson="wrong"]').waitFor({ state: "detached" });
      await press(page, '[data-action="hint"]');
      await page.locator('[data-hint="1"]').waitFor();
      // The solution is shown before a step of it is played, and does not count.
      await press(page, '[data-action="show-solution"]');
      await page.locator(".lesson__solution .lesson__step").waitFor();
      assert.equal(await unmet(page), 2, "nothing is played");
      await press(page, '[data-action="solve"]');
      await page.locator('[data-lesson="done"]').waitFor();
      assert.equal(await unmet(page), 0);
      await press(page, '[data-action="course"]');
      await page.locator("li.stop--seen").waitFor();
      assert.equal(await page.locator("li.stop--done").count(), 0);
      await page.keyboard.press("Escape");
      await page.locator(".course").waitFor({ state: "detached" });

      // Goals tick above the command line, and the last one is celebrated.
      await press(page, '[data-action="start-over"]');
      await page.locator('[data-lesson="done"]').waitFor({ state: "detached" });
      await type(page, "kubectl label node node-a disk=ssd");
      await page.locator('[data-strip="wrong"]').waitFor();
      assert.ok((await page.locator('[data-strip="wrong"]').innerText()).includes(wrong));
      // They run there; without the label they would stay.
      await back(page);
      await press(page, '[data-action="start-over"]');
      await page.locator('[data-lesson="wrong"]').waitFor({ state: "detached" });
      await type(page, "kubectl label node node-b disk=ssd");
      await page.locator('[data-lesson="card"]').waitFor();
      assert.equal(await page.locator('.goalstrip [data-goal="true"]').count(), 2);
      // A screen reader hears it.
      const status = page.locator('[data-lesson="status"][role="status"]');
      assert.match(await status.textContent(), language === "en" ? /^All goals are met/ : /[\u4e00-\u9fff]/);
      assert.ok((await page.locator('[data-lesson="card"]').innerText()).includes("kubectl label node node-b disk=ssd"));
      await page.keyboard.press("Escape");
      await page.locator('[data-lesson="card"]').waitFor({ state: "detached" });
      await back(page);

      await press(page, '[data-action="course"]');
      await page.locator("li.stop--done").waitFor();
      const code = await page.locator('[data-lesson="code"]').innerText();
      assert.match(code, /^[0-9A-Z]{2}$/);
      await page.keyboard.press("Escape");
      await page.locator(".course").waitFor({ state: "detached" });

      // Progress survives a reload, and a code carries it to another browser.
      await page.evaluate(() => localStorage.removeItem("berth.lessons"));
      await page.waitForTimeout(800);
      await page.reload();
      await page.locator('[data-lesson="done"]').waitFor({ timeout: 60_000 });
      await page.evaluate(() => localStorage.removeItem("berth.lessons"));
      await press(page, '[data-action="start-over"]');
      await page.locator('[data-lesson="done"]').waitFor({ state: "detached" });
      await press(page, '[data-action="course"]');
      await page.locator("li.stop--next").waitFor();
      await press(page, '[data-action="take-progress"]');
      const file = (text) => on.field(page, "progress").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from(text) });
      await file("milk\nbread\n");
      await page.locator('.course__codes [role="alert"]').waitFor();
      assert.equal(await page.evaluate(() => localStorage.getItem("berth.lessons")), null, "another text is no progress");
      await tabTo(page, '[data-field="code"]');
      await page.keyboard.type(code.toLowerCase());
      await page.keyboard.press("Enter");
      await page.locator("li.stop--done").waitFor();
    });
  });
}

for (const [language, run, share] of [["en", "Run", "3 of 3"], ["zh-CN", "运行", "3 / 3"]]) {
  test(`a hint's command runs in the terminal, and a met goal keeps its number (${language})`, { timeout: 120_000 }, async () => {
    await withPage(async (page, url) => {
      await page.goto(`${url}?lesson=05-node-selector`);
      await page.locator(".lesson h2").waitFor();
      await on.inStep(page);
      const hint = on.action(page, "hint");
      for (let number = 1; number <= 3; number += 1) await hint.click();
      await page.locator('[data-hint="3"]').waitFor();
      assert.equal(await page.locator(".goal > small").count(), 0);
      const button = page.locator('[data-action="run-hint"]');
      assert.equal(await button.count(), 1, "none beside the command that solves it");
      assert.equal(await button.innerText(), run);
      await button.click();
      await page.locator(".term", { hasText: "kubectl get nodes --show-labels" }).waitFor();
      await page.locator(".term", { hasText: "disktype=ssd" }).waitFor();
      await page.locator('[data-source="lesson"]').click();
      await on.action(page, "show-solution").click();
      await on.action(page, "solve").click();
      await page.locator('[data-lesson="done"]').waitFor();
      assert.equal(await page.locator('[data-goal="true"] > small').first().innerText(), share);
    }, { path: null, contextOptions: { locale: language } });
  });
}

test("a wrong prediction leads on to the next lesson, which it does not mark as done", { timeout: 120_000 }, async () => {
  await withPage(async (page, url) => {
    await page.goto(`${url}?lesson=01-where-does-it-go`);
    await page.locator(".lesson h2").waitFor();
    await on.inStep(page);
    // Tabs and buttons stay within the panel beside the manifests, too.
    await page.locator('[data-source="manifests"]').click();
    await page.waitForFunction(() => {
      const panel = document.querySelector(".sources").getBoundingClientRect();
      return [...document.querySelectorAll(".sources .panel__head button")].every((it) => it.getBoundingClientRect().right <= panel.right);
    });
    await page.locator('[data-source="lesson"]').click();
    await page.locator('[data-question="0"] [data-predict="worker-1"]').click();
    const ask = page.locator('[data-question="1"] .muted');
    assert.match(await ask.innerText(), /then let it run/);
    await on.action(page, "settle").click();
    await page.locator('[data-question="0"] [data-right="false"]').waitFor();
    await on.inStep(page);
    assert.ok(await on.action(page, "settle").isDisabled());
    assert.match(await ask.innerText(), /then do the task/);
    // A reload loses neither the answer nor the hint.
    await on.action(page, "hint").click();
    await page.waitForTimeout(800);
    await page.reload();
    await page.locator('[data-question="0"] .predict__wrong').waitFor({ timeout: 60_000 });
    assert.equal(await page.locator("[data-hint]").count(), 1);
    await on.inStep(page);
    // The solution gives the other answer away.
    await on.action(page, "show-solution").click();
    await on.action(page, "solve").click();
    await page.locator('[data-lesson="mispredicted"]').waitFor();
    assert.equal(await page.locator('[data-lesson="done"]').count(), 0);
    await on.action(page, "next-lesson").first().click();
    await page.waitForFunction(() => document.querySelector(".lesson h2").textContent === "Requests, not usage");
    await on.action(page, "course").filter({ visible: true }).first().click();
    await page.locator(".stop").first().waitFor();
    assert.match(await page.locator('[data-lesson="progress"]').innerText(), /^0 of 30/);
  }, { path: null, contextOptions: { locale: "en" } });
});

test("a reload keeps the colors of owners", { timeout: 120_000 }, async () => {
  await withPage(async (page, url) => {
    await on.started(page);
    await page.goto(`${url}?lesson=05-node-selector`);
    await page.locator(".lesson h2").waitFor();
    await on.inStep(page);
    const colors = () => page.locator("[data-node] [data-pod]").evaluateAll((pods) => pods.map((pod) => pod.className.match(/o-\d+/)?.[0]));
    const before = await colors();
    assert.ok(before.length > 0 && before.every(Boolean));
    await page.evaluate(() => history.replaceState(null, "", location.pathname));
    await page.waitForTimeout(800);
    await page.reload();
    await page.locator(".lesson h2").waitFor({ timeout: 60_000 });
    await on.inStep(page);
    await page.waitForFunction((before) => {
      const pods = [...document.querySelectorAll("[data-node] [data-pod]")];
      return JSON.stringify(pods.map((pod) => pod.className.match(/o-\d+/)?.[0])) === JSON.stringify(before);
    }, before, { timeout: 10_000 });
  }, { contextOptions: { locale: "en" } });
});

test("a reloaded lesson link keeps its work, and another lesson leaves the address", { timeout: 120_000 }, async () => {
  await withPage(async (page, url) => {
    await page.goto(`${url}?lesson=05-node-selector`);
    await page.locator(".lesson h2").waitFor();
    await on.inStep(page);
    await on.terminal(page);
    await on.run(page, "kubectl label node worker-2 disktype=SSD");
    await page.waitForTimeout(800);
    await page.reload();
    await page.locator("[data-printed]").first().waitFor({ timeout: 60_000 });
    await on.inStep(page);
    assert.match((await on.run(page, "kubectl get nodes --show-labels")).out, /disktype=SSD/);
    await page.locator('[data-source="lesson"]').click();
    await on.action(page, "course").filter({ visible: true }).first().click();
    await page.locator('[data-lesson-link="06-preferred-with-weights"], [data-lesson-link]').nth(6).click();
    await page.waitForFunction(() => !location.search.includes("lesson="));
  }, { path: null, contextOptions: { locale: "en" } });
});

test("a fork in a lesson says that the goals look at it as it is", { timeout: 120_000 }, async () => {
  await withPage(
    async (page, url) => {
      await page.goto(`${url}?lesson=29-room-for-the-autoscaler`);
      await page.locator(".lesson h2").waitFor();
      await on.started(page);
      await on.runToEnd(page);
      await page.locator('[data-source="manifests"]').click();
      await on.action(page, "scheduler").click();
      await on.change(page.locator('[data-row="NodeResourcesFit"] [data-field="Weight"]').first(), "5");
      await page.locator("[data-fork]").waitFor();
      assert.match(await page.locator("[data-fork-lesson]").textContent(), /goals look at this fork/);
      // The form makes way for the lesson.
      await page.locator('[data-source="lesson"]').click();
      await page.locator(".lesson h2").waitFor();
      assert.equal(await page.locator("[data-row]:visible").count(), 0);
      assert.match(await page.locator('[data-change="0"]').textContent(), /NodeResourcesFit/);
    },
    { path: null },
  );
});
