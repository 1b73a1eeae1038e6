/** The arguments of `check`. */
export interface CheckArguments {
    /** The release to follow in place of the Scenario's: 1.34, 1.35 or 1.36 */
    kubernetes?: string;
}

/** The arguments of `schedule`. */
export interface ScheduleArguments {
    /** The release to follow in place of the Scenario's: 1.34, 1.35 or 1.36 */
    kubernetes?: string;
    /** The name of a KubeSchedulerConfiguration in `texts`, in place of the one among the manifests */
    config?: string;
    /** Seed of the random tie break; 1 by default */
    seed?: number;
    /** Further files that the call names, by name: a configuration, a patch, what kubectl applies */
    texts?: Record<string, string>;
}

/** The arguments of `explain`. */
export interface ExplainArguments {
    /** NAMESPACE/NAME, or NAME in namespace default */
    pod: string;
    /** Only this node, in full */
    node?: string;
    /** Which attempt of this Pod, from 1; the last one by default */
    attempt?: number;
    /** The release to follow in place of the Scenario's: 1.34, 1.35 or 1.36 */
    kubernetes?: string;
    /** The name of a KubeSchedulerConfiguration in `texts`, in place of the one among the manifests */
    config?: string;
    /** Seed of the random tie break; 1 by default */
    seed?: number;
    /** Further files that the call names, by name: a configuration, a patch, what kubectl applies */
    texts?: Record<string, string>;
}

/** The arguments of `what-if`. */
export interface WhatIfArguments {
    question: "lose" | "add" | "need" | "fit" | "anew" | "drain" | "upgrade" | "shrink" | "evict";
    /** Names of nodes, or labels LABEL=VALUE */
    nodes?: string[];
    /** `node`, `zone` or a label: each of them in turn, as a table */
    each?: string;
    /** How many nodes come */
    count?: number;
    /** What new nodes are like: a node, or LABEL=VALUE */
    like?: string;
    /** NAMESPACE/NAME of a workload */
    workload?: string;
    /** How many replicas are tried */
    atMost?: number;
    /** A pool, or LABEL=VALUE */
    pool?: string;
    maxSurge?: number;
    maxUnavailable?: number;
    /** The name of a DeschedulerPolicy in `texts` */
    policy?: string;
    /** The name of a file of prices in `texts` */
    prices?: string;
    /** The release to follow in place of the Scenario's: 1.34, 1.35 or 1.36 */
    kubernetes?: string;
    /** The name of a KubeSchedulerConfiguration in `texts`, in place of the one among the manifests */
    config?: string;
    /** Seed of the random tie break; 1 by default */
    seed?: number;
    /** Further files that the call names, by name: a configuration, a patch, what kubectl applies */
    texts?: Record<string, string>;
}

/** The arguments of `reduce`. */
export interface ReduceArguments {
    /** NAMESPACE/NAME, or NAME in namespace default */
    pod?: string;
    /** Two runs that come out differently: kubernetes=A,B, or config=NAME in `texts` */
    differs?: string;
    /** A sentence that says where the case comes from */
    source?: string;
    /** Stop after this many trials, with the best case so far */
    maxRuns?: number;
    /** The release to follow in place of the Scenario's: 1.34, 1.35 or 1.36 */
    kubernetes?: string;
    /** The name of a KubeSchedulerConfiguration in `texts`, in place of the one among the manifests */
    config?: string;
    /** Seed of the random tie break; 1 by default */
    seed?: number;
    /** Further files that the call names, by name: a configuration, a patch, what kubectl applies */
    texts?: Record<string, string>;
}

/** The arguments of `compare`. */
export interface CompareArguments {
    /** Settings of the first side */
    a?: string[];
    /** Settings of the second side */
    b?: string[];
    /** The node label whose domains count for the widest skew */
    topology?: string;
    /** The release to follow in place of the Scenario's: 1.34, 1.35 or 1.36 */
    kubernetes?: string;
    /** The name of a KubeSchedulerConfiguration in `texts`, in place of the one among the manifests */
    config?: string;
    /** Seed of the random tie break; 1 by default */
    seed?: number;
    /** Further files that the call names, by name: a configuration, a patch, what kubectl applies */
    texts?: Record<string, string>;
}

