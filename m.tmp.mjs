import { chromium } from "playwright-core";
import { writeFileSync } from "node:fs";
const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const shots = process.argv.slice(2);
for (const name of ["h-en","h-zh-CN","s-en","s-zh-CN"]) {
  const page = await b.newPage({ viewport: { width: 900, height: 1200 } });
  await page.goto(`file:///tmp/p/${name}.html`);
  await page.emulateMedia({ media: "print" });
  const m = await page.evaluate(() => [...document.querySelectorAll(".sheet")].map((s) => {
    const inner = s.querySelector(".columns");
    const notes = s.querySelector(".lines"), fig = s.querySelector("figure");
    return { id: s.id.slice(0, 6), over: s.scrollHeight - s.clientHeight, cols: inner ? inner.scrollWidth - inner.clientWidth : 0, cls: s.className.replace("sheet sheet--solution","").trim(),
      used: inner ? Math.round(100*(Math.max(...[...inner.querySelectorAll("*")].map(e=>e.getBoundingClientRect().right)) - inner.getBoundingClientRect().left)/inner.clientWidth) : 0,
      last: inner ? Math.round((inner.lastElementChild.getClientRects()[inner.lastElementChild.getClientRects().length-1].bottom - inner.getBoundingClientRect().top)/inner.clientHeight*100) : 0,
      notes: notes && Math.round(notes.clientHeight / 3.78), fig: fig && Math.round(fig.clientHeight/3.78) };
  }));
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  writeFileSync(`/tmp/p/${name}.pdf`, pdf);
  const pages = (pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) || []).length;
  console.log(name, "pages", pages, "sheets", m.length);
  for (const x of m) if (x.over > 0 || x.cols > 0 || name.startsWith("s") || x.notes < 50) console.log(JSON.stringify(x));
  if (name.startsWith("h")) console.log(m.map(x => `${x.id}:${x.notes}/${x.fig}`).join(" "));
  for (const id of shots) { const el = page.locator(`.sheet[id^="${id}"]`); await el.screenshot({ path: `/tmp/p/${name}-${id}.png` }); }
  await page.close();
}
await b.close();
