/**
 * Builds the page's elements. All text gets into the page through this module.
 *
 * Names, logs and answers come from bots, which may be hostile. Here they become text nodes or
 * attribute values, never markup.
 *
 * @module
 */

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * The properties of an element: `class`; `dataset`, an object; `style`, an object of CSS
 * properties, as the content security policy forbids style attributes; `on…`, a listener; `value`,
 * `checked` and `selected`, which are set as properties. Anything else is an attribute: true makes
 * it empty, and false, null and undefined leave it out.
 *
 * @typedef {{
 *   dataset?: Record<string, string | number | null | undefined>,
 *   style?: Record<string, string>,
 *   [name: string]: any,
 * }} Props
 */

const AS_PROPERTIES = new Set(["value", "checked", "selected"]);

/**
 * Make an element. Strings and numbers become text nodes; null, undefined and false are left out.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 * @throws {TypeError} if a listener isn't a function, or a style isn't an object
 */
export function el(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    set(element, name, value);
  }
  element.append(...nodes(children));
  return element;
}

/**
 * Replace all children of an element.
 *
 * @param {Element} element
 * @param {...(Child | Child[])} children as for `el`
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/**
 * Show a list with one element for each item. Elements of items that didn't change are kept, so
 * that a list that is updated often doesn't lose its focus and its scroll position.
 *
 * @template T
 * @param {HTMLElement} parent holds these elements and nothing else
 * @param {readonly T[]} items in the order to show
 * @param {(item: T) => string | number} keyOf returns what identifies an item
 * @param {(item: T) => HTMLElement} build makes the element of an item
 */
export function list(parent, items, keyOf, build) {
  /** @type {Map<string, HTMLElement>} */
  const old = new Map();
  for (const child of parent.children) {
    if (child instanceof HTMLElement) {
      old.set(child.dataset.key ?? "", child);
    }
  }
  const shown = items.map((item) => {
    const key = String(keyOf(item));
    const data = JSON.stringify(item);
    const before = old.get(key);
    if (before !== undefined && BUILT_FROM.get(before) === data) {
      return before;
    }
    const element = build(item);
    element.dataset.key = key;
    BUILT_FROM.set(element, data);
    return element;
  });
  arrange(parent, shown);
}

/**
 * An element that can be updated while it is shown.
 *
 * @template T
 * @typedef {{element: HTMLElement, update(item: T): void, close(): void}} Part
 */

/**
 * The children of an element as parts by key. A part is made when its item appears, updated while
 * the item stays, and closed when it is gone.
 *
 * @template T
 */
export class Parts {
  /** @type {Map<string, Part<T>>} */
  #parts = new Map();
  #keyOf;
  #make;

  /**
   * @param {HTMLElement} parent holds the parts and nothing else
   * @param {(item: T) => string} keyOf returns what identifies an item
   * @param {(item: T) => Part<T>} make makes a part, which is then updated
   */
  constructor(parent, keyOf, make) {
    this.parent = parent;
    this.#keyOf = keyOf;
    this.#make = make;
  }

  /** Number of parts. */
  get size() {
    return this.#parts.size;
  }

  /** Show these items. @param {readonly T[]} items in the order to show */
  show(items) {
    const before = this.#parts;
    this.#parts = new Map();
    for (const item of items) {
      const key = this.#keyOf(item);
      const part = before.get(key) ?? this.#make(item);
      before.delete(key);
      part.update(item);
      this.#parts.set(key, part);
    }
    for (const part of before.values()) {
      part.close();
    }
    arrange(
      this.parent,
      [...this.#parts.values()].map(({ element }) => element),
    );
  }

  /** Close all parts. */
  close() {
    for (const part of this.#parts.values()) {
      part.close();
    }
    this.#parts.clear();
  }
}

/**
 * JSON of the item from which each element of a `list` was built.
 *
 * @type {WeakMap<HTMLElement, string>}
 */
const BUILT_FROM = new WeakMap();

/**
 * Replace an element's children without moving those that stay, as an element that is moved loses
 * its focus and its scroll position.
 *
 * @param {HTMLElement} parent
 * @param {readonly HTMLElement[]} shown in order
 */
function arrange(parent, shown) {
  const stay = new Set(shown);
  for (const child of [...parent.children]) {
    if (!(child instanceof HTMLElement) || !stay.has(child)) {
      child.remove();
    }
  }
  shown.forEach((element, i) => {
    if (parent.children[i] !== element) {
      parent.insertBefore(element, parent.children[i] ?? null);
    }
  });
}

/**
 * Flatten children and leave out the empty ones.
 *
 * @param {readonly (Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  /** @type {(Node | string)[]} */
  const flattened = [];
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) {
      flattened.push(child instanceof Node ? child : String(child));
    }
  }
  return flattened;
}

/**
 * Set one of the properties described at `Props`.
 *
 * @param {HTMLElement} element
 * @param {string} name
 * @param {any} value
 */
function set(element, name, value) {
  if (name.startsWith("on")) {
    if (value === null || value === undefined) {
      return;
    }
    if (typeof value !== "function") {
      throw new TypeError(`${name} is a ${typeof value}; it must be a function`);
    }
    element.addEventListener(name.slice(2), value);
  } else if (name === "dataset") {
    for (const [key, text] of Object.entries(value ?? {})) {
      if (text !== null && text !== undefined) {
        element.dataset[key] = String(text);
      }
    }
  } else if (name === "style") {
    if (typeof value !== "object") {
      throw new TypeError(`style is a ${typeof value}; it must be an object of CSS properties`);
    }
    for (const [property, text] of Object.entries(value ?? {})) {
      element.style.setProperty(property, String(text));
    }
  } else if (AS_PROPERTIES.has(name) && name in element) {
    Reflect.set(element, name, value);
  } else if (value !== null && value !== undefined && value !== false) {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}
