/** The result of applying sources. */
export interface Applied {
    /**
     * False if no document could be read, or if kube-scheduler would not start with the configuration; the
     * state is then unchanged.
     */
    accepted: boolean;
    problems: Problem[];
}

/**
 * One problem of the input.
 *
 * Displayed as `pods.yaml:7:5: error: spec.containers: Required value (help)`. Text from the input is displayed
 * with control and bidirectional characters escaped.
 */
export interface Problem {
    severity: Severity;
    /** Name of the file. */
    file: string;
    /** From 1; 0 if the problem is in no file, but in the option that `file` names. */
    line: number;
    /** From 1, in characters. */
    column: number;
    /**
     * The field in the API server's notation: `spec.containers[0].resources.requests[cpu]`. Empty if the
     * problem concerns the document as a whole.
     */
    path: string;
    /** The problem, in the API server's wording if it has one. */
    message: string;
    /** How to fix it; may be empty. */
    help: string;
}

/** The severity of a problem. */
export type Severity =
    /** The API server would reject the object. */
    | "error"
    /** The object is accepted, but probably does not mean what its author intended. */
    | "warning";

/** The versions of Berth and of the Kubernetes release that it follows. */
export interface Version {
    berth: string;
    /** Such as `v1.34.1`. */
    kubernetes: string;
}

/** The state at one position of the log. */
export interface Frame {
    /** From the `Scenario` document; empty without one. */
    title: string;
    /** The rest of that document, if it says more than a title. */
    about?: AboutFrame;
    /** Number of log entries before this moment: attempts, and edits of the manifests. */
    position: number;
    /** Entries in the log; more may follow unless `finished`. */
    logLength: number;
    /** Whether the log is complete: no attempt follows. */
    finished: boolean;
    /** In document order. */
    nodes: NodeFrame[];
    /** In document order, without finished Pods (Succeeded, Failed). */
    pods: PodFrame[];
    /** Number of finished Pods; absent in JSON if there are none. */
    ended?: number;
    /**
     * Pods evicted for Pods that are still nominated, whether they are gone or terminating, in order of eviction;
     * absent if there are none.
     */
    victims?: PodFrame[];
    queue: QueueFrame;
    /** The current time in milliseconds since the start, if time passes. */
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
    /** It says what to compare. */
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
    attributes: [string, string][];
    /** Capacities and their quantities, likewise. */
    capacity: [string, string][];
    /** The attribute that constraints of claims match on, and its value; absent if no claim has one. */
    group?: [string, string];
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
    consumed?: [string, string][];
}

/** Why no claim can get a device. */
export type Unavailable = DeviceTainted | PoolIncomplete | PoolInvalid;

/** It has a taint: `key=value:effect`. Claims with a toleration get it all the same. */
export interface DeviceTainted {
    is: "tainted";
    taint: string;
}

/** Slices of its pool are missing. */
export interface PoolIncomplete {
    is: "poolIncomplete";
}

/** Its pool has a mistake: why. */
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

/** A Pod. */
export interface PodFrame {
    /** `namespace/name`. */
    key: string;
    state: PodState;
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
    /**
     * Keys of the node labels that its rules read: node selector, node affinity and topology keys, sorted;
     * absent if there are none.
     */
    nodeKeys?: string[];
    labels: Record<string, string>;
    /** Log position of its last attempt before this moment. */
    lastAttempt: number | null;
    /** Why it is pending: the message of its last attempt or of its scheduling gates. */
    message: string;
    /** Why the scheduler never tries it; absent if it does. */
    heldBy?: HeldBy;
    /**
     * If time passes, the state of an assigned Pod that is not simply running and ready: `Terminating`,
     * a container's waiting reason (`CrashLoopBackOff`), or `NotReady`.
     */
    status?: string;
}

/** The state of a Pod. */
export type PodState = "bound" | "pending" | "gated";

/** Why a pending Pod is not in the scheduler's queue: one of these. */
export interface HeldBy {
    /** Its scheduling gates. */
    gates?: string[];
    /** Its `schedulerName`, which no profile has. */
    scheduler?: string;
}

