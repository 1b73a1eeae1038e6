// What is built into Berth and is not ours: the crates of the command, the page and the packages, from Cargo's metadata, and the npm
// packages that the editor's bundle contains, from package-lock.json, where tools are `dev`.
//
// Usage: node xtask/src/node/inventory.mjs notices|sbom
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const read = (...names) => readFileSync(join(root, ...names), "utf8");
/** The manifest of the Python package, which is a workspace of its own. */
const PYTHON = "packaging/python";
/** What is published: the page, the command with it, and the engine for JavaScript and for Python. */
const BUILT = [
  { features: "berth/cli,berth/mcp,berth/serve", platform: undefined },
  { features: "berth/ui", platform: "wasm32-unknown-unknown" },
  { features: "berth/js,berth/cli", platform: "wasm32-unknown-unknown" },
  { folder: PYTHON, platform: undefined },
];

const byName = (one, other) => (one.name === other.name ? (one.version < other.version ? -1 : 1) : one.name < other.name ? -1 : 1);

function cargoMetadata({ folder = ".", features, platform }) {
  const args = ["metadata", "--locked", "--format-version", "1", "--manifest-path", join(folder, "Cargo.toml")];
  if (features) args.push("--no-default-features", "--features", features);
  // Without a platform: what any of the command's platforms needs.
  if (platform) args.push("--filter-platform", platform);
  return JSON.parse(execFileSync("cargo", args, { cwd: root, maxBuffer: 1 << 28 }));
}

const isBuiltIn = ({ dep_kinds: kinds }) => kinds.some(({ kind }) => kind === null);

/** The crates that a build contains, with those that each needs: neither tests nor what runs at compile time. */
function cratesOf(build) {
  const { packages, resolve: resolved } = cargoMetadata(build);
  const known = new Map(packages.map((it) => [it.id, it]));
  const nodes = new Map(resolved.nodes.map((node) => [node.id, node]));
  const isMacro = (id) => known.get(id).targets.some(({ kind }) => kind.includes("proc-macro"));
  const found = new Map();
  const visit = (id) => {
    if (found.has(id) || isMacro(id)) return;
    const needs = nodes.get(id).deps.filter(isBuiltIn).map(({ pkg }) => pkg).filter((pkg) => !isMacro(pkg));
    found.set(id, { ...known.get(id), needs });
    needs.forEach(visit);
  };
  visit(resolved.root ?? packages.find(({ name }) => name === "berth").id);
  return found;
}

const reference = ({ name, version, source }) => (source === null ? `${name}@${version}` : `pkg:cargo/${name}@${version}`);

/** Crates of others, and of ours those that they belong to. */
function crates() {
  const all = new Map(BUILT.flatMap((build) => [...cratesOf(build)]));
  const locks = ["Cargo.lock", `${PYTHON}/Cargo.lock`].map((file) => read(file)).join("\n");
  const sums = new Map([...locks.matchAll(/name = "(.+)"\nversion = "(.+)"\nsource = .*\nchecksum = "(.+)"/g)].map(([, name, version, sum]) => [`${name}@${version}`, sum]));
  return [...all.values()].sort(byName).map((it) => ({
    kind: "crate",
    name: it.name,
    version: it.version,
    license: it.license,
    isOurs: it.source === null,
    folder: dirname(it.manifest_path),
    reference: reference(it),
    needs: it.needs.map((id) => reference(all.get(id))).sort(),
    hash: { alg: "SHA-256", content: sums.get(`${it.name}@${it.version}`) },
  }));
}

