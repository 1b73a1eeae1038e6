// The page in English and in Chinese: chosen, kept, complete, and within its places.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "../harness.mjs";
import * as on from "../steps.mjs";
import { MORE, OTHERS } from "../language-states.mjs";
import { STATES } from "../states.mjs";
import { NAMES, english, overflowing } from "../wording.mjs";

const VIEWPORT = { width: 1366, height: 768 };
const CATALOGUE = "/zh-CN.txt";
const language = (page) => page.evaluate(() => document.documentElement.lang);
const choose = async (page, tag) => {
  await on.action(page, "language").selectOption(tag);
  await page.waitForFunction((tag) => document.documentElement.lang === tag, tag);
};

test("a visit in English does not fetch the other language; choosing it keeps what was done", async () => {
  await withPage(async (page, _, { requests }) => {
    await on.started(page);
    const [, [, chooseCell]] = STATES;
    await chooseCell(page);
    const before = await on.moment(page);
    assert.deepEqual([await language(page), requests.includes(CATALOGUE)], ["en", false]);

    await choose(page, "zh-CN");
    await page.locator(".panel.explain").getByText("可行").first().waitFor();
    assert.deepEqual(await on.moment(page), before);
    assert.equal(await page.locator("[data-arithmetic]").count(), 1, "the cell is still chosen");
    assert.equal(await on.action(page, "share").innerText(), "分享");
    assert.match(await page.title(), /调度/);
    assert.equal(requests.filter((path) => path === CATALOGUE).length, 1);
    const editor = page.locator(".cm-content");
    assert.equal(await editor.getAttribute("aria-label"), "清单（YAML 或 JSON）");

    await page.reload({ waitUntil: "load" });
    await on.started(page);
    assert.deepEqual([await language(page), await on.moment(page)], ["zh-CN", before], "it is remembered");
    await choose(page, "en");
    assert.equal(await on.action(page, "share").innerText(), "Share");
  });
});

test("the page follows the browser, and the address before it", async () => {
  const chinese = { locale: "zh-CN" };
  await withPage(async (page, url) => {
    await on.started(page);
    assert.equal(await language(page), "zh-CN");
    await page.goto(`${url}?lang=en`);
    await on.started(page);
    assert.equal(await language(page), "en");
  }, { contextOptions: chinese });
  await withPage(async (page, url) => {
    await on.started(page);
    assert.equal(await language(page), "en");
    await page.goto(`${url}?lang=zh`);
    await on.started(page);
    assert.equal(await language(page), "zh-CN");
  });
});

test("a link carries the language, and a reader's own choice survives it", async () => {
  let link;
  await withPage(async (page) => {
    await on.started(page);
    await on.action(page, "share").click();
    await page.locator('[data-field="link"]').waitFor();
    link = new URL(await page.locator('[data-field="link"]').inputValue()).hash;
  }, { path: "?lang=zh" });
  await withPage(async (page, url) => {
    await on.started(page);
    assert.equal(await language(page), "en");
    await page.goto(url + link);
    await page.waitForFunction(() => document.documentElement.lang === "zh-CN");
    await page.goto(`${url}?lang=en`);
    await on.started(page);
    assert.equal(await language(page), "en");
    await page.goto(url);
    await on.started(page);
    assert.equal(await language(page), "en", "nothing was chosen here");
  });
});

test("without its catalogue the page is in English", async () => {
  await withPage(async (page, url) => {
    await page.route("**/zh-CN.txt*", (route) => route.abort());
    await page.goto(url);
    await on.started(page);
    assert.equal(await language(page), "en");
    await on.action(page, "language").selectOption("zh-CN");
    await on.notice(page).waitFor();
    assert.equal(await language(page), "en");
    assert.equal(await on.action(page, "language").inputValue(), "en");
  }, { path: null, contextOptions: { locale: "zh-CN" }, allowed: (problem) => problem.includes("ERR_FAILED") });
});

for (const tag of ["en", "zh"]) {
  test(`every text is within its place, and in the language of the page (${tag})`, { timeout: 900_000 }, async (t) => {
    await withPage(async (page) => {
      await on.started(page);
      for (const [name, reach] of [...STATES, ...OTHERS, ...MORE]) {
        await reach(page);
        const shot = process.env.BERTH_SHOTS;
        if (shot) await page.screenshot({ path: `${shot}/${tag}-${name.replace(/\W+/g, "-")}.png` });
        await t.test(name, async () => {
          assert.deepEqual(await page.evaluate(overflowing), []);
          if (tag === "zh") assert.deepEqual(await page.evaluate(english, NAMES), []);
        });
      }
    }, { path: `?lang=${tag}`, viewport: VIEWPORT });
  });
}

test("a first visit in Chinese has no English", { timeout: 120_000 }, async () => {
  await withPage(async (page) => {
    await on.started(page);
    assert.deepEqual(await page.evaluate(english, NAMES), []);
    assert.deepEqual(await page.evaluate(overflowing), []);
    await on.action(page, "examples").click();
    await page.locator("[data-example]").first().waitFor();
    await on.action(page, "paste-cluster").click();
    assert.deepEqual(await page.evaluate(english, NAMES), []);
  }, { opening: true, motion: true, contextOptions: { locale: "zh-CN" }, viewport: VIEWPORT });
});

test("a resource has its name in the language of the sentence", async () => {
  const yaml = `apiVersion: v1
kind: Node
metadata: {name: small}
status: {allocatable: {cpu: "4", memory: 1Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: big}
spec: {containers: [{name: main, image: registry.example.com/big:1, resources: {requests: {memory: 2Gi}}}]}
`;
  await withPage(
    async (page) => {
      await on.started(page);
      await on.open(page, yaml);
      await on.runToEnd(page);
      await page.locator('[data-pod="default/big"]').first().click();
      await page.locator('[data-fixes][data-done="true"]').waitFor({ state: "attached", timeout: 60_000 });
      const explained = await page.locator(".explain :is(.sentence, .fixes)").allInnerTexts();
      assert.equal(explained.length, 2);
      for (const text of explained) {
        assert.match(text, /内存/);
        assert.doesNotMatch(text, /GiB memory/);
      }
      assert.match(await on.node(page, "small").locator(".node__verdict").innerText(), /内存/);
    },
    { contextOptions: { locale: "zh-CN" } },
  );
});
