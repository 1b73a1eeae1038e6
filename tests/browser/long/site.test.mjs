// The folder to publish: it works in any folder of a static host, under its own headers, and without other hosts.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { unzipSync } from "fflate";
import { makeSite, pack, version } from "../../../xtask/src/node/site.mjs";
import { POLICY, policyText } from "../../../xtask/src/node/policy.mjs";
import { DIST, withPage } from "../harness.mjs";
import { withSites } from "../published.mjs";
import { headerRules, serve } from "../server.mjs";
import * as on from "../steps.mjs";

const refused = (problem) => /Content Security Policy|Content-Security-Policy/.test(problem);

test("it works in a folder of the host, from names with a digest", { timeout: 180_000 }, async () => {
  await withSites(async ({ make }) => {
    const site = await make();
    await withPage(
      async (page, _, { requests }) => {
        await on.started(page);
        await on.action(page, "examples").click();
        await page.locator('[data-example="taints"]').click();
        await page.waitForFunction(() => /^Taints: /.test(globalThis.berth.frame().title));
        await on.terminal(page);
        assert.match((await on.run(page, "kubectl get nodes -o name")).out, /^node\//);
        await page.locator(".cm-content").waitFor({ state: "attached" });
        const changing = ["", "embed.js", "gallery/", "sw.js", "manifest.webmanifest"].map((name) => `/deep/berth/${name}`);
        const others = requests.filter((path) => !path.startsWith(`/deep/berth/assets/${site.version}/`));
        assert.deepEqual(others.filter((path) => !changing.includes(path)), []);
      },
      { folder: site.folder, serving: { path: "/deep/berth/" } },
    );
  });
});

test("other sites embed it from its folder", { timeout: 120_000 }, async () => {
  await withSites(async ({ make, work }) => {
    const site = await make();
    const served = await serve(site.folder, { path: "/berth/" });
    try {
      const host = join(work, "host");
      mkdirSync(host);
      const script = `<script src="${served.url}embed.js" async></script>`;
      const block = "<pre>{kind: Node, apiVersion: v1, metadata: {name: of-the-host}}</pre>";
      writeFileSync(join(host, "index.html"), `<!doctype html>${script}${block}<berth-playground></berth-playground>`);
      await withPage(
        async (page) => {
          const frame = page.locator("berth-playground iframe").contentFrame();
          await frame.locator('[data-node="of-the-host"]').waitFor();
        },
        { folder: host, allowed: (problem) => problem.includes(served.url) },
      );
    } finally {
      await served.close();
    }
  });
});

test("`cargo xtask serve --release` answers as a host: headers, missing addresses, folders", { timeout: 60_000 }, async () => {
  await withSites(async ({ make }) => {
    const { folder } = await make();
    const program = fileURLToPath(new URL("../../../xtask/src/node/host.mjs", import.meta.url));
    const host = spawn(process.execPath, [program, folder, "--path", "berth", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [line] = await once(host.stdout, "data");
      const [url] = String(line).match(/http:\/\/127\.0\.0\.1:\d+\/berth\//);
      const page = await fetch(url);
      assert.equal(page.status, 200);
      assert.match(page.headers.get("content-security-policy"), /frame-ancestors \*/);
      assert.equal(page.headers.get("cache-control"), "no-cache");
      assert.equal((await fetch(new URL("../berth", url))).url, url);
      assert.equal((await fetch(new URL("gallery", url))).url, `${url}gallery/`);
      const icon = (await page.text()).match(/href="\.\/(assets\/\w+\/icon\.svg)"/)[1];
      assert.match((await fetch(url + icon)).headers.get("cache-control"), /immutable/);
      const missing = await fetch(`${url}nothing/at/all`);
      assert.equal(missing.status, 404);
      assert.match(await missing.text(), /There is nothing at this address/);
      assert.equal((await fetch(new URL("/", url))).status, 404);
    } finally {
      host.kill();
    }
  });
});

test("it names no other host, and addresses are relative", { timeout: 60_000 }, async () => {
  await withSites(async ({ make }) => {
    const { files } = await make();
    for (const [name, content] of files) {
      if (!/\.(html|css|webmanifest)$/.test(name)) continue;
      const text = content.toString().replaceAll("http://www.w3.org/", "");
      assert.doesNotMatch(text, /https?:\/\//, name);
      assert.doesNotMatch(text, /(href|src|content)="\//, name);
      assert.doesNotMatch(text, /\{\{\w+\}\}/, name);
    }
  });
});

test("where it is published, social cards and missing addresses are absolute", { timeout: 60_000 }, async () => {
  await withSites(async ({ make }) => {
    const { files } = await make({ url: "https://example.org/berth/" });
    const page = files.get("index.html");
    assert.match(page, /<meta property="og:image" content="https:\/\/example\.org\/berth\/card\.png">/);
    assert.match(page, /<link rel="canonical" href="https:\/\/example\.org\/berth\/">/);
    assert.match(files.get("gallery/index.html"), /<meta property="og:url" content="https:\/\/example\.org\/berth\/gallery\/">/);
    assert.match(files.get("404.html"), /<a class="brand" href="\/berth\/">/);
    const size = files.get("card.png").subarray(16, 24);
    assert.deepEqual([size.readUInt32BE(0), size.readUInt32BE(4)], [1200, 630]);
  });
});

test("the host's policy is the documented one, and it holds", { timeout: 120_000 }, async () => {
  await withSites(async ({ make }) => {
    const { folder, files } = await make();
    const [rule] = headerRules(files.get("_headers")).filter((rule) => rule.matches("/index.html"));
    const policy = Object.fromEntries(rule.headers)["content-security-policy"];
    assert.equal(policy, policyText({ ...POLICY, "frame-ancestors": ["*"] }));
    const documented = readFileSync(new URL("../../../docs/publishing.md", import.meta.url), "utf8").replace(/\s+/g, " ");
    for (const directive of policy.split("; ")) assert.ok(documented.includes(directive), directive);
    // Without the document's own policy, only the host's is left.
    const page = join(folder, "index.html");
    writeFileSync(page, readFileSync(page, "utf8").replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ""));
    await withPage(
      async (page) => {
        await on.started(page);
        await page.locator(".cm-content").waitFor({ state: "attached" });
        const violated = await page.evaluate(
          () =>
            new Promise((resolve) => {
              addEventListener("securitypolicyviolation", (event) => resolve([event.effectiveDirective, event.disposition]));
              const script = document.createElement("script");
              script.textContent = "globalThis.broken = true";
              document.body.append(script);
            }),
        );
        assert.deepEqual(violated, ["script-src-elem", "enforce"]);
        assert.equal(await page.evaluate(() => globalThis.broken), undefined);
      },
      { folder, allowed: refused },
    );
  });
});

test("the gallery needs no JavaScript, and its links open the examples", { timeout: 120_000 }, async () => {
  await withSites(async ({ make }) => {
    const { folder } = await make();
    const list = JSON.parse(readFileSync(new URL("../../../www/scenarios/index.json", import.meta.url), "utf8"));
    await withPage(
      async (page) => {
        const cards = await page.locator(".card").evaluateAll((cards) =>
          cards.map((card) => ({
            href: card.getAttribute("href"),
            blocks: card.querySelectorAll(".card__art rect").length,
            title: card.querySelector(".card__title").textContent,
          })),
        );
        assert.deepEqual(cards.map(({ href }) => href), list.map(({ slug }) => `../?example=${slug}`));
        assert.deepEqual(cards.map(({ title }) => title), list.map(({ title }) => title));
        for (const { blocks, title } of cards) assert.ok(blocks >= 5, title);
      },
      { folder, path: "gallery/", contextOptions: { javaScriptEnabled: false } },
    );
    await withPage(
      async (page) => {
        await page.locator(".card", { hasText: "Taints: " }).click();
        await on.started(page);
        assert.match((await on.frame(page)).title, /^Taints: /);
      },
      { folder, path: "gallery/" },
    );
  });
});

test("the gallery and the page for missing addresses speak Chinese, and name each other", { timeout: 120_000 }, async () => {
  await withSites(async ({ make }) => {
    const { folder } = await make();
    const list = JSON.parse(readFileSync(new URL("../../../www/scenarios/index.zh-CN.json", import.meta.url), "utf8"));
    await withPage(
      async (page, url) => {
        await page.locator('a[hreflang="zh-CN"]').click();
        await page.waitForURL(`${url}gallery/zh/`);
        assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
        assert.deepEqual(await page.locator(".card__title").allInnerTexts(), list.map(({ title }) => title));
        const texts = await page.locator("h1, .welcome__lead, .card p, .landing__foot, .btn--primary").allInnerTexts();
        for (const text of texts) assert.match(text, /[\u4e00-\u9fff]/, text);
        assert.equal(await page.locator('a[hreflang="en"]').getAttribute("href"), "../../gallery/");
        await page.locator(".card", { hasText: "污点：" }).click();
        await on.started(page);
        assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
        assert.match((await on.frame(page)).title, /^污点：/);
        await page.goto(`${url}nothing`);
        assert.match(await page.locator("main").innerText(), /这个地址没有内容/);
      },
      { folder, path: "gallery/", allowed: (problem) => /404/.test(problem) },
    );
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`the gallery and the page for missing addresses are accessible, ${colorScheme}`, { timeout: 120_000 }, async () => {
    await withSites(async ({ make }) => {
      const { folder } = await make();
      await withPage(
        async (page, url) => {
          for (const [path, width] of [["gallery/", 1440], ["gallery/", 390], ["gallery/zh/", 1440], ["gallery/zh/", 390], ["nothing", 1440], ["nothing", 390]]) {
            await page.setViewportSize({ width, height: 844 });
            await page.goto(url + path);
            await page.evaluate(axe.source);
            const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
            const grave = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
            assert.deepEqual(grave.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]), [], `${path} ${width}`);
            const size = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
            assert.equal(size[0], size[1], `${path} at ${width} is not cut`);
          }
        },
        { folder, path: null, contextOptions: { colorScheme, bypassCSP: true }, allowed: (problem) => /404/.test(problem) },
      );
    });
  });
}

test("the zip has the same files, in one folder", { timeout: 60_000 }, async () => {
  await withSites(async ({ make }) => {
    const { files } = await make();
    const { name, bytes } = pack(files);
    assert.equal(name, `berth-${version}.zip`);
    const unpacked = unzipSync(bytes);
    const wanted = [...files.keys()].filter((name) => name !== ".nojekyll");
    assert.deepEqual(Object.keys(unpacked).sort(), wanted.map((name) => `berth-${version}/${name}`).sort());
    for (const name of wanted) {
      assert.ok(Buffer.from(files.get(name)).equals(unpacked[`berth-${version}/${name}`]), name);
    }
  });
});

test("a folder with other files is left alone", { timeout: 60_000 }, async () => {
  await withSites(async ({ work }) => {
    const folder = join(work, "thesis");
    mkdirSync(folder);
    writeFileSync(join(folder, "chapter-1.txt"), "");
    await assert.rejects(makeSite({ build: DIST, folder }), /other files/);
    assert.deepEqual(readdirSync(folder), ["chapter-1.txt"]);
  });
});
