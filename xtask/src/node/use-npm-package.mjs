// Uses the npm package as it is installed in a folder: under TypeScript, in Node.js, and in a page that Vite bundles.
//
// Usage: node use-npm-package.mjs FOLDER; BERTH_CHROMIUM names the browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const folder = process.argv[2];
const inFolder = (command, ...args) =>
  execFileSync(join(folder, "node_modules/.bin", command), args, { cwd: folder, stdio: "inherit" });

const YAML = `apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '3'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: db}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '5'}}}]}
`;

// The example of the README, typed: what is misspelt fails.
writeFileSync(
  join(folder, "typed.ts"),
  `import { check, compare, explain, kubectl, load, reduce, schedule, steps, whatIf, Berth } from "kube-berth";
import { open, type BerthWorker } from "kube-berth/worker";
import { define } from "kube-berth/element";

await load();
const yaml = "";
const first: string | undefined = schedule(yaml).items[0]?.kind;
const sentence: string = explain(yaml, { pod: "web" }).report.sentence;
const loss = whatIf(yaml, { question: "lose", nodes: ["n1"] });
const waiting: number = "waiting" in loss ? loss.waiting.most : 0;
const file: string = reduce(yaml, { pod: "web", maxRuns: 10 }).file;
const moved: number = compare(yaml, { b: ["seed=2"], onMessage: () => {} }).pods.length;
const status: number = kubectl({ "a.yaml": yaml }, { args: ["get", "pods"] }).status;
const problems: string[] = check([{ name: "a.yaml", text: yaml }]).map((problem) => problem.message);
for (const attempt of steps(new Berth({ seed: 7 }))) attempt.pod satisfies string;
const worker: BerthWorker = open();
const reduced: Promise<{ runs: number }> = worker.reduce(yaml, { pod: "web", signal: AbortSignal.timeout(9) });
worker.close();
await define("https://berth.example/");
// @ts-expect-error: there is no such argument
explain(yaml, { pdo: "web" });
export { first, sentence, waiting, file, moved, status, problems, reduced };
`,
);
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({
    compilerOptions: { strict: true, noEmit: true, target: "es2022", module: "nodenext", lib: ["es2023", "dom", "esnext.disposable"] },
    files: ["typed.ts"],
  }),
);
inFolder("tsc");

// In Node.js.
const berth = await import(pathToFileURL(join(folder, "node_modules/kube-berth/index.node.mjs")));
const said = [];
const onMessage = (line) => said.push(line);
const nodes = berth.schedule(YAML, { onMessage }).items.map((pod) => pod.spec.nodeName ?? null);
assert.deepEqual(nodes, ["n1", null]);
assert.match(berth.explain(YAML, { pod: "db", onMessage }).report.sentence, /db/);
assert.equal(berth.whatIf(YAML, { question: "lose", nodes: ["n1"], onMessage }).waiting.most, 2);
assert.match(berth.reduce(YAML, { pod: "db", onMessage }).file, /kind: Scenario/);
assert.match(said.join("\n"), /trial/);
assert.deepEqual(berth.compare(YAML, { b: ["seed=2"], onMessage }).pods, []);
assert.deepEqual(berth.check(YAML), []);
const printed = berth.kubectl(YAML, { args: ["get", "pods", "nothing"] });
assert.deepEqual([printed.status, printed.stdout], [1, ""]);
assert.match(printed.stderr, /NotFound/);
assert.throws(() => berth.explain(YAML, { pod: "nobody" }), /no Pod default\/nobody/);
assert.throws(() => berth.explain(YAML, { pdo: "db" }), /did you mean pod/);
assert.throws(() => berth.schedule("kind: ["), /manifests.yaml:1:/);
const session = new berth.Berth({ seed: 7 });
session.applyYaml(YAML);
const attempts = [...berth.steps(session)].map(({ pod, selected }) => `${pod} ${selected}`);
assert.deepEqual(new Set(attempts), new Set(["default/web n1", "default/db null"]));

// In a thread, which ends when a call is aborted, and starts again.
const { open } = await import(pathToFileURL(join(folder, "node_modules/kube-berth/worker.node.mjs")));
const worker = open();
assert.equal((await worker.explain(YAML, { pod: "web", onMessage })).selected, "n1");
await assert.rejects(worker.explain(YAML, { pod: "nobody" }), /no Pod/);
await assert.rejects(worker.explain(YAML, { pod: () => "web" }), /could not be cloned/);
const controller = new AbortController();
const aborted = worker.reduce(YAML, { pod: "db", signal: controller.signal });
controller.abort(new Error("enough"));
await assert.rejects(aborted, /enough/);
assert.equal((await worker.schedule(YAML)).items.length, 2);
worker.close();

// In a page.
writeFileSync(join(folder, "index.html"), '<!doctype html><script type="module" src="/page.js"></script>');
writeFileSync(
  join(folder, "page.js"),
  `import { explain, load } from "kube-berth";
import { open } from "kube-berth/worker";
const yaml = ${JSON.stringify(YAML)};
await load();
const onMessage = () => {};
const worker = open();
const placed = await worker.explain(yaml, { pod: "web", onMessage });
worker.close();
globalThis.result = [explain(yaml, { pod: "db", onMessage }).selected, placed.selected];
`,
);
writeFileSync(join(folder, "vite.config.js"), 'export default { build: { target: "esnext" }, worker: { format: "es" } };\n');
inFolder("vite", "build", "--logLevel", "warn");
const dist = join(folder, "dist");
assert.ok(readdirSync(join(dist, "assets")).some((name) => name.endsWith(".wasm")), "the engine is a file of its own");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const server = createServer(({ url }, response) => {
  try {
    const file = join(dist, url === "/" ? "index.html" : url);
    const bytes = readFileSync(file);
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const browser = await chromium.launch({ executablePath: process.env.BERTH_CHROMIUM, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => globalThis.result, undefined, { timeout: 60_000 });
  assert.deepEqual(await page.evaluate(() => globalThis.result), [null, "n1"]);
} finally {
  await browser.close();
  server.close();
}
console.log("the npm package works under TypeScript, in Node.js and in a page of Vite");
