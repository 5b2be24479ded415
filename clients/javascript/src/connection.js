/**
 * The TCP connection to the arena, with TLS or without. What is said over it is no matter of this module.
 */

import { Socket } from "node:net";
import { getSystemErrorMap } from "node:util";

import { ArenaError } from "./errors.js";
import { address } from "./waiting.js";

const CONNECT_TIMEOUT = 10_000; // ms
// ms for each address of a name but the last. Node's 250 ms are less than a distant arena takes.
const NEXT_ADDRESS = 2000;
const ASKED_AFTER = 60_000; // ms of silence until the system asks whether the arena is still there
const LOOPBACK = new Set(["127.0.0.1", "localhost", "::1"]);

/**
 * Where the arena is, and how to get there.
 * @typedef {object} Way
 * @property {string} host
 * @property {number} port
 * @property {{ ca?: string[] } | null} [tls] speak TLS, and trust these certificates instead of Node's;
 *   null: plain text
 */

/**
 * Connect. The socket sends small writes at once (PROTOCOL.md 1).
 *
 * @param {Way} way
 * @returns {Promise<Socket>}
 * @throws {ArenaError} `unreachable`
 */
export async function open({ host, port, tls }) {
  const plain = await connected(host, port);
  // A machine that is gone says nothing: without this, a bot that waits would wait for ever.
  plain.setKeepAlive(true, ASKED_AFTER);
  if (!tls) return patient(plain);
  const { secured } = await import("./tls.js");
  return patient(await secured(plain, host, port, tls.ca, CONNECT_TIMEOUT));
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<Socket>}
 */
function connected(host, port) {
  return new Promise((resolve, reject) => {
    const socket = new Socket();
    socket.setNoDelay(true);
    socket.setTimeout(CONNECT_TIMEOUT, () => socket.destroy(new Error("timed out")));
    socket.on("error", (error) => {
      const words = noArena(host, port, error);
      reject(new ArenaError("unreachable", words, { cause: error })); // nothing, once resolved
    });
    socket.connect({ host, port, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS }, () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

/**
 * Have a socket read on after a write has failed.
 *
 * Node throws away what it hasn't read as soon as a write fails; but when the arena puts a bot out,
 * it says why before it closes, and that may be unread when the bot's answer fails.
 *
 * @param {Socket} socket
 */
function patient(socket) {
  const { _write, _writev } = socket;
  socket._write = (chunk, encoding, done) => _write.call(socket, chunk, encoding, () => done());
  if (_writev) socket._writev = (chunks, done) => _writev.call(socket, chunks, () => done());
  return socket;
}

/**
 * Why there is no connection, and what to do.
 * @param {string} host
 * @param {number} port
 * @param {NodeJS.ErrnoException} error
 */
function noArena(host, port, error) {
  const words = `no arena at ${address(host, port)}`;
  const here = error.code === "ECONNREFUSED" && LOOPBACK.has(host);
  return here
    ? `${words}; start one with \`lanista serve\``
    : `${words}: ${reason(error)}; check the host and the port`;
}

/**
 * Why a connection couldn't be made, in words that are the same in every client library.
 * @param {NodeJS.ErrnoException} error
 * @returns {string}
 */
function reason(error) {
  // Of a name with several addresses each has its own error.
  if (error instanceof AggregateError) return reason(error.errors[0]);
  if (error.syscall === "getaddrinfo") return "unknown host";
  if (error.code === "ETIMEDOUT") return "timed out";
  return getSystemErrorMap().get(error.errno ?? 0)?.[1] ?? error.message;
}
