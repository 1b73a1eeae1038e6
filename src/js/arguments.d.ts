/** The options of a session. */
export interface BerthOptions {
    /** Breaks ties between the best nodes alphabetically instead of at random. Default: false. */
    firstOnTies?: boolean;
    /** The seed of random tie breaks, a whole number. Equal seeds give equal runs. Default: 1. */
    seed?: number;
    /** Creates the Pods of Deployments and other workloads, as their controllers would. Default: true. */
    expandWorkloads?: boolean;
    /**
     * Simulates a cluster with controllers, kubelets and a clock. Otherwise Pods are only scheduled, in rounds.
     * Default: false.
     */
    live?: boolean;
}

/** Manifests in YAML or JSON: one text, texts by file name, or a list of files in order. */
export type Sources = string | Record<string, string> | SourceFile[];

/** A file with manifests. */
export interface SourceFile {
    /** Shown in problems. */
    name: string;
    text: string;
}
