// The fields of all kinds, with their types and descriptions.
import { ITEM } from "./lines.mjs";
import own from "./own.json" with { type: "json" };
import { KEYS, VALUES } from "./values.mjs";

/**
 * The generated descriptions (fields.json, from `cargo xtask fields`) and those of Berth's own
 * kinds.
 */
export class Fields {
  constructor(generated) {
    this.kinds = { ...generated.kinds, ...own.kinds };
    this.types = { ...generated.types, ...own.types };
  }

  /** Parses the text of fields.json. */
  static parse(text) {
    return new Fields(JSON.parse(text));
  }

  /** `[kind, apiVersion, description]` of every kind. */
  kindList() {
    return Object.entries(this.kinds).map(([id, type]) => {
      const slash = id.lastIndexOf("/");
      return [id.slice(slash + 1), id.slice(0, slash), this.types[type]?.[""] ?? ""];
    });
  }

  /** The type of an object; the kind suffices while the apiVersion is being typed. */
  typeOfKind(apiVersion, kind) {
    const exact = this.kinds[`${apiVersion}/${kind}`];
    return exact ?? this.kindList().find(([name]) => name === kind)?.[0] ?? null;
  }

  /**
   * Resolves a path of an object to `{ type, owner }`, where `owner` is the path's last field as
   * `Type.field`; null if it is unknown.
   */
  resolve(place) {
    let type = this.typeOfKind(place.apiVersion, place.kind);
    let owner = "";
    for (const step of place.path) {
      if (type === null) return null;
      if (step === ITEM) {
        if (!type.startsWith("[]")) return null;
        type = type.slice(2);
      } else if (type.startsWith("{}")) {
        [type, owner] = [type.slice(2), ""];
      } else {
        const field = this.field(type, step);
        if (!field) return null;
        [type, owner] = [field.type, `${type}.${step}`];
      }
    }
    return type === null ? null : { type, owner };
  }

  /** `{ name, type, required, help }`, or null. */
  field(type, name) {
    const fields = this.types[type];
    if (!name || !fields || !Object.hasOwn(fields, name)) return null;
    const [head, ...help] = fields[name].split("|");
    const required = head.startsWith("!");
    return { name, type: required ? head.slice(1) : head, required, help: help.join("|") };
  }

  /** The fields of a type, in the form that `field` returns; empty for a scalar, list or map. */
  fieldsOf(type) {
    const names = Object.keys(this.types[type] ?? {}).filter((name) => name !== "");
    return names.map((name) => this.field(type, name));
  }

  /** Common keys of a map. */
  keysOf(owner) {
    return KEYS[owner] ?? [];
  }

  /** The known values of a scalar field. */
  valuesOf({ type, owner }) {
    return type === "boolean" ? ["true", "false"] : (VALUES[owner] ?? own.values[owner] ?? []);
  }
}

/** A type in words: `list of Toleration`, `map of string`. `say` translates. */
export function typeInWords(type, say) {
  if (type.startsWith("[]")) return say("list of $", typeInWords(type.slice(2), say));
  if (type.startsWith("{}")) return say("map of $", typeInWords(type.slice(2), say));
  return type === "any" ? say("any value") : type;
}
