// The second part of Berth's WebAssembly: what a first visit does not run
// (xtask/split). A page that was not split has none.

/** Where the rest is, as the first part says; null if it was not split. */
function address(module) {
  const [name] = WebAssembly.Module.customSections(module, "rest");
  if (!name) return null;
  const base = globalThis.document?.baseURI ?? location.href;
  return new URL(new TextDecoder().decode(name), base).href;
}

/** Whether there is something to fetch. */
export const restIsMissing = (first) => first.rest_loaded?.value === 0;

let fetching = null;

/** Fetches the rest and links it to the first part. */
export function fetchRest(module, first) {
  fetching ??= WebAssembly.compileStreaming(fetch(address(module)))
    .then((rest) => link(rest, first))
    .finally(() => (fetching = null));
  return fetching;
}

/**
 * The same without waiting, for a function of the first part that needs the rest to go on. In a
 * worker that holds up nobody; the page itself fetches the rest before it does what needs it.
 */
export function loadRest(module, first) {
  const request = new XMLHttpRequest();
  request.open("GET", address(module), false);
  // Beside a worker only text may be had without waiting: one letter for each byte.
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) {
    throw new Error(`Berth could not fetch the rest of itself: HTTP status ${request.status}`);
  }
  const bytes = Uint8Array.from(request.response, (letter) => letter.charCodeAt(0));
  link(new WebAssembly.Module(bytes), first);
}

function link(rest, first) {
  if (restIsMissing(first)) new WebAssembly.Instance(rest, { first });
}
