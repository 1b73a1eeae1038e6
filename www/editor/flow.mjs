// The path inside a flow collection: `{labels: {app: web}, taints: [{effect: …}]}`.
import { ITEM, LIMIT, quotedEnd } from "./lines.mjs";

/**
 * Reads from the bracket at `start` (`{ number, column }`) to the cursor.
 * Null if the collection is closed before it; else the open collections, outermost first, as
 * `{ map, key, entries }` (`key`: whose value is open; `entries`: plain values by key), and
 * `word`: where on the cursor's line the word at the cursor begins.
 */
export function openCollections(doc, start, number, column) {
  if (number - start.number > LIMIT) return null;
  const open = [];
  let word = column;
  for (let n = start.number; n <= number; n += 1) {
    const line = doc.line(n);
    const text = n === number ? line.slice(0, column) : line;
    let at = n === start.number ? start.column : 0;
    while (at < text.length) {
      const token = nextToken(text, at);
      if (token.word !== undefined && n === number && token.end === text.length) word = token.at;
      if (token.word === undefined || n !== number || token.end < text.length) {
        take(open, token);
        if (open.length === 0) return null;
      }
      at = token.end;
    }
  }
  return open.length === 0 ? null : { open, word };
}

function nextToken(text, from) {
  let at = from;
  while (at < text.length && /\s/.test(text[at])) at += 1;
  const mark = text[at];
  if (mark === undefined) return { mark: "", at, end: at };
  if (mark === "#" && at > 0 && /\s/.test(text[at - 1])) return { mark: "", at, end: text.length };
  if ("{}[],".includes(mark)) return { mark, at, end: at + 1 };
  // JSON may omit the space after the colon of a quoted key.
  const apart = /^(\s|$)/.test(text.slice(at + 1, at + 2)) || text[at - 1] === '"';
  if (mark === ":" && apart) return { mark, at, end: at + 1 };
  if (mark === '"' || mark === "'") {
    const end = quotedEnd(text, at);
    return { word: text.slice(at + 1, end - 1), at, end };
  }
  const plain = /(?:[^,{}[\]:]|:(?!\s|$))+/y;
  plain.lastIndex = at;
  const word = (plain.exec(text)?.[0] ?? mark).replace(/\s+#.*$/, "").trimEnd();
  return { word, at, end: at + Math.max(1, word.length) };
}

function take(open, { mark, word }) {
  const top = open.at(-1);
  if (mark === "{" || mark === "[") {
    open.push({ map: mark === "{", key: null, last: null, entries: new Map() });
  } else if (mark === "}" || mark === "]") {
    open.pop();
  } else if (mark === "," && top) {
    if (top.map && top.key === null && top.last !== null) top.entries.set(top.last, "");
    top.key = null;
    top.last = null;
  } else if (mark === ":" && top?.map) {
    top.key = top.last;
    top.entries.set(top.key, "");
  } else if (word !== undefined && top) {
    if (top.map && top.key !== null) top.entries.set(top.key, word);
    else top.last = word;
  }
}

/** The steps that open collections add to a path; a key counts only if its value is open. */
export function stepsOf(open) {
  return open.flatMap(({ map, key }) => (map ? (key === null ? [] : [key]) : [ITEM]));
}
