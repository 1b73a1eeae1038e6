// The course as a zip for a stick: it begins with the list of lessons, and has handouts and instructions.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { unzipSync } from "fflate";
import { courseZip } from "../../xtask/src/node/course.mjs";
import { version } from "../../xtask/src/node/site.mjs";
import { DIST, withPage } from "./harness.mjs";
import { drawing } from "./published.mjs";

test("it begins with the course, and its handouts open the lessons", { timeout: 240_000 }, async () => {
  const work = mkdtempSync(join(tmpdir(), "berth-course-"));
  try {
    const html = '<!doctype html><title>H</title><a href="../?lesson=05-node-selector">5</a>';
    const handouts = [["handouts.html", html], ["solutions.zh-CN.html", html]];
    const { name, bytes } = await courseZip({ build: DIST, drawn: await drawing(), handouts });
    assert.equal(name, `berth-course-${version}.zip`);
    const files = unzipSync(bytes);
    for (const [name, content] of Object.entries(files)) {
      assert.ok(name.startsWith(`berth-course-${version}/`), name);
      mkdirSync(dirname(join(work, name)), { recursive: true });
      writeFileSync(join(work, name), content);
    }
    const folder = join(work, `berth-course-${version}`);
    const readme = new TextDecoder().decode(files[`berth-course-${version}/README.txt`]);
    for (const part of ["berth serve .", "python3 -m http.server", version, "handouts/solutions.zh-CN.html", "离线"]) {
      assert.ok(readme.includes(part), part);
    }
    await withPage(
      async (page, url) => {
        await page.locator(".course li.stop--next").waitFor();
        await page.waitForFunction(() => document.activeElement.dataset.action === "go-on");
        // A handout's link opens its lesson, and no list over it.
        await page.goto(`${url}handouts/handouts.html`);
        await page.locator("a").click();
        await page.locator(".lesson h2").waitFor();
        assert.equal(await page.locator(".course").count(), 0);
        // The page's policy allows the paper and its style sheet.
        await page.locator('.lesson [data-action="handout"]').click();
        await page.locator('[data-print="task"]').click();
        const paper = page.frameLocator("iframe[data-paper]");
        await paper.locator(".sheet").waitFor();
        const size = await paper.locator("h1").evaluate((title) => parseFloat(getComputedStyle(title).fontSize));
        assert.equal(Math.round(size), 23, "17 points");
        await page.goto(`${url}?lang=zh`);
        await page.locator(".course li.stop--next").waitFor();
        assert.match(await page.locator(".course h2").innerText(), /[\u4e00-\u9fff]/);
      },
      { folder },
    );
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 3 });
  }
});
