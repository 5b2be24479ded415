/**
 * The operator's page (`#/operator`): running matches and waiting bots as compact tables, of which
 * many can be chosen at once; registered names; and connections that were refused.
 *
 * @module
 */

import { confirmButton } from "./cards.js";
import { el, fill, list } from "./dom.js";
import { addressOf, errorMessage, fetchJson, timeElement } from "./matches.js";
import { authorization } from "./owner.js";
import { headCell, section } from "./tables.js";
import { printable } from "./text.js";

/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Message} Message */
/** @typedef {import("./link.js").Running} Running */
/** @typedef {{name: string, registrar: string, registered: string, seen: string | null}} Name */
/** @typedef {{time: string, peer: string, code: string, words: string}} Refusal */
/** @typedef {{key: string, cells: (Node | string)[], label: string}} Item */

/**
 * Show the operator's page.
 *
 * @param {HTMLElement} root is filled
 * @param {Link} link the lobby must have been requested from it
 * @returns {{close(): void}}
 */
export function operatorView(root, link) {
  const ended = new AbortController();
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });

  /** Send commands one after another, and show why the first one is refused that is. @param {Message[]} messages */
  async function command(messages) {
    trouble.hidden = true;
    for (const message of messages) {
      try {
        await link.ask(message);
      } catch (error) {
        trouble.textContent = `The arena refused: ${errorMessage(error)}`;
        trouble.hidden = false;
      }
    }
  }

  const matches = chooser("Running matches", ["Game", "Room", "Players", "Started", "State"], [
    ["Pause", (chosen) => command(chosen.map((match) => ({ do: "pause", match })))],
    ["Resume", (chosen) => command(chosen.map((match) => ({ do: "resume", match })))],
    ["Cancel", (chosen) => command(chosen.map((match) => ({ do: "cancel", match })))],
  ]);
  const bots = chooser("Waiting bots", ["Game", "Room", "Bot"], [
    ["Kick", (chosen) => command(chosen.map((bot) => ({ do: "kick", bot: Number(bot) })))],
  ]);
  const guests = guestForm((message) => command([message]), ended.signal);
  const names = pagedTable("Names", ["Name", "Registered", "By", "Last seen"]);
  const refusals = pagedTable("Refused connections", ["Time", "From", "Code", "Reason"]);

  function show() {
    const { lobby } = link;
    if (lobby === null) {
      return;
    }
    // Those of tournaments are played by other processes, which take no commands.
    matches.show(lobby.running.filter(({ tournament }) => tournament === null).map(matchItem));
    bots.show(
      lobby.rooms.flatMap(({ title, room, bots: waiting }) =>
        waiting.map(({ bot, name }) => ({
          key: String(bot),
          label: printable(name),
          cells: [title, room ?? "", printable(name)],
        })),
      ),
    );
  }

  /** @param {string | null} after the last name that is shown; null: none */
  async function loadNames(after) {
    const query = after === null ? "" : `?${new URLSearchParams({ after })}`;
    /** @type {{names: Name[], next: string | null} | null} */
    const answer = await names.load(`/api/1/names${query}`, ended.signal);
    if (answer !== null) {
      names.add(
        answer.names.map(({ name, registered, registrar, seen }) => [
          printable(name),
          timeElement(registered),
          registrar === "operator" ? "the operator" : "its first hello",
          seen === null ? "never" : timeElement(seen),
        ]),
        answer.next === null ? null : () => loadNames(answer.next),
      );
    }
  }

  async function loadRefusals() {
    /** @type {{refusals: Refusal[]} | null} */
    const answer = await refusals.load("/api/1/refusals", ended.signal);
    if (answer !== null) {
      refusals.clear();
      refusals.add(
        answer.refusals.map(({ time, peer, code, words }) => [
          timeElement(time),
          peer,
          code,
          printable(words),
        ]),
        null,
      );
    }
  }

  fill(
    root,
    el(
      "div",
      { class: "page tournament" },
      el("h1", null, "Operator"),
      trouble,
      matches.element,
      bots.element,
      guests,
      names.element,
      refusals.element,
      el(
        "p",
        null,
        el("button", { class: "button", type: "button", onclick: loadRefusals }, "Look again"),
      ),
    ),
  );
  link.addEventListener("lobby", show);
  show();
  void loadNames(null);
  void loadRefusals();
  return {
    close() {
      ended.abort();
      link.removeEventListener("lobby", show);
    },
  };
}

/**
 * Make the section in which a house bot is started for a friendly room.
 *
 * @param {(message: Message) => void} command
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
function guestForm(command, signal) {
  const bots = el("select", { name: "bot" });
  const room = el("input", {
    name: "room",
    required: true,
    maxlength: 64,
    pattern: "[A-Za-z0-9._\\-]+",
    autocomplete: "off",
    spellcheck: "false",
  });
  const form = el(
    "form",
    { class: "filters", "aria-label": "Start a house bot" },
    el("label", null, "House bot", bots),
    el("label", null, "Room", room),
    el("button", { class: "button primary" }, "Start it"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [game, bot] = JSON.parse(bots.value);
    command({ do: "house", game, bot, room: room.value });
  });
  fetchJson("/api/1/bots", signal)
    .then((/** @type {{bots: {game: string, name: string}[]}} */ answer) => {
      bots.append(
        ...answer.bots.map(({ game, name }) =>
          el("option", { value: JSON.stringify([game, name]) }, `${name} (${game})`),
        ),
      );
    })
    .catch(() => {
      // The lists on this page can't be loaded either, and say why.
    });
  return section("House bots", form);
}

