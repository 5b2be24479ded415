/**
 * A match that the user plays: the seat in it (docs/api.md, `play`), and the panel that gives its
 * orders.
 *
 * What an order is depends on the game, which says how it is written (`by_hand`).
 *
 * @module
 */

import { confirmButton } from "./cards.js";
import { el, list } from "./dom.js";
import { errorMessage } from "./matches.js";
import { GroupOrders, UnitOrders } from "./orders_by_hand.js";
import { turnWord } from "./text.js";

/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./drawing_paint.js").SeatDrawing} SeatDrawing */
/** @typedef {import("./layout.js").Cell} Cell */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./ways.js").ByHand} ByHand */
/** @typedef {{game: string, name: string, bots: string[], seat: number, seed: string | null}} Wish */

/** Selector of elements that use the Enter key themselves. */
const USES_ENTER = "a, button, input:not([type=checkbox]), select, textarea, dialog, [role=application]";

/**
 * The user's seat in a match. The arena asks for an answer in each turn, and the match goes on when
 * that was sent. Event: `change`.
 */
export class Seat extends EventTarget {
  /** The turn for which an answer is awaited; null: the match goes on, or is over. @type {number | null} */
  turn;
  isOver = false;
  /** What went wrong last; empty: nothing. */
  trouble = "";
  #link;

  /**
   * Begin a match.
   *
   * @param {Link} link
   * @param {Wish} wish
   * @param {ByHand} byHand how orders are written in this game
   * @returns {Promise<Seat>} when the first answer is awaited
   * @throws {Error} with a message for the user, if the arena refuses
   */
  static async begin(link, wish, byHand) {
    const { match, turn } = await link.ask({ do: "play", ...wish });
    return new Seat(link, String(match), wish.seat, byHand, turn);
  }

  /**
   * @param {Link} link
   * @param {string} match
   * @param {number} seat
   * @param {ByHand} byHand
   * @param {number | null} turn
   */
  constructor(link, match, seat, byHand, turn) {
    super();
    this.#link = link;
    this.match = match;
    this.seat = seat;
    this.byHand = byHand;
    this.turn = turn;
    link.addEventListener("state", () => {
      if (!this.isOver && link.state === "lost") {
        this.trouble = "The connection to the arena was lost, which ended your match.";
        this.finish();
      }
    });
  }

  /** Send the answer for the turn, and wait until the next one is awaited. @param {string} line */
  async answer(line) {
    const { turn, match } = this;
    this.trouble = "";
    this.#set(null);
    try {
      const next = (await this.#link.ask({ do: "answer", match, turn, line })).turn;
      this.isOver ||= next === null;
      this.#set(this.isOver ? null : next);
    } catch (error) {
      if (!this.isOver) {
        this.trouble = `The arena refused: ${errorMessage(error)}`;
        this.#set(turn);
      }
    }
  }

  /** Leave the match, which loses it. */
  resign() {
    this.#link.ask({ do: "resign", match: this.match }).catch(() => {
      // The connection was lost, which ends the match as well.
    });
    this.finish();
  }

  /** Take note that the match is over. */
  finish() {
    this.isOver = true;
    this.#set(null);
  }

  /** @param {number | null} turn */
  #set(turn) {
    this.turn = turn;
    this.dispatchEvent(new Event("change"));
  }
}

/** The panel in which the user gives orders, while the board is clicked. */
export class OrdersPanel {
  #seat;
  #word;
  #changed;
  #live;
  #orders;
  /** The turn whose orders are given; null: none. @type {number | null} */
  #turn = null;
  /** Whether the position that is shown is that of the turn. */
  #isShown = false;
  #isLive = true;
  #state = el("p", { class: "state", role: "status" });
  #trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  #count = el("input", { type: "number", min: "1", placeholder: "all", "aria-label": "How many units" });
  #label = el("label", { class: "muted" }, "Send ", this.#count);
  #spreads = el("input", { type: "checkbox", checked: true });
  #again = el("a", { class: "button", href: "#/play" }, "Play again");
  #hint = el("p", { class: "muted", "aria-live": "polite" });
  #list = el("ul", { class: "orders", "aria-label": "Your orders" });
  #end;
  #clear;
  #resign;
  #row;

