// What a published site takes from the page itself: the gallery's words and pictures, a picture for social cards, and the
// icon in pixels. Draws in Chromium.
import { readFileSync } from "node:fs";
import { withPage } from "../../../tests/browser/harness.mjs";
import { catalogues } from "./catalogues.mjs";

/** The size that services for social cards expect. */
const CARD = { width: 1200, height: 630 };

const ICON = new URL("../../../www/icon.svg", import.meta.url);

/** The languages of the gallery: English, and those that have a translation of all examples. */
export const LANGUAGES = ["en", ...catalogues().filter(({ head }) => head.complete === "yes").map(({ tag }) => tag)];

/** Draws them from the page in `folder`. */
export async function draw(folder) {
  const drawn = {};
  await withPage(
    async (page, url) => {
      await page.goto(`${url}?theme=light`);
      drawn.card = await card(page);
      drawn.galleries = {};
      for (const language of LANGUAGES) {
        await page.goto(`${url}?theme=light&lang=${language}`);
        await page.waitForSelector("[data-digest]");
        drawn.galleries[language] = await gallery(page);
      }
      drawn.icons = await icons(page, readFileSync(ICON, "utf8"));
    },
    { folder, path: null, viewport: CARD, contextOptions: { colorScheme: "light" } },
  );
  return drawn;
}

/** The first example at its end, with the Pod that found no room; without its manifests, for which there is no room. */
async function card(page) {
  await page.waitForSelector("[data-digest]");
  await page.keyboard.press("[");
  await page.locator('[data-action="run"]').click();
  await page.waitForFunction(() => document.querySelector('[data-action="run"]').disabled);
  await page.locator('[data-pod="default/report"]').first().click();
  await page.waitForSelector('[data-attempt="default/report"]', { state: "attached" });
  await page.waitForSelector('[data-fixes][data-done="true"]', { state: "attached", timeout: 60_000 });
  await page.mouse.move(0, 0);
  return page.screenshot({ type: "png", animations: "disabled" });
}

/** The gallery as the page shows it: its title and sentences, and the inside of each card. */
async function gallery(page) {
  await page.locator('[data-action="examples"]').click();
  await page.waitForSelector("[data-example] .card__art svg");
  return page.evaluate(() => {
    const text = (name) => document.querySelector(name).textContent;
    const cards = [...document.querySelectorAll("[data-example]")];
    return {
      examples: document.querySelector(".welcome").getAttribute("aria-label"),
      title: text(".welcome__title"),
      lead: text(".welcome__lead"),
      logo: document.querySelector("#i-logo").innerHTML,
      note: text(".gallery__tools .note"),
      cards: cards.map((card) => ({
        slug: card.dataset.example,
        question: card.closest(".gallery__group").querySelector("h3").textContent,
        inside: card.innerHTML,
      })),
    };
  });
}

/** The icon as PNG, by its width. The largest fills its square, so that systems can cut it to any shape. */
async function icons(page, svg) {
  const drawn = {};
  for (const [size, isMaskable] of [[192, false], [512, true]]) {
    await page.setViewportSize({ width: size, height: size });
    const shape = isMaskable ? svg.replace(/ rx="12"/, "") : svg;
    await page.goto(`data:image/svg+xml,${encodeURIComponent(shape)}`);
    drawn[size] = await page.screenshot({ type: "png", omitBackground: true });
  }
  return drawn;
}
