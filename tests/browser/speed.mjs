// Helpers for speed tests: the page's tasks as Chromium itself records them, and the time until the
// page has drawn a result.
//
// On a busy machine the clock runs on while the page waits for the CPU, and the CPU itself may be slower by half from
// one minute to the next. So the bounds apply to the CPU time of the page's threads, to the best of several tries, and
// to ratios: each time is divided by how much longer a fixed piece of work takes than on the reference machine.

/** Factor on all time limits. 1 suffices for the released page on an idle machine. */
export const SLACK = Number(process.env.BERTH_STRICT ?? 0) || 2;

/** Pause before each try. */
const REST_MS = 700;

/** Time in milliseconds of `yardstick` on the reference machine, which the limits were set on. */
const YARDSTICK_MS = 8;

let marks = 0;

/** Least time in milliseconds that a fixed piece of work takes in the page now: elements, texts, sorting, numbers. */
const yardstick = (page) =>
  page.evaluate(() => {
    const once = () => {
      const start = performance.now();
      const list = document.createElement("ul");
      for (let number = 0; number < 1500; number += 1) {
        const item = document.createElement("li");
        item.setAttribute("data-number", String((number * 7919) % 1500));
        item.className = `item item--${number % 7}`;
        item.append(`number ${number}`, document.createElement("b"));
        list.append(item);
      }
      const texts = [...list.children].map((item) => item.textContent + item.dataset.number);
      const read = JSON.parse(JSON.stringify(texts.sort()));
      let sum = 0;
      for (let number = 0; number < 2e6; number += 1) sum = (sum * 31 + number + read.length) | 0;
      return sum === 0 ? 0 : performance.now() - start;
    };
    return Math.min(...Array.from({ length: 9 }, once));
  });

/**
 * Runs `body`, and returns its result and how many times slower the machine was meanwhile than the reference, at
 * least 1.
 */
export async function slowness(page, body) {
  const before = await yardstick(page);
  const result = await body();
  const mean = (before + (await yardstick(page))) / 2;
  return { result, slow: Math.max(1, mean / YARDSTICK_MS) };
}

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
 * Runs `body`, and returns the CPU time of each task of the page's main thread in milliseconds of the reference machine,
 * longest first.
 */
export async function tasks(page, context, body) {
  const { result, slow } = await slowness(page, () => trace(page, context, body));
  return result.page().map((worked) => worked / slow).sort((one, other) => other - one);
}

/**
 * Calls `act` in the page, and returns the milliseconds on the clock until `done` returns another value than
 * before and the page has drawn it. Both functions run in the page and cannot access the test's variables.
 */
export async function timed(page, act, done) {
  await page.evaluate(`{
    ${WATCH}
    watch(${done});
    start = performance.now();
    (${act})();
  }`);
  return drawn(page);
}

/** The same for a key pressed at the focus, measured from the key event. */
export async function timedKey(page, key, done) {
  await page.evaluate(`{
    ${WATCH}
    watch(${done});
    addEventListener("keydown", ({ timeStamp }) => (start = timeStamp), { capture: true, once: true });
  }`);
  await page.keyboard.press(key);
  return drawn(page);
}

/** In the page: `watch` notes in `globalThis.drawn` how long after `start` the page has drawn another value of `done`. */
const WATCH = `
  let start;
  const watch = (done) => {
    const before = done();
    globalThis.drawn = undefined;
    const observer = new MutationObserver(() => {
      if (done() === before) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => (globalThis.drawn = performance.now() - start)));
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  };`;

/** What `watch` noted. Asks rarely, so that asking costs the page nothing. */
const drawn = async (page) =>
  (await page.waitForFunction(() => globalThis.drawn, null, { polling: 50 })).jsonValue();

/**
 * Measures an action several times; returns the least CPU time of the page and its worker, the least time on
 * the clock, both in milliseconds of the reference machine, and a report of all tries. `measure` acts once and returns
 * its time on the clock.
 */
export async function best(page, context, tries, measure) {
  const found = [];
  for (let number = 0; number < tries; number += 1) {
    // Deferred work of the last try, such as syntax highlighting, must not count for this one.
    await page.waitForTimeout(REST_MS);
    let took = 0;
    const { result, slow } = await slowness(page, () =>
      trace(page, context, async () => {
        took = await measure();
      }),
    );
    const worked = [...result.page(), ...result.worker()].reduce((sum, worked) => sum + worked, 0);
    found.push([worked / slow, took / slow]);
  }
  const report = found.map(([worked, took]) => `${Math.round(worked)} (${Math.round(took)})`).join(", ");
  const [worked, took] = [0, 1].map((which) => Math.min(...found.map((times) => times[which])));
  return { worked, took, report: `worked (on the clock), in ms: ${report}` };
}

/** Runs to the end, after at least this many attempts. */
export async function run(page, attempts) {
  await page.locator('[data-action="run"]').click();
  await page.waitForFunction((last) => {
    const { position } = document.querySelector("[data-position]").dataset;
    return Number(position) >= last && document.querySelector('[data-action="run"]').disabled;
  }, attempts);
}
