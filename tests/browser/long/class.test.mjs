// Classes: a link with a list of lessons, own ones included, made in the course's dialog and opened elsewhere.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import axe from "axe-core";
import { withPage } from "../harness.mjs";
import * as on from "../steps.mjs";

const file = (path) => readFileSync(new URL(`../../it/${path}`, import.meta.url));
const OWN = [
  { name: "quiz.yaml", mimeType: "application/yaml", buffer: file("lessons/05-labels.yaml") },
  { name: "quiz.zh-CN.yaml", mimeType: "application/yaml", buffer: file("lessons/05-labels.zh-CN.yaml") },
];

/** Of the two lessons of the course and the own one. */
const course = JSON.parse(readFileSync(new URL("../../../www/lessons/course.json", import.meta.url), "utf8"));
const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
const MINUTES = ["15-skew", "05-node-selector"]
  .map((slug) => lessons.find((lesson) => lesson.slug === slug).minutes)
  .reduce((sum, minutes) => sum + minutes, Number(/^minutes: (\d+)$/m.exec(OWN[0].buffer.toString())?.[1] ?? 0));

const titles = (page) => page.locator(".stop__t").allInnerTexts();
const order = (page) => page.locator("[data-chosen]").evaluateAll((rows) => rows.map((row) => row.dataset.chosen));

async function courseOf(page) {
  await on.started(page);
  await on.action(page, "to-course").click();
  await page.locator(".stop").first().waitFor();
}

/** The link of the form, once it holds what was chosen last. */
async function linkOf(page) {
  await page.locator(".classform .qr").waitFor();
  return on.field(page, "link").inputValue();
}

async function isClean(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(grave.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
}

/** Makes a class of two lessons of the course and an own one, by the keyboard where order matters. */
async function made() {
  let address;
  await withPage(async (page) => {
    await courseOf(page);
    await on.action(page, "make-class").click();
    await on.field(page, "class-title").fill("Monday, 9:00");
    for (const slug of ["15-skew", "05-node-selector"]) await page.locator(`[data-choose="${slug}"]`).check();
    await on.field(page, "class-files").setInputFiles(OWN);
    await page.locator('[data-chosen="quiz.yaml"]').waitFor();
    assert.deepEqual(await order(page), ["15-skew", "05-node-selector", "quiz.yaml"]);
    await page.locator('[data-chosen="quiz.yaml"] [data-order="up"]').focus();
    await page.keyboard.press("Enter");
    await page.locator('[data-chosen="15-skew"] [data-order="down"]').focus();
    await page.keyboard.press("Enter");
    assert.deepEqual(await order(page), ["quiz.yaml", "15-skew", "05-node-selector"]);
    const minutes = await page.locator("[data-class-minutes]").getAttribute("data-class-minutes");
    assert.equal(minutes, String(MINUTES), "of all three");
    await isClean(page);
    address = await linkOf(page);
    assert.ok(address.length < 2953, `${address.length} characters fit the QR code`);

    // A file that is not a lesson is refused with a message, and changes nothing.
    await on.field(page, "class-files").setInputFiles({ name: "pod.yaml", mimeType: "application/yaml", buffer: Buffer.from("kind: Pod\n") });
    await page.locator('.classform [role="alert"]:not(:empty)').waitFor();
    assert.match(await page.locator('.classform [role="alert"]').first().innerText(), /pod\.yaml/);
    await on.field(page, "class-link").fill("#1.nonsense");
    await on.action(page, "class-link").click();
    await page.getByText("Berth cannot read this link").waitFor();
    assert.equal((await order(page)).length, 3);
  }, { contextOptions: { bypassCSP: true } });
  return address;
}

test("a class is made in one browser and taught in another", { timeout: 240_000 }, async () => {
  const address = await made();
  const hash = address.slice(address.indexOf("#"));
  await withPage(async (page) => {
    await page.locator('[data-course="title"]').waitFor({ timeout: 60_000 });
    assert.equal(await page.locator('[data-course="title"]').innerText(), "Monday, 9:00");
    assert.deepEqual(await titles(page), ["Orders want a fast disk", "Skew", "nodeSelector"]);
    await isClean(page);
    await page.locator('[data-lesson-link="quiz.yaml"]').click();
    await page.locator(".lesson h2").waitFor();
    assert.match(await page.locator(".lesson__crumb").innerText(), /Lesson 1 of 3 · Monday, 9:00/);
    await on.terminal(page);
    await on.run(page, "kubectl label node node-b disk=ssd");
    await on.action(page, "close-card").click();
    await page.locator('[data-source="lesson"]').click();
    await page.locator('[data-lesson="done"]').waitFor();

    // A reload continues the lesson, without the list over it.
    await page.reload();
    await page.locator('[data-lesson="done"]').waitFor({ timeout: 60_000 });
    assert.match(await page.locator(".lesson__crumb").innerText(), /Lesson 1 of 3/);
    assert.equal(await page.locator(".course").count(), 0);

    await on.action(page, "next-lesson").first().click();
    await page.waitForFunction(() => document.querySelector(".lesson h2")?.textContent === "Skew");
    await on.action(page, "course").filter({ visible: true }).first().click();
    await page.locator('[data-lesson="progress"]').waitFor();
    assert.match(await page.locator('[data-lesson="progress"]').innerText(), /1 of 3/);
    const stored = () => page.evaluate(() => Object.keys(localStorage).filter((name) => /^berth\.(class\.|lessons)/.test(name)));
    assert.ok((await stored()).every((name) => name.startsWith("berth.class.")), "apart from the course");

    await on.action(page, "leave-class").click();
    await page.waitForFunction(() => document.querySelectorAll(".stop").length > 3);
    assert.match(await page.locator('[data-lesson="progress"]').innerText(), /^0 of/);
    await page.reload();
    await on.started(page);
    assert.equal(await page.locator(".course").count(), 0);
  }, { path: hash, contextOptions: { bypassCSP: true } });
});

test("a class speaks the learner's language, and another class takes its lessons over", { timeout: 180_000 }, async () => {
  const frozen = file("links/class.txt").toString().trim();
  await withPage(async (page, url) => {
    await page.locator('[data-course="title"]').waitFor({ timeout: 60_000 });
    assert.equal(await page.locator('[data-course="title"]').innerText(), "Frozen: nodes and zones");
    assert.equal((await titles(page)).length, 3);
    await on.action(page, "close").click();
    // The visitor's own page is below it.
    await on.started(page);
    await on.action(page, "to-course").click();
    await on.action(page, "leave-class").click();
    await page.waitForFunction(() => document.querySelectorAll(".stop").length > 3);
    await on.action(page, "make-class").click();
    await on.field(page, "class-link").fill(url + frozen);
    await page.keyboard.press("Enter");
    await page.locator("[data-chosen]").first().waitFor();
    assert.deepEqual(await order(page), ["05-node-selector", "scenario.yaml", "15-skew"]);
    await on.field(page, "class-files").setInputFiles(OWN);
    await page.locator('[data-chosen="quiz.yaml"]').waitFor();
    const address = await linkOf(page);
    await page.goto("about:blank");
    await page.goto(url + address.slice(address.indexOf("#")));
    await page.locator('[data-lesson-link="quiz.yaml"]').waitFor({ timeout: 60_000 });
    assert.equal(await page.locator('[data-lesson-link="quiz.yaml"] .stop__t').innerText(), "orders 需要快速磁盘");
  }, { path: frozen, contextOptions: { locale: "zh-CN" } });
});
