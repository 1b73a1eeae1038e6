// Key bindings: Enter for YAML, and undo and redo, which the page handles.
import { indentWithTab, insertNewlineAndIndent } from "@codemirror/commands";
import { EditorSelection, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { commentStart, readLine } from "./lines.mjs";

/**
 * Undo and redo of the page's history, which also covers changes on the stage. The callbacks are
 * called for the keys and for the browser's own menu.
 */
export function historyOfThePage(onUndo, onRedo) {
  const call = (callback) => () => {
    callback?.();
    return true;
  };
  const [undo, redo] = [call(onUndo), call(onRedo)];
  return [
    Prec.high(
      keymap.of([
        { key: "Mod-z", run: undo, shift: redo, preventDefault: true },
        { key: "Mod-y", run: redo, preventDefault: true },
      ]),
    ),
    EditorView.domEventHandlers({
      beforeinput(event) {
        if (event.inputType === "historyUndo") undo();
        else if (event.inputType === "historyRedo") redo();
        else return false;
        event.preventDefault();
        return true;
      },
    }),
  ];
}

/**
 * Tab indents only after the user has typed since the editor got the focus; until then it leaves, as everywhere on the
 * page. Returning false leaves the key to the browser.
 */
export function tabAfterTyping() {
  let hasTyped = false;
  return [
    EditorView.updateListener.of(({ docChanged, transactions }) => {
      hasTyped ||= docChanged && transactions.some((transaction) => transaction.isUserEvent("input") || transaction.isUserEvent("delete"));
    }),
    EditorView.domEventHandlers({
      blur() {
        hasTyped = false;
      },
    }),
    keymap.of([
      {
        key: "Tab",
        run: (view) => hasTyped && indentWithTab.run(view),
        shift: (view) => hasTyped && indentWithTab.shift(view),
      },
    ]),
  ];
}

/**
 * The start of the line that Enter adds after `before`: indentation, or the dash of a next item. `after`: the text of the
 * next line that is not blank; what the field has there decides.
 */
export function nextLine(before, after = "") {
  const bare = before.slice(0, commentStart(before)).trimEnd();
  const line = readLine(bare);
  const dash = line.dashes.at(-1);
  if (line.key !== null) {
    const opens = /^(?:[&!]\S+\s*)*(?:[|>][-+\d]*)?$/.test(bare.slice(line.value));
    const next = readLine(after);
    const item = next.dashes[0];
    if (opens && item !== undefined && item >= line.column) return `${" ".repeat(item)}- `;
    if (opens && next.key !== null && item === undefined && next.column > line.column) return " ".repeat(next.column);
    return " ".repeat(line.column + (opens ? 2 : 0));
  }
  if (dash !== undefined && bare.length > dash + 1) return `${" ".repeat(dash)}- `;
  return " ".repeat(/^ */.exec(before)[0].length);
}

/** The next line that is not blank, as far as the field it may belong to goes. */
function textBelow(doc, number) {
  for (let next = number + 1; next <= Math.min(doc.lines, number + 5); next += 1) {
    const { text } = doc.line(next);
    if (text.trim()) return text;
  }
  return "";
}

/** Enter. On an item without content it ends the list; after an open bracket CodeMirror indents. */
export const enter = keymap.of([
  {
    key: "Enter",
    run(view) {
      const { state } = view;
      const { main } = state.selection;
      const line = state.doc.lineAt(main.head);
      const before = line.text.slice(0, main.head - line.from);
      if (state.readOnly || state.selection.ranges.length > 1) return false;
      if (/[{[]\s*$/.test(before)) return insertNewlineAndIndent(view);
      const emptyItem = main.empty && /^\s*-\s*$/.test(line.text);
      const from = emptyItem ? line.from + line.text.indexOf("-") : main.from;
      const atEnd = !line.text.slice(main.head - line.from).trim();
      const insert = emptyItem ? "" : `\n${nextLine(before, atEnd ? textBelow(state.doc, line.number) : "")}`;
      view.dispatch({
        changes: { from, to: emptyItem ? line.to : main.to, insert },
        selection: EditorSelection.cursor(from + insert.length),
        userEvent: "input",
        scrollIntoView: true,
      });
      return true;
    },
  },
]);
