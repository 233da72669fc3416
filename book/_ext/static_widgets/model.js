// @ts-check
// The model a widget talks to when there is no kernel behind it. Nothing here touches the page: node tests it.

/** Bytes of a base64 text, as the DataView that anywidget hands to a widget. */
export function bytes(/** @type {string} */ base64) {
  if (Uint8Array.fromBase64) return new DataView(Uint8Array.fromBase64(base64).buffer);
  const text = atob(base64);
  const array = new Uint8Array(text.length);
  for (let i = 0; i < array.length; i++) array[i] = text.charCodeAt(i);
  return new DataView(array.buffer);
}

/** `value` with `view` put at `path`; what lies on the path is copied, the rest is shared. */
export function place(/** @type {any} */ value, [key, ...rest], /** @type {DataView} */ view) {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key] = rest.length ? place(copy[key], rest, view) : view;
  return copy;
}

const raw = (/** @type {ArrayBufferView} */ view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** Deep equality of JSON values; binary data is equal when its bytes are. */
export function same(/** @type {any} */ a, /** @type {any} */ b) {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || a.constructor !== b.constructor) return false;
  if (ArrayBuffer.isView(a)) {
    const other = raw(b);
    return a.byteLength === b.byteLength && raw(a).every((byte, i) => byte === other[i]);
  }
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}

/** get, set, on and off as Backbone has them, which is what widgets meet in JupyterLab. */
export class Model {
  #state = Object.create(null); // no prototype: a trait may be called "constructor"
  #listeners = [];
  #setting = false;
  #changed = false;

  constructor(state) {
    Object.assign(this.#state, state);
  }

  get(name) {
    return this.#state[name];
  }

  /** Set one trait, or several by an object: first all values, then `change:name` of each that differs, then `change`. */
  set(name, value) {
    const given = typeof name === "object" ? name : { [name]: value };
    const differing = Object.keys(given).filter((key) => !same(this.#state[key], given[key]));
    for (const key of differing) this.#state[key] = given[key];
    this.#changed ||= differing.length > 0;
    const outermost = !this.#setting; // a listener that sets again leaves the last `change` to the outer call
    this.#setting = true;
    for (const key of differing) this.#emit(`change:${key}`, this.#state[key]);
    while (outermost && this.#changed) {
      this.#changed = false;
      this.#emit("change");
    }
    if (outermost) this.#setting = false;
  }

  on(names, callback, owner) {
    for (const name of names.split(/\s+/)) this.#listeners.push({ name, callback, owner });
  }

  /** Forget the listeners that match all of what is given; nothing given means every one. */
  off(names, callback, owner) {
    const named = names?.split(/\s+/);
    this.#listeners = this.#listeners.filter(
      (one) =>
        (named && !named.includes(one.name)) ||
        (callback && callback !== one.callback) ||
        (owner && owner !== one.owner),
    );
  }

  /** What one view is given: the shared model, whose `off` reaches this view's own listeners only. */
  facade() {
    const owner = {};
    return {
      get: (name) => this.get(name),
      set: (name, value) => this.set(name, value),
      on: (names, callback) => this.on(names, callback, owner),
      off: (names, callback) => this.off(names, callback, owner),
      save_changes() {}, // no kernel to tell; `set` has told the other views
      send() {},
    };
  }

  #emit(name, ...values) {
    for (const one of this.#listeners.filter((one) => one.name === name)) {
      try {
        one.callback(this, ...values);
      } catch (error) {
        queueMicrotask(() => {
          throw error; // reported by the browser; the other listeners still hear of the change
        });
      }
    }
  }
}

/** Keep trait `to` of `target` equal to trait `from` of `source` (ipywidgets' jsdlink). */
export function follow(source, from, target, to) {
  const copy = () => target.set(to, source.get(from));
  source.on(`change:${from}`, copy);
  if (source.get(from) !== undefined) copy();
}
