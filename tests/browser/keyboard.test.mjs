// Builds a cluster of two zones and places a Pod without a mouse, and tests the other keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withManifests, withPage } from "./harness.mjs";
import { MOST, tabTo } from "./keys.mjs";
import * as on from "./steps.mjs";

const isFocused = (page, selector) =>
  page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector);

const button = (name) => `[data-action="${name}"]`;
const input = (name) => `[data-field="${name}"]`;

test("from an empty page to a placed Pod by keyboard alone", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.waitForSelector(".cm-content");
    await tabTo(page, button("new"));
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !document.querySelector("[data-node]"));
    await on.inStep(page);

    await tabTo(page, button("add"));
    await page.keyboard.press("Space");
    await page.waitForSelector('[data-form="add"]');
    for (const zone of ["zone-a", "zone-b"]) {
      await tabTo(page, input("zone"), zone === "zone-a" ? "Tab" : "Shift+Tab");
      await page.keyboard.press("Control+a");
      await page.keyboard.type(zone);
      await page.keyboard.press("Enter");
      await page.waitForFunction(
        (zone) => [...document.querySelector('[data-field="domain"]').options].some((one) => one.value === zone),
        zone,
      );
      await tabTo(page, input("domain"));
      await page.keyboard.type(zone);
      assert.equal(await page.locator(input("domain")).inputValue(), zone);
      await tabTo(page, button("add-nodes"));
      await page.keyboard.press("Enter");
      await page.waitForSelector(`[data-zone="${zone}"] [data-node]`);
      await on.inStep(page);
    }

    await tabTo(page, input("name"));
    await page.keyboard.type("lone");
    await tabTo(page, input("pod-cpu"));
    await page.keyboard.press("Control+a");
    await page.keyboard.type("250m");
    await tabTo(page, input("kind"));
    await page.keyboard.type("Pod");
    assert.equal(await page.locator(input("kind")).inputValue(), "pod");
    await tabTo(page, button("add-pods"));
    await page.keyboard.press("Space");
    await page.waitForSelector('[data-pod="default/lone"]');
    await on.inStep(page);
    await page.keyboard.press("Escape");
    await page.locator('[data-form="add"]').waitFor({ state: "detached" });

    const { position } = await on.moment(page);
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector('[data-node] [data-pod="default/lone"][data-state="bound"]');
    await on.inStep(page);
    const frame = await on.frame(page);
    assert.equal(frame.position, position + 1);
    assert.deepEqual(frame.nodes.map((node) => node.labels["topology.kubernetes.io/zone"]), ["zone-a", "zone-b"]);
    await page.keyboard.press("ArrowLeft");
    await page.waitForSelector('[data-pod="default/lone"][data-state="pending"]');
    await on.inStep(page);
    assert.equal((await on.moment(page)).position, position);
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector('[data-pod="default/lone"][data-state="bound"]');

    // Explain shows the attempt, and Shift+Tab leads back to the top.
    await page.waitForSelector('[data-attempt="default/lone"]');
    await tabTo(page, button("new"), "Shift+Tab");
  });
});

test("undo and redo have keys, and the editor is left with the keyboard", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.waitForSelector(".cm-content");
    const nodes = await page.locator("[data-node]").count();
    await tabTo(page, button("new"));
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !document.querySelector("[data-node]"));
    await on.inStep(page);
    await page.keyboard.press("Control+z");
    await on.started(page);
    await on.inStep(page);
    assert.equal(await page.locator("[data-node]").count(), nodes);
    await page.keyboard.press("Control+Shift+Z");
    await page.waitForFunction(() => !document.querySelector("[data-node]"));
    await on.inStep(page);

    await tabTo(page, ".cm-content");
    await tabTo(page, button("add"));
    await tabTo(page, ".cm-content", "Shift+Tab");
    await tabTo(page, button("new"), "Shift+Tab");
  });
});

