// What the page says, and whether it has room for it. Run in a page with `page.evaluate`.
import { readFileSync } from "node:fs";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const kinds = read("crates/core/src/api/kinds/table.rs").match(/\b[A-Z][a-z]+\b/g);
const points = read("src/scene/progress.rs").match(/"[A-Z][a-z]+"/g).map((name) => name.slice(1, -1));
/** Names that are the same in both languages: kinds, extension points, phases of Pods, programs, and keys. */
export const NAMES = [
  ...new Set([...kinds, ...points]),
  ...["Bound", "Pending", "Running", "Gated", "Succeeded", "Failed", "Terminating", "Deleted", "Ready", "Exists"],
  ...["Berth", "Kubernetes", "kubectl", "kubelet", "Webhook", "unschedulable", "Markdown", "Tab", "Esc", "Enter", "Shift", "Ctrl", "Home", "End", "Delete"],
  // Programs, and a word that Kubernetes' own translation keeps.
  ...["kubeadm", "Kueue", "descheduler", "Init"],
  // A kind of Berth's own, a plugin's short name, and a kind that a test misspells.
  ...["Scenario", "Fit", "Pdo"],
];

/**
 * Texts with English words. Elements with `translate="no"`, what a text names in `data-quotes`, code, and what the visitor writes are not looked at; words of
 * the manifests, names with digits and punctuation, and words with capitals inside are names.
 */
export function english(names) {
  const OWN = '[lang="en"], code, pre, kbd, .cm-editor, textarea, .term, script, style, noscript';
  const words = (text) => text.match(/[A-Za-z][A-Za-z0-9]*(?:[-./_:=][A-Za-z0-9]+)*/g) ?? [];
  const manifests = document.querySelector('[data-field="manifests"]')?.value ?? "";
  const known = new Set([...names, ...words(manifests), ...words(manifests).flatMap((word) => word.split(/[-./_:=]/))]);
  const isEnglish = (word) => /^[A-Za-z]?[a-z]{2,}$/.test(word) && !known.has(word);
  const quoted = [...document.querySelectorAll('[translate="no"]')].flatMap((element) => [element.textContent.trim(), element.title]);
  quoted.push(...[...document.querySelectorAll("[data-quotes]")].map((element) => element.dataset.quotes));
  quoted.sort((one, other) => other.length - one.length);
  // The message of a Pod's last attempt, in the log and in names; and commands.
  const message = /\d+\/\d+ nodes are available.*|kubectl( [a-z]+)*/g;
  const found = new Set();
  const look = (element, text) => {
    let own = text;
    for (const part of quoted) if (part.includes(" ")) own = own.replaceAll(part, "");
    const strange = words(own.replace(message, "")).filter(isEnglish);
    if (strange.length > 0) found.add(`${element.className.baseVal ?? (element.className || element.tagName)}: ${text.trim().slice(0, 120)} [${strange.slice(0, 6)}]`);
  };
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest(OWN) || element.closest("[translate]")?.translate === false) continue;
    for (const node of element.childNodes) if (node.nodeType === 3) look(element, node.data);
    for (const name of ["aria-label", "title", "placeholder", "aria-valuetext", "aria-description", "alt"]) {
      if (element.hasAttribute(name)) look(element, element.getAttribute(name));
    }
  }
  return [...found];
}

/**
 * Texts that are wider or higher than their box: those that overflow, and those that are cut and can be read nowhere
 * else. Labels of Pods give way by themselves. A sentence or a button's text is never cut; a name may be, if its title says it all.
 */
export function overflowing() {
  const found = new Set();
  const owns = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  for (const element of document.querySelectorAll("body *")) {
    if (!(owns(element) || element.matches(".topbar, .panel__head, .timeline__bar, .clip")) || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const hidden = element.closest(".visually-hidden, .cm-editor, .term, select, option, textarea, svg, .pod");
    if (hidden || style.display === "inline" || style.display === "contents" || element.clientWidth < 2) continue;
    const scrolls = (overflow) => /auto|scroll/.test(overflow);
    const wide = scrolls(style.overflowX) ? 0 : element.scrollWidth - element.clientWidth;
    const high = /hidden|clip/.test(style.overflowY) ? element.scrollHeight - element.clientHeight : 0;
    const cut = style.textOverflow === "ellipsis" && wide > 1;
    const text = element.textContent.trim();
    const titled = element.closest("[title]")?.title ?? "";
    const isName = !/[\u4e00-\u9fff].*[，。：；]|[a-z]{2,} [a-z]{2,} [a-z]{2,}/.test(text);
    if (cut && titled.replaceAll(/\s/g, "").includes(text.replaceAll(/\s/g, "")) && isName) continue;
    if (cut && !element.closest("button, .btn") && titled) continue;
    if (wide > 1 || high > 4) found.add(`${element.className || element.tagName}: ${text.slice(0, 60)} (+${wide}, +${high})`);
  }
  return [...found];
}
