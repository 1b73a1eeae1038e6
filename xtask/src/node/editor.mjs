// Trunk's build hook: bundles the editor (www/editor) into `editor.js` and copies the field
// descriptions beside it. The page imports `editor.js` and fetches `fields.json` when the editor is
// shown; nothing else refers to them.
//
// Usage: node xtask/src/node/editor.mjs FOLDER
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { translations } from "./catalogues.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const source = join(root, "www/editor");

/** Resolves CodeMirror's imports of `style-mod` to our own sheets.mjs, which imports the original. */
const sheets = {
  name: "sheets",
  setup({ onResolve }) {
    const own = join(source, "sheets.mjs");
    onResolve({ filter: /^style-mod$/ }, ({ importer }) => (importer === own ? undefined : { path: own }));
  },
};

/** Writes `editor.js`, `fields.json` and `explain.json` into `folder`. */
export async function bundleEditor(folder) {
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [join(source, "setup.mjs")],
    outfile: join(folder, "editor.js"),
    bundle: true,
    format: "esm",
    minify: true,
    target: ["chrome111", "firefox128", "safari17"],
    // The attribution that the packages' license (MIT) requires.
    banner: { js: "/*! With CodeMirror, Lezer, style-mod, w3c-keyname, crelt, find-cluster-break: MIT, © Marijn Haverbeke and others */" },
    legalComments: "none",
    logLevel: "warning",
    plugins: [sheets, translations],
  });
  for (const name of ["fields.json", "explain.json"]) copyFileSync(join(source, name), join(folder, name));
}

const folder = process.env.TRUNK_STAGING_DIR ?? process.argv[2];
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!folder) throw new Error("say where to: node xtask/src/node/editor.mjs FOLDER");
  await bundleEditor(folder);
}
