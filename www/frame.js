// The embedded page's part of the protocol with its host (www/embed.js): the height it would like, and the host's
// theme. Loaded only by `?embed`.
const tell = (message) => parent !== self && parent.postMessage({ berth: 1, ...message }, "*");

/** Sends the height at which everything is shown. */
function measure() {
  const app = document.querySelector(".app");
  if (!app?.querySelector(".stage__body")) return;
  app.style.height = "auto";
  const height = app.offsetHeight;
  app.style.height = "";
  tell({ height });
}

/** Sends the picture that stays when the host stops this frame. */
export const show = (picture) => tell({ picture });

export function begin() {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = new URL("./embed.css", import.meta.url).href;
  sheet.addEventListener("load", measure);
  document.head.append(sheet);
  const open = document.querySelector('[data-embed="open"]');
  // The link to this state is made when the pointer comes near, or the host asks.
  const hash = () => tell({ hash: open.hash });
  new MutationObserver(hash).observe(open, { attributes: true, attributeFilter: ["href"] });
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.berth !== 1) return;
    if (data.stop) {
      open.dispatchEvent(new PointerEvent("pointerenter"));
      const dark = document.documentElement.dataset.theme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
      document.querySelector(`[data-freeze="${dark ? "dark" : "light"}"]`).click();
    }
    if (data.theme === "dark" || data.theme === "light") document.documentElement.dataset.theme = data.theme;
  });
  const app = document.querySelector(".app");
  new MutationObserver(() => requestAnimationFrame(measure)).observe(app, { childList: true, subtree: true });
  new ResizeObserver(measure).observe(document.documentElement);
  measure();
  tell({ ready: true });
}