/** The arguments of `kubectl`. */
export interface KubectlArguments {
    /** The words after `kubectl`: ["get", "pods", "-o", "wide"] */
    args: string[];
    /** Let the cluster settle first, for at most this many seconds; 600 by default */
    after?: number;
    /** The release to follow in place of the Scenario's: 1.34, 1.35 or 1.36 */
    kubernetes?: string;
    /** The name of a KubeSchedulerConfiguration in `texts`, in place of the one among the manifests */
    config?: string;
    /** Seed of the random tie break; 1 by default */
    seed?: number;
    /** Further files that the call names, by name: a configuration, a patch, what kubectl applies */
    texts?: Record<string, string>;
}

/** The waiting Pods of a dump, compared by reasons and counts. */
export interface ClusterWord {
    /** Number of Pods of which Berth says what the cluster said. */
    same: number;
    /** The others, in document order. */
    different: OtherWord[];
}

/** A Pod of which Berth says something else. */
export interface OtherWord {
    /** `namespace/name`. */
    pod: string;
    /** The message in the dump. */
    cluster: string;
    berth: BerthWord;
    likely: LikelyReason;
}

/** What Berth says of a Pod. */
export interface BerthWord {
    /** The message with which it waits. */
    message?: string;
    /** The node that it goes to. */
    node?: string;
}

/** Why the two probably differ. */
export type LikelyReason =
    /** The same counts under other names: the cluster is of another release. */
    | "wording"
    /** The verdict hangs on kinds that the files lack. */
    | { missingKinds: string[] }
    /** The message is older than a change of the cluster that the dump has. */
    | "olderMessage";

/** `-o json`: the attempt, and of a dumped Pod what its cluster said. */
export interface Explained extends ExplainedAttempt {
    fixes: FixReport[];
    clusterWord?: ClusterWord;
    /** What the cluster did not list. */
    notListed?: Lack[];
}

/** A fix as data. */
export interface FixReport {
    kind: string;
    sentence: string;
    /** The node that the Pod would be bound to; empty if it is given up. */
    node: string;
    feasible: number;
    /** Other Pods that get another node by it. */
    moves: string[];
    /** The lines of kubectl that make it in a cluster; empty if kubectl alone cannot. */
    lines: string[];
}

/** A kind that was not listed. */
export interface Lack {
    /** Its plural name. */
    kind: string;
    cause: LackCause;
}

/** Why a kind was not listed. */
export type LackCause =
    /** The server does not have the kind: there are no such objects. */
    | "notServed"
    /** The user may not list it. */
    | "forbidden"
    /** The user may list it in this namespace only. */
    | { otherNamespaces: string };

/** An attempt as data: the cycle, and what is told of it. Make it in English, so that it is the same in all languages. */
export interface ExplainedAttempt extends Cycle {
    report: AttemptReport;
}

export interface AttemptReport {
    sentence: string;
    reason: AttemptReason;
    /** The columns of `nodes[].judgements`. */
    plugins: string[];
    nodes: JudgedNode[];
}

/** What decided, for programs. */
export interface AttemptReason {
    code: ReasonCode;
    /**
     * What rules out the nodes that the Pod was meant for, or all nodes if it was meant for any: the reason that holds
     * for the most of them first.
     */
    by: ReasonBy[];
}

export type ReasonCode =
    | "scheduled"
    | "unschedulable"
    /** The attempt ended without a verdict. */
    | "error";

export interface ReasonBy {
    plugin: string;
    /** As in kube-scheduler's message. */
    reason: string;
    nodes: string[];
    /** The numbers behind the rejection of one of the nodes. */
    fact?: FactKind;
}

/** The comparison that a plugin made, by kind. */
export type FactKind =
    | ResourceFactKind
    | TaintFactKind
    | NodeRequirementFactKind
    | SpreadFactKind
    | PodAffinityFactKind
    | HostPortFactKind
    | VolumeCountFactKind
    | VolumeFactKind
    | DeviceFactKind
    | NodeNameFactKind
    | UnschedulableFactKind
    | NodeFeatureFactKind;

/** `used + request` against `allocatable`: milli-CPU for `cpu`, else the resource's own unit (bytes, pieces). */
export interface ResourceFactKind {
    kind: "resource";
    resource: string;
    request: number;
    used: number;
    allocatable: number;
}

/** A taint of the node that the Pod does not tolerate. */
export interface TaintFactKind {
    kind: "taint";
    key: string;
    value: string;
    effect: string;
}

