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

/** The result of applying sources. */
export interface Applied {
    /** False if no document could be read, or if kube-scheduler would not start with the configuration. */
    accepted: boolean;
    problems: Problem[];
}

/** A problem of the sources. */
export interface Problem {
    severity: "error" | "warning";
    file: string;
    /** From 1. */
    line: number;
    /** From 1, in characters. */
    column: number;
    /** The field, such as `spec.containers[0].name`; may be empty. */
    path: string;
    message: string;
    /** How to fix it; may be empty. */
    help: string;
}

/** The versions of Berth and of the Kubernetes release that it follows. */
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
    /** Entries in the log; more may follow unless `finished`. */
    logLength: number;
    /** Whether the log is complete: no attempt follows. */
    finished: boolean;
    /** In document order. */
    nodes: NodeFrame[];
    /** In document order, without finished Pods (Succeeded, Failed). */
    pods: PodFrame[];
    /** Number of finished Pods; absent if there are none. */
    ended?: number;
    /** Pods evicted for Pods that are still nominated, whether they are gone or terminating; absent if there are none. */
    victims?: PodFrame[];
    queue: QueueFrame;
    /** The current time in milliseconds since the start; only with a clock. */
    nowMs?: number;
    /** One mark for every entry of the log, in order. */
    timeline: Mark[];
    /** Present after an edit of the past. */
    fork?: ForkFrame;
    problems: Problem[];
    /** Number of objects of each kind that scheduling ignores. */
    ignored: Record<string, number>;
    /** Changes whenever the state that the scheduler reads changes. */
    digest: string;
}

/** The `Scenario` document without its title. */
export interface AboutFrame {
    /** Markdown source. */
    description: string;
    /** Shown one after another. */
    hints: string[];
    /** The Scenario says what to compare. */
    compares?: boolean;
}

/** A node. */
export interface NodeFrame {
    name: string;
    labels: Record<string, string>;
    taints: TaintFrame[];
    /** Cordoned. */
    unschedulable: boolean;
    /** CPU, memory, Pods, then the node's other resources by name. */
    resources: ResourceFrame[];
    /** Keys of the Pods on the node, in order of arrival. */
    pods: string[];
    /** Keys of the pending Pods nominated to the node, in order of nomination; absent if there are none. */
    nominated?: string[];
    /** The sums of what these Pods request, by resource; `pods` counts them. */
    nominatedRequests?: Record<string, number>;
    /** Unhealthy conditions (`Ready` false, or a pressure true), by type. */
    badConditions: string[];
    /** The devices that it sees; absent if no ResourceSlice publishes any for it. */
    devices?: NodeDevices;
}

/** The devices that a node sees. */
export interface NodeDevices {
    /** The node's own devices, and devices of several nodes that a Pod on this one has; in the order of the search. */
    devices: DeviceFrame[];
    /** Pools whose devices several nodes see; absent if there are none. */
    shared?: SharedPool[];
}

/** A device that a ResourceSlice publishes. */
export interface DeviceFrame {
    driver: string;
    pool: string;
    name: string;
    /** Attributes and their values, by name; those of the driver's own domain without it. */
    attributes: string[][];
    /** Capacities and their quantities, likewise. */
    capacity: string[][];
    /** The attribute that constraints of claims match on, and its value; absent if no claim has one. */
    group?: string[];
    /** The allocations of the device. */
    holders: DeviceHolder[];
    /** Why no claim can get it, though it may be free. */
    unavailable?: Unavailable;
}

/** An allocation of a device. */
export interface DeviceHolder {
    /** The ResourceClaim: `namespace/name`. */
    claim: string;
    /** `REQUEST` or `REQUEST/SUBREQUEST`. */
    request: string;
    /** The Pods that the claim is reserved for: `namespace/name`. */
    pods: string[];
    adminAccess: boolean;
    /** What it consumes of the device's capacity, by name; absent if the device is its own. */
    consumed?: string[][];
}

