// Reads the info string of a code block, as adapters/python/berth_docs/fences.py does.

/** The attributes of `<berth-playground>` that a block may have (adapters/attributes.json). */
export const ATTRIBUTES = ["view", "step", "height", "theme", "lang", "kubernetes", "load"];

const WORD = /[^\s=]+=(?:"[^"]*"|'[^']*')(?=\s|$)|\S+/g;

/** The info string without Berth's words, and the attributes; null if the block is not Berth's. */
export function readInfo(info) {
  const [language, ...words] = info.match(WORD) ?? [];
  if (!/^ya?ml\b/.test(language ?? "") || !words.includes("berth")) return null;
  const attributes = [];
  let rest = language;
  for (const word of words) {
    const at = word.indexOf("=");
    const [name, value] = at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
    if (ATTRIBUTES.includes(name) && value) attributes.push([name, value.replace(/^(["'])(.*)\1$/, "$2")]);
    else if (word !== "berth") rest += ` ${word}`;
  }
  return { info: rest, attributes };
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
const escape = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);

/** The element. */
export function element(attributes) {
  return `<berth-playground${attributes.map(([name, value]) => ` ${name}="${escape(value)}"`).join("")}></berth-playground>`;
}

/** The script that defines the element. */
export const scriptTag = (address) => `<script src="${escape(address)}" async></script>`;
