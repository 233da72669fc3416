// @ts-check
// Where things go on a picture. No page needed.

/** @typedef {number[]} Vector */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{unit: number, at: (p: Vector) => Vector, back: (p: Vector) => Vector, low: Vector, high: Vector}} Plane */

/** Map the plane onto a picture, equal units on both axes. It holds the points a widget started with, so it
 * stands still while one is dragged; only a point set outside from elsewhere widens it.
 * @param {Vector[]} start @param {Vector[]} now @param {Size} size @param {number[]} pad left right below above
 * @returns {Plane} */
export function plane(start, now, { width, height }, pad) {
  const ends = (/** @type {Vector[]} */ points, /** @type {number} */ axis) => [
    Math.min(0, ...points.map((p) => p[axis])),
    Math.max(0, ...points.map((p) => p[axis])),
  ];
  const [[x0, x1], [y0, y1]] = [0, 1].map((axis) => {
    const [a, b] = ends(start, axis);
    const [c, d] = ends(now, axis);
    return [Math.min(a - pad[2 * axis], c), Math.max(b + pad[2 * axis + 1], d)];
  });
  const unit = Math.min(width / (x1 - x0), height / (y1 - y0));
  const left = (width - unit * (x1 - x0)) / 2 - unit * x0;
  const base = (height + unit * (y1 - y0)) / 2 + unit * y0;
  const back = ([px, py]) => [(px - left) / unit, (base - py) / unit];
  return {
    unit,
    at: ([x, y]) => [left + unit * x, base - unit * y],
    back,
    low: back([8, height - 8]),
    high: back([width - 8, 8]),
  };
}

/** Whole-number grid lines that fall on the picture, in px. @param {Plane} map @param {Size} size */
export function gridLines(map, { width, height }) {
  const [x0, y0] = map.back([0, height]);
  const [x1, y1] = map.back([width, 0]);
  const step = 2 ** Math.ceil(Math.log2((x1 - x0) / 6));
  const ticks = (/** @type {number} */ a, /** @type {number} */ b) =>
    Array.from({ length: Math.floor(b / step) - Math.ceil(a / step) + 1 }, (_, i) => (Math.ceil(a / step) + i) * step);
  return {
    xs: ticks(x0, x1).map((x) => map.at([x, 0])[0]),
    ys: ticks(y0, y1).map((y) => map.at([0, y])[1]),
  };
}

/** @param {Box} a @param {Box} b */
const overlap = (a, b) =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

/** Put a label beside each tip, where it covers least. Early labels choose first.
 * @param {{tip: Vector, away: Vector, width: number, gap: number}[]} labels `away`: preferred direction, px
 * @param {Box[]} taken what must stay visible @param {Size} size */
export function placeLabels(labels, taken, size) {
  const busy = [...taken];
  return labels.map(({ tip, away, width, gap }) => {
    const height = 20;
    const options = Array.from({ length: 16 }, (_, i) => {
      const [cos, sin] = [Math.cos((i * Math.PI) / 8), Math.sin((i * Math.PI) / 8)];
      const x = tip[0] + cos * (gap + width / 2) - width / 2;
      const box = { x, y: tip[1] + sin * (gap + height / 2) - height / 2, width, height };
      const outside = width * height - overlap(box, { x: 0, y: 0, ...size });
      const hidden = busy.reduce((sum, other) => sum + overlap(box, other), 0);
      return { box, cost: 8 * outside + 2 * hidden - 90 * (cos * away[0] + sin * away[1]) };
    });
    const { box } = options.reduce((best, option) => (option.cost < best.cost ? option : best));
    busy.push(box);
    return box;
  });
}

/** Small boxes along a line, so that labels keep off it. @param {Vector} a @param {Vector} b */
export function along([ax, ay], [bx, by]) {
  const count = Math.ceil(Math.hypot(bx - ax, by - ay) / 8);
  return Array.from({ length: count }, (_, i) => ({
    x: ax + ((bx - ax) * i) / count - 3,
    y: ay + ((by - ay) * i) / count - 3,
    width: 6,
    height: 6,
  }));
}

/** Colour of a weight on the nine-stop ramp; low bars keep the colour of .12 so that they stay visible.
 * @param {number} weight */
export function ramp(weight) {
  const place = Math.min(1, Math.max(0.12, weight)) * 8;
  const stop = Math.min(7, Math.floor(place));
  const share = ((place - stop) * 100).toFixed(1);
  return `color-mix(in oklab, var(--w${stop + 1}) ${share}%, var(--w${stop}))`;
}
