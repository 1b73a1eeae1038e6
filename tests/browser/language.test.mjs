// The page in English and in Chinese: chosen, kept, complete, and within its places.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import * as on from "./steps.mjs";
import { STATES, press } from "./states.mjs";

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

/** States that the other tests do not go through. */
const OTHERS = [
  [
    "the link",
    async (page) => {
      await press(page, "cancel-edit");
      await press(page, "share");
      await page.locator('[data-field="link"]').waitFor();
    },
  ],
  [
    "a search",
    async (page) => {
      await press(page, "close");
      await page.locator(".veil").waitFor({ state: "detached" });
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press("/");
      await on.field(page, "find").waitFor();
    },
  ],
  [
    "the plan of a drain",
    async (page) => {
      await press(page, "close");
      await on.node(page, "node-a1").locator('[data-action="edit-node"]').evaluate((button) => button.click());
      await press(page, "drain");
      await page.locator('[data-action="drain-now"]').waitFor({ state: "attached" });
    },
  ],
  [
    "pending Pods, one node by one",
    async (page) => {
      await press(page, "close-form");
      await on.open(page, PENDING);
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press("3");
      for (let step = 0; step < 6; step += 1) await page.keyboard.press("ArrowRight");
    },
  ],
  [
    "the board",
    async (page) => {
      await on.runToEnd(page);
      await press(page, "pending");
      await page.locator("[data-board]").waitFor();
    },
  ],
];

const PENDING = `apiVersion: v1
kind: Node
metadata: {name: ip-1, labels: {pool: general}}
spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: ip-2, labels: {pool: db}}
status: {allocatable: {cpu: "2", memory: 16Gi, pods: "110"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: reindex, namespace: shop}
spec:
  replicas: 12
  selector: {matchLabels: {app: reindex}}
  template:
    metadata: {labels: {app: reindex}}
    spec: {containers: [{name: a, image: a, resources: {requests: {cpu: "6", memory: 1Gi}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: migration, namespace: shop}
spec: {schedulingGates: [{name: quota.example.com/approved}], containers: [{name: a, image: a}]}
`;

for (const tag of ["en", "zh"]) {
  test(`every text is within its place, and in the language of the page (${tag})`, { timeout: 300_000 }, async (t) => {
    await withPage(async (page) => {
      await on.started(page);
      for (const [name, reach] of [...STATES, ...OTHERS]) {
        await reach(page);
        const shot = process.env.BERTH_SHOTS;
        if (shot) await page.screenshot({ path: `${shot}/${tag}-${name.replace(/\W+/g, "-")}.png` });
        await t.test(name, async () => {
          assert.deepEqual(await page.evaluate(overflowing), []);
          if (tag === "zh") assert.deepEqual(await page.evaluate(english), []);
        });
      }
    }, { path: `?lang=${tag}`, viewport: VIEWPORT });
  });
}

/** Runs on the page: texts that are wider than their box and neither scroll nor end in an ellipsis. */
function overflowing() {
  const found = [];
  for (const element of document.querySelectorAll(".app *")) {
    const owns = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const style = getComputedStyle(element);
    if (!(owns || element.matches(".topbar, .panel__head, .timeline__bar")) || !element.checkVisibility()) continue;
    const hidden = element.closest(".visually-hidden, .cm-editor, .term, select, option, textarea");
    if (hidden || style.display === "inline" || style.display === "contents" || element.clientWidth < 2) continue;
    if (style.textOverflow === "ellipsis" || /auto|scroll/.test(style.overflowX)) continue;
    const excess = element.scrollWidth - element.clientWidth;
    if (excess > 1) found.push(`${element.className || element.tagName}: ${element.textContent.slice(0, 60)} (+${excess})`);
  }
  return found;
}

/** Runs on the page: texts of three English words and more, but for Kubernetes' own and what the visitor wrote. */
function english() {
  const OWN = "code, pre, kbd, .cm-editor, textarea, .term, .message, .happened__list li";
  const messages = /had untolerated taint|Duplicate value: .* too|\d+\/\d+ nodes are available.*/;
  const sentence = /\b[A-Za-z][a-z]+ [a-z]{2,} [a-z]{2,}/;
  const found = [];
  for (const element of document.querySelectorAll(".app, .app *")) {
    if (element.closest(OWN)) continue;
    const texts = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data);
    const names = ["aria-label", "title", "placeholder", "aria-valuetext", "aria-description"];
    texts.push(...names.map((name) => element.getAttribute(name) ?? ""));
    found.push(...texts.filter((text) => sentence.test(text.replace(messages, ""))).map((text) => `${element.className}: ${text}`));
  }
  return found;
}