/** The npm packages that are not tools. */
function packages() {
  const lock = JSON.parse(read("package-lock.json")).packages;
  const reference = (name) => `pkg:npm/${name.replace("@", "%40")}@${lock[`node_modules/${name}`].version}`;
  const entries = Object.entries(lock).filter(([path, { dev }]) => path && !dev);
  return entries.map(([path, { version, license, integrity, dependencies = {} }]) => {
    const name = path.slice("node_modules/".length);
    const hash = { alg: "SHA-512", content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex") };
    const needs = Object.keys(dependencies).map(reference).sort();
    return { kind: "package", name, version, license, isOurs: false, folder: join(root, path), reference: reference(name), needs, hash };
  }).sort(byName);
}

/** Whether a license is to be had in place of ours, which is Apache-2.0. */
const isApache = ({ license }) => license.split(/ OR | ?\/ ?/).includes("Apache-2.0");

/** The texts of a package's licenses and notices. */
function textsOf({ name, folder }) {
  const names = readdirSync(folder).filter((file) => /^(licen[sc]e|copying|notice|unlicense)/i.test(file)).sort();
  if (names.length === 0) return [headOf(name, join(folder, "src/lib.rs"))];
  return names.map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r", "").trim());
}

/** The license at the head of a source file, of a package that has it nowhere else. */
function headOf(name, file) {
  const [head] = readFileSync(file, "utf8").match(/^\/\*[^]*?\*\//) ?? [];
  if (!/copyright/i.test(head ?? "")) throw new Error(`${name}: no license in its folder or at the head of ${file}`);
  return head.replace(/^ ?\/?\*+\/?( |$)?/gm, "").trim();
}

const RULE = "-".repeat(80);

/** THIRD-PARTY.txt: names and licenses of all, and the texts that their licenses ask for. */
function notices() {
  const others = [...crates(), ...packages()].filter(({ isOurs }) => !isOurs);
  const line = ({ name, version, license }) => `${name} ${version}: ${license}`;
  const shared = others.filter(isApache);
  const own = others.filter((it) => !isApache(it));
  const notice = shared.flatMap((it) => readdirSync(it.folder).filter((file) => /^notice/i.test(file)).map((file) => [it, readFileSync(join(it.folder, file), "utf8").trim()]));
  // Packages of one author have one text.
  const texts = new Map();
  for (const it of own) for (const text of textsOf(it)) texts.set(text, [...(texts.get(text) ?? []), it]);
  const sections = [...texts].map(([text, its]) => `${RULE}\n${its.map(line).join("\n")}\n\n${text}`);
  return [
    "Third-party code in Berth's command, page and packages. Berth itself is licensed under Apache-2.0.\nMade by `cargo xtask notices`.",
    "Names and values of Kubernetes' API, its messages, and the descriptions of its fields:\nCopyright The Kubernetes Authors, Apache-2.0.",
    "The Rust standard library: Copyright The Rust Project Developers, MIT OR Apache-2.0.",
    `Under Apache-2.0, whose text is at the end, as one of their licenses:\n\n${shared.map(line).join("\n")}`,
    ...notice.map(([it, text]) => `${RULE}\n${line(it)}\n\n${text}`),
    ...sections,
    `${RULE}\nApache-2.0\n\n${read("LICENSE").trim()}`,
  ].join("\n\n") + "\n";
}

const licenses = (expression) => [{ expression: expression.replace(/ ?\/ ?/g, " OR ") }];

/** The bill of materials in CycloneDX's JSON. The same sources make the same bytes: it has no date and no serial number. */
function sbom() {
  const all = [...crates(), ...packages()];
  const berth = all.find(({ name, isOurs }) => isOurs && name === "berth");
  const component = (it) => ({
    type: it === berth ? "application" : "library",
    "bom-ref": it.reference,
    name: it.name,
    version: it.version,
    licenses: licenses(it.license),
    ...(!it.isOurs && { purl: it.reference, hashes: [it.hash] }),
  });
  const edges = all.map((it) => ({ ref: it.reference, dependsOn: it.needs }));
  const bundled = packages().map(({ reference }) => reference);
  edges.find(({ ref }) => ref === berth.reference).dependsOn.push(...bundled);
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component(berth) },
    components: all.filter((it) => it !== berth).map(component),
    dependencies: edges,
  };
  return `${JSON.stringify(bill, null, 1)}\n`;
}

const makes = { notices, sbom };
const make = makes[process.argv[2]];
if (!make) throw new Error("say what: node xtask/src/node/inventory.mjs notices|sbom");
if (!existsSync(join(root, "node_modules"))) throw new Error("packages are missing: run `cargo xtask setup`");
process.stdout.write(make());
