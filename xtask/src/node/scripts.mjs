// Trunk's build hook: bundles the scripts that run outside the program, with the translations of their sentences.
//
// - `fault.js` (www/fault.js): the first script of the page.
// - `embed.js` (www/embed.js): the element `<berth-playground>`, a classic script.
// - `bookmarklet.js` (www/bookmarklet.js): a module whose `href(page)` is the address of the bookmarklet.
//
// Usage: node xtask/src/node/scripts.mjs FOLDER
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { translations } from "./catalogues.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

async function bundle(name) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, "www", name)],
    bundle: true,
    format: "iife",
    minify: true,
    target: ["chrome111", "firefox128", "safari17"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    plugins: [translations],
    write: false,
  });
  return outputFiles[0].text.trim();
}

/** Writes `fault.js`, `embed.js` and `bookmarklet.js` into `folder`. */
async function bundleScripts(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of ["fault.js", "embed.js"]) writeFileSync(join(folder, name), `${await bundle(name)}\n`);
  const code = await bundle("bookmarklet.js");
  if (code.split('"%PAGE%"').length !== 2) throw new Error("the bookmarklet does not name %PAGE% exactly once");
  writeFileSync(
    join(folder, "bookmarklet.js"),
    `const code = ${JSON.stringify(code)};\n` +
      "export const href = (page) =>\n" +
      '  `javascript:${encodeURIComponent(code.replace(\'"%PAGE%"\', () => JSON.stringify(page)))}`;\n',
  );
}

const folder = process.env.TRUNK_STAGING_DIR ?? process.argv[2];
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!folder) throw new Error("say where to: node xtask/src/node/scripts.mjs FOLDER");
  await bundleScripts(folder);
}
