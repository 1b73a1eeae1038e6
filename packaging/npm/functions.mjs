// The commands as functions: manifests and named arguments in, the command's JSON out.

import { callTool } from "./berth.js";
import { functionsOf } from "./tools.mjs";

/** Calls a tool, and hands on what the command says besides, line by line. */
export function call(tool, manifests, { onMessage = console.warn, ...named } = {}) {
  const { status, out, messages } = callTool(tool, manifests, named);
  if (tool === "kubectl") return { status, stdout: out, stderr: messages };
  for (const line of messages.split("\n")) {
    if (line) onMessage(line);
  }
  return JSON.parse(out);
}

export const { check, schedule, explain, whatIf, reduce, compare, kubectl } = functionsOf(call);

/** Attempt by attempt, each explained. */
export function* steps(berth) {
  while (berth.step()) yield berth.explain(berth.position - 1);
}
