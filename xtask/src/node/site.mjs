// Makes the folder to publish from a build of the page. Addresses are relative, so that any static host can serve it in
// any folder.
//
// Usage: node xtask/src/node/site.mjs BUILD FOLDER [URL]
//
// URL is where the folder will be published; with it, social cards work and the page for missing addresses has its style
// at any depth.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { zipSync } from "fflate";
import { speaker } from "../../../www/say.js";
import { catalogues, translationsOf } from "./catalogues.mjs";
import { LANGUAGES, draw } from "./pictures.mjs";
import { POLICY, policyText, writePolicy } from "./policy.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const own = (name) => readFileSync(join(root, "www", name), "utf8");

/** Stands for the folder of the version's files until its name, a digest of the content, is known. */
const ASSETS = "{{assets}}";
/** Files of the build that keep their address in all versions. Other sites load the script. */
const STABLE = ["index.html", "embed.js"];
/** Files that a visit does not need. */
const NOT_STORED = [".nojekyll", "404.html", "_headers", "card.png", "robots.txt"];

/** Sentences of the gallery that the page itself does not say, in a language. */
function wordsOf(language) {
  const { say } = speaker(translationsOf("site"), language);
  return {
    open: say("Open Berth"),
    foot: say("Each example is a YAML file: open it, change it, share it as a link."),
    alt: say("Berth: zones with their nodes and Pods, and the verdicts of one scheduling attempt"),
  };
}

/** What the page for missing addresses says in a language. */
function nothingHere(language) {
  const { say } = speaker(translationsOf("site"), language);
  const [heading, lang, query] = language === "en" ? ["h1", "", ""] : ["h2", ` lang="${language}"`, `?lang=${language}`];
  const title = say("There is nothing at this address");
  const lead = say("Berth may have moved. A shared link has all of its manifests after the <code>#</code>: put that part behind Berth’s new address, and they open.");
  return `<div class="welcome__top"${lang}><div><${heading} class="welcome__title">${title}</${heading}><p class="welcome__lead">${lead}</p></div></div>
<div class="doors"${lang}><a class="btn btn--primary" href="{{home}}${query}">${say("Open Berth")}</a><a class="btn btn--line" href="{{home}}${galleryOf(language)}">${say("Examples")}</a></div>`;
}

/** A language's own name. */
const nameOf = (language) => catalogues().find(({ tag }) => tag === language)?.head.name ?? "English";

/** The gallery's folder in a language, from the page's. */
const galleryOf = (language) => (language === "en" ? "gallery/" : `gallery/${language.split("-")[0]}/`);

/** Compresses nothing that is compressed. */
const zipOptions = (name) => ({ level: name.endsWith(".png") ? 0 : 9, mtime: "1980-01-01T00:00:00" });

/** The version of Berth. */
export const version = readFileSync(join(root, "Cargo.toml"), "utf8").match(/^version = "(.+)"$/m)[1];

/** Names of all files below `folder`, with slashes, sorted; without the folder that an interrupted build leaves. */
function list(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const name = (entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1);
  const names = found.map((entry) => name(entry).split(sep).join(posix.sep));
  return names.filter((name) => !name.startsWith(".")).sort();
}

const digest = (bytes, algorithm = "sha256") => createHash(algorithm).update(bytes);

/** Replaces each `{{name}}`. */
const fill = (text, values) => text.replace(/\{\{(\w+)\}\}/g, (whole, name) => values[name] ?? whole);

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** Writes the files to publish into `folder`; returns their names and contents. */
export async function makeSite({ folder, ...options }) {
  mayReplace(folder);
  const files = await siteFiles(options);
  replace(folder, files);
  return files;
}

/**
 * The names and contents of the files to publish, from the page in `build`. `drawn` is what `draw` returned before, if it
 * did. `course`: the page begins with the course, "" as a site, "scorm" in a package for learning management systems.
 */
