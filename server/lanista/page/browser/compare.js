/**
 * The view of two matches side by side, in step: two boards, one slider, and what differs.
 *
 * It begins at their first difference. The frame is board_view.js; difference.js finds what differs,
 * compare_panels.js puts it into words.
 *
 * @module
 */

import { BoardView } from "./board_view.js";
import { differenceChart } from "./compare_chart.js";
import { caption, differencePanel, summaryOf } from "./compare_panels.js";
import { boardRows, Differences, obstacles, PairMoments } from "./difference.js";
import { el, fill } from "./dom.js";
import { describeEnding, printable } from "./text.js";

/** @typedef {import("./board_view.js").Options} Options */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */
/** @typedef {import("./player.js").Player} Player */
/** @template T @typedef {import("./difference.js").Two<T>} Two */

/** Minimum height of both boards with their captions on a narrow page, as a share of the window's. */
const NARROW_SHARE = 0.5;
/** Distance in CSS px between a caption and its board, and below the boards on a narrow page. */
const CAPTION_GAP = 4;
const NARROW_GAP = 10;

/**
 * Return why two matches can't be compared, naming both.
 *
 * @param {Two<MatchFrames>} both
 * @returns {string} empty: they can be compared
 */
export function obstacleOf([one, other]) {
  const reasons = obstacles([one.head, other.head], [one.end?.seed ?? null, other.end?.seed ?? null]);
  const [first, second] = [one, other].map(({ head }) => printable(head.match ?? "a file"));
  return reasons.length === 0
    ? ""
    : `${first} (match 1) and ${second} (match 2) can't be compared: ${reasons.join("; ")}`;
}

