// Trunk's hook while the page is built: bundles the editor (www/editor) into `editor.js` and puts
// the descriptions of the fields beside it. The page imports the one and fetches the other when
// the editor is shown; nothing else refers to them.
//
// By hand: node xtask/src/node/editor.mjs FOLDER
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const source = join(root, "www/editor");

/** CodeMirror gets our own way to write style sheets, which in turn builds on the original. */
const sheets = {
  name: "sheets",
  setup({ onResolve }) {
    const own = join(source, "sheets.mjs");
    onResolve({ filter: /^style-mod$/ }, ({ importer }) => (importer === own ? undefined : { path: own }));
  },
};

/** Writes `editor.js` and `fields.json` into `folder`. */
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
    // What the packages' license (MIT) asks for.
    banner: { js: "/*! With CodeMirror, Lezer, style-mod, w3c-keyname, crelt, find-cluster-break: MIT, © Marijn Haverbeke and others */" },
    legalComments: "none",
    logLevel: "warning",
    plugins: [sheets],
  });
  copyFileSync(join(source, "fields.json"), join(folder, "fields.json"));
}

const folder = process.env.TRUNK_STAGING_DIR ?? process.argv[2];
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!folder) throw new Error("say where to: node xtask/src/node/editor.mjs FOLDER");
  await bundleEditor(folder);
}
