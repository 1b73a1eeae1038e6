// Finds the object and the field at the cursor. Needs no browser: `|` marks the cursor.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Fields } from "../../www/editor/fields.mjs";
import { ITEM, commentStart, readLine } from "../../www/editor/lines.mjs";
import { nextLine } from "../../www/editor/keys.mjs";
import { placeAt } from "../../www/editor/position.mjs";

const generated = JSON.parse(readFileSync(new URL("../../www/editor/fields.json", import.meta.url)));
const fields = new Fields(generated);

function at(marked) {
  const before = marked.slice(0, marked.indexOf("|"));
  const lines = marked.replace("|", "").split("\n");
  const doc = { lines: lines.length, line: (number) => lines[number - 1] };
  const column = before.length - before.lastIndexOf("\n") - 1;
  return placeAt(doc, before.split("\n").length, column);
}

/** A summary: kind, path, role, word and type, such as `Deployment spec.template.spec key tolera PodSpec`. */
function described(marked) {
  const place = at(marked);
  if (!place) return null;
  const path = place.path.map((step) => (step === ITEM ? "[]" : step)).join(".");
  const type = fields.resolve(place)?.type;
  return [place.kind, path, place.role, place.word.text, type ?? "?"].filter(Boolean).join(" ");
}

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
`;

test("a name that is being typed belongs to the mapping around it", () => {
  assert.equal(described(`${DEPLOYMENT}      tolera|`), "Deployment spec.template.spec key tolera PodSpec");
  assert.equal(described(`${DEPLOYMENT}      |`), "Deployment spec.template.spec key PodSpec");
  assert.equal(described(`${DEPLOYMENT}    |`), "Deployment spec.template key PodTemplateSpec");
  assert.equal(described(`${DEPLOYMENT}  repl|icas: 3`), "Deployment spec key replicas DeploymentSpec");
});

test("lists may be as far in as their field, or further", () => {
  for (const dash of ["      ", "        "]) {
    const list = `${DEPLOYMENT}      tolerations:\n${dash}- key: a\n${dash}- operator: Exists\n${dash}  eff|`;
    assert.equal(described(list), "Deployment spec.template.spec.tolerations.[] key eff Toleration");
  }
  const other = `${DEPLOYMENT}      tolerations:\n      - key: a\n      node|Name: b`;
  assert.equal(described(other), "Deployment spec.template.spec key nodeName PodSpec");
});

test("a value belongs to its field", () => {
  const taint = "kind: Node\napiVersion: v1\nspec:\n  taints:\n  - key: a\n    effect: No|Sch";
  assert.equal(described(taint), "Node spec.taints.[].effect value NoSch string");
  assert.equal(described("kind: |\napiVersion: v1"), "kind value ?");
});

test("brackets count as well", () => {
  const flow = "apiVersion: v1\nkind: Node\nspec: {unschedulable: true, taints: [{key: a, eff|";
  assert.equal(described(flow), "Node spec.taints.[] key eff Taint");
  assert.equal(described(`${flow}ect: NoSchedule}]}`), "Node spec.taints.[] key effect Taint");
  const value = "apiVersion: v1\nkind: Node\nspec: {taints: [{key: a, effect: No|}]}";
  assert.equal(described(value), "Node spec.taints.[].effect value No string");
  const lines = "apiVersion: v1\nkind: Pod\nspec: {\n  containers: [{name: a}],\n  tol|";
  assert.equal(described(lines), "Pod spec key tol PodSpec");
  const item = "apiVersion: v1\nkind: Pod\nspec:\n  tolerations:\n  - {key: a, op|";
  assert.equal(described(item), "Pod spec.tolerations.[] key op Toleration");
});

test("JSON is YAML", () => {
  const json = '{\n  "apiVersion": "v1",\n  "kind": "Pod",\n  "spec": {\n    "node|Name": "a"\n  }\n}';
  assert.equal(described(json), "Pod spec key nodeName PodSpec");
  const list =
    '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"node|';
  assert.equal(described(list), "Pod spec key node PodSpec");
});

test("an item of a List is an object of its own", () => {
  const list = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: a}
- metadata: {name: b}
  spec:
    nodeSel|
  apiVersion: v1
  kind: Pod
`;
  assert.equal(described(list), "Pod spec key nodeSel PodSpec");
});

test("another document says nothing about this one", () => {
  assert.equal(described(`${DEPLOYMENT}---\nspec:\n  a|\nkind: Pod\n---\nkind: Node`), "Pod spec key a PodSpec");
});

test("owner references are not objects", () => {
  const pod = `apiVersion: v1
kind: Pod
metadata:
  ownerReferences:
  - apiVersion: apps/v1
    kind: ReplicaSet
    na|
`;
  assert.equal(described(pod), "Pod metadata.ownerReferences.[] key na OwnerReference");
});

test("comments and block scalars hold no fields", () => {
  assert.equal(described("kind: Pod # spe|c"), null);
  assert.equal(described("kind: ConfigMap\ndata:\n  script: >\n    spec:\n      a|"), null);
  assert.equal(commentStart("a: 'b # c' # d"), 11);
  assert.equal(commentStart("it's: a # d"), 8);
});

test("lines that are not YAML have no key", () => {
  for (const text of ["", "-", "- ", "{a: b}", "a:b", "# a: b", "'a", "*a : b", "http://a"]) {
    assert.equal(readLine(text).key, null, text);
  }
  assert.equal(readLine('- - "a: b" : c').key, "a: b");
  assert.equal(readLine("kubernetes.io/os: linux").key, "kubernetes.io/os");
});

test("Enter continues the YAML block", () => {
  assert.equal(nextLine("  spec:"), "    ");
  assert.equal(nextLine("- spec: # here"), "    ");
  assert.equal(nextLine("  a: b"), "  ");
  assert.equal(nextLine("  - a: b"), "    ");
  assert.equal(nextLine("  - ssd"), "  - ");
  assert.equal(nextLine("  a: |-"), "    ");
  // What the field has already decides.
  assert.equal(nextLine("  list:", "  - a: b"), "  - ");
  assert.equal(nextLine("  list:", "    - a: b"), "    - ");
  assert.equal(nextLine("  list:", "- a: b"), "    ");
  assert.equal(nextLine("- list:", "  - a: b"), "  - ");
  assert.equal(nextLine("  map:", "     a: b"), "     ");
  assert.equal(nextLine("  map:", "  other: b"), "    ");
});

test("every value and usual key belongs to a field that there is", async () => {
  const { KEYS, VALUES } = await import("../../www/editor/values.mjs");
  for (const id of [...Object.keys(VALUES), ...Object.keys(KEYS)]) {
    const [type, name] = id.split(".");
    assert.ok(fields.field(type, name), id);
  }
});

test("every type that a field names is described or a scalar", () => {
  const scalars = ["string", "integer", "number", "boolean", "object", "any"];
  scalars.push("Quantity", "IntOrString", "Time", "MicroTime", "FieldsV1", "RawExtension");
  for (const type of Object.keys(fields.types)) {
    for (const field of fields.fieldsOf(type)) {
      const inner = field.type.replaceAll(/\[\]|\{\}/g, "");
      assert.ok(scalars.includes(inner) || inner in fields.types, `${type}.${field.name}: ${inner}`);
      assert.notEqual(field.help.trim(), "", `${type}.${field.name}`);
    }
  }
});
