// Addresses that a version of Berth wrote, and what they showed there: `frozen/VERSION.json`. They open in every later
// version, and show the same moment.
import * as compare from "./compare.mjs";
import * as on from "./steps.mjs";

/** What a page shows of a moment: facts, not wording. */
export async function shown(page) {
  const facts = {};
  if (await page.locator('[data-course="title"]').count()) {
    facts.class = await page.locator('[data-course="title"]').innerText();
    facts.lessons = await page.locator(".stop__t").allInnerTexts();
    return facts;
  }
  if (await page.locator("[data-compare]").count()) {
    await compare.done(page);
    facts.entries = await page.locator("[data-track]").evaluateAll((tracks) => tracks.map((track) => Number(track.dataset.entries)));
    facts.different = Number(await page.locator("[data-compare]").getAttribute("data-different"));
    facts.stages = [];
    for (const side of ["A", "B"]) {
      const nodes = page.locator(`[data-side="${side}"] [data-node]`);
      facts.stages.push(await nodes.evaluateAll((nodes) =>
        nodes.map((node) => [node.dataset.node, [...node.querySelectorAll("[data-pod]")].map((pod) => pod.dataset.pod).sort()]),
      ));
    }
    return facts;
  }
  const frame = await on.frame(page);
  const place = ({ node = null, state = null }) => node ?? state;
  Object.assign(facts, {
    position: frame.position,
    entries: frame.logLength,
    nowMs: frame.nowMs ?? null,
    nodes: frame.nodes.map(({ name }) => name),
    pods: Object.fromEntries(frame.pods.map((pod) => [pod.key, place(pod)])),
    fork: frame.fork ? { at: frame.fork.at, changes: frame.fork.changes.length } : null,
  });
  // A small embedded page has no editor.
  if (await on.field(page, "manifests").count()) facts.text = await on.text(page);
  const printed = await page.locator("[data-printed]").evaluateAll((entries) => entries.map(({ dataset }) => [dataset.printed, Number(dataset.code)]));
  if (printed.length > 0) facts.printed = printed;
  if (await page.locator(".lesson h2").count()) {
    facts.lesson = await page.locator(".lesson h2").innerText();
    facts.goals = await page.locator("[data-goal]").evaluateAll((goals) => goals.map(({ dataset }) => dataset.goal));
  }
  const attempt = page.locator("[data-attempt]").first();
  if (await attempt.count()) facts.attempt = await attempt.getAttribute("data-attempt");
  return facts;
}

/** A generated name: its workload, the hash of a template, five characters. */
const GENERATED = /^(.+?)(?:-[bcdfghjklmnpqrstvwxz2456789]{6,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** The facts with Pods by workload and number: an address without a link has the names of the version that opens it. */
export function numbered({ pods = {}, attempt, ...facts }) {
  const counts = {};
  const names = new Map();
  for (const key of Object.keys(pods)) {
    const workload = GENERATED.exec(key)?.[1];
    if (workload !== undefined) counts[workload] = (counts[workload] ?? 0) + 1;
    names.set(key, workload === undefined ? key : `${workload} ${counts[workload]}`);
  }
  const placed = Object.entries(pods).map(([key, place]) => [names.get(key), place]);
  return { ...facts, attempt: names.get(attempt) ?? attempt, pods: Object.fromEntries(placed) };
}

/** Waits until a page has opened what its address names, and shows it. */
export async function opened(page) {
  await page.waitForFunction(() => globalThis.berth !== undefined, null, { timeout: 60_000 });
  await page.locator('[data-course="title"], [data-compare], [data-node], [data-position]').first().waitFor({ state: "attached", timeout: 60_000 });
  if (await page.locator("[data-position]").count()) await on.inStep(page);
  // A link's visit is replayed after its manifests are drawn.
  await page.waitForFunction(() => !Object.keys(localStorage).some((name) => name.endsWith(".failed")));
  await page.waitForLoadState("networkidle");
  if (await page.locator("[data-position]").count()) await on.inStep(page);
}
