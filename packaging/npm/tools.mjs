// The functions of the package, and the tools that they call.

const TOOLS = {
  check: "check",
  schedule: "schedule",
  explain: "explain",
  whatIf: "what-if",
  reduce: "reduce",
  compare: "compare",
  kubectl: "kubectl",
};

/** The functions, each by way of `call(tool, manifests, named)`. */
export const functionsOf = (call) =>
  Object.fromEntries(
    Object.entries(TOOLS).map(([name, tool]) => [name, (manifests, named) => call(tool, manifests, named)]),
  );
