// A comparison of two runs: how tests begin it, and what they wait for.
import * as on from "./steps.mjs";

/** Waits until both runs are there. */
export const done = (page, timeout = 60_000) => page.waitForSelector('[data-compare="done"]', { timeout });

/** Waits until each side's track holds this number of entries. */
export const entriesAre = (page, a, b) =>
  page.waitForFunction(
    ([a, b]) => {
      const tracks = [...document.querySelectorAll("[data-track]")].map((track) => Number(track.dataset.entries));
      return tracks[0] === a && tracks[1] === b;
    },
    [a, b],
  );

/** Begins a comparison in the form. */
export async function choose(page, topic, fill = async () => {}) {
  await page.keyboard.press("b");
  await page.locator(`[data-topic="${topic}"]`).click();
  await fill(page.locator('[data-form="compare"]'));
  await on.action(page, "begin-compare").click();
}