/** Why no claim can get a device. */
export type Unavailable = DeviceTainted | PoolIncomplete | PoolInvalid;

/** It has a taint: `key=value:effect`. Claims with a toleration get it all the same. */
export interface DeviceTainted {
    is: "tainted";
    taint: string;
}

/** Not all slices of its pool are there. */
export interface PoolIncomplete {
    is: "poolIncomplete";
}

/** Its pool has a mistake. */
export interface PoolInvalid {
    is: "poolInvalid";
    reason: string;
}

/** A pool of devices that several nodes see. */
export interface SharedPool {
    driver: string;
    pool: string;
    devices: number;
    /** How many of them are allocated. */
    taken: number;
}

/** A taint. */
export interface TaintFrame {
    key: string;
    /** Empty if there is none. */
    value: string;
    /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. */
    effect: string;
}

/** The requested and allocatable amounts of a resource. */
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
    /** `Kind/name` of the controller; the ReplicaSet for Pods of a Deployment. Empty if none. */
    owner: string;
    priority: number;
    milliCpu: number;
    memoryBytes: number;
    /** Requests besides CPU and memory, in each resource's own unit; absent if there are none. */
    otherRequests?: Record<string, number>;
    /** Keys of the node labels that its rules read; absent if there are none. */
    nodeKeys?: string[];
    labels: Record<string, string>;
    /** Log position of its last attempt before this moment. */
    lastAttempt: number | null;
    /** Why it is pending: the message of its last attempt or of its scheduling gates. */
    message: string;
    /** Its scheduling gates, or a `schedulerName` that no profile has; absent if the scheduler tries it. */
    heldBy?: HeldBy;
    /**
     * With a clock, the state of an assigned Pod that is not simply running and ready: `Terminating`, a
     * container's waiting reason (`CrashLoopBackOff`), or `NotReady`.
     */
    status?: string;
}

/** What holds a Pod out of the queue: one of these. */
export interface HeldBy {
    /** The names of its scheduling gates. */
    gates?: string[];
    /** The `schedulerName` that no profile has. */
    scheduler?: string;
}

/** Keys of pending Pods, in the order in which the scheduler tries them. */
export interface QueueFrame {
    /** Still to be tried in this round; the first is next. */
    active: string[];
    /** Failed recently, in the order in which their backoff ends; only with a clock. */
    backoff: string[];
    /** Failed; retried in the next round, or when an event may help. */
    unschedulable: string[];
    gated: string[];
    /** `schedulerName` matches no profile. */
    unmanaged: string[];
}

/** An attempt, edit or moment on the timeline. */
export interface Mark {
    /** Empty if the entry is not an attempt. */
    pod: string;
    /**
     * `preempted`: unschedulable, but preemption made room. `edited`: the manifests were edited. `moment`: time
     * passed and the cluster changed.
     */
    kind: "bound" | "failed" | "preempted" | "error" | "edited" | "moment";
    /** The node that the Pod was bound or nominated to. */
    node: string | null;
    /** Milliseconds since the start; only with a clock. */
    atMs?: number;
    /** What an edit changed, if it was one thing. */
    change?: ForkChange;
}

/** An entry of the run that a fork branched off from. */
export interface FirstMark {
    /** Position in the first run's log. */
    position: number;
    /** Milliseconds since the start; `null` without a clock. */
    atMs: number | null;
    kind: "bound" | "failed" | "preempted" | "error" | "edited" | "moment";
}

/** A fork, and how its end compares with that of the run that it branched off from. */
export interface ForkFrame {
    /** Log position where it branched off. */
    at: number;
    /** What was changed, in the order in which it takes effect. */
    changes: ForkChange[];
    /** So many of the first changes cannot be taken back by themselves: a line of the terminal follows them. */
    settled: number;
    /** Number of entries of the first run. */
    firstLength: number;
    /** The first run's entries after `at`; only some of a long run. */
    first: FirstMark[];
    /** Both runs were tried to their ends; in a simulated cluster, to the same time. Until then, the rest is empty. */
    tried: boolean;
    podsFirst: number;
    placedFirst: number;
    podsNow: number;
    placedNow: number;
    /** Number of Pods whose node differs from the first run, without those that are gone with their nodes. */
    different: number;
    /** The first of these Pods: those that wait now, then those on another node, then those that are gone. */
    differences: Difference[];
    /** The Pods that wait only in the fork, by workload, the most first. */
    waiting?: WaitingPods[];
    /** Number of Pods of DaemonSets and static Pods that are gone with their nodes. */
    gone?: number;
}

