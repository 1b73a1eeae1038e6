// Actions of the tests on the page, and the conditions they wait for.
//
// The engine runs in a worker and answers a click asynchronously. The page shows whether it has the outcome of
// all commands that it sent. Without a worker, it is in step when it shows the position and digest that
// `globalThis.berth` answers; a page with a worker would first load a second engine for that.
import assert from "node:assert/strict";

export const action = (page, name) => page.locator(`[data-action="${name}"]`);
export const field = (page, name) => page.locator(`[data-field="${name}"]`);
export const node = (page, name) => page.locator(`[data-node="${name}"]`);
export const pod = (page, key) => page.locator(`[data-pod="${key}"]`);
export const notice = (page) => page.locator("[data-notice]");
export const text = (page) => field(page, "manifests").inputValue();
export const frame = (page) => page.evaluate(() => globalThis.berth.frame());

/** The page's position in the run, and the state's digest. */
export const moment = (page) =>
  page.locator("[data-position]").evaluate(({ dataset }) => ({
    position: Number(dataset.position),
    digest: dataset.digest,
  }));

/** Waits until the page is loaded and shows a scenario. */
export async function started(page) {
  await page.waitForFunction(() => globalThis.berth !== undefined, null, { timeout: 60_000 });
  await page.waitForSelector("[data-node]", { timeout: 60_000 });
  await inStep(page);
}

/** Waits until all earlier actions are done and drawn. Not for a run to the end: see `runToEnd`. */
export async function inStep(page) {
  await page.waitForFunction(
    () => {
      const { inStep } = document.documentElement.dataset;
      if (inStep) return inStep === "true";
      const { position, digest } = document.querySelector("[data-position]").dataset;
      return Number(position) === globalThis.berth.position && digest === globalThis.berth.digest();
    },
    null,
    { timeout: 60_000 },
  );
  await cardsDrawn(page);
}

/** Waits until all cards of a large fleet are redrawn, some in each frame. */
export const cardsDrawn = (page) =>
  page.waitForFunction(() => !document.querySelector('.harbour[aria-busy="true"]'), null, { timeout: 60_000 });

/** Clicks on a button with this `data-action`, and waits for the result. */
export async function does(page, name) {
  await action(page, name).click();
  await inStep(page);
}

/** Waits until the manifests' text matches, and returns it. */
export async function textThat(page, passes, what) {
  await page
    .waitForFunction(
      ([source, flags]) =>
        new RegExp(source, flags).test(document.querySelector('[data-field="manifests"]').value),
      [passes.source, passes.flags],
    )
    .catch(async () => assert.match(await text(page), passes, what));
  await inStep(page);
  return text(page);
}

/** Waits until the text is exactly this. */
export async function textIs(page, wanted) {
  await page
    .waitForFunction((wanted) => document.querySelector('[data-field="manifests"]').value === wanted, wanted)
    .catch(async () => assert.equal(await text(page), wanted));
  await inStep(page);
}

/** Opens a scenario, as the button "Open" does. */
export async function open(page, yaml, name = "scenario.yaml") {
  const buffer = Buffer.from(yaml);
  await field(page, "files").setInputFiles({ name, mimeType: "application/yaml", buffer });
  await textIs(page, yaml);
}

/** One step of the chosen size. */
export async function step(page) {
  await does(page, "step");
}

export async function runToEnd(page, timeout = 60_000) {
  // While a line of the terminal settles, the button pauses.
  await page.locator('[data-action="run"] .i--pause').waitFor({ state: "detached", timeout });
  // A click on a disabled button does nothing: a simulated cluster may have reached its end already.
  await action(page, "run").evaluate((button) => button.click());
  await page.waitForFunction(
    () => document.querySelector('[data-action="run"]').disabled,
    null,
    { timeout },
  );
  await inStep(page);
}

/** Opens a node's form. */
export async function edit(page, name) {
  await node(page, name).locator('[data-action="edit-node"]').click();
  await page.locator(`[data-form="${name}"]`).waitFor();
}

/** Fills a field of a form and blurs it, which commits the change. */
export async function change(input, value) {
  await input.fill(value);
  await input.blur();
}

/** What the stage shows: zones with their nodes, cordons and Pods, in order. */
export const stage = (page) =>
  page.locator("[data-zone]").evaluateAll((zones) =>
    zones.map((zone) => ({
      zone: zone.dataset.zone,
      nodes: [...zone.querySelectorAll("[data-node]")].map((node) => ({
        node: node.dataset.node,
        cordoned: node.classList.contains("node--cordoned"),
        chips: [...node.querySelectorAll(".chip")].map((chip) => chip.title || chip.textContent),
        pods: [...node.querySelectorAll("[data-pod]")].map((pod) => pod.dataset.pod),
      })),
    })),
  );

/** The terminal's input line. */
export const line = (page) => field(page, "terminal");

/** Opens the terminal. */
export async function terminal(page) {
  await page.locator('[data-source="terminal"]').click();
  await line(page).waitFor();
}

/** Types a line into the terminal, and returns what it printed. */
export async function run(page, text) {
  const before = await page.locator("[data-printed]").count();
  await line(page).fill(text);
  await line(page).press("Enter");
  await page.waitForFunction(
    (before) =>
      document.querySelectorAll("[data-printed]").length > before &&
      document.querySelector('[data-terminal="ready"]') !== null,
    before,
    { timeout: 60_000 },
  );
  return page.locator("[data-printed]").last().evaluate((entry) => {
    const text = (part) => [...entry.querySelectorAll(part)].map((it) => it.textContent).join("");
    return {
      line: entry.dataset.printed,
      out: text(".term__out"),
      error: text(".term__err"),
      code: Number(entry.dataset.code),
    };
  });
}