test("dialogs are opened, walked and closed with the keyboard", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.keyboard.press("?");
    await page.waitForSelector(".dialog .keys");
    await page.keyboard.press("Escape");
    await page.locator(".dialog").waitFor({ state: "detached" });
    await tabTo(page, button("examples"));
    await page.keyboard.press("Enter");
    await page.locator("[data-example]").first().waitFor();
    await tabTo(page, '[data-example="taints"]');
    await page.keyboard.press("Enter");
    await page.locator(".dialog").waitFor({ state: "detached" });
    await page.waitForFunction(() => globalThis.berth.frame().title !== "First steps: a shop over three zones");
    await on.inStep(page);
  });
});

// The focus must not stay on the page behind the dialog.
test("a dialog takes the focus, keeps it, and gives it back", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await tabTo(page, button("examples"));
    await page.keyboard.press("Enter");
    await page.locator("[data-example]").first().waitFor();
    assert.ok(await isFocused(page, '[role=dialog], [role=dialog] *'), "the dialog has the focus");
    for (let number = 0; number < 40; number += 1) {
      await page.keyboard.press("Tab");
      assert.ok(await isFocused(page, '[role=dialog], [role=dialog] *'), "the dialog keeps the focus");
    }
    await page.keyboard.press("Escape");
    await page.locator('[role=dialog]').waitFor({ state: "detached" });
    assert.ok(await isFocused(page, button("examples")), "the button has it again");
  });
});

// Otherwise keyboard users would have to tab through the whole stage to reach the form.
test("a form takes the focus, and gives it back", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await tabTo(page, button("add"));
    await page.keyboard.press("Enter");
    await page.waitForSelector('[data-form="add"]');
    assert.ok(await isFocused(page, '[data-form="add"] *'), "the form has the focus");
    await page.keyboard.press("Escape");
    await page.locator('[data-form="add"]').waitFor({ state: "detached" });
    assert.ok(await isFocused(page, button("add")), "the button has it again");
  });
});

/** The core's nodes, by name. */
const nodes = async (page) => Object.fromEntries((await on.frame(page)).nodes.map((node) => [node.name, node]));

const ZONE = "topology.kubernetes.io/zone";

test("a slash finds nodes and Pods, and goes there", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await page.keyboard.press("/");
    await page.waitForSelector(input("find"));
    assert.ok(await isFocused(page, input("find")), "the field has the focus");
    await page.keyboard.type("node-c");
    assert.deepEqual(
      await page.locator("[data-found]").evaluateAll((all) => all.map(({ dataset }) => dataset.found)),
      ["node-c1", "node-c2"],
    );
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.dataset.node === "node-c2");
    // From there, arrow keys move the focus.
    await page.keyboard.press("ArrowUp");
    assert.ok(await isFocused(page, '[data-node="node-c1"]'));

    await on.step(page);
    await on.step(page);
    const pod = (await on.frame(page)).pods.find((one) => one.state === "bound").key;
    await page.keyboard.press("/");
    await page.waitForSelector(input("find"));
    await page.keyboard.type(pod.replace("default/", ""));
    await page.keyboard.press("Enter");
    await page.waitForSelector(`[data-attempt="${pod}"]`);
    await page.waitForFunction((pod) => document.activeElement?.dataset.pod === pod, pod);

    await page.keyboard.press("/");
    await page.waitForSelector(input("find"));
    await page.keyboard.type("nobody");
    assert.equal(await page.locator("[data-found]").count(), 0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.locator(".dialog").waitFor({ state: "detached" });
  });
});

test("a Pod that is found while it travels has the focus once it arrives", async () => {
  await withPage(
    async (page) => {
      await on.started(page);
      await page.keyboard.press("ArrowRight");
      const traveler = await page.locator("[data-voyage]").getAttribute("data-voyage");
      await page.keyboard.press("/");
      await page.waitForSelector(input("find"));
      await page.keyboard.type(traveler.replace("default/", ""));
      await page.keyboard.press("Enter");
      await page.waitForFunction((pod) => document.activeElement?.dataset.pod === pod, traveler);
    },
    { motion: true },
  );
});