/** Pods of one workload that wait. */
export interface WaitingPods {
    /** `Deployment shop/web`. */
    workload: string;
    pods: number;
    /** The first of them (`namespace/name`). */
    first: string;
}

/** A change of an object, or of the seed, that a fork differs by. Values are JSON; `null` if the field is absent. */
export type ForkChange =
    | ForkedObject
    | ForkedField
    | ForkedSeed
    | ForkedRelease
    | ForkedCommand
    | ForkedDrain
    | ForkedZone
    | ForkedNodes;

/** An object that was created or deleted. */
export interface ForkedObject {
    type: "created" | "deleted";
    object: ObjectRef;
}

/** A field that was changed. Its values are JSON; `null` if it is absent. */
export interface ForkedField {
    type: "field";
    object: ObjectRef;
    /** As kubectl names it: `spec.taints[0].effect`. */
    path: string;
    before: string | null;
    after: string | null;
}

/** A line of the terminal that changed the simulated cluster. */
export interface ForkedCommand {
    type: "command";
    line: string;
}

/** A node was drained. Pods are given as `namespace/name`. */
export interface ForkedDrain {
    type: "drained";
    plan: DrainPlan;
}

/** The Pods of a node by what a drain did to them first. */
export interface DrainPlan {
    node: string;
    /** Evicted, and replaced by their owners. */
    replaced: EvictedPod[];
    /** Evicted, and replaced by nothing. */
    lost: string[];
    /** Pods of DaemonSets and static Pods. */
    staying: string[];
    /** Refused by a PodDisruptionBudget at that moment. */
    blocked: BlockedPod[];
    /** There is no PodDisruptionBudget. */
    unbudgeted: boolean;
    /** The line that does it in a terminal. */
    command: string;
}

export interface EvictedPod {
    pod: string;
    /** `kind/name` of its controller. */
    owner: string;
}

export interface BlockedPod {
    pod: string;
    /** The API server's words. */
    cause: string;
}

/** All nodes with a label were deleted. */
export interface ForkedZone {
    type: "zoneLost";
    zone: NodeLabel;
    nodes: string[];
    /** Number of unfinished Pods that were on them. */
    pods: number;
}

export interface NodeLabel {
    key: string;
    value: string;
}

/** Copies of a node were added. */
export interface ForkedNodes {
    type: "nodesAdded";
    like: string;
    nodes: string[];
}

/** The seed that breaks ties. */
export interface ForkedSeed {
    type: "seed";
    before: number;
    after: number;
}

/** The Kubernetes release: `1.36`. */
export interface ForkedRelease {
    type: "release";
    before: string;
    after: string;
}

/** An object of the manifests. */
export interface ObjectRef {
    kind: string;
    /** Empty for cluster-scoped kinds; for others, empty means `default`. */
    namespace: string;
    name: string;
}

/** A Pod whose node differs from the first run. */
export interface Difference {
    pod: string;
    /** Its node at the end of the first run; `null` if it was pending. */
    first: string | null;
    /** Its node at the end of the fork; `null` if it is pending or does not exist. */
    now: string | null;
    /** Whether the Pod exists at the end of the fork. */
    exists: boolean;
}

/** The verdict of a plugin, or of all of them, on a Pod or a node. */
export type Code = "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable";