/** The view of two matches. */
export class CompareView extends BoardView {
  #root;
  #both;
  #differences = new Differences();
  #state = el("span", { class: "badge state" }, "comparing…");
  #summary = el("strong", { class: "result", role: "status" });
  #boards;
  #captions;
  #chart;
  #panel;
  /** What stands on the boards differently, and of which positions. */
  #apart = {
    positions: /** @type {readonly Position[]} */ ([]),
    rows: /** @type {import("./difference.js").Row[]} */ ([]),
    cells: /** @type {import("./layout.js").Cell[]} */ ([]),
  };

  /**
   * Show two matches; stopping their frames is up to the caller.
   *
   * @param {HTMLElement} root is filled
   * @param {Two<MatchFrames>} both
   * @param {Options} options
   */
  constructor(root, both, options) {
    super(both, options, {
      names: ["Board of match 1", "Board of match 2"],
      goal: { label: "Difference", title: "To the first difference of the matches (D)" },
      keys: {
        backFault: "to the previous fault of any player, in either match",
        nextFault: "to the next fault, in either match",
        decided: "to the first difference",
        spoilers: "tell how the matches ended, or don't until the end is reached",
        order: null,
        board: "to the first board: there the arrow keys point at cells, and Enter follows a unit",
        zoomFit: "the whole boards",
        full: "the boards alone, on the whole screen, or all again",
      },
      needed: { width: 17, height: 13 },
    });
    this.#root = root;
    this.#both = both;
    this.marks = new PairMoments(this.moments, this.#differences);
    this.#captions = both.map(({ head }, at) => caption(head, at + 1, options.link !== null));
    this.#chart = differenceChart(this.head, (round) => this.seek(round));
    this.#panel = differencePanel(
      [both[0].head, both[1].head],
      this.pointed,
      this.#chart.element,
    );
    this.#boards = el(
      "div",
      { class: "boards" },
      this.stages.map(({ element }, at) =>
        el("div", { class: "side" }, this.#captions[at].element, element),
      ),
    );
    this.area.classList.add("compare");
    this.begin(root, {
      head: el(
        "header",
        { class: "match-head" },
        el(
          "div",
          { class: "line" },
          el("h1", null, `${this.head.title}: two matches`),
          this.#state,
          this.#summary,
        ),
      ),
      boards: this.#boards,
      evidence: [...this.drawings.map(({ element }) => element), this.#panel.element],
    });
  }

  /** @override */
  captionHeight() {
    return CAPTION_GAP + Math.max(...this.#captions.map(({ element }) => element.offsetHeight));
  }

  /** On a narrow page, which scrolls, both boards are seen with the controls below them. @override @param {number} controls */
  narrowHeight(controls) {
    const above = this.#boards.getBoundingClientRect().top + window.scrollY;
    const left = window.innerHeight - above - controls - NARROW_GAP;
    return Math.max(NARROW_SHARE * window.innerHeight, left);
  }

  /** @override */
  start() {
    const { first, compared } = this.#differences;
    const { round } = this.options;
    // Of a match that is over, frames may still be computed.
    const isCounted = this.#both.every(({ over, head }) => over || head.live === true);
    const isCompared = isCounted && compared === Math.min(...this.#both.map(({ count }) => count));
    return round === null && first === null && !isCompared
      ? null
      : { round: round ?? first ?? 0, isNamed: round !== null };
  }

  /** @override */
  changed() {
    if (this.#both.some(({ count }) => count === 0)) {
      return;
    }
    const obstacle = obstacleOf(this.#both);
    if (obstacle !== "") {
      // The seeds of running matches are known only now.
      this.close();
      fill(this.#root, el("p", { class: "page trouble", role: "alert" }, obstacle));
      return;
    }
    this.#differences.include(this.#both);
    super.changed();
    if (this.player === null) {
      this.#both.forEach((frames) => frames.load(this.#differences.compared));
    } else {
      this.#showChart();
    }
    const summary = summaryOf(this.head, this.#differences, this.#both);
    if (this.#summary.textContent !== summary) {
      this.#summary.textContent = summary; // it is read aloud when it changes
    }
  }

  /** @override */
  goal() {
    return this.#differences.first;
  }

  /** @override */
  controls() {
    return { goal: this.#differences.first !== null, seat: null };
  }

  /** @override @param {Player} player */
  showState({ round }) {
    this.#state.textContent = `${this.word} ${round}`;
  }

  /** @override @param {readonly Position[]} positions @param {Player} player */
  showRound(positions, player) {
    this.#captions.forEach((shown, at) => shown.show(positions[at], this.#endingOf(at, player)));
  }

  /** Say how a match ended, if that may be told. @param {number} at @param {Player} player */
  #endingOf(at, { round }) {
    const { head, end, count, over } = this.#both[at];
    const isReached = over && round >= count - 1;
    if (end === null || !(this.spoils || isReached)) {
      return "";
    }
    return describeEnding(head, end, this.#both[at].frame(count - 1)?.scores ?? []).text;
  }

  /** @override @param {readonly Position[]} positions */
  showDetails([one, other]) {
    this.#panel.show([one, other], this.#rows([one, other]), one.n === other.n);
    this.#showChart();
    return true;
  }

  #showChart() {
    const round = this.player?.round ?? 0;
    const last = Math.max(...this.#both.map(({ count }) => count)) - 1;
    this.#chart.show(
      (n) => this.moments.map((moments) => moments.scores(Math.min(n, moments.count - 1))),
      { last, round, upTo: this.spoils ? last : round },
    );
  }

  /** @override @param {readonly Position[]} positions */
  apart([one, other]) {
    this.#rows([one, other]);
    return this.#apart.cells;
  }

  /** Return what stands on the boards differently. @param {Two<Position>} positions */
  #rows(positions) {
    const { positions: known } = this.#apart;
    if (positions.some((position, at) => position !== known[at])) {
      const rows = boardRows([this.#both[0].head, this.#both[1].head], positions);
      this.#apart = { positions, rows, cells: rows.flatMap(({ cells }) => cells) };
    }
    return this.#apart.rows;
  }
}
