/**
 * The buttons of the match view: those that move through the match, and those that control a
 * running one. They only report what the user wants; board_view.js and the arena carry it out.
 *
 * @module
 */

import { advantage } from "./advantage.js";
import { confirmButton } from "./cards.js";
import { el } from "./dom.js";
import { slideMarks, THUMB } from "./marks.js";
import { FAULTS } from "./moments.js";
import { SPEEDS } from "./player.js";
import { capital } from "./text.js";

/** @typedef {import("./help.js").Action} Action */
/**
 * @typedef {Pick<import("./moments.js").Moments, "at" | "begun" | "fault" | "scores" | "version">}
 *   Moments
 */
/** @typedef {import("./player.js").Player} Player */

/**
 * What the transport bar shows besides the player's state.
 *
 * @typedef {object} Shown
 * @property {boolean} [byScore] whether the players are ordered by score; absent: they aren't shown
 *   in an order
 * @property {boolean} spoils whether the end is told before it is reached
 * @property {boolean} goal whether the way to the goal is offered
 * @property {Moments} moments
 * @property {number | null} seat the seat whose moments are marked; null: all
 * @property {number | null} most the number of rounds that a running match has at most; null: not
 *   known
 */

/** SVG paths of the icons on buttons, in a square of 24 by 24. */
const ICONS = {
  first: "M5 5h2v14H5z M19 5v14L8 12z",
  back: "M16 5v14L6 12z",
  play: "M7 4v16l13-8z",
  pause: "M6 5h4v14H6z M14 5h4v14h-4z",
  next: "M8 5v14l10-7z",
  end: "M17 5h2v14h-2z M5 5v14l11-7z",
  backFault: "M10 5v14L1 12z M15 4h4v10h-4z M15 16h4v4h-4z",
  nextFault: "M14 5v14l9-7z M5 4h4v10H5z M5 16h4v4H5z",
};
const SVG = "http://www.w3.org/2000/svg";

/**
 * Make the transport bar below the board: the buttons, the round, and the speed.
 *
 * @param {object} handlers
 * @param {(action: Action) => void} handlers.act is called when a button was pressed
 * @param {(round: number) => void} handlers.seek is called when the slider was moved, or a round
 *   was entered
 * @param {(speed: number) => void} handlers.speed is called with the chosen one of `SPEEDS`
 * @param {string} word the game's own word for a turn
 * @param {{label: string, title: string}} goal the round to which "decided" leads
 * @returns {{element: HTMLElement, show(player: Player, shown: Shown): void, restyle(): void,
 *   close(): void}} `restyle` adopts another theme
 */
