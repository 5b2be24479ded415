/**
 * The view of one match, live or replayed: the board, the players, the controls, and details of the
 * shown round.
 *
 * The frame is board_view.js; headline.js, panels.js and dock.js make what stands with the board.
 *
 * @module
 */

import { BoardView, prefersStillness } from "./board_view.js";
import { matchControls } from "./controls.js";
import { dock } from "./dock.js";
import { el } from "./dom.js";
import { faultRound, Headline } from "./headline.js";
import { OrdersPanel } from "./person.js";
import { eventsPanel, seatsPanel, unitPanel } from "./panels.js";

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./help.js").Action} Action */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */
/** @typedef {import("./player.js").Player} Player */

/** Maximum height of the board on a narrow page, as a share of the window's height. */
const MAX_BOARD_SHARE = 0.62;
/** Height in CSS px up to which a page is low, as in match.css, and the board has all of it but this. */
const LOW = 560;
const HEADLINE = 48;
/** What keys do in a match of the user's own. @type {import("./board_view.js").Kind["keys"]} */
const KEYS_BY_HAND = {
  board:
    "to the board: there the arrow keys point at cells, and Enter chooses units and where they go; " +
    "Tab leads on to your orders; elsewhere Enter ends the round",
  unfollow: "take back the choice, then all orders",
};

/**
 * @typedef {import("./board_view.js").Options & {fault: number | null, embedded: boolean,
 *   operator: boolean, seat?: import("./person.js").Seat | null,
 *   running: () => {paused: boolean} | null}} Options
 *
 * Without a `round` it begins live, or replays from the start, which plays at once unless the user
 * prefers reduced motion or `embedded` is set. `fault`: the seat at whose fault it begins instead;
 * null: none. `embedded`: the frames are part of the page itself;
 * `operator`: the match may be paused and cancelled from here; `seat`: the user's own in it; `running` returns the state of the
 * running match, null: it isn't running.
 */

/** The view of one match. */
export class MatchView extends BoardView {
  #frames;
  #options;
  #byScore;
  /** @type {import("./decode.js").End | null} */
  #end = null;
  #headline;
  #seats;
  #events;
  #unit;
  #dock;
  #controls;
  #orders;
  /** What the headline's facts show. */
  #facts = "";

