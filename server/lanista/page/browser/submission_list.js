/**
 * The operator's list of the programs that were handed in to a ladder: every name with its versions,
 * which can be disabled.
 *
 * @module
 */

import { el, fill, Parts } from "./dom.js";
import { counted } from "./figures.js";
import { errorMessage, fetchJson, timeElement } from "./matches.js";
import { authorization } from "./owner.js";
import { section } from "./tables.js";
import { pathPart, printable } from "./text.js";
import { isUnfinished, stateBadge, submissionsAddress, VersionList } from "./versions.js";

/** @template T @typedef {import("./dom.js").Part<T>} Part */
/** @typedef {import("./link.js").Ladder} Ladder */
/** @typedef {import("./versions.js").Author} Author */

/** Milliseconds until the list is asked for again while a version in it isn't finished. */
const LATER = 5000;

/**
 * The operator's list of the names for which programs were handed in to a ladder.
 *
 * @implements {Part<Ladder>}
 */
export class LadderSubmissions {
  #address;
  #ended = new AbortController();
  #state = el("p", { class: "muted", role: "status" });
  #names = el("ul", { class: "versions" });
  #parts;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /** @param {Ladder} ladder */
  constructor({ name }) {
    this.#address = submissionsAddress(name);
    /** @type {Parts<Author>} */
    this.#parts = new Parts(
      this.#names,
      (author) => author.name,
      () => new AuthorPart(name, this.#ended.signal, (path) => this.#change(path)),
    );
    this.element = section(
      `Programs on ${printable(name)}`,
      this.#state,
      this.#names,
      el(
        "p",
        null,
        el(
          "button",
          { class: "button", type: "button", onclick: () => void this.#load() },
          "Look again",
        ),
      ),
    );
    this.element.classList.add("submissions");
    void this.#load();
  }

  update() {}

  close() {
    this.#ended.abort();
    clearTimeout(this.#timer);
    this.element.remove();
  }

  /** @param {string} path */
  async #change(path) {
    await this.#attempt(async (options) => {
      await fetchJson(`${this.#address}/${path}`, this.#ended.signal, { ...options, method: "POST" });
      await this.#load();
    });
  }

  async #load() {
    clearTimeout(this.#timer);
    await this.#attempt(async (options) => {
      /** @type {{authors: Author[]}} */
      const { authors } = await fetchJson(this.#address, this.#ended.signal, options);
      this.#parts.show(authors.sort((a, b) => a.name.localeCompare(b.name)));
      this.#state.textContent =
        authors.length === 0
          ? "Nobody has handed in anything yet."
          : `${counted(authors.length, "name")}, ` +
            counted(
              authors.reduce((sum, { versions }) => sum + versions.length, 0),
              "version",
            );
      if (authors.some(isUnfinished)) {
        this.#timer = setTimeout(() => void this.#load(), LATER);
      }
    });
  }

  /** @param {(options: RequestInit) => Promise<void>} work */
  async #attempt(work) {
    try {
      await work({ headers: authorization([]) });
    } catch (error) {
      if (!this.#ended.signal.aborted) {
        this.#state.textContent = `The arena refused: ${printable(errorMessage(error))}`;
      }
    }
  }
}

/**
 * A name in the operator's list, which unfolds to its versions.
 *
 * @implements {Part<Author>}
 */
class AuthorPart {
  #versions;
  #author = "";
  #summary = el("summary", null);
  #disabled = el("p", { class: "failures" });
  #why = el("input", { name: "why", required: true, maxlength: 200, autocomplete: "off" });
  #enable = el("button", { class: "button", type: "button" }, "Enable");
  #disable = el(
    "form",
    { class: "filters" },
    el("label", null, "Why, which its author reads", this.#why),
    el("button", { class: "button danger" }, "Disable"),
  );

  /**
   * @param {string} ladder
   * @param {AbortSignal} signal
   * @param {(path: string) => Promise<void>} change
   */
  constructor(ladder, signal, change) {
    this.#versions = new VersionList(ladder, signal, false);
    const path = (/** @type {string} */ why) =>
      `${pathPart(this.#author)}/disable?${new URLSearchParams({ why })}`;
    this.#disable.addEventListener("submit", (event) => {
      event.preventDefault();
      void change(path(this.#why.value));
      this.#why.value = "";
    });
    this.#enable.addEventListener("click", () => void change(path("")));
    this.element = el(
      "li",
      { class: "panel" },
      el(
        "details",
        null,
        this.#summary,
        el(
          "div",
          { class: "stack" },
          el("div", { class: "row" }, this.#disabled, this.#enable, this.#disable),
          this.#versions.element,
        ),
      ),
    );
  }

  /** @param {Author} author */
  update(author) {
    const { name, disabled, versions } = author;
    this.#author = name;
    const [newest] = versions;
    fill(
      this.#summary,
      el("strong", null, printable(name)),
      " ",
      disabled !== "" && el("span", { class: "badge danger" }, "disabled"),
      " ",
      newest !== undefined && stateBadge(newest.state),
      " ",
      el(
        "span",
        { class: "muted" },
        counted(versions.length, "version"),
        newest !== undefined && ", the last one ",
        newest !== undefined && timeElement(newest.received),
      ),
    );
    this.#disabled.textContent = printable(`Disabled: ${disabled}`);
    this.#disabled.hidden = this.#enable.hidden = disabled === "";
    this.#disable.hidden = disabled !== "";
    this.#disable.setAttribute("aria-label", `Disable ${printable(name)}`);
    this.#versions.show(author, null);
  }

  close() {
    this.element.remove();
  }
}
