// Takes the place of `style-mod`, through which CodeMirror writes its rules: theirs would add a
// <style> element, which the page's Content-Security-Policy refuses. A constructed style sheet is
// the page's own, and allowed.
import { StyleModule as Original } from "style-mod";

/** Root (document or shadow root) → its sheet and the modules in it, weakest first. */
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

/** `order` with `wanted` in it, in the order that `wanted` asks for; the same array if it is so. */
function merged(order, wanted) {
  const there = order.filter((module) => wanted.includes(module));
  const fits = there.length === wanted.length && there.every((module, i) => module === wanted[i]);
  return fits ? order : [...order.filter((module) => !wanted.includes(module)), ...wanted];
}
