/**
 * The entry point of the page: its header, its routes, its connection, and the theme.
 *
 * The arena sends it and all that it imports as `/page/script.js` (page/html.py).
 *
 * The arena serves a single document. What others may be shown by a link has a path, for which the
 * arena fills in the document's head (page/view.py): `/match/ID?round=N` is a match, or with
 * `fault=SEAT` from a seat's fault on, `/tournament/NAME` a tournament's standings, `/ladder/NAME` a
 * ladder with `/bot/BOT` for one of its bots and `/bot/BOT/against/OPPONENT` for two. All else is in
 * the hash, as those may be, too: `#/` is the lobby, `#/matches?game=…` the list of matches,
 * `#/compare?a=ID&b=ID&round=N` two matches side by side, or without `b` the choice of the second
 * one, `#/operator` the operator's page, `#/play` a match of the user's own, and `#/file` a file that
 * was opened.
 *
 * The path `/screen` is the screen of a hall (screen.js).
 *
 * A self-contained file sets `globalThis.LANISTA_MATCH`: it shows one match, or two side by side, and
 * uses no network.
 *
 * @module
 */

import { CompareView } from "./compare.js";
import { compareAddress, compareChoice } from "./compare_choice.js";
import { el, fill } from "./dom.js";
import { acceptDrops, fileButton } from "./drop.js";
import { ladderBotView, ladderPairView } from "./ladder_bots.js";
import { ladderView } from "./ladders.js";
import { keepInTab, keptInTab } from "./kept.js";
import { Link } from "./link.js";
import { lobbyView } from "./lobby.js";
import { MatchView } from "./match.js";
import { MatchFrames } from "./match_frames.js";
import { matchesView } from "./match_list.js";
import { addressOf, fetchJson, isolated, refreshTimes } from "./matches.js";
import { operatorView } from "./operator.js";
import { OPERATOR_KEY, proveKeptNames } from "./owner.js";
import { playView } from "./play.js";
import { showScreen } from "./screen.js";
import { keepScrolled, scrollBack, wasScrolled } from "./scrolling.js";
import { printable } from "./text.js";
import { startTheme, themeButton } from "./theme.js";
import { tournamentView } from "./tournaments.js";

/** @typedef {import("./difference.js").Difference} Difference */
/** @typedef {import("./link.js").Hello} Hello */
/** @typedef {{path: string[], query: URLSearchParams}} Route */
/** @typedef {{close(): void}} View */

/** The views whose addresses are paths. */
const WITH_PATHS = ["match", "ladder", "tournament"];

/** The address that the page shows. If the browser's differs, an event will follow. */
let address = location.href;

startTheme();
const embedded = Reflect.get(globalThis, "LANISTA_MATCH");
if (embedded === undefined && location.pathname === "/screen") {
  showScreen();
} else if (embedded === undefined) {
  showArena();
} else {
  void showEmbedded(embedded);
}
document.querySelector(".loading")?.remove();

/**
 * Show the page of a self-contained file, which contains one complete match, or two.
 *
 * @param {any} data `{head, frames, end}`, or `{a, b, difference}` with two of these and how they
 *   differ, or a promise of it
 */
async function showEmbedded(data) {
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
    const { a, b, difference, ...one } = await data;
    const matches = (b === undefined ? [one] : [a, b]).map((each) => MatchFrames.fromData(each));
    const show = () => {
      const options = {
        link: null,
        round: roundOf(new URLSearchParams(location.hash.slice(1))),
        onRound: (/** @type {number | null} */ n) =>
          replaceAddress(n === null ? "#" : `#round=${n}`),
      };
      const [first, second] = matches;
      return second === undefined
        ? new MatchView(root, first, {
            ...options,
            fault: null,
            embedded: true,
            operator: false,
            running: () => null,
          })
        : new CompareView(root, [first, second], difference, options);
    };
    setTitle(matches.map(titleOf).join(" / "));
    let shown = show();
    // The address names another round, after a click on a link to the file or typing.
    onAddress(() => {
      shown.close();
      shown = show();
    });
  } catch (error) {
    showError(root, "The match in this file can't be shown", error);
  }
}