test("what a slash finds comes to the middle, as far as the stage scrolls", async () => {
  await withPage(
    async (page) => {
      await on.started(page);
      for (const node of ["node-c2", "node-b2", "node-a1"]) {
        await page.keyboard.press("/");
        await page.waitForSelector(input("find"));
        await page.keyboard.type(node);
        await page.keyboard.press("Enter");
        await page.waitForFunction((node) => document.activeElement?.dataset.node === node, node);
        const is = await page.evaluate(() => {
          const body = document.querySelector(".stage__body");
          const middle = (element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return (top + bottom) / 2;
          };
          const off = Math.round(middle(document.activeElement) - middle(body));
          const end = body.scrollHeight - body.clientHeight - body.scrollTop;
          return { off, start: body.scrollTop, end };
        });
        const isThere = Math.abs(is.off) < 30 || (is.off < 0 ? is.start < 2 : is.end < 2);
        assert.ok(isThere, `${node}: ${JSON.stringify(is)}`);
      }
    },
    { viewport: { width: 1440, height: 560 } },
  );
});

test("letters cordon, choose, carry and delete what the keyboard is at", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const goes = (node) => on.node(page, node).focus();
    await goes("node-a1");
    await page.keyboard.press("c");
    await page.waitForSelector('[data-node="node-a1"].node--cordoned');
    await on.inStep(page);
    assert.equal((await nodes(page))["node-a1"].unschedulable, true);
    await page.keyboard.press("c");
    await page.waitForSelector('[data-node="node-a1"]:not(.node--cordoned)');
    await on.inStep(page);

    // Two selected nodes.
    await page.keyboard.press("x");
    await goes("node-b1");
    await page.keyboard.press("x");
    await page.waitForSelector('[data-selected="2"]');
    await page.keyboard.press("c");
    await page.waitForSelector('[data-node="node-b1"].node--cordoned');
    await on.inStep(page);
    assert.deepEqual(
      Object.values(await nodes(page)).filter((node) => node.unschedulable).map((node) => node.name),
      ["node-a1", "node-b1"],
    );
    await page.keyboard.press("Control+z");
    await page.waitForSelector('[data-node="node-b1"]:not(.node--cordoned)');
    await page.keyboard.press("Escape");
    await page.locator("[data-selected]").waitFor({ state: "detached" });

    // A carried node: Escape puts it back, Enter drops it.
    const { position } = await on.moment(page);
    await goes("node-a1");
    await page.keyboard.press("m");
    await page.waitForSelector('[data-carried="zone-a"]');
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector('[data-zone="zone-b"].basin--drop');
    await page.keyboard.press("Escape");
    await page.locator("[data-carried]").waitFor({ state: "detached" });
    await on.inStep(page);
    assert.equal((await nodes(page))["node-a1"].labels[ZONE], "zone-a");
    assert.equal((await on.moment(page)).position, position);
    await page.keyboard.press("m");
    await page.waitForSelector('[data-carried="zone-a"]');
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector('[data-carried="zone-c"]');
    await page.keyboard.press("Enter");
    await page.waitForSelector('[data-zone="zone-c"] [data-node="node-a1"]');
    await on.inStep(page);
    // The focus follows the node: the next letter acts on the same one.
    await page.waitForFunction(() => document.activeElement?.dataset.node === "node-a1");
    assert.equal((await nodes(page))["node-a1"].labels[ZONE], "zone-c");

    // Delete removes a Pod without an owner and a node, but no Pod of a Deployment.
    const names = Object.keys(await nodes(page));
    const owned = (await on.frame(page)).pods.find((pod) => pod.owner).key;
    await page.locator(`[data-pod="${owned}"]`).focus();
    await page.keyboard.press("Delete");
    await on.notice(page).waitFor();
    assert.match(await on.notice(page).textContent(), /made by/);
    const lone = (await on.frame(page)).pods.find((pod) => !pod.owner).key;
    await page.keyboard.press("/");
    await page.waitForSelector(input("find"));
    await page.keyboard.type(lone.replace("default/", ""));
    await page.keyboard.press("Enter");
    await page.locator(".dialog").waitFor({ state: "detached" });
    // The focus is on the Pod's block or, if the queue does not show it, in Explain.
    await page.waitForFunction(
      (lone) => document.activeElement.dataset.pod === lone || document.activeElement.matches(".explain *"),
      lone,
    );
    await page.keyboard.press("Delete");
    await page.waitForFunction((lone) => !globalThis.berth.frame().pods.some((pod) => pod.key === lone), lone);
    await on.inStep(page);
    await goes("node-b2");
    await page.keyboard.press("Delete");
    await on.node(page, "node-b2").waitFor({ state: "detached" });
    await on.inStep(page);
    assert.deepEqual(Object.keys(await nodes(page)), names.filter((name) => name !== "node-b2"));
  });
});

