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
const told = (page) => page.locator(".timeline__event").textContent();

/** Presses a key until the position is `until`; returns the timeline's texts on the way. */
async function through(page, key, until) {
  const events = [];
  for (let number = 0; number < 80; number += 1) {
    await page.keyboard.press(key);
    await on.inStep(page);
    const { position } = await on.moment(page);
    if (position === until) return events;
    events.push(await told(page));
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
        backwards.push(await told(page));
      }
      assert.deepEqual(backwards, forwards.toReversed());
      await page.keyboard.press("1");
      await on.does(page, "step");
      assert.deepEqual(await on.moment(page), second);
    });
  });
}

test("an edit of the past forks, says so, and the first run can be had back", async () => {
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