/** Show the page of an arena. */
function showArena() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const link = new Link(`${scheme}//${location.host}/api/1/ws`);
  const root = el("main", { id: "view", tabindex: "-1" });
  const connection = el("span", { class: "badge connection", role: "status" });
  const role = el("span", { class: "badge" });
  const opening = el("span", { class: "badge opening", role: "status", hidden: true });
  const notice = el("p", { class: "trouble", role: "alert", hidden: true });
  /** By name of the view. @type {[string, HTMLAnchorElement][]} */
  const links = [
    ["lobby", el("a", { href: "#/" }, "Lobby")],
    ["matches", el("a", { href: "#/matches" }, "Matches")],
    ["operator", el("a", { href: "#/operator", hidden: true }, "Operator")],
  ];
  /** @type {View | null} */
  let view = null;
  /** Waits until the view is long enough to be scrolled back. @type {AbortController | null} */
  let scrolling = null;
  /** @type {File | null} */
  let file = null;
  /** The frames of `file`, until the route takes them. @type {MatchFrames | null} */
  let openedFrames = null;
  /** The user's seat in their own match, if there is or was one. @type {import("./person.js").Seat | null} */
  let seat = null;
  /** Number of files that were chosen so far, to recognize one that is opened too late. */
  let choice = 0;
  /** @type {Hello["mode"]} */
  let mode = "serve";
  /** The arena's version at first: another one has another page. @type {string | null} */
  let software = null;
  let operator = false;
  let isReady = false;
  /** Number of views that were shown so far, to recognize data that arrives too late. */
  let visit = 0;

  document.body.append(
    el(
      "header",
      { class: "top" },
      el("a", { class: "product", href: "#/" }, "Lanista"),
      el("nav", { "aria-label": "Views" }, links.map(([, anchor]) => anchor)),
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
  acceptDrops((chosen) => void openFile(chosen));
  link.addEventListener("state", showConnection);
  link.addEventListener("hello", (event) => {
    void onHello(/** @type {CustomEvent<Hello>} */ (event).detail);
  });
  addEventListener("click", followLink);
  setInterval(refreshTimes, 60_000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && link.state === "open") {
      void link.check();
    }
  });
  keepScrolled();
  onAddress(() => {
    notice.hidden = true;
    // The user went elsewhere: a file that is still being sent doesn't bring them back.
    choice += 1;
    opening.hidden = true;
    if (takeToken()) {
      void authenticate();
    }
    if (isReady) {
      route();
      root.focus({ preventScroll: true });
    }
  });
  takeToken();
  showConnection();
  setTitle("Lobby");
  fill(root, el("p", { class: "page muted" }, "Connecting to the arena…"));

  function showConnection() {
    const texts = { connecting: "connecting…", lost: "connection lost, trying again", open: "" };
    connection.textContent = texts[link.state];
    connection.hidden = link.state === "open";
    connection.className = `badge connection ${link.state === "lost" ? "danger" : ""}`;
    document.body.dataset.link = link.state;
  }

  /** @param {Hello} hello */
  async function onHello(hello) {
    mode = hello.mode;
    software ??= hello.software;
    if (hello.software !== software) {
      showNotice("The arena has another version than this page by now: load the page again");
    }
    const asked = Promise.all([authenticate(hello.operator), proveKeptNames(link)]);
    if (!isReady) {
      link.ask({ do: "lobby" }).catch(() => {
        // The connection was lost again; this is repeated when it is back.
      });
    }
    await asked;
    if (!isReady) {
      isReady = true;
      if (hello.match !== null && routeOf().path.length === 0) {
        replaceAddress(addressOf(hello.match));
      }
      route();
    }
  }

  /**
   * Find out whether the arena takes commands from this page, with the token if there is one.
   *
   * @param {boolean} [trusted] whether it takes them without a token
   */
  async function authenticate(trusted = operator) {
    const token = keptInTab(OPERATOR_KEY);
    let now = trusted;
    if (token !== null && link.hello !== null) {
      try {
        now = (await link.ask({ do: "token", token })).operator === true;
      } catch (error) {
        if (link.state !== "open") {
          return;
        }
        keepInTab(OPERATOR_KEY, null);
        showNotice(`The operator's token was refused: ${errorMessage(error)}`);
      }
    }
    role.textContent = now ? "operator" : "watching";
    role.className = now ? "badge accent" : "badge";
    role.title = now
      ? "The arena takes commands from this page"
      : "To start, pause or kick, open the operator's address, which the arena prints at its start";
    for (const [name, anchor] of links) {
      anchor.hidden = name === "operator" && !(now && mode === "serve");
    }
    if (now !== operator) {
      operator = now;
      if (isReady) {
        route();
      }
    }
  }

  /** Show the view that the address names. */
  function route() {
    if (routeOf().path[0] === "play" && seat !== null && !seat.isOver) {
      replaceAddress(addressOf(seat.match)); // one match at a time
    }
    const { path, query } = routeOf();
    const scrolled = wasScrolled();
    if (location.hash.startsWith("#/")) {
      replaceAddress(WITH_PATHS.includes(path[0]) ? location.hash.slice(1) : `/${location.hash}`);
    }
    visit += 1;
    view?.close();
    view = null;
    scrollTo(0, 0);
    scrolling?.abort();
    scrolling = scrolled > 0 ? scrollBack(root, scrolled) : null;
    if (path[0] === "match" && path[1] !== undefined) {
      const id = path[1];
      enter("match", "Match");
      void showMatch(() => MatchFrames.fromLink(link, id), id, roundOf(query), faultOf(query));
    } else if (path[0] === "compare" && query.has("a")) {
      showComparison(query);
    } else if (path[0] === "file") {
      enter("match", "File");
      const chosen = file;
      const frames = openedFrames;
      openedFrames = null;
      if (chosen === null) {
        fill(root, el("p", { class: "page" }, "Open the file again, or drop it here."));
      } else {
        const open = async () => frames ?? MatchFrames.fromFile(link, chosen);
        void showMatch(open, null, roundOf(query));
      }
    } else if (path[0] === "matches") {
      enter("matches", "Matches");
      view = matchesView(root, link, query, (chosen) => {
        go(chosen.size > 0 ? `#/matches?${chosen}` : "#/matches");
      });
    } else if (path[0] === "operator" && operator) {
      enter("operator", "Operator");
      view = operatorView(root, link);
    } else if (path[0] === "play" && operator) {
      enter("play", "Play");
      view = playView(root, link, (begun) => {
        seat = begun;
        go(addressOf(begun.match));
      });
    } else if (path[0] === "tournament" && path[1] !== undefined) {
      enter("tournament", isolated(printable(path[1])));
      view = tournamentView(root, link, path[1]);
    } else if (path[0] === "ladder" && path[1] !== undefined) {
      view = showLadder(path);
    } else {
      enter("lobby", "Lobby");
      view = lobbyView(root, link, { operator, mode });
    }
  }

  /**
   * Show a ladder, one of its bots, or two of them.
   *
   * @param {string[]} path
   * @returns {View}
   */
  function showLadder([, ladder, kind, bot, relation, opponent]) {
    const title = (/** @type {string} */ name) => isolated(printable(name));
    if (kind !== "bot" || bot === undefined) {
      enter("ladder", title(ladder));
      return ladderView(root, link, ladder);
    }
    if (relation !== "against" || opponent === undefined) {
      enter("ladder", `${title(bot)} · ${title(ladder)}`);
      return ladderBotView(root, link, ladder, bot);
    }
    enter("ladder", `${title(bot)} – ${title(opponent)} · ${title(ladder)}`);
    return ladderPairView(root, link, ladder, bot, opponent);
  }

  /**
   * Mark a view as the current one, in the title and the navigation.
   *
   * @param {string} name
   * @param {string} title
   */
  function enter(name, title) {
    document.body.dataset.view = name;
    setTitle(title);
    for (const [view, anchor] of links) {
      if (view === name) {
        anchor.setAttribute("aria-current", "page");
      } else {
        anchor.removeAttribute("aria-current");
      }
    }
  }

  /**
   * Show two matches side by side, or the choice of the second one.
   *
   * @param {URLSearchParams} query
   */
  function showComparison(query) {
    const [a, b] = [query.get("a") ?? "", query.get("b")];
    if (b === null) {
      enter("matches", "Compare");
      view = compareChoice(root, a, query.get("of"), (chosen, isOnly) => {
        const address = compareAddress(a, { b: chosen });
        go(address, isOnly); // else the way back leads to where the choice was asked for
      });
      return;
    }
    enter("match", "Compare");
    void showOpened(() => openBoth(a, b), {
      what: "The matches can't be compared",
      stop: ({ both }) => both.forEach((frames) => frames.stop()),
      show: ({ both, difference }) => {
        setTitle(both.map(titleOf).join(" / "));
        return new CompareView(root, both, difference, {
          link,
          round: roundOf(query),
          onRound: (n) => replaceAddress(compareAddress(a, { b, round: n })),
        });
      },
    });
  }

  /**
   * Open two matches, and have the arena compare them.
   *
   * @param {string} a
   * @param {string} b
   * @returns {Promise<{both: [MatchFrames, MatchFrames], difference: Difference}>}
   * @throws {Error} with a message for the user
   */
  async function openBoth(a, b) {
    if (a === b) {
      throw new Error(`match 1 and match 2 are the same match, ${printable(a)}`);
    }
    /** @type {MatchFrames[]} */
    const opened = [];
    try {
      const first = await MatchFrames.fromLink(link, a);
      opened.push(first);
      const second = await MatchFrames.fromLink(link, b);
      opened.push(second);
      /** @type {Difference} */
      const difference = await fetchJson(
        `/api/1/matches/${encodeURIComponent(a)}/difference?${new URLSearchParams({ other: b })}`,
      );
      if (!difference.is_comparable) {
        const reasons = difference.start.join("; ");
        throw new Error(`A is ${printable(a)}, B is ${printable(b)}; ${reasons}`);
      }
      return { both: [first, second], difference };
    } catch (error) {
      opened.forEach((frames) => frames.stop());
      throw error;
    }
  }

  /**
   * Open a match or a file, and show it.
   *
   * @param {() => Promise<MatchFrames>} open
   * @param {string | null} id of the match; null: a file
   * @param {number | null} round
   * @param {number | null} [fault] the seat at whose fault it begins; null: none
   */
  function showMatch(open, id, round, fault = null) {
    return showOpened(open, {
      what: id === null ? "The file can't be shown" : "The match can't be shown",
      stop: (frames) => frames.stop(),
      show: (frames) => {
        setTitle(titleOf(frames));
        return new MatchView(root, frames, {
          link,
          fault,
          embedded: false,
          round,
          onRound: (n) => {
            const place = id === null ? "/#/file" : addressOf(id);
            replaceAddress(n === null ? place : `${place}?round=${n}`);
          },
          operator: operator && id !== null,
          seat: seat?.match === id ? seat : null,
          running: () => {
            const running = link.lobby?.running.find(({ match }) => match === id);
            return running === undefined ? null : { paused: running.paused };
          },
        });
      },
    });
  }

  /**
   * Open something, and show it unless the user has gone elsewhere.
   *
   * @template T
   * @param {() => Promise<T>} open
   * @param {object} how
   * @param {string} how.what what can't be done, if it can't be opened
   * @param {(opened: T) => void} how.stop
   * @param {(opened: T) => View} how.show
   */
  async function showOpened(open, { what, stop, show }) {
    const thisVisit = visit;
    fill(root, el("p", { class: "page muted" }, "Opening the match…"));
    try {
      const opened = await link.persist(open, () => thisVisit === visit);
      if (opened === null || thisVisit !== visit) {
        if (opened !== null) {
          stop(opened);
        }
        return;
      }
      const shown = show(opened);
      view = {
        close() {
          shown.close();
          stop(opened);
        },
      };
    } catch (error) {
      if (thisVisit === visit) {
        showError(root, what, error);
      }
    }
  }

  /**
   * Show a file once the arena has opened it. Until then, or if it is refused, the page stays as it
   * is.
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
      const frames = await link.persist(() => MatchFrames.fromFile(link, chosen), isWanted);
      if (frames === null || !isWanted()) {
        frames?.stop();
        return;
      }
      file = chosen;
      openedFrames = frames;
      if (routeOf().path[0] === "file") {
        // Replace the other file in the history, so that "back" leaves the view of files.
        replaceAddress("#/file");
        route();
      } else {
        go("#/file");
      }
    } catch (error) {
      if (isWanted()) {
        showNotice(`The file can't be shown: ${errorMessage(error)}`);
      }
    } finally {
      if (isWanted()) {
        opening.hidden = true;
      }
    }
  }

  /** @param {string} message */
  function showNotice(message) {
    notice.textContent = message;
    notice.hidden = false;
  }
}

