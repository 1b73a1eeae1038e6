// The editor's theme, built from the page's custom properties, so that both color schemes, print
// and presentation size apply.
import { HighlightStyle, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const colors = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: "var(--yaml-key)" },
  { tag: [tags.content, tags.string, tags.special(tags.string)], color: "var(--yaml-string)" },
  { tag: [tags.labelName, tags.typeName, tags.keyword, tags.attributeValue], color: "var(--yaml-number)" },
  { tag: tags.lineComment, color: "var(--yaml-comment)" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--ink)" },
  { tag: tags.meta, color: "var(--ink-3)" },
]);

const number = Decoration.mark({ class: "cm-number" });
const NUMBER = /^(?:[-+]?\.?\d[\d_.]*(?:e[-+]?\d+|[mkMGTPE]|[KMGTPE]i)?|0x[\da-f]+|true|false|null|~)$/i;

/**
 * The grammar treats every plain scalar as text; these are numbers, quantities, booleans or null.
 */
const numbers = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = numbersIn(view);
    }
    update(update) {
      const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
      if (update.docChanged || update.viewportChanged || parsed) this.decorations = numbersIn(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function numbersIn(view) {
  const found = view.visibleRanges.flatMap(({ from, to }) => numbersOf(syntaxTree(view.state), view.state, { from, to }));
  return Decoration.set(found, true);
}

/** The marks of numbers in a tree of the text from `offset` on. */
export function numbersOf(tree, state, { from, to, offset = 0 }) {
  const found = [];
  tree.iterate({
    from: from - offset,
    to: to - offset,
    enter(node) {
      if (node.name !== "Literal" || node.to - node.from > 40 || node.node.parent?.name === "Key") return;
      const [start, end] = [node.from + offset, node.to + offset];
      if (NUMBER.test(state.sliceDoc(start, end))) found.push(number.range(start, end));
    },
  });
  return found;
}

/** Syntax colors of the parsed text; large texts have those of large.mjs. */
export const highlighting = [syntaxHighlighting(colors), numbers];

const tooltip = {
  backgroundColor: "var(--paper-raised)",
  color: "var(--ink)",
  border: "1px solid var(--rule-strong)",
  borderRadius: "var(--r3)",
  boxShadow: "var(--lift)",
  font: "400 var(--text-12)/var(--line-16) var(--sans)",
};

const button = {
  background: "var(--paper-raised)",
  color: "var(--ink)",
  border: "1px solid var(--rule-strong)",
  borderRadius: "var(--r2)",
  font: "500 var(--text-11)/var(--line-16) var(--sans)",
  padding: "1px 8px",
  margin: "0",
  verticalAlign: "baseline",
};

const text = {
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "var(--text-12)" },
  "&.cm-focused": { outline: "none" },
  // The ring is drawn around the whole editor, above gutters and marked lines.
  "&.cm-focused::after": {
    content: "''",
    position: "absolute",
    inset: "0",
    zIndex: "301",
    pointerEvents: "none",
    border: "2px solid var(--accent)",
    borderRadius: "var(--r1)",
  },
  ".cm-content:focus-visible": { outline: "none" },
  ".cm-scroller": {
    font: "400 var(--text-12)/1.25rem var(--mono)",
    fontVariantLigatures: "none",
    scrollbarWidth: "thin",
    scrollbarColor: "var(--rule-strong) transparent",
  },
  ".cm-content": { padding: "var(--s1) 0", caretColor: "var(--accent)", tabSize: "2" },
  ".cm-line": { padding: "0 var(--s3) 0 0" },
  ".cm-number": { color: "var(--yaml-number)" },
  ".cm-number > span": { color: "inherit" },
  ".cm-cursor, .cm-dropCursor": { borderLeft: "1.5px solid var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 22%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-wash)", outline: "1px solid var(--accent)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--rejected-wash)" },
  ".cm-searchMatch": { backgroundColor: "var(--waiting-wash)", outline: "1px solid var(--waiting)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--accent-wash)", outline: "1px solid var(--accent)" },
  ".cm-specialChar": { color: "var(--rejected)" },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--paper-sunk)",
    border: "var(--hair)",
    borderRadius: "var(--r1)",
    color: "var(--ink-3)",
    padding: "0 4px",
    margin: "0 4px",
  },
};

const gutters = {
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--ink-3)", border: "0" },
  ".cm-lineNumbers": { fontSize: "var(--text-11)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2rem", padding: "0", paddingLeft: "4px" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  // A long text has no folds.
  ".cm-lineNumbers:last-child .cm-gutterElement": { paddingRight: "6px" },
  ".cm-foldGutter .cm-gutterElement": { width: "1rem", padding: "0", cursor: "pointer" },
  ".cm-fold": { display: "block", position: "relative", width: "1rem", height: "1.25rem" },
  ".cm-fold::after": {
    content: "''",
    position: "absolute",
    left: ".3rem",
    top: ".5rem",
    border: "3.5px solid transparent",
    borderTopColor: "var(--ink-3)",
  },
  ".cm-fold[data-folded]::after": {
    top: ".375rem",
    left: ".4rem",
    borderTopColor: "transparent",
    borderLeftColor: "var(--ink-3)",
  },
  ".cm-fold:hover::after": { borderTopColor: "var(--ink)" },
};