export function transport({ act, seek, speed }, word, goal) {
  /** @param {keyof ICONS & Action} action @param {string} title */
  const step = (action, title) => button(title, () => act(action), icon(action));
  const playIcon = icon("play");
  const toggle = button("", () => act("toggle"), playIcon);
  toggle.classList.add("toggle");
  const live = button(`Stay at the newest ${word} (L)`, () => act("live"), "Live");
  live.classList.add("go-live");
  const move = button("Show movement (A)", () => act("animate"), "Movement");
  const spoilers = button(
    "Tell how it ended, and show the curves to the end (S)",
    () => act("spoilers"),
    "Spoilers",
  );
  const toGoal = button(goal.title, () => act("decided"), goal.label);
  const [backFault, nextFault] = [
    step("backFault", "To the previous fault (P)"),
    step("nextFault", "To the next fault (N)"),
  ];
  const marks = slideMarks();
  const shares = advantage(THUMB);
  const order = button("Order the players by score (O)", () => act("order"), "By score");
  const help = button("What the keys do (?)", () => act("help"), "Help");
  const slider = el("input", {
    type: "range",
    min: 0,
    max: 0,
    step: 1,
    value: 0,
    "aria-label": capital(word),
  });
  slider.addEventListener("input", () => seek(Number(slider.value)));
  const field = el("input", {
    type: "number",
    min: 0,
    step: 1,
    value: 0,
    inputmode: "numeric",
    "aria-label": `Go to ${word}`,
  });
  field.addEventListener("change", () => {
    seek(Number(field.value || slider.value)); // emptied: it stays at its round
    field.blur();
  });
  const of = el("span", { class: "of" });
  const choose = el(
    "select",
    { "aria-label": "Speed", title: "Speed (+ and −)" },
    SPEEDS.map((speed) => el("option", { value: speed }, `${FRACTIONS.get(speed) ?? speed}×`)),
  );
  choose.addEventListener("change", () => {
    speed(Number(choose.value));
    choose.blur();
  });
  const element = el(
    "div",
    { class: "transport", role: "group", "aria-label": "Replay" },
    el(
      "div",
      { class: "steps" },
      step("first", "To the start (Home)"),
      step("back", `One ${word} back (←)`),
      toggle,
      step("next", `One ${word} on (→)`),
      step("end", "To the end (End)"),
      backFault,
      nextFault,
    ),
    el("label", { class: "go-round" }, el("span", null, capital(word)), field, of),
    el("div", { class: "slide" }, shares.element, marks.element, slider),
    el("div", { class: "more" }, choose, live, spoilers, toGoal, move, order, help),
  );
  element.addEventListener("click", (event) => {
    // Otherwise the space key, which means play, would press the button that was clicked last.
    if (event.detail > 0 && event.target instanceof Element) {
      event.target.closest("button")?.blur();
    }
  });
  return {
    element,
    restyle() {
      marks.restyle();
      shares.restyle();
    },
    close() {
      marks.close();
      shares.close();
    },
    show(player, { byScore, spoils, goal: isGoalKnown, moments, seat, most }) {
      const { round, last, mode } = player;
      // The field has the last number's width all the time, so that nothing moves during play.
      updateAttribute(slider, "max", String(last));
      slider.value = String(round);
      const total = player.over || most === null ? last : most;
      const isFault = (moments.at(round, seat) & FAULTS) !== 0;
      const fault = isFault ? ", with a fault" : "";
      slider.setAttribute("aria-valuetext", `${word} ${round} of ${total}${fault}`);
      const upTo = spoils ? last : round;
      const shown = { version: moments.version, last, upTo };
      marks.show(moments, seat, shown);
      shares.show((n) => moments.scores(n), shown);
      slider.style.setProperty("--part", `${last === 0 ? 0 : (100 * round) / last}%`);
      updateAttribute(field, "max", String(last));
      if (document.activeElement !== field) {
        field.value = String(round);
      }
      field.style.width = `${Math.max(3, String(last).length) + 3}ch`;
      of.textContent = ` of ${total}${player.over || most !== null ? "" : "…"}`;
      setDisabled(backFault, moments.fault(round, -1, seat) === null);
      setDisabled(nextFault, moments.fault(round, 1, seat) === null);
      choose.value = String(player.speed);
      const moving = mode !== "paused";
      playIcon.setAttribute("d", moving ? ICONS.pause : ICONS.play);
      // The match itself has its own pause.
      const pause = player.over ? "Pause the replay (Space)" : "Pause the view (Space)";
      updateAttribute(toggle, "title", moving ? pause : "Play (Space)");
      updateAttribute(toggle, "aria-label", toggle.title);
      live.hidden = player.over;
      spoilers.hidden = !player.over;
      toGoal.hidden = !isGoalKnown;
      order.hidden = byScore === undefined;
      setPressed(spoilers, spoils);
      setPressed(live, mode === "live");
      setPressed(move, player.animated);
      setPressed(order, byScore === true);
    },
  };
}

const FRACTIONS = new Map([[0.5, "½"]]);

