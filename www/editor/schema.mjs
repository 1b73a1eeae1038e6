// Help while typing: descriptions of fields, and completion of fields and values.
import { autocompletion, startCompletion } from "@codemirror/autocomplete";
import { EditorSelection, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, showTooltip } from "@codemirror/view";
import { typeInWords } from "./fields.mjs";
import { ITEM } from "./lines.mjs";
import { placeAt } from "./position.mjs";

/** The fields of an object whose kind is not known yet, with their types. */
const ROOT = [
  ["apiVersion", "string"],
  ["kind", "string"],
  ["metadata", "ObjectMeta"],
];

/** Hover, Mod-k Mod-i and completion. `fields` resolves to `Fields`, or to null without any. */
export function schemaHelp(fields) {
  const hover = async (view, pos) => tooltip(await fields(), view.state, pos);
  return [
    hoverTooltip(hover, { hoverTime: 400 }),
    asked,
    autocompletion({
      override: [async (context) => completions(await fields(), context)],
      icons: false,
      aboveCursor: false,
    }),
  ];
}

/** Shows the description of the field at the cursor, and announces it. */
export function explainAtCursor(fields) {
  return (view) => {
    fields().then((known) => {
      const found = tooltip(known, view.state, view.state.selection.main.head);
      const text = found?.spoken ?? view.state.phrase("Nothing is known about this field.");
      view.dispatch({ effects: [ask.of(found), EditorView.announce.of(text)] });
    });
    return true;
  };
}

const ask = StateEffect.define();

/** The tooltip opened by key; the next move or change closes it. */
const asked = StateField.define({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(ask)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

/** For Escape: returns whether there was a tooltip to close. */
export function closeExplanation(view) {
  if (!view.state.field(asked, false)) return false;
  view.dispatch({ effects: ask.of(null) });
  return true;
}

function placeIn(state, pos) {
  const line = state.doc.lineAt(pos);
  const doc = { lines: state.doc.lines, line: (number) => state.doc.line(number).text };
  return { line, place: placeAt(doc, line.number, pos - line.from) };
}

function tooltip(fields, state, pos) {
  const { line, place } = placeIn(state, pos);
  const described = fields && place && describe(fields, place);
  if (!described) return null;
  const say = (...args) => state.phrase(...args);
  const type = [typeInWords(described.type, say), described.required && say("required")].filter(Boolean);
  return {
    pos: line.from + place.word.from,
    end: line.from + place.word.to,
    above: true,
    spoken: `${described.name}: ${type.join(", ")}. ${described.help}`,
    create: () => ({ dom: card(described.name, type.join(" · "), described.help) }),
  };
}

/** The description of the word at a place: `{ name, type, required, help }`. */
function describe(fields, place) {
  if (place.role === "value") {
    if (place.path.at(-1) !== "kind" || place.path.length > 1) return null;
    const type = fields.typeOfKind(place.apiVersion, place.word.text);
    const help = fields.types[type]?.[""];
    return help ? { name: place.word.text, type: place.apiVersion, help } : null;
  }
  const name = place.word.text.replace(/^["']|["']$/g, "");
  const container = fields.resolve(place);
  return container && fields.field(container.type, name);
}

function card(name, type, help) {
  const dom = document.createElement("div");
  dom.className = "cm-help";
  for (const [tag, text] of [["b", name], ["i", type], ["p", help]]) {
    const part = dom.appendChild(document.createElement(tag));
    part.textContent = text;
  }
  return dom;
}

function completions(fields, context) {
  const { line, place } = placeIn(context.state, context.pos);
  if (!fields || !place) return null;
  const typed = place.word.text.slice(0, context.pos - line.from - place.word.from);
  if (!typed && !context.explicit) return null;
  const say = (...args) => context.state.phrase(...args);
  const options = optionsAt(fields, place, say);
  if (options.length === 0) return null;
  const to = line.from + Math.max(place.word.to, context.pos - line.from);
  return { from: line.from + place.word.from, to, options, validFor: /^["']?[\w./-]*$/ };
}

function optionsAt(fields, place, say) {
  const root = place.path.length === 0;
  if (root && place.role === "key" && !fields.typeOfKind(place.apiVersion, place.kind)) {
    return ROOT.map(([name, type]) => fieldOption({ name, type, required: true, help: "" }, place, say));
  }
  if (place.role === "value" && place.path.length === 1) {
    const own = kindOptions(fields, place);
    if (own) return own;
  }
  const found = fields.resolve(place);
  if (!found) return [];
  const item = place.path.at(-1) === ITEM;
  if (place.role === "value" || (item && !isMapping(fields, found.type))) {
    return fields.valuesOf(found).map((label) => ({ label, type: "constant" }));
  }
  const fresh = (name) => !place.keys.has(name) || name === place.word.text;
  if (found.type.startsWith("{}")) {
    const help = "";
    return fields.keysOf(found.owner).filter(fresh)
      .map((name) => fieldOption({ name, type: found.type.slice(2), help }, place, say));
  }
  return fields.fieldsOf(found.type).filter((field) => fresh(field.name))
    .map((field) => fieldOption(field, place, say));
}

function isMapping(fields, type) {
  return type.startsWith("{}") || type in fields.types;
}

function kindOptions(fields, place) {
  const [kinds, name] = [fields.kindList(), place.path[0]];
  if (name === "kind") {
    const fits = kinds.filter(([, version]) => !place.apiVersion || version === place.apiVersion);
    return (fits.length > 0 ? fits : kinds).map(([label, detail, help]) => ({
      label,
      detail,
      type: "class",
      info: () => card(label, detail, help),
    }));
  }
  if (name !== "apiVersion") return null;
  const fits = kinds.filter(([kind]) => !place.kind || kind === place.kind);
  return [...new Set((fits.length > 0 ? fits : kinds).map(([, version]) => version))]
    .map((label) => ({ label, type: "constant" }));
}

function fieldOption(field, place, say) {
  const detail = typeInWords(field.type, say);
  const type = field.required ? `${detail} · ${say("required")}` : detail;
  return {
    label: field.name,
    detail,
    type: "property",
    boost: field.required ? 2 : 0,
    ...(field.help && { info: () => card(field.name, type, field.help) }),
    apply: (view, _, from, to) => insert(view, from, to, field, place),
  };
}

/** Inserts the name, and the text before its value. */
function insert(view, from, to, field, place) {
  const after = place.colon ? "" : leadOn(view, field.type, place);
  const at = from + field.name.length + after.length;
  view.dispatch({
    changes: { from, to, insert: field.name + after },
    selection: EditorSelection.cursor(at),
    userEvent: "input.complete",
    scrollIntoView: true,
  });
  if (after) startCompletion(view);
}

function leadOn(view, type, place) {
  if (place.flow) return ": ";
  const unit = " ".repeat(place.column + 2);
  if (type.startsWith("[]")) return `:\n${unit}- `;
  return type.startsWith("{}") || /^[A-Z]/.test(type) && !SCALARS.has(type) ? `:\n${unit}` : ": ";
}

/** Named types that are scalars. */
const SCALARS = new Set(["Quantity", "IntOrString", "Time", "MicroTime"]);
