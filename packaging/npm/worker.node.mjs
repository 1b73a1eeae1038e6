import { Worker } from "node:worker_threads";

import { BerthWorker } from "./worker-calls.mjs";

/** Starts the engine in a thread. */
export function open() {
  return new BerthWorker((heard, failed) => {
    const worker = new Worker(new URL("./thread.node.mjs", import.meta.url));
    worker.on("message", heard);
    worker.on("error", failed);
    return { post: (call) => worker.postMessage(call), end: () => worker.terminate() };
  });
}
