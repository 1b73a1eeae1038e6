// Changes on the stage are written to the manifests, and changes to the manifests are drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withManifests, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const TEXT = `# Kept by hand: do not reorder.
apiVersion: v1
kind: Node
metadata:
  name: node-a   # the old one
  labels: {topology.kubernetes.io/zone: zone-a}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
---
apiVersion: v1
kind: Node
metadata:
  name: node-b
  labels:
    # moved last year
    topology.kubernetes.io/zone: zone-b
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
---
apiVersion: v1
kind: Pod
metadata: {name: lone}   # nobody owns it
spec:
  containers: [{name: main, image: a, resources: {requests: {cpu: 500m}}}]
# the end
`;

const COMMENTS = TEXT.match(/#.*/g);

/** Asserts that all comments are kept, in order. */
function keepsComments(text) {
  assert.deepEqual(text.match(/#.*/g), COMMENTS);
}

/** The lines of `after` that `before` does not have. */
function added(before, after) {
  const known = before.split("\n");
  return after.split("\n").filter((line) => !known.includes(line));
}

const withText = (body, text = TEXT) => withManifests(text, body);

test("a taint is taken as kubectl writes it, and a refusal stands in the form, beside its node", async () => {
  await withText(async (page) => {
    const last = on.node(page, "node-b");
    await last.hover();
    await last.locator('[data-action="edit-node"]').click();
    const form = page.locator('[data-form="node-b"]');
    const [card, place] = [await last.boundingBox(), await form.boundingBox()];
    const apart = Math.max(card.x - (place.x + place.width), place.x - (card.x + card.width));
    assert.ok(apart < 24, `${apart} px from its card`);
    await on.field(page, "taint").fill("gpu=present:NoExecute");
    await on.action(page, "add-taint").click();
    await on.textThat(page, /key: gpu\n.*value: present\n.*effect: NoExecute|effect: NoExecute\n.*key: gpu/);
    await on.field(page, "taint").fill("gpu=not valid");
    await on.action(page, "add-taint").click();
    await form.locator('[role="alert"]').waitFor();
    assert.equal(await on.field(page, "taint").getAttribute("aria-invalid"), "true");
    assert.doesNotMatch(await form.locator('[role="alert"]').innerText(), /regex/);
    assert.equal(await page.locator(".toast").count(), 0);
    await on.field(page, "resource").fill("nvidia.com/gpu=2");
    await on.action(page, "add-resource").click();
    await on.textThat(page, /nvidia\.com\/gpu: "?2/);
  });
});

test("a node is renamed in its form, which stays open; not in a living cluster", async () => {
  await withText(async (page) => {
    await on.edit(page, "node-a");
    await on.change(on.field(page, "node-name"), "node-x");
    await page.locator('[data-form="node-x"]').waitFor();
    keepsComments(await on.textThat(page, /name: node-x {3}# the old one/));
    await on.change(on.field(page, "node-name"), "node-b");
    await page.locator('[data-form="node-x"] [role="alert"]', { hasText: '"node-b" already exists' }).waitFor();
    await page.locator('[data-live="true"]').click();
    await page.waitForFunction(() => !document.querySelector('[data-field="node-name"]'));
    assert.equal(await page.locator('[data-form="node-x"]').count(), 1);
  });
});

test("A begins with the name of a zone", async () => {
  await withText(async (page) => {
    await page.keyboard.press("a");
    await page.waitForFunction(() => document.activeElement?.dataset.field === "zone");
    await page.keyboard.type("zone-1");
    assert.equal(await on.field(page, "zone").inputValue(), "zone-1");
    assert.equal(await page.locator('[data-step="Pod"]').getAttribute("aria-checked"), "true");
  });
});

test("a zone, two nodes in it and a Deployment are added, and written", async () => {
  await withText(async (page) => {
    await on.action(page, "add").click();
    await on.field(page, "zone").fill("zone-c");
    await on.action(page, "add-zone").click();
    await page.waitForFunction(() =>
      [...document.querySelector('[data-field="domain"]').options].some((one) => one.value === "zone-c"),
    );
    await on.field(page, "domain").selectOption("zone-c");
    await on.field(page, "count-general").fill("2");
    await page.locator('[data-add="general"]').click();
    const nodes = await on.textThat(page, /topology\.kubernetes\.io\/zone: zone-c/);
    keepsComments(nodes);
    assert.ok(nodes.startsWith(TEXT.trimEnd()), "the text before is as it was");
    await page.waitForSelector('[data-zone="zone-c"] [data-node]');
    assert.equal(await page.locator('[data-zone="zone-c"] [data-node]').count(), 2);

    await on.field(page, "name").fill("shop");
    await on.field(page, "replicas").fill("4");
    await on.field(page, "pod-cpu").fill("250m");
    await on.action(page, "add-pods").click();
    const pods = await on.textThat(page, /kind: Deployment\n[^]*name: shop/);
    keepsComments(pods);
    assert.match(pods, /replicas: 4\n/);
    assert.match(pods, /cpu: 250m/);
    await on.runToEnd(page);
    const frame = await on.frame(page);
    const placed = frame.pods.filter((pod) => pod.labels.app === "shop" && pod.state === "bound");
    assert.equal(placed.length, 4);
  });
});

test("cordon, label, taint and allocatable are changed where they stand", async () => {
  await withText(async (page) => {
    await on.edit(page, "node-a");
    await on.action(page, "cordon").click();
    let now = await on.textThat(page, /unschedulable: true/);
    keepsComments(now);
    assert.ok(added(TEXT, now).length <= 2, "only the cordon was added");
    await page.waitForSelector('[data-node="node-a"].node--cordoned');
    await on.action(page, "uncordon").click();
    await page.waitForSelector('[data-node="node-a"]:not(.node--cordoned)');
    keepsComments(await on.text(page));

    await on.field(page, "label").fill("disktype=ssd");
    await on.action(page, "add-label").click();
    now = await on.textThat(page, /disktype: ssd/);
    keepsComments(now);
    await change(page, "[data-label=disktype] input", "nvme");
    now = await on.textThat(page, /disktype: nvme/);
    assert.doesNotMatch(now, /disktype: ssd/);

    await on.field(page, "taint").fill("dedicated=gpu");
    await on.action(page, "add-taint").click();
    now = await on.textThat(page, /key: dedicated/);
    assert.match(now, /value: gpu/);
    assert.match(now, /effect: NoSchedule/);
    keepsComments(now);
    await page.locator('[data-taint="dedicated"] select').selectOption("NoExecute");
    now = await on.textThat(page, /effect: NoExecute/);

    await change(page, '[data-field="allocatable-cpu"]', "8");
    now = await on.textThat(page, /cpu: "?8"?,/);
    keepsComments(now);
    const { nodes } = await on.frame(page);
    const cpu = nodes.find((node) => node.name === "node-a").resources[0];
    assert.deepEqual([cpu.name, cpu.allocatable], ["cpu", 8000]);
    // The other node's document is as it was, byte for byte.
    assert.equal(now.split("---")[1], TEXT.split("---")[1]);
  });
});

async function change(page, selector, value) {
  await on.change(page.locator(selector), value);
}

test("deleting a node takes its document, and no other", async () => {
  await withText(async (page) => {
    await on.edit(page, "node-a");
    await on.action(page, "delete-node").click();
    await on.node(page, "node-a").waitFor({ state: "detached" });
    await on.inStep(page);
    const now = await on.text(page);
    assert.doesNotMatch(now, /node-a/);
    const rest = TEXT.split("---\n").slice(1).join("---\n");
    assert.ok(now.endsWith(rest), now);
    assert.equal(await page.locator("[data-node]").count(), 1);
  });
});

test("a node is dragged to another zone, and moved by its form", async () => {
  await withText(async (page) => {
    await page.dragAndDrop('[data-node="node-a"] .node__head', '[data-zone="zone-b"] .basin__head');
    const now = await on.textThat(page, /name: node-a[^]*?zone: zone-b[^]*---[^]*---/);
    await page.waitForSelector('[data-zone="zone-b"] [data-node="node-a"]');
    assert.equal(now, TEXT.replace("zone: zone-a}", "zone: zone-b}"));

    await on.edit(page, "node-b");
    await on.field(page, "place").selectOption("");
    await page.waitForSelector('[data-zone=""] [data-node="node-b"]');
    const gone = await on.text(page);
    assert.equal(gone.match(/topology\.kubernetes\.io\/zone/g).length, 1);
    assert.match(gone, /name: node-a[^]*zone: zone-b\}/);
  });
});

test("the form moves a node to a zone that was there", async () => {
  await withText(async (page) => {
    await on.edit(page, "node-b");
    await on.field(page, "place").selectOption("zone-a");
    await page.waitForSelector('[data-zone="zone-a"] [data-node="node-b"]');
    await on.textIs(page, TEXT.replace("zone: zone-b", "zone: zone-a"));
  });
});

test("undo takes back every change to the letter, and redo makes it again", async () => {
  await withText(async (page) => {
    const states = [];
    const remember = async () => {
      await on.inStep(page);
      states.push({ text: await on.text(page), stage: await on.stage(page), ...(await on.moment(page)) });
    };
    await remember();
    await on.edit(page, "node-a");
    await on.action(page, "cordon").click();
    await on.textThat(page, /unschedulable: true/);
    await remember();
    await on.field(page, "label").fill("disktype=ssd");
    await on.action(page, "add-label").click();
    await on.textThat(page, /disktype: ssd/);
    await remember();
    await on.field(page, "place").selectOption("zone-b");
    await on.textThat(page, /name: node-a[^]*?zone: zone-b[^]*---[^]*---/);
    await remember();
    await on.action(page, "delete-node").click();
    await on.node(page, "node-a").waitFor({ state: "detached" });
    await remember();

    for (const state of states.slice(0, -1).reverse()) {
      await on.action(page, "undo").click();
      await on.textIs(page, state.text);
      assert.deepEqual(await on.stage(page), state.stage);
      assert.equal((await on.moment(page)).digest, state.digest);
    }
    for (const state of states.slice(1)) {
      await on.action(page, "redo").click();
      await on.textIs(page, state.text);
      assert.deepEqual(await on.stage(page), state.stage);
      assert.equal((await on.moment(page)).digest, state.digest);
    }
    assert.ok(await on.action(page, "redo").isDisabled());
  });
});

test("typing a node in the editor draws it", async () => {
  await withText(async (page) => {
    const editor = page.locator(".cm-content");
    await editor.click();
    await page.keyboard.press("Control+End");
    for (const line of ["---", "{apiVersion: v1, kind: Node, metadata: {name: typed, labels: {topology.kubernetes.io/zone: zone-b}}}"]) {
      await page.keyboard.insertText(`${line}\n`);
    }
    await page.waitForSelector('[data-zone="zone-b"] [data-node="typed"]');
    await on.inStep(page);
    keepsComments(await on.text(page));
    assert.equal(await page.locator("[data-problems]").getAttribute("data-problems"), "0");
  });
});

test("a label value that the API server refuses changes nothing, and its message is shown", async () => {
  await withText(async (page) => {
    const before = { ...(await on.moment(page)), stage: await on.stage(page) };
    await on.edit(page, "node-a");
    await on.field(page, "label").fill("disktype=-no-");
    await on.action(page, "add-label").click();
    await on.notice(page).waitFor();
    assert.match(
      await on.notice(page).textContent(),
      /a valid label must be an empty string or consist of alphanumeric characters/,
    );
    await on.inStep(page);
    assert.equal(await on.text(page), TEXT);
    assert.deepEqual({ ...(await on.moment(page)), stage: await on.stage(page) }, before);
    assert.ok(!(await page.locator('[data-label="disktype"]').count()));
  });
});

async function addZone(page, zone) {
  await on.action(page, "add").click();
  await on.field(page, "zone").fill(zone);
  await on.action(page, "add-zone").click();
  await page.waitForFunction(
    (zone) => [...document.querySelector('[data-field="domain"]').options].some((one) => one.value === zone),
    zone,
  );
}

test("an added zone is drawn at once, and nodes can be dragged there", async () => {
  await withText(async (page) => {
    await addZone(page, "zone-c");
    await page.waitForSelector('[data-zone="zone-c"]');
    await on.action(page, "close-form").click();
    await page.dragAndDrop('[data-node="node-a"] .node__head', '[data-zone="zone-c"] .basin__head');
    await page.waitForSelector('[data-zone="zone-c"] [data-node="node-a"]');
    await on.textIs(page, TEXT.replace("zone: zone-a}", "zone: zone-c}"));
  });
});

test("new nodes are dragged from the palette to a zone, which says what a drop does", async () => {
  await withText(async (page) => {
    await on.action(page, "add").click();
    const before = (await on.frame(page)).nodes.length;
    await page.locator('[data-field="count-gpu"]').fill("2");
    const zone = page.locator('[data-zone="zone-a"]');
    await page.locator('[data-template="gpu"] b').hover();
    await page.mouse.down();
    await zone.locator(".basin__head").hover();
    await zone.locator(".basin__head").hover();
    assert.equal(await zone.getAttribute("data-goal"), "Drop to add here\nzone=zone-a");
    const covered = await page.locator("[data-zone] .basin__head").evaluateAll((all) =>
      all.filter((head) => {
        const { right, top, height } = head.getBoundingClientRect();
        return !document.elementFromPoint(right - 4, top + height / 2).closest(".basin");
      }).length,
    );
    assert.equal(covered, 0, "zones below the palette");
    await page.mouse.up();
    await page.waitForFunction((count) => globalThis.berth.frame().nodes.length === count, before + 2);
    await page.waitForFunction(() => getComputedStyle(document.querySelector(".palette")).opacity === "1");
    await on.inStep(page);
    const added = (await on.frame(page)).nodes.slice(before);
    assert.deepEqual(added.map(({ labels }) => labels["topology.kubernetes.io/zone"]), ["zone-a", "zone-a"]);
  });
});

test("a node's form does not cover its node", async () => {
  await withText(async (page) => {
    for (const name of (await on.frame(page)).nodes.map(({ name }) => name)) {
      await on.edit(page, name);
      // The form's style sheet comes with the first one.
      await page.waitForFunction(() => getComputedStyle(document.querySelector(".nodeform__body")).overflowY === "auto");
      const [form, card] = await Promise.all([page.locator(`[data-form="${name}"]`).boundingBox(), on.node(page, name).boundingBox()]);
      assert.ok(form.x + form.width <= card.x + 1 || card.x + Math.min(card.width, 80) <= form.x, `${name}: ${JSON.stringify([form, card])}`);
      await on.action(page, "close-form").click();
    }
  });
});

// They must not be offered in the next scenario.
test("another scenario knows nothing of the zones that were added", async () => {
  await withText(async (page) => {
    await addZone(page, "zone-c");
    await on.action(page, "new").click();
    await page.waitForFunction(() => !document.querySelector("[data-node]"));
    await on.inStep(page);
    if ((await page.locator('[data-form="add"]').count()) === 0) await on.action(page, "add").click();
    const zones = await on.field(page, "domain").locator("option").evaluateAll((all) => all.map((one) => one.value));
    assert.deepEqual(zones, [""]);
  });
});

// It must not stay beside the result of a later change.
test("a refusal's message goes when the next change is taken", async () => {
  await withText(async (page) => {
    await on.edit(page, "node-a");
    await on.field(page, "label").fill("disktype=-no-");
    await on.action(page, "add-label").click();
    await on.notice(page).waitFor();
    await on.field(page, "label").fill("disktype=ssd");
    await on.action(page, "add-label").click();
    await on.textThat(page, /disktype: ssd/);
    assert.equal(await on.notice(page).count(), 0);
  });
});

test("a zone's name is checked at once, and kept while it is refused", async () => {
  await withText(async (page) => {
    await on.does(page, "add");
    await on.field(page, "zone").fill("zone d!");
    await on.action(page, "add-zone").click();
    await on.notice(page).waitFor();
    assert.match(await on.notice(page).textContent(), /Invalid value: "zone d!".*label must/);
    assert.equal(await on.field(page, "zone").inputValue(), "zone d!");
    assert.equal(await page.locator('[data-zone="zone d!"]').count(), 0);
    await on.field(page, "zone").fill("zone-d");
    await on.action(page, "add-zone").click();
    await page.waitForSelector('[data-zone="zone-d"]');
    assert.equal(await on.field(page, "zone").inputValue(), "");
    // An empty field means the next free name.
    await on.action(page, "add-zone").click();
    await page.waitForSelector('[data-zone="zone-c"]');
    assert.equal(await on.text(page), TEXT, "an empty zone stands in no manifest");
  });
});

test("the palette shows whole numbers", async () => {
  await withText(async (page) => {
    await on.does(page, "add");
    const inputs = page.locator(".stepnum input");
    await inputs.first().fill("12");
    const cut = await inputs.evaluateAll((all) => all.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.value));
    assert.deepEqual(cut, []);
  });
});

test("a form is as it was at first after Add, and keeps what was refused", async () => {
  await withText(async (page) => {
    await on.does(page, "add");
    const fill = async (values) => {
      for (const [name, value] of Object.entries(values)) await on.field(page, name).fill(value);
    };
    const values = (...names) => Promise.all(names.map((name) => on.field(page, name).inputValue()));
    await fill({ zone: "half-typed", name: "no/slash", replicas: "2", "pod-cpu": "250m" });
    // The page is redrawn meanwhile.
    await on.step(page);
    assert.deepEqual(await values("zone", "name", "replicas", "pod-cpu"), ["half-typed", "no/slash", "2", "250m"]);
    await on.action(page, "add-pods").click();
    await on.notice(page).waitFor();
    assert.deepEqual(await values("name", "replicas", "pod-cpu"), ["no/slash", "2", "250m"]);
    await fill({ name: "slash" });
    await on.action(page, "add-pods").click();
    await on.textThat(page, /name: slash/);
    assert.deepEqual(await values("zone", "name", "replicas", "pod-cpu"), ["half-typed", "", "3", "500m"]);
    // The zone is kept; the count is reset.
    const row = page.locator('[data-template="large"]');
    await row.getByRole("button", { name: "one more" }).click({ clickCount: 3 });
    assert.deepEqual(await values("count-large"), ["4"]);
    await row.locator("[data-add]").click();
    await on.inStep(page);
    await page.waitForFunction(() => document.querySelector('[data-field="count-large"]').value === "1");
    assert.deepEqual(await values("zone"), ["half-typed"]);

    await page.locator('[data-action="close-form"]').click();
    await on.edit(page, "node-a");
    await on.field(page, "label").fill("disk=ssd");
    await on.action(page, "add-label").click();
    await on.textThat(page, /disk: ssd/);
    assert.deepEqual(await values("label", "taint"), ["", ""]);
  });
});

// The page may be redrawn while the user types: the current value must not overwrite the typed text.
test("what is typed over a node's label or room stays until it is taken or refused", async () => {
  await withText(async (page) => {
    const zone = page.locator('[data-label="topology.kubernetes.io/zone"] input');
    const cpu = on.field(page, "allocatable-cpu");
    const value = (input) => input.evaluate((input) => [input.value, input === document.activeElement]);
    // Without the mouse: a click would take the focus from the field.
    const press = async (name) => {
      await on.action(page, name).first().evaluate((button) => button.click());
      await on.inStep(page);
    };
    await on.edit(page, "node-a");
    for (const [input, text] of [[zone, "zone-x"], [cpu, "6500m"]]) {
      await input.focus();
      await page.keyboard.press("Control+a");
      await page.keyboard.type(text);
      await press("step");
      await press("cordon");
      await page.waitForSelector('[data-node="node-a"].node--cordoned');
      await press("uncordon");
      await page.waitForSelector('[data-node="node-a"]:not(.node--cordoned)');
      await press("step-back");
      assert.deepEqual(await value(input), [text, true]);
    }

    // An accepted value is shown in canonical form; undo restores the old one.
    await cpu.fill("6000m");
    await page.keyboard.press("Enter");
    await on.textThat(page, /cpu: "?6000m"?,/);
    await page.waitForFunction(() => document.querySelector('[data-field="allocatable-cpu"]').value === "6");
    await press("undo");
    await page.waitForFunction(() => document.querySelector('[data-field="allocatable-cpu"]').value !== "6");

    // After a refusal, the field shows the current value again.
    const before = await on.text(page);
    const held = (await nodeNamed(page, "node-a")).labels["topology.kubernetes.io/zone"];
    await on.change(zone, "-no-");
    await on.notice(page).waitFor();
    await page.waitForFunction(
      (held) => document.querySelector('[data-label="topology.kubernetes.io/zone"] input').value === held,
      held,
    );
    assert.equal(await on.text(page), before);

    // Another node's form does not show the unfinished text.
    await zone.focus();
    await page.keyboard.type("half");
    await on.node(page, "node-b").locator('[data-action="edit-node"]').evaluate((button) => button.click());
    await page.locator('[data-form="node-b"]').waitFor();
    await page.waitForFunction(
      () => document.querySelector('[data-label="topology.kubernetes.io/zone"] input').value === "zone-b",
    );
  });
});

const nodeNamed = async (page, name) => (await on.frame(page)).nodes.find((node) => node.name === name);

test("a chip is edited beside it, in place", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const chip = on.node(page, "cp-1").locator(".chip--taint");
    await chip.click();
    const form = page.locator(".chipform");
    await form.waitFor();
    assert.equal(await form.getAttribute("aria-label"), "Taint on cp-1");
    const [from, to] = [await chip.boundingBox(), await form.boundingBox()];
    assert.ok(Math.abs(to.x - from.x) < 4 && to.y >= from.y + from.height && to.y < from.y + from.height + 12, JSON.stringify([from, to]));
    // Arrows choose another effect, and the manifests follow.
    await form.locator('[role="radio"][aria-checked="true"]').focus();
    await page.keyboard.press("ArrowDown");
    await on.textThat(page, /effect: PreferNoSchedule/, "the effect");
    assert.equal(await page.locator('[data-effect="PreferNoSchedule"]').getAttribute("aria-checked"), "true");
    await on.change(form.locator('[data-field="chip-value"]'), "yes");
    await on.textThat(page, /value: (")?yes/, "the value");
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });

    await on.node(page, "node-b2").locator(".chip", { hasText: "disktype" }).click();
    await on.change(form.locator('[data-field="chip-value"]'), "nvme");
    await on.textThat(page, /disktype: nvme/, "the label");
    await form.locator('[data-action="whole-node"]').click();
    await page.locator('.nodeform[data-form="node-b2"]').waitFor();
    assert.equal(await form.count(), 0, "one form at a time");
    await page.keyboard.press("Escape");
    await on.node(page, "node-b2").locator(".chip", { hasText: "disktype" }).click();
    await form.locator('[data-action="remove-chip"]').click();
    await on.textThat(page, /^(?![^]*disktype: nvme)/, "no label");
    await form.waitFor({ state: "detached" });
  });
});

test("a notice does not cover an open form", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.edit(page, "node-c2");
    const form = page.locator('[data-form="node-c2"]');
    await on.change(form.locator('[data-field="allocatable-cpu"]'), "many");
    await on.notice(page).waitFor();
    const [notice, box] = [await on.notice(page).boundingBox(), await form.boundingBox()];
    const apart = notice.y + notice.height <= box.y || notice.y >= box.y + box.height || notice.x + notice.width <= box.x || notice.x >= box.x + box.width;
    // A refusal stands in the form, below its field.
    assert.ok(apart || (await form.locator("[data-notice]").count()) > 0, JSON.stringify([notice, box]));
  }, { viewport: { width: 1024, height: 640 } });
});
