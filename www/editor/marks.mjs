// Highlighted lines: those of the chosen verdict, and those that changed.
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutterLineClass } from "@codemirror/view";

const KINDS = ["clash", "changed"];

class LineMark extends GutterMarker {
  constructor(kind) {
    super();
    this.elementClass = `cm-${kind}`;
  }
}

const line = Object.fromEntries(KINDS.map((kind) => [kind, Decoration.line({ class: `cm-${kind}` })]));
const gutter = Object.fromEntries(KINDS.map((kind) => [kind, new LineMark(kind)]));

const set = StateEffect.define();

const field = StateField.define({
  create: () => ({ lines: Decoration.none, gutters: RangeSet.empty }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(set)) return effect.value;
    if (!transaction.docChanged) return value;
    return { lines: value.lines.map(transaction.changes), gutters: value.gutters.map(transaction.changes) };
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => value.lines),
    gutterLineClass.from(field, (value) => value.gutters),
  ],
});

export const lineMarks = field;

/** Marks `[{ fromLine, toLine, kind }]` (from 1, both inclusive) and removes earlier marks. */
export function markLines(state, ranges) {
  // One mark per line: a clash takes precedence over a change.
  const kinds = new Map();
  for (const { fromLine, toLine, kind } of ranges) {
    if (!KINDS.includes(kind)) throw new RangeError(`there is no mark ${kind}`);
    for (let n = Math.max(1, fromLine); n <= Math.min(toLine, state.doc.lines); n += 1) {
      if (kinds.get(n) !== "clash") kinds.set(n, kind);
    }
  }
  const sorted = [...kinds].sort(([a], [b]) => a - b).map(([n, kind]) => [state.doc.line(n).from, kind]);
  const value = {
    lines: Decoration.set(sorted.map(([from, kind]) => line[kind].range(from))),
    gutters: RangeSet.of(sorted.map(([from, kind]) => gutter[kind].range(from))),
  };
  return { effects: set.of(value) };
}
