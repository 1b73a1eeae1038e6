// Writes a strict Content-Security-Policy into the released page. Scripts come
// from the page's own origin only; the inline script that the build itself wrote
// moves into a file of its own. A page served for development gets no policy,
// since Trunk adds its reload script later.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The policy's directives. */
export const POLICY = {
  "default-src": ["'none'"],
  "script-src": ["'self'", "'wasm-unsafe-eval'"],
  "worker-src": ["'self'"],
  "connect-src": ["'self'"],
  "style-src": ["'self'"],
  // Elements set the widths of bars and blocks as custom properties; style sheets stay same-origin.
  "style-src-attr": ["'unsafe-inline'"],
  "img-src": ["'self'", "data:", "blob:"],
  "font-src": ["'self'"],
  "manifest-src": ["'self'"],
  "base-uri": ["'none'"],
  "form-action": ["'none'"],
};

/** A policy as hosts and documents write it. */
export const policyText = (policy) =>
  Object.entries(policy)
    .map(([name, values]) => `${name} ${values.join(" ")}`)
    .join("; ");

/** Moves inline scripts into files beside the page, named by their hashes. */
function moveScripts(html, folder) {
  return html.replace(/<script((?![^>]*\ssrc=)[^>]*)>([\s\S]*?)<\/script>/g, (_, attributes, text) => {
    const script = `${text.replace(/\n{2,}/g, "\n").trim()}\n`;
    const hash = createHash("sha256").update(script).digest("hex").slice(0, 16);
    // The module starts the program; the other one shows the first picture.
    const name = `${attributes.includes("module") ? "start" : "first"}-${hash}.js`;
    writeFileSync(join(folder, name), script);
    return `<script${attributes} src="./${name}"></script>`;
  });
}

/** The page with a start that explains why the program cannot run (www/fault.js): a host may have a stricter policy. */
function withReason(html) {
  const start = /await init\((.*)\);/;
  if (!start.test(html)) throw new Error("index.html does not await init()");
  const refused = "(error) => { self.berthFault?.(error); throw error; }";
  return html.replace(start, (_, options) => `await init(${options}).catch(${refused});`);
}

/** Sheets with a digest, which a sandboxed page reads only as those of another origin. */
const shareSheets = (html) => html.replace(/<link rel="stylesheet"(?=[^>]* integrity=)(?![^>]* crossorigin)/g, "$& crossorigin");

/** Writes the policy into the page in `folder`. */
export function writePolicy(folder) {
  const file = join(folder, "index.html");
  const html = shareSheets(moveScripts(withReason(readFileSync(file, "utf8")), folder));
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policyText(POLICY)}">`;
  const head = html.match(/<head[^>]*>/);
  if (!head) {
    throw new Error("index.html has no <head> to put the Content-Security-Policy into");
  }
  const at = head.index + head[0].length;
  writeFileSync(file, `${html.slice(0, at)}\n${meta}${html.slice(at)}`);
}
