// The embedded page and <berth-playground>, in host pages as authors have them.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import axe from "axe-core";
import { DIST, withPage } from "../harness.mjs";
import { serve } from "../server.mjs";

const MANIFESTS = `apiVersion: v1
kind: Node
metadata: {name: host-node}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: hosted}
spec: {containers: [{name: c, image: nginx, resources: {requests: {cpu: "1"}}}]}
`;

/** The snippet of `docs/embedding.md`, for the page at `url`. */
async function snippet(url) {
  const text = await readFile(new URL("../../../docs/embedding.md", import.meta.url), "utf8");
  const [, html] = text.match(/```html\n([^]*?)```/);
  return html.replaceAll("https://berth.example/", url);
}

/** Calls `body(page, frame)` with a host page of another origin that shows `html`. */
async function hosted(html, body, { csp = "", options = {} } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "berth-host-"));
  const page = await serve(DIST);
  try {
    const meta = csp && `<meta http-equiv="Content-Security-Policy" content="${csp.replaceAll("PAGE", page.url)}">`;
    const text = await html(page.url);
    await writeFile(
      join(folder, "index.html"),
      `<!doctype html><html lang="en"><head><title>Host</title>${meta}</head><body>${text}</body></html>`,
    );
    await withPage((host) => body(host, page.url), {
      folder,
      // The frame and its files come from the other origin, on purpose.
      allowed: (problem) => problem.includes(page.url) || problem.includes("Content Security Policy"),
      ...options,
    });
  } finally {
    await page.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const block = (manifests) => `<pre><code>${manifests}</code></pre>`;
const frames = (page) => page.locator("berth-playground iframe");
const inFrame = (page, at = 0) => frames(page).nth(at).contentFrame();

test("the documented snippet makes a code block live, under a strict policy", { timeout: 120_000 }, async () => {
  const csp = "default-src 'none'; script-src PAGE; frame-src PAGE";
  await hosted(
    async (url) => block(MANIFESTS) + (await snippet(url)),
    async (host) => {
      const frame = inFrame(host);
      await frame.locator('[data-node="host-node"]').waitFor();
      await frame.locator('[data-action="step"]').click();
      await frame.locator('[data-node="host-node"] [data-pod="default/hosted"]').waitFor();
      assert.equal(await host.locator("pre").textContent(), MANIFESTS, "the block stays");
      await host.emulateMedia({ media: "print" });
      assert.deepEqual([await host.locator("pre").isVisible(), await frames(host).isVisible()], [true, false], "in print");
    },
    { csp },
  );
});

test("an author pins the release of a block", { timeout: 120_000 }, async () => {
  const release = async (attributes, manifests = MANIFESTS) => {
    let followed;
    await hosted(
      (url) => `<script src="${url}embed.js" async></script>${block(manifests)}<berth-playground load="eager" ${attributes}></berth-playground>`,
      async (host) => {
        const frame = inFrame(host);
        await frame.locator('[data-node="host-node"]').waitFor();
        followed = await frame.locator("body").evaluate(() => globalThis.berth.version.kubernetes);
      },
    );
    return followed;
  };
  assert.match(await release('kubernetes="1.36"'), /^v1\.36\./);
  assert.match(await release('kubernetes="1.34"'), /^v1\.34\./);
  const own = `apiVersion: berth.dev/v1alpha1\nkind: Scenario\nkubernetes: "1.34"\n---\n${MANIFESTS}`;
  assert.match(await release('kubernetes="1.36"', own), /^v1\.34\./, "manifests that name a release keep it");
});

test("a block has what the live blocks before it in its cluster have", { timeout: 120_000 }, async () => {
  const [node, pod] = MANIFESTS.split("---\n");
  const live = (manifests, attributes) => `${block(manifests)}<berth-playground ${attributes}></berth-playground>`;
  await hosted(
    (url) =>
      live(node, 'cluster="lab" load="click"') +
      live(pod.replace("hosted", "aside"), 'cluster="lab/aside" load="click"') +
      live(pod, 'cluster="lab/main" load="eager"') +
      `<script src="${url}embed.js" async></script>`,
    async (host) => {
      const frame = inFrame(host);
      await frame.locator('[data-node="host-node"]').waitFor();
      await frame.locator('[data-action="step"]').click();
      await frame.locator('[data-node="host-node"] [data-pod="default/hosted"]').waitFor();
      assert.equal(await frame.locator('[data-pod="default/aside"]').count(), 0);
    },
  );
});

test("it works in a sandboxed frame, without storage and same-origin", { timeout: 120_000 }, async () => {
  await hosted(
    (url) => `<iframe sandbox="allow-scripts" src="${url}?embed&example=taints&step=2&theme=dark" width="760" height="420"></iframe>`,
    async (host) => {
      const frame = host.frameLocator("iframe");
      await frame.locator("[data-node]").first().waitFor();
      await frame.locator('[data-position="2"]').waitFor({ state: "attached" });
      assert.equal(await frame.locator("html").getAttribute("data-theme"), "dark");
      const sheets = frame.locator('link[rel="stylesheet"]');
      const applied = () => sheets.evaluateAll((sheets) => sheets.every(({ sheet }) => sheet));
      // A page built for development is not made for it.
      assert.ok(process.env.BERTH_DIST || (await applied()), "the sheets with a digest are applied");
    },
  );
});

const LOOKS = [["stage", "light"], ["stage", "dark"], ["explain", "light"], ["matrix", "dark"], ["terminal", "light"]];
for (const [view, colorScheme] of LOOKS) {
  test(`the embedded page is accessible, ${view}, ${colorScheme}`, { timeout: 120_000 }, async () => {
    await withPage(
      async (page) => {
        await page.locator('[data-position="2"]').waitFor({ state: "attached" });
        await page.evaluate(axe.source);
        const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        const grave = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        assert.deepEqual(grave.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]), []);
      },
      { path: `?embed&example=taints&step=2&view=${view}&theme=${colorScheme}`, viewport: { width: 760, height: 420 }, contextOptions: { colorScheme, bypassCSP: true } },
    );
  });
}

