// The page starts without errors and provides its API.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DIST, withPage } from "./harness.mjs";

test("the page starts and offers globalThis.berth", async () => {
  await withPage(async (page) => {
    await page.waitForFunction(() => globalThis.berth !== undefined, null, { timeout: 30_000 });
    assert.equal(await page.evaluate(() => typeof globalThis.berth), "object");
    assert.notEqual((await page.title()).trim(), "");
  }, { motion: true });
});

/** The released page's policy; a page built for development has none. */
async function policyOf(page) {
  const policy = page.locator('meta[http-equiv="Content-Security-Policy"]');
  if ((await policy.count()) === 0) return null;
  const text = await policy.getAttribute("content");
  return Object.fromEntries(text.split("; ").map((one) => [one.split(" ")[0], one.split(" ").slice(1)]));
}

test("the released page carries a strict Content-Security-Policy", async (t) => {
  await withPage(async (page) => {
    const policy = await policyOf(page);
    // Only a folder that BERTH_DIST names may hold a page for development.
    if (policy === null && process.env.BERTH_DIST) return t.skip("a page built for development");
    assert.ok(policy, "there is no policy");
    assert.deepEqual(policy["default-src"], ["'none'"]);
    assert.deepEqual(policy["script-src"], ["'self'", "'wasm-unsafe-eval'"]);
    assert.deepEqual(policy["style-src"], ["'self'"]);
    assert.equal(await page.locator("script:not([src])").count(), 0);
    assert.equal(await page.locator("style").count(), 0);
  });
});

test("index.html holds no script of its own", async (t) => {
  const html = await readFile(join(DIST, "index.html"), "utf8");
  if (process.env.BERTH_DIST && !html.includes("Content-Security-Policy")) return t.skip("a page built for development");
  const scripts = [...html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
  assert.ok(scripts.length > 0);
  for (const [, attributes, text] of scripts) {
    assert.match(attributes, /\ssrc=/);
    assert.equal(text.trim(), "");
  }
  assert.doesNotMatch(html, /\son[a-z]+=/i);
});
