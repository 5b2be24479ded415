/**
 * A bot's log of one turn: its lines as text, a remark beside each that should draw but doesn't, and
 * those that draw folded away, as the board shows them.
 *
 * @module
 */

import { el } from "./dom.js";
import { counted } from "./figures.js";
import { printable } from "./text.js";

/** @typedef {import("./drawing.js").LogLine} LogLine */

/**
 * Make the elements of a log.
 *
 * @param {readonly LogLine[]} lines
 * @param {number} seat whose log it is
 * @param {Set<number>} unfolded the seats whose lines that draw are unfolded; kept up to date here
 * @returns {HTMLElement[]}
 */
export function logContent(lines, seat, unfolded) {
  const written = lines.filter((line) => !draws(line));
  const drawn = lines.filter(draws);
  const elements = [];
  if (written.length > 0) {
    elements.push(raw(writtenParts(written)));
  }
  if (drawn.length > 0) {
    const folded = el(
      "details",
      { class: "drawn", open: unfolded.has(seat) },
      el("summary", { class: "muted" }, `On the board: ${countText(drawn)}`),
      raw([printable(textOf(drawn))]),
    );
    folded.addEventListener("toggle", () => {
      if (folded.open) {
        unfolded.add(seat);
      } else {
        unfolded.delete(seat);
      }
    });
    elements.push(folded);
  }
  return elements;
}

/** @param {LogLine} line */
function draws({ drawing, value }) {
  return drawing !== undefined || value !== undefined;
}

/** @param {(HTMLElement | string)[]} parts */
function raw(parts) {
  return el("pre", { class: "raw", tabindex: 0, "data-scrolls": true }, parts);
}

/** @param {readonly LogLine[]} lines */
function textOf(lines) {
  return lines.map(({ text }) => `${text}\n`).join("");
}

/**
 * Return lines as few texts, with remarks between them.
 *
 * @param {readonly LogLine[]} lines
 * @returns {(HTMLElement | string)[]}
 */
function writtenParts(lines) {
  /** @type {(HTMLElement | string)[]} */
  const parts = [];
  /** @type {LogLine[]} */
  let plain = [];
  for (const line of lines) {
    plain.push(line);
    if (line.remark !== undefined) {
      parts.push(
        printable(textOf(plain)).slice(0, -1),
        el("span", { class: "remark" }, `  not drawn: ${printable(line.remark.words)}`),
        "\n",
      );
      plain = [];
    }
  }
  parts.push(printable(textOf(plain)));
  return parts.filter((part) => part !== "");
}

/** Say how much is drawn: `3 drawings, 1 value`. @param {readonly LogLine[]} lines */
function countText(lines) {
  const drawings = lines.filter(({ drawing }) => drawing !== undefined).length;
  const values = lines.length - drawings;
  /** @param {number} count @param {string} thing */
  const some = (count, thing) => (count === 0 ? [] : [counted(count, thing)]);
  return [...some(drawings, "drawing"), ...some(values, "value")].join(", ");
}
