// What was shared keeps its meaning: addresses that earlier versions wrote open here, and show the same moment.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { numbered, opened, shown } from "./frozen.mjs";
import { withPage } from "./harness.mjs";

const FOLDER = new URL("./frozen/", import.meta.url);

for (const file of readdirSync(FOLDER)) {
  const { berth, addresses } = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
  for (const { name, address, shows } of addresses) {
    test(`${name}, as ${berth} wrote it`, { timeout: 120_000 }, async () => {
      await withPage(
        async (page) => {
          await opened(page);
          assert.equal(await page.locator('[data-link="refused"]').count(), 0);
          const facts = await shown(page);
          // A link plays by the rules of the version that wrote it, those of names included.
          const [there, then] = address.includes("#1.") ? [facts, shows] : [facts, shows].map(numbered);
          assert.deepEqual(there, then);
        },
        { path: address },
      );
    });
  }
}
