// @ts-check
// A page as a function of state: describe the elements, and `patch` makes the page look like that.

/** @typedef {Spec | string | null | undefined | false} Kid nothing keeps its place, so neighbours stay themselves */
/** @typedef {[tag: string, attributes: Record<string, any>, ...kids: Kid[]]} Spec */

const SVG = "http://www.w3.org/2000/svg";
/** @type {WeakMap<Element, Record<string, any>>} */
const dressed = new WeakMap();

/** Make the children of `parent` look like `kids`; what already fits is kept, with its focus.
 * Text goes in as text: a token can never become markup. @param {Element} parent @param {Kid[]} kids */
export function patch(parent, kids) {
  kids.forEach((kid, i) => {
    const old = parent.childNodes[i];
    const node = old && nameOf(old) === wanted(kid) ? old : create(parent, wanted(kid));
    if (!old) parent.append(node);
    else if (node !== old) old.replaceWith(node);
    if (Array.isArray(kid)) {
      dress(/** @type {Element} */ (node), kid[1]);
      patch(/** @type {Element} */ (node), /** @type {Kid[]} */ (kid.slice(2)));
    } else if (node.nodeValue !== (kid || "")) node.nodeValue = kid || "";
  });
  while (parent.childNodes.length > kids.length) parent.lastChild?.remove();
}

/** @param {Node} node */
const nameOf = (node) => node.nodeName.toLowerCase();
/** @param {Kid} kid */
const wanted = (kid) => (Array.isArray(kid) ? kid[0].toLowerCase() : "#text");

/** @param {Element} parent @param {string} name @returns {ChildNode} */
function create(parent, name) {
  if (name === "#text") return document.createTextNode("");
  const inside = name === "svg" || parent.namespaceURI === SVG;
  return inside ? document.createElementNS(SVG, name) : document.createElement(name);
}

/** @param {Element} element @param {Record<string, any>} attributes */
function dress(element, attributes) {
  const before = dressed.get(element) ?? {};
  for (const [name, value] of Object.entries({ ...blank(before), ...attributes })) {
    if (name === "value" || name === "checked") {
      const live = /** @type {any} */ (element);
      if (live[name] !== value) live[name] = value;
    } else if (value !== before[name]) {
      if (name === "style") /** @type {HTMLElement} */ (element).style.cssText = value ?? "";
      else if (value === null || value === undefined || value === false) element.removeAttribute(name);
      else element.setAttribute(name, value === true ? "" : value);
    }
  }
  dressed.set(element, attributes);
}

/** @param {Record<string, any>} attributes */
const blank = (attributes) => Object.fromEntries(Object.keys(attributes).map((name) => [name, null]));

/** @type {CanvasRenderingContext2D | null} */
let pen = null;

/** Width in px of a text in a CSS font. @param {string} text @param {string} font */
export function textWidth(text, font) {
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return text.length * 10;
  pen.font = font;
  return pen.measureText(text).width;
}

/** "light" or "dark": the nearest host that says so, else what the reader's system prefers.
 * The book says data-theme, JupyterLab data-jp-theme-light, Colab theme, VS Code a class.
 * @param {Element} outside the element that holds the widget */
export function hostTheme(outside) {
  const near = outside.closest("[data-theme='light'],[data-theme='dark']")?.getAttribute("data-theme");
  const { body, documentElement: page } = document;
  const lab = body.dataset.jpThemeLight;
  const word = near ?? (lab && (lab === "false" ? "dark" : "light")) ?? page.getAttribute("theme");
  if (word === "light" || word === "dark") return word;
  if (/\bvscode-(dark|high-contrast)\b(?!-light)/.test(body.className)) return "dark";
  if (/\bvscode-/.test(body.className)) return "light";
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Keep the root's data-theme equal to the host's until the signal aborts.
 * @param {HTMLElement} root @param {Element} outside @param {AbortSignal} signal */
export function followTheme(root, outside, signal) {
  const follow = () => {
    const theme = hostTheme(outside);
    if (root.dataset.theme !== theme) root.dataset.theme = theme; // else its own watcher would never rest
  };
  const watch = new MutationObserver(follow);
  const attributeFilter = ["data-theme", "data-jp-theme-light", "theme"];
  watch.observe(document.documentElement, { subtree: true, attributeFilter });
  watch.observe(document.body, { attributeFilter: [...attributeFilter, "class"] });
  signal.addEventListener("abort", () => watch.disconnect(), { once: true });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow, { signal });
  follow();
  return follow;
}
