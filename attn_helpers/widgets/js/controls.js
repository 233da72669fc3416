// @ts-check
// What the reader touches: words to choose from, sliders, handles. All of them work by mouse, touch and keyboard.

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */

const KEEP_KEYS = { "data-lm-suppress-shortcuts": "true" }; // JupyterLab would swallow the arrows

/** A token, exactly as it is; its own direction of writing stays inside it.
 * @param {string} text @param {string} role q, k or v @param {string} [more] classes @returns {Spec} */
export const token = (text, role, more = "") => [
  "bdi",
  { class: `attn-token attn-${role} ${more}${text.trim() ? "" : " attn-blank"}` },
  text,
];

/** Words to choose one from. @param {string} trait @param {string} serial @param {string} label
 * @param {[value: string, word: string][]} options @param {string} chosen @returns {Spec} */
export const segments = (trait, serial, label, options, chosen) => [
  "div",
  { class: "attn-segments", role: "radiogroup", "aria-label": label },
  ...options.map(([value, word]) => /** @type {Spec} */ ([
    "label",
    { class: "attn-segment" },
    [
      "input",
      {
        type: "radio",
        name: `${serial}-${trait}`,
        "data-choose": trait,
        "data-value": value,
        ...KEEP_KEYS,
        checked: value === chosen,
      },
    ],
    ["span", {}, word],
  ])),
];

/** A real range input in the book's dress; `place` is its style. @param {string} slide what it moves
 * @param {number} max steps 0 … max @param {number} value @param {string} label @param {string} text
 * @param {string} [place] @returns {Spec} */
export const slider = (slide, max, value, label, text, place) => [
  "input",
  {
    type: "range",
    class: "attn-slider",
    min: "0",
    max: String(max),
    step: "1",
    "data-slide": slide,
    ...KEEP_KEYS,
    "aria-label": label,
    "aria-valuetext": text,
    style: place,
    value: String(value),
  },
];

/** Something to drag on a picture. @param {string} id @param {string} look q, k, v or you
 * @param {number[]} at px @param {{label: string, text: string, now: number, low: number, high: number,
 *   vertical?: boolean}} said @returns {Spec} */
export const handle = (id, look, at, said) => [
  "div",
  {
    class: `attn-handle attn-handle-${look}`,
    role: "slider",
    tabindex: "0",
    "data-handle": id,
    ...KEEP_KEYS,
    "aria-label": said.label,
    "aria-valuenow": said.now.toFixed(2),
    "aria-valuemin": said.low.toFixed(2),
    "aria-valuemax": said.high.toFixed(2),
    "aria-valuetext": said.text,
    "aria-orientation": said.vertical ? "vertical" : null,
    style: `left:${at[0].toFixed(1)}px;top:${at[1].toFixed(1)}px`,
  },
];

/** An action in words. @param {string} act @param {string} word @param {boolean} [shown] @returns {Spec} */
export const action = (act, word, shown = true) => [
  "button",
  { type: "button", class: "attn-action", "data-act": act, ...KEEP_KEYS, hidden: !shown },
  word,
];

/** How far an arrow key moves a tip, or null for other keys. Shift takes five steps at once.
 * @param {KeyboardEvent} event @param {number} step @returns {number[] | null} */
export function nudge(event, step) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  const size = event.shiftKey ? 5 * step : step;
  /** @type {Record<string, number[]>} */
  const ways = { ArrowLeft: [-size, 0], ArrowRight: [size, 0], ArrowUp: [0, size], ArrowDown: [0, -size] };
  return ways[event.key] ?? null;
}

/** The handle nearest to the pointer: two may lie on top of each other. @param {PointerEvent} event */
export function grabbed(event) {
  const touched = /** @type {Element} */ (event.target).closest("[data-handle]");
  const picture = touched?.closest("[data-pic]");
  if (!touched || !picture) return null;
  const near = [...picture.querySelectorAll("[data-handle]")].map((element) => {
    const box = element.getBoundingClientRect();
    const center = [box.x + box.width / 2, box.y + box.height / 2];
    return { element, center, distance: Math.hypot(event.clientX - center[0], event.clientY - center[1]) };
  });
  return near.reduce((best, other) => (other.distance < best.distance ? other : best));
}

/** Drag handles: `drop(id, [x, y])` is told where the tip of a handle should go, in px of its picture.
 * @param {(id: string, at: number[], view: View) => void} drop */
export const dragging = (drop) => ({
  pointerdown: (/** @type {PointerEvent} */ event, /** @type {View} */ view) => {
    const grip = event.button === 0 && !view.local.held && grabbed(event);
    if (!grip) return;
    event.preventDefault(); // no text selection
    const element = /** @type {HTMLElement} */ (grip.element);
    element.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
    const offset = [grip.center[0] - event.clientX, grip.center[1] - event.clientY];
    const id = element.getAttribute("data-handle") ?? "";
    view.local.held = { id, pointer: event.pointerId, offset, element };
    view.local.hover = id;
    view.redraw();
  },
  pointermove: (/** @type {PointerEvent} */ event, /** @type {View} */ view) => {
    const { held } = view.local;
    if (held?.pointer !== event.pointerId) return;
    const box = held.element.closest("[data-pic]").getBoundingClientRect();
    drop(held.id, [event.clientX + held.offset[0] - box.x, event.clientY + held.offset[1] - box.y], view);
  },
  ...Object.fromEntries(
    ["pointerup", "pointercancel", "lostpointercapture"].map((type) => [
      type,
      (/** @type {PointerEvent} */ event, /** @type {View} */ view) => {
        if (view.local.held?.pointer !== event.pointerId) return;
        view.local.held = null;
        view.redraw();
      },
    ]),
  ),
});
