// The bookmarklet: opens the manifests of the current page. If something is selected, only the blocks that the
// selection touches. The build bundles it into one expression; Berth's page puts its own address in place of %PAGE%.
import translations from "translations:bookmarklet";

import { fragmentOf, textOf } from "./blocks.js";
import { speaker } from "./say.js";

const PAGE = "%PAGE%";

const isManifest = (text) => /^\W*apiVersion\W{0,2}:/m.test(text) && /^\W*kind\W{0,2}:/m.test(text);

/** Whether the page marks a block as YAML. */
function isYaml(block) {
  const near = [block, block.querySelector("code"), block.parentElement];
  return near.some((element) => /\b(language|lang|source|highlight)-ya?ml\b/.test(element?.className ?? ""));
}

/** The manifests in a text: all of it, or, if it is a shell's, its here-documents. */
function manifestsIn(text) {
  const documents = [...text.matchAll(/<<-?\s*(['"]?)(\w+)\1[^\n]*\n([^]*?)\n\s*\2\s*$/gm)].map((match) => match[3]);
  return documents.length > 0 ? documents : [text];
}

function collect() {
  const selection = getSelection();
  const all = [...document.querySelectorAll("pre, textarea")];
  const touched = selection?.isCollapsed === false ? all.filter((block) => selection.containsNode(block, true)) : [];
  const blocks = (touched.length > 0 ? touched : all).map((block) => ({
    yaml: isYaml(block),
    texts: manifestsIn(block.value ?? textOf(block)),
  }));
  const texts = blocks.flatMap((block) => block.texts).filter(isManifest);
  if (texts.length === 0) texts.push(...blocks.filter((block) => block.yaml).flatMap((block) => block.texts));
  // Pages show the same block twice: in tabs, or with a line marked.
  return [...new Set(texts.map((text) => `${text.trimEnd()}\n`))];
}

async function run() {
  const texts = collect();
  if (texts.length === 0) {
    const { say } = speaker(translations, navigator.language);
    alert(say("Berth found no Kubernetes manifests on this page."));
    return;
  }
  // Browsers allow a new tab only before the first wait.
  const tab = open();
  const files = texts.map((text, number) => [`block-${number + 1}.yaml`, text]);
  const address = PAGE + (await fragmentOf(files));
  if (!tab) {
    location.href = address;
    return;
  }
  tab.opener = null;
  tab.location.replace(address);
}

run();
