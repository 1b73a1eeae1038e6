// Sites made from the built page, as `cargo xtask site` makes them.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { draw } from "../../xtask/src/node/pictures.mjs";
import { makeSite } from "../../xtask/src/node/site.mjs";
import { DIST } from "./harness.mjs";

let drawn;

/** What a site takes from the page, drawn once. */
export const drawing = async () => (drawn ??= await draw(DIST));

/** Calls `body(sites)`; `sites.make(options)` makes one in a folder of its own. All are removed at the end. */
export async function withSites(body) {
  const work = mkdtempSync(join(tmpdir(), "berth-sites-"));
  let count = 0;
  /** `teaser`: another text for the first example, which makes it another version; `url`: where it is published. */
  const make = async ({ teaser, url } = {}) => {
    const folder = join(work, `site-${(count += 1)}`);
    let build = DIST;
    if (teaser) {
      build = join(work, `build-${count}`);
      cpSync(DIST, build, { recursive: true });
      const list = join(build, "scenarios/index.json");
      const examples = JSON.parse(readFileSync(list, "utf8"));
      examples[0].teaser = teaser;
      writeFileSync(list, JSON.stringify(examples));
    }
    const files = await makeSite({ build, folder, url, drawn: await drawing() });
    const [, version] = files.get("sw.js").match(/VERSION = "(\w+)"/);
    return { folder, files, version };
  };
  try {
    await body({ make, work });
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 3 });
  }
}
