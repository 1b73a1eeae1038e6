//! A short, seeded run of the fuzz targets' invariants over mutated manifests.

#[path = "../../fuzz/invariants.rs"]
mod invariants;

/// Typical manifests, from which mutations start.
const MANIFESTS: [&str; 4] = [
    "# a Pod\napiVersion: v1\nkind: Pod\nmetadata:\n  name: web-1\n  labels: {app: web, \"tier\": 'front'}\nspec:\n  \
     nodeSelector:\n    disk: ssd\n  containers:\n  - name: c\n    image: nginx:1.27\n    resources:\n      requests: \
     {cpu: 500m, memory: 1.5Gi}\n    args:\n    - |\n      echo [\n      ---\n  tolerations:\n  - {key: a, operator: \
     Exists, effect: NoSchedule}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: node-1}\nstatus:\n  allocatable: {cpu: 4, \
     memory: 32Gi, pods: \"110\"}\n",
    "apiVersion: v1\nkind: List\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata:\n    creationTimestamp: null\n    \
     name: d\n  spec:\n    replicas: 3\n    selector: &s\n      matchLabels: {app: d}\n    template:\n      metadata:\n        \
     labels: {<<: {app: d}}\n      spec: {}\n- {apiVersion: v1, kind: Secret, metadata: {name: s}}\n- apiVersion: policy/v1\n  \
     kind: PodDisruptionBudget\n  spec: {maxUnavailable: 25%, selector: *s}\n",
    "{\n\t\"apiVersion\": \"v1\", \"kind\": \"PodList\",\n\t\"items\": [\n\t\t{\"metadata\": {\"name\": \"x\", \"uid\": \
     \"1\", \"creationTimestamp\": \"2025-01-01T00:00:00Z\"}, \"spec\": {\"priority\": 1e3}},\n\t\t{\"metadata\": \
     {\"name\": \"\\u00e9\"}, \"status\": {\"phase\": \"Running\"}}\n\t]\n}\n",
    "apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: Spread\nsteps:\n- kubectl get pods\nexpectations:\n- pod: \
     default/web-1\n  state: Bound\n...\n---\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\
     profiles:\n- plugins: {score: {disabled: [{name: '*'}]}}\n",
];

const CONFIGURATIONS: [&str; 1] = [
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 50\nprofiles:\n- \
     schedulerName: a\n  plugins:\n    multiPoint: {enabled: [{name: NodeResourcesFit, weight: 3}]}\n    score: {disabled: \
     [{name: '*'}], enabled: [{name: ImageLocality, weight: 2}]}\n  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      \
     scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}\n  - name: PodTopologySpread\n    args: \
     {defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}]}\n",
];

const SELECTORS: [&str; 2] = [
    "{matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: ['', x]}]}",
    "matchExpressions:\n- key: app\n  operator: NotIn\n  values: [db]\n- {key: x, operator: DoesNotExist}\n",
];

const EXPRESSIONS: [&str; 8] = [
    "device.attributes[\"gpu.example.com\"].model == 'h100' && !(device.attributes['gpu.example.com'].index in [1, 2])",
    "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0 || has(device.attributes['x'].y)",
    "semver(device.attributes['other.example'].driver.string).isLessThan(semver('2.0.0'))",
    "[1, 2, 3].map(x, x * 9223372036854775807).exists_one(y, y / 0 == 1u ? true : false)",
    "device.driver.matches('^(a+)+$') || device.driver.split('.').size() > 2",
    "cel.bind(m, device.attributes.?['gpu.example.com'].?model.orValue('none'), m.startsWith('h') ? m : \"\"\"x\"\"\")",
    "{'a': [b'\\xff', 1.5e300, -0x7f, null]}.a.all(i, type(i) == int) && duration('1h').getHours() == 1",
    "[[1], [2]].all(x, [[3]].all(y, [4, 5].filter(z, z > 4).size() + x.size() < y.size() + 10))",
];

const QUANTITIES: [&str; 8] = [
    "1.5Gi",
    "500m",
    "0.0001Ki",
    "1e-3",
    "-12E",
    "9223372036854775807",
    "1E6",
    "16Ei",
];

/// Pieces that change the meaning of the text around them.
const PIECES: [&str; 41] = [
    "(",
    ")",
    ".all(x, x)",
    " ? ",
    " && ",
    "!",
    "-",
    "9223372036854775808",
    "\n---\n",
    "\n...\n",
    "[",
    "]",
    "{",
    "}",
    "{{ .x }}",
    "&a ",
    "*a",
    "<<: *a",
    "\"",
    "'",
    "\t",
    ": ",
    "\n- ",
    "? ",
    "#",
    " |\n",
    ">-\n",
    "%TAG ! x\n",
    "!!str ",
    "!x ",
    "yes",
    "0777",
    ".nan",
    "1e400",
    "\u{202e}",
    "\u{0}",
    "\u{feff}",
    "é日",
    "\r\n",
    "\u{2028}",
    "e9",
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn place(&mut self, text: &str) -> usize {
        let at = self.below(text.len() + 1);
        (at..=text.len())
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(text.len())
    }

    fn piece(&mut self, text: &str, limit: usize) -> std::ops::Range<usize> {
        let start = self.place(text);
        let end = start + self.below(limit).min(text.len() - start);
        start
            ..(end..=text.len())
                .find(|&at| text.is_char_boundary(at))
                .unwrap_or(text.len())
    }

    fn mutate(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..=self.below(4) {
            match self.below(5) {
                0 | 1 => {
                    let at = self.place(&text);
                    text.insert_str(at, self.pick(&PIECES));
                }
                2 => {
                    let piece = self.piece(&text, 12);
                    text.replace_range(piece, "");
                }
                3 => {
                    let piece = text[self.piece(&text, 80)].to_owned();
                    let at = self.place(&text);
                    text.insert_str(at, &piece);
                }
                _ => {
                    let at = self.place(&text);
                    let piece = self.pick(&PIECES).repeat(self.below(200));
                    text.insert_str(at, &piece);
                }
            }
        }
        text
    }
}

fn run(seeds: &[&str], cases: usize, invariant: fn(&str)) {
    for case in 0..cases {
        let mut random = Random(case as u64);
        let seed = random.pick(seeds);
        let text = random.mutate(seed);
        if std::panic::catch_unwind(|| invariant(&text)).is_err() {
            panic!("case {case}:\n{text:?}");
        }
    }
}

#[test]
fn any_text_loads() {
    run(&MANIFESTS, 3_000, invariants::load);
}

#[test]
fn any_configuration_is_read() {
    run(&CONFIGURATIONS, 3_000, invariants::config);
}

#[test]
fn quantities_survive_printing() {
    run(&QUANTITIES, 3_000, invariants::quantity);
}

#[test]
fn selectors_are_evaluated() {
    run(&SELECTORS, 2_000, invariants::selector);
}

#[test]
fn expressions_are_bounded() {
    run(&EXPRESSIONS, 3_000, invariants::cel);
}
