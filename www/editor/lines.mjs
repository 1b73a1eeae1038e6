// Parses single lines of block style YAML. It never fails: a line that is not YAML has no key.

/** A step of a path into a list. */
export const ITEM = Symbol("item");

/** Maximum lines scanned in one direction, so that a cursor in 50 MB does not take a second. */
export const LIMIT = 10_000;

/**
 * The parts of a line, by column (UTF-16, from 0):
 * `dashes`: of list items; `column`: of their content; `key`, and `keyEnd`: after it; `value`: of
 * the text after the colon. A `blank` line has nothing but a comment.
 */
export function readLine(text) {
  const dashes = [];
  let at = skipSpaces(text, 0);
  while (text[at] === "-" && (at + 1 === text.length || text[at + 1] === " ")) {
    dashes.push(at);
    at = Math.max(at + 2, skipSpaces(text, at + 1));
  }
  const blank = dashes.length === 0 && (at >= text.length || text[at] === "#" || text[at] === "\r");
  const found = readKey(text, at);
  return { dashes, column: at, blank, key: null, keyEnd: at, value: at, ...found };
}

/** `---` and `...` separate documents. */
export function isSeparator(text) {
  return /^(---|\.\.\.)(\s|$)/.test(text);
}

function skipSpaces(text, at) {
  while (text[at] === " ") at += 1;
  return at;
}

function readKey(text, at) {
  const quote = text[at];
  let end;
  let key;
  if (quote === '"' || quote === "'") {
    end = quotedEnd(text, at);
    key = text.slice(at + 1, end - 1);
  } else {
    // A plain key does not start like a collection, comment, alias or block scalar.
    const plain = /[^\s#{}[\],&*!|>%@`:](?:[^:#]|:(?=\S)|(?<=\S)#)*/y;
    plain.lastIndex = at;
    key = plain.exec(text)?.[0].trimEnd();
    if (!key) return null;
    end = at + key.length;
  }
  const colon = skipSpaces(text, end);
  if (text[colon] !== ":" || !/^(\s|$)/.test(text.slice(colon + 1))) return null;
  return { key, keyEnd: end, value: skipSpaces(text, colon + 1) };
}

/** The end of the quoted text that starts at `at`, behind its closing quotation mark. */
export function quotedEnd(text, at) {
  const quote = text[at];
  for (let i = at + 1; i < text.length; i += 1) {
    if (quote === '"' && text[i] === "\\") i += 1;
    else if (text[i] === quote) {
      if (quote === "'" && text[i + 1] === "'") i += 1;
      else return i + 1;
    }
  }
  return text.length;
}

/** The plain scalar of a value, without quotation marks and comment; "" for anything else. */
export function scalar(text, at) {
  if (text[at] === '"' || text[at] === "'") return text.slice(at + 1, quotedEnd(text, at) - 1);
  return /^[^\s#{[&*!|>][^\s]*/.exec(text.slice(at))?.[0] ?? "";
}

/** The column at which a comment starts; the line's length if there is none. */
export function commentStart(text) {
  for (let i = 0; i < text.length; i += 1) {
    const before = i === 0 || " \t[{,:".includes(text[i - 1]);
    if (before && (text[i] === '"' || text[i] === "'")) i = quotedEnd(text, i) - 1;
    else if (text[i] === "#" && (i === 0 || /\s/.test(text[i - 1]))) return i;
  }
  return text.length;
}
