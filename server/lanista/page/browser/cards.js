/**
 * The cards of running matches, in the lobby and in the view of a tournament: a small live board, names, scores and the operator's
 * commands. A match is open only while its card can be seen. The full view of a match is in
 * match.js.
 *
 * @module
 */

import { Board } from "./board.js";
import { scoreChange } from "./changes.js";
import { el, list, Parts } from "./dom.js";
import { MatchFrames } from "./match_frames.js";
import { addressOf, seatMark } from "./matches.js";
import { printable, turnText } from "./text.js";
import { theme } from "./theme.js";

/** @template T @typedef {import("./dom.js").Part<T>} Part */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Match} Match */
/** @typedef {import("./link.js").Message} Message */
/** @typedef {import("./link.js").Running} Running */

/**
 * What all parts of the lobby share.
 *
 * @typedef {object} LobbyContext
 * @property {Link} link
 * @property {boolean} operator whether the arena takes commands from this page
 * @property {(message: Message) => void} command sends a command, and shows why if it is refused
 */

/** Minimum milliseconds between two drawings of a small board. */
const DRAW_INTERVAL = 100;
/** Milliseconds in which a match that is over is played, and for which its end stays. */
const REPLAY_TIME = 30_000;
const END_STAYS = 5000;
/** Milliseconds between two rounds of it. */
const REPLAY_STEP = 250;
/** Maximum milliseconds between a click and the second one that confirms it. */
const CONFIRM_TIME = 4000;

/**
 * Make a card for each running match.
 *
 * @param {LobbyContext} context
 * @returns {Parts<Running>}
 */
export function cardsOf(context) {
  return new Cards(
    el("div", { class: "cards" }),
    ({ match }) => match,
    (running) => new Card(context, running),
  );
}

/** Cards that are the smaller the more there are. @extends {Parts<Running>} */
class Cards extends Parts {
  /** @override @param {readonly Running[]} items */
  show(items) {
    super.show(items);
    const { classList } = this.parent;
    classList.toggle("one", this.size === 1);
    classList.toggle("few", this.size > 2);
    classList.toggle("many", this.size > 4);
    classList.toggle("crowd", this.size > 9);
  }
}

/**
 * Make a card that plays a match which is over, again and again.
 *
 * @param {LobbyContext} context
 * @returns {Parts<Match>}
 */
export function replayOf(context) {
  return new Parts(
    el("div", { class: "cards one" }),
    ({ match }) => match,
    (match) => {
      const about = {
        ...match,
        room: null,
        tournament: match.tournament ?? null,
        players: match.players.map((name) => ({ bot: null, name })),
        started: match.started ?? "",
        paused: false,
      };
      const card = new Card(context, about, true);
      return { element: card.element, update: () => card.update(about), close: () => card.close() };
    },
  );
}

/**
 * Make a button for an action that can't be undone: it asks on the first click, and acts on a
 * second one soon after.
 *
 * @param {string} label
 * @param {{title: string, question: string}} options `question`: the label after the first click
 * @param {() => void} act
 * @returns {HTMLButtonElement}
 */
export function confirmButton(label, { title, question }, act) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer = undefined;
  /** @param {string} shown */
  const setLabel = (shown) => {
    button.textContent = shown;
    button.setAttribute("aria-label", shown === label ? title : `${shown} ${title}`);
  };
  const disarm = () => {
    clearTimeout(timer);
    timer = undefined;
    setLabel(label);
  };
  const button = el(
    "button",
    {
      class: "button small danger",
      type: "button",
      title,
      onblur: disarm,
      onclick: () => {
        if (timer === undefined) {
          timer = setTimeout(disarm, CONFIRM_TIME);
          setLabel(question);
        } else {
          disarm();
          act();
        }
      },
    },
  );
  setLabel(label);
  return button;
}

/**
 * The card of a running match, or of one that is over and is played again.
 *
 * @implements {Part<Running>}
 */