/** One scheduling cycle of one Pod in full. */
export interface Cycle {
    /** `namespace/name`. */
    pod: string;
    priority: number;
    /** The `schedulerName` of the profile. */
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
    /** The FitError message with PostFilter's part, or the error message. */
    message: string | null;
    /** Whether the cycle ended with an error instead of a verdict. */
    error: boolean;
    preemption: PreemptionReport | null;
    /** What became of ResourceClaims; absent in clusters without dynamic resource allocation. */
    devices?: DeviceReport;
}

/** What a cycle did to ResourceClaims (`namespace/name`). */
export interface DeviceReport {
    /** Claims that the cycle allocated, also if it failed afterwards. */
    claims: ClaimReport[];
    /** Claims that it reserved for the Pod, sorted. */
    reserved: string[];
    /** Claims that PostFilter deallocated. */
    deallocated: string[];
    /** What Filter would allocate on the nodes that it accepted. */
    allocations: NodeAllocations[];
}

/** The allocation of a claim. */
export interface ClaimReport {
    claim: string;
    devices: AllocatedDevice[];
    /** The v1.NodeSelector as JSON; `null` if there is none. */
    nodeSelector: string;
    /** The configurations as JSON; empty if there are none. */
    config: string;
}

/** A device of an allocation. */
export interface AllocatedDevice {
    /** `REQUEST` or `REQUEST/SUBREQUEST`. */
    request: string;
    driver: string;
    pool: string;
    device: string;
    adminAccess: boolean;
}

/** What the open claims of a Pod would get on a node. */
export interface NodeAllocations {
    node: string;
    claims: ClaimDevices[];
}

/** The devices that a claim would get. */
export interface ClaimDevices {
    claim: string;
    /** `REQUEST=DRIVER/POOL/DEVICE`. */
    devices: string[];
}