/** A requirement on the node's labels (or name), and the actual value. */
export interface NodeRequirementFactKind {
    kind: "nodeRequirement";
    key: string;
    operator: string;
    values: string[];
    /** `null`: the node lacks the label. */
    actual: string | null;
    holds: boolean;
}

/** `count + own − minimum` against `maxSkew` in one topology domain. */
export interface SpreadFactKind {
    kind: "spread";
    topologyKey: string;
    /** `null`: the node lacks the key. */
    domain: string | null;
    count: number;
    /** 1 if the Pod matches its own selector, else 0. */
    own: number;
    minimum: number;
    maxSkew: number;
}

/** The Pods that an (anti-)affinity term matches in the node's domain. */
export interface PodAffinityFactKind {
    kind: "podAffinity";
    term: AffinityTermKind;
    topologyKey: string;
    /** `null`: the node lacks the key. */
    domain: string | null;
    /** Matching Pods in that domain. */
    count: number;
    /**
     * The labels of the Pods that the term selects, as in `kubectl get -l`; absent if it selects all, or if running
     * Pods have the term.
     */
    selector?: string;
    /** Some of the Pods that keep the Pod away by a term of their own, `namespace/name`; absent for its own terms. */
    pods?: string[];
}

/** A host port that is in use. */
export interface HostPortFactKind {
    kind: "hostPort";
    hostIp: string;
    protocol: string;
    port: number;
}

/** Volumes of one driver: attached + new against the limit. */
export interface VolumeCountFactKind {
    kind: "volumeCount";
    driver: string;
    attached: number;
    new: number;
    limit: number;
}

/** What became of one claim or volume. */
export interface VolumeFactKind {
    kind: "volume";
    name: string;
    /** The outcome in English. */
    text: string;
    outcome: VolumeOutcome;
}

/** What the search for devices did with one of them. */
export interface DeviceFactKind {
    kind: "device";
    /** Name of the ResourceClaim; empty if the node has no device at all. */
    claim: string;
    /** `REQUEST` or `REQUEST/SUBREQUEST`; empty if the finding concerns the whole claim. */
    request: string;
    /** `DRIVER/POOL/DEVICE`; empty likewise. */
    device: string;
    outcome: DeviceOutcome;
}

/** `spec.nodeName` against the node's name. */
export interface NodeNameFactKind {
    kind: "nodeName";
    wanted: string;
}

/** The node is cordoned. */
export interface UnschedulableFactKind {
    kind: "unschedulable";
}

/** A feature of the kubelet that the Pod needs. */
export interface NodeFeatureFactKind {
    kind: "nodeFeature";
    feature: string;
    declared: boolean;
}

export interface JudgedNode {
    node: string;
    judgements: string[];
    /** The rejection in a few words; empty if there is none. */
    why: string;
}

/** An answer of any kind. */
export type WhatIf = WhatIfAnswer | Losses | Need;

/** The answer to a question. */
export interface WhatIfAnswer {
    question: WhatIfQuestion | null;
    /** The Kubernetes release that was followed. */
    release: string;
    /** Seed of the ties in the order of names. */
    seed: number;
    /** Number of further orders that were played, by the seeds from 1. */
    orders: number;
    /** Number of workloads that were inferred from their Pods. */
    inferred: number;
    /** Pods without a controller whose node is gone (`namespace/name`): nothing makes them again. */
    lost: string[];
    /** Number of Pods of DaemonSets and of static Pods that are gone with their nodes. */
    gone: number;
    /**
     * Number of Pods that lose their place and come again, that are asked for, or, where nodes come, that wait without
     * them.
     */
    again: number;
    /** Those of them that have a node at the end. */
    placed: Count;
    /** Number of Pods that wait without the change. Those that are held are not among them. */
    waitingBefore: number;
    /** Number of Pods that wait with it. */
    waiting: Count;
    /** How many more Pods wait, summed over the workloads of which more wait. */
    more: Count;
    /** How many fewer, summed over the others. */
    fewer: Count;
    /** Number of Pods with scheduling gates or another scheduler; they wait without being tried. */
    held: number;
    /** Of those that wait more than before, in the order of names; `null` if their priority is 0 or less. */
    urgent: Urgent | null;
    /** Number of Pods that are on another node than before, without those whose node is gone. */
    moved: Count;
    /** Nodes without Pods but those of DaemonSets and static ones. */
    emptyBefore: number;
    empty: Count;
    /**
     * The workloads that the change concerns, and those of which Pods wait: first those of which more wait, the most
     * first.
     */
    workloads: OfWorkload[];
    /** More replicas that were asked for and have a node, by pool of nodes. */
    pools?: InPool[];
    /** The figures without the change, and with it in the order of names. */
    figuresBefore: Summary;
    figures: Summary;
    /** Of questions in which nodes are drained: how that went, in the order of names. */
    drains?: Drains;
    /** Of a cycle of the descheduler: what it evicts, in the order of names. */
    evictions?: Evictions;
}

