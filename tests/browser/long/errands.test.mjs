// Whole errands on the published build: a tutorial followed by paste, lessons solved in the terminal with a reload, and
// the questions of an operator about a dump, whose answers an independent implementation has recorded.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { withManifests, withPage } from "../harness.mjs";
import { packed } from "../packed.mjs";
import * as on from "../steps.mjs";

const TIMEOUT = 600_000;

const node = (name, taints = "") => `apiVersion: v1
kind: Node
metadata: {name: ${name}, labels: {kubernetes.io/hostname: ${name}}}
spec: {${taints}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "110"}}
`;
const CLUSTER = [
  node("master1", "taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]"),
  node("node1"),
  node("node2"),
].join("---\n");

/** Pastes lines as they are copied from a page, waits until the command `last` has ended, and fails if one failed. */
async function paste(page, lines, last) {
  const before = await page.locator("[data-printed]").count();
  await on.line(page).fill(`${lines}\n`);
  await page.waitForFunction(
    ([before, last]) => {
      const printed = [...document.querySelectorAll("[data-printed]")].slice(before);
      return printed.at(-1)?.dataset.printed.startsWith(last) && document.querySelector('[data-terminal="ready"]');
    },
    [before, last],
    { timeout: 60_000 },
  );
  const failed = await page.locator("[data-printed]").evaluateAll(
    (all, before) => all.slice(before).filter(({ dataset }) => dataset.code !== "0").map(({ textContent }) => textContent),
    before,
  );
  assert.deepEqual(failed, [], lines);
}

/** The nodes that Pods with a label run on, sorted. */
async function nodesOf(page, selector) {
  const { out } = await on.run(page, `kubectl get pods -l ${selector} -o jsonpath='{.items[*].spec.nodeName}'`);
  return out.split(/\s+/).filter(Boolean).sort();
}

/** A here-document that writes the manifest of a Deployment. */
const written = (name, rules) => `cat > ${name}.yaml <<END
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 3
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
${rules}
      containers: [{name: main, image: "nginx:1.27"}]
END`;

