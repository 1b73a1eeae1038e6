// How the editor parses a changed text. Needs no browser.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { yaml } from "../../www/editor/syntax.mjs";
import { cluster } from "./cluster.mjs";

const TIMEOUT_MS = 60_000;

const opened = (doc) => EditorState.create({ doc, extensions: yaml() });

/** The tree of the whole text. */
const parsed = (state) => ensureSyntaxTree(state, state.doc.length, TIMEOUT_MS);

/** The tree and all its subtrees, the pieces that an incremental parse can reuse. */
function pieces(tree, found = new Set()) {
  found.add(tree);
  for (const child of tree.children ?? []) pieces(child, found);
  return found;
}

test("an edit parses what it changes, wherever it is and however the text ends", () => {
  const text = cluster("edited", 100, 300);
  const comment = "# the end\n";
  for (const whole of [text, text.trimEnd(), text + comment, `${text}...\n`]) {
    const before = opened(whole);
    const known = pieces(parsed(before));
    assert.ok(known.size > 50, `${known.size} pieces`);
    for (const at of ['"4', "name: n-50", "100m", "64"].map((mark) => whole.indexOf(mark) + mark.length)) {
      const after = before.update({ changes: { from: at, insert: "5" } }).state;
      const tree = parsed(after);
      const fresh = [...pieces(tree)].filter((piece) => !known.has(piece));
      assert.ok(fresh.length < 20, `${fresh.length} of ${known.size} pieces are new after ${at}`);
      assert.equal(String(tree), String(parsed(opened(after.doc))));
    }
  }
});

/** A tree up to its first error. Behind it the parser guesses, and from a tree that it knows otherwise than from none. */
const read = (tree) => String(tree).split("⚠")[0];

test("a changed text is read as if it were new", () => {
  const folder = new URL("../../www/scenarios/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  assert.ok(files.length > 5);
  const inserted = ["x", "\n", "- a: b\n  c: d\n", "? k\n", "\n---\n", "{a: [", "a: |2\n", "#"];
  for (const file of files) {
    let state = opened(readFileSync(new URL(file, folder), "utf8"));
    parsed(state);
    for (const [number, insert] of inserted.entries()) {
      const from = Math.floor(((number + 1) * state.doc.length) / (inserted.length + 1));
      state = state.update({ changes: { from, insert } }).state;
      const [changed, fresh] = [parsed(state), parsed(opened(state.doc))].map(read);
      assert.equal(changed, fresh, `${file}, ${JSON.stringify(insert)}`);
    }
  }
});
