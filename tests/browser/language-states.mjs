// Further states of the page, for its sentences: each is a name, and how to reach it from any other.
import { readFileSync } from "node:fs";
import { PENDING } from "./pending.mjs";
import * as on from "./steps.mjs";
import { press } from "./states.mjs";

/** States that the other tests do not go through. */
export const OTHERS = [
  [
    "the link",
    async (page) => {
      await press(page, "cancel-edit");
      await press(page, "share");
      // Share opens with what was last looked at.
      await page.locator('[data-share="link"]').click();
      await page.locator('[data-field="link"]').waitFor();
    },
  ],
  [
    "a search",
    async (page) => {
      await press(page, "close");
      await page.locator(".veil").waitFor({ state: "detached" });
      // Where nothing has the focus, characters go to the command line.
      await page.locator("[data-node]").first().focus();
      await page.keyboard.press("/");
      await on.field(page, "find").waitFor();
    },
  ],
  [
    "the plan of a drain",
    async (page) => {
      await press(page, "close");
      await on.node(page, "node-a1").locator('[data-action="edit-node"]').evaluate((button) => button.click());
      await press(page, "drain");
      await page.locator('[data-action="drain-now"]').waitFor({ state: "attached" });
    },
  ],
  [
    "pending Pods, one node by one",
    async (page) => {
      await press(page, "close-form");
      await on.open(page, TAINTED);
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press("3");
      for (let step = 0; step < 6; step += 1) await page.keyboard.press("ArrowRight");
    },
  ],
  [
    "the board",
    async (page) => {
      await on.runToEnd(page);
      await press(page, "pending");
      await page.locator("[data-board]").waitFor();
    },
  ],
];

/** One of the nodes has a taint. */
const TAINTED = PENDING.replace("status:", "spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}\nstatus:");

const node = (name, more) => `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}, labels: {kubernetes.io/hostname: ${name}, topology.kubernetes.io/zone: zone-${name.at(-1)}}}\n${more}`;
const room = (cpu = "4") => `status: {allocatable: {cpu: "${cpu}", memory: 8Gi, pods: "110"}}\n`;
const lone = (name, metadata, spec) => `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, labels: {app: ${name}}${metadata}}\nspec: {${spec}containers: [{name: c, image: i, resources: {requests: {cpu: 500m}}, ports: [{containerPort: 80, hostPort: 80}]}]}\n`;

/** One Pod that every node rejects for a different reason. */
export const REASONS = [
  node("taint-a", `spec: {taints: [{key: dedicated, value: db, effect: NoSchedule}]}\n${room()}`),
  node("cordon-b", `spec: {unschedulable: true}\n${room()}`),
  node("small-c", room("100m")),
  node("other-d", room()).replace("zone-d}", "zone-d, pool: other}"),
  node("busy-e", room()),
  node("apart-f", room()),
  lone("holder", "", "nodeName: busy-e, "),
  lone("loner", "", "nodeName: apart-f, ").replace(", hostPort: 80", "").replace("app: loner", "app: victim"),
  lone("asks", "", `
  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: NotIn, values: [other]}]}]}, preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, preference: {matchExpressions: [{key: pool, operator: Exists}]}}]}, podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: victim}}}]}},
  topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchExpressions: [{key: app, operator: Exists}]}}],
  `),
].join("---\n");

/** Problems of each kind: the library's, the API server's, and Berth's. */
export const PROBLEMS = [
  "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1GB}}, imag: x}], hostNetwork: \"true\"}\n",
  "kind: Pdo\napiVersion: v1\n",
  "kind: Node\nmetadata: {name: b}\n",
  "apiVersion: v1\nkind: Node\nmetadata: {name: c}\nspec: {taints: [{key: k, effect: Never}]}\n",
  "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: many, selector: {}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}\n",
  "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: x, pluginConfig: [{name: Nothing, args: {}}]}, {schedulerName: x}]\nextenders: [{urlPrefix: x}]\n",
  "apiVersion: berth.dev/v1alpha1\nkind: Scenario\nexpectations: [{pod: a, state: Bund}, {count: 1}]\n",
  "- a\n",
  "a: [\n",
].join("---\n");

const lesson = (slug) => async (page) => {
  const url = new URL(page.url());
  url.hash = "";
  url.searchParams.set("lesson", slug);
  await page.goto(url.href);
  await page.locator(".lesson h2").waitFor();
  await on.inStep(page);
};