test("a tutorial on choosing nodes is followed by paste", { timeout: TIMEOUT }, async () => {
  await withManifests(CLUSTER, async (page) => {
    await on.terminal(page);
    // Prompts, and what the commands print, are copied with them.
    const labelled = "➜ kubectl label nodes node2 com=shop\nnode/node2 labeled\n➜ kubectl get nodes --show-labels";
    await paste(page, labelled, "kubectl get nodes --show-labels");

    await paste(page, written("selected", "      nodeSelector: {com: shop}"), "cat > selected.yaml");
    await paste(page, "$ kubectl apply -f selected.yaml", "kubectl apply -f selected.yaml");
    await on.runToEnd(page);
    assert.deepEqual(await nodesOf(page, "app=selected"), ["node2", "node2", "node2"]);

    const apart = `      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: apart}}}`;
    await paste(page, written("apart", apart), "cat > apart.yaml");
    await paste(page, "[root@k8s-master1 ~]# kubectl apply -f apart.yaml", "kubectl apply -f apart.yaml");
    await on.runToEnd(page);
    assert.deepEqual(await nodesOf(page, "app=apart"), ["node1", "node2"]);
    const events = await on.run(page, "kubectl get events --field-selector reason=FailedScheduling");
    assert.match(events.out, /0\/3 nodes are available: .*2 node\(s\) didn't match pod anti-affinity rules/);

    await paste(page, "[root@k8s-master1 ~]# kubectl taint nodes node1 test=node1:NoSchedule", "kubectl taint nodes node1");
    const tolerant = `      tolerations: [{key: test, operator: Exists, effect: NoSchedule}]
      nodeSelector: {kubernetes.io/hostname: node1}`;
    await paste(page, written("tolerant", tolerant), "cat > tolerant.yaml");
    await paste(page, "kubectl apply -f tolerant.yaml", "kubectl apply -f tolerant.yaml");
    await on.runToEnd(page);
    assert.deepEqual(await nodesOf(page, "app=tolerant"), ["node1", "node1", "node1"]);
    // Pods without requests have names on the stage.
    const names = await page.locator('[data-node="node1"] [data-pod]').allTextContents();
    assert.ok(names.length === 4 && names.every((name) => /\w/.test(name)), JSON.stringify(names));
  });
});

/** The folder of the seeds, which are not ours and are in no clone. */
const SEEDS = process.env.BERTH_SEEDS ?? fileURLToPath(new URL("../../../../shared/seeds", import.meta.url));
const tutorial = existsSync(SEEDS) ? readdirSync(SEEDS).find((name) => name.startsWith("000_")) : undefined;

/** The indented blocks of a text, without their indentation. */
function blocks(text) {
  const found = [];
  let block = null;
  for (const line of text.split("\n")) {
    const inside = /^ {4}\S| {4} +\S/.test(line) && line.startsWith("    ");
    if (inside && !block) found.push((block = []));
    if (inside) block.push(line.slice(4));
    else if (line.trim() !== "" || line === "") block = null;
  }
  return found.map((lines) => lines.join("\n"));
}

test("the first of the seeds is followed by paste, block by block", { skip: tutorial ? false : "no seeds here", timeout: TIMEOUT }, async () => {
  const text = readFileSync(join(SEEDS, tutorial), "utf8");
  const all = blocks(text);
  const manifest = (name) => all.find((block) => block.startsWith(`# ${name}\n`) || block.includes(`  name: ${name.replace(".yaml", "")}\n`));
  // The commands of the text, with the names of files as the manifests have them.
  const command = (line) => {
    const block = all.find((block) => block.includes(`kubectl ${line}`) && /^(➜|\$)/.test(block));
    assert.ok(block, line);
    return block.replace("pod-selector-demo", "node-selector-demo").replace("node-affinty-demo", "node-affinity-demo");
  };
  const master = node("master1", "taints: [{key: node-role.kubernetes.io/master, effect: NoSchedule}]");
  await withManifests([master, node("node1"), node("node2")].join("---\n"), async (page) => {
    await on.terminal(page);
    const file = async (name) => {
      assert.ok(manifest(name), name);
      await paste(page, `cat > ${name} <<'END'\n${manifest(name)}\nEND`, `cat > ${name}`);
    };
    /** Pastes the block with a command, prompts and output included. */
    const follows = async (line, last = line) => {
      await paste(page, command(line), `kubectl ${last}`);
      await on.runToEnd(page);
    };
    await follows("label nodes node2 com=youdianzhishi");
    await file("node-selector-demo.yaml");
    await follows("apply -f pod-selector-demo.yaml", "describe pod test-busybox");
    assert.deepEqual(await nodesOf(page, "app=busybox-pod"), ["node2"]);

    await file("node-affinity-demo.yaml");
    await follows("apply -f node-affinty-demo.yaml", "get pods -l app=node-affinity");
    const preferred = await nodesOf(page, "app=node-affinity");
    assert.equal(preferred.length, 8);
    assert.ok(!preferred.includes("master1") && preferred.filter((name) => name === "node2").length >= 5, String(preferred));

    await file("pod-affinity-demo.yaml");
    await paste(page, "➜ kubectl apply -f pod-affinity-demo.yaml\ndeployment.apps/pod-affinity created", "kubectl apply");
    await on.runToEnd(page);
    assert.deepEqual(await nodesOf(page, "app=pod-affinity"), ["node2", "node2", "node2"]);
    await follows("delete -f node-selector-demo.yaml", "get pods -o wide -l app=pod-affinity");
    assert.deepEqual(await nodesOf(page, "app=pod-affinity"), [], "without a busybox Pod they wait");

    await on.run(page, "kubectl apply -f node-selector-demo.yaml");
    await on.runToEnd(page);
    await file("pod-antiaffinity-demo.yaml");
    await follows("apply -f pod-antiaffinity-demo.yaml", "get pods -l app=pod-antiaffinity");
    assert.deepEqual(await nodesOf(page, "app=pod-antiaffinity"), ["node1", "node1", "node1"]);

    await follows("taint nodes node2 test=node2:NoSchedule");
    await file("taint-demo.yaml");
    await follows("apply -f taint-demo.yaml", "get pods -o wide");
    const tolerant = await nodesOf(page, "app=taint");
    assert.ok(tolerant.length === 3 && tolerant.includes("master1") && !tolerant.includes("node2"), String(tolerant));
    await follows("taint nodes node2 test-");

    await file("mock-ds-demo.yaml");
    await on.run(page, "kubectl apply -f mock-ds-demo.yaml");
    await on.runToEnd(page);
    assert.deepEqual(await nodesOf(page, "app=mock-ds-demo"), ["master1", "node1", "node2"]);
  });
});

/** Opens a lesson by its address, and its terminal. */
async function lesson(page, url, slug) {
  await page.goto(`${url}?lesson=${slug}`);
  await page.locator(".lesson h2").waitFor();
  await on.started(page);
  await on.terminal(page);
}

/** Waits until every goal is met, as the strip above the command line shows it. */
const solved = (page) => page.waitForFunction(() => {
  const goals = [...document.querySelectorAll("[data-goal]")];
  return goals.length > 0 && goals.every(({ dataset }) => dataset.goal === "true");
});

test("three lessons are solved in the terminal, with a reload in between", { timeout: TIMEOUT }, async () => {
  await withPage(
    async (page, url) => {
      await lesson(page, url, "01-where-does-it-go");
      await on.run(page, "kubectl scale sts cache --replicas=1");
      await on.runToEnd(page);
      await solved(page);

      await lesson(page, url, "10-evicted-after-60-seconds");
      const tolerate = (pod, seconds) => {
        const value = `{"key":"maintenance","operator":"Exists","effect":"NoExecute"${seconds}}`;
        return `kubectl patch pod ${pod} --type=json -p='[{"op":"add","path":"/spec/tolerations/-","value":${value}}]'`;
      };
      assert.equal((await on.run(page, tolerate("disk-check", ""))).code, 0);
      assert.equal((await on.run(page, tolerate("report", ',"tolerationSeconds":60'))).code, 0);
      await page.reload({ waitUntil: "load" });
      await on.started(page);
      await page.locator("[data-goal]").first().waitFor({ state: "attached" });
      await on.terminal(page);
      const patched = await on.run(page, "kubectl get pod report -o jsonpath='{.spec.tolerations[*].tolerationSeconds}'");
      assert.match(patched.out, /\b60\b/, "the reload kept the work");
      await on.run(page, "kubectl taint node worker-1 maintenance=disk:NoExecute");
      assert.match((await on.run(page, "kubectl get pods")).out, /^report /m, "a line does not let the minute pass");
      await on.run(page, "sleep 120");
      await solved(page);

      await lesson(page, url, "14-their-rule-your-pod");
      await on.run(page, "kubectl label namespace shop pci=in-scope --overwrite");
      await on.run(page, "sleep 330");
      await solved(page);
    },
    { path: null },
  );
});

const ZONE = "topology.kubernetes.io/zone";
const LOST = "eu-west-1a";

test("an operator asks why, what helps and what if, and gets the recorded answers", { timeout: TIMEOUT }, async () => {
  const answers = JSON.parse(packed("what_ifs/expected.br").get("dumps/eks60"));
  const dump = packed("what_ifs/scenarios.br").get("dumps/eks60");
  const folder = await mkdtemp(join(tmpdir(), "berth-errand-"));
  const file = join(folder, "dump.yaml");
  await writeFile(file, `apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: eks60\nkubernetes: "1.36"\n---\n${dump}`);
  try {
    await withPage(async (page) => {
      page.setDefaultTimeout(TIMEOUT / 4);
      await on.started(page);
      await on.field(page, "files").setInputFiles(file);
      await page.waitForFunction(() => document.querySelectorAll("[data-node]").length === 60);
      await on.inStep(page);
      await on.runToEnd(page);
      const waiting = async () => (await on.frame(page)).pods.filter(({ state }) => state !== "bound").length;
      const isAnswered = async (question) => {
        const ranges = Object.values(answers[question].waiting);
        const sum = (end) => ranges.reduce((sum, range) => sum + range[end], 0);
        const now = await waiting();
        assert.ok(sum(0) <= now && now <= sum(1), `${question}: ${now} wait, recorded ${sum(0)} to ${sum(1)}`);
      };
      await isAnswered("as it is");

      // Judged by the nodes that payments was meant for; a reserved pool is not the first fix.
      await on.action(page, "board").click();
      const payments = page.locator('.group[data-group^="checkout/payments-"]').first();
      await payments.locator(".group__cause", { hasText: /at most .*; it asks 3\.7/ }).waitFor();
      const nearest = payments.locator("[data-nearest]");
      await nearest.waitFor();
      assert.doesNotMatch(await nearest.textContent(), /^Tolerate/);

      const asked = async (what, choose) => {
        if (!(await page.locator("[data-board]").count())) await on.action(page, "board").click();
        await page.locator(`[data-what-if="${what}"]`).click();
        await page.locator(`[data-trial="${what}"]`).waitFor();
        await choose();
      };
      const tried = async (question) => {
        await on.action(page, "try-what-if").click();
        await page.locator("[data-fork]").waitFor();
        await page.waitForFunction(() => globalThis.berth.frame().fork?.tried);
        await on.inStep(page);
        await isAnswered(question);
        await on.action(page, "back-to-first-run").click();
        await on.inStep(page);
        await isAnswered("as it is");
      };
      // Budgets block the drain of some nodes, by their own names; a node without such Pods comes to what its loss does.
      const drains = Object.entries(answers).filter(([question]) => question.startsWith("budgets "));
      const nodeOf = ([question]) => question.split(" ")[1];
      const blocked = drains.find(([, budgets]) => Object.keys(budgets).length > 0);
      await asked("drain", () => on.field(page, "what-if-node").fill(nodeOf(blocked)));
      await on.action(page, "try-what-if").click();
      const kept = await page.locator('[data-drain="blocked"]').textContent();
      for (const [pod, budget] of Object.entries(blocked[1])) {
        assert.ok(kept.includes(pod.split("/")[1]) && kept.includes(budget), `${pod}, ${budget}: ${kept}`);
      }
      await page.waitForFunction(() => globalThis.berth.frame().fork?.tried);
      await on.action(page, "back-to-first-run").click();
      await on.inStep(page);
      const free = drains.find(([, budgets]) => Object.keys(budgets).length === 0);
      await asked("drain", () => on.field(page, "what-if-node").fill(nodeOf(free)));
      await tried(`lose ${nodeOf(free)}`);

      await asked("lose", () => on.field(page, "what-if-node").fill(`${ZONE}=${LOST}`));
      await tried(`lose-label ${ZONE}=${LOST}`);

      const added = Object.keys(answers).find((question) => /^add .* 3$/.test(question));
      const [, like, count] = added.split(" ");
      await asked("add", async () => {
        await on.field(page, "what-if-node").fill(like);
        await on.field(page, "what-if-count").fill(count);
      });
      await tried(added);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
