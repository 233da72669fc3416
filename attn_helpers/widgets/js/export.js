// @ts-check
// What is on the stage, as an SVG or PNG file: read off the page, so that the file shows what the reader sees.

/** Text that may stand in XML: escaped, without the control characters XML cannot hold. @param {any} text */
export const escaped = (text) =>
  `${text}`.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");

/** @param {string} name @param {Record<string, any>} attributes @param {string} [inner] */
export const tag = (name, attributes, inner = "") =>
  `<${name}${Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`).join("")}>${inner}</${name}>`;

/** The stage as SVG text; `data-skip` parts stay out. @param {HTMLElement} stage @param {string} title */
export function snapshot(stage, title) {
  const frame = stage.getBoundingClientRect();
  const place = (/** @type {DOMRect} */ box) => ({ x: box.x - frame.x, y: box.y - frame.y, width: box.width, height: box.height });
  /** @param {Element} element @returns {string} */
  const drawn = (element) => {
    const style = getComputedStyle(element);
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0" || element.matches("[data-skip],input")) return "";
    const box = place(element.getBoundingClientRect());
    if (element instanceof HTMLCanvasElement) return tag("image", { ...box, href: element.toDataURL() });
    if (element instanceof SVGPathElement) {
      const { x, y } = place(/** @type {SVGElement} */ (element.ownerSVGElement).getBoundingClientRect());
      const own = ["d", "stroke", "stroke-width", "fill"].map((name) => [name, element.getAttribute(name)]);
      return tag("path", { ...Object.fromEntries(own), transform: `translate(${x} ${y})` });
    }
    const inner = [...element.childNodes].map((node) => (node instanceof Text ? lines(node, style) : node instanceof Element ? drawn(node) : ""));
    return ground(style, box) + inner.join("");
  };
  /** One <text> for each line. @param {Text} node @param {CSSStyleDeclaration} style */
  const lines = (node, style) => {
    const range = document.createRange();
    const turned = style.writingMode !== "horizontal-tb";
    const size = Number.parseFloat(style.fontSize);
    /** @type {{text: string, box: DOMRect}[]} */
    const found = [];
    let start = 0;
    for (const letter of node.data) {
      range.setStart(node, start);
      start += letter.length;
      range.setEnd(node, start);
      const box = range.getBoundingClientRect();
      const last = found[found.length - 1];
      if (last && (turned || Math.abs(last.box.y - box.y) < 3)) last.text += letter;
      else if (letter.trim()) found.push({ text: letter, box });
    }
    range.selectNodeContents(node);
    return found.map(({ text, box }) => {
      const { x, y } = place(box);
      const whole = place(range.getBoundingClientRect());
      const at = turned
        ? { transform: `translate(${whole.x + whole.width / 2 + size * 0.35} ${whole.y + whole.height}) rotate(-90)` }
        : { x: found.length > 1 ? x : whole.x, y: y + box.height / 2 + size * 0.35 };
      const look = { fill: style.color, "font-family": style.fontFamily, "font-size": size, "font-weight": style.fontWeight };
      return tag("text", { ...at, ...look, style: "white-space:pre;unicode-bidi:isolate" }, escaped(text));
    }).join("");
  };
  const colour = (/** @type {string} */ name) => getComputedStyle(stage).getPropertyValue(name);
  const size = { width: frame.width + 32, height: frame.height + 32 };
  const hatch = tag("pattern", { id: "hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(-45)" },
    tag("path", { d: "M0,0V5", stroke: colour("--hatch"), "stroke-width": 2 }));
  return tag("svg", { xmlns: "http://www.w3.org/2000/svg", ...size, viewBox: `-16 -16 ${size.width} ${size.height}` },
    tag("title", {}, escaped(title)) + hatch + tag("rect", { x: -16, y: -16, ...size, fill: colour("--paper") }) + drawn(stage));
}

/** Ground and border of a box. @param {any} style @param {{x: number, y: number, width: number, height: number}} box */
function ground(style, { x, y, width, height }) {
  const clear = (/** @type {string} */ colour) => / 0\)$/.test(colour);
  const fill = style.backgroundImage !== "none" ? "url(#hatch)" : clear(style.backgroundColor) ? "none" : style.backgroundColor;
  const line = clear(style.borderTopColor) ? 0 : Number.parseFloat(style.borderTopWidth);
  if (!width || !height || (fill === "none" && !line)) return "";
  const radius = style.borderRadius === "50%" ? width / 2 : Number.parseFloat(style.borderRadius);
  return tag("rect", {
    x: x + line / 2, y: y + line / 2, width: width - line, height: height - line, rx: radius, fill,
    ...(line && { stroke: style.borderTopColor, "stroke-width": line, "stroke-dasharray": style.borderTopStyle === "dashed" ? "3 2" : "none" }),
  });
}

/** Hand the stage to the reader as a file. @param {HTMLElement} stage @param {string} title @param {string} kind svg or png */
export async function saveAs(stage, title, kind) {
  const svg = snapshot(stage, title);
  const link = document.createElement("a");
  link.download = `attention.${kind}`;
  link.href = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  if (kind === "png") {
    const image = new Image();
    image.src = link.href;
    await image.decode();
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    link.href = canvas.toDataURL();
  }
  link.click();
}
