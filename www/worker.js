// The engine's worker: instantiates the page's own module, which the page has already compiled, and
// lets its Rust side listen for commands.
addEventListener(
  "message",
  async ({ data }) => {
    try {
      const bindings = await import(data.module);
      await bindings.default({ module_or_path: data.wasm });
    } catch (error) {
      // Only an error outside a promise reaches the page.
      setTimeout(() => {
        throw error;
      });
    }
  },
  { once: true },
);
