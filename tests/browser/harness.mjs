// Runs a test against the built page in a real browser.
//
//   await withPage(async (page, url) => { … });
//
// The page is loaded when the callback begins. Every problem on the page fails
// the test: exceptions, console errors, missing files, and requests to any
// other host.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";
import { open, started } from "./steps.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The built page: `dist/`, or the folder that BERTH_DIST names. */
export const DIST = process.env.BERTH_DIST ? resolve(process.env.BERTH_DIST) : join(ROOT, "dist");

/** The manifests of the example with this name. */
export const example = (name) => readFileSync(join(DIST, "scenarios", `${name}.yaml`), "utf8");

const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

function findBrowser() {
  const named = process.env.BERTH_CHROMIUM || process.env.CHROME || process.env.CHROME_BIN;
  if (named) return named;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
  if (!found) throw new Error("Chromium is missing: install it, or set BERTH_CHROMIUM to its program");
  return found;
}

const launch = () => ({ executablePath: findBrowser(), headless: true, args: ARGUMENTS });

/** Milliseconds after which an unused browser ends. */
const UNUSED_MS = 2000;

let browser;
let users = 0;
let ending;

/** The browser of this process: starting one takes as long as many a test. */
async function browserInUse() {
  clearTimeout(ending);
  users += 1;
  if (!(await browser)?.isConnected()) {
    browser = chromium.launch(launch());
  }
  return browser;
}

function browserUsed() {
  users -= 1;
  if (users > 0) return;
  ending = setTimeout(async () => (await browser)?.close(), UNUSED_MS);
}

/**
 * Calls `body(page, url, { context, requests, problems, server })` with the page loaded.
 *
 * Options: `folder` to serve instead of the built page, `serving`: how (server.mjs), `path` to load ("" by default; null loads nothing), `viewport`,
 * `contextOptions` for the browser (locale, colorScheme, …),
 * `motion`: let the page move, for tests of how it moves and how fast; otherwise it would draw most of its frames for
 * tests that look at none of them,
 * `opening`: play the opening of a first visit, which would get in the way of other tests,
 * `allowed`: a predicate for the problems that a test expects.
 */
export async function withPage(body, options = {}) {
  const { opening = false, motion = false, folder = DIST, path = "", viewport = { width: 1280, height: 800 }, serving = {} } = options;
  const { allowed = () => false } = options;
  const contextOptions = { viewport, reducedMotion: motion ? "no-preference" : "reduce", ...options.contextOptions };
  if (!existsSync(join(folder, "index.html"))) {
    throw new Error("the page is not built: run `cargo xtask test page` first");
  }
  const server = await serve(folder, serving);
  let context;
  let profile;
  const problems = [];
  try {
    // A context of its own has storage and caches of its own, in memory, with little room: a published site, which keeps
    // all of itself for later, gets a browser with a profile of its own.
    if (folder === DIST) {
      context = await (await browserInUse()).newContext(contextOptions);
    } else {
      profile = await mkdtemp(join(tmpdir(), "berth-browser-"));
      context = await chromium.launchPersistentContext(profile, { ...launch(), ...contextOptions });
    }
    if (!opening) await context.addInitScript(() => {
      try {
        localStorage.setItem("berth.opened", "1");
      } catch {
        // A page without storage has no opening that was played.
      }
    });
    const page = context.pages()[0] ?? (await context.newPage());
    watch(context, page, server.url, problems);
    if (path !== null) await page.goto(server.url + path, { waitUntil: "load" });
    await body(page, server.url, { context, requests: server.requests, problems, server });
    const unexpected = problems.filter((problem) => !allowed(problem));
    assert.deepEqual(unexpected, [], "the page reported problems");
  } catch (error) {
    // The problems that the page reported usually name the cause.
    if (problems.length > 0) error.message += `\nThe page reported:\n  ${problems.join("\n  ")}`;
    throw error;
  } finally {
    await context?.close();
    if (folder === DIST) browserUsed();
    else if (profile) await rm(profile, { recursive: true, force: true, maxRetries: 3 });
    await server.close();
  }
}

/** Like `withPage`, with these manifests opened. */
export const withManifests = (yaml, body, options) =>
  withPage(async (page, ...more) => {
    await started(page);
    await open(page, yaml);
    await body(page, ...more);
  }, options);

function watch(context, page, own, problems) {
  const listen = (page) => {
    page.on("pageerror", (error) => problems.push(`exception: ${error.stack ?? error}`));
    page.on("crash", () => problems.push("the page crashed"));
  };
  listen(page);
  context.on("page", listen);
  context.on("console", (message) => {
    if (message.type() !== "error" || isFavicon(message.location().url)) return;
    problems.push(`console: ${message.text()}`);
  });
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(own) && !/^(data|blob|about):/.test(url)) {
      problems.push(`request to another host: ${url}`);
    }
  });
  context.on("response", (response) => {
    if (response.status() >= 400 && !isFavicon(response.url())) {
      problems.push(`${response.status()}: ${response.url()}`);
    }
  });
}

/** Chromium requests the icon by itself; a page need not have one. */
function isFavicon(url) {
  return url.endsWith("/favicon.ico");
}
