// A plugin of remark, and so of Docusaurus, Astro and others: for Markdown and for MDX.
import { readInfo } from "./fence.mjs";

/**
 * Adds the element after each `yaml berth` block. The block itself stays a block of YAML.
 *
 * `script`: the address of `embed.js`, added once to a page that has a block. Docusaurus has it in `scripts` instead.
 */
export default function berth({ script } = {}) {
  return (tree) => {
    if (visit(tree) && script) tree.children.push(node("script", { src: script, async: true }));
  };
}

/** A node that becomes an HTML element, in MDX too. */
function node(hName, hProperties) {
  return { type: "berth", children: [], data: { hName, hProperties } };
}

/** Whether there is a block below `parent`. */
function visit(parent) {
  let found = false;
  for (let at = 0; at < (parent.children?.length ?? 0); at += 1) {
    const child = parent.children[at];
    const read = child.type === "code" && child.lang ? readInfo(`${child.lang} ${child.meta ?? ""}`) : null;
    if (!read) {
      found = visit(child) || found;
      continue;
    }
    const [lang, ...meta] = read.info.split(" ");
    child.lang = lang;
    child.meta = meta.join(" ") || null;
    at += 1;
    parent.children.splice(at, 0, node("berth-playground", Object.fromEntries(read.attributes)));
    found = true;
  }
  return found;
}
