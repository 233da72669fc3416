// @ts-check
// What is on the stage, as an SVG or PNG file: read off the page, so that the file shows what the reader sees.

/** Text that may stand in XML: escaped, without the control characters XML cannot hold. @param {any} text */
export const escaped = (text) =>
  `${text}`.replace(/[&<>\x22\x27]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");

/** @param {string} name @param {Record<string, any>} attributes @param {string} [inner] */
export function tag(name, attributes, inner = "") {
  const set = Object.entries(attributes).map(([key, value]) => `${key}="${escaped(value)}"`);
  return `<${[name, ...set].join(" ")}>${inner}</${name}>`;
}

/** The stage as SVG text; `data-skip` parts stay out. @param {HTMLElement} stage @param {string} title */
export function snapshot(stage, title) {
  const frame = stage.getBoundingClientRect();
  const place = (/** @type {Element | Range} */ thing) => {
    const { x, y, width, height } = thing.getBoundingClientRect();
    return { x: x - frame.x, y: y - frame.y, width, height };
  };
  const drawn = (/** @type {any} */ element) => {
    const style = getComputedStyle(element);
    const unseen = style.visibility === "hidden" || style.opacity === "0" || style.clipPath !== "none";
    if (unseen || element.closest("[data-skip]")) return ""; // clipped away: words for a screen reader alone
    if (element.toDataURL) return tag("image", { ...place(element), href: element.toDataURL() });
    if (element.ownerSVGElement) {
      const { x, y } = place(element.ownerSVGElement);
      const own = ["d", "stroke", "stroke-width", "fill"].map((name) => [name, element.getAttribute(name)]);
      return tag("path", { ...Object.fromEntries(own), transform: `translate(${x} ${y})` });
    }
    return ground(style, place(element)) + [...element.childNodes].flatMap((node) => (node.data ? lines(node, style, place) : [])).join("");
  };
  const colour = (/** @type {string} */ name) => getComputedStyle(stage).getPropertyValue(name);
  const paper = { x: -16, y: -16, width: frame.width + 32, height: frame.height + 32 };
  const line = tag("path", { d: "M0 5L5 0", stroke: colour("--hatch") });
  return tag(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width: paper.width, height: paper.height, viewBox: Object.values(paper).join(" ") },
    [
      tag("title", {}, escaped(title)),
      tag("pattern", { id: "hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse" }, line),
      tag("rect", { ...paper, fill: colour("--paper") }),
      ...[...stage.querySelectorAll("*")].map(drawn),
    ].join(""),
  );
}

/** Ground and border of a box. @param {CSSStyleDeclaration} style
 * @param {{x: number, y: number, width: number, height: number}} box */
function ground(style, { x, y, width, height }) {
  const colour = style.backgroundColor;
  const fill = style.backgroundImage === "none" ? (/^rgba.*, 0\)$/.test(colour) ? "none" : colour) : "url(#hatch)";
  const line = Number.parseFloat(style.borderTopWidth);
  if (fill === "none" && !line) return "";
  const box = { x: x + line / 2, y: y + line / 2, width: Math.max(0, width - line), height: Math.max(0, height - line) };
  const round = style.borderRadius === "50%" ? width / 2 : Number.parseFloat(style.borderRadius);
  const border = { stroke: line ? style.borderTopColor : "none", "stroke-width": line, "stroke-dasharray": style.borderTopStyle === "dashed" ? 3 : "none" };
  return tag("rect", { ...box, rx: round, fill, ...border });
}

/** One <text> for each line of a text. @param {Text} node @param {CSSStyleDeclaration} style
 * @param {(range: Range) => {x: number, y: number, width: number, height: number}} place */
function lines(node, style, place) {
  const range = document.createRange();
  const turned = style.writingMode.startsWith("v");
  /** @type {any[]} */
  const found = [];
  let end = 0;
  let held = ""; // letters without a width of their own, such as one that turns the text round
  for (const letter of node.data) {
    range.setStart(node, end);
    end += letter.length;
    range.setEnd(node, end);
    const at = place(range);
    const last = found[found.length - 1];
    if (last && (turned || Math.abs(last.y - at.y) < 3)) last.text += letter;
    else if (at.width) {
      found.push({ ...at, text: held + letter });
      held = "";
    } else if (letter.trim()) held += letter;
  }
  if (found.length === 1) {
    range.selectNodeContents(node); // the first letter may stand on the right
    Object.assign(found[0], place(range));
  }
  const size = Number.parseFloat(style.fontSize);
  return found.map(({ x, y, width, height, text }) => {
    const foot = size * 0.35;
    const at = turned ? { transform: `translate(${x + width / 2 + foot} ${y + height}) rotate(-90)` } : { x, y: y + height / 2 + foot };
    const look = { fill: style.color, "font-family": style.fontFamily, "font-size": size, "font-weight": style.fontWeight };
    return tag("text", { ...at, ...look, style: "white-space:pre;unicode-bidi:isolate" }, escaped(text));
  });
}

/** Hand the stage to the reader as a file. @param {HTMLElement} stage @param {string} title @param {string} kind svg or png */
export async function saveAs(stage, title, kind) {
  const link = document.createElement("a");
  link.download = `attention.${kind}`;
  link.href = `data:image/svg+xml,${encodeURIComponent(snapshot(stage, title))}`;
  if (kind === "png") {
    const image = new Image();
    image.src = link.href;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    link.href = canvas.toDataURL();
  }
  link.click();
}