for (const hasTouch of [false, true]) {
  test(`“Open in Berth” takes the state along, at a quick ${hasTouch ? "tap" : "click"}`, { timeout: 120_000 }, async () => {
    await withPage(
      async (page, url, { context }) => {
        await page.locator('[data-position="3"]').waitFor({ state: "attached" });
        const embedded = await page.locator("[data-digest]").getAttribute("data-digest");
        const whole = context.waitForEvent("page");
        const button = page.locator('[data-embed="open"]');
        if (hasTouch) await button.tap();
        else {
          const { x, y } = await button.boundingBox();
          await page.mouse.move(x + 5, y + 5);
          await page.mouse.down();
          await page.mouse.up();
        }
        const tab = await whole;
        await tab.locator('[data-position="3"]').waitFor({ state: "attached" });
        assert.equal(await tab.locator("[data-digest]").getAttribute("data-digest"), embedded);
        assert.ok(!tab.url().includes("embed"), tab.url());
      },
      { path: "?embed&example=taints&step=3", viewport: { width: 760, height: 420 }, contextOptions: { hasTouch } },
    );
  });
}

test("each view shows its part of an example", { timeout: 120_000 }, async () => {
  const shows = {
    stage: '[data-node]',
    explain: ".explain .sentence",
    matrix: ".explain .matrix",
    terminal: '[data-field="terminal"]',
  };
  for (const [view, part] of Object.entries(shows)) {
    await withPage(
      async (page) => {
        await page.locator('[data-position="3"]').waitFor({ state: "attached" });
        await page.locator(part).first().waitFor();
        const { y, height } = await page.locator(part).first().boundingBox();
        assert.ok(y >= 0 && y + Math.min(height, 100) <= 420, `${view} begins at ${y}`);
      },
      { path: `?embed&example=taints&step=3&view=${view}`, viewport: { width: 760, height: 420 } },
    );
  }
});

test("the embedded page says within its frame what it cannot open", { timeout: 120_000 }, async () => {
  for (const [path, notice] of [["#1.eJw", '[data-link="refused"]'], ["&example=nonsuch", "[data-notice]"]]) {
    await withPage(
      async (page) => {
        const { y, height } = await page.locator(notice).boundingBox();
        assert.ok(y > 0 && y + height < 420, `${path}: from ${y}, ${height} high`);
      },
      {
        path: `?embed${path}`,
        viewport: { width: 760, height: 420 },
        allowed: (problem) => problem.includes("nonsuch") || problem.includes("404"),
      },
    );
  }
});

test("of three elements two run, and the third stops where it was", { timeout: 120_000 }, async () => {
  const element = (load) => `${block(MANIFESTS)}<berth-playground load="${load}"></berth-playground>`;
  await hosted(
    (url) => `<script src="${url}embed.js" async></script>${["eager", "eager", "click"].map(element).join("")}`,
    async (host) => {
      for (const at of [0, 1]) await inFrame(host, at).locator('[data-node="host-node"]').waitFor();
      await inFrame(host).locator('[data-action="step"]').click();
      await inFrame(host).locator('[data-pod="default/hosted"][data-state="bound"]').waitFor();
      await host.locator("berth-playground button").click();
      const picture = host.locator("berth-playground img");
      await picture.waitFor();
      assert.equal(await frames(host).count(), 2);
      assert.match(await picture.getAttribute("src"), /^data:image\/svg\+xml,/);
      assert.match(await picture.getAttribute("alt"), /host-node/);
      assert.ok(await picture.evaluate((image) => image.naturalWidth > 0));
      assert.match(await picture.getAttribute("alt"), /hosted goes to host-node/);
      await picture.click();
      await inFrame(host).locator('[data-pod="default/hosted"][data-state="bound"]').waitFor();
      await inFrame(host, 1).locator('[data-node="host-node"]').waitFor();
    },
  );
});

