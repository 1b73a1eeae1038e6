// The editor's YAML language.
import { yamlLanguage } from "@codemirror/lang-yaml";
import { LanguageSupport } from "@codemirror/language";

const { parser } = yamlLanguage;

/**
 * The indentation depth at the parser's position. The parser reuses a tree fragment from before an
 * edit only where the depth is the same. @lezer/yaml 1.0.4 does not leave the mappings and
 * sequences that end with the text: the whole text then counts as inside the last of them, no
 * fragment is ever reused, and each keystroke parses everything.
 */
const indentation = {
  ...parser.context,
  shift(context, term, stack, input) {
    // At the end of the text, only the ends of mappings and sequences are terms without a name.
    const ends = input.next < 0 && !parser.nodeSet.types[term]?.name;
    return ends && context.parent ? context.parent : parser.context.shift(context, term, stack, input);
  },
};

/** The language with its folding and indentation; an edit parses only what it changes. */
export const yaml = () => new LanguageSupport(language);

const language = yamlLanguage.configure({ contextTracker: indentation });