/**
 * Store the token that is in the address and remove it there, so that nobody copies it with a link.
 *
 * @returns {boolean} whether there was one
 */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!location.hash.startsWith("#token=") || token === null) {
    return false;
  }
  keepInTab(OPERATOR_KEY, token);
  const rest = location.hash.split("&").slice(1).join("&"); // the hash is #token=…&/match/ID
  replaceAddress(`#${rest || "/"}`);
  return true;
}

/** Return the route that the address names. @returns {Route} */
function routeOf() {
  const { hash, pathname, search } = location;
  const isInPath = hash === "" && pathname !== "/";
  const [path, query = ""] = isInPath
    ? [pathname, search.slice(1)]
    : hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

/**
 * Decode a part of an address (`pathPart`). One that was typed by hand may be malformed, and stays
 * as it is.
 *
 * @param {string} part
 * @returns {string}
 */
function decode(part) {
  try {
    return decodeURIComponent(part).replace(/^@(\.\.?)$/, "$1");
  } catch {
    return part;
  }
}

/**
 * Return the round that a query names.
 *
 * @param {URLSearchParams} query
 * @returns {number | null} null: it names none
 */
function roundOf(query) {
  const text = query.get("round") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/**
 * Return the seat at whose fault a replay is to begin, as a query names it.
 *
 * @param {URLSearchParams} query
 * @returns {number | null} null: it names none
 */
function faultOf(query) {
  const text = query.get("fault") ?? "";
  return /^\d$/.test(text) ? Number(text) : null;
}

/**
 * Change the address without adding to the browser's history. If the user has just gone elsewhere,
 * leave it: the old view mustn't overwrite where they want to go.
 *
 * @param {string} target
 */
function replaceAddress(target) {
  if (location.href === address) {
    history.replaceState(history.state, "", target);
    address = location.href;
  }
}

/**
 * Call a function whenever the user has gone to another address of the page.
 *
 * @param {() => void} listener
 */
function onAddress(listener) {
  for (const type of ["popstate", "hashchange"]) {
    addEventListener(type, () => {
      if (location.href !== address) {
        address = location.href;
        listener();
      }
    });
  }
}

/**
 * Go to another address of the page. That of what is shown gets no second entry in the history.
 *
 * @param {string} target
 * @param {boolean} [isInstead] whether the way back leads to where the present address came from
 */
function go(target, isInstead = false) {
  if (new URL(target, location.href).href === location.href) {
    return;
  }
  history[isInstead ? "replaceState" : "pushState"](null, "", target);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** Follow a link to a path of this page without loading it again. @param {MouseEvent} event */
function followLink(event) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const path = link?.getAttribute("href") ?? "";
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (isPlain && !event.defaultPrevented && WITH_PATHS.includes(path.split("/")[1]) && path[0] === "/") {
    event.preventDefault();
    go(path);
  }
}

/**
 * Return the page's title for a match.
 *
 * @param {MatchFrames} frames
 * @returns {string}
 */
function titleOf(frames) {
  const names = frames.head.players.map(({ name }) => isolated(name)).join(" – ");
  return `${names} · ${frames.head.title}`;
}

/** @param {string} text */
function setTitle(text) {
  document.title = `${text} · Lanista`;
}

/**
 * Show an error in place of a view.
 *
 * @param {HTMLElement} root is filled
 * @param {string} what what can't be done
 * @param {unknown} error
 */
function showError(root, what, error) {
  fill(root, el("p", { class: "page trouble", role: "alert" }, `${what}: ${errorMessage(error)}`));
}

/**
 * Return an error's message.
 *
 * @param {unknown} error
 * @returns {string}
 */
function errorMessage(error) {
  return error instanceof Error ? error.message : String(error);
}
