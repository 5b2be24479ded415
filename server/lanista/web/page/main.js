/**
 * The page: its header, its routes, its connection, and the theme. It runs as it is loaded and
 * exports nothing.
 *
 * Routes are in the address's hash, so that the arena serves one document: `#/` the lobby,
 * `#/matches?game=…` the list, `#/match/ID?round=N` a match, `#/tournament/NAME` a tournament's
 * standings, `#/file` a file that was opened.
 * In a self-contained file (`globalThis.LANISTA_FILM`) there is one match and no network.
 *
 * @module
 */

import { el, fill } from "./dom.js";
import { fileButton, takeDrops } from "./drop.js";
import { Film } from "./film.js";
import { API, Link } from "./link.js";
import { lobbyView } from "./lobby.js";
import { matchView } from "./match.js";
import { addressOf, matchesView } from "./matches.js";
import { startTheme, themeButton } from "./theme.js";
import { tournamentView } from "./tournaments.js";
import { visible } from "./words.js";

/** @typedef {import("./link.js").Hello} Hello */
/** @typedef {{path: string[], query: URLSearchParams}} Route */
/** @typedef {{close(): void}} View */

const TOKEN = "lanista-token";

/** The address that the page shows. If the browser's is another, its hashchange is still to come. */
let address = location.hash;
addEventListener("hashchange", () => {
  address = location.hash;
});

startTheme();
const embedded = Reflect.get(globalThis, "LANISTA_FILM");
if (embedded === undefined) {
  arena();
} else {
  void alone(embedded);
}

/**
 * The page of a self-contained file, which has one complete match.
 *
 * @param {any} data `{head, frames, end}`, or a promise of it
 */
async function alone(data) {
  const root = el("main", { id: "view", tabindex: "-1" });
  document.body.dataset.view = "match";
  document.body.append(
    el(
      "header",
      { class: "top" },
      el("span", { class: "product" }, "Lanista"),
      el("span", { class: "spread" }),
      themeButton(),
    ),
    root,
  );
  try {
    const film = Film.fromData(await data);
    const show = () =>
      matchView(root, film, {
        link: null,
        embedded: true,
        round: roundOf(new URLSearchParams(location.hash.slice(1))),
        onround: (n) => readdress(n === null ? "#" : `#round=${n}`),
        operator: false,
        running: () => null,
      });
    entitle(titleOf(film));
    let shown = show();
    // The address has another round, by a link to the file or as it was typed.
    addEventListener("hashchange", () => {
      shown.close();
      shown = show();
    });
  } catch (error) {
    tell(root, "The match in this file can't be shown", error);
  }
}

