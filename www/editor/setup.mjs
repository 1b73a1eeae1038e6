// The YAML editor of the page, a separate bundle: the page imports it when the editor is shown.
//
//   const { createEditor } = await import("./editor.js");
//   const editor = createEditor(parent, { text, label, loadFields, onChange });
import { acceptCompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap } from "@codemirror/commands";
import { bracketMatching, codeFolding, foldEffect, foldGutter, foldKeymap, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorSelection, EditorState, Prec } from "@codemirror/state";
import {
  EditorView,
  crosshairCursor,
  drawSelection,
  dropCursor,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
  tooltips,
} from "@codemirror/view";
import { Diagnostics, diagnosticKeys, position } from "./diagnostics.mjs";
import { Fields } from "./fields.mjs";
import { enter, historyOfThePage, tabAfterTyping } from "./keys.mjs";
import { colorsInView } from "./large.mjs";
import { isSeparator } from "./lines.mjs";
import { Loading } from "./loading.mjs";
import { lineMarks, markLines } from "./marks.mjs";
import { Reports, fromPage } from "./reports.mjs";
import { closeExplanation, explainAtCursor, schemaHelp } from "./schema.mjs";
import { yaml } from "./syntax.mjs";
import { highlighting, theme } from "./theme.mjs";
import { wordsFor } from "./words.mjs";

/** UTF-16 units beyond which the text is not parsed as a whole: no folding or bracket matching, and colors in view. */
const LARGE = 2_000_000;

/** Lines in which the end of the first document is looked for. */
const LONGEST_ABOUT = 500;

const isLarge = (length) => length > LARGE;

/**
 * Puts an editor into `parent` and returns its handle.
 *
 * Options, all optional:
 * - `text`; `label`: its accessible name; `loadFields`: returns a promise of the text of fields.json, null if it is not there
 * - `language`: the tag of that of the editor's own texts
 * - `onChange(text, changes)`: the user changed something; `changes` are `{ from, to, text }` in
 *   UTF-16 offsets of the last reported text. Changes of large texts are reported after a pause.
 * - `onCursor(line)`: the cursor is on another line, from 1
 * - `onUndo()`, `onRedo()`: the page has the history
 * - `announceProblems`: false if the page announces problems itself
 */
export function createEditor(parent, options = {}) {
  const { text = "", announceProblems = true } = options;
  const syntax = new Compartment();
  const words = new Compartment();
  const loading = new Loading();
  const reports = new Reports(options, (state) => isLarge(state.doc.length));
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        words.of(wording(options)),
        extensions(options, parent.ownerDocument),
        // After the line numbers, because the fold marks are next to the text.
        syntax.of(syntaxFor(text.length)),
        withSize(syntax),
        reports.extension(),
        loading.extension(),
        EditorView.updateListener.of((update) => update.docChanged && diagnostics.rest()),
      ],
    }),
  });
  const diagnostics = new Diagnostics(view, announceProblems);
  const resized = new ResizeObserver(() => keepCursorInView(view));
  resized.observe(view.scrollDOM);
  foldAbout(view);

  /** Applies the page's own changes. */
  function apply(changes) {
    reports.flush(view);
    view.dispatch({ changes, annotations: fromPage.of(true) });
  }

  return {
    /**
     * Replaces the text; cursor, folds and marks outside the changed part stay. A text of which more
     * than half is replaced is another one, and shown from its beginning unless someone is in it. A
     * long text is applied some tasks later, or on the next call of another method.
     */
    setText(next) {
      loading.stop();
      reports.flush(view);
      const change = difference(view.state.doc.toString(), next);
      if (!change) return;
      const isAnother = change.from < aboutEnd(view.state.doc);
      const isOpened = !view.hasFocus && 2 * (change.to - change.from) > view.state.doc.length;
      loading.begin(change.insert, (insert) => {
        apply({ ...change, insert });
        if (isAnother) foldAbout(view);
        if (isOpened) view.dispatch({ selection: EditorSelection.cursor(0), effects: EditorView.scrollIntoView(0) });
      });
    },
    /**
     * Applies `[{ from, to, text }]`; all offsets (UTF-16) refer to the text before the changes.
     */
    splice(changes) {
      loading.finish();
      apply(changes.map(({ from, to, text }) => ({ from, to, insert: text })));
    },
    getText() {
      loading.finish();
      reports.flush(view);
      return view.state.doc.toString();
    },
    setDiagnostics(problems) {
      loading.finish();
      diagnostics.show(problems);
    },
    /**
     * Marks lines `[{ fromLine, toLine, kind: "clash" | "changed" }]`, removes earlier marks, and scrolls to the
     * first.
     */
    mark(ranges) {
      loading.finish();
      const marks = markLines(view.state, ranges);
      const [first] = ranges;
      const at = first && EditorView.scrollIntoView(position(view.state, first.fromLine, 1), { y: "nearest", yMargin: 60 });
      view.dispatch({ effects: [marks.effects, at].flat().filter(Boolean) });
    },
    /** Moves the cursor and scrolls it to the center; does not move the focus. */
    goTo(line, column = 1) {
      loading.finish();
      const at = position(view.state, line, column);
      const effects = EditorView.scrollIntoView(at, { y: "center" });
      view.dispatch({ selection: EditorSelection.cursor(at), effects });
    },
    /** Sets the page's language, and with it the editor's accessible name. */
    setLanguage: (language, label) => view.dispatch({ effects: words.reconfigure(wording({ language, label })) }),
    focus: () => view.focus(),
    destroy() {
      loading.stop();
      reports.flush(view);
      diagnostics.stop();
      resized.disconnect();
      view.destroy();
    },
  };
}

