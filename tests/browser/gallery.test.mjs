// The gallery: the visitor's own cluster, an empty one, or an example with its picture.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const CLUSTER = `apiVersion: v1
kind: Node
metadata: {name: of-mine}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
`;
const gallery = (page) => page.locator(".welcome");

async function opened(body, options) {
  await withPage(async (page, ...more) => {
    await on.started(page);
    // A phone has it in a menu.
    const menu = page.locator(".topbar__menu");
    if (await menu.isVisible()) await menu.click();
    await on.action(page, "examples").click();
    await page.locator("[data-example]").first().waitFor();
    await body(page, ...more);
  }, options);
}

test("each example has a picture of its end, its size, and a title that begins with its topic", async () => {
  await opened(async (page) => {
    const cards = await page.locator("[data-example]").evaluateAll((cards) =>
      cards.map((card) => ({
        blocks: card.querySelectorAll(".card__art rect").length,
        size: card.querySelector(".card__n").innerText,
        title: card.querySelector(".card__title").innerText,
      })),
    );
    assert.equal(cards.length, 18);
    for (const { blocks, size, title } of cards) {
      assert.ok(blocks >= 5, title);
      assert.match(size, /\d+ nodes · \d+ Pods/);
      assert.match(title, /^[A-Z][^:]*: /);
    }
    const size = await gallery(page).evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    assert.equal(size[0], size[1], "nothing is cut");
    await page.locator('[data-example="taints"]').click();
    await gallery(page).waitFor({ state: "detached" });
    await page.waitForFunction(() => /^Taints: /.test(globalThis.berth.frame().title));
  });
});

test("examples answer a question each, and a picture outlines the node that decides", async () => {
  await opened(async (page) => {
    const questions = await page.locator(".gallery__question").allTextContents();
    assert.equal(questions.length, 4);
    for (const question of questions) assert.match(question, /\?$/);
    const outlined = await page.locator("[data-example]").evaluateAll((cards) => cards.map((card) => card.querySelectorAll(".art-decides").length));
    assert.deepEqual(outlined, outlined.map(() => 1));
  });
});

test("a message, a plugin or a release finds examples", async () => {
  await opened(async (page) => {
    const found = async (words) => {
      await on.field(page, "filter").fill(words);
      await page.waitForFunction(() => document.querySelectorAll("[data-example]").length < 18);
      return page.locator("[data-example]").evaluateAll((cards) => cards.map((card) => card.dataset.example));
    };
    // As an event says it.
    const message = "4 node(s) didn't match pod topology spread constraints. preemption: 0/5 nodes";
    assert.deepEqual(await found(message), ["default", "zone-spread", "empty-zone"]);
    assert.deepEqual(
      await page.locator(".card__message").allTextContents(),
      Array(3).fill("node(s) didn't match pod topology spread constraints"),
    );
    assert.deepEqual(await found("VolumeBinding"), ["storage"]);
    assert.deepEqual(await found("v1.36"), ["two-versions"]);
    assert.ok((await page.locator("#known option").count()) > 20, "what can be asked is suggested");
  });
});

test("words filter the examples, and the first lesson begins from there", async () => {
  await opened(async (page) => {
    const shown = () => page.locator("[data-example]").count();
    await on.field(page, "filter").fill("spread ZONE");
    await page.waitForFunction(() => document.querySelectorAll("[data-example]").length < 18);
    assert.ok((await shown()) > 0);
    await on.field(page, "filter").fill("no such example");
    await page.waitForFunction(() => document.querySelectorAll("[data-example]").length === 0);
    await on.action(page, "begin-lesson").click();
    await page.locator(".lesson h2").waitFor();
    assert.equal(await page.locator(".lesson h2").innerText(), "Where does it go?");
  });
});

test("a cluster is pasted, and stays in this tab", async () => {
  await opened(async (page) => {
    await on.action(page, "paste-cluster").click();
    await page.waitForFunction(() => document.activeElement.dataset.field === "cluster");
    assert.match(await gallery(page).innerText(), /kubectl get nodes,pods,deploy,.* -A -o yaml/);
    assert.match(await gallery(page).innerText(), /Nothing that you paste leaves it/);
    await on.field(page, "cluster").evaluate((field, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, CLUSTER);
    await gallery(page).waitFor({ state: "detached" });
    await on.textIs(page, CLUSTER);
    await on.node(page, "of-mine").waitFor();

    // Typed in, it is opened with the button.
    await on.action(page, "examples").click();
    await on.action(page, "paste-cluster").click();
    await on.field(page, "cluster").fill(CLUSTER.replace("of-mine", "typed"));
    await on.action(page, "open-cluster").click();
    await on.node(page, "typed").waitFor();
  });
});

test("one can start empty, or leave", async () => {
  await opened(async (page) => {
    await page.keyboard.press("Escape");
    await gallery(page).waitFor({ state: "detached" });
    assert.ok((await on.frame(page)).nodes.length > 0);
    await on.action(page, "examples").click();
    await on.action(page, "start-empty").click();
    await gallery(page).waitFor({ state: "detached" });
    await page.waitForFunction(() => globalThis.berth.frame().nodes.length === 0);
    // The middle of the stage says what to do, and the title leads to where it is written.
    const [stage, doors] = [await page.locator(".stage__body").boundingBox(), await page.locator(".stage__doors").boundingBox()];
    const middle = ({ x, width }) => x + width / 2;
    assert.ok(Math.abs(middle(stage) - middle(doors)) < 4);
    await on.action(page, "edit-title").click();
    await page.locator(".cm-content:focus-within, .cm-content:focus").waitFor();
    const line = () => document.getSelection().anchorNode?.parentElement?.closest(".cm-line")?.textContent ?? "";
    await page.waitForFunction(`(${line})().startsWith("title: ")`);
  });
});

for (const [width, height] of [[390, 844], [720, 450]]) {
  test(`nothing of the gallery is cut at ${width} pixels`, async () => {
    await opened(
      async (page) => {
        const size = await gallery(page).evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
        assert.equal(size[0], size[1]);
      },
      { viewport: { width, height } },
    );
  });
}
