import type {
  Berth,
  CheckArguments,
  CompareArguments,
  Comparison,
  ClusterWord,
  Cycle,
  ExplainArguments,
  Explained,
  KubectlArguments,
  Problem,
  ReduceArguments,
  Reduced,
  ScheduleArguments,
  Sources,
  WhatIf,
  WhatIfArguments,
} from "./berth.js";

export * from "./berth.js";

/** What every call may have. */
export interface CallOptions {
  /** Hears what the command says besides, line by line: problems of the manifests, what was inferred. Default: `console.warn`. */
  onMessage?: (line: string) => void;
}

/** A List of Pods as kubectl prints it: each with its node, or with the scheduler's message. */
export interface PodList {
  apiVersion: "v1";
  kind: "List";
  /** Of a dump: whether Berth says what its cluster said. */
  clusterWord?: ClusterWord;
  items: KubernetesObject[];
}

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** What kubectl printed. */
export interface Printed {
  /** kubectl's exit code. */
  status: number;
  stdout: string;
  stderr: string;
}

/**
 * Loads the engine; call it first. In Node.js it is there already. `wasm`: where `berth_bg.wasm` is, if it is not beside the
 * module.
 */
export function load(wasm?: string | URL | Response | BufferSource | WebAssembly.Module): Promise<void>;

/** What the API server would refuse or warn of. */
export function check(manifests: Sources, named?: CheckArguments & CallOptions): Problem[];
/** Places all pending Pods. */
export function schedule(manifests: Sources, named?: ScheduleArguments & CallOptions): PodList;
/** Explains one attempt of a Pod, with verified fixes. */
export function explain(manifests: Sources, named: ExplainArguments & CallOptions): Explained;
/** Plays a change on a copy of the cluster. */
export function whatIf(manifests: Sources, named: WhatIfArguments & CallOptions): WhatIf;
/** Makes the smallest case that still shows why a Pod waits. */
export function reduce(manifests: Sources, named: ReduceArguments & CallOptions): Reduced;
/** Runs the same manifests with two settings, and says what differs. */
export function compare(manifests: Sources, named: CompareArguments & CallOptions): Comparison;
/** Runs one kubectl command on a simulated cluster of the manifests. */
export function kubectl(manifests: Sources, named: KubectlArguments): Printed;

/** Runs a session attempt by attempt, and explains each. */
export function steps(berth: Berth): Generator<Cycle, void, undefined>;
