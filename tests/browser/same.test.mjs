// The same scenario and seed give the same run natively and in the published build.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { withPage } from "./harness.mjs";

/** What `tests/it/examples.rs` compares with natively: an example's name, its digest after scheduling alone, and alive. */
const DIGESTS = new URL("../it/examples/digests.txt", import.meta.url);

test("every example ends with the digests of the native build", { timeout: 120_000 }, async () => {
  const native = readFileSync(DIGESTS, "utf8").trim().split("\n");
  const examples = native.map((line) => {
    const [name] = line.split(" ");
    return { name, text: readFileSync(new URL(`../../www/scenarios/${name}.yaml`, import.meta.url), "utf8") };
  });
  await withPage(async (page) => {
    await page.waitForFunction(() => globalThis.berth !== undefined);
    const here = await page.evaluate((examples) => {
      const Berth = globalThis.berth.constructor;
      const end = (text, live) => {
        const berth = new Berth({ live });
        berth.applyYaml(text);
        berth.run();
        return berth.digest();
      };
      return examples.map(({ name, text }) => `${name} ${end(text, false)} ${end(text, true)}`);
    }, examples);
    assert.deepEqual(here, native);
  });
});