test("where something is written, letters are letters", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const before = await on.text(page);
    await on.node(page, "node-a1").focus();
    await page.keyboard.press("x");
    await page.waitForSelector('[data-selected="1"]');
    await page.keyboard.press("a");
    await page.waitForSelector('[data-form="add"]');
    await page.locator(input("zone")).fill("");
    await page.locator(input("zone")).focus();
    for (const key of ["c", "m", "x", "/", "Delete"]) await page.keyboard.press(key);
    assert.equal(await page.locator(input("zone")).inputValue(), "cmx/");
    // Letters do nothing either while a button of the form has the focus.
    await page.locator('[data-form="add"] [data-action="close-form"]').focus();
    for (const key of ["c", "m", "x", "Delete"]) await page.keyboard.press(key);
    await on.inStep(page);
    assert.equal(await page.locator(".dialog, [data-carried]").count(), 0);
    assert.equal(await on.text(page), before);
  });
});

test("every node, Pod and verdict is reached by keyboard, and has a name", async () => {
  await withPage(async (page) => {
    await on.started(page);
    for (let steps = 0; steps < 4; steps += 1) await on.step(page);
    const all = (selector, attribute) =>
      page.locator(selector).evaluateAll((found, key) => found.map(({ dataset }) => dataset[key]), attribute);
    const here = () =>
      page.evaluate(() => {
        const { dataset, textContent } = document.activeElement;
        return { ...dataset, name: document.activeElement.getAttribute("aria-label") ?? textContent };
      });
    /** Presses this key until the focus stays where it is; returns the places on the way. */
    const walk = async (key, attribute, met = new Set()) => {
      for (let number = 0; number < MOST; number += 1) {
        const place = await here();
        assert.ok(place.name.trim(), `${place[attribute]} has a name`);
        met.add(place[attribute]);
        await page.keyboard.press(key);
        if ((await here())[attribute] === place[attribute]) return met;
      }
      return assert.fail(`${key} goes on for ever`);
    };

    // The stage's cards are one tab stop.
    await tabTo(page, "[data-node]");
    await page.keyboard.press("Tab");
    assert.ok(!(await isFocused(page, "[data-node], [data-node] *")), "Tab leaves the cards");
    await page.keyboard.press("Shift+Tab");
    assert.ok(await isFocused(page, "[data-node]"), "and comes back to them");
    const met = new Set();
    for (let column = 0; column < 3; column += 1) {
      await walk("ArrowUp", "node", met);
      await walk("ArrowDown", "node", met);
      await page.keyboard.press("ArrowRight");
    }
    assert.deepEqual([...met].sort(), (await all("article[data-node]", "node")).sort());
    const pods = new Set();
    for (const node of met) {
      if ((await page.locator(`[data-node="${node}"] [data-pod]`).count()) === 0) continue;
      await page.locator(`article[data-node="${node}"]`).focus();
      await page.keyboard.press("Enter");
      await walk("ArrowRight", "pod", pods);
      await walk("ArrowLeft", "pod");
      // The edit button comes before the Pods.
      assert.equal((await here()).action, "edit-node");
      await page.keyboard.press("Escape");
      assert.equal((await here()).node, node);
    }
    assert.deepEqual([...pods].sort(), (await all("article [data-pod]", "pod")).sort());

    // The matrix is one tab stop as well.
    await page.locator(".sect__head", { hasText: "Filter" }).click();
    await tabTo(page, "[data-cell]");
    const cells = new Set();
    const rows = await page.locator('.matrix th[scope="row"]').count();
    for (let row = 0; row < rows; row += 1) {
      await page.keyboard.press("Home");
      assert.ok((await here()).whyNot, "a row begins with its node");
      await page.keyboard.press("ArrowRight");
      await walk("ArrowRight", "cell", cells);
      await page.keyboard.press("ArrowDown");
    }
    const shown = await page.locator("[data-cell]").evaluateAll((all) =>
      all.filter((cell) => cell.offsetParent).map(({ dataset }) => dataset.cell));
    assert.deepEqual([...cells].sort(), shown.sort());
    await page.keyboard.press("Tab");
    assert.ok(!(await isFocused(page, "[data-cell]")), "Tab leaves the matrix");
  });
});

