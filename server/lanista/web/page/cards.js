/**
 * The lobby's cards of running matches: a small live board, names, scores and the operator's
 * commands. A match is only open while its card can be seen. The full view of a match is match.js.
 *
 * @module
 */

import { Board } from "./board.js";
import { el, list, Parts } from "./dom.js";
import { Film } from "./film.js";
import { addressOf, seatMark } from "./matches.js";
import { theme } from "./theme.js";

/** @template T @typedef {import("./dom.js").Part<T>} Part */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Message} Message */
/** @typedef {import("./link.js").Running} Running */

/**
 * What all parts of the lobby have.
 *
 * @typedef {object} Desk
 * @property {Link} link
 * @property {boolean} operator whether commands are taken from this page
 * @property {(message: Message) => void} command asks; what the arena refuses is shown
 */

/** Minimum milliseconds between two drawings of a small board. */
const REDRAW = 100;
/** Milliseconds within which a second click confirms the first. */
const CONFIRM = 4000;

/**
 * All running matches as cards.
 *
 * @param {Desk} desk
 * @returns {Parts<Running>}
 */
export function cardsOf(desk) {
  return new Parts(
    el("div", { class: "cards" }),
    ({ match }) => match,
    (running) => new Card(desk, running),
  );
}

/**
 * A button for what can't be undone: the first click asks, a second one soon after it does it.
 *
 * @param {string} words
 * @param {{title: string, sure: string}} options `sure`: what the button asks
 * @param {() => void} act
 * @returns {HTMLButtonElement}
 */
export function sureButton(words, { title, sure }, act) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let armed = undefined;
  /** @param {string} shown */
  const say = (shown) => {
    button.textContent = shown;
    button.setAttribute("aria-label", shown === words ? title : `${shown} ${title}`);
  };
  const disarm = () => {
    clearTimeout(armed);
    armed = undefined;
    say(words);
  };
  const button = el(
    "button",
    {
      class: "button small danger",
      type: "button",
      title,
      onblur: disarm,
      onclick: () => {
        if (armed === undefined) {
          armed = setTimeout(disarm, CONFIRM);
          say(sure);
        } else {
          disarm();
          act();
        }
      },
    },
  );
  say(words);
  return button;
}

/**
 * The card of a running match.
 *
 * @implements {Part<Running>}
 */
