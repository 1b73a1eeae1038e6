// Compacts what a first visit downloads beside the program: one style sheet, and wasm-bindgen's glue without comments
// and long names. A page served for development keeps its files as they are.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";

const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

const integrity = (text) => `sha384-${createHash("sha384").update(text).digest("base64")}`;

/** Without lowering: the page is written for the browsers that it supports. */
const minified = (text, loader) => transformSync(text, { loader, minify: true, legalComments: "none" }).code;

/** Compacts the page in `folder`. `names`: old and new names of the glue's functions. */
export function compact(folder, names) {
  const file = join(folder, "index.html");
  let html = readFileSync(file, "utf8");
  html = joinSheets(folder, html);
  html = shortenGlue(folder, html, names);
  for (const name of readdirSync(folder, { recursive: true })) {
    const [loader] = name.match(/(?<=\.)(css|js)$/) ?? [];
    if (!loader) continue;
    const path = join(folder, name);
    const before = readFileSync(path);
    const after = minified(before.toString(), loader);
    // The bundles are minified already.
    if (after.length >= before.length * 0.95) continue;
    writeFileSync(path, after);
    html = html.replace(integrity(before), integrity(after));
  }
  writeFileSync(file, html.replace(/^\s+/gm, ""));
}

/** Joins the sheets that the page links, in their order: sheets repeat each other, which compression sees within one
 * file only. */
function joinSheets(folder, html) {
  const links = [...html.matchAll(/<link rel="stylesheet" href="\.\/([^"]+\.css)"[^>]*>\n?/g)];
  if (links.length === 0) throw new Error("index.html links no style sheet");
  const sheets = links.map(([, name]) => readFileSync(join(folder, name), "utf8"));
  for (const [, name] of links) rmSync(join(folder, name));
  const sheet = minified(sheets.join("\n"), "css");
  const name = `berth-${digest(sheet)}.css`;
  writeFileSync(join(folder, name), sheet);
  const [first, ...others] = links.map(([link]) => link);
  for (const link of others) html = html.replace(link, "");
  return html.replace(first, `<link rel="stylesheet" href="./${name}" integrity="${integrity(sheet)}">\n`);
}

/** Renames the glue's functions as the program imports them. */
function shortenGlue(folder, html, names) {
  const [name] = html.match(/berth-web-[0-9a-f]+\.js/) ?? [];
  if (!name) throw new Error("index.html loads no glue");
  let glue = readFileSync(join(folder, name), "utf8");
  for (const [long, short] of names) {
    const renamed = glue.replace(new RegExp(`^(\\s+)${long}: `, "m"), `$1${short}: `);
    if (renamed === glue) throw new Error(`the glue has no function ${long}`);
    glue = renamed;
  }
  const before = integrity(readFileSync(join(folder, name)));
  if (!html.includes(before)) throw new Error(`index.html does not preload ${name}`);
  glue = minified(glue, "js");
  const newName = `berth-web-${digest(glue)}.js`;
  rmSync(join(folder, name));
  writeFileSync(join(folder, newName), glue);
  return html.replace(before, integrity(glue)).replaceAll(name, newName);
}
