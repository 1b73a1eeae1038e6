// Sentences of the scripts that run outside the program.

/**
 * Returns what says a sentence in a language: its translation, or else itself, with the values of its `{placeholders}`.
 * `translations`: by tag, those of all languages.
 */
export function speaker(translations, language) {
  const primary = (tag) => tag.toLowerCase().split("-")[0];
  const tag = Object.keys(translations).find((tag) => primary(tag) === primary(language));
  const say = (english, values) =>
    (translations[tag]?.[english] ?? english).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  return { tag: tag ?? "en", say };
}
