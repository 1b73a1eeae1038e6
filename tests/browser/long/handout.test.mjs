// Lessons on paper: the page prints all of them in both languages, each on one page of A4.
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { withPage } from "../harness.mjs";
import * as on from "../steps.mjs";

/** Keeps the browser's print dialog away, and counts how often it was to open. */
const silence = () => {
  window.print = () => {
    top.printed = (top.printed ?? 0) + 1;
  };
};

/** The document that the page hands to the printer after `asks`. */
async function printed(page, asks) {
  const before = await page.evaluate(() => globalThis.printed ?? 0);
  await asks();
  await page.waitForFunction((before) => globalThis.printed > before, before, { timeout: 120_000 });
  return page.locator("iframe[data-paper]").getAttribute("srcdoc");
}

/** Opens a document as the printer gets it: its sheets, and the pages of its PDF. */
async function onPaper(context, url, html, body) {
  const page = await context.newPage();
  await page.route("**/paper.html", (route) => route.fulfill({ body: html, contentType: "text/html; charset=utf-8" }));
  await page.goto(`${url}paper.html`);
  await page.emulateMedia({ media: "print" });
  const sheets = await page.locator(".sheet").evaluateAll((sheets) =>
    sheets.map((sheet) => {
      const columns = sheet.querySelector(".columns");
      const height = (name) => sheet.querySelector(name)?.clientHeight;
      return {
        id: sheet.id,
        isCut: sheet.scrollHeight > sheet.clientHeight || sheet.scrollWidth > sheet.clientWidth,
        isFull: columns && (columns.scrollWidth > columns.clientWidth || columns.scrollHeight > columns.clientHeight),
        lines: height(".lines"),
        picture: height("figure"),
        size: parseFloat(getComputedStyle(columns ?? sheet).fontSize),
      };
    }),
  );
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  const text = pdf.toString("latin1");
  const box = text.match(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/).slice(1).map(Number);
  await body({ page, sheets, box, pages: text.match(/\/Type\s*\/Page\b/g).length });
  await page.close();
}

const MM = 96 / 25.4;

for (const [language, title, notes] of [["en", "Handouts", "What I tried"], ["zh-CN", "讲义", "我试了什么"]]) {
  test(`every lesson is one page, and so is its solution (${language})`, { timeout: 400_000 }, async () => {
    await withPage(async (page, url, { context }) => {
      await page.addInitScript(silence);
      await page.goto(url);
      await on.started(page);
      await on.action(page, "to-course").click();
      await page.locator(".course .stop").first().waitFor();
      const slugs = await page.locator("[data-lesson-link]").evaluateAll((links) => links.map((link) => link.dataset.lessonLink));
      assert.equal(slugs.length, 30);

      await page.locator('.course [data-action="handout"]').click();
      const task = await printed(page, () => page.locator('[data-print="task"]').click());
      await page.locator(".dialog").waitFor({ state: "detached" });
      await onPaper(context, url, task, async ({ page, sheets, box, pages }) => {
        assert.equal(await page.title(), title);
        assert.deepEqual(sheets.map(({ id }) => id), slugs);
        assert.deepEqual(box.map(Math.round), [595, 842], "A4");
        assert.equal(pages, slugs.length);
        for (const { id, isCut, lines, picture } of sheets) {
          assert.ok(!isCut, `${id} is cut`);
          assert.ok(lines > 32 * MM, `${id}: room for four lines at least`);
          assert.ok(picture > 40 * MM, `${id}: the picture can be read`);
        }
        assert.ok((await page.locator(".notes").first().innerText()).includes(notes));
        const address = `${url}?lesson=${slugs[0]}${language === "en" ? "" : `&lang=${language}`}`;
        assert.equal(await page.locator("footer a").first().getAttribute("href"), address);
        assert.equal(await page.locator("svg.qr").count(), slugs.length);
        assert.equal(await page.locator("script").count(), 0);
        await page.evaluate(axe.source);
        const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        const grave = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        assert.deepEqual(grave.map(({ id, nodes }) => [id, nodes[0].target]), []);
      });

      await on.action(page, "to-course").click();
      await page.locator('.course [data-action="handout"]').click();
      const solution = await printed(page, () => page.locator('[data-print="solution"]').click());
      await onPaper(context, url, solution, async ({ sheets, pages }) => {
        assert.deepEqual(sheets.map(({ id }) => id), slugs);
        assert.equal(pages, slugs.length);
        for (const { id, isCut, isFull, size } of sheets) {
          assert.ok(!isCut && !isFull, `${id} is cut`);
          assert.ok(size >= 8 * (96 / 72) - 0.1, `${id} is set in ${size} px`);
        }
      });
    }, { path: null, contextOptions: { locale: language } });
  });
}

test("a lesson prints its own pages, by the keyboard", { timeout: 120_000 }, async () => {
  await withPage(async (page, url, { context }) => {
    await page.addInitScript(silence);
    await page.goto(`${url}?lesson=05-node-selector`);
    await page.locator(".lesson h2").waitFor();
    await page.locator('.lesson [data-action="handout"]').focus();
    await page.keyboard.press("Enter");
    await page.locator('[data-print="task"]').waitFor();
    const isThere = () => page.evaluate(() => document.activeElement.dataset.print === "task");
    for (let tabs = 0; tabs < 9 && !(await isThere()); tabs += 1) await page.keyboard.press("Tab");
    const html = await printed(page, () => page.keyboard.press("Enter"));
    await onPaper(context, url, html, async ({ sheets, pages }) => {
      assert.deepEqual([sheets.length, pages, sheets[0].id], [1, 1, "05-node-selector"]);
    });
    assert.equal(await page.locator(".lesson h2").count(), 1, "the lesson goes on");
  }, { path: null });
});
