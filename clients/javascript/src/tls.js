/**
 * TLS over a connection to the arena, with Node's own `node:tls`. Loaded only by bots that use it.
 */

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { connect } from "node:tls";

import { ArenaError, OptionError } from "./errors.js";
import { address } from "./waiting.js";

/** @typedef {import("node:net").Socket} Socket */

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;
/** OpenSSL's words when what it reads is no TLS. */
const PLAIN_TEXT = /wrong version number|packet length too long|record layer failure/i;
/** Codes of the reasons why no issuer that is trusted vouches for a certificate. */
const UNTRUSTED = new Set([
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "INVALID_CA",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Read the certificates to trust.
 *
 * @param {string} file
 * @param {string} whose what named the file, for an error
 * @returns {string[]}
 * @throws {OptionError} the file can't be read, or has no certificate
 */
export function certificates(file, whose) {
  let text;
  try {
    text = readFileSync(file, "latin1");
  } catch (error) {
    const why = /** @type {Error} */ (error).message.replace(/^\w+: |,.*/gs, "");
    throw new OptionError(`${whose}: ${file} can't be read: ${why}`, { cause: error });
  }
  const found = text.match(CERTIFICATE) ?? [];
  try {
    for (const one of found) new X509Certificate(one);
  } catch (error) {
    throw new OptionError(`${whose}: ${file} has a damaged certificate`, { cause: error });
  }
  if (found.length === 0) throw new OptionError(`${whose}: ${file} has no certificate in PEM`);
  return found;
}

/**
 * Begin to speak TLS over a connection, and check the arena's certificate.
 *
 * @param {Socket} plain the connection
 * @param {string} host
 * @param {number} port
 * @param {string[] | undefined} ca certificates to trust instead of Node's
 * @param {number} timeout milliseconds for the handshake
 * @returns {Promise<Socket>} to read from and write to instead of `plain`
 * @throws {ArenaError} `unreachable`
 */
export function secured(plain, host, port, ca, timeout) {
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: plain,
      host, // whose certificate it must be
      servername: isIP(host) ? "" : host, // which the arena is told: a name alone may be
      ca,
      minVersion: "TLSv1.2",
      rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    });
    /** @param {Error} error */
    const fail = (error) => {
      clearTimeout(timer);
      plain.destroy();
      const words = `no TLS with ${address(host, port)}: ${reason(error, host)}`;
      reject(new ArenaError("unreachable", words, { cause: error }));
    };
    const closed = () => fail(new Error("the connection ended in the handshake"));
    const timer = setTimeout(() => fail(new Error("timed out")), timeout);
    if (plain.destroyed) closed(); // already, of which Node tells nobody here
    socket.once("error", fail).once("close", closed);
    socket.once("secureConnect", () => {
      clearTimeout(timer);
      socket.off("error", fail).off("close", closed);
      socket.on("error", () => {}); // whoever reads is told by the end
      resolve(socket);
    });
  });
}

/**
 * Why there is no TLS, in one line.
 *
 * @param {NodeJS.ErrnoException} error
 * @param {string} host
 */
function reason(error, host) {
  const code = error.code ?? "";
  if (UNTRUSTED.has(code)) {
    const [why] = error.message.split(";"); // what newer versions of Node.js add is for its own CAs
    return (
      `its certificate isn't trusted (${why}); ` +
      "to trust it, name a file with it or its issuer's in LANISTA_TLS_CA"
    );
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `its certificate is for other names than ${host}; connect by one of those`;
  }
  if (code === "CERT_HAS_EXPIRED") return "its certificate has expired";
  if (code === "CERT_NOT_YET_VALID") return "its certificate isn't valid yet by this machine's clock";
  if (code === "ECONNRESET" || code === "EPIPE") return "the connection ended in the handshake";
  if (PLAIN_TEXT.test(error.message)) {
    return "the arena there speaks plain text; connect without TLS";
  }
  return error.message.replace(/\s+/g, " ").trim();
}
