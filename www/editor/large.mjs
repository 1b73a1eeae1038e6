// The colors of a text that is too large to be parsed as a whole: only what is in view is parsed.
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";
import { highlightTree } from "@lezer/highlight";
import { yaml } from "./syntax.mjs";
import { colors, numbersOf } from "./theme.mjs";

/** Maximum lines between the start of what is parsed and the first line in view. */
const ABOVE = 1000;

const { parser } = yaml().language;

const inView = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = marksIn(view);
    }
    update(update) {
      if (update.docChanged || update.viewportChanged) this.decorations = marksIn(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** The extension, in place of the language and its colors. */
export const colorsInView = [EditorView.styleModule.of(colors.module), inView];

function marksIn({ state, viewport: { from, to } }) {
  const offset = start(state, from);
  const tree = parser.parse(state.sliceDoc(offset, to));
  const found = numbersOf(tree, state, { from, to, offset });
  const mark = (start, end, names) => found.push(Decoration.mark({ class: names }).range(start + offset, end + offset));
  highlightTree(tree, colors, mark, from - offset, to - offset);
  return Decoration.set(found, true);
}

/** The last line at or above a position that is not indented: a document, a field or an item begins there. */
function start(state, from) {
  const { number } = state.doc.lineAt(from);
  for (let at = number; at >= Math.max(1, number - ABOVE); at -= 1) {
    const line = state.doc.line(at);
    if (/^[^\s#]/.test(line.text)) return line.from;
  }
  return state.doc.line(number).from;
}
