/**
 * The versions of a name's program that were handed in to a ladder: how far each has come, what its
 * compiler and its check said, and what can be done with it.
 *
 * Names of files, words of compilers and findings come from programs, and aren't trusted.
 *
 * @module
 */

import { confirmButton } from "./cards.js";
import { el, fill, Parts } from "./dom.js";
import { errorMessage, fetchJson, timeElement } from "./matches.js";
import { authorization, downloadButton } from "./owner.js";
import { printable } from "./text.js";

/** @template T @typedef {import("./dom.js").Part<T>} Part */
/** @typedef {{version: number, state: string, file: string, size: number, received: string,
 *   why: string, findings: string[]}} Version */
/** @typedef {{name: string, playing: number | null, paused: boolean, disabled: string,
 *   versions: Version[]}} Author a name with its versions, the newest first */
/** @typedef {(path: string) => void} Act carries out what the owner asks for: `3/play` */
/** @typedef {{author: Author, version: Version, act: Act | null}} Item */

/** By state: what it means, and the class of its badge. @type {Record<string, [string, string]>} */
const STATES = {
  received: ["It waits to be built", "warn"],
  building: ["It is being built", "warn"],
  checking: ["It plays short matches in which its answers are checked", "warn"],
  ready: ["It can play", "accent"],
  playing: ["It plays this name's matches", "good"],
  refused: ["It can't play", "danger"],
};
/** The states from which a version goes on by itself. */
const UNFINISHED = new Set(["received", "building", "checking"]);

/**
 * Return the address of the requests about a ladder's submissions.
 *
 * @param {string} ladder
 * @returns {string}
 */
export function submissionsAddress(ladder) {
  return `/api/1/ladders/${encodeURIComponent(ladder)}/submissions`;
}

/** Return whether a version of a name will change by itself. @param {Author} author */
export function isUnfinished({ versions }) {
  return versions.some(({ state }) => UNFINISHED.has(state));
}

/**
 * Describe a size: `512 bytes`, `2.1 KiB`.
 *
 * @param {number} bytes
 * @returns {string}
 */
export function sizeText(bytes) {
  const units = ["KiB", "MiB", "GiB"];
  let [size, unit] = [bytes, "bytes"];
  for (const larger of units) {
    if (size >= 1024) {
      [size, unit] = [size / 1024, larger];
    }
  }
  return `${size.toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`;
}

/** Make the badge of a state. @param {string} state */
export function stateBadge(state) {
  const [title, look] = STATES[state] ?? ["", ""];
  return el("span", { class: `badge ${look}`, title }, state);
}

/** The list of a name's versions. */
export class VersionList {
  element = el("ul", { class: "versions" });
  #parts;

  /**
   * @param {string} ladder
   * @param {AbortSignal} signal ends requests
   * @param {boolean} unfolds whether what building the newest version printed is shown as it comes
   */
  constructor(ladder, signal, unfolds) {
    /** @type {Parts<Item>} */
    this.#parts = new Parts(
      this.element,
      ({ author, version }) => `${author.name} ${version.version}`,
      () => new VersionPart(submissionsAddress(ladder), signal, unfolds),
    );
  }

  /**
   * Show a name's versions.
   *
   * @param {Author} author
   * @param {Act | null} act null: nothing can be changed
   */
  show(author, act) {
    this.#parts.show(author.versions.map((version) => ({ author, version, act })));
  }
}

/**
 * One version.
 *
 * @implements {Part<Item>}
 */
class VersionPart {
  #address;
  #signal;
  #unfolds;
  #item = "";
  #state = "";
  #head = el("div", { class: "row" });
  #why = el("p", { class: "failures" });
  #findings = el("ul", { class: "findings" });
  #output = el("pre", { class: "panel", tabindex: "0" });
  #details = el(
    "details",
    null,
    el("summary", null, "What building it printed"),
    this.#output,
  );
  element = el("li", { class: "panel" }, this.#head, this.#why, this.#findings, this.#details);
  /** @type {Item | null} */
  #shown = null;

  /**
   * @param {string} address of the ladder's submissions
   * @param {AbortSignal} signal
   * @param {boolean} unfolds
   */
  constructor(address, signal, unfolds) {
    this.#address = address;
    this.#signal = signal;
    this.#unfolds = unfolds;
    this.#details.addEventListener("toggle", () => void this.#load());
  }

  /** @param {Item} item */
  update(item) {
    const { author, version, act } = item;
    const data = JSON.stringify([version, act === null, author.playing]);
    this.#shown = item;
    if (data !== this.#item) {
      this.#item = data;
      this.#show(item);
    }
    if (version.state !== this.#state) {
      this.#state = version.state;
      if (this.#unfolds && version === author.versions[0]) {
        this.#details.open = ["building", "refused"].includes(version.state);
      }
      void this.#load();
    } else if (version.state === "building") {
      void this.#load();
    }
  }

  close() {
    this.element.remove();
  }

  /** @param {Item} item */
  #show({ author, version: { version, state, file, size, received, why, findings } }) {
    const act = (/** @type {string} */ what) => this.#shown?.act?.(`${version}/${what}`);
    const canChange = this.#shown?.act !== null;
    fill(
      this.#head,
      el("strong", null, `Version ${version}`),
      stateBadge(state),
      el("code", null, printable(file)),
      el("span", { class: "muted" }, sizeText(size), " · ", timeElement(received)),
      el("span", { class: "spread" }),
      canChange &&
        state === "ready" &&
        el(
          "button",
          {
            class: "button small",
            type: "button",
            "aria-label": `Let version ${version} play`,
            onclick: () => act("play"),
          },
          "Let it play",
        ),
      downloadButton("Download", {
        address: this.#addressOf("/source"),
        file,
        title: `Download version ${version} as it was handed in`,
        names: [author.name],
      }),
      canChange &&
        version !== author.playing &&
        confirmButton(
          "Delete",
          { title: `Delete version ${version}`, question: "Delete it?" },
          () => act("delete"),
        ),
    );
    this.#why.textContent = printable(why);
    this.#why.hidden = why === "";
    fill(this.#findings, findings.map((finding) => el("li", null, printable(finding))));
    this.#findings.hidden = findings.length === 0;
    this.#details.hidden = state === "received";
  }

  /** @param {string} rest */
  #addressOf(rest) {
    const { author, version } = /** @type {Item} */ (this.#shown);
    return `${this.#address}/${version.version}${rest}?${new URLSearchParams({ name: author.name })}`;
  }

  /** Load what its compiler said, if that is to be seen. */
  async #load() {
    if (!this.#details.open || this.#shown === null) {
      return;
    }
    const headers = authorization([this.#shown.author.name]);
    try {
      const { output } = await fetchJson(this.#addressOf(""), this.#signal, { headers });
      const nothing = this.#state === "building" ? "Nothing yet." : "Nothing.";
      this.#output.textContent = printable(output) || nothing;
    } catch (error) {
      if (!this.#signal.aborted) {
        this.#output.textContent = `It can't be loaded: ${errorMessage(error)}`;
      }
    }
  }
}
