// What tests of speed measure with: the page's tasks as Chromium itself records them, and how long
// something takes until the page has drawn it.
//
// On a machine that does other things as well the clock runs on while the page waits for its turn.
// So the bounds are on the time that its threads worked, and on the best of several tries.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How much longer than demanded things may take: a quiet machine and the released page need 1. */
export const SLACK = Number(process.env.BERTH_STRICT ?? 0) || 2;

/** Between two tries. */
const REST_MS = 700;

let marks = 0;

/** Does `body`, and returns what Chromium recorded meanwhile: the threads' names and their tasks. */
async function trace(page, context, body) {
  const session = await context.newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { recordMode: "recordAsMuchAsPossible", includedCategories: ["toplevel", "blink.user_timing"] },
  });
  // The marks tell which thread is the page's, and leave out what the tracing itself cost.
  marks += 1;
  const [from, to] = [`berth-from-${marks}`, `berth-to-${marks}`];
  const mark = (name) => page.evaluate((name) => performance.mark(name).name, name);
  await mark(from);
  await body();
  await mark(to);
  const complete = new Promise((done) => session.once("Tracing.tracingComplete", done));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  const [begin, end] = [from, to].map((mark) => events.find(({ name }) => name === mark));
  if (!begin || !end) throw new Error("the trace does not hold the marks");
  const found = events.filter(
    ({ name, ph, pid, ts }) =>
      name.endsWith("RunTask") && ph === "X" && pid === begin.pid && ts > begin.ts && ts < end.ts,
  );
  const workers = events.filter(
    ({ name, pid, args }) => name === "thread_name" && pid === begin.pid && args.name.startsWith("DedicatedWorker"),
  );
  const of = (threads) => {
    const tasks = found.filter(({ tid }) => threads.includes(tid));
    if (tasks.every(({ tdur }) => tdur === undefined)) {
      throw new Error("this browser does not tell how long tasks worked");
    }
    // Of single ones it does not know more than that they did not work longer than they took.
    return tasks.map(({ tdur, dur }) => (tdur ?? dur) / 1000);
  };
  return { page: () => of([begin.tid]), worker: () => of(workers.map(({ tid }) => tid)) };
}

/**
 * Does `body`, and returns how many milliseconds each task of the page's main thread worked
 * meanwhile, the longest first.
 */
export async function tasks(page, context, body) {
  const found = await trace(page, context, body);
  return found.page().sort((one, other) => other - one);
}

/** Does `body`, and returns how many milliseconds the page and its worker worked for it, in all. */
export async function work(page, context, body) {
  const found = await trace(page, context, body);
  return [...found.page(), ...found.worker()].reduce((sum, worked) => sum + worked, 0);
}

/**
 * Calls `act` in the page, and returns the milliseconds on the clock until `done` tells something else than
 * before and the page has drawn it. Both are functions of the page, and see nothing of the test's.
 */
export const timed = (page, act, done) =>
  page.evaluate(`new Promise((tell) => {
    const [act, done] = [${act}, ${done}];
    const before = done();
    const start = performance.now();
    const observer = new MutationObserver(() => {
      if (done() === before) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => tell(performance.now() - start)));
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    act();
  })`);

/** The same for a key that is pressed where the focus is: from the key to what it draws. */
export async function timedKey(page, key, done) {
  await page.evaluate(`{
    const done = ${done};
    const before = done();
    let start;
    addEventListener("keydown", ({ timeStamp }) => (start = timeStamp), { capture: true, once: true });
    globalThis.drawn = new Promise((tell) => {
      const observer = new MutationObserver(() => {
        if (done() === before) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => tell(performance.now() - start)));
      });
      observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    });
    void "not waited for";
  }`);
  await page.keyboard.press(key);
  return page.evaluate(() => globalThis.drawn);
}

/**
 * Does something several times; returns what the page and its worker worked for it at best, how long it
 * took on the clock at best, and a report of all. `measure` does it once and returns its time on the clock.
 */
export async function best(page, context, tries, measure) {
  const found = [];
  for (let number = 0; number < tries; number += 1) {
    // What the last try left to do, as coloring the text, is not this one's.
    await page.waitForTimeout(REST_MS);
    let took = 0;
    const worked = await work(page, context, async () => {
      took = await measure();
    });
    found.push([worked, took]);
  }
  const report = found.map(([worked, took]) => `${Math.round(worked)} (${Math.round(took)})`).join(", ");
  const [worked, took] = [0, 1].map((which) => Math.min(...found.map((times) => times[which])));
  return { worked, took, report: `worked (on the clock), in ms: ${report}` };
}

/** So many nodes over ten zones, Pods that fit, and one that fits nowhere and comes last. */
export function cluster(title, nodes, pods) {
  const documents = [`apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: ${title}\n`];
  for (let number = 0; number < nodes; number += 1) {
    documents.push(
      `apiVersion: v1\nkind: Node\nmetadata: {name: n-${number}, labels: {topology.kubernetes.io/zone: zone-${number % 10}}}\n` +
        'status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}\n',
    );
  }
  const pod = (name, cpu) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, labels: {app: web}}\n` +
    `spec: {containers: [{name: main, image: a, resources: {requests: {cpu: ${cpu}, memory: 256Mi}}}]}\n`;
  for (let number = 0; number < pods - 1; number += 1) {
    documents.push(pod(`web-${number}`, `${100 + 50 * (number % 5)}m`));
  }
  documents.push(pod("huge", "64"));
  return documents.join("---\n");
}

/**
 * Opens a scenario, by a file: Playwright itself would decode a large buffer in the page. Waits for
 * the title, which tells it from the one before.
 */
export async function open(page, yaml, title) {
  const folder = await mkdtemp(join(tmpdir(), "berth-speed-"));
  try {
    const file = join(folder, "scenario.yaml");
    await writeFile(file, yaml);
    await page.locator('[data-field="files"]').setInputFiles(file);
    await page.waitForFunction(
      (title) =>
        document.querySelector(".topbar__title").textContent === title &&
        document.querySelector("[data-position]").dataset.position === "0",
      title,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs to the end, which is so many attempts away. */
export async function run(page, attempts) {
  await page.locator('[data-action="run"]').click();
  await page.waitForFunction((last) => {
    const { position } = document.querySelector("[data-position]").dataset;
    return Number(position) >= last && document.querySelector('[data-action="run"]').disabled;
  }, attempts);
}
