/**
 * The view of two matches side by side, in step: two boards, one slider, and what differs.
 *
 * It begins at their first difference, which the arena finds. The frame is board_view.js; difference.js
 * finds what differs in a round, compare_panels.js puts it into words.
 *
 * @module
 */

import { BoardView } from "./board_view.js";
import { differenceChart } from "./compare_chart.js";
import { caption, differencePanel, summaryOf } from "./compare_panels.js";
import { boardRows, firstRounds, PairMoments } from "./difference.js";
import { el } from "./dom.js";
import { describeEnding } from "./text.js";

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

/** The view of two matches. */
export class CompareView extends BoardView {
  #both;
  #differences;
  #state = el("span", { class: "badge state" }, "loading…");
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
   * @param {import("./difference.js").Difference} difference
   * @param {Options} options
   */
  constructor(root, both, difference, options) {
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
    this.#both = both;
    this.#differences = firstRounds(difference);
    this.marks = new PairMoments(this.moments, this.#differences.first);
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
    const { round } = this.options;
    return { round: round ?? this.#differences.first ?? 0, isNamed: round !== null };
  }

  /** @override */
  changed() {
    if (this.#both.some(({ count }) => count === 0)) {
      return;
    }
    super.changed();
    this.#showChart();
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
