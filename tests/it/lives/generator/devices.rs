//! Devices in random lives: slices come and go, classes change, and Pods claim devices alone or together.

use super::{Act, Generator, heredoc};

/// Objects that every cluster with devices has: a class, templates, and a claim for several Pods.
const COMMON: [&str; 5] = [
    CLASS,
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: own, namespace: default}, spec: {spec: \
     {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}}}",
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: either, namespace: default}, spec: {spec: \
     {devices: {requests: [{name: g, firstAvailable: [{name: big, deviceClassName: gpu, selectors: [{cel: {expression: \
     'device.attributes[\"d.example\"].model == \"big\"'}}]}, {name: two, deviceClassName: gpu, count: 2}]}]}}}}",
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: pair, namespace: default}, spec: {spec: \
     {devices: {requests: [{name: g, exactly: {deviceClassName: gpu, count: 2}}], constraints: [{matchAttribute: \
     d.example/root}]}}}}",
    SHARED,
];

const CLASS: &str = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: \
     {expression: device.driver == 'd.example'}}]}}";

const SHARED: &str = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: shared, namespace: default}, \
     spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}}";

/// Expressions of a class: true, false, undecidable, costly, and none at all.
const EXPRESSIONS: [&str; 8] = [
    "device.driver == 'd.example'",
    "device.attributes['d.example'].index < 2",
    "device.attributes['d.example'].model == 'big'",
    "device.attributes['d.example'].nowhere == 1",
    "device.capacity['d.example'].memory.compareTo(quantity('2Gi')) >= 0",
    "'x'.matches('(((')",
    "device.driver.startsWith(",
    "[1, 2, 3].all(x, [1, 2, 3].exists(y, x == y && device.driver.contains('d')))",
];

/// Pods of the manifests that claim a device.
pub(super) const PODS: u64 = 4;

const CLAIMS: [&str; 6] = [
    "resourceClaimTemplateName: own",
    "resourceClaimTemplateName: own",
    "resourceClaimTemplateName: either",
    "resourceClaimTemplateName: pair",
    "resourceClaimName: shared",
    "resourceClaimName: absent",
];

impl Generator<'_> {
    pub(super) fn devices(&mut self) -> Vec<String> {
        let mut all: Vec<String> = COMMON.map(str::to_owned).to_vec();
        for node in 0..self.size.nodes {
            all.push(self.slice(node));
        }
        for pod in 0..PODS {
            all.push(self.claiming_pod(pod));
        }
        all
    }

    /// The claim of a workload's Pods, or nothing.
    pub(super) fn device_claim(&mut self) -> String {
        if self.one_in(2) {
            return String::new();
        }
        format!("resourceClaims: [{{name: g, {}}}], ", self.pick(&CLAIMS))
    }

    /// A slice of a node, or of all nodes, in some generation.
    fn slice(&mut self, node: u64) -> String {
        let generation = self.below(3) + 1;
        let slices = if self.one_in(8) { 2 } else { 1 };
        let place = match self.below(6) {
            0 => "allNodes: true".to_owned(),
            1 => "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: Exists}]}]}"
                .to_owned(),
            _ => format!("nodeName: n{node}"),
        };
        let devices: Vec<String> = (0..self.below(4)).map(|it| self.device(it)).collect();
        let devices = devices.join(", ");
        format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: s{node}}}, spec: {{driver: d.example, \
             {place}, pool: {{name: s{node}, generation: {generation}, resourceSliceCount: {slices}}}, devices: [{devices}]}}}}"
        )
    }

    fn device(&mut self, number: u64) -> String {
        let (model, root) = (self.pick(&["big", "small"]), self.below(2));
        let taint = match self.below(8) {
            0 => ", taints: [{key: broken, effect: NoSchedule}]",
            _ => "",
        };
        format!(
            "{{name: g{number}, attributes: {{index: {{int: {number}}}, model: {{string: {model}}}, root: {{string: r{root}}}}}, \
             capacity: {{memory: {{value: {}Gi}}}}{taint}}}",
            number + 1
        )
    }

    fn claiming_pod(&mut self, number: u64) -> String {
        let claim = self.pick(&CLAIMS);
        let fate = self.pick(&["", "berth.dev/run-for: 15s"]);
        let policy = self.pick(&["", "restartPolicy: Never, "]);
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: g{number}, namespace: default, annotations: {{{fate}}}}}, spec: \
             {{{policy}resourceClaims: [{{name: g, {claim}}}], containers: [{{name: c, image: app}}]}}}}"
        )
    }

    /// A shell substitution that yields the name of some claim.
    fn some_claim(&mut self) -> String {
        let line = self.below(6) + 1;
        format!("$(kubectl get resourceclaims -o name | head -n {line} | tail -n 1)")
    }

    pub(super) fn device_act(&mut self) -> Act {
        let node = self.below(self.size.nodes);
        Act::Line(match self.below(16) {
            0..5 => {
                let number = self.below(8);
                heredoc("apply", &self.claiming_pod(number))
            }
            5 | 6 => format!("kubectl delete pod g{} --wait=false", self.below(8)),
            7 | 8 => format!("kubectl delete {} --wait=false", self.some_claim()),
            9 => heredoc("apply", SHARED),
            10 | 11 => heredoc("apply", &self.slice(node)),
            12 => format!("kubectl delete resourceslice s{node}"),
            13 => {
                let expression = self.pick(&EXPRESSIONS);
                let patch = format!(
                    r#"{{"spec":{{"selectors":[{{"cel":{{"expression":{expression:?}}}}}]}}}}"#
                );
                let patch = patch.replace('\'', r"'\''");
                format!("kubectl patch deviceclass gpu --type=merge -p '{patch}'")
            }
            14 => "kubectl get resourceclaims,resourceslices,deviceclasses,resourceclaimtemplates -o wide"
                .to_owned(),
            _ => {
                let what = self.pick(&["resourceclaims", "resourceslices", "deviceclass/gpu"]);
                format!("kubectl describe {what}; kubectl get {what} -o yaml")
            }
        })
    }

    /// Removes what keeps Pods from devices for ever.
    pub(super) fn device_peace(&mut self) -> Vec<Act> {
        let good = COMMON.map(|document| Act::Line(heredoc("apply", document)));
        good.to_vec()
    }
}
