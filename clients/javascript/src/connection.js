/**
 * The TCP connection to the arena, with TLS or without. What is said over it is no matter of this module.
 */

import { Socket } from "node:net";
import { getSystemErrorMap } from "node:util";

import { ArenaError } from "./errors.js";
import { address } from "./waiting.js";

const CONNECT_TIMEOUT = 10_000; // ms
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
 * @param {number} [keepAlive] milliseconds of silence until the system asks whether the arena's
 *   machine is still there; 0: never
 * @returns {Promise<Socket>}
 * @throws {ArenaError} `unreachable`
 */
export async function open({ host, port, tls }, keepAlive = 0) {
  const plain = await connected(host, port);
  if (keepAlive) plain.setKeepAlive(true, keepAlive);
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
      const words = `no arena at ${address(host, port)}${advice(host, error)}`;
      reject(new ArenaError("unreachable", words, { cause: error })); // nothing, once resolved
    });
    socket.connect({ host, port }, () => {
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
 * What follows "no arena at …": what to do if the arena could be on this machine, else the reason.
 * @param {string} host
 * @param {NodeJS.ErrnoException} error
 */
function advice(host, error) {
  const here = error.code === "ECONNREFUSED" && LOOPBACK.has(host);
  return here ? "; start one with `lanista serve`" : `: ${reason(error)}`;
}

/**
 * Why a connection couldn't be made, in the system's words.
 * @param {NodeJS.ErrnoException} error
 * @returns {string}
 */
function reason(error) {
  // Of a name with several addresses each has its own error.
  if (error instanceof AggregateError) return reason(error.errors[0]);
  return getSystemErrorMap().get(error.errno ?? 0)?.[1] ?? error.message;
}
