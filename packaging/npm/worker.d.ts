import type {
  CheckArguments,
  CompareArguments,
  Comparison,
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
import type { CallOptions, PodList, Printed } from "./index.js";

/** What every call may have. */
export interface WorkerCallOptions extends CallOptions {
  /** Ends the call, and with it the thread and all its calls; the next call starts another. */
  signal?: AbortSignal;
}

/** The functions of the package in a thread of their own. */
export interface BerthWorker {
  check(manifests: Sources, named?: CheckArguments & WorkerCallOptions): Promise<Problem[]>;
  schedule(manifests: Sources, named?: ScheduleArguments & WorkerCallOptions): Promise<PodList>;
  explain(manifests: Sources, named: ExplainArguments & WorkerCallOptions): Promise<Explained>;
  whatIf(manifests: Sources, named: WhatIfArguments & WorkerCallOptions): Promise<WhatIf>;
  reduce(manifests: Sources, named: ReduceArguments & WorkerCallOptions): Promise<Reduced>;
  compare(manifests: Sources, named: CompareArguments & WorkerCallOptions): Promise<Comparison>;
  kubectl(manifests: Sources, named: KubectlArguments & WorkerCallOptions): Promise<Printed>;
  /** Ends the thread. */
  close(): void;
}

/** A worker; its thread starts with the first call. */
export function open(): BerthWorker;