  /**
   * @param {Head} head
   * @param {Seat} seat
   * @param {{changed: () => void, live: () => void, signal: AbortSignal}} options `changed` is
   *   called when the board must be drawn again, `live` when the newest round is to be shown
   */
  constructor(head, seat, { changed, live, signal }) {
    this.#seat = seat;
    this.#word = turnWord(head);
    this.#changed = changed;
    this.#live = live;
    const Kind = seat.byHand.counts ? GroupOrders : UnitOrders;
    this.#orders = new Kind(head.scene, seat.byHand, seat.seat);
    this.#end = el(
      "button",
      { class: "button primary", type: "button", title: "Send your orders (Enter)" },
      `End ${this.#word}`,
    );
    this.#clear = el(
      "button",
      { class: "button small", type: "button", title: "Take back all orders (Esc)" },
      "Clear",
    );
    this.#end.addEventListener("click", () => this.#send());
    this.#clear.addEventListener("click", () => {
      this.#orders.selected = null;
      this.#orders.clear();
      this.#ordered();
    });
    this.#resign = confirmButton(
      "Resign",
      { title: "Leave the match, which loses it", question: "Really resign?" },
      () => seat.resign(),
    );
    const orders = this.#orders;
    this.#spreads.addEventListener("change", () => {
      if (orders instanceof UnitOrders) {
        orders.spreads = this.#spreads.checked;
      }
    });
    this.#row = el(
      "div",
      { class: "row" },
      orders instanceof UnitOrders
        ? el("label", { class: "muted" }, this.#spreads, " The others look for ground")
        : this.#label,
      this.#clear,
      el("span", { class: "spread" }),
      this.#end,
    );
    this.element = el(
      "section",
      { class: "by-hand", "aria-label": "Play" },
      this.#trouble,
      el(
        "div",
        { class: "row" },
        this.#state,
        el("span", { class: "spread" }),
        this.#again,
        this.#resign,
      ),
      this.#row,
      this.#hint,
      this.#list,
    );
    seat.addEventListener("change", () => this.#ordered(), { signal });
    document.addEventListener(
      "keydown",
      (event) => {
        const { target, key } = event;
        const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented);
        if (isPlain && target instanceof Element) {
          if (key === "Enter" && target.closest(USES_ENTER) === null && this.#isAsked) {
            this.#send();
          } else if (key === "Escape" && target.closest("dialog") === null && this.#isAsked) {
            this.#orders.clear();
            this.#ordered();
          }
        }
      },
      { signal },
    );
    this.#update();
  }

  /** Whether orders can be given now. */
  get #isAsked() {
    return this.#turn !== null && this.#turn === this.#seat.turn;
  }

  /**
   * Take note of the position that is shown.
   *
   * @param {Position} position
   * @param {boolean} isLive whether the newest one will follow by itself
   */
  show(position, isLive) {
    const { turn } = this.#seat;
    this.#isLive = isLive;
    this.#isShown = position.turn === turn;
    if (this.#isShown && this.#turn !== turn) {
      this.#turn = turn;
      this.#orders.begin(position);
    }
    this.#update();
  }

  /**
   * Give an order by a click on the board.
   *
   * @param {Cell | null} place
   * @returns {boolean} whether the click was meant for this
   */
  pick(place) {
    if (place === null || !this.#isAsked || !this.#isShown) {
      return false;
    }
    const wanted = this.#count.valueAsNumber;
    const before = this.#orders.marches.length;
    this.#orders.click(place, Number.isInteger(wanted) && wanted > 0 ? wanted : null);
    if (this.#orders.marches.length > before) {
      this.#count.value = "";
    }
    this.#ordered();
    return true;
  }

  /** Return what shows the orders on the board. @returns {readonly SeatDrawing[]} */
  drawings() {
    return this.#isAsked && this.#isShown ? this.#orders.drawings() : [];
  }

  #send() {
    if (this.#isAsked) {
      void this.#seat.answer(this.#orders.line());
      this.#live();
    }
  }

  #update() {
    const { turn, isOver, trouble } = this.#seat;
    const { marches, selected } = this.#orders;
    const word = this.#word;
    this.#trouble.textContent = trouble;
    this.#trouble.hidden = trouble === "";
    if (isOver) {
      tell(this.#state, "The match is over; this is its replay.");
    } else if (turn === null || !this.#isAsked) {
      tell(this.#state, "The others answer…");
    } else {
      tell(this.#state, `Your ${word} ${turn + 1}`);
    }
    this.#again.hidden = !isOver;
    for (const part of [this.#resign, this.#row, this.#hint, this.#list]) {
      part.hidden = isOver;
    }
    this.#count.disabled = selected === null;
    this.#end.disabled = !this.#isAsked;
    this.#clear.disabled = marches.length === 0 && selected === null;
    tell(this.#hint, this.#advice());
    list(
      this.#list,
      marches.map((march, at) => ({ ...march, at })),
      ({ at }) => at,
      ({ at }) => {
        const text = this.#orders.describe(this.#orders.marches[at], word);
        return el(
          "li",
          { class: "badge" },
          text,
          el(
            "button",
            {
              type: "button",
              "aria-label": `Take back ${text}`,
              onclick: () => {
                this.#orders.remove(this.#orders.marches[at]);
                this.#ordered();
              },
            },
            "×",
          ),
        );
      },
    );
  }

  /** Show that the orders, or what can be ordered, have changed. */
  #ordered() {
    this.#update();
    this.#changed();
  }

  /** Say what can be done next. */
  #advice() {
    const { marches, selected } = this.#orders;
    if (this.#seat.turn !== null && !this.#isShown && !this.#isLive) {
      return `To give orders, go to the newest ${this.#word} (L).`;
    }
    if (selected !== null) {
      return `Chosen: ${this.#orders.chosen()}. Click where to go, or there again for others.`;
    }
    // Whoever knows the keys by then has no room for them.
    const isFirst = this.#seat.turn === 0 && !matchMedia("(hover: none)").matches;
    const keys = isFirst ? " By keyboard: B, arrow keys and Enter; Tab leads back." : "";
    return marches.length === 0
      ? `Click units of yours, then where they are to go. Enter ends the ${this.#word}.${keys}`
      : `Enter ends the ${this.#word}. Click units again to give them another order.`;
  }
}

/**
 * Set the text of a status, which is announced each time that it is set, if it is another one.
 *
 * @param {HTMLElement} status
 * @param {string} text
 */
function tell(status, text) {
  if (status.textContent !== text) {
    status.textContent = text;
  }
}
