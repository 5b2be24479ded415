/**
 * The dock: a match's evidence in tabs beside the board, of all players or of one.
 *
 * Only the panel that is chosen is filled, as the others would slow down play.
 *
 * @module
 */

import { seatLetter } from "./colours.js";
import { el } from "./dom.js";
import { answersPanel, logsPanel, outputPanel, timesPanel } from "./evidence.js";
import { legend } from "./panels.js";
import { plots } from "./plots.js";
import { storyPanel } from "./story.js";
import { tabs } from "./tabs.js";
import { printable } from "./text.js";
import { valuePlots } from "./value_plots.js";

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */
/** @typedef {import("./panels.js").Panel} Panel */
/** @typedef {ReturnType<typeof dock>} Dock */

/**
 * Make the dock of a match.
 *
 * @param {MatchFrames} frames
 * @param {object} options
 * @param {import("./pointed.js").Pointed} options.pointed links texts with the board
 * @param {(round: number) => void} options.seek shows a round
 * @param {() => number} options.last returns the last round of which anything is told
 * @param {() => import("./decode.js").End["result"]} options.result returns the result of the
 *   match; null: it is running
 * @param {() => import("./decode.js").Story | null} options.story returns the story of the match;
 *   null: there is none yet
 * @param {() => boolean} options.told returns whether all of it may be told
 * @param {() => boolean} options.isStored returns whether the arena has the match's record
 * @param {(first: number) => void} options.play plays from a round on
 * @param {() => void} options.changed is called when another part or player was chosen: the caller
 *   then shows the position again
 */
export function dock(frames, { pointed, seek, last, result, story, told, isStored, play, changed }) {
  const { head } = frames;
  /** @type {number | null} */
  let chosen = null;
  /** The seat that somebody looked at last: among all, its evidence comes first. */
  let looked = 0;
  const seat = () => chosen;
  const sources = { head, pointed, seat, first: () => looked };
  const curves = plots(head, seek);
  const values = valuePlots(head, seek);
  const shapes = legend(head);
  /** @type {[string, Panel][]} */
  const panels = [
    ["answers", answersPanel(sources)],
    ["logs", logsPanel({ ...sources, frame: (n) => frames.frame(n), last, seek })],
    ["output", outputPanel({ ...sources, result, told, seek })],
    ["ledger", timesPanel(head)],
    ["story", storyPanel({ head, seat, story, last, told, isStored, seek: lookAt, play })],
  ];
  const elements = new Map(panels.map(([key, { element }]) => [key, element]));
  const content = (/** @type {string} */ key) => /** @type {HTMLElement} */ (elements.get(key));
  /** @type {[string, string, HTMLElement][]} */
  const played = [
    ["answers", "Answers", content("answers")],
    ["logs", "Logs", content("logs")],
    ["output", "Output", content("output")],
    ["ledger", "Ledger", content("ledger")],
    ["times", "Answer time", curves.times],
  ];
  const choices = [null, ...head.players.keys()].map((one) =>
    el(
      "button",
      {
        type: "button",
        class: "button small",
        "aria-pressed": String(one === null),
        title: one === null ? "Of all players" : `Only of ${printable(head.players[one].name)}`,
        "aria-label":
          one === null
            ? "All players"
            : `${seatLetter(one)}: only ${printable(head.players[one].name)}`,
        onclick: () => chooseSeat(one),
      },
      one === null ? "All" : seatLetter(one),
    ),
  );
  const parts = tabs(
    [
      // An original game's file has only positions.
      ...(head.source === "res" ? [] : played),
      ["story", "Story", content("story")],
      ["score", "Score", el("div", null, curves.scores, values.element)],
      ["legend", "Legend", shapes.element],
    ],
    {
      name: "dock",
      aside:
        head.source === "res"
          ? undefined
          : el("div", { class: "choice of-seats", role: "group", "aria-label": "Show" }, choices),
      changed,
    },
  );

  /** @param {number | null} one null: all */
  function chooseSeat(one) {
    chosen = one;
    looked = one ?? looked;
    choices.forEach((button, at) => {
      button.setAttribute("aria-pressed", String(at === (one === null ? 0 : one + 1)));
    });
    changed();
  }

  /** Show a round for what a seat did in it. @param {number} round @param {number} one -1: none */
  function lookAt(round, one) {
    looked = one < 0 ? looked : one;
    changed();
    seek(round);
  }

  return {
    element: el("section", { class: "dock", "aria-label": "Evidence" }, parts.element),
    seat,
    chooseSeat,
    lookAt,
    /**
     * Show a part, of one player.
     * @param {string} key
     * @param {number} one
     */
    choose(key, one) {
      chooseSeat(one);
      parts.choose(key);
    },
    /** @param {Position} position @param {Position | null} before */
    show(position, before) {
      panels.find(([key]) => key === parts.chosen())?.[1].show(position, before);
    },
    /** Take over frames that were loaded. */
    update() {
      curves.update(frames);
      values.update(frames);
    },
    /** @param {number} round @param {boolean} spoils whether anything beyond it is told */
    mark(round, spoils) {
      curves.mark(round, spoils);
      values.mark(round);
    },
    /** Adopt another theme. */
    restyle() {
      shapes.restyle();
    },
    /** End all activity. */
    close() {
      curves.close();
      values.close();
    },
  };
}