/** What happens to the cluster. */
export type WhatIfQuestion =
    | LoseWhatIfQuestion
    | AddWhatIfQuestion
    | FitWhatIfQuestion
    | AnewWhatIfQuestion
    | DrainWhatIfQuestion
    | UpgradeWhatIfQuestion
    | ShrinkWhatIfQuestion
    | EvictWhatIfQuestion;

/** Nodes vanish with their Pods. `labels`: the selectors by which they were named. */
export interface LoseWhatIfQuestion {
    what: "lose";
    nodes: string[];
    labels: string[];
}

/** Nodes like this one come, with these names. */
export interface AddWhatIfQuestion {
    what: "add";
    like: string;
    nodes: string[];
}

/** More replicas like the newest Pod of a workload come. */
export interface FitWhatIfQuestion {
    what: "fit";
    workload: Workload;
    at_most: number;
}

/** Every Pod that can move is placed again. */
export interface AnewWhatIfQuestion {
    what: "anew";
}

/** Nodes are drained as by `kubectl drain`, one after the other. `labels`: the selectors by which they were named. */
export interface DrainWhatIfQuestion {
    what: "drain";
    nodes: string[];
    labels: string[];
}

/** The nodes of a pool are replaced by new ones, in batches. */
export interface UpgradeWhatIfQuestion {
    what: "upgrade";
    pool: string;
    nodes: string[];
    max_unavailable: number;
    max_surge: number;
}

/** Nodes go, as long as their Pods are placed again. `pool`: if only those of a pool may go. */
export interface ShrinkWhatIfQuestion {
    what: "shrink";
    pool: string | null;
    nodes: number;
}

/** A cycle of the descheduler. `plugins`: those of its policy that are played, in the order in which they run. */
export interface EvictWhatIfQuestion {
    what: "evict";
    plugins: string[];
}

/** A workload, or a Pod without one. */
export interface Workload {
    namespace: string;
    /** A Deployment in place of its ReplicaSets. */
    kind: string;
    name: string;
}

/** A number that may depend on the order in which controllers make Pods again. */
export interface Count {
    /** In the order of namespaces and names. */
    byName: number;
    /** The least of all orders that were played. */
    least: number;
    /** The most of them. */
    most: number;
}

/** The Pods of highest priority among those that wait more than before. */
export interface Urgent {
    /** The PriorityClass, or the priority where there is none. */
    priority: string;
    value: number;
    pods: number;
}

/** What an answer says of a workload. */
export interface OfWorkload extends Workload {
    /**
     * Number of its Pods that lose their place and come again, that are asked for, or, where nodes come, that wait without
     * them.
     */
    again: number;
    /** Those of them that have a node at the end. */
    placed: Count;
    /** The nodes of those, in the order of names. */
    nodes: OnNode[];
    /** Number of its Pods that wait without the change. */
    waitingBefore: number;
    /** Number of its Pods that wait with it. */
    waiting: Count;
    /** Number of its Pods that have scheduling gates or another scheduler, and wait without being tried. */
    held: number;
    /** The highest priority of those that wait, in the order of names. */
    priority: number;
    /** kube-scheduler's message for the first of them. */
    message: string;
    /** Why it waits, as a sentence. */
    reason: string;
}

/** Pods on a node. */
export interface OnNode {
    node: string;
    pods: number;
}

/** Pods on the nodes of a pool. */
export interface InPool {
    /** Empty for nodes without a label that names a pool. */
    pool: string;
    pods: number;
}