  /**
   * Show a match; stopping `frames` is up to the caller.
   *
   * @param {HTMLElement} root is filled
   * @param {MatchFrames} frames
   * @param {Options} options
   */
  constructor(root, frames, options) {
    super([frames], options, {
      names: ["Board"],
      own: options.seat?.seat,
      goal: {
        label: "Decided",
        title: "To where it was decided: the largest gain in the winner's lead (D)",
      },
      keys: options.seat ? KEYS_BY_HAND : {},
      needed: { width: 21, height: 14 },
    });
    const { head, pointed, word } = this;
    const { link, seat = null } = options;
    this.#frames = frames;
    this.#options = options;
    this.#byScore = head.players.length > 2;
    this.area.classList.toggle("few", head.players.length <= 2);
    this.#seats = seatsPanel(head);
    this.#seats.order(this.#byScore);
    this.#events = eventsPanel(head, pointed);
    this.#unit = unitPanel(head, () => this.follow(null));
    this.#dock = dock(frames, {
      pointed,
      seek: (round) => this.seek(round),
      last: () => (this.spoils ? frames.count - 1 : (this.player?.round ?? 0)),
      result: () => frames.end?.result ?? null,
      story: () => frames.end?.story ?? null,
      isStored: () => this.#isStored(),
      play: (round) => {
        this.seek(round);
        this.player?.play();
      },
      told: () => this.#tellsEnd(),
      changed: () => this.refresh(),
    });
    this.#controls =
      link !== null && options.operator && seat === null
        ? matchControls(
            {
              ask: (what) => link.ask({ do: what, match: head.match }),
              // The lobby may not have told yet that it is over.
              running: () => (this.#end === null ? options.running() : null),
              trouble: (message) => this.showTrouble(message),
            },
            word,
          )
        : null;
    this.#orders =
      seat &&
      new OrdersPanel(head, seat, {
        changed: () => this.redraw(),
        live: () => this.act("live"),
        signal: this.ended.signal,
      });
    this.#headline = new Headline(head, {
      controls: this.#controls?.element,
      showOutput: (seat) => this.#dock.choose("output", seat),
      seek: (round, seat) => this.#dock.lookAt(round, seat),
    });
    link?.addEventListener(
      "lobby",
      () => {
        this.#controls?.show();
        // All viewers see whether the match is paused.
        this.redraw();
      },
      { signal: this.ended.signal },
    );
    this.begin(root, {
      head: this.#headline.element,
      boards: this.stages[0].element,
      evidence: [
        ...(this.#orders === null ? [] : [this.#orders.element]),
        this.#seats.element,
        el(
          "section",
          { class: "happened" },
          this.#unit.element,
          this.drawings[0].element,
          el("h2", null, "What happened"),
          this.#events.element,
        ),
        this.#dock.element,
      ],
    });
  }

  /** @override */
  close() {
    super.close();
    this.#dock.close();
  }

  /** @override */
  narrowHeight(/** @type {number} */ controls) {
    const { innerHeight } = window;
    const left = innerHeight - controls - HEADLINE;
    // Whoever plays needs the panel of orders with the board in every turn.
    const panel = this.#orders === null ? 0 : 2 * HEADLINE + this.#orders.element.offsetHeight;
    return innerHeight <= LOW ? left : Math.min(left - panel, MAX_BOARD_SHARE * innerHeight);
  }

  /** @override */
  start() {
    const plays = !prefersStillness() && !this.#options.embedded && this.#options.fault === null;
    return { round: this.#options.round, plays, isNamed: true };
  }

  /** @override */
  changed() {
    super.changed();
    const { end, count } = this.#frames;
    if (count === 0) {
      return;
    }
    this.#dock.update();
    if (end !== null && end !== this.#end) {
      this.#end = end;
      this.#options.seat?.finish();
      this.#controls?.show();
      const trouble = end.trouble ?? end.result?.error ?? null;
      if (trouble !== null) {
        this.showTrouble(trouble);
      }
      this.#facts = "";
      this.refresh(); // the details of the round tell more at the end
      this.#beginAtFault();
    }
  }

  /** Begin at the fault of the bot that the address names, and with all of its evidence. */
  #beginAtFault() {
    const { fault } = this.#options;
    if (fault !== null) {
      this.spoils = true;
      this.#dock.chooseSeat(fault);
      this.seek(faultRound(this.#end, fault) ?? this.#frames.count - 1);
    }
  }

  /** Whether it may be told now how the match ended. */
  #tellsEnd() {
    const { player } = this;
    const isLast = player !== null && player.over && player.round === player.last;
    return this.#end !== null && (this.spoils || isLast);
  }

  /** Whether the arena has the match; a file that was opened here is nothing to link to. */
  #isStored() {
    return !this.#options.embedded && location.pathname.startsWith("/match/");
  }

  #showFacts() {
    const facts = `${this.#end !== null} ${this.#tellsEnd()}`;
    if (facts === this.#facts) {
      return;
    }
    this.#facts = facts;
    this.#headline.facts({
      end: this.#end,
      tells: this.#tellsEnd(),
      isStored: this.#isStored(),
      round: () => this.player?.round ?? 0,
    });
  }

  /** @override @param {number} round */
  seekFault(round) {
    this.#dock.lookAt(round, this.moments[0].seatAtFault(round));
  }

  /** @override @param {Player} player */
  controls(player) {
    return {
      byScore: this.#byScore,
      goal: player.over && this.spoils,
      seat: this.#dock.seat(),
    };
  }

  /** @override @param {Player} player */
  showState(player) {
    this.#headline.state(player, !player.over && this.#options.running()?.paused === true);
  }

  /** @override @param {readonly Position[]} positions @param {Player} player */
  showRound([position], player) {
    this.#showFacts();
    const isEnd = this.#end !== null && position.n === player.last;
    const last = this.#frames.frame(this.#frames.count - 1);
    // An original game's file has no result: its last position tells the end.
    const isKnown = this.head.source !== "res" || last !== null;
    const end = this.#tellsEnd() && isKnown ? this.#end : null;
    this.#headline.result(position, end, last?.scores ?? []);
    this.#seats.finish(isEnd ? this.#end : null);
    this.#orders?.show(position, player.mode === "live");
    this.#seats.show(position, position.n > 0 ? this.#frames.position(position.n - 1) : null);
    this.#unit.show(position, null);
    this.#dock.mark(position.n, this.spoils || !player.over);
  }

  /** @override @param {readonly Position[]} positions */
  showDetails([position]) {
    const before = position.n > 0 ? this.#frames.position(position.n - 1) : null;
    this.#events.show(position, before);
    this.#dock.show(position, before);
    // Some events need the previous position: repeat this when that is loaded.
    return before !== null || position.n === 0;
  }

  /** @override */
  restyle() {
    this.#dock.restyle();
  }

  /** Return the round that decided the match, if that may be told. @override */
  goal() {
    return this.#tellsEnd() ? (this.#end?.story?.decided ?? null) : null;
  }

  /** @override @param {Action} action */
  act(action) {
    if (action === "order") {
      this.#byScore = !this.#byScore;
      this.#seats.order(this.#byScore);
      this.redraw();
    } else {
      super.act(action);
    }
  }

  /** @override @param {number} at */
  pick(at) {
    if (this.#orders === null || !this.#orders.pick(this.stages[at].place)) {
      super.pick(at);
    }
  }

  /** @override @param {Position} position @param {number} at */
  drawn(position, at) {
    const orders = this.#orders?.drawings() ?? [];
    return orders.length === 0 ? super.drawn(position, at) : [...super.drawn(position, at), ...orders];
  }

  /** @override @param {number | null} unit */
  follow(unit) {
    this.#unit.follow(unit);
    super.follow(unit);
  }
}
