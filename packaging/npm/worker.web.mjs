import { BerthWorker } from "./worker-calls.mjs";

/** Starts the engine in a worker. */
export function open() {
  return new BerthWorker((heard, failed) => {
    const worker = new Worker(new URL("./thread.web.mjs", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => heard(data);
    worker.onerror = ({ message }) => failed(new Error(message || "berth: the worker does not start"));
    return { post: (call) => worker.postMessage(call), end: () => worker.terminate() };
  });
}
