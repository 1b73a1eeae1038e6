// The level builder by the keyboard alone: a lesson from nothing, its rules, and its link in another browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { withManifests, withPage } from "../harness.mjs";
import * as keys from "../keys.mjs";
import * as on from "../steps.mjs";

const MANIFESTS = `apiVersion: v1
kind: Node
metadata: {name: a, labels: {disk: hdd}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: db, labels: {app: db}}
spec:
  nodeSelector: {disk: ssd}
  containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]
`;
const place = (path) => `[data-place="${path}"]`;

/** Moves the focus with Tab to an element that may be still to come. */
async function tabTo(page, selector) {
  await page.locator(selector).first().waitFor();
  await keys.tabTo(page, selector);
}

async function press(page, selector) {
  await tabTo(page, selector);
  await page.keyboard.press("Enter");
}

async function write(page, path, text) {
  await tabTo(page, place(path));
  await page.keyboard.type(text);
}

/** Types a line into the terminal, and returns to the builder or the lesson. */
async function run(page, line, tab) {
  await keys.type(page, line);
  await press(page, `[data-source="${tab}"]`);
}

/** The results of the rules once all are played: `true` for one that holds. */
async function rules(page, count) {
  await page.waitForFunction(
    (count) => {
      const list = document.querySelector('[data-build="played"][aria-busy="false"]');
      return list?.querySelectorAll("[data-rule]").length === count;
    },
    count,
    { timeout: 60_000 },
  );
  return page.locator("[data-rule]").evaluateAll((rows) => rows.map((row) => row.dataset.rule));
}

const value = (page, path) => page.locator(place(path)).inputValue();

