// YAML as the editor reads it.
import { yamlLanguage } from "@codemirror/lang-yaml";
import { LanguageSupport } from "@codemirror/language";

const { parser } = yamlLanguage;

/**
 * How deep the text is indented where the parser stands. A piece of the tree before an edit is only
 * taken over where it is as deep as it was. @lezer/yaml 1.0.4 does not leave the mappings and
 * sequences that end with the text: the whole text counts as within the last of them, nothing is ever
 * taken over, and each key parses everything.
 */
const indentation = {
  ...parser.context,
  shift(context, term, stack, input) {
    // Only the end of a mapping or a sequence is without a name behind the text.
    const ends = input.next < 0 && !parser.nodeSet.types[term]?.name;
    return ends && context.parent ? context.parent : parser.context.shift(context, term, stack, input);
  },
};

/** The language with its folding and indenting; an edit parses what it changes. */
export const yaml = () => new LanguageSupport(language);

const language = yamlLanguage.configure({ contextTracker: indentation });
