// A plugin of markdown-it, and so of VitePress.
import { complain, element, readInfo, scriptTag } from "./fence.mjs";

/**
 * Adds the element after each `yaml berth` block. The block itself is rendered as any other of YAML.
 *
 * `script`: the address of `embed.js`, written once into a page that has a block. A site of one page, as VitePress makes,
 * has it in its head instead. `strict`: a misspelt attribute is an error, not a warning.
 */
export default function berth(md, { script, strict = false } = {}) {
  const fence = md.renderer.rules.fence ?? ((tokens, index, options, env, self) => self.renderToken(tokens, index, options));
  const pages = new WeakSet();
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    const found = readInfo(md.utils.unescapeAll(token.info));
    if (!found) return fence(tokens, index, options, env, self);
    const page = env?.relativePath ?? env?.path ?? "Markdown";
    complain(found.complaints, token.map ? `${page}:${token.map[0] + 1}` : page, strict);
    const { info } = token;
    token.info = found.info;
    const block = fence(tokens, index, options, env, self);
    token.info = info;
    const tag = script && !pages.has(tokens) ? `${scriptTag(script)}\n` : "";
    pages.add(tokens);
    return `${block}${element(found.attributes)}\n${tag}`;
  };
}
