// Trunk's hook after a build: writes a strict Content-Security-Policy into the
// released page. Scripts come from the page's own origin only; the inline
// scripts that the build itself wrote are allowed by their hashes. While
// serving for development there is none, since Trunk adds its reload script later.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the released page may do; its own inline scripts are added by their hashes. */
export const POLICY = {
  "default-src": ["'none'"],
  "script-src": ["'self'", "'wasm-unsafe-eval'"],
  "worker-src": ["'self'"],
  "connect-src": ["'self'"],
  "style-src": ["'self'"],
  // Widths of bars and blocks are custom properties on elements; style sheets stay our own.
  "style-src-attr": ["'unsafe-inline'"],
  "img-src": ["'self'", "data:", "blob:"],
  "font-src": ["'self'"],
  "manifest-src": ["'self'"],
  "base-uri": ["'none'"],
  "form-action": ["'none'"],
};

function hashes(html, tag) {
  const inline = new RegExp(`<${tag}(?![^>]*\\ssrc=)[^>]*>([\\s\\S]*?)</${tag}>`, "g");
  return [...html.matchAll(inline)]
    .map((match) => createHash("sha256").update(match[1]).digest("base64"))
    .map((hash) => `'sha256-${hash}'`);
}

if (process.env.TRUNK_PROFILE === "release") {
  const file = join(process.env.TRUNK_STAGING_DIR, "index.html");
  const html = readFileSync(file, "utf8");
  const policy = structuredClone(POLICY);
  policy["script-src"].push(...hashes(html, "script"));
  policy["style-src"].push(...hashes(html, "style"));
  const text = Object.entries(policy).map(([name, values]) => `${name} ${values.join(" ")}`);
  const meta = `<meta http-equiv="Content-Security-Policy" content="${text.join("; ")}">`;
  const head = html.match(/<head[^>]*>/);
  if (!head) {
    throw new Error("index.html has no <head> to put the Content-Security-Policy into");
  }
  const at = head.index + head[0].length;
  writeFileSync(file, `${html.slice(0, at)}\n${meta}${html.slice(at)}`);
}