const index = JSON.parse(readFileSync(new URL("../../www/lessons/index.json", import.meta.url), "utf8"));
const LESSONS = index.chapters.flatMap(({ lessons }) => lessons);

const closeAll = async (page) => {
  for (let number = 0; number < 3; number += 1) await page.keyboard.press("Escape");
};

/** Opens the problems' list with this text typed in. */
async function write(page, text) {
  await page.locator('[data-source="manifests"]').click();
  await page.locator(".cm-content").waitFor();
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

export const MORE = [
  [
    "each plugin's verdict",
    async (page) => {
      await closeAll(page);
      await page.evaluate(() => document.querySelector('[data-action="close-board"]')?.click());
      await on.open(page, REASONS);
      await on.runToEnd(page);
      await on.pod(page, "default/asks").first().evaluate((pod) => pod.click());
      await page.waitForSelector('[data-attempt="default/asks"]', { state: "attached" });
    },
  ],
  ...["TaintToleration", "NodeUnschedulable", "NodeResourcesFit", "NodeAffinity", "NodePorts", "InterPodAffinity", "PodTopologySpread"].map((plugin) => [
    `why ${plugin} rejects`,
    async (page) => {
      const cell = page.locator(`[data-cell$="/${plugin}"][data-verdict^="Unschedulable"]`).first();
      await cell.evaluate((cell) => cell.click());
      await page.waitForSelector("[data-arithmetic]", { state: "attached" });
    },
  ]),
  [
    "problems",
    async (page) => {
      await write(page, PROBLEMS);
      await page.locator(".problem").first().waitFor();
    },
  ],
  ["the course", async (page) => {
    await lesson("01-where-does-it-go")(page);
    await press(page, "course");
    await page.locator(".course .stop").first().waitFor();
    await press(page, "take-progress");
  }],
  ["a lesson with a prediction", lesson("01-where-does-it-go")],
  ["a prediction that was wrong", async (page) => {
    for (const question of await page.locator("[data-question]").all()) await question.locator("[data-predict]").last().click();
    await press(page, "settle");
    await on.inStep(page);
    await page.locator(".predict__wrong, .predict__right").first().waitFor();
  }],
  ["a lesson about victims", lesson("26-who-must-go")],
  ["a lesson with goals that are not met", lesson("25-drain-with-a-budget")],
  ["a locked object", async (page) => {
    await lesson("05-node-selector")(page);
    await on.node(page, "worker-1").focus();
    await page.keyboard.press("c");
    await on.notice(page).waitFor();
  }],
  ["hints and the solution", async (page) => {
    for (let number = 0; number < 3; number += 1) await press(page, "hint");
    await press(page, "show-solution");
    await press(page, "solve");
    await page.locator('[data-lesson="done"]').waitFor();
  }],
  ...LESSONS.flatMap((slug) => [
    [slug, async (page) => {
      await press(page, "course");
      await page.locator(`[data-lesson-link="${slug}"]`).click();
      await page.locator(`.lesson[data-slug="${slug}"]`).waitFor();
      await on.inStep(page);
    }],
    [`${slug}, with all hints and the solution`, async (page) => {
      const shown = () => ["[data-hint]", ".lesson__step", "[data-step]"].reduce((sum, it) => sum + document.querySelectorAll(it).length, 0);
      for (const name of ["hint", "show-solution", "solve"]) {
        while ((await on.action(page, name).count()) > 0) {
          const before = await page.evaluate(shown);
          await press(page, name);
          await page.waitForFunction(`(${shown})() > ${before}`);
        }
      }
      await on.inStep(page);
      await page.locator('[data-lesson="done"], [data-lesson="mispredicted"]').waitFor();
      // What the terms of its texts mean.
      await page.evaluate(() => document.querySelectorAll(".lesson .glossary").forEach((term) => (term.open = true)));
    }],
  ]),
  ["a lesson in presentation size", async (page) => {
    await press(page, "start-over");
    await on.inStep(page);
    await press(page, "presentation");
    await page.waitForSelector("[data-size=presentation]");
  }],
  ["the form of a class", async (page) => {
    await press(page, "presentation");
    await press(page, "course");
    await page.locator('[data-action="make-class"]').click();
    await page.locator('[data-field="class-title"]').waitFor();
  }],
  ["a comparison whose sides have names", async (page) => {
    const url = new URL(page.url());
    url.hash = "";
    url.searchParams.delete("lesson");
    url.searchParams.set("example", "spreading-or-packing");
    await page.goto(url.href);
    await page.locator(".app--pair").waitFor();
    await on.inStep(page);
  }],
];
