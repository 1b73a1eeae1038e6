// Makes the course as a zip for a stick, or as a SCORM 1.2 package, from a build of the page.
//
// Usage: node xtask/src/node/course.mjs BUILD FOLDER HANDOUTS
//        node xtask/src/node/course.mjs BUILD FOLDER --scorm [--mastery PERCENT]
//
// HANDOUTS has documents of `berth handout`, for the zip's folder `handouts`. A package has none: learners would find the
// solutions.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pack, siteFiles, version, write, zip } from "./site.mjs";

const README = new URL("./course.txt", import.meta.url);

/** Files that only a site has: for hosts, search engines, other people's pages, and visits without a connection. */
const OF_SITES = [
  ".nojekyll",
  "404.html",
  "_headers",
  "card.png",
  "embed.js",
  "gallery/index.html",
  "manifest.webmanifest",
  "robots.txt",
  "sw.js",
];

/** The zip for a stick: a site that begins with the course. `handouts`: documents by name. */
export async function courseZip({ handouts, ...options }) {
  const files = await siteFiles({ ...options, course: "" });
  const readme = readFileSync(README, "utf8").replaceAll("VERSION", version);
  // Notepad needs the mark to show Chinese.
  files.set("README.txt", `\ufeff${readme.replaceAll("\n", "\r\n")}`);
  for (const [name, html] of handouts) files.set(`handouts/${name}`, html);
  return pack(files, `berth-course-${version}`);
}

/** The package for learning management systems. `mastery`: the percentage of lessons that passes; all if not given. */
export async function scormZip({ mastery, ...options }) {
  const files = await siteFiles({ ...options, course: "scorm" });
  for (const name of OF_SITES) files.delete(name);
  const manifest = manifestOf([...files.keys()], mastery);
  const named = new Map([["imsmanifest.xml", manifest], ...files]);
  return { name: `berth-course-${version}-scorm.zip`, bytes: zip(named) };
}

/** One item, which opens the page: see docs/decisions/scorm.md. */
function manifestOf(names, mastery) {
  const title = "Berth: Kubernetes scheduling";
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<manifest identifier="berth-course" version="${version}"`,
    '  xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"',
    '  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"',
    '  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
    '  xsi:schemaLocation="http://www.imsproject.org/xsd/imscp_rootv1p1p2 imscp_rootv1p1p2.xsd',
    '    http://www.adlnet.org/xsd/adlcp_rootv1p2 adlcp_rootv1p2.xsd">',
    "  <metadata>",
    "    <schema>ADL SCORM</schema>",
    "    <schemaversion>1.2</schemaversion>",
    "  </metadata>",
    '  <organizations default="course">',
    '    <organization identifier="course">',
    `      <title>${title}</title>`,
    '      <item identifier="lessons" identifierref="page">',
    `        <title>${title}</title>`,
    ...(mastery === undefined ? [] : [`        <adlcp:masteryscore>${mastery}</adlcp:masteryscore>`]),
    "      </item>",
    "    </organization>",
    "  </organizations>",
    "  <resources>",
    '    <resource identifier="page" type="webcontent" adlcp:scormtype="sco" href="index.html">',
    ...names.map((name) => `      <file href="${name}"/>`),
    "    </resource>",
    "  </resources>",
    "</manifest>",
  ];
  return `${lines.join("\n")}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { scorm: { type: "boolean" }, mastery: { type: "string" } },
  });
  const [build, folder, from] = positionals;
  if (!folder || !from === !values.scorm) {
    throw new Error("say from where to where: node xtask/src/node/course.mjs BUILD FOLDER HANDOUTS");
  }
  if (!existsSync(join(build, "index.html"))) throw new Error("the page is not built: run `cargo xtask test page` first");
  const read = (name) => [name, readFileSync(join(from, name), "utf8")];
  const { name, bytes } = values.scorm
    ? await scormZip({ build: resolve(build), mastery: values.mastery })
    : await courseZip({ build: resolve(build), handouts: readdirSync(from).sort().map(read) });
  const file = join(resolve(folder), name);
  write(file, bytes);
  console.log(`the course is in ${file}`);
}
