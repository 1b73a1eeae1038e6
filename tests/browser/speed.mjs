// Helpers for speed tests: the page's tasks as Chromium itself records them, and the time until the
// page has drawn a result.
//
// On a busy machine the clock runs on while the page waits for the CPU. So the bounds apply to the CPU
// time of the page's threads, and to the best of several tries.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Factor on all time limits. 1 suffices for the released page on an idle machine. */
export const SLACK = Number(process.env.BERTH_STRICT ?? 0) || 2;

/** Pause before each try. */
const REST_MS = 700;

let marks = 0;

/** Runs `body`, and returns the CPU times (ms) of the tasks of page and workers that Chromium recorded meanwhile. */
async function trace(page, context, body) {
  const session = await context.newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { recordMode: "recordAsMuchAsPossible", includedCategories: ["toplevel", "blink.user_timing"] },
  });
  // The marks identify the page's thread, and exclude the cost of tracing itself.
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
    // Some tasks have no CPU time; their duration is its upper bound.
    return tasks.map(({ tdur, dur }) => (tdur ?? dur) / 1000);
  };
  return { page: () => of([begin.tid]), worker: () => of(workers.map(({ tid }) => tid)) };
}

/**
 * Runs `body`, and returns the CPU time in milliseconds of each task of the page's main thread,
 * longest first.
 */
export async function tasks(page, context, body) {
  const found = await trace(page, context, body);
  return found.page().sort((one, other) => other - one);
}

/** Runs `body`, and returns the total CPU time of the page and its worker in milliseconds. */
export async function work(page, context, body) {
  const found = await trace(page, context, body);
  return [...found.page(), ...found.worker()].reduce((sum, worked) => sum + worked, 0);
}

/**
 * Calls `act` in the page, and returns the milliseconds on the clock until `done` returns another value than
 * before and the page has drawn it. Both functions run in the page and cannot access the test's variables.
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

/** The same for a key pressed at the focus, measured from the key event. */
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
 * Measures an action several times; returns the least CPU time of the page and its worker, the least time on
 * the clock, and a report of all tries. `measure` acts once and returns its time on the clock.
 */
export async function best(page, context, tries, measure) {
  const found = [];
  for (let number = 0; number < tries; number += 1) {
    // Deferred work of the last try, such as syntax highlighting, must not count for this one.
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

/** Manifests of nodes in ten zones, of Pods that fit, and of a last Pod that fits nowhere. */
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
 * Opens a scenario from a file: Playwright would decode a large buffer in the page. Waits for the
 * title, which must differ from the previous one.
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

/** Runs to the end, after at least this many attempts. */
export async function run(page, attempts) {
  await page.locator('[data-action="run"]').click();
  await page.waitForFunction((last) => {
    const { position } = document.querySelector("[data-position]").dataset;
    return Number(position) >= last && document.querySelector('[data-action="run"]').disabled;
  }, attempts);
}
