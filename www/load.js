// wasm-bindgen cannot express `import()`.
export const load = (address) => import(new URL(address, document.baseURI).href);
