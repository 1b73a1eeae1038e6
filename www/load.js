// `import()` is syntax, so Rust cannot bind to it.
export const load = (address) => import(new URL(address, document.baseURI).href);
