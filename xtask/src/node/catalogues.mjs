// The catalogues of the page's languages (src/words/*.txt; crates/catalogue has their format). As Trunk's build hook: copies
// them into the page.
//
// Usage: node xtask/src/node/catalogues.mjs FOLDER
import { copyFileSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const WORDS = resolve(dirname(fileURLToPath(import.meta.url)), "../../../src/words");

/** The languages that have a catalogue: their tags, the values of the head, and the paragraphs, as lists of lines. */
export function catalogues() {
  const files = readdirSync(WORDS).filter((name) => name.endsWith(".txt")).sort();
  return files.map((name) => {
    const blocks = readFileSync(join(WORDS, name), "utf8").split(/(?:\r?\n){2,}/).map((block) => block.split(/\r?\n/));
    const [head, ...rest] = blocks;
    const paragraphs = rest.map((lines) => lines.filter((line) => line && !line.startsWith("#")));
    return { tag: basename(name, ".txt"), head: Object.fromEntries(head.map((line) => line.split(": "))), paragraphs };
  });
}

/** The translations of the sentences of a script, those with its name as their context, by tag. */
export function translationsOf(script) {
  const context = ` | ${script}`;
  const translated = catalogues().map(({ tag, paragraphs }) => {
    const own = paragraphs.filter(([english, text]) => text && english.endsWith(context));
    return [tag, Object.fromEntries(own.map(([english, text]) => [english.slice(0, -context.length), text]))];
  });
  return Object.fromEntries(translated);
}

/** For esbuild: resolves `import translations from "translations:SCRIPT"`. */
export const translations = {
  name: "translations",
  setup({ onResolve, onLoad }) {
    const namespace = "translations";
    onResolve({ filter: /^translations:/ }, ({ path }) => ({ path: path.slice(`${namespace}:`.length), namespace }));
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: JSON.stringify(translationsOf(path)), loader: "json" }));
  },
};

const folder = process.env.TRUNK_STAGING_DIR ?? process.argv[2];
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!folder) throw new Error("say where to: node xtask/src/node/catalogues.mjs FOLDER");
  mkdirSync(folder, { recursive: true });
  for (const { tag } of catalogues()) copyFileSync(join(WORDS, `${tag}.txt`), join(folder, `${tag}.txt`));
}
