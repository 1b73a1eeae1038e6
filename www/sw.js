// The service worker of a published site: keeps one version of the page, whole, for visits without a connection.
//
// `cargo xtask site` writes VERSION and FILES (names with digests) above. Each version has its files in a folder of its
// own, `assets/VERSION`, and only the page's document chooses a version. So an open page keeps the files it started
// with, and a reload takes a newer version, never parts of it.
const SCOPE = registration.scope;
/** The names of the caches: one for each version. Other folders of this host may have a Berth of their own. */
const PREFIX = `berth ${SCOPE} `;
const CACHE = PREFIX + VERSION;
/** While one develops, another program may serve this address tomorrow. */
const IS_LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);

/** Stores all files or none. Digests keep out files of a version that is being published at this moment. */
async function store() {
  const cache = await caches.open(CACHE);
  const request = ([name, integrity]) =>
    new Request(new URL(name, SCOPE), { integrity, cache: name.startsWith("assets/") ? "default" : "no-cache" });
  try {
    await cache.addAll(FILES.map(request));
  } catch (error) {
    await caches.delete(CACHE);
    throw error;
  }
  // Open pages do not notice: they keep their version's cache.
  await skipWaiting();
}

async function announce() {
  await clients.claim();
  const pages = await clients.matchAll({ type: "window" });
  for (const page of pages) page.postMessage({ berth: VERSION });
}

/** Deletes versions that no page uses: each page holds a lock with the name of its cache (offline.js). */
async function sweep() {
  const { held } = await navigator.locks.query();
  const used = new Set([CACHE, ...held.map(({ name }) => name)]);
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && !used.has(name)).map((name) => caches.delete(name)));
}

/** Gives the address back if the site is no longer published there. */
async function leaveIfGone() {
  const own = await fetch(location.href, { method: "HEAD", cache: "no-store" }).catch(() => null);
  const isForeign = () => IS_LOCAL && own.ok && !/javascript/.test(own.headers.get("content-type"));
  if (own && (own.status === 404 || own.status === 410 || isForeign())) await registration.unregister();
}

/** A file of any version, whose address says which. */
const ofItsVersion = async (request) =>
  (await caches.match(request, { ignoreSearch: true, ignoreVary: true })) ?? fetch(request);

/** A file whose address is the same in all versions. */
async function ofThisVersion(request, name) {
  const stored = async () => (await caches.open(CACHE)).match(new URL(name, SCOPE), { ignoreVary: true });
  if (!IS_LOCAL) return (await stored()) ?? fetch(request);
  try {
    return await fetch(request);
  } catch (error) {
    return (await stored()) ?? Promise.reject(error);
  }
}

addEventListener("install", (event) => event.waitUntil(store()));
addEventListener("activate", (event) => event.waitUntil(announce()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const address = origin + pathname;
  if (request.method !== "GET" || !address.startsWith(SCOPE)) return;
  const name = address.slice(SCOPE.length).replace(/(^|\/)index\.html$/, "$1");
  event.respondWith(name.startsWith("assets/") ? ofItsVersion(request) : ofThisVersion(request, name));
  if (request.mode === "navigate") event.waitUntil(Promise.allSettled([sweep(), leaveIfGone()]));
});
