// The page starts: nothing fails, and its API is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./harness.mjs";

test("the page starts and offers globalThis.berth", async () => {
  await withPage(async (page) => {
    await page.waitForFunction(() => globalThis.berth !== undefined, null, { timeout: 30_000 });
    assert.equal(await page.evaluate(() => typeof globalThis.berth), "object");
    assert.notEqual((await page.title()).trim(), "");
  });
});

test("the released page carries a strict Content-Security-Policy", async () => {
  await withPage(async (page) => {
    const policy = page.locator('meta[http-equiv="Content-Security-Policy"]');
    const text = await policy.getAttribute("content");
    assert.match(text, /default-src 'none'/);
    const directives = Object.fromEntries(text.split("; ").map((one) => [one.split(" ")[0], one]));
    assert.doesNotMatch(text, /'unsafe-eval'/);
    assert.doesNotMatch(directives["script-src"], /unsafe-inline/);
    assert.doesNotMatch(directives["style-src"], /unsafe-inline/);
  });
});