/** Figures of the end of a run. */
export interface Summary {
    /** Unfinished Pods. */
    pods: number;
    /** Pods on a node that exists. */
    placed: number;
    /** Pods without a node, gated ones included. */
    pending: number;
    nodes: number;
    /** Nodes with Pods other than those of DaemonSets and static ones. */
    nodesInUse: number;
    cpu: Utilization;
    memory: Utilization;
    /** The widest spread of a workload over the topology; `null` if no workload of several Pods has one there. */
    spread: Spread | null;
    /** Attempts that evicted Pods. */
    preemptions: number;
}

/** What is requested of a resource, in percent of each node's allocatable amount. */
export interface Utilization {
    mean: number;
    /** The standard deviation over all nodes. */
    deviation: number;
    highest: number;
}

/** A workload's Pods by domain of a topology. */
export interface Spread {
    /** `namespace/Kind/name`; the ReplicaSet for Pods of a Deployment. */
    workload: string;
    /** As `PodFrame::workload_name`. */
    name: string;
    /** Domains without any of its Pods included, if they have nodes. */
    domains: Record<string, number>;
}

/** How nodes were drained, one after the other. */
export interface Drains {
    /** In the order in which it was done. */
    nodes: NodeDrain[];
    blocked: BlockedEviction[];
    /** Evicted Pods whose controllers Berth does not run (`namespace/name`): it cannot say where these make them again. */
    unmade: string[];
    /** Time until all that can be placed again is ready, in seconds. */
    seconds: number;
    /** Nodes that came. */
    came: string[];
    /** Nodes that may not go, in the order in which they were tried. */
    kept: Kept[];
    /** The sum of the prices of the nodes that go; `null` without prices. */
    saved: number | null;
    /** Nodes that go and have no price, if there are prices. */
    unpriced: string[];
    /** The same as lines of a terminal. */
    lines: string[];
}

/** The drain of a node. Times are in seconds since the beginning. */
export interface NodeDrain {
    node: string;
    /** The number of its batch, from 1; of a drain or of nodes that go, its place. */
    batch: number;
    from: number;
    until: number;
    /** Whether it came to its end; otherwise Pods of the node are `Drains::blocked`. */
    isDrained: boolean;
    /** Number of Pods that were evicted. */
    evicted: number;
    /** The same by workload, the most first. */
    workloads: PodsOf[];
    /** Budgets that refused evictions for some time. */
    held: HeldUp[];
}

/** Pods of a workload. */
export interface PodsOf extends Workload {
    pods: number;
}

/** A budget that refused evictions for some time. */
export interface HeldUp {
    /** `namespace/name`. */
    budget: string;
    seconds: number;
}

/** A Pod that cannot be evicted. */
export interface BlockedEviction {
    /** `namespace/name`. */
    pod: string;
    node: string;
    /** The budgets that it belongs to (`namespace/name`). None: it is being deleted, and its kubelet does not answer. */
    budgets: string[];
    /** Number of ready Pods that the budget needs, that it has, and of its Pods. */
    needs: number;
    healthy: number;
    pods: number;
    /** Since when, in seconds since the beginning. */
    since: number;
    /** The API server's words. */
    cause: string;
}

/** Why a node may not go. */
export type Kept = ControlPlaneKept | LostKept | BlockedKept | ReturnsKept | WaitsKept;

/** Its label says that it is of the control plane. */
export interface ControlPlaneKept extends KeptPaths {
    why: "controlPlane";
}

/** This Pod would be lost for good, or its controller is none that Berth runs. */
export interface LostKept extends KeptPaths {
    why: "lost";
    pod: string;
}

/** The Pod cannot be evicted. */
export interface BlockedKept extends KeptPaths {
    why: "blocked";
    pod: string;
    budgets: string[];
}

/** The Pod tolerates that the node is cordoned, and comes again to it. */
export interface ReturnsKept extends KeptPaths {
    why: "returns";
    pod: string;
}

/** So many more Pods of this workload, among others, would wait; `reason`: kube-scheduler's message. */
export interface WaitsKept extends KeptPaths {
    why: "waits";
    workload: Workload;
    pods: number;
    reason: string;
}

/** What every `Kept` has. */
export interface KeptPaths {
    node: string;
}