/** @param {Running} running @returns {Item} */
function matchItem({ match, title, room, players, started, paused }) {
  const label = players.map(({ name }) => printable(name)).join(", ");
  return {
    key: match,
    label,
    cells: [
      title,
      room ?? "",
      el("a", { href: addressOf(match) }, label),
      timeElement(started),
      paused ? "paused" : "",
    ],
  };
}

/**
 * Make a table whose rows can be chosen, with buttons for what is to be done with those.
 *
 * @param {string} title
 * @param {string[]} columns
 * @param {[label: string, act: (keys: string[]) => void][]} actions
 * @returns {{element: HTMLElement, show: (items: Item[]) => void}}
 */
function chooser(title, columns, actions) {
  /** @type {Set<string>} */
  const chosen = new Set();
  /** @type {Item[]} */
  let items = [];
  const body = el("tbody", null);
  const none = el("p", { class: "muted" }, "None.");
  const count = el("span", { class: "muted", role: "status" });
  const all = el("input", { type: "checkbox", "aria-label": `Choose all: ${title}` });
  const table = scrolled(
    el("tr", null, el("th", { scope: "col" }, all), columns.map(textHead)),
    body,
  );
  const buttons = actions.map(([label, act]) =>
    confirmButton(label, { title: `${label} the chosen ones`, question: `${label} them?` }, () => {
      act([...chosen]);
    }),
  );

  function update() {
    count.textContent = `${chosen.size} of ${items.length} chosen`;
    all.checked = items.length > 0 && chosen.size === items.length;
    for (const button of buttons) {
      button.disabled = chosen.size === 0;
    }
  }

  /** @param {string} key @param {boolean} isChosen */
  function choose(key, isChosen) {
    if (isChosen) {
      chosen.add(key);
    } else {
      chosen.delete(key);
    }
  }

  all.addEventListener("change", () => {
    for (const { key } of items) {
      choose(key, all.checked);
    }
    for (const box of body.querySelectorAll("input")) {
      box.checked = all.checked;
    }
    update();
  });
  return {
    element: section(title, el("div", { class: "row" }, buttons, count), table, none),
    show(shown) {
      items = shown;
      const there = new Set(items.map(({ key }) => key));
      for (const key of chosen) {
        if (!there.has(key)) {
          chosen.delete(key);
        }
      }
      list(
        body,
        items.map(({ key, label, cells }) => ({ key, label, cells, text: cells.map(textOf) })),
        ({ key }) => key,
        ({ key, label, cells }) => {
          const box = el("input", {
            type: "checkbox",
            "aria-label": `Choose ${label}`,
            checked: chosen.has(key),
          });
          box.addEventListener("change", () => {
            choose(key, box.checked);
            update();
          });
          return el(
            "tr",
            null,
            el("td", null, box),
            cells.map((cell) => el("td", null, cell)),
          );
        },
      );
      table.hidden = items.length === 0;
      none.hidden = items.length > 0;
      update();
    },
  };
}

/**
 * Make a table that is loaded piece by piece.
 *
 * @param {string} title
 * @param {string[]} columns
 */
function pagedTable(title, columns) {
  const body = el("tbody", null);
  const state = el("p", { class: "muted", role: "status" });
  const more = el("button", { class: "button", type: "button", hidden: true }, "Show more");
  return {
    element: section(title, scrolled(el("tr", null, columns.map(textHead)), body), state, more),
    clear: () => fill(body),
    /**
     * Load from the arena, with the operator's token.
     *
     * @param {string} address
     * @param {AbortSignal} signal
     * @returns {Promise<any>} null: it failed, which is shown
     */
    async load(address, signal) {
      try {
        const response = await fetch(address, { signal, headers: authorization([]) });
        const answer = await response.json();
        if (!response.ok) {
          throw new Error(String(answer.error));
        }
        return answer;
      } catch (error) {
        if (!signal.aborted) {
          state.textContent = `The list can't be loaded: ${errorMessage(error)}`;
        }
        return null;
      }
    },
    /**
     * Append rows.
     *
     * @param {(Node | string)[][]} rows
     * @param {(() => void) | null} next loads further rows; null: there are none
     */
    add(rows, next) {
      body.append(
        ...rows.map((cells) =>
          el(
            "tr",
            null,
            cells.map((cell) => el("td", null, cell)),
          ),
        ),
      );
      state.textContent = body.children.length === 0 ? "None." : "";
      more.hidden = next === null;
      more.onclick = next;
    },
  };
}

/** @param {string} title @returns {HTMLElement} */
function textHead(title) {
  return headCell({ title, isText: true });
}

/** @param {Node | string} cell @returns {string} */
function textOf(cell) {
  return typeof cell === "string" ? cell : (cell.textContent ?? "");
}

/**
 * Make a table that scrolls sideways if it is too wide.
 *
 * @param {HTMLElement} head
 * @param {HTMLElement} body
 */
function scrolled(head, body) {
  return el(
    "div",
    { class: "scroll", tabindex: "0" },
    el("table", null, el("thead", null, head), body),
  );
}
