/**
 * Keeps figures up to date that the arena computes: loads them, and again whenever a lobby message
 * says that there are new ones.
 *
 * @module
 */

import { errorMessage, fetchJson } from "./matches.js";

/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Lobby} Lobby */

/** Minimum milliseconds between two requests, as something may change several times a second. */
const REST = 2000;

/**
 * Milliseconds that the lobby has to come before figures are loaded without it, as its first message
 * would have them loaded again.
 */
const LOBBY_TIME = 1000;

/**
 * Load figures as soon as their version is known, and whenever it has changed.
 *
 * @template T
 * @param {Link} link the lobby must have been requested from it
 * @param {object} what
 * @param {string} what.address of the figures
 * @param {(lobby: Lobby) => string | undefined} what.version returns a text that is another one
 *   whenever the figures are; undefined if the lobby doesn't know them
 * @param {(figures: T) => void} what.show
 * @param {(message: string) => void} what.fail called if they can't be loaded, with the reason
 * @returns {{close(): void}}
 */
export function followFigures(link, { address, version, show, fail }) {
  const ended = new AbortController();
  const current = () => (link.lobby === null ? undefined : version(link.lobby));
  /**
   * Version of the figures that are shown, or are being loaded; null for none.
   *
   * @type {string | undefined | null}
   */
  let shown = null;
  let isLoading = false;
  let isStale = false;

  async function load() {
    isStale = true;
    if (isLoading) {
      return;
    }
    isLoading = true;
    try {
      while (isStale) {
        isStale = false;
        shown = current();
        show(await fetchJson(address, ended.signal));
        await new Promise((resolve) => setTimeout(resolve, REST));
      }
    } catch (error) {
      if (!ended.signal.aborted) {
        if (error instanceof TypeError) {
          shown = null; // no answer of the arena: the next message of the lobby tries again
        }
        fail(errorMessage(error));
      }
    } finally {
      isLoading = false;
    }
  }

  function follow() {
    if (current() !== shown) {
      void load();
    }
  }

  link.addEventListener("lobby", follow);
  const waiting = setTimeout(follow, link.lobby === null ? LOBBY_TIME : 0);
  return {
    close() {
      clearTimeout(waiting);
      ended.abort();
      link.removeEventListener("lobby", follow);
    },
  };
}
