// A plugin of remark, and so of Docusaurus, Astro and others: for Markdown and for MDX.
import { complain, readInfo } from "./fence.mjs";

/**
 * Adds the element after each `yaml berth` block. The block itself stays a block of YAML.
 *
 * `script`: the address of `embed.js`, added once to a page that has a block. Docusaurus has it in `scripts` instead.
 * `strict`: a misspelt attribute is an error, not a warning.
 */
export default function berth({ script, strict = false } = {}) {
  return (tree, file) => {
    const wrong = (child, complaints) => {
      const [page, line] = [file?.path ?? "Markdown", child.position?.start.line];
      complain(complaints, line ? `${page}:${line}` : page, strict);
    };
    if (visit(tree, wrong) && script) tree.children.push(node("script", { src: script, async: true }));
  };
}

/** A node that becomes an HTML element, in MDX too. */
function node(hName, hProperties) {
  return { type: "berth", children: [], data: { hName, hProperties } };
}

/** Whether there is a block below `parent`. `wrong` hears what is wrong with one. */
function visit(parent, wrong) {
  let found = false;
  for (let at = 0; at < (parent.children?.length ?? 0); at += 1) {
    const child = parent.children[at];
    const read = child.type === "code" && child.lang ? readInfo(`${child.lang} ${child.meta ?? ""}`) : null;
    if (!read) {
      found = visit(child, wrong) || found;
      continue;
    }
    wrong(child, read.complaints);
    const [lang, ...meta] = read.info.split(" ");
    child.lang = lang;
    child.meta = meta.join(" ") || null;
    at += 1;
    parent.children.splice(at, 0, node("berth-playground", Object.fromEntries(read.attributes)));
    found = true;
  }
  return found;
}
