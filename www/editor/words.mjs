// Translations of the editor's texts, ours and CodeMirror's. `$`, `$1`, `$2` are placeholders.
import translations from "translations:editor";

/** The translations for a language tag; none for English and for languages without translations. */
export const wordsFor = (language) => translations[language] ?? {};