const marks = {
  ".cm-clash": { backgroundColor: "var(--rejected-wash)" },
  ".cm-changed": { backgroundColor: "var(--accent-wash)" },
  ".cm-lineNumbers .cm-gutterElement.cm-clash": { boxShadow: "inset 2px 0 var(--rejected)" },
  ".cm-lineNumbers .cm-gutterElement.cm-changed": { boxShadow: "inset 2px 0 var(--accent)" },
  // Wide enough to be visible beside the focus ring.
  "&.cm-focused .cm-lineNumbers .cm-gutterElement.cm-clash": { boxShadow: "inset 4px 0 var(--rejected)" },
};

const underline = (color) => ({
  backgroundImage: "none",
  textDecoration: `underline wavy ${color} 1px`,
  textUnderlineOffset: "4px",
  textDecorationSkipInk: "none",
});

const lint = {
  ".cm-lintRange": { paddingBottom: "0" },
  ".cm-lintRange-error": underline("var(--rejected)"),
  ".cm-lintRange-warning": underline("var(--waiting)"),
  ".cm-lintRange-info, .cm-lintRange-hint": underline("var(--ink-3)"),
  ".cm-lintRange-active": { backgroundColor: "transparent" },
  ".cm-lintPoint:after": { borderBottomColor: "var(--ink-3)" },
  ".cm-lintPoint-error:after": { borderBottomColor: "var(--rejected)" },
  ".cm-lintPoint-warning:after": { borderBottomColor: "var(--waiting)" },
  ".cm-diagnostic": { padding: "6px 10px", borderLeft: "0", maxWidth: "24rem" },
  ".cm-diagnostic-error": { boxShadow: "inset 2px 0 var(--rejected)" },
  ".cm-diagnostic-warning": { boxShadow: "inset 2px 0 var(--waiting)" },
  ".cm-diagnostic-info": { boxShadow: "inset 2px 0 var(--ink-3)" },
  ".cm-diagnostic p": { margin: "0" },
  ".cm-diagnostic p + p": { color: "var(--ink-2)", marginTop: "2px" },
  ".cm-diagnosticAction": { ...button, margin: "4px 0 0", display: "block", cursor: "pointer" },
};

const popovers = {
  ".cm-tooltip": tooltip,
  ".cm-tooltip-lint": { backgroundColor: "transparent" },
  ".cm-tooltip-section:not(:first-child)": { borderTop: "var(--hair)" },
  ".cm-help": { padding: "6px 10px", maxWidth: "24rem" },
  ".cm-help b + i:empty": { display: "none" },
  ".cm-help b": { marginRight: "8px", font: "600 var(--text-12)/var(--line-16) var(--mono)", overflowWrap: "anywhere" },
  ".cm-help i": { fontStyle: "normal", color: "var(--ink-3)", display: "inline-block", fontSize: "var(--text-11)" },
  ".cm-help p": { margin: "3px 0 0", color: "var(--ink-2)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    font: "400 var(--text-11)/1.375rem var(--mono)",
    padding: "4px",
    minWidth: "12rem",
    maxHeight: "14rem",
    scrollbarWidth: "thin",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    padding: "0 6px",
    lineHeight: "1.375rem",
    borderRadius: "var(--r1)",
    display: "flex",
    justifyContent: "space-between",
    gap: "var(--s3)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    background: "var(--accent-wash)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal", marginLeft: "0" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700", color: "var(--accent)" },
  ".cm-tooltip.cm-completionInfo": { ...tooltip, padding: "0", width: "20rem", maxWidth: "20rem" },
};

const search = {
  ".cm-panels": { backgroundColor: "var(--paper)", color: "var(--ink)" },
  ".cm-panels-top": { borderBottom: "var(--hair)" },
  ".cm-panel.cm-search": {
    font: "400 var(--text-11)/var(--line-16) var(--sans)",
    padding: "6px 1.5rem 6px var(--s3)",
    display: "flex",
    flexWrap: "wrap",
    gap: "4px",
    alignItems: "center",
  },
  ".cm-panel.cm-search br": { flexBasis: "100%", content: "''", display: "block" },
  ".cm-panel.cm-search label": { fontSize: "inherit", display: "inline-flex", alignItems: "center", gap: "3px" },
  ".cm-panel.cm-search input[type=checkbox]": { accentColor: "var(--accent)", margin: "0" },
  ".cm-panel.cm-search [name=close]": { fontSize: "var(--text-15)", color: "var(--ink-2)", right: "8px" },
  ".cm-textfield": {
    background: "var(--paper-raised)",
    color: "var(--ink)",
    border: "1px solid var(--rule-strong)",
    borderRadius: "var(--r2)",
    font: "400 var(--text-11)/var(--line-16) var(--mono)",
    padding: "2px 6px",
    margin: "0",
    width: "9rem",
  },
  ".cm-button": { ...button, backgroundImage: "none" },
};

/** The whole theme; its rules are created once for all editors. */
export const theme = EditorView.theme({
  ...text,
  ...gutters,
  ...marks,
  ...lint,
  ...popovers,
  ...search,
});
