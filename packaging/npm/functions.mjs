// The commands as functions: manifests and named arguments in, the command's JSON out.

import { callTool } from "./berth.js";

/** Calls a tool, and hands on what the command says besides, line by line. */
export function call(tool, manifests, { onMessage = console.warn, ...named } = {}) {
  const { status, out, messages } = callTool(tool, manifests, named);
  if (tool === "kubectl") return { status, stdout: out, stderr: messages };
  for (const line of messages.split("\n")) {
    if (line) onMessage(line);
  }
  return JSON.parse(out);
}

export const check = (manifests, named) => call("check", manifests, named);
export const schedule = (manifests, named) => call("schedule", manifests, named);
export const explain = (manifests, named) => call("explain", manifests, named);
export const whatIf = (manifests, named) => call("what-if", manifests, named);
export const reduce = (manifests, named) => call("reduce", manifests, named);
export const compare = (manifests, named) => call("compare", manifests, named);
export const kubectl = (manifests, named) => call("kubectl", manifests, named);

/** Attempt by attempt, each explained. */
export function* steps(berth) {
  while (berth.step()) yield berth.explain(berth.position - 1);
}