test("however many elements start together, two run", { timeout: 120_000 }, async () => {
  const elements = Array.from({ length: 5 }, () => `${block(MANIFESTS)}<berth-playground load="eager"></berth-playground>`);
  await hosted(
    (url) => `${elements.join("")}<script src="${url}embed.js" async></script>`,
    async (host) => {
      for (const at of [0, 1]) await inFrame(host, at).locator('[data-node="host-node"]').waitFor();
      assert.equal(await frames(host).count(), 2);
      assert.equal(await host.locator("berth-playground button").count(), 3);
    },
  );
});

test("in a sandboxed host page the element follows its theme, and stops", { timeout: 120_000 }, async () => {
  const host = (url) => `<html class="light"><body class="bg-white dark:bg-gray-900">${["eager", "eager", "click"].map((load) => `${block(MANIFESTS)}<berth-playground load="${load}"></berth-playground>`).join("")}<script src="${url}embed.js" async></script></body></html>`;
  await hosted(
    (url) => `<iframe sandbox="allow-scripts" width="900" height="1500" srcdoc="${host(url).replaceAll('"', "&quot;")}"></iframe>`,
    async (page) => {
      const sandboxed = page.frameLocator("iframe");
      const embedded = sandboxed.locator("berth-playground iframe").first().contentFrame();
      await embedded.locator('html[data-theme="light"] [data-node="host-node"]').waitFor();
      await sandboxed.locator("html").evaluate((root) => (root.className = "dark"));
      await embedded.locator('html[data-theme="dark"]').waitFor();
      await sandboxed.locator("berth-playground button").click();
      await sandboxed.locator("berth-playground img").waitFor();
    },
  );
});

test("the element says what is wrong, and the block stays", { timeout: 60_000 }, async () => {
  await hosted(
    (url) => `<script src="${url}embed.js" async></script><berth-playground load="eager"></berth-playground>`,
    async (host) => {
      await host.locator("berth-playground p").waitFor();
      assert.match(await host.locator("berth-playground p").textContent(), /no code block/);
    },
  );
  await hosted(
    (url) => `${block(MANIFESTS)}<script src="${url}embed.js" async></script><berth-playground load="eager"></berth-playground>`,
    async (host) => {
      await host.locator("berth-playground p").waitFor();
      // Nothing takes its place.
      await host.waitForTimeout(1500);
      assert.match(await host.locator("berth-playground p").textContent(), /Content-Security-Policy refuses the frame: allow .* in (frame|default)-src/);
      assert.equal(await host.locator("pre").textContent(), MANIFESTS);
    },
    { csp: "default-src 'none'; script-src PAGE" },
  );
});

test("it reads a numbered block wherever it is, starts at its step, and follows the page's background", { timeout: 60_000 }, async () => {
  const lines = MANIFESTS.trimEnd().split("\n");
  const numbers = `<td><pre>${lines.map((_, at) => at + 1).join("\n")}</pre></td>`;
  const code = `<td><pre><code>${lines.map((line, at) => `<span class="ln">${at + 1}</span><span>${line}</span><br>`).join("")}</code></pre></td>`;
  const element = '<div><p><berth-playground load="eager" step="1"></berth-playground></p></div>';
  await hosted(
    (url) => `<style>body { background: white }</style><script src="${url}embed.js" async></script><table><tr>${numbers}${code}</tr></table>${element}<pre>after</pre>`,
    async (host) => {
      const frame = inFrame(host);
      await frame.locator('[data-node="host-node"] [data-pod="default/hosted"]').waitFor();
      assert.equal(await frame.locator("html").getAttribute("data-theme"), "light");
      await host.evaluate(() => {
        document.body.style.backgroundColor = "rgb(20, 20, 20)";
      });
      await frame.locator('html[data-theme="dark"]').waitFor();
    },
    { options: { contextOptions: { colorScheme: "light" } } },
  );
});

test("the element opens only addresses of servers", { timeout: 60_000 }, async () => {
  for (const attribute of ["page", "src"]) {
    await hosted(
      (url) => `${block(MANIFESTS)}<berth-playground load="eager" ${attribute}="javascript:parent.ran=1//"></berth-playground><script src="${url}embed.js"></script>`,
      async (host) => {
        const message = host.locator("berth-playground p");
        await message.waitFor();
        assert.match(await message.textContent(), /no address that begins with https/);
        assert.equal(await host.evaluate(() => globalThis.ran), undefined);
      },
    );
  }
});

test("the script of the element is below 5 KB", async () => {
  const script = await readFile(join(DIST, "embed.js"));
  assert.ok(gzipSync(script, { level: 9 }).length < 5000);
});