/** Extensions that depend on the language. */
function wording({ language, label = "YAML" }) {
  return [
    EditorState.phrases.of(wordsFor(language)),
    EditorView.contentAttributes.of((view) => ({
      "aria-label": label,
      "aria-description": view.state.phrase("Once you have typed, Tab indents. Press Escape, then Tab to leave."),
      // The text is focusable without it, but not all tools that look for focusable elements know.
      tabindex: "0",
    })),
  ];
}

function extensions(options, document) {
  const { loadFields, onUndo, onRedo } = options;
  const still = document.defaultView.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const fields = lazyFields(loadFields);
  return [
    // The page's offsets hold only if every character is kept, carriage returns included.
    EditorState.lineSeparator.of("\n"),
    EditorView.clipboardInputFilter.of((pasted) => pasted.replaceAll("\r\n", "\n")),
    EditorState.tabSize.of(2),
    indentUnit.of("  "),
    EditorState.allowMultipleSelections.of(true),
    EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["[", "{", '"'] }, commentTokens: { line: "#" } }]),
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars({ specialChars: /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028\u2029\u202d\u202e\u2066-\u2069\ufeff\ufff9-\ufffc]/g }),
    drawSelection({ cursorBlinkRate: still ? 0 : 1200 }),
    dropCursor(),
    rectangularSelection(),
    crosshairCursor(),
    closeBrackets(),
    search({ top: true }),
    highlightSelectionMatches({ minSelectionLength: 3 }),
    // Outside the panel, whose edges would clip them.
    tooltips({ parent: document.body, position: "fixed" }),
    EditorView.contentAttributes.of({ "aria-multiline": "true" }),
    historyOfThePage(onUndo, onRedo),
    schemaHelp(fields),
    lineMarks,
    diagnosticKeys,
    keymap.of([
      { key: "Escape", run: closeExplanation },
      { key: "Mod-k Mod-i", run: explainAtCursor(fields), preventDefault: true },
      ...closeBracketsKeymap,
    ]),
    Prec.high(keymap.of([{ key: "Tab", run: acceptCompletion }])),
    enter,
    keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
    tabAfterTyping(),
    theme,
  ];
}

/** Fetches on first use; after a failure the next use retries. */
function lazyFields(load) {
  let loading = null;
  return () => {
    if (!load) return Promise.resolve(null);
    loading ??= load()
      .then(Fields.parse)
      .catch(() => {
        loading = null;
        return null;
      });
    return loading;
  };
}

function syntaxFor(length) {
  if (isLarge(length)) return colorsInView;
  return [yaml(), highlighting, bracketMatching(), codeFolding(), foldGutter({ markerDOM: foldMark })];
}

/**
 * Adds or removes the syntax as the text's size crosses the limit, whatever changes the text: a
 * paste may be large too.
 */
function withSize(syntax) {
  return EditorState.transactionExtender.of(({ changes: { length, newLength } }) =>
    isLarge(length) === isLarge(newLength) ? null : { effects: syntax.reconfigure(syntaxFor(newLength)) },
  );
}

function foldMark(open) {
  const mark = document.createElement("span");
  mark.className = "cm-fold";
  if (!open) mark.dataset.folded = "";
  return mark;
}

/** The end of the first document, which is about the scenario (title, description, expectations); 0 if it is not. */
function aboutEnd(doc) {
  const lines = doc.iterLines(1, Math.min(doc.lines, LONGEST_ABOUT) + 1);
  let [end, isAbout] = [0, false];
  for (const line of lines) {
    if (isSeparator(line)) return isAbout ? end - 1 : 0;
    isAbout ||= /^kind: *Scenario\s*$/.test(line);
    end += line.length + 1;
  }
  return 0;
}

/** Folds it behind its first line, so that objects are in view. */
function foldAbout(view) {
  const { doc } = view.state;
  const [from, to] = [doc.line(1).to, aboutEnd(doc)];
  const isInside = view.hasFocus && view.state.selection.main.head <= to;
  if (to > from && !isInside && !isLarge(doc.length)) view.dispatch({ effects: foldEffect.of({ from, to }) });
}

/** The list of problems below makes the editor lower: the line that is typed stays in view. */
function keepCursorInView(view) {
  if (!view.hasFocus) return;
  const at = view.state.selection.main.head;
  view.dispatch({ effects: EditorView.scrollIntoView(at, { y: "nearest", yMargin: 24 }) });
}

/** UTF-16 units compared at once, which is much faster than one at a time. */
const STRIDE = 4096;

/** The single range in which two texts differ, as a change; null if they are equal. */
function difference(before, after) {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  const alike = (one, other) => before.slice(one, one + STRIDE) === after.slice(other, other + STRIDE);
  let from = 0;
  while (from + STRIDE <= shorter && alike(from, from)) from += STRIDE;
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from += 1;
  let tail = 0;
  while (tail + STRIDE <= shorter - from && alike(before.length - tail - STRIDE, after.length - tail - STRIDE)) tail += STRIDE;
  while (tail < shorter - from && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) {
    tail += 1;
  }
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}
