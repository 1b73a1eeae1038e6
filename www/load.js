// Files that are published beside the page. They are found from this module, three folders below them, and not from the
// page: a published site keeps each version's files in a folder of their own.
const HOME = new URL("../../../", import.meta.url);

/** The address of a file. */
export const locate = (name) => new URL(name, HOME).href;

// `import()` is syntax, so Rust cannot bind to it.
export const load = (name) => import(locate(name));