/** The page of an arena. */
function arena() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const link = new Link(`${scheme}//${location.host}/api/1/ws`);
  const root = el("main", { id: "view", tabindex: "-1" });
  const connection = el("span", { class: "badge connection", role: "status" });
  const role = el("span", { class: "badge" });
  const opening = el("span", { class: "badge opening", role: "status", hidden: true });
  const notice = el("p", { class: "trouble", role: "alert", hidden: true });
  /** @type {[string, string, HTMLAnchorElement][]} */
  const places = [
    ["lobby", "#/", el("a", { href: "#/" }, "Lobby")],
    ["matches", "#/matches", el("a", { href: "#/matches" }, "Matches")],
  ];
  /** @type {View | null} */
  let view = null;
  /** @type {File | null} */
  let file = null;
  /** The film of `file` for the page that is about to show it. @type {Film | null} */
  let fresh = null;
  /** Counts the files that were chosen, to recognize one that is opened too late. */
  let choice = 0;
  /** @type {Hello["mode"]} */
  let mode = "serve";
  let operator = false;
  let greeted = false;
  /** Counts the views that were shown, to recognize data that arrives too late. */
  let visit = 0;

  document.body.append(
    el(
      "header",
      { class: "top" },
      el("a", { class: "product", href: "#/" }, "Lanista"),
      el("nav", { "aria-label": "Views" }, places.map(([, , link]) => link)),
      el("span", { class: "spread" }),
      opening,
      connection,
      role,
      fileButton((chosen) => void openFile(chosen)),
      themeButton(),
    ),
    notice,
    root,
  );
  takeDrops((chosen) => void openFile(chosen));
  link.addEventListener("state", showConnection);
  link.addEventListener("hello", (event) => {
    void greet(/** @type {CustomEvent<Hello>} */ (event).detail);
  });
  addEventListener("hashchange", () => {
    notice.hidden = true;
    // If the user went elsewhere, a file that is still being sent doesn't bring them back.
    choice += 1;
    opening.hidden = true;
    if (takeToken()) {
      void identify();
    }
    if (greeted) {
      route();
      root.focus({ preventScroll: true });
    }
  });
  takeToken();
  showConnection();
  entitle("Lobby");
  fill(root, el("p", { class: "page muted" }, "Connecting to the arena…"));

  function showConnection() {
    const words = { connecting: "connecting…", lost: "connection lost, trying again", open: "" };
    connection.textContent = words[link.state];
    connection.hidden = link.state === "open";
    connection.className = `badge connection ${link.state === "lost" ? "danger" : ""}`;
    document.body.dataset.link = link.state;
  }

  /** @param {Hello} hello */
  async function greet(hello) {
    mode = hello.mode;
    if (hello.api !== API) {
      complain(`This page speaks version ${API}, the arena ${hello.api}: load the page again`);
    }
    const asked = identify(hello.operator);
    if (!greeted) {
      link.ask({ do: "lobby" }).catch(() => {
        // The connection was lost again; this is repeated when it is back.
      });
    }
    await asked;
    if (!greeted) {
      greeted = true;
      if (hello.match !== null && routeOf().path.length === 0) {
        readdress(addressOf(hello.match));
      }
      route();
    }
  }

  /**
   * Find out whether this page may give commands, with the token if there is one.
   *
   * @param {boolean} [trusted] whether they are without one
   */
  async function identify(trusted = operator) {
    const token = sessionStorage.getItem(TOKEN);
    let now = trusted;
    if (token !== null && link.hello !== null) {
      try {
        now = (await link.ask({ do: "token", token })).operator === true;
      } catch (error) {
        if (link.state !== "open") {
          return;
        }
        sessionStorage.removeItem(TOKEN);
        complain(`The operator's token isn't taken: ${wordsOf(error)}`);
      }
    }
    role.textContent = now ? "operator" : "watching";
    role.className = now ? "badge accent" : "badge";
    role.title = now
      ? "The arena takes commands from this page"
      : "To start, pause or kick, open the operator's address, which the arena prints at its start";
    if (now !== operator) {
      operator = now;
      if (greeted) {
        route();
      }
    }
  }

  /** Show the view that the address names. */
  function route() {
    const { path, query } = routeOf();
    visit += 1;
    view?.close();
    view = null;
    scrollTo(0, 0);
    if (path[0] === "match" && path[1] !== undefined) {
      const id = path[1];
      enter("match", "Match");
      void showFilm(() => Film.fromLink(link, id), id, roundOf(query));
    } else if (path[0] === "file") {
      enter("match", "File");
      const chosen = file;
      const film = fresh;
      fresh = null;
      if (chosen === null) {
        fill(root, el("p", { class: "page" }, "Open the file again, or drop it here."));
      } else {
        const open = async () => film ?? Film.fromFile(link, chosen);
        void showFilm(open, null, roundOf(query));
      }
    } else if (path[0] === "matches") {
      enter("matches", "Matches");
      view = matchesView(root, query, (chosen) => {
        location.hash = chosen.size > 0 ? `#/matches?${chosen}` : "#/matches";
      });
    } else if (path[0] === "tournament" && path[1] !== undefined) {
      enter("tournament", visible(path[1]));
      view = tournamentView(root, link, path[1]);
    } else {
      enter("lobby", "Lobby");
      view = lobbyView(root, link, { operator, mode });
    }
  }

  /**
   * @param {string} name
   * @param {string} title
   */
  function enter(name, title) {
    document.body.dataset.view = name;
    entitle(title);
    for (const [place, , anchor] of places) {
      if (place === name) {
        anchor.setAttribute("aria-current", "page");
      } else {
        anchor.removeAttribute("aria-current");
      }
    }
  }

  /**
   * @param {() => Promise<Film>} open
   * @param {string | null} id of the match; null: a file
   * @param {number | null} round
   */
  async function showFilm(open, id, round) {
    const mine = visit;
    fill(root, el("p", { class: "page muted" }, "Opening the match…"));
    try {
      const film = await patiently(open, () => mine === visit);
      if (film === null || mine !== visit) {
        film?.stop();
        return;
      }
      entitle(titleOf(film));
      const shown = matchView(root, film, {
        link,
        embedded: false,
        round,
        onround: (n) => {
          const place = id === null ? "#/file" : addressOf(id);
          readdress(n === null ? place : `${place}?round=${n}`);
        },
        operator: operator && id !== null,
        running: () => {
          const running = link.lobby?.running.find(({ match }) => match === id);
          return running === undefined ? null : { paused: running.paused };
        },
      });
      view = {
        close() {
          shown.close();
          film.stop();
        },
      };
    } catch (error) {
      if (mine === visit) {
        tell(root, id === null ? "The file can't be shown" : "The match can't be shown", error);
      }
    }
  }

  /**
   * Open a film, once more if the connection was lost meanwhile.
   *
   * @param {() => Promise<Film>} open
   * @param {() => boolean} wanted
   * @returns {Promise<Film | null>} null: it is no longer wanted
   */
  async function patiently(open, wanted) {
    while (wanted()) {
      await link.opened();
      try {
        return await open();
      } catch (error) {
        if (link.state === "open") {
          throw error;
        }
      }
    }
    return null;
  }

  /**
   * Show a file, once the arena has opened it. Until then, and if it is refused, the page
   * stays as it is.
   *
   * @param {File} chosen
   */
  async function openFile(chosen) {
    const wanted = (choice += 1);
    const isWanted = () => wanted === choice;
    notice.hidden = true;
    opening.textContent = `opening ${chosen.name}`;
    opening.hidden = false;
    try {
      const film = await patiently(() => Film.fromFile(link, chosen), isWanted);
      if (film === null || !isWanted()) {
        film?.stop();
        return;
      }
      file = chosen;
      fresh = film;
      if (routeOf().path[0] === "file") {
        // Replaces the other file in the history, so that "back" leads to where files were opened.
        readdress("#/file");
        route();
      } else {
        location.hash = "#/file";
      }
    } catch (error) {
      if (isWanted()) {
        complain(`The file can't be shown: ${wordsOf(error)}`);
      }
    } finally {
      if (isWanted()) {
        opening.hidden = true;
      }
    }
  }

  /** @param {string} words */
  function complain(words) {
    notice.textContent = words;
    notice.hidden = false;
  }
}

