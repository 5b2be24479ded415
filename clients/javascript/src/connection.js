/**
 * The TCP connection to the arena. What is said over it is no matter of this module.
 */

import { Socket } from "node:net";
import { getSystemErrorMap } from "node:util";

import { ArenaError } from "./errors.js";

const CONNECT_TIMEOUT = 10_000; // ms

/**
 * A socket that reads on after a write has failed.
 *
 * Node's own throws away what it hasn't read as soon as a write fails; but when the arena puts a
 * bot out, it says why before it closes, and that may be unread when the bot's answer fails.
 */
class PatientSocket extends Socket {
  /**
   * @override
   * @param {any} chunk
   * @param {BufferEncoding} encoding
   * @param {(error?: Error | null) => void} done
   */
  _write(chunk, encoding, done) {
    super._write(chunk, encoding, () => done());
  }

  /**
   * @override
   * @param {{ chunk: any, encoding: BufferEncoding }[]} chunks
   * @param {(error?: Error | null) => void} done
   */
  _writev(chunks, done) {
    super._writev?.(chunks, () => done());
  }
}

/**
 * Connect. The socket sends small writes at once (PROTOCOL.md 1).
 *
 * @param {string} host
 * @param {number} port
 * @returns {Promise<Socket>}
 * @throws {ArenaError} `unreachable`
 */
export function open(host, port) {
  return new Promise((resolve, reject) => {
    const socket = new PatientSocket();
    socket.setNoDelay(true);
    socket.setTimeout(CONNECT_TIMEOUT, () => socket.destroy(new Error("timed out")));
    socket.on("error", (error) => {
      const words = `no arena at ${host}, port ${port}: ${reason(error)}`;
      reject(new ArenaError("unreachable", words, { cause: error })); // nothing, once resolved
    });
    socket.connect({ host, port }, () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
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
