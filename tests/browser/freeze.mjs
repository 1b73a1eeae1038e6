// Freezes twenty addresses of the page that is built, before a version is published:
//
//   node tests/browser/freeze.mjs > tests/browser/frozen/VERSION.json
//
// Each is what a reader has in a chat, a handout or a document: links that the page makes, and addresses that are typed.
// A file that is written is never changed again.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { choose, done } from "./compare.mjs";
import { opened, shown } from "./frozen.mjs";
import { example, withManifests, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const fixture = (name) => readFileSync(new URL(`../it/${name}`, import.meta.url), "utf8");
const NODES = `apiVersion: v1
kind: Node
metadata: {name: a, labels: {disk: hdd}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: db, labels: {app: db}}
spec:
  nodeSelector: {disk: ssd}
  containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]
`;
const frozen = [];

/** The link to what the page shows, without the page's address. */
async function link(page) {
  await on.inStep(page);
  await page.keyboard.press("Control+s");
  const field = on.field(page, "link");
  await field.waitFor();
  await page.waitForFunction(() => document.querySelector('[data-field="link"]').value.includes("#1."));
  const address = await field.inputValue();
  await on.does(page, "close");
  return address.slice(address.indexOf("#"));
}

/** Opens an address in a new browser, and notes what it shows. */
async function note(name, address) {
  await withPage(
    async (page) => {
      await opened(page);
      frozen.push({ name, address, shows: await shown(page) });
    },
    { path: address },
  );
  process.stderr.write(`${frozen.length} ${name}: ${address.length} characters\n`);
}

/** Notes the link of a visit. */
async function visit(name, yaml, body, query = "") {
  let address;
  await withManifests(yaml, async (page) => {
    await body(page);
    address = await link(page);
  });
  await note(name, `${query}${address}`);
}

const steps = (count) => async (page) => {
  for (let at = 0; at < count; at += 1) await on.step(page);
};
/** Runs lines in the terminal, and lets the cluster come to rest after each. */
const lines = (...all) => async (page) => {
  await on.terminal(page);
  for (const line of all) {
    await on.run(page, typeof line === "function" ? await line(page) : line);
    await page.waitForSelector('[data-action="play"][aria-label="Play"]');
    await on.inStep(page);
  }
};
/** The name of the first Pod of a workload. */
const podOf = async (page, prefix) => {
  const { pods } = await on.frame(page);
  return pods.map(({ key }) => key.split("/")[1]).find((name) => name.startsWith(prefix));
};

await visit("steps", example("taints"), steps(3));
await visit("a-cell", example("default"), async (page) => {
  await on.runToEnd(page);
  await on.pod(page, "default/report").first().click();
  await page.locator('[data-cell$="/NodeResourcesFit"][data-verdict="Unschedulable"]').first().click();
  await page.locator("[data-arithmetic]").waitFor();
});
await note("example-at-a-step", "?example=zone-spread&step=5");
await visit("scale-and-wait", example("default"), lines("kubectl scale deployment web --replicas 3", "kubectl wait --for=condition=Available deployment/web --timeout 60s"));
await visit("delete-a-pod-by-name", example("default"), lines("kubectl get pods", async (page) => `kubectl delete pod ${await podOf(page, "web-")}`, "kubectl get pods -o wide"));
await visit("evict-by-drain", example("default"), lines("kubectl cordon node-a1", "kubectl drain node-a1 --ignore-daemonsets --force", "sleep 10", "kubectl get pods"));
await visit("label-and-describe-a-pod", example("default"), lines(async (page) => `kubectl label pod ${await podOf(page, "web-")} tier=gold`, async (page) => `kubectl describe pod ${await podOf(page, "web-")}`, "kubectl get pods -l tier=gold"));
await visit("rollout", example("default"), lines("kubectl set image deployment/web '*=nginx:1.29'", "kubectl rollout status deployment/web --timeout=120s", "kubectl rollout undo deployment/web", "sleep 60"));
await visit("fork-by-typing", example("default"), async (page) => {
  await steps(4)(page);
  await on.does(page, "step-back");
  const first = await on.text(page);
  await on.field(page, "manifests").fill(first.replace("replicas: 6", "replicas: 2"));
  await page.waitForFunction(() => globalThis.berth.frame().fork?.changes.length > 0);
  await on.step(page);
});
await visit("fork-by-cordon", example("taints"), async (page) => {
  await steps(3)(page);
  await on.does(page, "step-back");
  await on.node(page, "cpu-1").focus();
  await page.keyboard.press("c");
  await on.inStep(page);
  await on.runToEnd(page);
});
await visit("another-seed-and-release", example("zone-spread"), async (page) => {
  await page.locator('[data-action="kubernetes"]').selectOption("1.34");
  await on.inStep(page);
  await on.runToEnd(page);
});
await note("lesson", "?lesson=05-node-selector");
{
  let address;
  await withPage(
    async (page) => {
      await page.locator(".lesson h2").waitFor();
      await on.inStep(page);
      await lines("kubectl get nodes --show-labels", "kubectl label node worker-2 disktype=ssd", async (page) => `kubectl describe pod ${(await on.frame(page)).pods[0].key.split("/")[1]}`)(page);
      address = await link(page);
    },
    { path: "?lesson=05-node-selector" },
  );
  await note("lesson-with-lines", address);
}
await note("class", fixture("links/class.txt").trim());
await visit("compare-strategies", example("spreading-or-packing"), async (page) => {
  await done(page);
});
await visit("compare-releases", example("default"), async (page) => {
  await choose(page, "versions");
  await done(page);
});
await visit("embedded-matrix", example("taints"), steps(2), "?embed&view=matrix");
await note("embedded-example", "?embed&example=zone-spread&step=4");
{
  const builds = (page, name) => on.action(page, name).first().click();
  let address;
  await withManifests(NODES, async (page) => {
    await builds(page, "export");
    await builds(page, "make-lesson");
    await builds(page, "mark-start");
    await page.locator('[data-build="noted"]').waitFor();
    await lines("kubectl label node b disk=ssd")(page);
    await page.locator('[data-source="builder"]').click();
    await page.locator('[data-build="noted"] .cmd').waitFor();
    await builds(page, "this-is-goal");
    await page.locator('[data-place="expectations[0]"]').waitFor({ state: "attached" });
    for (const [place, text] of [["title", "Where is the fast disk?"], ["description", "`db` has waited since yesterday."], ["task", "Get `db` running."]]) {
      await on.change(page.locator(`[data-place="${place}"]`), text);
    }
    await page.waitForSelector('[data-action="link-lesson"]:not(:disabled)');
    await builds(page, "link-lesson");
    const field = on.field(page, "lesson-link");
    await field.waitFor();
    address = await field.inputValue();
  });
  await note("built-lesson", address.slice(address.indexOf("#")));
}
await visit("a-long-visit", example("default"), async (page) => {
  await steps(6)(page);
  const text = await on.text(page);
  await on.field(page, "manifests").fill(text.replace("replicas: 6", "replicas: 5"));
  await on.inStep(page);
  await on.runToEnd(page);
  await on.does(page, "undo");
  await on.does(page, "redo");
  await lines("kubectl get pods", "kubectl create deployment extra --image=nginx --replicas=4", "kubectl rollout status deployment extra", async (page) => `kubectl delete pod ${await podOf(page, "extra-")}`, "kubectl taint node node-b1 key=value:NoExecute", "kubectl scale deployment extra --replicas=7", "sleep 30", "kubectl get pods -o wide", async (page) => `kubectl exec ${await podOf(page, "extra-")} -- date || true`, "kubectl delete deployment extra", "kubectl get pods")(page);
});
await visit("chinese-and-grouped", example("storage"), async (page) => {
  await on.runToEnd(page);
  await page.locator(".stage__head").getByRole("button", { name: "Zoom out" }).click();
}, "?lang=zh");

const { version } = JSON.parse(readFileSync(fileURLToPath(new URL("../../adapters/npm/package.json", import.meta.url)), "utf8"));
process.stdout.write(`${JSON.stringify({ berth: version, addresses: frozen }, null, 1)}\n`);
// Browsers that are kept for the next test would keep this program running.
process.exit();
