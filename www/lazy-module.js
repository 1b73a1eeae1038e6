// The lazy module: the part of Berth's WebAssembly that a first visit does not run
// (xtask/split). An unsplit build has none.

/** The lazy module's address, from a section of the first module; null in an unsplit build. */
function address(module) {
  const [name] = WebAssembly.Module.customSections(module, "lazy");
  if (!name) return null;
  // This module is three folders below the page's files.
  return new URL(`../../../${new TextDecoder().decode(name)}`, import.meta.url).href;
}

/** Whether the lazy module exists and is not loaded yet. */
export const lazyModuleIsMissing = (first) => first.lazy_loaded?.value === 0;

let fetching = null;
let compiled = null;
let kept = null;

/** Takes the lazy module's bytes in advance (offline.js). */
export const keep = (bytes) => (kept = bytes);

/** The compiled lazy module once it was fetched, to be linked in a worker, too. */
export const compiledLazyModule = () => compiled;

/** Fetches the lazy module and links it to the first one. */
export function fetchLazyModule(module, first) {
  fetching ??= fetched(address(module))
    .then((lazy) => {
      compiled = lazy;
      // On a page, Chromium links modules above 8 MiB only asynchronously.
      return lazyModuleIsMissing(first) && WebAssembly.instantiate(lazy, imports(first));
    })
    .finally(() => (fetching = kept = null));
  return fetching;
}

/** Without streaming, because some servers do not send WebAssembly's MIME type. */
async function fetched(address) {
  if (kept) return WebAssembly.compile(kept);
  const response = await fetch(address);
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Loads the lazy module synchronously, for a function of the first module that cannot continue
 * without it. In a worker this does not block the page. The page itself fetches the module before
 * an action that needs it: it would block, and Chromium refuses more than 8 MiB at once there.
 */
export function loadLazyModule(module, first) {
  if (globalThis.document) console.error(new Error("the page needs the lazy module before it has fetched it"));
  if (kept) return link(new WebAssembly.Module(kept), first);
  const request = new XMLHttpRequest();
  request.open("GET", address(module), false);
  // Outside a worker, only text can be requested synchronously: one character per byte.
  request.overrideMimeType("text/plain; charset=x-user-defined");
  try {
    request.send();
  } catch {
    // The status says so, too.
  }
  if (request.status !== 200) {
    const error = new Error(`Berth could not fetch the rest of itself: HTTP status ${request.status}`);
    // The function that needed it does not return (fault.js).
    throw Object.assign(error, { isFatal: true });
  }
  const { response } = request;
  // `Uint8Array.from` would create a string for each of millions of bytes.
  const bytes = new Uint8Array(response.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = response.charCodeAt(at);
  link(new WebAssembly.Module(bytes), first);
}

/** Links the lazy module to the first one. */
export function link(lazy, first) {
  kept = null;
  if (lazyModuleIsMissing(first)) new WebAssembly.Instance(lazy, imports(first));
}

/** What the lazy module imports from the first one. */
function imports(first) {
  const imports = { ...first };
  for (let at = 0; at < first.lazy_calls.length; at++) imports[`f${at}`] = first.lazy_calls.get(at);
  return { first: imports };
}

/** What works before the lazy module is there: the recorded first visit does it (xtask/src/node/first-visit.mjs). */
export const AT_ONCE = {
  within: [
    ...["add", "play", "reset", "run", "step", "step-back", "theme"].map((name) => `[data-action="${name}"]`),
    ...["[data-cell]", "[data-pod]", "[data-notice]", '[data-field="manifests"]', ".cm-editor"],
  ].join(),
  keys: ["1", "2", "3", " ", "ArrowLeft", "ArrowRight", "Shift", "Control", "Alt", "Meta", "Tab"],
};

/** Events that mean something, in the order in which a browser sends them; what they do may need the lazy module. */
const MEANT = ["keydown", "input", "change", "click", "dblclick", "submit", "paste", "dragstart", "dragover", "drop"];

/** Holds events back until the lazy module is there: their handlers could not wait for it. `missing`: it cannot be fetched. */
export function holdEvents(module, first, missing) {
  if (!lazyModuleIsMissing(first)) return;
  const held = [];
  const end = () => MEANT.forEach((kind) => removeEventListener(kind, hold, true));
  const replay = () => {
    for (const event of held.splice(0)) {
      if (event.target.isConnected) event.target.dispatchEvent(new event.constructor(event.type, event));
    }
  };
  function hold(event) {
    if (!lazyModuleIsMissing(first)) return end();
    const { target, type } = event;
    if (type === "keydown" ? AT_ONCE.keys.includes(event.key) : target.closest?.(AT_ONCE.within)) return;
    event.stopImmediatePropagation();
    // A key may type a letter or move the focus, which needs no handler.
    if (type !== "keydown") event.preventDefault();
    // What is dragged or pasted cannot be kept.
    if (/^(drag|drop|paste)/.test(type)) return;
    held.push(event);
    if (held.length === 1) fetchLazyModule(module, first).then(replay, () => (held.splice(0), missing()));
  }
  MEANT.forEach((kind) => addEventListener(kind, hold, true));
}