class Card {
  #context;
  #running;
  #canvas = el("canvas", { role: "img" });
  #box = el("span", { class: "mini" }, this.#canvas);
  #seats = el("ul", { class: "players" });
  #round = el("span", { class: "muted round" });
  #paused = el("span", { class: "badge warn", hidden: true }, "paused");
  #pauseButton = el("button", { class: "button small", type: "button" });
  #trouble = el("p", { class: "muted", hidden: true });
  /** @type {MatchFrames | null} */
  #frames = null;
  /** @type {Board | null} */
  #board = null;
  /** Number of openings and closings so far, to recognize a match that is opened too late. */
  #opening = 0;
  #isReplay;
  /** The round of a replay that is shown next. */
  #at = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  #drawn = -DRAW_INTERVAL;
  /** @type {readonly number[] | null} */
  #scores = null;
  /** By seat, what changed its score in the last turn. @type {readonly string[]} */
  #changes = [];
  #visibility = new IntersectionObserver((entries) => {
    if (entries.at(-1)?.isIntersecting) {
      void this.#open();
    } else {
      this.#stop();
    }
  });
  #resizing = new ResizeObserver(() => this.#fit());
  #themeChange = new MutationObserver(() => this.#recolour());

  /**
   * @param {LobbyContext} context
   * @param {Running} running
   * @param {boolean} [isReplay]
   */
  constructor(context, running, isReplay = false) {
    this.#context = context;
    this.#isReplay = isReplay;
    this.#running = running;
    const { match, title, room, tournament } = running;
    // A match of a tournament is played by another process, which takes no commands.
    const isControlled = context.operator && tournament === null && !isReplay;
    const names = running.players.map(({ name }) => name).join(", ");
    this.#canvas.setAttribute("aria-label", `Board of ${names}`);
    this.#pauseButton.addEventListener("click", () => {
      context.command({ do: this.#running.paused ? "resume" : "pause", match });
    });
    this.element = el(
      "article",
      { class: "card running", dataset: { match } },
      el(
        "div",
        { class: "row" },
        el("h3", null, title),
        room !== null && el("span", { class: "muted name" }, `room ${room}`),
        tournament !== null &&
          el(
            "a",
            { class: "muted name", href: `/tournament/${encodeURIComponent(tournament)}` },
            printable(tournament),
          ),
        el("span", { class: "spread" }),
        this.#paused,
        this.#round,
      ),
      el(
        "div",
        { class: "live" },
        el(
          "a",
          { class: "watch", href: addressOf(match), "aria-label": `Watch ${names}` },
          this.#box,
        ),
        el(
          "div",
          { class: "stack" },
          this.#trouble,
          this.#seats,
          el(
            "div",
            { class: "row commands" },
            el(
              "a",
              { class: "button small primary", href: addressOf(match) },
              isReplay ? "Replay" : "Watch",
            ),
            isControlled && this.#pauseButton,
            isControlled &&
              confirmButton(
                "Cancel",
                { title: `Cancel the match of ${names}`, question: "End this match?" },
                () => context.command({ do: "cancel", match }),
              ),
          ),
        ),
      ),
    );
    this.#visibility.observe(this.element);
    this.#resizing.observe(this.#box);
    this.#themeChange.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  /** @param {Running} running */
  update(running) {
    this.#running = running;
    this.#paused.hidden = !running.paused;
    this.#pauseButton.textContent = running.paused ? "Resume" : "Pause";
    this.#showSeats();
  }

  close() {
    this.#visibility.disconnect();
    this.#resizing.disconnect();
    this.#themeChange.disconnect();
    this.#stop();
  }

  /** Show names and scores, with a bar for each score in relation to the best one. */
  #showSeats() {
    const scores = this.#scores;
    const best = Math.max(0, ...(scores ?? []));
    const ahead = scores?.filter((score) => score === best).length ?? 0;
    const rows = this.#running.players.map(({ name }, seat) => {
      const score = scores?.[seat] ?? null;
      const share = score === null || best === 0 ? 0 : Math.max(0, score / best);
      const change = this.#changes[seat] ?? "";
      return { seat, name, score, share, change, leads: ahead === 1 && score === best };
    });
    list(
      this.#seats,
      rows,
      ({ seat }) => seat,
      ({ seat, name, score, share, change, leads }) =>
        el(
          "li",
          { class: leads ? "winner" : null },
          seatMark(seat),
          el("span", { class: "name" }, name),
          leads && el("span", { class: "unseen" }, "leads"),
          el("span", { class: "change" }, printable(change)),
          el("span", { class: "score" }, score === null ? "" : score.toLocaleString("en")),
          el("span", { class: "bar", style: { "--share": share.toFixed(3) } }),
        ),
    );
  }

  async #open() {
    if (this.#frames !== null) {
      return;
    }
    const opening = (this.#opening += 1);
    const isWanted = () => opening === this.#opening;
    const { link } = this.#context;
    const keep = this.#isReplay ? "all" : "newest";
    try {
      const frames = await link.persist(
        () => MatchFrames.fromLink(link, this.#running.match, { keep }),
        isWanted,
      );
      if (frames === null || !isWanted()) {
        frames?.stop();
        return;
      }
      this.#frames = frames;
      if (this.#board === null) {
        this.#board = new Board(this.#canvas, frames.head, { small: true });
        this.#board.setTheme(theme());
        this.#fit();
      }
      frames.addEventListener("change", () => this.#scheduleDraw());
      frames.addEventListener("trouble", (event) => {
        this.#showError(String(/** @type {CustomEvent} */ (event).detail));
      });
      if (this.#isReplay) {
        frames.load(0);
      } else {
        frames.follow();
      }
      this.#scheduleDraw();
    } catch (error) {
      if (isWanted()) {
        this.#showError(error instanceof Error ? error.message : String(error));
      }
    }
  }

  #stop() {
    this.#opening += 1;
    this.#frames?.stop();
    this.#frames = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** @param {string} message */
  #showError(message) {
    this.#trouble.textContent = `No picture: ${message}`;
    this.#trouble.hidden = false;
  }

  /** Draw the newest loaded position, not earlier than `DRAW_INTERVAL` after the last drawing. */
  #scheduleDraw() {
    if (this.#timer === undefined) {
      const wait = Math.max(0, this.#drawn + DRAW_INTERVAL - performance.now());
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#draw();
      }, wait);
    }
  }

  #draw() {
    const frames = this.#frames;
    if (frames === null || this.#board === null) {
      return;
    }
    // The match may go on faster than its frames are loaded.
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const isPlayed = this.#isReplay && !isStill;
    const position = isPlayed
      ? frames.position(this.#at)
      : (frames.position(frames.count - 1) ?? frames.position(frames.newest));
    if (position === null) {
      return;
    }
    if (isPlayed) {
      this.#scheduleNext(frames);
    }
    this.#drawn = performance.now();
    this.#trouble.hidden = true;
    this.#board.draw(position, { previous: null, t: 1, followed: null, hover: null });
    this.#round.textContent = turnText(frames.head, position.turn);
    this.#scores = position.scores;
    const before = frames.position(position.n - 1);
    this.#changes = position.scores.map((_, seat) =>
      scoreChange(frames.head, position, before, seat),
    );
    this.#showSeats();
  }

  /** Plan the next round of a replay. @param {MatchFrames} frames */
  #scheduleNext({ count }) {
    const last = this.#at >= count - 1;
    const step = Math.max(1, Math.ceil((count * REPLAY_STEP) / REPLAY_TIME));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#at = last ? 0 : Math.min(count - 1, this.#at + step);
        this.#draw();
      },
      last ? END_STAYS : REPLAY_STEP,
    );
  }

  #fit() {
    if (this.#board !== null && this.#box.clientWidth > 0) {
      this.#board.resize(this.#box.clientWidth, this.#box.clientHeight);
      this.#draw();
    }
  }

  #recolour() {
    this.#board?.setTheme(theme());
    this.#draw();
  }
}
