// The SCORM 1.2 package in a small LMS (lms.mjs): it keeps the progress in the course, and returns it.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { unzipSync } from "fflate";
import { scormZip } from "../../../xtask/src/node/course.mjs";
import { DIST, withPage } from "../harness.mjs";
import { firstVisit, lmsPage } from "../lms.mjs";
import { drawing } from "../published.mjs";

const SLUG = "05-node-selector";
let work;
let files;

before(async () => {
  work = mkdtempSync(join(tmpdir(), "berth-scorm-"));
  const { bytes } = await scormZip({ build: DIST, drawn: await drawing(), mastery: 80 });
  files = unzipSync(bytes);
  for (const [name, content] of Object.entries(files)) {
    const file = join(work, "package", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
});
after(() => rmSync(work, { recursive: true, force: true, maxRetries: 3 }));

/** Opens the LMS with what it has kept; `body(course, lms)` has the frame and a reader of the LMS's state. */
async function launched(kept, body, opens) {
  writeFileSync(join(work, "index.html"), lmsPage(kept, opens));
  await withPage(
    async (page) => {
      const lms = () => page.evaluate(() => globalThis.lms);
      const leave = async () => {
        await page.evaluate(() => document.querySelector("iframe").remove());
        return lms();
      };
      await body({ page, course: page.frameLocator("iframe"), lms, leave });
    },
    { folder: work, viewport: { width: 1280, height: 800 } },
  );
}

/** Waits until the LMS's state is so. */
const until = (page, name, value) =>
  page.waitForFunction(([name, value]) => globalThis.lms.kept[name] === value, [name, value]);

/** Loads a progress file with a number of lessons done, except the fifth. */
async function carry(course, count) {
  const slugs = await course.locator("[data-lesson-link]").evaluateAll((links) => links.map((link) => link.dataset.lessonLink));
  const done = slugs.filter((slug) => slug !== SLUG).slice(0, count);
  await course.locator('[data-action="take-progress"]').click();
  const buffer = Buffer.from(done.join("\n"));
  await course.locator('[data-field="progress"]').setInputFiles({ name: "progress.txt", mimeType: "text/plain", buffer });
}

/** Solves a lesson from the list; its solution, shown, would not count. */
async function solve(course) {
  await course.locator(`[data-lesson-link="${SLUG}"]`).click();
  await course.locator(".lesson h2").waitFor();
  await course.locator('[data-source="terminal"]').click();
  const line = course.locator('[data-field="terminal"]');
  await line.fill("kubectl label node worker-2 disktype=ssd");
  await line.press("Enter");
  await course.locator('[data-action="close-card"]').click();
  await course.locator('[data-source="lesson"]').click();
  await course.locator('[data-lesson="done"]').waitFor();
}

test("the manifest lists every file, and names only files that are there", { timeout: 120_000 }, async () => {
  const text = new TextDecoder().decode(files["imsmanifest.xml"]);
  await withPage(async (page) => {
    const read = await page.evaluate((text) => {
      const xml = new DOMParser().parseFromString(text, "application/xml");
      const all = (name) => [...xml.getElementsByTagName(name)];
      const attributes = (node) => Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value]));
      return {
        broken: all("parsererror").length,
        root: xml.documentElement.namespaceURI,
        schema: all("schema").concat(all("schemaversion")).map((node) => node.textContent),
        organizations: attributes(all("organizations")[0]),
        organization: attributes(all("organization")[0]),
        items: all("item").map(attributes),
        titles: all("title").map((node) => node.textContent),
        mastery: xml.getElementsByTagNameNS("http://www.adlnet.org/xsd/adlcp_rootv1p2", "masteryscore")[0]?.textContent,
        resources: all("resource").map(attributes),
        files: all("file").map((node) => node.getAttribute("href")),
      };
    }, text);
    assert.equal(read.broken, 0);
    assert.equal(read.root, "http://www.imsproject.org/xsd/imscp_rootv1p1p2");
    assert.deepEqual(read.schema, ["ADL SCORM", "1.2"]);
    assert.equal(read.organizations.default, read.organization.identifier);
    assert.equal(read.mastery, "80");
    assert.ok(read.titles.every((title) => title.length > 0));
    const [resource] = read.resources;
    assert.deepEqual(read.items.map((item) => item.identifierref), [resource.identifier]);
    assert.equal(resource["adlcp:scormtype"], "sco");
    assert.equal(resource.type, "webcontent");
    assert.ok(read.files.includes(resource.href));
    const packed = Object.keys(files).filter((name) => name !== "imsmanifest.xml");
    assert.deepEqual([...read.files].sort(), packed.sort());
    assert.equal(new Set(read.files).size, read.files.length);
    for (const name of read.files) assert.equal(encodeURI(name), name);
  }, { path: null });
});

