// In a browser the engine is fetched once.

import init from "./berth.js";

let loading;

/** Fetches the engine: from beside this module, or from where the caller has it. */
export function load(wasm) {
  loading ??= init(wasm === undefined ? undefined : { module_or_path: wasm }).then(
    () => undefined,
    (error) => {
      // The next call tries again.
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

export { Berth } from "./berth.js";
export * from "./functions.mjs";
