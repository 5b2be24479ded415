/**
 * The story of a match: its chapters, the best part, and by what each bot lost that didn't win.
 *
 * The server has made it from the record (docs/api.md, "end"). No round beyond those that may be
 * told is in it, and no loss before the end may be told.
 *
 * @module
 */

import { compareAddress } from "./compare_choice.js";
import { el, fill } from "./dom.js";
import { note } from "./evidence.js";
import { seatMark } from "./matches.js";
import { playerOf } from "./panels.js";
import { capital, nameSeats, printable, turnWord } from "./text.js";

/** @typedef {import("./decode.js").Chapter} Chapter */
/** @typedef {import("./decode.js").Story} Story */

/**
 * Make the panel.
 *
 * @param {object} sources
 * @param {import("./decode.js").Head} sources.head
 * @param {() => number | null} sources.seat returns the seat that was chosen; null: all
 * @param {() => Story | null} sources.story returns the story; null: there is none yet
 * @param {() => number} sources.last returns the last round of which anything is told
 * @param {() => boolean} sources.told returns whether the end may be told
 * @param {(round: number, seat: number) => void} sources.seek shows a round for what a seat did in
 *   it; -1: none
 * @param {() => boolean} sources.isStored returns whether the arena has the match's record
 * @param {(first: number) => void} sources.play plays from a round on
 * @returns {import("./panels.js").Panel}
 */
export function storyPanel({ head, seat, story, last, told, isStored, seek, play }) {
  const element = el("div", { class: "story" });
  const word = turnWord(head);
  let shown = "";

  /** @param {Chapter} chapter @param {number | null} of the seat that needn't be named */
  const entry = ([round, about, text], of) =>
    el(
      "li",
      null,
      el(
        "button",
        {
          type: "button",
          class: "button plain small",
          title: `Show ${word} ${round}`,
          onclick: () => seek(round, about),
        },
        String(round),
      ),
      " ",
      about >= 0 && about !== of && seatMark(about),
      " ",
      nameSeats(printable(text), head),
    );

  /** Tell by what a bot lost. @param {number} loser @param {Chapter[]} reasons */
  function loss(loser, reasons) {
    return el(
      "section",
      null,
      el("h3", null, playerOf(head, loser), " lost by"),
      el("ol", { class: "chapters" }, reasons.map((one) => entry(one, loser))),
      isStored() &&
        el(
          "a",
          {
            class: "button small",
            href: compareAddress(head.match, { of: head.players[loser].name }),
            title: "Compare with another match with the same seed, side by side",
          },
          "Compare with another match of it",
        ),
    );
  }

  /** @param {Story} whole */
  function content({ chapters, best, losses, losers }) {
    const known = chapters.filter(([round]) => round <= last());
    const chosen = seat();
    return [
      ...(told() ? losers : [])
        .filter((loser) => chosen === null || chosen === loser)
        .map((loser) => loss(loser, losses[loser])),
      el("h3", null, `${capital(word)} by ${word}`),
      known.length === 0
        ? note("Nothing to tell so far.")
        : el("ol", { class: "chapters" }, known.map((chapter) => entry(chapter, null))),
      told() &&
        el(
          "p",
          null,
          el(
            "button",
            { type: "button", class: "button small", onclick: () => play(best[0]) },
            `Play the best part: ${word}s ${best[0]} to ${best[1]}`,
          ),
          " ",
          isStored() &&
            el(
              "a",
              {
                class: "button small",
                href: `/api/1/matches/${encodeURIComponent(head.match)}/picture?from=${best[0]}&to=${best[1]}`,
                download: `${head.match}.gif`,
              },
              "Download it as GIF",
            ),
        ),
    ];
  }

  return {
    element,
    show() {
      const whole = story();
      const key = `${whole === null} ${last()} ${told()} ${seat()}`;
      if (key !== shown) {
        shown = key;
        const parts =
          whole === null ? [note("The story is told when the match is over, if it was played to its end.")] : content(whole);
        fill(element, ...parts);
      }
    },
  };
}
