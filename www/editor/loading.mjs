// Long texts become lines in several tasks, so that the page goes on drawing meanwhile.
import { EditorState, Text } from "@codemirror/state";

/** UTF-16 units that become lines in one task: a few milliseconds. */
const PIECE = 500_000;

/** Makes one text at a time into lines. Until it is there, the user can change nothing. */
export class Loading {
  constructor() {
    this.now = null;
  }

  extension() {
    // What would be changed is about to be replaced.
    return EditorState.changeFilter.of(() => this.now === null);
  }

  /** Calls `done(lines)`: at once, or in a later task if the text is long. */
  begin(text, done) {
    this.stop();
    this.now = { text, done, at: 0, lines: Text.empty, timer: 0 };
    if (text.length > PIECE) this.later();
    else this.finish();
  }

  /** Whoever needs the text now gets it now. */
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
    // Pieces end with a line, so that the next begins one.
    const end = now.text.indexOf("\n", now.at + PIECE) + 1 || now.text.length;
    now.lines = now.lines.append(Text.of(now.text.slice(now.at, end).split("\n")));
    now.at = end;
    if (end < now.text.length) return;
    this.stop();
    now.done(now.lines);
  }
}
