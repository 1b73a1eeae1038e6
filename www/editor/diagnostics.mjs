// The page's problems: shown in place, and announced once editing pauses.
import { forEachDiagnostic, nextDiagnostic, previousDiagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorView, keymap } from "@codemirror/view";
import { quotedEnd } from "./lines.mjs";

/** Milliseconds without a change before the first problem is announced. */
const REST = 1000;

/** F8 and Shift-F8 move to the next and the previous problem and announce it. */
export const diagnosticKeys = keymap.of([
  { key: "F8", run: (view) => go(view, nextDiagnostic) },
  { key: "Shift-F8", run: (view) => go(view, previousDiagnostic) },
]);

function go(view, command) {
  if (!command(view)) return false;
  const { from } = view.state.selection.main;
  let announced = "";
  forEachDiagnostic(view.state, (diagnostic, at) => {
    if (at === from && !announced) announced = diagnostic.spoken;
  });
  if (announced) view.dispatch({ effects: EditorView.announce.of(announced) });
  return true;
}

/** Shows the page's problems; `speak`: whether the first is announced after a pause. */
export class Diagnostics {
  constructor(view, speak) {
    this.view = view;
    this.speak = speak;
    this.spoken = "";
    this.timer = 0;
  }

  /**
   * Shows `problems`: `{ line, column, severity, message, help?, fix?: { label, apply } }`, from 1,
   * the column in code points. Severities: error, warning; anything else is a note.
   */
  show(problems) {
    const { state } = this.view;
    const diagnostics = problems.map((problem) => toDiagnostic(state, problem));
    this.view.dispatch(setDiagnostics(state, diagnostics));
    this.spoken &&= diagnostics.length > 0 ? this.spoken : "";
    this.first = diagnostics[0]?.spoken ?? "";
    this.rest();
  }

  /** Restarts the pause; call it on every change. */
  rest() {
    clearTimeout(this.timer);
    if (!this.speak || !this.first || this.first === this.spoken) return;
    this.timer = setTimeout(() => {
      this.spoken = this.first;
      this.view.dispatch({ effects: EditorView.announce.of(this.first) });
    }, REST);
  }

  stop() {
    clearTimeout(this.timer);
  }
}

function toDiagnostic(state, problem) {
  const from = position(state, problem.line, problem.column);
  const line = state.doc.lineAt(from);
  const { message, help = "", fix } = problem;
  return {
    from,
    to: from + wordLength(line.text, from - line.from),
    severity: ["error", "warning"].includes(problem.severity) ? problem.severity : "info",
    message,
    spoken: state.phrase("Line $1: $2", line.number, [message, help].filter(Boolean).join(" ")),
    renderMessage: () => paragraphs([message, help].filter(Boolean)),
    actions: fix ? [{ name: fix.label, apply: () => fix.apply() }] : [],
  };
}

function paragraphs(texts) {
  const dom = document.createElement("div");
  for (const text of texts) dom.appendChild(document.createElement("p")).textContent = text;
  return dom;
}

/** The offset of a line and column from 1, the column in code points; clamped to the text. */
export function position(state, number, column = 1) {
  const line = state.doc.line(Math.min(Math.max(1, Math.trunc(number) || 1), state.doc.lines));
  let at = 0;
  for (let left = column - 1; left > 0 && at < line.length; left -= 1) {
    at += line.text.codePointAt(at) > 0xffff ? 2 : 1;
  }
  return line.from + at;
}

/** The length of the underline at `at`: of a key, a quoted or a plain word. */
function wordLength(text, at) {
  if (text[at] === '"' || text[at] === "'") return quotedEnd(text, at) - at;
  if (text[at] === "-" && text[at + 1] === " ") return text.trimEnd().length - at;
  const word = /^[^\s,[\]{}#]+/.exec(text.slice(at))?.[0] ?? "";
  return word.endsWith(":") ? word.length - 1 : word.length;
}