/** What a cycle of the descheduler evicts, and what comes of it. */
export interface Evictions {
    /** The plugins in the order in which they ran. */
    plugins: PluginRun[];
    /** In the order of the evictions. */
    pods: DeschedulerEviction[];
    /** Evictions that the API server refused, as budgets did not allow them. */
    refused: Refused[];
    /** All nodes, by name. */
    nodes: NodeUse[];
    /** Number of Pods that come again to a node which one of their workload left. */
    returned: number;
    /** Evicted Pods whose controllers Berth does not run (`namespace/name`): it cannot say where these make them again. */
    unmade: string[];
    /** Time until all that can be placed again is ready, in seconds. */
    seconds: number;
    /** Plugins that the policy enables and that were not played. */
    leftOut: PluginLeftOut[];
}

/** What a plugin did. */
export interface PluginRun {
    profile: string;
    plugin: string;
    evicted: number;
    /** Number of evictions that the policy's limits forbade. */
    limited: number;
    /** Why it evicts nothing, if it does not come to asking for evictions. */
    idle: Idle | null;
    /** Of LowNodeUtilization: the number of underutilized nodes, and of overutilized ones. */
    underutilized: number;
    overutilized: number;
}

/** Why a plugin evicts nothing. */
export type Idle =
    /** Fewer than two nodes are ready and match the policy's `nodeSelector`. */
    | "fewNodes"
    | "noneUnderutilized"
    /** No more nodes are underutilized than `numberOfNodes` says. */
    | "fewUnderutilized"
    | "allUnderutilized"
    | "noneOverutilized";

/** A Pod that is evicted. */
export interface DeschedulerEviction {
    /** `namespace/name`. */
    pod: string;
    node: string;
    profile: string;
    plugin: string;
    workload: Workload;
}

/** An eviction that the API server refused. */
export interface Refused extends BlockedEviction {
    profile: string;
    plugin: string;
}

/** A node before and after. */
export interface NodeUse {
    node: string;
    /** As the first LowNodeUtilization of the policy has it; `null`: neither, or there is no such plugin. */
    utilization: EvictionUtilization | null;
    before: Use;
    after: Use;
    /** Number of Pods that are evicted from it. */
    evicted: number;
    /** Number of Pods that come again on it. */
    came: number;
}

/** What LowNodeUtilization says of a node. */
export type EvictionUtilization = "under" | "over";

/** What Pods request of a node, in percent of what is allocatable. */
export interface Use {
    cpu: number;
    memory: number;
    pods: number;
}

/** A plugin that was not played. */
export interface PluginLeftOut {
    profile: string;
    plugin: string;
    /** It goes by what Pods use, which files do not tell. */
    forMetrics: boolean;
}

/** What each loss comes to, the worst first. */
export interface Losses {
    release: string;
    seed: number;
    inferred: number;
    /** The node label that tells the groups apart; `null`: each node is one. */
    label: string | null;
    waitingBefore: number;
    held: number;
    losses: Loss[];
}

/** What the loss of some nodes comes to, in the order of names. */
export interface Loss {
    /** The node, or the value of the label that the nodes share. */
    name: string;
    /** Number of nodes. */
    nodes: number;
    /** Number of Pods that come again. */
    again: number;
    gone: number;
    lost: string[];
    /** Number of Pods that wait. */
    waiting: number;
    /** How many more Pods wait, summed over the workloads of which more wait. */
    more: number;
    urgent: Urgent | null;
    /** The workloads of which more Pods wait, the most first. */
    workloads: PodsOf[];
    /** If the nodes are drained instead of lost: how that went. */
    drains?: Drains;
}

/** How many nodes the waiting Pods need. */
export interface Need {
    release: string;
    seed: number;
    inferred: number;
    waitingBefore: number;
    held: number;
    /**
     * For each pool and zone whose nodes help a Pod, the fewest that help all that they can; those that leave the fewest
     * waiting first.
     */
    pools: NodesLike[];
    /**
     * Where no pool helps all that can be helped: a mix that does, found node by node. It leaves `leaves` Pods waiting as
     * a whole.
     */
    mix: NodesLike[];
    unhelped: Unhelped[];
}

/** New nodes like one of a pool. */
export interface NodesLike {
    /** Empty for nodes without a label that names a pool. */
    pool: string;
    /** Empty for nodes without a zone. */
    zone: string;
    like: string;
    nodes: number;
    /** Number of waiting Pods that are placed with them. */
    placed: number;
    /** Number of Pods that wait with them. */
    leaves: number;
}

