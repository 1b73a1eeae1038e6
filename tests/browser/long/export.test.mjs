// Exports: pictures, Markdown, events, the printed explanation; and that no visit is lost to a link.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { example, withManifests, withPage } from "../harness.mjs";
import * as on from "../steps.mjs";

const radio = (page, name) => page.locator(".exports").getByRole("radio", { name });

/** Opens the dialog, and saves what the button with this `data-export` gives. */
async function saved(page, name, choose = async () => {}) {
  await on.action(page, "export").click();
  await page.locator(".exports").waitFor();
  await choose();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-export="${name}"]`).click()]);
  const bytes = await readFile(await download.path());
  await on.action(page, "close").click();
  return { name: download.suggestedFilename(), bytes, text: bytes.toString() };
}

test("every export has what the page shows", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.runToEnd(page);
    // At the end of a run the stage shows the cluster, until a Pod is chosen.
    await on.pod(page, "default/report").first().click();
    await on.inStep(page);
    const light = await saved(page, "svg");
    const dark = await saved(page, "svg", () => radio(page, "Dark").click());
    assert.equal(light.name, "first-steps-a-shop-over-three.svg");
    assert.match(light.text, /#faf8f2/);
    assert.match(dark.text, /#0f1b2c/);
    const described = await page.evaluate((svg) => {
      const root = new DOMParser().parseFromString(svg, "image/svg+xml");
      return {
        error: root.querySelector("parsererror")?.textContent,
        title: root.querySelector("title").textContent,
        description: root.querySelector("desc").textContent,
        scripts: root.querySelectorAll("script").length,
      };
    }, light.text);
    const sentence = await page.locator("[data-sentence]").textContent();
    assert.equal(described.error, undefined);
    assert.match(described.title, /^First steps/);
    assert.ok(described.description.startsWith(sentence), described.description);
    assert.match(described.description, /node-b1, worker, zone-b/);
    assert.equal(described.scripts, 0);

    const png = await saved(page, "png", () => radio(page, "2×").click());
    assert.equal(png.bytes.toString("latin1", 1, 4), "PNG");
    assert.equal(png.bytes.readUInt32BE(16), 2 * 960);
    const small = await saved(page, "png", () => radio(page, "1×").click());
    assert.equal(small.bytes.readUInt32BE(16), 960);

    const markdown = await saved(page, "markdown");
    assert.match(markdown.text, /^## report\n/);
    assert.ok(markdown.text.includes(sentence), markdown.text);
    assert.match(markdown.text, /\| node-a1 \|.*✗.*cpu/);
    assert.match(markdown.text, /> 0\/6 nodes are available/);
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void (globalThis.copied = text) } }));
    await on.action(page, "export").click();
    await page.locator('[data-export="copy-markdown"]').click();
    await on.notice(page).filter({ hasText: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => globalThis.copied), markdown.text);

    const events = await saved(page, "events");
    const lines = events.text.trim().split("\r\n");
    assert.equal(lines[0], "number,seconds,event,pod,node");
    assert.equal(lines.length - 1, (await on.moment(page)).position);
    assert.match(lines.at(-1), /,failed,default\/report,/);

    const sources = await saved(page, "sources");
    assert.equal(sources.text, await on.text(page));

    const yaml = await saved(page, "yaml");
    assert.equal(yaml.name, "scenario.yaml");
    assert.equal(yaml.text, await page.evaluate(() => globalThis.berth.exportYaml()));
  });
});

test("the explanation is printed alone", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.runToEnd(page);
    await page.evaluate(() => (globalThis.print = () => (globalThis.printed = true)));
    await on.action(page, "export").click();
    await page.locator('[data-export="print"]').click();
    await page.waitForFunction(() => globalThis.printed);
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.locator(".explain").isVisible());
    assert.ok(!(await page.locator("main.stage").isVisible()));
    assert.ok(!(await page.locator(".timeline").isVisible()));
    if (process.env.BERTH_SHOTS) await page.screenshot({ path: join(process.env.BERTH_SHOTS, "print.png"), fullPage: true });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.ok(await page.locator("main.stage").isVisible());
  });
});

test("Ctrl+S and the link beside an explanation open Share, and the link shows the same cell", async () => {
  let address;
  let before;
  const described = (page) => page.locator("[data-arithmetic]").textContent();
  await withPage(async (page) => {
    await on.started(page);
    await on.field(page, "manifests").first().focus().catch(() => {});
    await page.keyboard.press("Control+s");
    await on.field(page, "link").waitFor();
    await on.does(page, "close");
    await on.runToEnd(page);
    await page.locator('[data-cell$="/NodeResourcesFit"][data-verdict="Unschedulable"]').first().click();
    await page.locator("[data-arithmetic]").waitFor();
    await page.locator("[data-arithmetic] .clash").waitFor();
    before = await described(page);
    await on.action(page, "link-here").click();
    await on.field(page, "link").waitFor();
    address = await on.field(page, "link").inputValue();
  });
  await withPage(
    async (page) => {
      await on.started(page);
      await page.locator("[data-arithmetic]").waitFor();
      await page.locator("[data-arithmetic] .clash").waitFor();
      assert.equal(await described(page), before);
    },
    { path: address.slice(address.indexOf("#")) },
  );
});

test("a visit outlives a link and a reload", async () => {
  await withManifests(example("taints"), async (page, url) => {
    await on.action(page, "share").click();
    const field = on.field(page, "link");
    await field.waitFor();
    const address = await field.inputValue();
    await on.does(page, "close");
    await on.open(page, example("storage"));
    await on.step(page);
    const mine = await on.moment(page);
    await page.waitForTimeout(700);
    const arrived = async () => {
      await page.locator('[data-link="opened"]').waitFor();
      await page.waitForFunction(() => !Object.keys(localStorage).some((name) => name.endsWith(".failed")));
      await on.inStep(page);
    };
    await page.goto(`${url}?again${address.slice(address.indexOf("#"))}`);
    await on.started(page);
    await arrived();
    assert.equal(await on.text(page), example("taints"));
    await on.step(page);
    const later = await on.moment(page);
    await page.waitForTimeout(700);
    await page.reload();
    await on.started(page);
    await arrived();
    assert.deepEqual(await on.moment(page), later, "what was done since the link was opened stays");
    await on.does(page, "back");
    await page.waitForFunction((text) => document.querySelector('[data-field="manifests"]').value === text, example("storage"));
    await on.inStep(page);
    assert.deepEqual(await on.moment(page), mine);
    // The address no longer has the link, so a reload neither opens it nor offers the way back again.
    assert.equal(new URL(page.url()).hash, "");
    await on.step(page);
    const newer = await on.moment(page);
    await page.waitForTimeout(700);
    await page.reload();
    await on.started(page);
    await page.waitForFunction((position) => document.querySelector(`[data-position="${position}"]`), newer.position);
    assert.deepEqual(await on.moment(page), newer);
    assert.equal(await page.locator('[data-link="opened"]').count(), 0);
  });
});
