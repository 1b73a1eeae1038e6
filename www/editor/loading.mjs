// Splits long texts into lines over several tasks, so that the page keeps drawing.
import { EditorState, Text } from "@codemirror/state";

/** UTF-16 units that are split in one task: a few milliseconds. */
const PIECE = 500_000;

/** Splits one text at a time. Until that is done, the user cannot edit. */
export class Loading {
  constructor() {
    this.now = null;
  }

  extension() {
    // The current text is about to be replaced.
    return EditorState.changeFilter.of(() => this.now === null);
  }

  /** Calls `done(lines)`: at once, or in a later task if the text is long. */
  begin(text, done) {
    this.stop();
    this.now = { text, done, at: 0, lines: Text.empty, timer: 0 };
    if (text.length > PIECE) this.later();
    else this.finish();
  }

  /** Finishes synchronously, for a caller that needs the text now. */
  finish() {
    while (this.now) this.step();
  }

  stop() {
    clearTimeout(this.now?.timer);
    this.now = null;
  }

  later() {
    this.now.timer = setTimeout(() => {
      this.step();
      if (this.now) this.later();
    });
  }

  step() {
    const { now } = this;
    // A piece ends at a line's end, so that the next starts a line.
    const end = now.text.indexOf("\n", now.at + PIECE) + 1 || now.text.length;
    now.lines = now.lines.append(Text.of(now.text.slice(now.at, end).split("\n")));
    now.at = end;
    if (end < now.text.length) return;
    this.stop();
    now.done(now.lines);
  }
}