test("a lesson is made from nothing by the keyboard, and its link opens as a lesson", { timeout: 300_000 }, async () => {
  let link = "";
  await withManifests(MANIFESTS, async (page) => {
    await press(page, '[data-action="export"]');
    await press(page, '[data-action="make-lesson"]');
    await press(page, '[data-action="mark-start"]');
    await page.locator('[data-build="noted"]').waitFor();

    await run(page, "kubectl label node b disk=ssd", "builder");
    await page.locator('[data-build="noted"] .cmd').waitFor();
    assert.match(await page.locator('[data-build="noted"]').innerText(), /kubectl label node b disk=ssd/);
    await press(page, '[data-action="this-is-goal"]');

    // Goals are proposed from what differs, the smallest set first.
    await page.locator(place("expectations[0]")).waitFor({ state: "attached" });
    assert.equal(await value(page, "expectations[0]"), "pod: db\nstate: Bound");
    assert.equal(await value(page, "expectations[0].words"), "`db` has a node");
    assert.equal(await page.locator(place("expectations[1]")).count(), 0);
    assert.ok((await page.locator("[data-offer]").count()) > 0);
    assert.deepEqual(await rules(page, 2), ["true", "true"]);
    assert.ok(await page.locator('[data-action="link-lesson"]').isDisabled(), "texts are missing");
    // What nobody has written yet is listed, and no mistake before its field is left.
    const missing = page.locator('[data-missing="title"]');
    assert.equal(await missing.getAttribute("class"), "build__todo");
    assert.equal(await missing.locator("svg").count(), 0);
    await page.locator(place("title")).focus();
    await page.keyboard.press("Tab");
    await page.waitForSelector('.build__wrong[data-missing="title"]');

    await write(page, "title", "Where is the fast disk?");
    await write(page, "description", "`db` has waited since yesterday.");
    await write(page, "task", "Get `db` running.");
    await press(page, '[data-action="add-hint"]');
    await write(page, "hints[0]", "Look at `kubectl describe pod db`.");

    // An unfinished lesson survives a reload.
    await page.waitForTimeout(800);
    await page.reload();
    await page.locator("[data-build]").first().waitFor();
    assert.equal(await value(page, "title"), "Where is the fast disk?");
    assert.equal(await value(page, "hints[0]"), "Look at `kubectl describe pod db`.");
    await on.started(page);

    // A wrong answer is done, not described.
    await press(page, '[data-action="take-wrong"]');
    await page.locator('[data-build="noted"]').waitFor();
    await run(page, "kubectl label node b disk=hdd", "builder");
    await page.locator('[data-build="noted"] .cmd').waitFor();
    await press(page, '[data-action="this-is-wrong"]');
    await page.locator(place("wrong[0].say")).waitFor();
    assert.equal(
      await value(page, "wrong[0].when[0]"),
      "object: Node/b\npath: metadata.labels.disk\nequals: hdd",
    );
    await write(page, "wrong[0].say", "A label, but another value.");
    await tabTo(page, '[data-field="lock"]');
    await page.keyboard.type("Pod/db");
    await press(page, '[data-action="lock"]');
    await page.locator(place("locked[0]")).waitFor();
    assert.equal(await value(page, "locked[0]"), "Pod/db");
    assert.deepEqual(await rules(page, 4), ["true", "true", "true", "true"]);

    // A lock that forbids the solution is named, and so is a goal that cannot be read.
    await press(page, '[data-action="add-lock"]');
    await write(page, "locked[1]", "Node");
    await page.keyboard.press("Shift+Tab");
    assert.deepEqual(await rules(page, 5), ["true", "false", "false", "true", "true"]);
    assert.match(await page.locator('[data-rule="false"]').first().innerText(), /Step 1 of the solution fails: .*this lesson locks Node/s);
    assert.equal(await page.locator(".build__nav .build__wrong").innerText(), "You can save it, but a rule is broken: see above.");
    await press(page, '[data-action="add-goal"]');
    await write(page, "expectations[1]", "pod: [");
    await page.keyboard.press("Shift+Tab");
    // Until it is read, an empty goal is missing.
    await page.locator('[data-missing="expectations[1]"]', { hasText: /^Goal 2: / }).waitFor();
    await press(page, '[data-missing="expectations[1]"] [data-action="go-to"]');
    await page.waitForFunction((selector) => document.activeElement?.matches(selector), place("expectations[1]"));
    await press(page, '[aria-label="Goals"] > ol > li:nth-child(2) [data-action="remove"]');
    await press(page, '[aria-label="Locks"] > ol > li:nth-child(2) [data-action="remove"]');
    assert.deepEqual(await rules(page, 4), ["true", "true", "true", "true"]);

    await press(page, '[data-action="link-lesson"]');
    await page.locator('[data-field="lesson-link"]').waitFor();
    link = await page.locator('[data-field="lesson-link"]').inputValue();
    assert.match(link, /#1\./);
    const downloaded = page.waitForEvent("download");
    await press(page, '[data-action="save-lesson"]');
    assert.equal((await downloaded).suggestedFilename(), "own-where-is-the-fast-disk.yaml");
  });

  // Another browser, which has nothing but the link.
  await withPage(async (page) => {
    const title = page.locator(".lesson h2");
    await title.waitFor();
    assert.equal(await title.innerText(), "Where is the fast disk?");
    assert.ok(!(await on.text(page)).includes("solution"), "the manifests give nothing away");
    assert.equal(await page.locator('[data-goal="false"]').count(), 1);
    await run(page, "kubectl label node b disk=hdd", "lesson");
    await page.locator('[data-lesson="wrong"]').waitFor();
    assert.match(await page.locator('[data-lesson="wrong"]').innerText(), /A label, but another value\./);
    await press(page, '[data-action="start-over"]');
    await page.locator('[data-lesson="wrong"]').waitFor({ state: "detached" });
    await press(page, '[data-action="hint"]');
    await press(page, '[data-action="show-solution"]');
    await press(page, '[data-action="solve"]');
    await page.locator('[data-lesson="done"]').waitFor();
  }, { path: new URL(link).hash });
});

test("the builder in Chinese proposes Chinese goals, fits its place, and is accessible", { timeout: 120_000 }, async () => {
  await withManifests(MANIFESTS, async (page) => {
    await on.action(page, "to-course").click();
    await page.locator('.course [data-action="make-lesson"]').click();
    await on.action(page, "mark-start").click();
    await page.locator('[data-build="noted"]').waitFor();
    await run(page, "kubectl label node b disk=ssd", "builder");
    await page.locator('[data-build="noted"] .cmd').waitFor();
    await on.action(page, "this-is-goal").click();
    await page.locator(place("expectations[0]")).waitFor({ state: "attached" });
    assert.equal(await value(page, "expectations[0].words"), "`db` 有节点");
    for (const name of ["add-hint", "add-lock", "add-question"]) await on.action(page, name).click();
    await page.locator(place("predict[0].pod")).waitFor({ state: "attached" });
    await page.locator(".build details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
    const shown = await page.locator(".build").innerText();
    const english = shown.match(/\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b/g) ?? [];
    assert.deepEqual(english.filter((words) => !words.startsWith("kubectl") && !words.includes("node")), []);
    const wide = await page.locator(".sources :is(button, h3, p, summary, span, label)").evaluateAll((all) =>
      all.filter((it) => it.scrollWidth > it.clientWidth + 1 && it.clientWidth > 1 && getComputedStyle(it).display !== "inline").map((it) => it.textContent),
    );
    assert.deepEqual(wide, [], "nothing is wider than its place");
    await page.evaluate(axe.source);
    const grave = await page.evaluate(async () => {
      const { violations } = await globalThis.axe.run(document.querySelector(".sources"), { resultTypes: ["violations"] });
      const found = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
    });
    assert.deepEqual(grave, []);
  }, { viewport: { width: 1366, height: 768 }, contextOptions: { locale: "zh-CN", bypassCSP: true } });
});
