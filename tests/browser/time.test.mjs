// The run forwards, backwards, in small steps, and forked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const started = (body) =>
  withPage(async (page) => {
    await on.started(page);
    await body(page);
  });

async function steps(page, count) {
  const seen = [await on.moment(page)];
  for (let number = 0; number < count; number += 1) {
    await on.step(page);
    seen.push(await on.moment(page));
  }
  return seen;
}

test("seven steps back pass the same states as seven steps forwards", async () => {
  await started(async (page) => {
    const seen = await steps(page, 7);
    assert.deepEqual(seen.map(({ position }) => position), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert.equal(new Set(seen.map(({ digest }) => digest)).size, 8);
    const back = [await on.moment(page)];
    for (let number = 0; number < 7; number += 1) {
      await on.does(page, "step-back");
      back.push(await on.moment(page));
    }
    assert.deepEqual(back, seen.toReversed());
    assert.ok(await on.action(page, "step-back").isDisabled());
  });
});

/** The timeline's text for a step within an attempt. */
const event = (page) => page.locator(".timeline__event").textContent();

/** Presses a key until the position is `until`; returns the timeline's texts on the way. */
async function through(page, key, until) {
  const events = [];
  for (let number = 0; number < 80; number += 1) {
    const before = [await event(page), (await on.moment(page)).position];
    await page.keyboard.press(key);
    // A small step changes the text alone, and is drawn a frame later.
    await page.waitForFunction(
      ([text, position]) =>
        document.querySelector(".timeline__event").textContent !== text ||
        Number(document.querySelector("[data-position]").dataset.position) !== position,
      before,
    );
    await on.inStep(page);
    const { position } = await on.moment(page);
    if (position === until) return events;
    events.push(await event(page));
  }
  assert.fail(`${key} does not leave the attempt`);
}

for (const [key, size] of [["2", "Extension point"], ["3", "Plugin"]]) {
  test(`steps by ${size.toLowerCase()} go through an attempt and back, and change nothing before its end`, async () => {
    await started(async (page) => {
      const [, first, second] = await steps(page, 2);
      await on.does(page, "step-back");
      await page.keyboard.press(key);
      assert.equal(await page.locator(`[data-step="${size}"]`).getAttribute("aria-checked"), "true");

      // The attempt's own steps leave position and digest; the last one ends it.
      const forwards = await through(page, "ArrowRight", second.position);
      assert.ok(forwards.length >= 4, forwards.join(" | "));
      assert.equal(new Set(forwards).size, forwards.length, forwards.join(" | "));
      assert.deepEqual(await on.moment(page), second);

      // Backwards, from the attempt's end to its beginning.
      const backwards = [];
      while (backwards.length < forwards.length) {
        await page.keyboard.press("ArrowLeft");
        await on.inStep(page);
        assert.deepEqual(await on.moment(page), first);
        await page.waitForFunction(
          (before) => document.querySelector(".timeline__event").textContent !== before,
          backwards.at(-1) ?? "",
        );
        backwards.push(await event(page));
      }
      assert.deepEqual(backwards, forwards.toReversed());
      await page.keyboard.press("1");
      await on.does(page, "step");
      assert.deepEqual(await on.moment(page), second);
    });
  });
}

test("an edit of the past forks with a notice, and the first run can be restored", async () => {
  await started(async (page) => {
    const manifests = await on.text(page);
    await on.runToEnd(page);
    const end = await on.moment(page);
    while ((await on.moment(page)).position > 3) await on.does(page, "step-back");
    const past = await on.moment(page);

    await on.edit(page, "node-a1");
    await on.action(page, "cordon").click();
    const fork = page.locator("[data-fork]");
    await fork.waitFor();
    assert.equal(await fork.getAttribute("data-fork"), "3");
    assert.match(await fork.textContent(), /this is a fork; the first run is kept beside it/);
    await on.inStep(page);
    assert.notEqual((await on.moment(page)).digest, past.digest);
    await on.runToEnd(page);
    assert.notEqual((await on.moment(page)).digest, end.digest);
    assert.notEqual((await on.frame(page)).fork, undefined);

    await on.does(page, "back-to-first-run");
    await on.textIs(page, manifests);
    assert.equal(await fork.count(), 0);
    assert.equal((await on.frame(page)).fork, undefined);
    await on.runToEnd(page);
    assert.deepEqual(await on.moment(page), end);
  });
});

test("a fork can be kept", async () => {
  await started(async (page) => {
    await steps(page, 3);
    await on.does(page, "step-back");
    await on.edit(page, "node-a1");
    await on.action(page, "cordon").click();
    await page.locator("[data-fork]").waitFor();
    await on.inStep(page);
    const { digest } = await on.moment(page);
    await on.does(page, "keep-fork");
    await page.locator("[data-fork]").waitFor({ state: "detached" });
    assert.equal((await on.moment(page)).digest, digest);
    assert.match(await on.text(page), /unschedulable: true/);
  });
});

test("back to latest returns to the end of what was run", async () => {
  await started(async (page) => {
    const seen = await steps(page, 5);
    assert.equal(await on.action(page, "latest").count(), 0);
    await on.does(page, "step-back");
    await on.does(page, "step-back");
    await on.does(page, "latest");
    assert.deepEqual(await on.moment(page), seen.at(-1));
    assert.equal(await on.action(page, "latest").count(), 0);
  });
});

test("the ruler goes to any moment", async () => {
  await started(async (page) => {
    const seen = await steps(page, 6);
    const ruler = page.locator(".ruler__scrub");
    for (const position of [2, 5, 0, 6]) {
      await ruler.fill(String(position));
      await page.waitForFunction(
        (wanted) => document.querySelector("[data-position]").dataset.position === wanted,
        String(position),
      );
      await on.inStep(page);
      assert.deepEqual(await on.moment(page), seen[position]);
    }
  });
});

test("a fork is a tab beside Explain, tells what was changed, and takes each change back", async () => {
  await started(async (page) => {
    const manifests = await on.text(page);
    await on.runToEnd(page);
    while ((await on.moment(page)).position > 3) await on.does(page, "step-back");
    const fork = page.locator("[data-fork]");
    const tab = (name) => page.locator(`[data-explain="${name}"]`);
    assert.equal(await tab("fork").count(), 0);
    for (const name of ["node-a1", "node-b1"]) {
      await on.edit(page, name);
      await on.action(page, "cordon").click();
      await page.keyboard.press("Escape");
    }
    const changes = page.locator("[data-change]");
    await changes.nth(1).waitFor();
    await page.locator('[data-tried="true"]').waitFor();
    assert.match(await changes.nth(0).innerText(), /Cordon node-a1/);
    assert.match(await changes.nth(1).innerText(), /Cordon node-b1/);
    // The outcome is that of the whole fork, though the run is at its previous position.
    const pair = await page.locator(".pair").innerText();
    assert.equal((await on.frame(page)).fork.tried, true);
    const rows = await page.locator(".diff tbody tr").count();
    assert.ok(rows > 0);
    assert.equal(await page.locator("[data-first-run]").count(), 1);
    assert.ok((await page.locator(".tm--first").count()) > 0, "the first run is a second line");

    // A Pod of the table is explained, and the fork is one click away.
    await page.locator(".diff tbody button").first().click();
    await fork.waitFor({ state: "detached" });
    assert.equal(await tab("explain").getAttribute("aria-selected"), "true");
    await tab("fork").click();
    await fork.waitFor();
    assert.equal(await page.locator(".pair").innerText(), pair);

    await changes.nth(0).locator('[data-action="undo-change"]').click();
    await page.waitForFunction(() => document.querySelectorAll("[data-change]").length === 1);
    assert.match(await changes.nth(0).innerText(), /Cordon node-b1/);
    await on.inStep(page);
    await page.locator('[data-tried="true"]').waitFor();
    const { fork: frame } = await on.frame(page);
    await on.runToEnd(page);
    const now = (await on.frame(page)).pods.filter((pod) => pod.node).length;
    assert.equal(frame.placedNow, now, "what was shown is what comes out");

    await changes.nth(0).locator('[data-action="undo-change"]').click();
    await fork.waitFor({ state: "detached" });
    await on.textIs(page, manifests);
  });
});

test("a fork that changes nothing tells of no difference", async () => {
  await started(async (page) => {
    await on.runToEnd(page);
    while ((await on.moment(page)).position > 2) await on.does(page, "step-back");
    const text = await on.text(page);
    await on.field(page, "manifests").fill(text.replace("disktype: hdd}", "disktype: hdd, other: label}"));
    await page.locator('[data-tried="true"]').waitFor();
    assert.equal(await page.locator(".diff").count(), 0);
    assert.match(await page.locator("[data-fork]").innerText(), /No Pod lands elsewhere\./);
    assert.match(await page.locator(".timeline__event").innerText(), /Fork after attempt 2: no Pod lands elsewhere/);
  });
});
