// The engine's worker: instantiates the page's own module, which the page has already compiled, and
// lets its Rust side listen for commands.
addEventListener(
  "message",
  async ({ data }) => {
    const bindings = await import(data.module);
    await bindings.default({ module_or_path: data.wasm });
  },
  { once: true },
);
