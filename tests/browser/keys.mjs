// The page by the keyboard alone.
import assert from "node:assert/strict";

/** Presses of Tab after which an element counts as out of reach. */
export const MOST = 200;

const isFocused = (page, selector) =>
  page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector);

/** Presses Tab until the element has the focus. No element on the way may trap it, except the editor until Escape. */
export async function tabTo(page, selector, key = "Tab") {
  const visited = [];
  for (let number = 0; number < MOST; number += 1) {
    if (await isFocused(page, selector)) return;
    if (await isFocused(page, ".cm-content")) await page.keyboard.press("Escape");
    await page.keyboard.press(key);
    visited.push(
      await page.evaluate(() => {
        const { dataset, tagName, className } = document.activeElement;
        return dataset.action ?? dataset.field ?? `${tagName}.${className}`;
      }),
    );
  }
  assert.fail(`${key} does not reach ${selector}: ${visited.slice(-12).join(", ")}`);
}

/** Goes to a button, and presses it. */
export async function press(page, selector) {
  await tabTo(page, selector);
  await page.keyboard.press("Enter");
}

/** Types a line into the terminal, and returns what the page has printed. */
export async function type(page, line) {
  await press(page, '[data-source="terminal"]');
  await tabTo(page, '[data-field="terminal"]');
  const before = await page.locator("[data-printed]").count();
  await page.keyboard.type(line);
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    (before) => document.querySelectorAll("[data-printed]").length > before && document.querySelector('[data-terminal="ready"]'),
    before,
  );
  const printed = await page.locator("[data-printed]").last().innerText();
  // Tab completes words in the terminal: Shift+Tab leaves it.
  await page.keyboard.press("Shift+Tab");
  return printed;
}

/** Goes to a node of the stage by its name. */
export async function goTo(page, node) {
  // In the terminal's panel, characters are typed into the command line.
  const inPanel = () => document.activeElement === document.body || document.activeElement.closest(".sources") !== null;
  if ((await page.locator("[data-terminal]").count()) > 0 && (await page.evaluate(inPanel))) await page.keyboard.press("F6");
  await page.keyboard.press("/");
  await page.waitForSelector('[data-field="find"]');
  await page.keyboard.type(node);
  await page.keyboard.press("Enter");
  await page.waitForFunction((node) => document.activeElement?.dataset.node === node, node);
}
