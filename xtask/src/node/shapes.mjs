/**
 * Writes the tables of Go's structures from the sources of Kubernetes:
 *
 *   node xtask/src/node/shapes.mjs KUBERNETES
 *
 * `crates/core/src/api/shapes/types.txt` comes from `staging/src/k8s.io/api`, `internal.txt` from `pkg/apis`. The modules
 * beside them say how a line reads.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [root] = process.argv.slice(2);
const staging = join(root, "staging/src/k8s.io");
const to = new URL("../../../crates/core/src/api/shapes/", import.meta.url);

/** Packages by the name that other packages import them by, or else by group. */
const PACKAGES = {
  core: "api/core/v1", apps: "api/apps/v1", batch: "api/batch/v1", policy: "api/policy/v1", storage: "api/storage/v1",
  scheduling: "api/scheduling/v1", discovery: "api/discovery/v1", autoscaling: "api/autoscaling/v2",
  resource: "api/resource/v1", meta: "apimachinery/pkg/apis/meta/v1", node: "api/node/v1", coordination: "api/coordination/v1",
};
const ALIASES = { v1: "core", apiv1: "core", metav1: "meta", corev1: "core" };

/** The kinds whose structures are listed. */
const ROOTS = {
  core: "Node Pod PersistentVolumeClaim PersistentVolume Namespace LimitRange ResourceQuota Service ReplicationController ConfigMap Secret Endpoints ServiceAccount",
  apps: "Deployment ReplicaSet StatefulSet DaemonSet ControllerRevision",
  batch: "Job CronJob",
  storage: "StorageClass CSINode CSIDriver CSIStorageCapacity",
  scheduling: "PriorityClass",
  policy: "PodDisruptionBudget",
  discovery: "EndpointSlice",
  autoscaling: "HorizontalPodAutoscaler",
  resource: "ResourceClaim ResourceClaimTemplate ResourceSlice DeviceClass",
  node: "RuntimeClass",
  coordination: "Lease",
};

/** Of two types with one name, these keep their package. */
const SHARED = ["core.ResourceClaim", "discovery.EndpointPort"];

const without = (text) => text.replace(/\/\*[^]*?\*\//g, "").replace(/\/\/[^\n]*/g, "");

/** The structures and the named types of Go sources. */
function declarations(text) {
  const structures = {}, named = {};
  for (const [, name, body] of text.matchAll(/^\s*type\s+(\w+)\s+struct\s*\{\n([^]*?)^\}/gm)) {
    structures[name] = body.split("\n").map((line) => line.trim()).filter(Boolean);
  }
  for (const [, name, type] of text.matchAll(/^\s*type\s+(\w+)\s+((?:map\[[\w.]+\])?[\w.[\]]+)\s*$/gm)) {
    if (type !== "struct") named[name] = type;
  }
  return { structures, named };
}

const TYPE = /^((?:\*|\[\]|map\[[\w.]+\])*)([\w.]+)$/;

/** Splits `[]metav1.Time` into what wraps it, the name, and the package that it is imported from. */
function split(type) {
  const [, wraps, name] = TYPE.exec(type);
  const [from, own] = name.includes(".") ? name.split(".") : ["", name];
  return { wraps, from, name: own };
}

/** The fields of a structure of the API: name, type, JSON key, options. */
function tagged(lines) {
  const fields = lines.map((line) => /^(?:(\w+)\s+)?([*[\]\w.]+(?:\[\w+\])?[*[\]\w.]*)\s+`([^`]*)`/.exec(line));
  return fields.filter((field) => field && /json:"/.test(field[3])).map(([, name, type, tags]) => {
    const [key, ...options] = /json:"([^"]*)"/.exec(tags)[1].split(",");
    return { name: name ?? split(type).name, type, key, options, embedded: !name };
  });
}

const api = {};
for (const [name, folder] of Object.entries(PACKAGES)) {
  const files = readdirSync(join(staging, folder)).filter((file) => file.endsWith("types.go") || /^(micro_)?time\.go$/.test(file));
  const text = files.sort().map((file) => without(readFileSync(join(staging, folder, file), "utf8")));
  const { structures, named } = declarations(text.join("\n"));
  api[name] = { named, structures: Object.fromEntries(Object.entries(structures).map(([own, lines]) => [own, tagged(lines)])) };
}

function types() {
  const lines = [], seen = new Set();
  const shared = (group, name) => (SHARED.includes(`${group}.${name}`) ? `${group}.${name}` : name);
  const visit = (group, structure) => {
    const id = `${group}.${structure}`;
    if (seen.has(id)) return;
    seen.add(id);
    const inner = [];
    const fields = api[group].structures[structure].filter((field) => field.name !== "TypeMeta").map((field) => {
      const { wraps, from, name } = split(field.type);
      const source = from ? ALIASES[from] ?? from : group;
      const named = api[source]?.named[name];
      let shown = name;
      if (api[source]?.structures[name] && name !== "Time" && name !== "MicroTime") {
        inner.push([source, name]);
        shown = shared(source, name);
      } else if (named) shown = named.startsWith("map[") ? `~${name}` : `@${name}`;
      else if (source === "types") shown = `@types.${name}`;
      else if (from === "resource") shown = "Quantity";
      else if (from === "intstr") shown = "IntOrString";
      else if (from === "runtime") shown = "Raw";
      const type = wraps + shown;
      if (field.options.includes("inline") || field.key === "") return `^${type}`;
      const mark = field.options.includes("omitzero") ? "?" : field.options.includes("omitempty") ? "" : "!";
      return field.key + mark + (type === "string" ? "" : ` ${type}`);
    });
    lines.push(`${shared(group, structure)}${group === "autoscaling" ? "@v2" : ""}: ${fields.join(", ")}`);
    inner.forEach(([source, name]) => visit(source, name));
  };
  for (const [group, names] of Object.entries(ROOTS)) names.split(" ").forEach((name) => visit(group, name));
  return lines;
}

/** The fields of an internal structure, which has no tags: name, type. */
function untagged(lines) {
  return lines.flatMap((line) => {
    const alone = /^\*?([\w.]+)$/.exec(line);
    if (alone) return [{ name: alone[1].split(".").at(-1), type: line, embedded: true }];
    const field = /^((?:\w+\s*,\s*)*\w+)\s+([*[\]\w.]+(?:\[[\w.]+\][*[\]\w.]*)?)\s*(?:`[^`]*`)?$/.exec(line);
    return field ? field[1].split(",").map((name) => ({ name: name.trim(), type: field[2], embedded: false })) : [];
  });
}

