// A server whose policy refuses WebAssembly: the page says which directive is missing, also to the page that embeds it.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DIST, withPage } from "./harness.mjs";
import { serve } from "./server.mjs";

const isStart = (name) => /^start-.*\.js$/.test(name);
const skip = !readdirSync(DIST).some(isStart) && process.env.BERTH_DIST ? "a page built for development" : false;
const BLOCK = "<pre><code>kind: Node</code></pre>";

test("without 'wasm-unsafe-eval' the page and the element say so, and the block stays", { skip, timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-refused-"));
  const refused = join(folder, "page");
  cpSync(DIST, refused, { recursive: true });
  writeFileSync(join(refused, "_headers"), "/*\n  Content-Security-Policy: script-src 'self'\n  Access-Control-Allow-Origin: *\n");
  const page = await serve(refused);
  try {
    const allowed = () => true;
    const script = `<script src="${page.url}embed.js" async></script>`;
    writeFileSync(join(folder, "index.html"), `<!doctype html><title>Host</title>${BLOCK}<berth-playground load="eager"></berth-playground>${script}`);
    await withPage(
      async (host) => {
        const message = host.locator("berth-playground p");
        await message.waitFor();
        assert.match(await message.textContent(), /'wasm-unsafe-eval' in script-src/);
        assert.equal(await host.locator("pre").textContent(), "kind: Node");
        for (const [lang, sentence] of [["en", /Allow 'wasm-unsafe-eval' in script-src/], ["zh", /请在 script-src 中允许 'wasm-unsafe-eval'/]]) {
          await host.goto(`${page.url}?lang=${lang}`);
          assert.match(await host.locator('#app [role="alert"]').textContent(), sentence);
        }
      },
      { folder, allowed },
    );
  } finally {
    await page.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
});