/**
 * Take the token out of the address, so that it isn't copied with it.
 *
 * @returns {boolean} whether there was one
 */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!location.hash.startsWith("#token=") || token === null) {
    return false;
  }
  sessionStorage.setItem(TOKEN, token);
  const rest = location.hash.split("&").slice(1).join("&"); // as #token=…&/match/ID
  readdress(`#${rest || "/"}`);
  return true;
}

/** @returns {Route} of the address */
function routeOf() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

/**
 * @param {string} part of an address, possibly typed by hand
 * @returns {string}
 */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * @param {URLSearchParams} query
 * @returns {number | null}
 */
function roundOf(query) {
  const text = query.get("round") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/**
 * Change the address, without a step in the browser's history. It stays as it is if the user has
 * just gone elsewhere: else what is shown would overwrite where they want to go.
 *
 * @param {string} hash
 */
function readdress(hash) {
  if (location.hash === address) {
    history.replaceState(null, "", hash);
    address = location.hash;
  }
}

/**
 * @param {Film} film
 * @returns {string}
 */
function titleOf(film) {
  const names = film.head.players.map(({ name }) => name).join(" – ");
  return `${names} · ${film.head.title}`;
}

/** @param {string} words */
function entitle(words) {
  document.title = `${words} · Lanista`;
}

/**
 * @param {HTMLElement} root
 * @param {string} what
 * @param {unknown} error
 */
function tell(root, what, error) {
  fill(root, el("p", { class: "page trouble", role: "alert" }, `${what}: ${wordsOf(error)}`));
}

/**
 * @param {unknown} error
 * @returns {string}
 */
function wordsOf(error) {
  return error instanceof Error ? error.message : String(error);
}