test("F6 goes from region to region and around, Shift+F6 back, also out of the editor", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.step(page);
    await page.waitForSelector(".cm-content");
    const regions = [".topbar", ".sources", ".queue", ".stage__body", ".explain", ".timeline"];
    const isAt = async (region) => {
      const where = await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120));
      assert.ok(await isFocused(page, `${region} *`), `${region} has the focus, not ${where}`);
    };
    await page.evaluate(() => document.activeElement.blur());
    for (const region of [...regions, regions[0]]) {
      await page.keyboard.press("F6");
      await isAt(region);
    }
    for (const region of [...regions].reverse()) {
      await page.keyboard.press("Shift+F6");
      await isAt(region);
    }
    // On the stage, F6 focuses a card, as Tab does.
    await on.node(page, "node-b1").focus();
    await page.keyboard.press("F6");
    await isAt(".explain");
    await page.keyboard.press("Shift+F6");
    assert.ok(await isFocused(page, '[data-node="node-b1"]'), "the card has the focus again");

    await page.locator(".cm-content").focus();
    await page.keyboard.press("F6");
    await isAt(".queue");
    // F6 leaves a form, but no dialog.
    await page.keyboard.press("a");
    await page.waitForSelector('[data-form="add"]');
    await page.locator(input("zone")).focus();
    await page.keyboard.press("F6");
    await isAt(".explain");
    await page.keyboard.press("?");
    await page.waitForSelector(".dialog .keys");
    await page.keyboard.press("F6");
    assert.ok(await isFocused(page, ".dialog, .dialog *"), "the dialog keeps the focus");
  });
});

test("E explains the Pod that the keyboard is at, and why the Pod is not on a node", async () => {
  await withPage(async (page) => {
    await on.started(page);
    for (let steps = 0; steps < 3; steps += 1) await on.step(page);
    const { pods } = await on.frame(page);
    const [first] = pods.filter((pod) => pod.state === "bound");
    const block = page.locator(`article [data-pod="${first.key}"]`);
    await block.focus();
    await page.keyboard.press("e");
    await page.waitForSelector(`[data-attempt="${first.key}"]`);
    // Pressing E again changes nothing.
    await page.keyboard.press("e");
    await on.inStep(page);
    assert.equal(await page.locator(`[data-attempt="${first.key}"]`).count(), 1);
    const other = (await on.frame(page)).nodes.find((node) => node.name !== first.node).name;
    await page.locator(`article[data-node="${other}"]`).focus();
    await page.keyboard.press("e");
    await page.waitForSelector(`[data-why-not-answer="${other}"]`);
  });
});

test("E tells of a Pod that waits what keeps it from the node that the keyboard is at", async () => {
  const huge =
    "apiVersion: v1\nkind: Node\nmetadata: {name: small}\nstatus: {allocatable: {cpu: '1', memory: 4Gi, pods: '10'}}\n---\n" +
    "apiVersion: v1\nkind: Pod\nmetadata: {name: huge}\n" +
    "spec: {containers: [{name: main, image: a, resources: {requests: {cpu: '8'}}}]}\n";
  await withManifests(huge, async (page) => {
    await on.step(page);
    await page.waitForSelector('[data-attempt="default/huge"]');
    await page.locator('article[data-node="small"]').focus();
    await page.keyboard.press("e");
    const answer = page.locator('[data-why-not-answer="small"]');
    assert.match(await answer.textContent(), /^NodeResourcesFit rejects small for huge, as it is 7000m CPU short/);
  });
});
