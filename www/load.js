// Rust cannot write `import()` itself.
export const load = (address) => import(new URL(address, document.baseURI).href);
