/**
 * Whoever owns names on ladders: their tokens, which are kept for this tab only, and the downloads
 * that need them. The arena alone decides what a token allows.
 *
 * @module
 */

import { el } from "./dom.js";
import { keepInTab, keptInTab } from "./kept.js";
import { errorMessage } from "./matches.js";

/** @typedef {import("./link.js").Link} Link */

/** Where the tokens are kept, as JSON: by name. */
const KEY = "lanista-names";
/** Where the operator's token is kept. */
export const OPERATOR_KEY = "lanista-token";

/** Return the tokens that were kept, by name. @returns {Record<string, string>} */
function keptTokens() {
  try {
    const kept = JSON.parse(keptInTab(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

/**
 * Keep a token, or forget it.
 *
 * @param {string} name
 * @param {string | null} token null: forget it
 */
function keep(name, token) {
  const { [name]: _, ...others } = keptTokens();
  const now = token === null ? others : { ...others, [name]: token };
  keepInTab(KEY, JSON.stringify(now));
}

/** Return the names whose tokens are kept. @returns {string[]} */
export function keptNames() {
  return Object.keys(keptTokens());
}

/** Return the token that was kept for a name. @param {string} name @returns {string | undefined} */
export function keptToken(name) {
  const tokens = keptTokens();
  return Object.hasOwn(tokens, name) ? tokens[name] : undefined; // not what all objects have
}

/**
 * Show the arena the token of a name, and keep it if it is right. The link then has the event
 * `names`.
 *
 * @param {Link} link must be open
 * @param {string} name
 * @param {string} token
 * @returns {Promise<string>} the name with the capitals with which it is registered
 * @throws {Error} with the arena's message, if it is wrong
 */
export async function proveName(link, name, token) {
  const answer = await link.ask({ do: "name", name, token });
  keep(String(answer.name), token);
  link.dispatchEvent(new Event("names"));
  return String(answer.name);
}

/**
 * Show the arena all tokens that were kept, on a new connection; forget those that are wrong.
 *
 * @param {Link} link
 */
export async function proveKeptNames(link) {
  await Promise.all(
    Object.entries(keptTokens()).map(async ([name, token]) => {
      try {
        await proveName(link, name, token);
      } catch {
        if (link.state !== "lost") {
          keep(name, null);
        }
      }
    }),
  );
}

/**
 * Return the header that shows a token: that of the first of some names that is kept, or the
 * operator's.
 *
 * @param {readonly string[]} names
 * @returns {Record<string, string>}
 */
export function authorization(names) {
  const operator = keptInTab(OPERATOR_KEY);
  if (operator !== null) {
    return { Authorization: `Bearer ${operator}` };
  }
  const tokens = keptTokens();
  const name = names.find((each) => Object.hasOwn(tokens, each));
  return name === undefined ? {} : ownersAuthorization(name, tokens[name]);
}

/**
 * Return the header that shows the token of a name.
 *
 * @param {string} name
 * @param {string} token
 * @returns {Record<string, string>}
 */
export function ownersAuthorization(name, token) {
  const bytes = new TextEncoder().encode(`${name}:${token}`);
  return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

/**
 * Let the browser save a file.
 *
 * @param {Blob} content
 * @param {string} file its name
 */
export function saveFile(content, file) {
  const url = URL.createObjectURL(content);
  el("a", { href: url, download: file }).click();
  // The browser reads it after this function has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Make a button that downloads a file which the arena gives to its owners alone: a link can't show
 * a token without having it in the address.
 *
 * @param {string} label
 * @param {{address: string, file: string, title: string, names: readonly string[]}} options
 *   `names`: one of these allows it
 * @returns {HTMLElement}
 */
export function downloadButton(label, { address, file, title, names }) {
  const trouble = el("span", { class: "trouble", role: "alert", hidden: true });
  const button = el("button", { class: "button small", type: "button", title }, label);
  button.addEventListener("click", async () => {
    trouble.hidden = true;
    try {
      const response = await fetch(address, { headers: authorization(names) });
      if (!response.ok) {
        throw new Error(String((await response.json()).error));
      }
      saveFile(await response.blob(), file);
    } catch (error) {
      trouble.textContent = errorMessage(error);
      trouble.hidden = false;
    }
  });
  return el("span", { class: "row" }, button, trouble);
}

/**
 * Make the section in which a bot's owner shows its token; it is folded, and stands beside the name.
 *
 * @param {Link} link
 * @param {string} bot
 * @returns {HTMLElement}
 */
export function ownerSection(link, bot) {
  const token = el("input", {
    type: "password",
    name: "token",
    required: true,
    maxlength: 2000,
    autocomplete: "off",
    spellcheck: "false",
  });
  const state = el("p", { role: "status" });
  const summary = el("summary", { class: "button small" });
  const form = el(
    "form",
    { class: "filters", "aria-label": "Show this bot's token" },
    el("label", null, "Token", token),
    el("button", { class: "button primary" }, "Show it to the arena"),
  );
  const show = () => {
    const isProved = keptNames().includes(bot);
    form.hidden = isProved;
    summary.textContent = isProved ? "It is yours" : "Is it yours?";
    state.textContent = isProved
      ? "You have shown this bot's token: replays show what it logged, its failures have bundles " +
        "to download, and its records are whole. This tab forgets the token when it is closed."
      : "What this bot logs, and the bundles of its failures, are only for its owner: show its token.";
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await proveName(link, bot, token.value);
      token.value = "";
      show();
    } catch (error) {
      state.textContent = `The arena refused: ${errorMessage(error)}`;
    }
  });
  show();
  return el(
    "section",
    { class: "owner", "aria-label": "Owner" },
    el("details", null, summary, el("div", { class: "stack" }, state, form)),
  );
}