/** Keys of pending Pods, in the order in which the scheduler tries them. */
export interface QueueFrame {
    /** Still to be tried in this round; the first is next. */
    active: string[];
    /** Failed recently, in the order in which their backoff ends; only if time passes. */
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
    kind: MarkKind;
    /** The node that the Pod was bound or nominated to. */
    node: string | null;
    /** Milliseconds since the start, if time passes. */
    atMs?: number;
    /** What an edit changed, if it was one thing. */
    change?: ForkChange;
}

/** How an attempt ended. */
export type MarkKind =
    | "bound"
    | "failed"
    /** Unschedulable, but preemption made room. */
    | "preempted"
    | "error"
    /** Not an attempt: the manifests were edited. */
    | "edited"
    /** Not an attempt: time passed and the cluster changed. */
    | "moment";

/** A change of an object, of the seed, or of the release, that a fork differs by. */
export type ForkChange =
    | ForkedObject
    | ForkedField
    | ForkedSeed
    | ForkedRelease
    | ForkedCommand
    | ForkedDrain
    | ForkedZone
    | ForkedNodes;

export interface ForkedObject {
    type:
        /** An object was created. */
        | "created"
        /** An object was deleted. */
        | "deleted";
    object: ObjectRef;
}

/** A field, as kubectl names it: `spec.taints[0].effect`. Its values are JSON; `null` if it is absent. */
export interface ForkedField {
    type: "field";
    object: ObjectRef;
    path: string;
    before: string | null;
    after: string | null;
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

/** A line of the terminal that changed the simulated cluster. */
export interface ForkedCommand {
    type: "command";
    line: string;
}

/** A node was drained. The plan is that of the moment before. */
export interface ForkedDrain {
    type: "drained";
    plan: DrainPlan;
}

/** All nodes with a label were deleted; `pods` unfinished Pods were on them. */
export interface ForkedZone {
    type: "zoneLost";
    zone: NodeLabel;
    nodes: string[];
    pods: number;
}

/** Copies of a node were added. */
export interface ForkedNodes {
    type: "nodesAdded";
    like: string;
    nodes: string[];
}

/** An object of the manifests. */
export interface ObjectRef {
    kind: string;
    /** Empty for cluster-scoped kinds; for others, empty means `default`. */
    namespace: string;
    name: string;
}

/**
 * The Pods of a node by what `kubectl drain --ignore-daemonsets --delete-emptydir-data --force` does to them first.
 * Pods are given as `namespace/name`.
 */
export interface DrainPlan {
    node: string;
    /** Evicted, and replaced by their owners. */
    replaced: EvictedPod[];
    /** Evicted, and replaced by nothing: no controller owns them, or theirs is gone or finished. */
    lost: string[];
    /** Pods of DaemonSets and static Pods. */
    staying: string[];
    /** Refused for now by a PodDisruptionBudget. */
    blocked: BlockedPod[];
    /** There is no PodDisruptionBudget, as in a dump of nodes and Pods alone. */
    unbudgeted: boolean;
    /** The line that does it in a terminal. */
    command: string;
}

/** A Pod that is evicted. */
export interface EvictedPod {
    pod: string;
    /** `kind/name` of its controller. */
    owner: string;
}

/** A Pod whose eviction is refused. */
export interface BlockedPod {
    pod: string;
    /** The API server's words: which budget, and how many healthy Pods it needs. */
    cause: string;
}

/** A label. */
export interface NodeLabel {
    key: string;
    value: string;
}

/** A fork at this moment, compared with the end of the run that it branched off from. */
export interface ForkFrame {
    /** Log position where it branched off. */
    at: number;
    /** What was changed, in the order in which it takes effect. */
    changes: ForkChange[];
    /** Number of first changes that cannot be undone alone: a line of the terminal follows them. */
    settled: number;
    /** Number of entries of the first run. */
    firstLength: number;
    /** The first run's entries after `at`; only some of a long run, but those of failed attempts first. */
    first: FirstMark[];
    /**
     * Both runs were tried to their ends; in a simulated cluster, to the same time. Until then, what follows is not
     * known, and empty.
     */
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
    /** Number of Pods of DaemonSets and static Pods that are gone with their nodes; absent in JSON if there are none. */
    gone?: number;
}

/** An entry of the run that a fork branched off from. */
export interface FirstMark {
    /** The simulated time in milliseconds; `null` without a clock. */
    atMs: number | null;
    /** Position in the first run's log. */
    position: number;
    kind: MarkKind;
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

/** Pods of one workload that wait. */
export interface WaitingPods {
    /** `Deployment shop/web`. */
    workload: string;
    pods: number;
    /** The first of them (`namespace/name`). */
    first: string;
}

/** One scheduling cycle of one Pod. */
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
    /** `null` with fewer than two feasible nodes; else the feasible nodes in document order. */
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

/** The status of a plugin, or of all plugins together. kube-scheduler's `fwk.Code`. */
export type Code =
    | "Success"
    | "Error"
    /** Preempting other Pods may help. */
    | "Unschedulable"
    /** Preempting other Pods cannot help. */
    | "UnschedulableAndUnresolvable";

/** A Score plugin and its weight. */
export interface WeightedPlugin {
    plugin: string;
    weight: number;
}

/** The extent of the search for feasible nodes. */
export interface SearchReport {
    /** Nodes in the cluster. */
    nodes: number;
    /** Nodes that the Filter plugins judged. */
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
    /**
     * The verdict with nominated Pods; `null`: not examined (not the same as rejected). It has facts if the plugin
     * rejects the node only because of nominated Pods.
     */
    verdict: Verdict | null;
    /** The rejections of each enabled, unskipped Filter plugin, run alone, without nominated Pods. */
    failures: Verdict[];
}

/** A plugin's rejection of a node, or the pass of all plugins (empty plugin). */
export interface Verdict {
    code: Code;
    plugin: string;
    reasons: string[];
    /** The numbers behind the reasons; absent if there are none. */
    facts?: Fact[];
}

/** The comparison that a plugin made, by kind. */
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

/** `used + request` against `allocatable`: milli-CPU for `cpu`, else the resource's own unit (bytes, pieces). */
export interface ResourceFact extends FactPaths {
    kind: "resource";
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

/** A requirement on the node's labels (or name), and the actual value. */
export interface NodeRequirementFact extends FactPaths {
    kind: "nodeRequirement";
    key: string;
    operator: string;
    values: string[];
    /** `null`: the node lacks the label. */
    actual: string | null;
    holds: boolean;
}

/** `count + own − minimum` against `maxSkew` in one topology domain. */
export interface SpreadFact extends FactPaths {
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
export interface PodAffinityFact extends FactPaths {
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

/** What the search for devices did with one of them. */
export interface DeviceFact extends FactPaths {
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

/** What every `Fact` has. */
export interface FactPaths {
    /** Field path in the Pod, in the API server's notation (`spec.tolerations`); absent if none. */
    podPath?: string;
    /** Field path in the Node; absent if none. */
    nodePath?: string;
}

/** The kind of the (anti-)affinity term. */
export type AffinityTermKind =
    /** The Pod's own required affinity. */
    | "affinity"
    /** The Pod's own required anti-affinity. */
    | "antiAffinity"
    /** Required anti-affinity of running Pods. */
    | "existingAntiAffinity";

/** What became of a claim or volume on the node. */
export type VolumeOutcome =
    | VolumeOfClaim
    | VolumeElsewhere
    | VolumeOfProvisioner
    | VolumeNotFound
    | VolumeWithoutStorage
    | VolumeLabel
    | VolumeInUse;

export interface VolumeOfClaim {
    is:
        /** The claim is bound to a volume that can be used on the node. */
        | "usable"
        /** The node affinity of the claim's volume excludes the node. */
        | "affinityConflict"
        /** The claim names a volume that does not exist. */
        | "volumeMissing"
        /** The claim gets this free volume. */
        | "takes";
    volume: string;
}

/** The claim's volume is being provisioned for another node. */
export interface VolumeElsewhere {
    is: "selectedElsewhere";
    node: string;
}

export interface VolumeOfProvisioner {
    is:
        /** The claim gets a new volume. */
        | "provisions"
        /** `allowedTopologies` exclude the node. */
        | "topologyForbids";
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

export interface VolumeInUse {
    is:
        /** A Pod of the node mounts the same disk, which cannot be shared. */
        | "sharedDisk"
        /** A Pod uses the claim, whose access mode is ReadWriteOncePod. */
        | "oncePod";
    /** `NAMESPACE/NAME`. */
    pod: string;
}

/** What became of a device, or of the whole claim. */
export type DeviceOutcome =
    | PlainDeviceOutcome
    | DeviceBindingFailed
    | DeviceNotSelected
    | DeviceConstrained
    | DeviceExhausted;

export interface PlainDeviceOutcome {
    is:
        /** The claim is allocated already, to devices that this node cannot use. */
        | "claimElsewhere"
        /** The binding conditions of the allocated device did not hold in time: the claim is given up. */
        | "bindingTimedOut"
        /** The node has no device that the search could look at. */
        | "noDevices"
        /** An allocation holds it, or this search took it already. */
        | "inUse"
        /** The device itself is bound to other nodes. */
        | "elsewhere"
        /** It has a taint that the request does not tolerate. */
        | "tainted"
        | "taken"
        /** Taken before, and given back since the rest could not be allocated with it. */
        | "givenBack";
}

/** A failure condition of the allocated device is true: the claim is given up. */
export interface DeviceBindingFailed {
    is: "bindingFailed";
    reason: string;
    message: string;
}

/** A CEL selector of the class (with its name) or of the request is false. */
export interface DeviceNotSelected {
    is: "notSelected";
    class: string | null;
    expression: string;
    /** What the expression names, with the device's values. */
    seen: [string, string][];
}

/** A `matchAttribute` constraint on this attribute fails. */
export interface DeviceConstrained {
    is: "constrained";
    attribute: string;
}

/** Too little is left of a capacity of the device, or of a counter that it shares with others. */
export interface DeviceExhausted {
    is: "exhausted";
    of: string;
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
    /** The seed that broke the tie; `null` if the alphabetically first node was taken. */
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
     * all negated; then the latest start of the most important victims, in ms since 1970, or
     * 2⁵³ − 1 if one of them has not started.
     */
    ranks: number[];
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
    /** `namespace/name`. */
    claim: string;
    /** `REQUEST=DRIVER/POOL/DEVICE`. */
    devices: string[];
}

/** A run in the format in which the real kube-scheduler's decisions were recorded. */
export interface Trace {
    /** Such as `v1.34.1`. */
    kubernetes: string;
    scenario: string;
    /** Pods with scheduling gates, sorted. */
    gated: string[];
    /** Pods whose `schedulerName` matches no profile, sorted. */
    unmanaged: string[];
    attempts: TraceAttempt[];
    /** Pods deleted by preemption, in order. */
    deleted: string[];
    /** The node of every Pod that still exists; `null` if it has none. */
    final: Record<string, string | null>;
    /** Pods that PreEnqueue still refuses at the end; absent in clusters without dynamic resource allocation. */
    preEnqueue?: Record<string, TraceRefusal>;
    /** All ResourceClaims at the end, by `namespace/name`; absent likewise. */
    finalClaims?: Record<string, TraceFinalClaim>;
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
    /** `null` with fewer than two feasible nodes. */
    scores: Record<string, TraceScore> | null;
    best: string[];
    selected: string | null;
    message: string | null;
    preemption: TracePreemption | null;
    /** Whether the cycle ended with an error instead of a verdict; absent in JSON if false. */
    error?: boolean;
    /**
     * Claims that the cycle allocated, also if it failed afterwards; absent in clusters without dynamic resource
     * allocation.
     */
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
    /** Absent in JSON if false. */
    adminAccess?: boolean;
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
