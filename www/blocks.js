// Code blocks of any page, and the link that opens their manifests. Bundled into embed.js and the bookmarklet.
import { encode } from "./link.js";

/** Line numbers as Pygments, Chroma and others write them into a block. */
const NUMBERS = ".linenos, .lineno, .linenumber, .line-number, .line-numbers-rows, .ln, .lnt";

/** The text of a code block: that of its `code`, without line numbers, and with a newline for each `br`. */
export function textOf(block) {
  const copy = (block.querySelector("code") ?? block).cloneNode(true);
  for (const line of copy.querySelectorAll("br")) line.replaceWith("\n");
  for (const number of copy.querySelectorAll(NUMBERS)) number.remove();
  return copy.textContent;
}

/**
 * The fragment that opens files, `[[name, text], …]`, after `step` entries of the run. `kubernetes`: the release that they
 * follow unless they name one themselves (`1.34`).
 */
export async function fragmentOf(files, step = 0, kubernetes = undefined) {
  return `#1.${await encode(JSON.stringify({ f: files, k: kubernetes, at: [step, step] }))}`;
}
