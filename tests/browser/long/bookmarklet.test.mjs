// The bookmarklet: opens the manifests of another page. Browsers run bookmarklets regardless of the page's policy, so the tests
// evaluate its code in the page; all that it does there is subject to the policy.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { test } from "node:test";
import { DIST, withPage } from "../harness.mjs";
import { serve } from "../server.mjs";

const NODE = `apiVersion: v1
kind: Node
metadata: {name: read-node}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
`;
const POD = `apiVersion: v1
kind: Pod
metadata: {name: read}
spec: {containers: [{name: c, image: nginx}]}
`;

/** The address of the bookmarklet, as the Share dialog of `berth` offers it. */
async function offered(context, berth) {
  const page = await context.newPage();
  await page.goto(berth);
  await page.locator('[data-action="share"]').click();
  await page.locator('[data-share="bookmark"]').click();
  const link = page.locator("[data-bookmarklet]");
  const address = await link.getAttribute("href");
  await link.click();
  assert.equal(page.url(), berth, "a click on the page itself does nothing");
  await page.close();
  return address;
}

/** Calls `body(read, page)` with a host page of another origin; `read()` runs the bookmarklet and resolves to the new tab. */
async function reading(html, body) {
  const folder = await mkdtemp(join(tmpdir(), "berth-read-"));
  const berth = await serve(DIST);
  try {
    const policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; require-trusted-types-for \'script\'">';
    await writeFile(join(folder, "index.html"), `<!doctype html><html lang="en"><head><title>Docs</title>${policy}</head><body>${html}</body></html>`);
    await withPage(
      async (page, _, { context }) => {
        const address = await offered(context, berth.url);
        assert.ok(address.startsWith("javascript:") && address.length < 4000, `${address.length} characters`);
        const code = decodeURIComponent(address.slice("javascript:".length));
        const run = () => page.evaluate(code);
        const read = async () => {
          const [tab] = await Promise.all([context.waitForEvent("page"), run()]);
          await tab.waitForURL(/#1\./);
          const link = JSON.parse(inflateSync(Buffer.from(tab.url().split("#1.")[1], "base64url")));
          return { tab, texts: link.f.map(([, text]) => text) };
        };
        await body(read, page, run);
      },
      { folder, allowed: (problem) => problem.includes(berth.url) },
    );
  } finally {
    await berth.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const block = (text) => `<div class="highlight"><pre><code class="language-yaml">${text}</code></pre></div>`;

test("the bookmarklet opens all manifests of a page with a strict policy, each once", { timeout: 120_000 }, async () => {
  const lines = NODE.trimEnd().split("\n").map((line, at) => `<span class="linenos">${at + 1} </span><span>${line}</span><br>`).join("");
  const html = [
    block(lines),
    block("replicas: 3\n"),
    `<pre>$ kubectl apply -f - &lt;&lt;EOF\n${POD}EOF\n</pre>`,
    block(POD),
    "<pre>$ kubectl get pods\nNAME   READY\n</pre>",
  ];
  await reading(html.join("<p>Text</p>"), async (read) => {
    const { tab, texts } = await read();
    assert.deepEqual(texts, [NODE, POD]);
    await tab.locator('[data-node="read-node"]').waitFor();
    await tab.locator('[data-action="step"]').click();
    await tab.locator('[data-node="read-node"] [data-pod="default/read"]').waitFor();
    assert.equal(await tab.evaluate(() => opener), null);
  });
});

test("the bookmarklet takes what is selected, and says when there is nothing", { timeout: 120_000 }, async () => {
  const other = NODE.replace("read-node", "other-node");
  await reading(`${block(other)}<section id="here">${block(NODE)}</section>`, async (read, page) => {
    await page.evaluate(() => getSelection().selectAllChildren(document.querySelector("#here")));
    const { tab, texts } = await read();
    assert.deepEqual(texts, [NODE]);
    await tab.locator('[data-node="read-node"]').waitFor();
  });
  await reading("<p>Nothing</p><pre>$ ls</pre>", async (_, page, run) => {
    const message = new Promise((resolve) => {
      page.once("dialog", (dialog) => {
        resolve(dialog.message());
        dialog.accept();
      });
    });
    await run();
    assert.match(await message, /no Kubernetes manifests/);
  });
});