/** The combined result of the PreFilter plugins. */
export interface PreFilterReport {
    code: Code;
    /** The plugin that rejected the Pod; empty if no single plugin did. */
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

/** The extent of the search for feasible nodes. */
export interface SearchReport {
    /** Nodes in the cluster. */
    nodes: number;
    /** Nodes on which the Filter plugins ran. */
    examined: number;
    /** Number of feasible nodes after which the search stops. */
    wanted: number;
    /** Index into the node list (zone order) where the search started. */
    start: number;
    /** Whether only the nominated node was searched. */
    nominatedOnly: boolean;
}

/** One node in one attempt. */
export interface NodeReport {
    node: string;
    /** The verdict with nominated Pods; null: not examined, which is not the same as rejected. */
    verdict: Verdict | null;
    /** The rejections of each enabled, unskipped Filter plugin, run alone, without nominated Pods. */
    failures: Verdict[];
}

/** A plugin's rejection of a node, or the pass of all plugins (empty `plugin`). */
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
    | DeviceFact
    | NodeNameFact
    | UnschedulableFact
    | NodeFeatureFact;

/** The fields of the two objects that a fact comes from. */
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

/** A requirement on the node's labels or name, and the actual value. */
export interface NodeRequirementFact extends FactPaths {
    kind: "nodeRequirement";
    key: string;
    operator: string;
    values: string[];
    /** Null: the node lacks the label. */
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

/** The Pods that an affinity or anti-affinity term matches in the node's domain. */
export interface PodAffinityFact extends FactPaths {
    kind: "podAffinity";
    /** The Pod's own required term, or an anti-affinity term of running Pods. */
    term: "affinity" | "antiAffinity" | "existingAntiAffinity";
    topologyKey: string;
    /** Null: the node lacks the key. */
    domain: string | null;
    /** Matching Pods in that domain. */
    count: number;
    /** The labels of the Pods that the Pod's own term selects: `app=web`. */
    selector?: string;
    /** Some of the Pods that keep the Pod away by a term of their own, as `namespace/name`. */
    pods?: string[];
}

/** A host port that is in use. */
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

/** What became of one claim or volume. */
export interface VolumeFact extends FactPaths {
    kind: "volume";
    name: string;
    /** The outcome in English. */
    text: string;
    outcome: VolumeOutcome;
}

export type VolumeOutcome =
    | VolumeOfClaim
    | VolumeElsewhere
    | VolumeOfProvisioner
    | VolumeNotFound
    | VolumeWithoutStorage
    | VolumeLabel
    | VolumeInUse;

/** The volume that the claim is bound to, or the free one that it gets. */
export interface VolumeOfClaim {
    is: "usable" | "affinityConflict" | "volumeMissing" | "takes";
    volume: string;
}

/** The claim's volume is being provisioned for another node. */
export interface VolumeElsewhere {
    is: "selectedElsewhere";
    node: string;
}

/** No free volume fits: the claim gets a new one, or `allowedTopologies` exclude the node. */
export interface VolumeOfProvisioner {
    is: "provisions" | "topologyForbids";
    provisioner: string;
}

/** No free volume fits, and the class cannot provision. */
export interface VolumeNotFound {
    is: "nothing";
}

/** The driver has published no sufficient capacity for the node. */
export interface VolumeWithoutStorage {
    is: "noStorage";
    driver: string;
}

/** A topology label of the volume, against that of the node. */
export interface VolumeLabel {
    is: "label";
    key: string;
    values: string[];
    actual: string | null;
}

/** A Pod (`NAMESPACE/NAME`) uses the disk or the claim, which cannot be shared. */
export interface VolumeInUse {
    is: "sharedDisk" | "oncePod";
    pod: string;
}

/** What the search for devices did with one of them. */
export interface DeviceFact extends FactPaths {
    kind: "device";
    /** Name of the ResourceClaim. */
    claim: string;
    /** `REQUEST` or `REQUEST/SUBREQUEST`; empty if the finding concerns the whole claim. */
    request: string;
    /** `DRIVER/POOL/DEVICE`; empty likewise. */
    device: string;
    outcome: DeviceOutcome;
}

export type DeviceOutcome =
    | PlainDeviceOutcome
    | DeviceNotSelected
    | DeviceExhausted
    | DeviceConstrained
    | DeviceBindingFailed;

export interface PlainDeviceOutcome {
    is:
        | "claimElsewhere"
        | "bindingTimedOut"
        | "noDevices"
        | "inUse"
        | "elsewhere"
        | "tainted"
        | "taken"
        | "givenBack";
}

/** A CEL selector of the class (with its name) or of the request is false. */
export interface DeviceNotSelected {
    is: "notSelected";
    class: string | null;
    expression: string;
    /** Pairs: what the expression names, and the device's value. */
    seen: string[][];
}

/** A failure condition of the claim's allocated device is true. */
export interface DeviceBindingFailed {
    is: "bindingFailed";
    reason: string;
    message: string;
}

/** Too little is left of a capacity of the device, or of a counter that it shares with others. */
export interface DeviceExhausted {
    is: "exhausted";
    of: string;
}

/** A `matchAttribute` constraint on this attribute fails. */
export interface DeviceConstrained {
    is: "constrained";
    attribute: string;
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

/** A feature of the kubelet that the Pod needs. */
export interface NodeFeatureFact extends FactPaths {
    kind: "nodeFeature";
    feature: string;
    declared: boolean;
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
    /** Number of nodes with the highest total. */
    among: number;
    /** The seed that broke the tie; null if the alphabetically first node was taken. */
    seed: number | null;
}

/** The result of DefaultPreemption. */
export interface PreemptionReport {
    nominated: string;
    /** `namespace/name`, in order of deletion. */
    victims: string[];
    /** Every node on which the dry run found victims, sorted by name. */
    candidates: Candidate[];
    /** Whether all rules left a tie among the candidates. */
    ambiguous: boolean;
    /** The rule that decided among the candidates. */
    decidedBy: string;
}

/** A node on which preemption could make room. */
export interface Candidate {
    node: string;
    victims: string[];
    pdbViolations: number;
    /**
     * The rank under each rule of the choice, in order; the highest wins. PDB violations, the first
     * victim's priority, the sum of the victims' priorities (each plus 2³¹) and the number of victims,
     * all negated; then the latest start of the most important victims, in ms since 1970, or 2⁵³ − 1 if
     * one of them has not started.
     */
    ranks: number[];
}

/** A run in the format in which the real kube-scheduler's decisions were recorded. */
export interface Trace {
    kubernetes: string;
    scenario: string;
    /** Pods with scheduling gates, sorted. */
    gated: string[];
    /** Pods whose `schedulerName` matches no profile, sorted. */
    unmanaged: string[];
    attempts: TraceAttempt[];
    /** Pods deleted by preemption, in order. */
    deleted: string[];
    /** The node, or null, of every Pod that still exists. */
    final: Record<string, string | null>;
    /** Pods that PreEnqueue still refuses at the end; absent in clusters without dynamic resource allocation. */
    preEnqueue?: Record<string, TraceRefusal>;
    /** All ResourceClaims at the end, by `namespace/name`; absent likewise. */
    finalClaims?: Record<string, TraceFinalClaim>;
}

/** Why PreEnqueue keeps a Pod out of the queue. */
export interface TraceRefusal {
    plugin: string;
    message: string;
}

/** A ResourceClaim at the end of a run. */
export interface TraceFinalClaim {
    allocated: boolean;
    devices: TraceDevice[];
    /** The v1.NodeSelector, or null. */
    nodeSelector: unknown;
    /** Names of Pods. */
    reservedFor: string[];
}

/** What a cycle allocated to a ResourceClaim. */
export interface TraceClaim {
    devices: TraceDevice[];
    /** The v1.NodeSelector, or null. */
    nodeSelector: unknown;
    /** The DeviceAllocationConfigurations; absent if there are none. */
    config?: unknown[];
}

/** A device of an allocation. */
export interface TraceDevice {
    /** `REQUEST` or `REQUEST/SUBREQUEST`. */
    request: string;
    driver: string;
    pool: string;
    device: string;
    /** Absent if false. */
    adminAccess?: boolean;
}

/** One attempt of a trace: one scheduling cycle, with nodes by name. */
export interface TraceAttempt {
    pod: string;
    profile: string;
    round: number;
    nominatedNode: string;
    prefilter: PreFilterReport;
    /** The verdict with nominated Pods on every node that was examined. */
    filters: Record<string, TraceVerdict>;
    /** By node and plugin: every Filter plugin that rejects the node on its own, without nominated Pods. */
    failures: Record<string, Record<string, TraceFailure>>;
    /** Nodes that passed, sorted. */
    feasible: string[];
    prescoreSkipped: string[];
    /** Null with fewer than two feasible nodes. */
    scores: Record<string, TraceScore> | null;
    best: string[];
    selected: string | null;
    message: string | null;
    /** Whether the cycle ended with an error instead of a verdict. */
    error?: boolean;
    preemption: TracePreemption | null;
    /** Claims that the cycle allocated, also if it failed afterwards; absent in clusters without dynamic resource allocation. */
    claims?: Record<string, TraceClaim>;
    /** Claims that it reserved for the Pod, sorted; absent likewise, as the rest. */
    reserved?: string[];
    /** Claims that PostFilter deallocated. */
    deallocated?: string[];
    /** By node and claim, what Filter would allocate: `REQUEST=DRIVER/POOL/DEVICE`. */
    allocations?: Record<string, Record<string, string[]>>;
}

/** The Filter plugins' verdict on a node; only `code` if all of them pass. */
export interface TraceVerdict {
    code: Code;
    /** The first plugin that rejected the node. */
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

/** The result of DefaultPreemption. */
export interface TracePreemption {
    nominated: string;
    /** In order of deletion. */
    victims: string[];
    candidates: Record<string, TraceCandidate>;
    /** Whether all rules left a tie among the candidates. */
    ambiguous: boolean;
}

/** A node on which preemption could make room. */
export interface TraceCandidate {
    victims: string[];
    pdbViolations: number;
}