/** Waiting Pods that no node like an existing one helps. */
export interface Unhelped extends Workload {
    pods: number;
    /** kube-scheduler's message for the first of them. */
    message: string;
    /** Why it waits, as a sentence. */
    reason: string;
}

/** `-o json`. */
export interface Reduced {
    case: Case;
    file: string;
    from: Size;
    to: Size;
    runs: number;
    lacks: string[];
}

/** The parts of a `Scenario` that make it a case. */
export interface Case {
    claim: Claim;
    counterfactual?: Counterfactual;
    /** What comes of the same Pod on side `b` of the Scenario's `compare`. */
    otherwise?: Claim;
    source?: CaseSource;
    verified?: Verified;
}

/** What comes of the last attempt of a Pod. Only what is given is claimed, but of the reasons all. */
export interface Claim {
    /** `name` or `namespace/name`. */
    pod: string;
    /** It has no node. */
    waits?: boolean;
    /** The node that it lands on. */
    node?: string;
    /** The node with the second-highest score. */
    over?: string;
    /** The Score plugin that gives `node` the most over `over`. */
    by?: string;
    /** Why nodes are rejected. */
    reasons?: ClaimReason[];
}

/** A reason of a plugin, and the nodes that it rejects with it. */
export interface ClaimReason {
    plugin: string;
    /** In the words of the scheduler. */
    reason: string;
    /** Number of nodes with it; of all nodes, if PreFilter rejects the Pod. */
    count: number;
    /** The sums behind it. */
    sums?: ClaimSum[];
}

/** The numbers of one comparison on one node. Only what is given is claimed. */
export interface ClaimSum {
    node: string;
    /** What is compared: a resource, a taint, a requirement, a topology domain, a port, a driver, a volume, a device. */
    of: string;
    /** A quantity. */
    requested?: unknown;
    /** A quantity, negative if more is taken than there is. */
    free?: unknown;
    /** Pods in the domain, with this one if it counts. */
    count?: number;
    /** Pods in the domain that has the fewest. */
    minimum?: number;
    maxSkew?: number;
}

/** Edits after which the Pod lands. */
export interface Counterfactual {
    /** As a sentence, for readers. */
    words?: string;
    /** Edits, each still as JSON: `Counterfactual::edits` reads them. */
    edits: unknown[];
    /** The node that it then lands on. */
    node: string;
}

/** Where a case comes from. */
export interface CaseSource {
    /** A sentence. */
    text: string;
    /** An address. */
    url?: string;
}

/** When a case was last found to hold. */
export interface Verified {
    /** The Kubernetes release: `1.36.3`. */
    kubernetes: string;
    /** `2026-11-30`. */
    date?: string;
    /** A program with its version, or `kube-scheduler`. */
    by: string;
}

/** How much a cluster or case has. */
export interface Size {
    nodes: number;
    pods: number;
}

/** The ends of two runs. */
export interface Comparison {
    a: Summary;
    b: Summary;
    /** Pods that both runs kept where they were, without an attempt. */
    kept: number;
    /** Pods that are elsewhere in B, or exist in one run only: those of A in document order, then those of B. */
    pods: PodDifference[];
}

/** A Pod that came out differently. */
export interface PodDifference {
    /** `namespace/name`. */
    pod: string;
    a: Place;
    b: Place;
    /** `null` if no attempt of both runs can be compared. */
    cause: Cause | null;
}

/** Where a Pod is at the end of a run. */
export type Place =
    | { node: string }
    | "pending"
    | "gated"
    /** It was evicted for this Pod. */
    | { evicted: { by: string } }
    /** The run has no such Pod. */
    | "absent";

/** The first thing that made the difference in a Pod's last attempts. */
export type Cause =
    /** A Filter or PreFilter plugin rejects the node in one run only. */
    | { filter: { plugin: string; node: string; feasibleInA: boolean; feasible: [number, number] } }
    /**
     * In A, the nodes' scores differ by so much from those in B. The plugin is the one whose weighted points moved
     * most towards the node of B.
     */
    | { score: { plugin: string; node: string; against: string; points: [number, number] } }
    /** All scores are equal: a tie was broken otherwise. */
    | { tie: { among: number } }
    /** It was evicted in one run. */
    | { preempted: { by: string } }
    /** It is gated, or of another scheduler, in one run. */
    | { notTried: { inA: boolean } }
    /** The search stopped before it came to the node in one run. */
    | { notExamined: { node: string } };
