// Reports the user's changes and the cursor's line to the page.
import { Annotation } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** Marks transactions that the page requested. */
export const fromPage = Annotation.define();

/**
 * Milliseconds of pause before changes of a large text are reported: building the text takes 50 ms.
 */
const REST = 300;

/** Calls `onChange(text, changes)` and `onCursor(line)`; see `createEditor`. */
export class Reports {
  constructor({ onChange, onCursor }, isLarge) {
    this.onChange = onChange;
    this.onCursor = onCursor;
    this.isLarge = isLarge;
    this.pending = null;
    this.timer = 0;
    this.line = 0;
  }

  extension() {
    return EditorView.updateListener.of((update) => this.seen(update));
  }

  seen(update) {
    const { state } = update;
    const own = update.transactions.some((transaction) => transaction.annotation(fromPage));
    if (update.docChanged && !own && this.onChange) {
      this.pending = this.pending?.compose(update.changes) ?? update.changes;
      clearTimeout(this.timer);
      if (this.isLarge(state)) this.timer = setTimeout(() => this.flush(update.view), REST);
      else this.flush(update.view);
    }
    if (!update.docChanged && !update.selectionSet) return;
    const { number } = state.doc.lineAt(state.selection.main.head);
    if (number !== this.line) this.onCursor?.(number);
    this.line = number;
  }

  /** Reports pending changes; call it before the page changes or reads the text. */
  flush(view) {
    clearTimeout(this.timer);
    const { pending } = this;
    if (!pending) return;
    this.pending = null;
    const changes = [];
    pending.iterChanges((from, to, _from, _to, text) => changes.push({ from, to, text: text.toString() }));
    this.onChange(view.state.doc.toString(), changes);
  }
}
