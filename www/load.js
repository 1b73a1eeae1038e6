// Files that are published beside the page. They are found from this module, three folders below them, and not from the
// page: a published site keeps each version's files in a folder of their own.
const HOME = new URL("../../../", import.meta.url);

/** The address of a file. */
export const locate = (name) => new URL(name, HOME).href;

/** How often each module could not be loaded. */
const failures = new Map();

/**
 * Loads a module. `import()` is syntax, so Rust cannot bind to it. Browsers remember that an address could not be loaded:
 * each further attempt has an address of its own.
 */
export async function load(name) {
  const count = failures.get(name) ?? 0;
  try {
    return await import(locate(name) + (count ? `?again=${count}` : ""));
  } catch (error) {
    failures.set(name, count + 1);
    throw error;
  }
}
