import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DIST, withPage } from "./tests/browser/harness.mjs";
import * as on from "./tests/browser/steps.mjs";
const example = (name) => readFileSync(join(DIST, "scenarios", `${name}.yaml`), "utf8");
const runs = [
  ["light", 1440, 900, "en"], ["dark", 1440, 900, "en"], ["light", 1366, 768, "zh"],
];
for (const [colorScheme, width, height, lang] of runs) {
  await withPage(async (page) => {
    await on.started(page);
    if (lang === "zh") {
      await page.locator('[data-action="language"]').selectOption("zh-CN");
      await page.waitForFunction(() => document.documentElement.lang === "zh-CN");
    }
    await on.open(page, example("spreading-or-packing"));
    await page.waitForSelector('[data-compare="done"]');
    await page.waitForSelector(".moves__why b");
    await page.waitForTimeout(500);
    await page.locator("[data-moved] button").nth(3).click();
    await page.waitForSelector("[data-duel]");
    await page.waitForTimeout(800);
    await page.screenshot({ path: `/tmp/shots/both-${colorScheme}-${width}-${lang}.png` });
    await page.locator('[data-stages="differences"]').click();
    await page.waitForTimeout(500);
    await page.screenshot({ path: `/tmp/shots/one-${colorScheme}-${width}-${lang}.png` });
    if (colorScheme === "light") {
      await on.action(page, "settings").click();
      await page.waitForTimeout(200);
      await page.screenshot({ path: `/tmp/shots/settings-${width}-${lang}.png` });
      await page.keyboard.press("b");
      await page.waitForTimeout(300);
      await page.screenshot({ path: `/tmp/shots/form-${width}-${lang}.png` });
    }
  }, { viewport: { width, height }, contextOptions: { colorScheme, reducedMotion: "reduce" }, allowed: () => true }).catch((e) => console.log(String(e).slice(0, 1500)));
}
