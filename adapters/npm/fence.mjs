// Reads the info string of a code block, as adapters/python/berth_docs/fences.py does.

/** The attributes of a block, with what they may be: one of several words, a number, or any text (adapters/attributes.json). */
const VALUES = {
  view: ["stage", "explain", "matrix", "terminal"],
  step: Number,
  height: Number,
  theme: ["light", "dark"],
  lang: String,
  kubernetes: String,
  load: ["visible", "click", "eager"],
  cluster: String,
  expect: String,
};
export const ATTRIBUTES = Object.keys(VALUES);

const WORD = /[^\s=]+=(?:"[^"]*"|'[^']*')(?=\s|$)|\S+/g;

/**
 * The info string without Berth's words, the attributes, and what is wrong with them (`complaints`); null if the block is
 * not Berth's.
 */
export function readInfo(info) {
  const [language, ...words] = info.match(WORD) ?? [];
  if (!/^ya?ml\b/.test(language ?? "") || !words.includes("berth")) return null;
  const attributes = [];
  const others = [];
  for (const word of words) {
    const at = word.indexOf("=");
    const [name, value] = at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
    if (ATTRIBUTES.includes(name) && value) attributes.push([name, value.replace(/^(["'])(.*)\1$/, "$2")]);
    else if (word !== "berth") others.push(word);
  }
  const complaints = [...attributes.flatMap(refused), ...others.flatMap(misspelt)];
  return { info: [language, ...others].join(" "), attributes, complaints };
}

/** What is wrong with a value. */
function refused([name, value]) {
  const values = VALUES[name];
  if (values === Number) return /^[0-9]+$/.test(value) ? [] : [`${name}=${value} is no number`];
  if (!Array.isArray(values) || values.includes(value)) return [];
  const meant = closest(value, values);
  return [`${name}=${value} is none of ${values.join(", ")}${meant ? ` (did you mean ${meant}?)` : ""}`];
}

/** What is wrong with a word that is no attribute: it may be the tool's, so only a near miss is wrong. */
function misspelt(word) {
  const [name] = word.split("=");
  if (ATTRIBUTES.includes(name)) return [`${name} needs a value: ${name}=…`];
  const meant = closest(name, ATTRIBUTES);
  return meant ? [`${name} is no attribute of a block (did you mean ${meant}?)`] : [];
}

/** The candidate within a third of the name's letters, as crates/base/src/suggest.rs finds it. */
function closest(name, candidates) {
  const letters = [...name.toLowerCase()];
  const allowed = Math.max(Math.floor(letters.length / 3), 1);
  const near = candidates.map((candidate) => [distance(letters, [...candidate]), candidate]);
  return near.filter(([away]) => away <= allowed).sort(([a], [b]) => a - b)[0]?.[1];
}

/** Optimal string alignment distance. */
function distance(a, b) {
  const rows = [b.map((_, at) => at + 1)];
  rows[0].unshift(0);
  for (let row = 1; row <= a.length; row += 1) {
    rows[row] = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      const ways = [rows[row - 1][column - 1] + change, rows[row - 1][column] + 1, rows[row][column - 1] + 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwapped) ways.push(rows[row - 2][column - 2] + 1);
      rows[row][column] = Math.min(...ways);
    }
  }
  return rows[a.length][b.length];
}

/** Says what is wrong with a block at a place (`page.md:12`): as a warning, or as an error if `strict`. */
export function complain(complaints, place, strict) {
  const lines = complaints.map((complaint) => `${place}: ${complaint}`);
  if (strict && lines.length > 0) throw new Error(lines.join("\n"));
  for (const line of lines) console.warn(`berth-docs: ${line}`);
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
const escape = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);

/** The element. */
export function element(attributes) {
  return `<berth-playground${attributes.map(([name, value]) => ` ${name}="${escape(value)}"`).join("")}></berth-playground>`;
}

/** The script that defines the element. */
export const scriptTag = (address) => `<script src="${escape(address)}" async></script>`;