class Card {
  #desk;
  #running;
  #canvas = el("canvas", { role: "img" });
  #box = el("span", { class: "mini" }, this.#canvas);
  #seats = el("ul", { class: "players" });
  #round = el("span", { class: "muted round" });
  #paused = el("span", { class: "badge warn", hidden: true }, "paused");
  #hold = el("button", { class: "button small", type: "button" });
  #trouble = el("p", { class: "muted", hidden: true });
  /** @type {Film | null} */
  #film = null;
  /** @type {Board | null} */
  #board = null;
  /** Counts openings and closings, to recognize a film that was opened too late. */
  #turn = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  #drawn = -REDRAW;
  /** @type {readonly number[] | null} */
  #scores = null;
  #seen = new IntersectionObserver((entries) => {
    if (entries.at(-1)?.isIntersecting) {
      void this.#open();
    } else {
      this.#stop();
    }
  });
  #sized = new ResizeObserver(() => this.#fit());
  #themed = new MutationObserver(() => this.#recolour());

  /**
   * @param {Desk} desk
   * @param {Running} running
   */
  constructor(desk, running) {
    this.#desk = desk;
    this.#running = running;
    const { match, title, room } = running;
    const names = running.players.map(({ name }) => name).join(", ");
    this.#canvas.setAttribute("aria-label", `Board of ${names}`);
    this.#hold.addEventListener("click", () => {
      desk.command({ do: this.#running.paused ? "resume" : "pause", match });
    });
    this.element = el(
      "article",
      { class: "card running", dataset: { match } },
      el(
        "div",
        { class: "row" },
        el("h3", null, title),
        room !== null && el("span", { class: "muted name" }, `room ${room}`),
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
            el("a", { class: "button small primary", href: addressOf(match) }, "Watch"),
            desk.operator && this.#hold,
            desk.operator &&
              sureButton(
                "Cancel",
                { title: `Cancel the match of ${names}`, sure: "End this match?" },
                () => desk.command({ do: "cancel", match }),
              ),
          ),
        ),
      ),
    );
    this.#seen.observe(this.element);
    this.#sized.observe(this.#box);
    this.#themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  /** @param {Running} running */
  update(running) {
    this.#running = running;
    this.#paused.hidden = !running.paused;
    this.#hold.textContent = running.paused ? "Resume" : "Pause";
    this.#showSeats();
  }

  close() {
    this.#seen.disconnect();
    this.#sized.disconnect();
    this.#themed.disconnect();
    this.#stop();
  }

  /** Names and scores, with a bar for the score in relation to the best one. */
  #showSeats() {
    const scores = this.#scores;
    const best = Math.max(0, ...(scores ?? []));
    const ahead = scores?.filter((score) => score === best).length ?? 0;
    const rows = this.#running.players.map(({ name }, seat) => {
      const score = scores?.[seat] ?? null;
      const share = score === null || best === 0 ? 0 : Math.max(0, score / best);
      return { seat, name, score, share, leads: ahead === 1 && score === best };
    });
    list(
      this.#seats,
      rows,
      ({ seat }) => seat,
      ({ seat, name, score, share, leads }) =>
        el(
          "li",
          { class: leads ? "winner" : null },
          seatMark(seat),
          el("span", { class: "name" }, name),
          leads && el("span", { class: "unseen" }, "leads"),
          el("span", { class: "score" }, score === null ? "" : score.toLocaleString()),
          el("span", { class: "bar", style: { "--share": share.toFixed(3) } }),
        ),
    );
  }

  async #open() {
    if (this.#film !== null) {
      return;
    }
    const turn = (this.#turn += 1);
    try {
      const film = await Film.fromLink(this.#desk.link, this.#running.match, {
        keep: "newest",
      });
      if (turn !== this.#turn) {
        film.stop();
        return;
      }
      this.#film = film;
      if (this.#board === null) {
        this.#board = new Board(this.#canvas, film.head, { small: true });
        this.#board.setTheme(theme());
        this.#fit();
      }
      film.addEventListener("change", () => this.#soon());
      film.addEventListener("trouble", (event) => {
        this.#tell(String(/** @type {CustomEvent} */ (event).detail));
      });
      film.follow();
      this.#soon();
    } catch (error) {
      if (turn === this.#turn) {
        this.#tell(error instanceof Error ? error.message : String(error));
      }
    }
  }

  #stop() {
    this.#turn += 1;
    this.#film?.stop();
    this.#film = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** @param {string} words */
  #tell(words) {
    this.#trouble.textContent = `No picture: ${words}`;
    this.#trouble.hidden = false;
  }

  /** Draw the newest loaded position, at the earliest `REDRAW` after the last drawing. */
  #soon() {
    if (this.#timer === undefined) {
      const wait = Math.max(0, this.#drawn + REDRAW - performance.now());
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#draw();
      }, wait);
    }
  }

  #draw() {
    const film = this.#film;
    if (film === null || this.#board === null) {
      return;
    }
    // A match may grow faster than its frames are loaded.
    const position = film.at(film.count - 1) ?? film.at(film.newest);
    if (position === null) {
      return;
    }
    this.#drawn = performance.now();
    this.#trouble.hidden = true;
    this.#board.draw(position, { previous: null, t: 1, followed: null, hover: null });
    const { rounds } = film.head;
    this.#round.textContent = `round ${position.turn}${rounds === null ? "" : ` of ${rounds}`}`;
    this.#scores = position.scores;
    this.#showSeats();
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
