/** How a session reads and runs. */
export interface BerthOptions {
    /** Ties between the best nodes go to the alphabetically first, not to one at random. Default: false. */
    firstOnTies?: boolean;
    /** Decides ties otherwise: a whole number. Equal seeds, equal runs. Default: 1. */
    seed?: number;
    /** Deployments and other workloads get the Pods that their controllers would create. Default: true. */
    expandWorkloads?: boolean;
    /**
     * The cluster lives: controllers and kubelets work, and time passes. Else Pods are just scheduled, in
     * rounds. Default: false.
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

/** What became of the sources. */
export interface Applied {
    /** False if no document could be read, or the configuration is one with which kube-scheduler would not start. */
    accepted: boolean;
    problems: Problem[];
}

/** Something wrong with the sources. */
export interface Problem {
    severity: "error" | "warning";
    file: string;
    /** From 1. */
    line: number;
    /** From 1, in characters. */
    column: number;
    /** Of the field, such as `spec.containers[0].name`; may be empty. */
    path: string;
    message: string;
    /** What to do about it; may be empty. */
    help: string;
}

/** Versions of Berth and of the Kubernetes that it follows. */
export interface Version {
    berth: string;
    /** Such as `v1.34.1`. */
    kubernetes: string;
}

/** The state at one position of the log. */
export interface Frame {
    /** From the `Scenario` document, empty if there is none. */
    title: string;
    /** Present if the `Scenario` document has more than a title. */
    about?: AboutFrame;
    /** Entries of the log before this moment: attempts, and edits of the manifests. */
    position: number;
    /** Attempts in the log; more may follow unless `finished`. */
    logLength: number;
    /** The log is complete, and this is its end. */
    finished: boolean;
    /** In document order. */
    nodes: NodeFrame[];
    /** In document order; finished Pods (Succeeded, Failed) left out. */
    pods: PodFrame[];
    /** How many Pods have ended, if any have. */
    ended?: number;
    queue: QueueFrame;
    /** What time it is, in milliseconds since the beginning: only where time passes. */
    nowMs?: number;
    /** One mark for every entry of the log, in order. */
    timeline: Mark[];
    /** Present while the run goes on from an edit of the past. */
    fork?: ForkFrame;
    problems: Problem[];
    /** Kinds that mean nothing to scheduling, with how many there are. */
    ignored: Record<string, number>;
    /** Changes whenever anything that the scheduler reads does. */
    digest: string;
}

/** The `Scenario` document's fields besides its title. */
export interface AboutFrame {
    /** Markdown, as it was written. */
    description: string;
    /** To be shown one after another. */
    hints: string[];
}

/** A node. */
export interface NodeFrame {
    name: string;
    labels: Record<string, string>;
    taints: TaintFrame[];
    /** Cordoned. */
    unschedulable: boolean;
    /** CPU, memory, Pods, then whatever else the node offers, by name. */
    resources: ResourceFrame[];
    /** Keys of the Pods on it, in order of arrival. */
    pods: string[];
    /** Conditions that are not as they should be (`Ready` false, or a pressure true), by type. */
    badConditions: string[];
}

/** A taint. */
export interface TaintFrame {
    key: string;
    /** Empty if there is none. */
    value: string;
    /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. */
    effect: string;
}

/** How much of a resource is asked for, of how much. */
export interface ResourceFrame {
    /** `cpu` counts in milli-CPU, `memory` and `ephemeral-storage` in bytes, others in pieces. */
    name: string;
    requested: number;
    allocatable: number;
}

/** A Pod. */
export interface PodFrame {
    /** `namespace/name`. */
    key: string;
    state: "bound" | "pending" | "gated";
    /** May name a node that does not exist. */
    node: string | null;
    nominatedNode: string | null;
    /** `Kind/name` of the controller; for Pods of a Deployment its ReplicaSet. Empty if none. */
    owner: string;
    priority: number;
    milliCpu: number;
    memoryBytes: number;
    labels: Record<string, string>;
    /** Position in the log of its last attempt before this moment. */
    lastAttempt: number | null;
    /** Why it waits, in the words of its last attempt or of its gates. */
    message: string;
    /**
     * Where time passes, what a Pod on a node is if it is not simply running and ready: `Terminating`,
     * what a container waits for (`CrashLoopBackOff`), or `NotReady`.
     */
    status?: string;
}

/** Waiting Pods by key, in the order in which the scheduler takes them. */
export interface QueueFrame {
    /** Still to be tried in this round; the first is next. */
    active: string[];
    /** Tried in vain a short while ago, in the order in which they may be tried again; only where time passes. */
    backoff: string[];
    /** Tried in vain; tried again when a round follows, or when something happens that may help. */
    unschedulable: string[];
    gated: string[];
    /** `schedulerName` names no profile. */
    unmanaged: string[];
}

/** One attempt, or edit, on the timeline. */
export interface Mark {
    /** Empty for an edit. */
    pod: string;
    /**
     * `preempted`: fits nowhere yet, but room was made. `edited`: the manifests were changed. `moment`: time
     * went on, and things happened.
     */
    kind: "bound" | "failed" | "preempted" | "error" | "edited" | "moment";
    /** The node that the Pod was bound or nominated to. */
    node: string | null;
}

/** A fork at this moment, compared with the end of the run that it branched off from. */
export interface ForkFrame {
    /** Position of the log that it branched off at. */
    at: number;
    podsFirst: number;
    placedFirst: number;
    podsNow: number;
    placedNow: number;
    /** How many Pods of the first run are elsewhere now. */
    different: number;
    /** The first of them, in document order. */
    differences: Difference[];
}

/** A Pod that is elsewhere than in the first run. */
export interface Difference {
    pod: string;
    /** Its node at the end of the first run; `null` if it waited. */
    first: string | null;
    /** Its node now; `null` if it waits, or is not there. */
    now: string | null;
    /** Whether it is there. */
    exists: boolean;
}

/** The verdict of a plugin, or of all of them, on a Pod or a node. */
export type Code = "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable";

/** One scheduling cycle of one Pod in full. */
export interface Cycle {
    /** `namespace/name`. */
    pod: string;
    priority: number;
    /** `schedulerName` of the profile that was used. */
    profile: string;
    /** Round of the run, from 1. */
    round: number;
    /** `status.nominatedNodeName` before the attempt, empty if none. */
    nominatedNode: string;
    preFilter: PreFilterReport;
    /** Enabled Filter plugins in their order, skipped ones included: the matrix's columns. */
    filterPlugins: string[];
    /** Enabled Score plugins in their order, with their weights. */
    scorePlugins: WeightedPlugin[];
    search: SearchReport;
    /** Every node of the cluster, in document order. */
    nodes: NodeReport[];
    /** Plugins whose PreScore returned Skip, sorted; empty when nothing was scored. */
    preScoreSkipped: string[];
    /** Null with fewer than two feasible nodes; else the feasible nodes in document order. */
    scores: NodeScore[] | null;
    /** Feasible nodes with the highest total, sorted by name. */
    best: string[];
    selected: string | null;
    /** How a tie between several `best` was broken. */
    tieBreak: TieBreak | null;
    /** kube-scheduler's FitError with the PostFilter part, or the error's text. */
    message: string | null;
    /** The cycle ended with an error, not a verdict. */
    error: boolean;
    preemption: PreemptionReport | null;
}

/** The PreFilter plugins' results. */
export interface PreFilterReport {
    code: Code;
    /** Who rejected, empty when no single plugin did. */
    plugin: string;
    message: string;
    /** The nodes that PreFilter plugins narrow the search to, sorted; they need not exist. */
    nodes: string[] | null;
    /** Plugins whose PreFilter returned Skip, sorted. */
    skipped: string[];
}

/** A Score plugin and its weight. */
export interface WeightedPlugin {
    plugin: string;
    weight: number;
}

/** How the search for feasible nodes went. */
export interface SearchReport {
    /** Nodes in the cluster. */
    nodes: number;
    /** Nodes that the Filter plugins looked at. */
    examined: number;
    /** Feasible nodes that were enough to stop. */
    wanted: number;
    /** Position in the node list (zone order) where the search began. */
    start: number;
    /** Only the nominated node was looked at. */
    nominatedOnly: boolean;
}

/** One node in one attempt. */
export interface NodeReport {
    node: string;
    /** The verdict with nominated Pods; null: not examined, which is not the same as rejected. */
    verdict: Verdict | null;
    /** Every enabled, unskipped Filter plugin run by itself without nominated Pods: only failures. */
    failures: Verdict[];
}

/** A plugin's refusal of a node, or the success of all plugins (empty `plugin`). */
export interface Verdict {
    code: Code;
    plugin: string;
    reasons: string[];
    /** The numbers behind the reasons, in `failures`; absent if there are none. */
    facts?: Fact[];
}

/** One reason with its numbers. */
export type Fact =
    | ResourceFact
    | TaintFact
    | NodeRequirementFact
    | SpreadFact
    | PodAffinityFact
    | HostPortFact
    | VolumeCountFact
    | VolumeFact
    | NodeNameFact
    | UnschedulableFact;

/** Where in the two objects a fact comes from. */
export interface FactPaths {
    /** Field path in the Pod, such as `spec.tolerations`. */
    podPath?: string;
    /** Field path in the Node. */
    nodePath?: string;
}

/** `used + request` against `allocatable`. */
export interface ResourceFact extends FactPaths {
    kind: "resource";
    /** `cpu` counts in milli-CPU, others in their own unit (bytes, pieces). */
    resource: string;
    request: number;
    used: number;
    allocatable: number;
}

/** A taint of the node that the Pod does not tolerate. */
export interface TaintFact extends FactPaths {
    kind: "taint";
    key: string;
    value: string;
    effect: string;
}

/** A requirement on the node's labels or name: what it asks and what is there. */
export interface NodeRequirementFact extends FactPaths {
    kind: "nodeRequirement";
    key: string;
    operator: string;
    values: string[];
    /** Null: the node has no such label. */
    actual: string | null;
    holds: boolean;
}

/** `count + own - minimum` against `maxSkew` in one topology domain. */
export interface SpreadFact extends FactPaths {
    kind: "spread";
    topologyKey: string;
    /** Null: the node lacks the key. */
    domain: string | null;
    count: number;
    /** 1 if the Pod matches its own selector, else 0. */
    own: number;
    minimum: number;
    maxSkew: number;
}

/** Pods that an affinity or anti-affinity term finds in the node's domain. */
export interface PodAffinityFact extends FactPaths {
    kind: "podAffinity";
    /** The Pod's own required term, or one of Pods that run already. */
    term: "affinity" | "antiAffinity" | "existingAntiAffinity";
    topologyKey: string;
    /** Null: the node lacks the key. */
    domain: string | null;
    /** Matching Pods in that domain. */
    count: number;
}

/** A host port that is taken. */
export interface HostPortFact extends FactPaths {
    kind: "hostPort";
    hostIp: string;
    protocol: string;
    port: number;
}

/** Volumes of one driver: attached + new against the limit. */
export interface VolumeCountFact extends FactPaths {
    kind: "volumeCount";
    driver: string;
    attached: number;
    new: number;
    limit: number;
}

/** Something about one claim or volume, in words. */
export interface VolumeFact extends FactPaths {
    kind: "volume";
    name: string;
    text: string;
}

/** `spec.nodeName` against the node's name. */
export interface NodeNameFact extends FactPaths {
    kind: "nodeName";
    wanted: string;
}

/** The node is cordoned. */
export interface UnschedulableFact extends FactPaths {
    kind: "unschedulable";
}

/** One feasible node's scores. */
export interface NodeScore {
    node: string;
    plugins: PluginScore[];
    total: number;
}

/** One plugin's score of one node. */
export interface PluginScore {
    plugin: string;
    raw: number;
    normalized: number;
    weight: number;
    /** `normalized` times `weight`. */
    weighted: number;
}

/** A tie and its outcome. */
export interface TieBreak {
    /** How many nodes had the highest total. */
    among: number;
    /** The seed that picked, null when the alphabetically first was taken. */
    seed: number | null;
}

/** What DefaultPreemption did. */
export interface PreemptionReport {
    nominated: string;
    /** `namespace/name`, in the order of deletion. */
    victims: string[];
    /** Every node on which the dry run found victims, sorted by name. */
    candidates: Candidate[];
    /** The choice among the candidates was a pure tie. */
    ambiguous: boolean;
    /** The rule that decided among the candidates. */
    decidedBy: string;
}

/** A node that preemption could make room on. */
export interface Candidate {
    node: string;
    victims: string[];
    pdbViolations: number;
    /**
     * What each rule of the choice makes of it, in the rules' order; the highest stays. PDB
     * violations, the first victim's priority, the sum of the victims' priorities (each plus 2³¹)
     * and the number of victims, all negated; then when the last of the most important victims
     * started, in ms since 1970: 2⁵³ − 1 if one has not.
     */
    ranks: number[];
}

/** A run in the form in which decisions of the real kube-scheduler were recorded. */
export interface Trace {
    kubernetes: string;
    scenario: string;
    /** Pods with scheduling gates, sorted. */
    gated: string[];
    /** Pods whose `schedulerName` names no profile, sorted. */
    unmanaged: string[];
    attempts: TraceAttempt[];
    /** Pods deleted by preemption, in order. */
    deleted: string[];
    /** The node, or null, of every Pod that still exists. */
    final: Record<string, string | null>;
}

/** One attempt of a trace: one scheduling cycle, nodes by name. */
export interface TraceAttempt {
    pod: string;
    profile: string;
    round: number;
    nominatedNode: string;
    prefilter: PreFilterReport;
    /** The verdict with nominated Pods on every node that was examined. */
    filters: Record<string, TraceVerdict>;
    /** By node and plugin: every Filter plugin that fails by itself, without nominated Pods. */
    failures: Record<string, Record<string, TraceFailure>>;
    /** Nodes that passed, sorted. */
    feasible: string[];
    prescoreSkipped: string[];
    /** Null with fewer than two feasible nodes. */
    scores: Record<string, TraceScore> | null;
    best: string[];
    selected: string | null;
    message: string | null;
    /** The cycle ended with an error, not a verdict. */
    error?: boolean;
    preemption: TracePreemption | null;
}

/** The Filter plugins' verdict on a node: only `code` if all of them pass. */
export interface TraceVerdict {
    code: Code;
    /** The first that failed. */
    plugin?: string;
    reasons?: string[];
}

/** One Filter plugin's own verdict on a node. */
export interface TraceFailure {
    code: Code;
    reasons: string[];
}

/** A node's scores, by plugin. */
export interface TraceScore {
    plugins: Record<string, TracePluginScore>;
    total: number;
}

/** One plugin's score of one node. */
export interface TracePluginScore {
    raw: number;
    normalized: number;
    weight: number;
    weighted: number;
}

/** What DefaultPreemption did. */
export interface TracePreemption {
    nominated: string;
    /** In the order of deletion. */
    victims: string[];
    candidates: Record<string, TraceCandidate>;
    /** The choice among the candidates was a pure tie. */
    ambiguous: boolean;
}

/** A node that preemption could make room on. */
export interface TraceCandidate {
    victims: string[];
    pdbViolations: number;
}
