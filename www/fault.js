// Says why the page does not start, or why it has ended. The first script of the page: a connection may lose any other.
import translations from "translations:fault";

import { speaker } from "./say.js";

const wanted = new URLSearchParams(location.search).get("lang") ?? navigator.language;
const { tag, say } = speaker(translations, wanted);
let isSaid = false;

const element = (name, more, ...children) => {
  const made = Object.assign(document.createElement(name), more);
  made.append(...children);
  return made;
};

const isShown = () => document.getElementById("app")?.hasChildNodes();
const missing = () => show(say("A part of Berth could not be fetched. Check the connection, then reload."));

function show(sentence) {
  if (isSaid) return;
  isSaid = true;
  const isStarted = isShown();
  const reload = element("button", { className: "btn", onclick: () => location.reload() }, say("Reload"));
  const shown = element("p", { lang: tag, role: "alert", className: isStarted ? "toast" : "" }, sentence, " ", reload);
  shown.dataset.fault = "";
  shown.style.margin = "1rem";
  if (isStarted) document.body.append(element("div", { className: "over" }, shown));
  else {
    document.getElementById("picture")?.remove();
    document.getElementById("app").replaceChildren(shown);
  }
  document.getElementById("late")?.remove();
  if (!isStarted && parent !== self) parent.postMessage({ berth: 1, missing: sentence }, "*");
}

const isTrap = (error) => error instanceof WebAssembly.RuntimeError || error?.isFatal || /call stack/.test(error?.message);

function hear(error) {
  const why = String(error?.message ?? error);
  if (isShown()) isTrap(error) && show(say("Berth has stopped ({why}). Reloading restores what you did before.", { why }));
  else if (/\bCSP\b|Content Security Policy|unsafe-eval/i.test(why)) show(say("Berth cannot run here: the server's Content-Security-Policy refuses WebAssembly. Allow 'wasm-unsafe-eval' in script-src."));
  else if (/fetch|load|import|network/i.test(why)) missing();
  else show(say("Berth cannot run here: {why}", { why }));
}

// The page awaits its program, and a module that is not there has no error of its own.
self.berthFault = hear;
addEventListener("error", ({ target, error }) => {
  if (target === self) hear(error);
  else if (target.localName === "script" && !isShown()) missing();
}, true);
addEventListener("unhandledrejection", ({ reason }) => hear(reason));
