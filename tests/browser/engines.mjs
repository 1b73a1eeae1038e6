// Drives Firefox and WebKit, which Playwright's core cannot start as distributions ship them. Firefox speaks
// Marionette over TCP, the protocol below its WebDriver; WebKit's driver speaks WebDriver over HTTP. The tests need no
// more than to open an address and to evaluate a function.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const STARTED_MS = 60_000;
const SCRIPT_MS = 120_000;

/** The program's path; null if it is not installed. */
function installed(...names) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path)) ?? null;
}

/** Starts a program, and resolves to it and the first match of the pattern in its output. */
function start(program, args, { env = {}, pattern }) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (why) => {
      child.kill("SIGKILL");
      reject(new Error(`${program} ${why}: ${output.slice(-500)}`));
    };
    const timer = setTimeout(() => fail("did not start"), STARTED_MS);
    const read = (chunk) => {
      output += chunk;
      const match = pattern.exec(output);
      if (!match) return;
      clearTimeout(timer);
      resolve({ child, match });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", (error) => fail(error.message));
    child.once("exit", () => {
      clearTimeout(timer);
      fail("ended");
    });
  });
}

/** Ends a program that this module started. */
async function end({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.removeAllListeners("exit");
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
  await gone;
  clearTimeout(timer);
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** The commands of a Marionette connection: `LENGTH:[type, id, …]` in both directions. */
async function marionette(port) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const waiting = new Map();
  let buffer = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const colon = buffer.indexOf(":");
      const length = Number(buffer.subarray(0, colon));
      if (colon < 0 || buffer.length < colon + 1 + length) return;
      const message = JSON.parse(buffer.subarray(colon + 1, colon + 1 + length));
      buffer = buffer.subarray(colon + 1 + length);
      // The first message is a greeting, not a list.
      if (Array.isArray(message)) answer(message);
    }
  });
  const answer = ([, id, error, result]) => {
    const waits = waiting.get(id);
    waiting.delete(id);
    if (error) waits?.reject(new Error(error.message));
    else waits?.resolve(result);
  };
  socket.on("close", () => waiting.forEach(({ reject }) => reject(new Error("Firefox has ended"))));
  let last = 0;
  const send = (command, params = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      const text = JSON.stringify([0, last, command, params]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  return { send, close: () => socket.destroy() };
}

async function firefox(program, profile) {
  const port = await freePort();
  await writeFile(join(profile, "user.js"), `user_pref("marionette.port", ${port});\n`);
  const started = await start(
    program,
    ["--headless", "--no-remote", "--profile", profile, "--marionette", "--width", "1280", "--height", "800"],
    { env: { HOME: profile }, pattern: /Listening on port \d+/ },
  );
  try {
    const { send, close } = await reached(() => marionette(port));
    await send("WebDriver:NewSession", {});
    await send("WebDriver:SetTimeouts", { script: SCRIPT_MS, pageLoad: SCRIPT_MS });
    return {
      open: (url) => send("WebDriver:Navigate", { url }),
      async evaluate(body) {
        const { value } = await send("WebDriver:ExecuteAsyncScript", { script: script(body), args: [] });
        return unwrapped(value);
      },
      async close() {
        close();
        await end(started);
      },
    };
  } catch (error) {
    await end(started);
    throw error;
  }
}

/** The body of an asynchronous script that calls a function in the page. */
const script = (body) => `const done = arguments[arguments.length - 1];
  (async () => JSON.stringify((await (${body})()) ?? null))().then((text) => done({ text }), (error) => done({ error: String(error) }));`;

function unwrapped({ text, error }) {
  if (error) throw new Error(error);
  return JSON.parse(text);
}

async function webkit(program, profile) {
  const screen = await start(installed("Xvfb"), ["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"], {
    pattern: /(\d+)\s/,
  });
  const port = await freePort();
  const env = { DISPLAY: `:${screen.match[1]}`, HOME: profile, XDG_RUNTIME_DIR: profile, NO_AT_BRIDGE: "1", WEBKIT_DISABLE_COMPOSITING_MODE: "1" };
  const driver = spawn(program, [`--port=${port}`, "--host=127.0.0.1"], { env: { ...process.env, ...env }, stdio: "ignore" });
  const root = `http://127.0.0.1:${port}`;
  const send = async (method, path, body) => {
    const answer = await fetch(root + path, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(value?.message || value?.error || answer.statusText);
    return value;
  };
  const stop = async () => {
    await end({ child: driver });
    await end(screen);
  };
  try {
    await reached(() => send("GET", "/status"));
    const { sessionId } = await send("POST", "/session", { capabilities: { alwaysMatch: {} } });
    const session = `/session/${sessionId}`;
    await send("POST", `${session}/timeouts`, { script: SCRIPT_MS, pageLoad: SCRIPT_MS });
    return {
      open: (url) => send("POST", `${session}/url`, { url }),
      async evaluate(body) {
        return unwrapped(await send("POST", `${session}/execute/async`, { script: script(body), args: [] }));
      },
      async close() {
        await send("DELETE", session).catch(() => {});
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Repeats a call until it succeeds. */
async function reached(call) {
  const until = Date.now() + STARTED_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The engines besides Chromium: a name, what is missing to run it (null: nothing), and how to start it. */
export const ENGINES = [
  { name: "Firefox", program: installed("firefox-esr", "firefox"), packages: "firefox-esr", run: firefox },
  {
    name: "WebKit",
    program: installed("Xvfb") && installed("WebKitWebDriver"),
    packages: "webkit2gtk-driver and xvfb",
    run: webkit,
  },
].map(({ name, program, packages, run }) => ({
  name,
  missing: program ? null : `not installed: ${packages}`,
  /** Calls `body({ open, evaluate })` with a browser of its own; `evaluate` takes a function without variables of the test. */
  async with(body) {
    const profile = await mkdtemp(join(tmpdir(), "berth-engine-"));
    let browser;
    try {
      browser = await run(program, profile);
      await body(browser);
    } finally {
      await browser?.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    }
  },
}));
