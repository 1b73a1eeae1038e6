// A static file server for the built page, as public hosts are: loopback only, any free port. It follows a folder's
// `_headers` and `404.html` if there are any. `cargo xtask serve --release` is the same server.
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
  ".yaml": "text/plain; charset=utf-8",
};

/** For a folder without `_headers`. As public static hosts do: a sandboxed frame has an origin of its own. */
const DEFAULTS = [{ matches: () => true, headers: [["cache-control", "no-store"], ["access-control-allow-origin", "*"]] }];

/** The rules of `_headers`: a path, in which `*` is any text, and below it, indented, its headers. */
export function headerRules(text) {
  const rules = [];
  for (const line of text.split("\n")) {
    if (!line.trim() || line.startsWith("#")) continue;
    if (/^\s/.test(line)) {
      const [, name, value] = line.match(/^\s+([\w-]+):\s*(.*)$/);
      rules.at(-1).headers.push([name.toLowerCase(), value]);
    } else {
      const parts = line.trim().split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
      const path = new RegExp(`^${parts.join(".*")}$`);
      rules.push({ matches: (name) => path.test(name), headers: [] });
    }
  }
  return rules;
}

/** The file that a path names: `{ file }`, `{ moved }` for a folder without its slash, or neither. */
async function find(folder, path) {
  const file = join(folder, normalize(path));
  if (!file.startsWith(folder + sep)) return {};
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory()) return path.endsWith("/") ? { file: join(file, "index.html") } : { moved: `${path}/` };
  return path.endsWith("/") ? {} : { file };
}

/**
 * Serves `folder` at `path`, which begins and ends with a slash; resolves to `{ url, requests, show, close }`. `requests`
 * are the paths that were requested; `show` serves another folder.
 */
export async function serve(folder, { path = "/", port = 0 } = {}) {
  const requests = [];
  let shown;
  const show = (folder) => {
    const file = join(folder, "_headers");
    shown = { folder, rules: existsSync(file) ? headerRules(readFileSync(file, "utf8")) : DEFAULTS };
  };
  show(folder);
  const server = createServer(async (request, response) => {
    const { folder, rules } = shown;
    const { pathname } = new URL(request.url, "http://localhost");
    requests.push(pathname);
    const answer = (status, body, headers) => {
      response.writeHead(status, headers);
      response.end(request.method === "HEAD" ? undefined : body);
    };
    const send = async (status, file, name) => {
      const body = await readFile(file);
      const own = rules.filter((rule) => rule.matches(name)).flatMap((rule) => rule.headers);
      const type = TYPES[extname(file)] ?? "application/octet-stream";
      answer(status, body, { "content-type": type, ...Object.fromEntries(own) });
    };
    const name = pathname.startsWith(path) ? decoded(pathname.slice(path.length - 1)) : null;
    try {
      const isBare = `${pathname}/` === path;
      const { file, moved } = isBare ? { moved: "/" } : name === null ? {} : await find(folder, name);
      if (moved) answer(301, "", { location: path.slice(0, -1) + moved });
      else await send(200, file, name);
    } catch {
      await send(404, join(folder, "404.html"), name ?? "/").catch(() =>
        answer(404, "not found\n", { "content-type": "text/plain" }),
      );
    }
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}${path}`,
    requests,
    show,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** A path without escapes; null if they are wrong. */
function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
