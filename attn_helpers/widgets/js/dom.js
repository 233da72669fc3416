// @ts-check
// A page as a function of state: describe the elements, and `patch` makes the page look like that.

/** Text, or a place kept empty so that the neighbours stay themselves.
 * @typedef {string | null | undefined | false} Text */
/** `["span.label.q", {title: "…"}, "text", ["b", "…"]]`: tag and classes (the prefix attn- is added), then
 * attributes if any, then what stands inside. `at: [x, y, width?, height?]` puts it there, in px
 * (and two more numbers go to the style sheet as --x and --y).
 * @typedef {any[]} Spec */
/** @typedef {Spec | Text} Kid */

/** @type {WeakMap<Element, Record<string, any>>} */
const dressed = new WeakMap();

/** Make the children of `parent` look like `kids`; what fits already is kept, with its focus.
 * Text goes in as text: a token can never become markup. @param {Element} parent @param {Kid[]} kids */
export function patch(parent, kids) {
  kids.forEach((kid, i) => {
    const { tag, attributes, inner } = read(kid);
    /** @type {any} */
    let node = parent.childNodes[i];
    if (node?.nodeName.toLowerCase() !== tag) {
      const fresh = create(parent, tag);
      node ? node.replaceWith(fresh) : parent.append(fresh);
      node = fresh;
    }
    if (attributes) {
      dress(node, attributes);
      patch(node, inner);
    } else if (node.data !== (kid || "")) node.data = kid || "";
  });
  while (parent.childNodes.length > kids.length) parent.lastChild?.remove();
}

/** @param {Kid} kid @returns {{tag: string, attributes?: Record<string, any>, inner: Kid[]}} */
function read(kid) {
  if (!Array.isArray(kid)) return { tag: "#text", inner: [] };
  const [head, ...inner] = kid;
  const [tag, ...classes] = head.split(".");
  const given = inner[0]?.constructor === Object ? inner.shift() : {};
  return { tag, inner, attributes: { class: classes.map((/** @type {string} */ c) => `attn-${c}`).join(" "), ...given } };
}

/** @param {Element} parent @param {string} tag @returns {ChildNode} */
function create(parent, tag) {
  if (tag === "#text") return document.createTextNode("");
  const space = tag === "svg" ? "http://www.w3.org/2000/svg" : parent.namespaceURI;
  return /** @type {Element} */ (document.createElementNS(space, tag));
}

/** @param {any} element @param {Record<string, any>} attributes */
function dress(element, attributes) {
  const before = dressed.get(element) ?? {};
  for (const name of Object.keys({ ...before, ...attributes })) {
    const value = attributes[name];
    if (name === "value" || name === "checked") {
      if (element[name] !== value) element[name] = value; // the reader may have changed it meanwhile
    } else if (value === before[name]) continue;
    else if (name === "at") element.style.cssText = place(value ?? []);
    else if (name === "style") element.style.cssText = value ?? "";
    else if (value == null) element.removeAttribute(name);
    else element.setAttribute(name, short(value));
  }
  dressed.set(element, attributes);
}

const SIDES = ["left", "top", "width", "height", "--x", "--y"];
/** @param {any[]} at */
const place = (at) => at.map((x, i) => (x == null ? "" : `${SIDES[i]}:${short(x)}px;`)).join("");
/** @param {any} value */
const short = (value) => (typeof value === "number" ? Math.round(10 * value) / 10 : value);

/** @type {any} */
let pen;

/** Width in px of a text in a CSS font. @param {string} text @param {string} font */
export function textWidth(text, font) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = font;
  return pen.measureText(text).width;
}

/** Keep the root's data-theme equal to what the nearest host says (the book by data-theme, JupyterLab, Colab,
 * VS Code), else to what the reader's system prefers, until the signal aborts.
 * @param {HTMLElement} root @param {HTMLElement} el holds the root @param {AbortSignal} signal */
export function followTheme(root, el, signal) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    const { body, documentElement: page } = document;
    const near = el.closest("[data-theme=light],[data-theme=dark]")?.getAttribute("data-theme");
    const lab = body.dataset.jpThemeLight ?? page.getAttribute("theme") ?? body.dataset.vscodeThemeKind;
    const dark = /dark|false|high-contrast$/.test(near ?? lab ?? (system.matches ? "dark" : ""));
    const theme = dark ? "dark" : "light";
    if (root.dataset.theme !== theme) root.dataset.theme = theme; // else its own watcher would never rest
  };
  const watch = new MutationObserver(follow);
  const attributeFilter = ["data-theme", "data-jp-theme-light", "theme", "data-vscode-theme-kind"];
  watch.observe(document.documentElement, { subtree: true, attributeFilter });
  signal.addEventListener("abort", () => watch.disconnect());
  system.addEventListener("change", follow, { signal });
  follow();
  return follow;
}
