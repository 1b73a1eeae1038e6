// A small static file server for the built page: loopback only, any free port.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
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

/** Serves `folder`; resolves to `{ url, requests, close }`. */
export async function serve(folder) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    requests.push(path);
    try {
      const file = join(folder, normalize(decodeURIComponent(path)));
      if (file !== folder && !file.startsWith(folder + sep)) throw new Error("outside");
      const name = path.endsWith("/") ? join(file, "index.html") : file;
      const body = await readFile(name);
      response.writeHead(200, {
        "content-type": TYPES[extname(name)] ?? "application/octet-stream",
        "cache-control": "no-store",
        // As public static hosts do: a sandboxed frame has an origin of its own.
        "access-control-allow-origin": "*",
      });
      response.end(body);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("not found\n");
    }
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
