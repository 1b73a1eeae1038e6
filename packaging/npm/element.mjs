// <berth-playground>, from the page that frames it: both are of one version.

/** Defines the element. `page`: the address of a published page. */
export function define(page) {
  if (customElements.get("berth-playground")) return Promise.resolve();
  const script = document.createElement("script");
  script.src = new URL("embed.js", new URL(page, location.href)).href;
  const loaded = new Promise((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`berth: ${script.src} cannot be loaded`));
  });
  document.head.append(script);
  return loaded;
}