test("a lesson that is solved is kept, and is done in another browser", { timeout: 240_000 }, async () => {
  let kept;
  await launched(firstVisit(), async ({ page, course, leave }) => {
    await course.locator(".course li.stop--next").waitFor();
    await until(page, "cmi.core.lesson_status", "incomplete");
    await solve(course);
    await until(page, "cmi.core.score.raw", "3");
    const left = await leave();
    assert.deepEqual(left.refused, []);
    assert.ok(left.isOver, "it says that it is left");
    assert.match(left.session, /^\d{4}:\d{2}:\d{2}\.\d{2}$/);
    kept = left.kept;
    assert.equal(kept["cmi.core.lesson_status"], "incomplete");
    assert.equal(kept["cmi.core.entry"], "resume");
    assert.match(kept["cmi.suspend_data"], /^[0-9A-Z]{4}-[0-9A-Z]{3}$/);
    assert.equal(kept["cmi.objectives.4.id"], SLUG);
    assert.deepEqual([3, 4, 5].map((index) => kept[`cmi.objectives.${index}.status`]), ["not attempted", "completed", "not attempted"]);
  });
  await launched(kept, async ({ page, course, lms, leave }) => {
    await course.locator(".course li.stop--done").waitFor();
    assert.equal(await course.locator("li.stop--done").count(), 1);
    assert.equal(await course.locator('[data-lesson="code"]').innerText(), kept["cmi.suspend_data"]);
    // Another learner may use this browser: nothing of it is stored here.
    assert.equal(await page.evaluate(() => localStorage.getItem("berth.lessons")), null);
    await carry(course, 28);
    await until(page, "cmi.core.score.raw", "96");
    await carry(course, 29);
    await until(page, "cmi.core.lesson_status", "completed");
    assert.equal((await lms()).kept["cmi.core.score.raw"], "100");
    assert.deepEqual((await leave()).refused, []);
  });
});

test("a mastery score passes, and a pause before it is not a failure", { timeout: 240_000 }, async () => {
  let kept;
  await launched(firstVisit({ mastery: "80" }), async ({ page, course, leave }) => {
    await course.locator(".course li.stop--next").waitFor();
    await carry(course, 23);
    await page.waitForFunction(() => globalThis.lms.kept["cmi.objectives.23.id"]);
    kept = (await leave()).kept;
    assert.equal(kept["cmi.core.lesson_status"], "incomplete");
    assert.equal(kept["cmi.core.score.raw"], "");
  });
  await launched(kept, async ({ page, course, leave }) => {
    await course.locator(".course li.stop--done").first().waitFor();
    await solve(course);
    await until(page, "cmi.core.lesson_status", "passed");
    const left = await leave();
    assert.equal(left.kept["cmi.core.lesson_status"], "passed");
    assert.equal(left.kept["cmi.core.score.raw"], "80");
    assert.deepEqual(left.refused, []);
  });
});

test("a trainer who only looks changes nothing", { timeout: 120_000 }, async () => {
  await launched(firstVisit({ mode: "browse" }), async ({ course, leave }) => {
    await course.locator(".course li.stop--next").waitFor();
    await carry(course, 3);
    await course.locator("li.stop--done").first().waitFor();
    const { kept } = await leave();
    assert.deepEqual([kept["cmi.core.lesson_status"], kept["cmi.suspend_data"]], ["not attempted", ""]);
  });
});

test("a window of its own finds the LMS that opened it", { timeout: 120_000 }, async () => {
  await launched(firstVisit(), async ({ page, lms }) => {
    const opened = page.waitForEvent("popup");
    await page.evaluate(() => void open("package/index.html"));
    const popup = await opened;
    await popup.locator(".course li.stop--next").waitFor();
    await until(page, "cmi.core.lesson_status", "incomplete");
    await popup.close({ runBeforeUnload: false });
    assert.deepEqual((await lms()).refused, []);
  }, "window");
});

test("without an LMS the package is the page, and progress stays in the browser", { timeout: 120_000 }, async () => {
  await withPage(async (page) => {
    await page.locator(".course li.stop--next").waitFor();
    await carry(page, 2);
    await page.waitForFunction(() => localStorage.getItem("berth.lessons")?.includes("01-"));
    await page.reload();
    await page.locator(".course li.stop--done").first().waitFor();
    assert.equal(await page.locator("li.stop--done").count(), 2);
  }, { folder: join(work, "package") });
});
