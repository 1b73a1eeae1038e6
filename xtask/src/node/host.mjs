// Serves a published site on this machine as a host would: with its headers, its page for missing addresses, and in a
// folder if one is named.
//
// Usage: node xtask/src/node/host.mjs FOLDER [--path /berth/] [--port 8080]
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "../../../tests/browser/server.mjs";

const options = { path: { type: "string", default: "/" }, port: { type: "string", default: "8080" } };
const { positionals, values } = parseArgs({ allowPositionals: true, options });
const path = `/${values.path.split("/").filter(Boolean).join("/")}/`.replace("//", "/");
const { url } = await serve(resolve(positionals[0]), { path, port: Number(values.port) });
console.log(`The site is on ${url} (Ctrl-C ends it).`);