/**
 * Make the operator's buttons for a running match.
 *
 * @param {object} options
 * @param {(what: "pause" | "resume" | "step" | "cancel") => Promise<unknown>} options.ask sends a
 *   command; rejects with the arena's message
 * @param {() => {paused: boolean} | null} options.running returns the state of the match; null: it
 *   isn't running
 * @param {(message: string) => void} options.trouble shows a message; an empty one removes it
 * @param {string} word the game's own word for a turn
 * @returns {{element: HTMLElement, show(): void}} `show` updates the buttons from `running`
 */
export function matchControls({ ask, running, trouble }, word) {
  /** @param {"pause" | "resume" | "step" | "cancel"} what */
  const command = async (what) => {
    try {
      await ask(what);
      trouble("");
    } catch (error) {
      trouble(error instanceof Error ? error.message : String(error));
    }
  };
  /** @param {"pause" | "resume" | "step"} what @param {string} label @param {string} title */
  const commandButton = (what, label, title) =>
    el(
      "button",
      { class: "button small", type: "button", title, onclick: () => command(what) },
      label,
    );
  const pause = commandButton(
    "pause",
    "Pause match",
    `Hold the match itself after this ${word}, for everybody`,
  );
  const resume = commandButton("resume", "Resume match", "Let the match go on");
  const step = commandButton("step", `Next ${word}`, `Play one ${word} of the match, then hold it`);
  const cancel = confirmButton(
    "Cancel match",
    { title: "End the match as aborted", question: "Really end this match?" },
    () => command("cancel"),
  );
  const held = el("span", { class: "badge warn" }, "match paused");
  const element = el(
    "div",
    { class: "row", role: "group", "aria-label": "Running match" },
    held,
    // This button comes and goes. Before the others it doesn't move them.
    step,
    pause,
    resume,
    cancel,
  );
  const show = () => {
    const now = running();
    element.hidden = now === null;
    held.hidden = now?.paused !== true;
    pause.hidden = now?.paused === true;
    resume.hidden = now?.paused !== true;
    step.hidden = now?.paused !== true;
  };
  show();
  return { element, show };
}

/**
 * Make a button that copies a text to the clipboard. Where the browser doesn't allow that, as for a
 * page from another machine without TLS, it shows the text to be copied by hand.
 *
 * @param {() => string} text
 * @param {{label: string, title: string}} labels
 * @returns {HTMLElement}
 */
export function copyButton(text, { label, title }) {
  const field = el("textarea", { readonly: true, hidden: true, rows: 1, "aria-label": title });
  const button = el("button", { class: "button small", type: "button", title }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = label), 1500);
    } catch {
      field.value = text();
      field.hidden = false;
      field.select();
    }
  });
  field.addEventListener("blur", () => (field.hidden = true));
  return el("span", { class: "row" }, button, field);
}

/**
 * Make a button with a text or an icon.
 *
 * @param {string} title
 * @param {() => void} onclick
 * @param {SVGPathElement | string} content
 */
function button(title, onclick, content) {
  const drawn = typeof content !== "string";
  const inside = drawn ? svgOf(content) : content;
  const label = drawn ? title : null;
  return el(
    "button",
    { class: "button", type: "button", title, "aria-label": label, onclick },
    inside,
  );
}

/** @param {keyof ICONS} name */
function icon(name) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  return path;
}

/** @param {SVGPathElement} path */
function svgOf(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

/**
 * Set an attribute unless it already has that value: this is called for every round that is drawn.
 *
 * @param {HTMLElement} element
 * @param {string} name
 * @param {string} value
 */
function updateAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) {
    element.setAttribute(name, value);
  }
}

/**
 * Mark a button that does nothing at the moment. It keeps the focus, and can be found.
 *
 * @param {HTMLElement} element
 * @param {boolean} disabled
 */
function setDisabled(element, disabled) {
  updateAttribute(element, "aria-disabled", String(disabled));
}

/** @param {HTMLElement} element @param {boolean} pressed */
function setPressed(element, pressed) {
  updateAttribute(element, "aria-pressed", String(pressed));
}
