// Registers the service worker of a published site (sw.js), and notifies the page when a newer version is ready. Only
// `cargo xtask site` puts this script into the page.
const HOME = new URL("../../", import.meta.url);
const VERSION = import.meta.url.split("/").at(-2);

/** Embedded pages and sandboxed ones have no service worker. */
function workers() {
  try {
    const isEmbedded = self !== top || new URLSearchParams(location.search).has("embed");
    return isEmbedded || !isSecureContext ? undefined : navigator.serviceWorker;
  } catch {
    return undefined;
  }
}

/** Keeps this version's cache while the page is open. A page with a lock would be left out of the back/forward cache. */
function hold() {
  navigator.locks.request(`berth ${HOME} ${VERSION}`, { mode: "shared" }, () =>
    new Promise((leave) => addEventListener("pagehide", leave, { once: true })),
  );
}

async function register(workers) {
  try {
    const registration = await workers.register(new URL("sw.js", HOME), { updateViaCache: "none" });
    document.addEventListener("visibilitychange", () => {
      // Without a connection the page stays as it is.
      if (document.visibilityState === "visible") registration.update().catch(() => {});
    });
  } catch {
    // Refused, or no connection: the page works as it does without.
  }
}

/**
 * The bytes of a stored file, if this visit has a service worker. The page may need the lazy module at once, and
 * Chromium does not ask the worker about a page's synchronous requests.
 */
export async function stored(address) {
  try {
    const response = navigator.serviceWorker.controller && (await caches.match(address));
    return await response?.arrayBuffer();
  } catch {
    return undefined;
  }
}

const container = workers();
if (container) {
  hold();
  addEventListener("pageshow", ({ persisted }) => persisted && hold());
  const started = new Promise((resolve) => addEventListener("TrunkApplicationStarted", resolve, { once: true }));
  container.addEventListener("message", async ({ data }) => {
    if (!data?.berth || data.berth === VERSION) return;
    await started;
    dispatchEvent(new Event("berth-newer"));
  });
  // Everything that a first visit needs, and may need, was fetched before.
  addEventListener("berth-fetched", () => register(container), { once: true });
}
