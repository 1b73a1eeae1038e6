// The engine's worker: takes the page's own module, compiled by the page
// already, and lets its Rust side listen for commands.
addEventListener(
  "message",
  async ({ data }) => {
    const bindings = await import(data.module);
    await bindings.default({ module_or_path: data.wasm });
  },
  { once: true },
);
