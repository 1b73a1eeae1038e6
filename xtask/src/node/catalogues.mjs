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

const folder = process.env.TRUNK_STAGING_DIR ?? process.argv[2];
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!folder) throw new Error("say where to: node xtask/src/node/catalogues.mjs FOLDER");
  mkdirSync(folder, { recursive: true });
  for (const { tag } of catalogues()) copyFileSync(join(WORDS, `${tag}.txt`), join(folder, `${tag}.txt`));
}
