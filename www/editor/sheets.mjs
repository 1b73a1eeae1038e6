// Replaces `style-mod`, through which CodeMirror adds its rules: the original adds a <style>
// element, which the page's Content-Security-Policy refuses. A constructed style sheet is allowed.
import { StyleModule as Original } from "style-mod";

/** Root (document or shadow root) → its sheet and the sheet's modules, in ascending precedence. */
const mounted = new WeakMap();

export class StyleModule extends Original {
  static mount(root, modules) {
    const wanted = [].concat(modules);
    let { sheet, order } = mounted.get(root) ?? { sheet: undefined, order: [] };
    if (!sheet) {
      sheet = new (root.ownerDocument ?? root).defaultView.CSSStyleSheet();
      root.adoptedStyleSheets = [sheet, ...root.adoptedStyleSheets];
    }
    const next = merged(order, wanted);
    if (next !== order) sheet.replaceSync(next.map((module) => module.getRules()).join("\n"));
    mounted.set(root, { sheet, order: next });
  }
}

/** `order` with `wanted` in the requested order; the same array if it already is. */
function merged(order, wanted) {
  const there = order.filter((module) => wanted.includes(module));
  const fits = there.length === wanted.length && there.every((module, i) => module === wanted[i]);
  return fits ? order : [...order.filter((module) => !wanted.includes(module)), ...wanted];
}
