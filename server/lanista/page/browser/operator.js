/**
 * The operator's page (`#/operator`): running matches and waiting bots as compact tables, of which
 * many can be chosen at once; names on ladders, with their tokens and whether they are benched;
 * programs that were handed in; and connections that were refused.
 *
 * @module
 */

import { confirmButton } from "./cards.js";
import { copyButton } from "./controls.js";
import { el, fill, list, Parts } from "./dom.js";
import { addressOf, errorMessage, fetchJson, isolated, timeElement } from "./matches.js";
import { authorization } from "./owner.js";
import { LadderSubmissions } from "./submission_list.js";
import { headCell, section } from "./tables.js";
import { printable } from "./text.js";

/** @typedef {import("./link.js").Ladder} Ladder */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Lobby} Lobby */
/** @typedef {import("./link.js").Message} Message */
/** @typedef {import("./link.js").Running} Running */
/** @typedef {{name: string, registrar: string, registered: string, seen: string | null,
 *   benched: (string | null)[]}} Name a name on ladders; null stands for all ladders */
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

  /**
   * Send commands one after another, and show why the last one is refused that is.
   *
   * @param {Message[]} messages
   * @returns {Promise<Message[]>} the answers to those that aren't refused
   */
  async function command(messages) {
    trouble.hidden = true;
    const answers = [];
    for (const message of messages) {
      try {
        answers.push(await link.ask(message));
      } catch (error) {
        trouble.textContent = `The arena refused: ${errorMessage(error)}`;
        trouble.hidden = false;
      }
    }
    return answers;
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
  const names = namesSection(command, ended.signal);
  const programs = el("div", { class: "stack sections" });
  /** @type {Parts<Ladder>} */
  const submissions = new Parts(programs, ({ name }) => name, (one) => new LadderSubmissions(one));
  const refusals = refusalsSection(ended.signal);

  function show() {
    const { lobby } = link;
    if (lobby === null) {
      return;
    }
    guests.show(lobby);
    names.show(lobby);
    const taking = lobby.ladders.filter((ladder) => ladder.submissions);
    submissions.show(taking);
    programs.hidden = taking.length === 0;
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

  fill(
    root,
    el(
      "div",
      { class: "page tournament" },
      el("h1", null, "Operator"),
      trouble,
      matches.element,
      bots.element,
      guests.element,
      names.element,
      programs,
      refusals,
    ),
  );
  link.addEventListener("lobby", show);
  show();
  return {
    close() {
      ended.abort();
      submissions.close();
      link.removeEventListener("lobby", show);
    },
  };
}

/**
 * Make the section in which a house bot is started for a friendly room: one in which bots wait, or
 * one of another name.
 *
 * @param {(message: Message) => void} command
 * @param {AbortSignal} signal
 * @returns {{element: HTMLElement, show: (lobby: Lobby) => void}}
 */
function guestForm(command, signal) {
  const bots = el("select", { name: "bot" });
  const rooms = el("datalist", { id: "rooms" });
  const room = el("input", {
    name: "room",
    list: "rooms",
    required: true,
    maxlength: 64,
    pattern: "[A-Za-z0-9._\\-]+",
    title: "A to Z, a to z, digits, . _ and -",
    autocomplete: "off",
    spellcheck: "false",
  });
  const form = el(
    "form",
    { class: "filters", "aria-label": "Start a house bot" },
    el("label", null, "House bot", bots),
    el("label", null, "Room", room),
    rooms,
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
  return {
    element: section("House bots", form),
    show(lobby) {
      const waiting = lobby.rooms.filter(({ room: name, ladder }) => name !== null && !ladder);
      list(
        rooms,
        waiting.map(({ title, room: name, bots: there, seats }) => ({
          name: name ?? "",
          about: `${title}: ${there.length} of ${seats} wait`,
        })),
        ({ name, about }) => `${name} ${about}`,
        ({ name, about }) => el("option", { value: name }, about),
      );
    },
  };
}

/**
 * Make the section of the names on ladders: they can be registered, get new tokens, be benched and
 * struck.
 *
 * @param {(messages: Message[]) => Promise<Message[]>} command
 * @param {AbortSignal} signal
 * @returns {{element: HTMLElement, show: (lobby: Lobby) => void}}
 */
function namesSection(command, signal) {
  /** @type {Map<string, Name>} */
  const known = new Map();
  const ladders = el("select", { name: "ladder", "aria-label": "Ladder" });
  const state = el("p", { class: "muted", role: "status" });
  const more = el("button", { class: "button", type: "button", hidden: true }, "Show more");
  const issued = el("ul");
  const tokens = el(
    "div",
    { class: "panel stack", hidden: true },
    el("p", null, "New tokens, which are shown only now:"),
    issued,
  );
  const table = chooser(
    "Names",
    ["Name", "Registered", "By", "Last seen", "Benched"],
    [
      ["New token", (chosen) => decide("reset-name", chosen)],
      ["Bench", (chosen) => decide("bench", chosen)],
      ["Unbench", (chosen) => decide("unbench", chosen)],
      ["Strike", (chosen) => decide("strike", chosen)],
      ["Unstrike", (chosen) => decide("unstrike", chosen)],
      ["Remove", (chosen) => decide("remove-name", chosen)],
    ],
    ladders,
  );
  const name = el("input", { name: "name", required: true, maxlength: 32, autocomplete: "off" });
  const form = el(
    "form",
    { class: "filters", "aria-label": "Register a name" },
    el("label", null, "New name", name),
    el("button", { class: "button" }, "Register it"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void decide("add-name", [name.value]);
    name.value = "";
  });

  /** @param {string} what @param {string[]} chosen names */
  async function decide(what, chosen) {
    const ladder = ladders.value || null;
    const answers = await command(chosen.map((each) => ({ do: what, name: each, ladder })));
    for (const { type, name: of, token } of answers) {
      if (type === "new-token") {
        const copy = copyButton(() => token, { label: "Copy", title: `Copy the token of ${of}` });
        issued.append(el("li", { class: "row" }, printable(of), el("code", null, token), copy));
        tokens.hidden = false;
      }
    }
    known.clear();
    await load(null);
  }

  /** @param {string | null} after the last name that is shown; null: none */
  async function load(after) {
    const query = after === null ? "" : `?${new URLSearchParams({ after })}`;
    /** @type {{names: Name[], next: string | null} | null} */
    const answer = await loadList(`/api/1/names${query}`, state, signal);
    if (answer !== null) {
      for (const one of answer.names) {
        known.set(one.name, one);
      }
      table.show([...known.values()].map(nameItem));
      more.hidden = answer.next === null;
      more.onclick = () => load(answer.next);
    }
  }

  table.element.append(state, more, tokens, form);
  void load(null);
  return {
    element: table.element,
    show(lobby) {
      list(
        ladders,
        ["", ...lobby.ladders.map(({ name: ladder }) => ladder)],
        (ladder) => ladder,
        (ladder) => el("option", { value: ladder }, ladder ? `on ${ladder}` : "on all ladders"),
      );
    },
  };
}

/** @param {Name} name @returns {Item} */
function nameItem({ name, registered, registrar, seen, benched }) {
  return {
    key: name,
    label: printable(name),
    cells: [
      printable(name),
      timeElement(registered),
      registrar === "operator" ? "the operator" : "its author",
      seen === null ? "never" : timeElement(seen),
      benched.map((ladder) => ladder ?? "on all ladders").join(", "),
    ],
  };
}

/** Make the section of the connections that were refused. @param {AbortSignal} signal */
function refusalsSection(signal) {
  const body = el("tbody", null);
  const state = el("p", { class: "muted", role: "status" });
  async function load() {
    /** @type {{refusals: Refusal[]} | null} */
    const answer = await loadList("/api/1/refusals", state, signal);
    if (answer !== null) {
      const rows = answer.refusals.map(({ time, peer, code, words }) =>
        rowOf([timeElement(time), peer, code, printable(words)]),
      );
      fill(body, rows);
      state.textContent = rows.length === 0 ? "None." : "";
    }
  }
  void load();
  return section(
    "Refused connections",
    scrolled(el("tr", null, ["Time", "From", "Code", "Reason"].map(textHead)), body),
    state,
    el("p", null, el("button", { class: "button", type: "button", onclick: load }, "Look again")),
  );
}

/**
 * Load a list from the arena, with the operator's token.
 *
 * @param {string} address
 * @param {HTMLElement} state tells why it can't be loaded
 * @param {AbortSignal} signal
 * @returns {Promise<any>} null: it can't
 */
async function loadList(address, state, signal) {
  try {
    const answer = await fetchJson(address, signal, { headers: authorization([]) });
    state.textContent = "";
    return answer;
  } catch (error) {
    if (!signal.aborted) {
      state.textContent = `The list can't be loaded: ${errorMessage(error)}`;
    }
    return null;
  }
}

/** @param {(Node | string)[]} cells @returns {HTMLElement} */
function rowOf(cells) {
  return el(
    "tr",
    null,
    cells.map((cell) => el("td", null, cell)),
  );
}

/** @param {Running} running @returns {Item} */
function matchItem({ match, title, room, players, started, paused }) {
  const label = players.map(({ name }) => isolated(printable(name))).join(", ");
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
 * @param {HTMLElement | null} [choice] stands beside the buttons
 * @returns {{element: HTMLElement, show: (items: Item[]) => void}}
 */
function chooser(title, columns, actions, choice = null) {
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
    // While none is chosen, a screen reader needn't say how many come and go.
    count.textContent = chosen.size > 0 ? `${chosen.size} of ${items.length} chosen` : "";
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
    element: section(title, el("div", { class: "row" }, buttons, choice, count), table, none),
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
