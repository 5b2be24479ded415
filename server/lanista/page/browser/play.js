/**
 * The page on which the user begins a match of their own against house bots (`#/play`).
 *
 * @module
 */

import { el, fill } from "./dom.js";
import { keep, kept } from "./kept.js";
import { errorMessage, fetchJson } from "./matches.js";
import { Seat } from "./person.js";
import { seatLetter } from "./colours.js";

/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./ways.js").ByHand} ByHand */
/** @typedef {{name: string, title: string, seats: number, by_hand: ByHand | null}} Game */
/** @typedef {{game: string, name: string, about: string}} Bot */

/** The name of the choice how the user is called. */
const NAME = "name";
/** What the description of a house bot says of its command. */
const COMMAND = / \(`[^`]*`\)/;

/**
 * Show the form.
 *
 * @param {HTMLElement} root is filled
 * @param {Link} link
 * @param {(seat: Seat) => void} begun is called with the user's seat when the match has begun
 * @returns {{close(): void}}
 */
export function playView(root, link, begun) {
  const ended = new AbortController();
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const game = el("select", { name: "game" });
  const seat = el("select", { name: "seat" });
  const opponents = el("div", { class: "filters" });
  const about = el("p", { class: "muted" });
  const name = el("input", {
    name: "name",
    required: true,
    maxlength: 32,
    autocomplete: "nickname",
    value: kept(NAME) ?? "Guest",
  });
  const seed = el("input", {
    name: "seed",
    placeholder: "random",
    pattern: "-?[0-9]{1,19}",
    title: "A whole number; empty: random",
    autocomplete: "off",
  });
  const button = el("button", { class: "button primary" }, "Play");
  const form = el(
    "form",
    { class: "stack", "aria-label": "Play yourself" },
    el(
      "div",
      { class: "filters" },
      el("label", null, "Game", game),
      el("label", null, "Your name", name),
      el("label", null, "Your seat", seat),
      el("label", null, "Seed of the map", seed),
    ),
    opponents,
    about,
    el("p", null, button),
  );
  /** @type {Game[]} */
  let games = [];
  /** @type {Bot[]} */
  let bots = [];

  function showGame() {
    const { seats } = games[game.selectedIndex];
    const ofGame = bots.filter((bot) => bot.game === game.value);
    fill(
      seat,
      Array.from({ length: seats }, (_, at) => el("option", { value: at }, seatLetter(at))),
    );
    fill(
      opponents,
      Array.from({ length: seats - 1 }, (_, at) =>
        el(
          "label",
          null,
          seats > 2 ? `House bot ${at + 1}` : "House bot",
          el(
            "select",
            { name: "bot" },
            ofGame.map((bot) => el("option", { value: bot.name }, bot.name)),
          ),
        ),
      ),
    );
    showBots();
  }

  function chosenBots() {
    return [...opponents.querySelectorAll("select")].map(({ value }) => value);
  }

  function showBots() {
    const chosen = new Set(chosenBots());
    const ofGame = bots.filter((bot) => bot.game === game.value && chosen.has(bot.name));
    about.textContent = ofGame.map(({ about: text }) => text.replace(COMMAND, "")).join(" ");
  }

  /** @param {unknown} error */
  function showTrouble(error) {
    trouble.textContent = `The match can't begin: ${errorMessage(error)}`;
    trouble.hidden = false;
  }

  async function load() {
    try {
      [{ games }, { bots }] = await Promise.all([
        fetchJson("/api/1/games", ended.signal),
        fetchJson("/api/1/bots", ended.signal),
      ]);
      games = games.filter(
        ({ name: id, by_hand: byHand }) => byHand !== null && bots.some((bot) => bot.game === id),
      );
      fill(
        game,
        games.map((one) => el("option", { value: one.name }, one.title)),
      );
      showGame();
    } catch (error) {
      if (!ended.signal.aborted) {
        showTrouble(error);
      }
    }
  }

  async function play() {
    trouble.hidden = true;
    button.disabled = true;
    button.textContent = "The house bots are starting…";
    keep(NAME, name.value);
    try {
      const wish = {
        game: game.value,
        name: name.value.trim().replace(/\s+/g, " "),
        bots: chosenBots(),
        seat: Number(seat.value),
        seed: seed.value === "" ? null : seed.value,
      };
      const byHand = games[game.selectedIndex].by_hand;
      const mine = await Seat.begin(link, wish, /** @type {ByHand} */ (byHand));
      if (ended.signal.aborted) {
        mine.resign();
      } else {
        begun(mine);
      }
    } catch (error) {
      showTrouble(error);
    } finally {
      button.disabled = false;
      button.textContent = "Play";
    }
  }

  game.addEventListener("change", showGame);
  opponents.addEventListener("change", showBots);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void play();
  });
  fill(
    root,
    el(
      "div",
      { class: "page stack play" },
      el("h1", null, "Play yourself"),
      el(
        "p",
        { class: "muted" },
        "A match against house bots, by clicks on the board. Each move may take ten minutes; " +
          "closing the page loses the match.",
      ),
      trouble,
      form,
    ),
  );
  void load();
  return {
    close() {
      ended.abort();
    },
  };
}
