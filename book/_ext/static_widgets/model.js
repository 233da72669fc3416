// @ts-check
// The model a widget talks to when there is no kernel behind it. Nothing here touches the page: node tests it.

/** @typedef {(model: Model, value?: any) => void} Listener */

/** Bytes of a base64 text, as the DataView that anywidget hands to a widget. @param {string} base64 */
export function bytes(base64) {
  const native = Reflect.get(Uint8Array, "fromBase64"); // since 2025; three times as fast
  if (native) return new DataView(native.call(Uint8Array, base64).buffer);
  const text = atob(base64);
  const array = new Uint8Array(text.length);
  for (let i = 0; i < array.length; i++) array[i] = text.charCodeAt(i);
  return new DataView(array.buffer);
}

/** `value` with `view` put at `path`; what lies on the path is copied, the rest is shared.
 * @param {any} value @param {(string | number)[]} path @param {DataView} view @returns {any} */
export function place(value, path, view) {
  if (path.length === 0) return view;
  const [key, ...rest] = path;
  const placed = place(value?.[key], rest, view);
  if (Array.isArray(value)) return value.map((item, i) => (i === Number(key) ? placed : item));
  return Object.fromEntries([...Object.entries(value ?? {}), [key, placed]]); // also a key named "__proto__"
}

/** Deep equality of JSON values; binary data is equal when its bytes are.
 * @param {any} a @param {any} b @returns {boolean} */
export function same(a, b) {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a?.constructor !== b?.constructor) return false;
  if (ArrayBuffer.isView(a)) {
    const [one, other] = [a, b].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return one.length === other.length && one.every((byte, i) => byte === other[i]);
  }
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}

/** get, set, on and off as Backbone has them, which is what widgets meet in JupyterLab. */
export class Model {
  #state = Object.create(null); // no prototype: a trait may be called "constructor"
  /** @type {{name: string, callback: Listener, owner?: object}[]} */
  #listeners = [];
  #setting = false;
  #changed = false;

  /** @param {Record<string, any>} state */
  constructor(state) {
    Object.assign(this.#state, state);
  }

  /** @param {string} name */
  get(name) {
    return this.#state[name];
  }

  /** Set one trait, or several by an object: first all values, then `change:name` of each that differs, then
   * `change`. @param {string | Record<string, any>} name @param {any} [value] */
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

  /** @param {string} names separated by spaces @param {Listener} callback @param {object} [owner] */
  on(names, callback, owner) {
    for (const name of names.split(/\s+/)) this.#listeners.push({ name, callback, owner });
  }

  /** Forget the listeners that match all of what is given; nothing given means every one.
   * @param {string | null} [names] @param {Listener | null} [callback] @param {object} [owner] */
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
      get: this.get.bind(this),
      set: this.set.bind(this),
      /** @param {string} names @param {Listener} callback */
      on: (names, callback) => this.on(names, callback, owner),
      /** @param {string | null} [names] @param {Listener | null} [callback] */
      off: (names, callback) => this.off(names, callback, owner),
      save_changes() {}, // no kernel to tell; `set` has told the other views
      send() {},
    };
  }

  /** @param {string} name @param {any} [value] */
  #emit(name, value) {
    for (const one of this.#listeners.filter((one) => one.name === name)) {
      try {
        one.callback(this, value);
      } catch (error) {
        queueMicrotask(() => {
          throw error; // reported by the browser; the other listeners still hear of the change
        });
      }
    }
  }
}

/** Keep trait `to` of `target` equal to trait `from` of `source` (ipywidgets' jsdlink).
 * @param {Model} source @param {string} from @param {Model} target @param {string} to */
export function follow(source, from, target, to) {
  const copy = () => target.set(to, source.get(from));
  source.on(`change:${from}`, copy);
  if (source.get(from) !== undefined) copy();
}
