// Splits the released page's WebAssembly into the functions that a first visit runs and the lazy module, which
// the page fetches when one of them is first called (xtask/split). A recorded visit decides which.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { firstVisit } from "./first-visit.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
/** The functions of the first module; `cargo xtask size` reads it. */
const LIST = "target/split/first.txt";
const manifest = join(root, "xtask/split/Cargo.toml");

/** The features that rustc emits, and less inlining than usual: a call compresses better than the inlined body. */
const OPTIONS = [
  "-Oz",
  "--one-caller-inline-max-function-size=0",
  "--enable-bulk-memory",
  "--enable-nontrapping-float-to-int",
  "--enable-reference-types",
  "--enable-multivalue",
  "--enable-sign-ext",
  "--enable-mutable-globals",
];

/** Runs last: wasm-opt computes with addresses, which hides the data that a function refers to. */
function shrink(wasm, ...more) {
  execFileSync("wasm-opt", [...OPTIONS, ...more, wasm, "-o", wasm], { stdio: "inherit" });
}

function berthSplit(...args) {
  const run = ["run", "--quiet", "--release", "--locked", "--manifest-path", manifest];
  run.push("--target-dir", join(root, "target/split"), "--", ...args);
  execFileSync("cargo", run, { stdio: "inherit" });
}

/** Numbers of the functions that a first visit runs. */
async function watch(folder, wasm, work) {
  cpSync(folder, work, { recursive: true });
  berthSplit("watch", join(folder, wasm), join(work, wasm));
  const page = join(work, "index.html");
  writeFileSync(page, readFileSync(page, "utf8").replace(/ integrity="[^"]*"/g, ""));
  return firstVisit(work);
}

/** Replaces the module of the page in `folder` with its two parts. Returns the old and new names of the functions that it
 * imports from wasm-bindgen's glue. */
export async function split(folder) {
  const wasm = readdirSync(folder).find((name) => name.endsWith("_bg.wasm"));
  const work = mkdtempSync(join(tmpdir(), "berth-split-"));
  try {
    const seen = join(work, "seen.txt");
    writeFileSync(seen, (await watch(folder, wasm, join(work, "page"))).join(" "));
    berthSplit("split", join(folder, wasm), seen, work);
    const [first, lazy] = ["first.wasm", "lazy.wasm"].map((name) => join(work, name));
    // A second round finds more, and functions that resemble each other become neighbors (xtask/split/src/names.rs).
    // With BERTH_NAMES, stacks name the functions that load the lazy module.
    shrink(first, "-Oz", "--reorder-functions-by-name", ...(process.env.BERTH_NAMES ? ["--debuginfo"] : []));
    shrink(lazy);
    publish(folder, wasm, first, lazy);
    cpSync(join(work, "first.txt"), join(root, LIST));
    const names = readFileSync(join(work, "names.txt"), "utf8").trim().split("\n");
    return names.map((line) => line.split(" "));
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Names each module by its own hash alone: Trunk's is of the whole module with all that is removed, which differs between
 * folders. */
function publish(folder, wasm, first, lazy) {
  const bytes = readFileSync(lazy);
  const name = (bytes, part) => wasm.replace(/-[0-9a-f]+_bg\.wasm$/, `-${digest(bytes).slice(0, 8)}_${part}.wasm`);
  const lazyName = name(bytes, "lazy");
  // A custom section at the end of the first module holds the lazy module's file name.
  const whole = Buffer.concat([readFileSync(first), customSection("lazy", lazyName)]);
  const firstName = name(whole, "bg");
  rmSync(join(folder, wasm));
  writeFileSync(join(folder, firstName), whole);
  writeFileSync(join(folder, lazyName), bytes);
  const file = join(folder, "index.html");
  const integrity = `sha384-${createHash("sha384").update(whole).digest("base64")}`;
  const html = readFileSync(file, "utf8")
    .replace(new RegExp(`(${wasm}"[^>]*integrity=)"[^"]*"`), `$1"${integrity}"`)
    .replaceAll(wasm, firstName);
  if (!html.includes(integrity)) throw new Error(`index.html does not preload ${wasm}`);
  writeFileSync(file, html);
}

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

function customSection(name, text) {
  const payload = Buffer.concat([string(name), Buffer.from(text)]);
  return Buffer.concat([Buffer.from([0]), length(payload.length), payload]);
}

const string = (text) => Buffer.concat([length(Buffer.byteLength(text)), Buffer.from(text)]);

/** A number in unsigned LEB128. */
function length(number) {
  const bytes = [];
  do {
    bytes.push((number & 127) | (number > 127 ? 128 : 0));
    number >>= 7;
  } while (number > 0);
  return Buffer.from(bytes);
}
