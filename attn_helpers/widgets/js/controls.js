// @ts-check
// What the reader touches: words to choose from, sliders, handles. All work by mouse, touch and keyboard.
import { hypot } from "./attn.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./view.js").View} View */

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
    ["input", { type: "radio", name: `${trait} ${serial}`, value, checked: value === chosen }],
    ["span", word],
  ]),
];

/** A real range input from 0 to `max` in the book's dress. @param {string} name what it moves
 * @param {number} max @param {number} value @param {string} label @param {string} text @param {number[]} [at] @returns {Spec} */
export const slider = (name, max, value, label, text, at) => [
  "input.slider",
  { type: "range", name, max, "aria-label": label, "aria-valuetext": text, at, value: `${value}` },
];

/** Something to drag on a picture. @param {string} head its class @param {string} id @param {(number | null)[]} at px
 * @param {string} label @param {string} text @param {number} now in per cent of the way @returns {Spec} */
export const handle = (head, id, at, label, text, now) => [
  `div.handle.${head}`,
  {
    role: "slider",
    tabindex: 0,
    "data-handle": id,
    "aria-label": label,
    "aria-valuetext": text,
    "aria-valuenow": now,
    at,
  },
];

/** An action in words. @param {string} act @param {string} word @param {boolean} [shown] @returns {Spec} */
export const action = (act, word, shown = true) => [
  "button.action",
  { type: "button", "data-act": act, hidden: shown ? null : "" },
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

/** The handle nearest to the pointer, if it is on one: two may overlap. @param {any} event */
function grab({ target, clientX, clientY }) {
  const handles = target.dataset.handle ? [...target.parentElement.querySelectorAll("[data-handle]")] : [];
  const far = (/** @type {Element} */ element) => {
    const { x, y, width } = element.getBoundingClientRect();
    return hypot(x + width / 2 - clientX, y + width / 2 - clientY);
  };
  return handles.sort((a, b) => far(a) - far(b))[0];
}

/** Drag handles: `drop(id, [x, y], view)` is told where a tip should go, in px of its picture.
 * @param {(id: string, at: number[], view: View) => void} drop */
export function dragging(drop) {
  const pointerdown = (/** @type {PointerEvent} */ event, /** @type {View} */ view) => {
    const { button, pointerId, clientX, clientY } = event;
    const element = grab(event);
    if (button || !element) return;
    event.preventDefault(); // no text is selected
    element.focus({ preventScroll: true });
    element.setPointerCapture(pointerId);
    view.hover = element.dataset.handle;
    view.held = { element, pointerId, dx: element.offsetLeft + 22 - clientX, dy: element.offsetTop + 22 - clientY };
    view.redraw();
  };
  const pointermove = (/** @type {PointerEvent} */ event, /** @type {View} */ view) => {
    const { pointerId, element, dx, dy } = view.held ?? {};
    if (pointerId !== event.pointerId || !element.isConnected) return;
    drop(element.dataset.handle, [event.clientX + dx, event.clientY + dy], view);
  };
  const release = (/** @type {PointerEvent} */ event, /** @type {View} */ view) => {
    if (view.held?.pointerId !== event.pointerId) return;
    view.held = null;
    view.redraw();
  };
  return { pointerdown, pointermove, lostpointercapture: release };
}
