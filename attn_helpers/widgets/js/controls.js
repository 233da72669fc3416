// @ts-check
// What the reader touches: words to choose from, sliders, handles. All work by mouse, touch and keyboard.
import { hypot } from "./attn.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./view.js").View} View */

const KEYS = { "data-lm-suppress-shortcuts": "true" }; // JupyterLab would swallow the arrows

/** A token, exactly as it is; its own direction of writing stays inside it.
 * @param {string} text @param {string} role q, k or v @returns {Spec} */
export const token = (text, role) => [`bdi.token.${role}${text.trim() ? "" : ".blank"}`, text];

/** Words to choose one from. @param {string} trait @param {string} serial @param {string} label
 * @param {Record<string, string>} words value → word @param {string} chosen @returns {Spec} */
export const segments = (trait, serial, label, words, chosen) => [
  "div.segments",
  { role: "radiogroup", "aria-label": label },
  ...Object.entries(words).map(([value, word]) => [
    "label.segment",
    ["input", { type: "radio", name: `${trait} ${serial}`, value, ...KEYS, checked: value === chosen }],
    ["span", word],
  ]),
];

/** A real range input from 0 to `max` in the book's dress. @param {string} name what it moves
 * @param {number} max @param {number} value @param {string} label @param {string} text @param {number[]} [at] @returns {Spec} */
export const slider = (name, max, value, label, text, at) => [
  "input.slider",
  { type: "range", name, max, ...KEYS, "aria-label": label, "aria-valuetext": text, at, value: `${value}` },
];

/** Something to drag on a picture. @param {string} head its class @param {string} id @param {number[]} at px
 * @param {string} label @param {string} text @param {number[]} range now, low, high @returns {Spec} */
export const handle = (head, id, at, label, text, [now, low, high]) => [
  `div.handle.${head}`,
  {
    role: "slider",
    tabindex: 0,
    "data-handle": id,
    ...KEYS,
    "aria-label": label,
    "aria-valuetext": text,
    "aria-valuenow": now,
    "aria-valuemin": low,
    "aria-valuemax": high,
    at,
  },
];

/** An action in words. @param {string} act @param {string} word @param {boolean} [shown] @returns {Spec} */
export const action = (act, word, shown = true) => [
  "button.action",
  { type: "button", "data-act": act, ...KEYS, hidden: shown ? null : "" },
  word,
];

/** How far a key moves a tip, or null if it does not. Shift takes five steps at once.
 * @param {KeyboardEvent} event @returns {number[] | null} */
export function nudge({ key, shiftKey, ctrlKey, altKey, metaKey }) {
  const size = shiftKey ? 0.25 : 0.05;
  /** @type {Record<string, number[]>} */
  const ways = { ArrowLeft: [-size, 0], ArrowRight: [size, 0], ArrowUp: [0, size], ArrowDown: [0, -size] };
  return ctrlKey || altKey || metaKey ? null : (ways[key] ?? null);
}

/** The handle nearest to the pointer, and how far its middle is away: two may lie on top of each other.
 * @param {PointerEvent} event */
function grab({ target, clientX, clientY }) {
  const picture = /** @type {Element} */ (target).closest("[data-handle]")?.closest("[data-pic]");
  const grips = [...(picture?.querySelectorAll("[data-handle]") ?? [])].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { element: /** @type {HTMLElement} */ (element), dx: x + width / 2 - clientX, dy: y + height / 2 - clientY };
  });
  return grips.sort((a, b) => hypot(a.dx, a.dy) - hypot(b.dx, b.dy))[0];
}

/** Drag handles: `drop(id, [x, y], view)` is told where a tip should go, in px of its picture.
 * @param {(id: string, at: number[], view: View) => void} drop */
export function dragging(drop) {
  const pointerdown = (/** @type {PointerEvent} */ event, /** @type {View} */ view) => {
    const grip = event.button === 0 && grab(event);
    if (!grip) return;
    event.preventDefault(); // no text is selected
    grip.element.focus({ preventScroll: true });
    grip.element.setPointerCapture(event.pointerId);
    view.hover = grip.element.dataset.handle ?? "";
    view.held = { ...grip, pointerId: event.pointerId };
    view.redraw();
  };
  const pointermove = (/** @type {PointerEvent} */ event, /** @type {View} */ view) => {
    const { held } = view;
    const picture = held?.pointerId === event.pointerId && held.element.closest("[data-pic]");
    if (!picture) return;
    const { x, y } = picture.getBoundingClientRect();
    drop(held.element.dataset.handle, [event.clientX + held.dx - x, event.clientY + held.dy - y], view);
  };
  const release = (/** @type {PointerEvent} */ event, /** @type {View} */ view) => {
    if (view.held?.pointerId !== event.pointerId) return;
    view.held = null;
    view.redraw();
  };
  return { pointerdown, pointermove, lostpointercapture: release };
}
