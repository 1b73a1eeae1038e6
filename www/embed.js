// <berth-playground>: makes a code block with manifests live, in a frame beside it.
//
//   <script src="https://…/embed.js" async></script>
//   <pre><code>kind: Node …</code></pre>
//   <berth-playground height="420"></berth-playground>
//
// Attributes: for (a selector of the block; otherwise the block before the element), src (a Berth link, or the address of
// a YAML file), page, and those of adapters/attributes.json but `expect`, which is for `berth docs`. The block stays as it is, so readers without scripts, of
// feeds and of print lose nothing.
import translations from "translations:embed";

import { fragmentOf, textOf } from "./blocks.js";
import { speaker } from "./say.js";

const HOME = new URL(".", document.currentScript.src);
/** Frames that run at the same time; the one started first stops for a new one. */
const ALIVE = 2;
/** Height in pixels of a frame that has not asked for one. */
const HEIGHT = 420;
const STYLE =
  ":host{display:block;margin:.5em 0}iframe,img{width:100%;border:0;display:block}img{object-fit:contain;object-position:top;cursor:pointer}button,p{font:inherit}@media print{:host{display:none}}";

/** Elements that have a frame. */
const framed = new Set();
/** Those of them that are not about to stop, in the order in which they started. */
const running = [];

/** "dark" or "light": as the host page names it, or as its background looks. */
function hostTheme() {
  const elements = [document.documentElement, document.body].filter(Boolean);
  for (const { dataset, className } of elements) {
    // `dark:bg-black` is a style that applies once the page is dark.
    const classes = className.split(/\s+/).filter((name) => !name.includes(":")).join(" ");
    for (const name of [dataset.theme, dataset.mdColorScheme, dataset.bsTheme, classes]) {
      if (/\b(dark|slate|night|coal|navy|ayu)\b/.test(name ?? "")) return "dark";
      if (/\b(light|default|rust)\b/.test(name ?? "")) return "light";
    }
  }
  for (const element of elements.reverse()) {
    const color = getComputedStyle(element).backgroundColor.match(/^rgba?\((.*)\)$/)?.[1] ?? "";
    const [red, green, blue, alpha = 1] = color.split(/[ ,/]+/).map(Number);
    // Rec. 601 luma, of 255.
    if (color && alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
  }
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return scheme === "dark" || scheme === "light" ? scheme : "";
}

/** The element of a selector; `undefined` if the selector is invalid. */
function selected(selector) {
  try {
    return document.querySelector(selector);
  } catch {
    return undefined;
  }
}

class BerthPlayground extends HTMLElement {
  #frame;
  #isStarting = false;
  #isReady = false;
  #seen;
  #hash = "";
  #picture = "";

  connectedCallback() {
    if (this.shadowRoot) return;
    const shadow = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    shadow.adoptedStyleSheets = [sheet];
    const load = this.getAttribute("load") ?? "visible";
    if (load === "eager") this.start();
    else if (load === "click") this.#offer(this.#say("Play in Berth"));
    else {
      // Keeps the frame's room, so that the page does not move, and there is something to see.
      const room = document.createElement("div");
      room.style.height = `${Number(this.getAttribute("height")) || HEIGHT}px`;
      shadow.replaceChildren(room);
      this.#seen = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting)) this.start();
      });
      this.#seen.observe(this);
    }
  }

  disconnectedCallback() {
    this.#seen?.disconnect();
    this.#forget();
  }

  /** The frame, until it has stopped. */
  get frame() {
    return this.#frame;
  }

  get #say() {
    return speaker(translations, this.getAttribute("lang") ?? document.documentElement.lang).say;
  }

  /** Offers to start; `height`: the room to keep, so that the page does not move. */
  #offer(label, height) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => this.start());
    const room = document.createElement("div");
    if (height) room.style.height = `${Number(height) || HEIGHT}px`;
    room.append(button);
    this.shadowRoot.replaceChildren(room);
    return room;
  }

  /** The last picture, as an image: nothing in it can run. A policy that refuses it leaves the button. */
  #keep(room, height) {
    const image = document.createElement("img");
    image.src = `data:image/svg+xml,${encodeURIComponent(this.#picture)}`;
    image.alt = new DOMParser().parseFromString(this.#picture, "image/svg+xml").querySelector("desc")?.textContent ?? "";
    image.height = Number(height) || HEIGHT;
    image.addEventListener("click", () => this.start());
    image.addEventListener("error", () => image.remove());
    // The room is the picture's from now on.
    room.style.height = "";
    room.prepend(image);
  }

  #show(message) {
    const note = document.createElement("p");
    note.setAttribute("role", "note");
    note.textContent = message;
    this.shadowRoot.replaceChildren(note);
  }

  #block() {
    const wanted = this.getAttribute("for");
    if (wanted) return document.getElementById(wanted) ?? selected(wanted);
    const before = (block) => this.compareDocumentPosition(block) & Node.DOCUMENT_POSITION_PRECEDING;
    return [...this.getRootNode().querySelectorAll("pre")].filter(before).pop();
  }

  /** The manifests of a block, after those of the live blocks before it in its cluster. */
  #manifests(block) {
    const cluster = this.getAttribute("cluster");
    if (!cluster) return textOf(block);
    const elements = [...this.getRootNode().querySelectorAll("berth-playground[cluster]")];
    const before = elements.slice(0, elements.indexOf(this)).filter((element) => element instanceof BerthPlayground);
    // A block of `lab/a` begins as `lab`.
    const shared = before.filter((element) => `${cluster}/`.startsWith(`${element.getAttribute("cluster")}/`));
    const blocks = shared.map((element) => element.#block()).filter(Boolean);
    return [...blocks, block].map(textOf).join("\n---\n");
  }

  /** Entries of the run before the moment to show. */
  #step() {
    const step = Number(this.getAttribute("step") ?? 0);
    return Number.isSafeInteger(step) && step > 0 ? step : 0;
  }

  /** An address of a server: no other scheme may run or be read here. */
  #server(given) {
    const address = URL.canParse(given, document.baseURI) && new URL(given, document.baseURI);
    if (!/^https?:$/.test(address?.protocol)) throw new Error(this.#say("<berth-playground>: {given} is no address that begins with https:// or http://", { given }));
    return address;
  }

  async #address() {
    const page = this.#server(this.getAttribute("page") ?? HOME);
    page.searchParams.set("embed", "");
    const theme = this.getAttribute("theme") ?? hostTheme();
    const lang = this.getAttribute("lang") ?? document.documentElement.lang;
    const given = { view: this.getAttribute("view"), theme, lang };
    for (const [name, value] of Object.entries(given)) if (value) page.searchParams.set(name, value);
    const src = this.getAttribute("src");
    if (src?.includes("#")) {
      page.hash = src.slice(src.indexOf("#"));
      return page;
    }
    let manifests;
    if (src) {
      const answer = await fetch(this.#server(src)).catch(() => {
        throw new Error(this.#say("{src} could not be read; a Content-Security-Policy must allow its address in connect-src", { src }));
      });
      if (!answer.ok) throw new Error(`${src}: ${answer.status}`);
      manifests = await answer.text();
    } else {
      const block = this.#block();
      const wanted = this.getAttribute("for");
      if (!block) throw new Error(wanted ? this.#say("<berth-playground>: no element matches for={wanted}", { wanted: JSON.stringify(wanted) }) : this.#say("<berth-playground> has no code block before it, no for, and no src"));
      manifests = this.#manifests(block);
    }
    page.hash = await fragmentOf([["scenario.yaml", manifests]], this.#step(), this.getAttribute("kubernetes") || undefined);
    return page;
  }

  /** Starts the frame. */
  async start() {
    this.#seen?.disconnect();
    if (this.#isStarting || this.#frame) return;
    this.#isStarting = true;
    let address;
    try {
      address = await this.#address();
    } catch (error) {
      this.#show(String(error.message));
      return;
    } finally {
      this.#isStarting = false;
    }
    if (!this.isConnected) return;
    if (this.#hash) address.hash = this.#hash;
    const frame = document.createElement("iframe");
    frame.title = this.#say("Berth: where do these Pods go?");
    frame.loading = "lazy";
    frame.allow = "clipboard-write";
    frame.height = this.getAttribute("height") ?? String(HEIGHT);
    frame.src = address.href;
    this.#frame = frame;
    this.#isReady = false;
    this.shadowRoot.replaceChildren(frame);
    framed.add(this);
    running.push(this);
    while (running.length > ALIVE) running[0].stop();
  }

  /** Stops the frame; a click starts it where it was. A frame that is not ready has nothing to keep. */
  async stop() {
    this.#leave();
    const frame = this.#frame;
    const before = this.#hash;
    this.#picture = "";
    const height = frame?.height;
    this.tell({ stop: true });
    const waits = () => this.#isReady && this.#frame === frame && (this.#hash === before || !this.#picture);
    for (let wait = 0; wait < 20 && waits(); wait += 1) await new Promise((go) => setTimeout(go, 50));
    // Refused or removed meanwhile.
    if (this.#frame !== frame) return;
    this.#forget();
    const room = this.#offer(this.#isReady ? this.#say("Play again") : this.#say("Play in Berth"), height);
    if (this.#picture) this.#keep(room, height);
  }

  /** Counts no longer among those that run. */
  #leave() {
    const at = running.indexOf(this);
    if (at >= 0) running.splice(at, 1);
  }

  #forget() {
    this.#leave();
    framed.delete(this);
    this.#frame = undefined;
  }

  /** A message of the frame. */
  hear(message) {
    if (typeof message.height === "number" && !this.hasAttribute("height")) {
      this.#frame.height = String(Math.min(Math.max(Math.round(message.height), 200), 900));
    }
    if (typeof message.hash === "string" && message.hash.startsWith("#1.")) this.#hash = message.hash;
    if (typeof message.picture === "string") this.#picture = message.picture;
    if (message.ready) this.#isReady = true;
    if (typeof message.missing === "string") {
      this.#forget();
      this.#show(message.missing);
    }
  }

  /** To any origin: that of a frame in a sandboxed page is opaque, and no message holds a secret. */
  tell(message) {
    this.#frame?.contentWindow?.postMessage({ berth: 1, ...message }, "*");
  }

  /** The host's policy refused the frame. */
  refused(directive) {
    this.#forget();
    this.#show(`This page's Content-Security-Policy refuses the frame: allow ${HOME.origin} in ${directive}.`);
  }
}

addEventListener("message", ({ source, data }) => {
  if (data?.berth !== 1) return;
  [...framed].find((element) => element.frame?.contentWindow === source)?.hear(data);
});
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
  if (!/^(frame|child|default)-src/.test(effectiveDirective)) return;
  for (const element of [...framed]) if (element.frame?.src.startsWith(blockedURI)) element.refused(effectiveDirective);
});
const themes = () => {
  for (const element of framed) if (!element.hasAttribute("theme")) element.tell({ theme: hostTheme() });
};
new MutationObserver(themes).observe(document.documentElement, { attributes: true });
if (document.body) new MutationObserver(themes).observe(document.body, { attributes: true });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themes);

// Pages that swap their content run its scripts again.
if (!customElements.get("berth-playground")) customElements.define("berth-playground", BerthPlayground);