export async function siteFiles({ build, url = "", drawn, course }) {
  const work = mkdtempSync(join(tmpdir(), "berth-site-"));
  try {
    cpSync(build, work, { recursive: true });
    // A build for development has no policy yet.
    if (!readFileSync(join(work, "index.html"), "utf8").includes("Content-Security-Policy")) writePolicy(work);
    return compose(work, drawn ?? (await draw(build)), url, course);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** All files of the site, by name. */
function compose(page, drawn, url, course) {
  const files = new Map();
  for (const name of list(page)) {
    const bytes = readFileSync(join(page, name));
    files.set(STABLE.includes(name) ? name : `${ASSETS}/${name}`, bytes);
  }
  const start = [...files.keys()].find((name) => name.startsWith(`${ASSETS}/start-`));
  const isPackage = course === "scorm";
  files.set(start, startOf(files.get(start).toString(), list(page), isPackage));
  for (const name of [isPackage ? "scorm.js" : "offline.js", "landing.css", "icon.svg"]) files.set(`${ASSETS}/${name}`, own(name));
  for (const [size, png] of Object.entries(drawn.icons)) files.set(`${ASSETS}/icon-${size}.png`, png);
  const styles = [...files.keys()].find((name) => /\/berth-[^/]*\.css$/.test(name)).slice(ASSETS.length + 1);
  const { logo: drawing } = drawn.galleries.en;
  const logo = `<svg class="i i--logo" viewBox="0 0 16 16" aria-hidden="true">${drawing}</svg>`;
  files.set("index.html", document(files.get("index.html").toString(), url, course));
  for (const language of LANGUAGES) {
    const words = { ...wordsOf(language), ...drawn.galleries[language], logo, styles };
    files.set(`${galleryOf(language)}index.html`, galleryPage(words, language, url));
  }
  const languages = LANGUAGES.map(nothingHere).join("\n");
  files.set("404.html", fill(fill(own("404.html"), { languages }), { logo, styles, home: url ? new URL(url).pathname : "./" }));
  files.set("manifest.webmanifest", manifest());
  files.set("sw.js", own("sw.js"));
  const version = versionOf(files);
  const named = new Map([...files].map(([name, content]) => [fill(name, { assets: `assets/${version}` }), content]));
  for (const [name, content] of named) {
    if (typeof content === "string") named.set(name, fill(content, { assets: `assets/${version}` }));
  }
  named.set("sw.js", `${stored(named, version)}\n${named.get("sw.js")}`);
  named.set("_headers", headers());
  named.set("robots.txt", "User-agent: *\nAllow: /\n");
  // GitHub Pages publishes files as they are.
  named.set(".nojekyll", "");
  named.set("card.png", drawn.card);
  return named;
}

/** The script that starts the page: it finds the program from its own address, and keeps a stored lazy module at hand. */
function startOf(script, names, isPackage) {
  const begins = /await init\(\{ module_or_path: ('[^']+') \}\)/;
  if (!begins.test(script)) throw new Error("the page's start does not say where its program is");
  const text = script.replace(begins, "await init({ module_or_path: new URL($1, import.meta.url) })");
  const [lazy, module] = ["_lazy.wasm", "/www/lazy-module.js"].map((ending) => names.find((name) => name.endsWith(ending)));
  // A build for development is one module, and a package has no service worker.
  if (!lazy || isPackage) return text;
  const kept = [
    'import { stored } from "./offline.js";',
    `import { keep } from "./${module}";`,
    `keep(await stored(new URL("./${lazy}", import.meta.url)));`,
  ];
  return `${kept.join("\n")}\n${text}`;
}

/** The page's document: its files are in the version's folder. */
function document(html, url, course) {
  const text = (pattern) => html.match(pattern)[1];
  const title = text(/<title>([^<]*)</);
  const description = text(/<meta name="description" content="([^"]*)"/);
  const head = [
    '<meta name="theme-color" media="(prefers-color-scheme: light)" content="#faf8f2">',
    '<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0f1b2c">',
  ];
  if (course !== "scorm") {
    head.push(
      `<link rel="manifest" href="./manifest.webmanifest">`,
      social({ title, description, url, home: "./", path: "" }),
      `<script type="module" src="./${ASSETS}/offline.js"></script>`,
    );
  }
  return html
    .replace("<html ", course === undefined ? "<html " : `<html data-course="${course}" `)
    .replace(/(href|src)="\.\//g, `$1="./${ASSETS}/`)
    .replace('<link rel="icon" href="data:,">', `<link rel="icon" href="./${ASSETS}/icon.svg" type="image/svg+xml">`)
    .replace(/<script type="module"/, `${head.join("\n")}\n$&`);
}

/** What other services show with a link to the page. Most of them read absolute addresses only. */
function social({ title, description, url, home, path, alt = wordsOf("en").alt }) {
  const card = url ? new URL("card.png", url).href : `${home}card.png`;
  const properties = {
    "og:type": "website",
    "og:title": title,
    "og:description": description,
    ...(url && { "og:url": new URL(path, url).href }),
    "og:image": card,
    "og:image:width": "1200",
    "og:image:height": "630",
    "og:image:alt": alt,
  };
  const tags = Object.entries(properties).map(([name, value]) => `<meta property="${name}" content="${value}">`);
  if (url) tags.unshift(`<link rel="canonical" href="${new URL(path, url).href}">`);
  return [...tags, '<meta name="twitter:card" content="summary_large_image">'].join("\n");
}

function galleryPage(words, language, url) {
  const path = galleryOf(language);
  const home = "../".repeat(path.split("/").length - 1);
  // Without it, the page follows the browser.
  const spoken = language === "en" ? "" : `lang=${language}&amp;`;
  const card = ({ slug, inside }) =>
    `<li class="gallery__item"><a class="card" href="${home}?${spoken}example=${slug}">${inside}</a></li>`;
  const questions = [...new Set(words.cards.map(({ question }) => question))];
  const groups = questions.map((asked) => {
    const cards = words.cards.filter(({ question }) => question === asked).map(card);
    return `<section class="gallery__group"><h2 class="gallery__question">${escape(asked)}</h2>\n<ul class="gallery">\n${cards.join("\n")}\n</ul></section>`;
  });
  const [title, lead, note] = [words.title, words.lead, words.note].map(escape);
  const others = LANGUAGES.filter((other) => other !== language);
  const to = (other) => `href="${home}${galleryOf(other)}" hreflang="${other}"`;
  return fill(own("gallery.html"), {
    ...words,
    title,
    lead,
    language,
    home,
    start: `${home}${spoken && `?lang=${language}`}`,
    alternates: others.map((other) => `<link rel="alternate" ${to(other)}>`).join("\n"),
    others: others.map((other) => `<a class="btn" ${to(other)} lang="${other}">${nameOf(other)}</a>`).join(""),
    note,
    groups: groups.join("\n"),
    social: social({ title, description: lead, url, home, path, alt: escape(words.alt) }),
  });
}

function manifest() {
  const icon = (name, sizes, more) => ({ src: `./${ASSETS}/${name}`, sizes, ...more });
  const png = { type: "image/png" };
  const content = {
    name: "Berth",
    short_name: "Berth",
    description: "A Kubernetes scheduling playground",
    start_url: "./",
    scope: "./",
    display: "standalone",
    background_color: "#faf8f2",
    theme_color: "#faf8f2",
    icons: [
      icon("icon.svg", "any", { type: "image/svg+xml" }),
      icon("icon-192.png", "192x192", png),
      icon("icon-512.png", "512x512", { ...png, purpose: "maskable" }),
    ],
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** The name of the version: a digest of all its files. */
function versionOf(files) {
  const whole = createHash("sha256");
  for (const [name, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    whole.update(`${name}\0${digest(content).digest("hex")}\0`);
  }
  return whole.digest("hex").slice(0, 16);
}

/** The head of the service worker: the version, and its files with their digests. */
function stored(files, version) {
  const address = (name) => name.replace(/(^|\/)index\.html$/, "$1") || "./";
  const wanted = [...files].filter(([name]) => name !== "sw.js" && !NOT_STORED.includes(name));
  const lines = wanted.map(([name, content]) => {
    const integrity = `sha256-${digest(content).digest("base64")}`;
    return `  ${JSON.stringify([address(name), integrity])},`;
  });
  return `const VERSION = "${version}";\nconst FILES = [\n${lines.join("\n")}\n];\n`;
}

/** Headers in the format of Netlify and Cloudflare Pages. Rules do not overlap: some hosts would join their values. */
function headers() {
  const policy = policyText({ ...POLICY, "frame-ancestors": ["*"] });
  const rule = (path, ...lines) => [path, ...lines.map((line) => `  ${line}`)];
  const changing = ["/", "/index.html", "/gallery/*", "/embed.js", "/sw.js", "/manifest.webmanifest"];
  const lines = [
    // Any site may embed the page and read its files: there are no accounts, and nothing that one visitor could see of another.
    ...rule(
      "/*",
      `Content-Security-Policy: ${policy}`,
      "Access-Control-Allow-Origin: *",
      "Cross-Origin-Resource-Policy: cross-origin",
      "Referrer-Policy: no-referrer",
      "X-Content-Type-Options: nosniff",
    ),
    ...rule("/assets/*", "Cache-Control: public, max-age=31536000, immutable"),
    ...changing.flatMap((path) => rule(path, "Cache-Control: no-cache")),
  ];
  return `${lines.join("\n")}\n`;
}

/** What is in `folder`, but hidden files: they are the repository's or the host's. */
const before = (folder) => (existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : []);

/** Only an empty folder and an earlier site may be replaced. */
function mayReplace(folder) {
  const names = before(folder);
  if (names.length > 0 && !names.includes("sw.js")) {
    throw new Error(`${folder} has other files than a site of Berth: choose an empty folder`);
  }
}

function replace(folder, files) {
  for (const name of before(folder)) rmSync(join(folder, name), { recursive: true });
  for (const [name, content] of files) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** The same as one file, for a USB stick; unpacks into one folder. */
export function pack(files, name = `berth-${version}`) {
  return { name: `${name}.zip`, bytes: zip(files, `${name}/`) };
}

/** The files as a zip, in a folder or, without one, at its root. */
export function zip(files, folder = "") {
  const entries = [...files].filter(([file]) => file !== ".nojekyll");
  const tree = entries.map(([file, content]) => [folder + file, [Buffer.from(content), zipOptions(file)]]);
  return zipSync(Object.fromEntries(tree));
}

/** Writes a file whole or not at all. */
export function write(file, bytes) {
  writeFileSync(`${file}.part`, bytes);
  renameSync(`${file}.part`, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [build, folder, url] = process.argv.slice(2);
  if (!folder) throw new Error("say from where to where: node xtask/src/node/site.mjs BUILD FOLDER [URL]");
  if (!existsSync(join(build, "index.html"))) throw new Error("the page is not built: run `cargo xtask test page` first");
  const files = await makeSite({ build: resolve(build), folder: resolve(folder), url });
  const { name, bytes } = pack(files);
  const file = join(dirname(resolve(folder)), name);
  write(file, bytes);
  console.log(`${files.size} files in ${resolve(folder)}, and the same in ${file}`);
}
