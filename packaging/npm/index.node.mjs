// In Node.js the engine is there once the module is.

import { readFileSync } from "node:fs";

import { initSync } from "./berth.js";

initSync({ module: readFileSync(new URL("./berth_bg.wasm", import.meta.url)) });

/** Nothing is left to load. */
export async function load() {}

export { Berth } from "./berth.js";
export * from "./functions.mjs";