/** The JSON key of a Go field that follows the rule: `dnsPolicy` for `DNSPolicy`. */
function keyOf(name) {
  const capitals = /^[A-Z]*/.exec(name)[0].length;
  const lowered = capitals > 1 && capitals < name.length ? capitals - 1 : capitals;
  return name.slice(0, lowered).toLowerCase() + name.slice(lowered);
}

/** The key that `v1` gives a field, also within what it embeds. */
function keyInApi(group, structure, name) {
  const fields = api[group].structures[structure] ?? [];
  const own = fields.find((field) => field.name === name);
  if (own) return own.key;
  const embedded = fields.filter((field) => field.embedded || field.key === "");
  return embedded.map((field) => keyInApi(group, split(field.type).name, name)).find(Boolean);
}

/** Fields of the internal PodSecurityContext that `v1` has in the spec. */
const MOVED = ["HostNetwork", "HostPID", "HostIPC", "ShareProcessNamespace", "HostUsers"];
const PLAIN = ["bool", "int32", "int64"];

function internal() {
  const groups = Object.fromEntries(["batch", "core", "resource"].map((group) => {
    const text = without(readFileSync(join(root, "pkg/apis", group, "types.go"), "utf8"));
    return [group, declarations(text)];
  }));
  const lines = [], seen = new Set();
  const visit = (group, structure) => {
    const id = `${group}.${structure}`;
    if (seen.has(id)) return;
    seen.add(id);
    const inner = [];
    const own = untagged(groups[group].structures[structure]).filter((field) => field.name !== "TypeMeta");
    const fields = own.map((field) => {
      const { wraps, from, name } = split(field.type);
      const source = from ? { metav1: "meta", api: "core" }[from] ?? from : group;
      const named = groups[source]?.named[name];
      let shown = name;
      if (groups[source]?.structures[name]) {
        inner.push([source, name]);
        if (source === "core" && name === "ResourceClaim") shown = "core.ResourceClaim";
      } else if (source === "meta" || from === "runtime") shown = `=${name}`;
      else if (named) shown = named.startsWith("map[") ? `~${name}` : named.startsWith("[]") || PLAIN.includes(named) ? named : "string";
      else if (from === "resource") shown = "Quantity";
      else if (from === "types") shown = "string";
      else if (from === "intstr") shown = "IntOrString";
      const type = wraps + shown;
      if (field.embedded) return `^${type}`;
      const moved = structure === "PodSecurityContext" && MOVED.includes(field.name);
      const key = moved ? `/${keyOf(field.name)}` : keyInApi(group, structure, field.name) ?? keyOf(field.name);
      return field.name + (keyOf(field.name) === key ? "" : `=${key}`) + (type === "string" ? "" : ` ${type}`);
    });
    const title = group === "core" && structure === "ResourceClaim" ? "core.ResourceClaim" : structure;
    lines.push(`${title}: ${fields.join(", ")}`);
    inner.forEach(([source, name]) => visit(source, name));
  };
  for (const name of ["PodTemplateSpec", "PersistentVolumeSource", "VolumeNodeAffinity", "PersistentVolumeClaimSpec"]) visit("core", name);
  for (const name of ["PodFailurePolicy", "SuccessPolicy"]) visit("batch", name);
  for (const name of ["ResourceClaimSpec", "ResourceClaimTemplateSpec"]) visit("resource", name);
  return lines;
}

writeFileSync(new URL("types.txt", to), `${types().join("\n")}\n`);
writeFileSync(new URL("internal.txt", to), `${internal().join("\n")}\n`);
