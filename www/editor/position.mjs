// The path of a text position in its object. It is found by indentation alone, so it also works
// while the text is not valid YAML (yet), and only on request.
import { openCollections, stepsOf } from "./flow.mjs";
import { ITEM, LIMIT, commentStart, isSeparator, readLine, scalar } from "./lines.mjs";

/**
 * The place at `column` (UTF-16, from 0) of line `number` (from 1), or null where no field can be.
 * `doc` has `lines` and `line(number)`.
 *
 * - `apiVersion`, `kind`: of the object, "" if absent
 * - `path`: from the object's root to the mapping or list that the word is in; keys and `ITEM`s
 * - `role`: "key" (a field's name, or an item's value), or "value" (`path` ends with its field)
 * - `word`: `{ from, to, text }`, columns of the word at the cursor; `colon`: whether one follows it
 * - `keys`: the fields that the mapping already has
 * - `column`: of the mapping; `flow`: inside brackets
 */
export function placeAt(doc, number, column) {
  const text = doc.line(number);
  if (isSeparator(text) || column > commentStart(text)) return null;
  const line = readLine(text);
  if (line.blank) Object.assign(line, { column, keyEnd: column, value: column });
  const climbed = climb(doc, number, line);
  if (!climbed) return null;
  const own = line.key !== null && column > line.keyEnd;
  const inner = isBracket(text[line.value]) && line.value < column;
  const start = climbed.flow ?? (inner ? { number, column: line.value } : null);
  const base = climbed.flow || !own ? climbed.path : [...climbed.path, line.key];
  if (start) {
    const found = openCollections(doc, start, number, column);
    return found && flowPlace(climbed, base, found, text, column);
  }
  return blockPlace(doc, { number, column, text, line, climbed });
}

function blockPlace(doc, { number, column, text, line, climbed }) {
  const { apiVersion, kind, path } = climbed;
  const common = { apiVersion, kind, flow: false, column: line.column };
  if (line.key !== null && column > line.keyEnd) {
    if (column < line.value) line.value = column;
    const to = Math.max(column, line.value + scalar(text, line.value).length);
    const word = { from: line.value, to, text: text.slice(line.value, to) };
    return { ...common, path: [...path, line.key], role: "value", word, keys: new Set() };
  }
  if (column < line.column) return null;
  const to = line.key === null ? line.column + plainWord(text, line.column) : line.keyEnd;
  // After a first word there can be no key.
  if (column > to) return null;
  const word = { from: line.column, to, text: text.slice(line.column, to) };
  const keys = new Set(mappingKeys(doc, number, line.column).keys());
  return { ...common, path, role: "key", word, keys, colon: line.key !== null };
}

function flowPlace({ apiVersion, kind }, base, { open, word }, text, column) {
  const end = column + (/^[^\s,{}[\]:"']*/.exec(text.slice(column))?.[0].length ?? 0);
  const inner = open.at(-1);
  return {
    ...objectIn(open, { apiVersion, kind, path: [...base, ...stepsOf(open)] }, base.length),
    role: inner.map && inner.key !== null ? "value" : "key",
    word: { from: word, to: end, text: text.slice(word, end).replace(/^["']/, "") },
    keys: new Set(inner.map ? inner.entries.keys() : []),
    colon: /^["']?\s*:(\s|$)/.test(text.slice(end)),
    column: word,
    flow: true,
  };
}

/** An object written entirely inside brackets (JSON) has its own kind. */
function objectIn(open, outer, depth) {
  let steps = depth;
  let found = outer;
  for (const { map, key, entries } of open) {
    const whole = entries.get("kind") && entries.get("apiVersion");
    if (whole && (steps === 0 || entries.has("metadata"))) {
      const [apiVersion, kind] = [entries.get("apiVersion"), entries.get("kind")];
      found = { apiVersion, kind, path: outer.path.slice(steps) };
    }
    steps += map && key === null ? 0 : 1;
  }
  return found;
}

/** Length of the name being typed at `at`. */
function plainWord(text, at) {
  return /^["']?[^\s:{}[\],"']*["']?/.exec(text.slice(at))[0].length;
}

/**
 * Climbs from a line to the root of its object: `{ apiVersion, kind, path, flow }`, where `flow` is
 * an open bracket above, if any; `path` then leads to it.
 */
function climb(doc, number, own) {
  // Collected from the inside out, and reversed at the end.
  const path = [];
  let column = own.column;
  let item = false;
  let flow = null;
  const enterItems = (line, n) => {
    for (const dash of line.dashes.toReversed().filter((dash) => dash < column)) {
      const keys = item ? new Map() : mappingKeys(doc, n, column);
      if (keys.has("apiVersion") && keys.has("kind") && keys.has("metadata")) return keys;
      path.push(ITEM);
      column = dash;
      item = true;
    }
    return null;
  };
  let object = enterItems(own, number);
  let n = number - 1;
  for (; n >= 1 && !object && (column > 0 || item) && number - n < LIMIT; n -= 1) {
    const text = doc.line(n);
    if (isSeparator(text)) break;
    const line = readLine(text);
    if (line.blank) continue;
    if (line.column < column || (item && line.column === column)) {
      const value = text[line.value];
      if (line.key !== null && (value === "|" || value === ">")) return null;
      if (isBracket(value) && opens(doc, n, line.value, number)) {
        flow = { number: n, column: line.value };
        path.length = 0;
      }
      if (line.key !== null) path.push(line.key);
      if (line.key !== null || flow?.number === n) [column, item] = [line.column, false];
    }
    object = enterItems(line, n);
  }
  if (number - n >= LIMIT) return null;
  object ??= mappingKeys(doc, Math.max(1, n + 1), 0);
  const [apiVersion, kind] = [object.get("apiVersion") ?? "", object.get("kind") ?? ""];
  return { apiVersion, kind, path: path.reverse(), flow };
}

function isBracket(mark) {
  return mark === "{" || mark === "[";
}

/** Whether the bracket is still open at the start of line `number`. */
function opens(doc, n, column, number) {
  return openCollections(doc, { number: n, column }, number, 0) !== null;
}

/** The keys of the mapping at `column` around a line, with their plain values. */
function mappingKeys(doc, number, column) {
  const keys = new Map();
  const add = (text, line) => {
    if (line.column === column && line.key !== null) keys.set(line.key, scalar(text, line.value));
  };
  for (const step of [-1, 1]) {
    let n = step < 0 ? number : number + 1;
    for (; n >= 1 && n <= doc.lines && Math.abs(n - number) < LIMIT; n += step) {
      const text = doc.line(n);
      if (isSeparator(text)) break;
      const line = readLine(text);
      if (line.blank) continue;
      const first = line.dashes[0] ?? line.column;
      const begins = line.dashes.length > 0 && line.column === column;
      // Downwards, the next item ends the mapping; upwards, its own dash starts it.
      if (step > 0 && (first < column || begins) && n !== number) break;
      if (line.column === column) add(text, line);
      if (step < 0 && (first < column || begins)) break;
    }
  }
  return keys;
}
