// The functions in a thread of their own. A call that is aborted ends its thread: the next call starts another.

import { functionsOf } from "./tools.mjs";

/** `start`: makes a thread that answers messages, and calls back with each answer or with what went wrong. */
export class BerthWorker {
  #start;
  #thread;
  #waiting = new Map();
  #next = 1;

  constructor(start) {
    this.#start = start;
    Object.assign(this, functionsOf((...call) => this.#call(...call)));
  }

  #call(tool, manifests, { onMessage = console.warn, signal, ...named } = {}) {
    signal?.throwIfAborted();
    this.#thread ??= this.#start(
      (answer) => this.#hear(answer),
      (error) => this.#end(error),
    );
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      // Throws if the arguments cannot be sent; the answer comes later.
      this.#thread.post({ id, tool, manifests, named });
      const abort = () => this.#end(signal.reason);
      signal?.addEventListener("abort", abort, { once: true });
      const done = () => signal?.removeEventListener("abort", abort);
      this.#waiting.set(id, { resolve, reject, done, onMessage });
    });
  }

  #hear({ id, messages, answer, error, isOver }) {
    if (isOver) return this.#end(new Error(error));
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    waiting.done();
    for (const line of messages) waiting.onMessage(line);
    if (error === undefined) waiting.resolve(answer);
    else waiting.reject(new Error(error));
  }

  /** Ends the thread, and all calls that wait for it. */
  #end(reason) {
    this.#thread?.end();
    this.#thread = undefined;
    for (const { reject, done } of this.#waiting.values()) {
      done();
      reject(reason);
    }
    this.#waiting.clear();
  }

  close() {
    this.#end(new Error("berth: the worker is closed"));
  }
}

/** What a thread answers to a message. */
export function answered(call, { id, tool, manifests, named }) {
  const messages = [];
  try {
    const answer = call(tool, manifests, { ...named, onMessage: (line) => messages.push(line) });
    return { id, messages, answer };
  } catch (error) {
    // After a fault of the engine itself, its memory is not to be trusted.
    const isOver = error instanceof WebAssembly.RuntimeError;
    return { id, messages, error: isOver ? `berth: the engine failed: ${error.message}` : error.message, isOver };
  }
}
