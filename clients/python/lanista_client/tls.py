"""TLS with an arena. Imported only by bots that use it, since importing `ssl` takes 10 ms."""

from __future__ import annotations

import ssl

from lanista_client.console import OptionError

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping

__all__ = ["TlsError", "context_of", "is_wanted", "reason", "secured"]

_HOST_MISMATCHES = {62, 63, 64}
"""OpenSSL's codes of a certificate for other names, mail addresses or IP addresses."""
_NOT_YET_VALID, _HAS_EXPIRED = 9, 10
_PLAIN_TEXT = {"WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE"}
"""OpenSSL's reasons when what it reads isn't TLS."""


class TlsError(Exception):
    """There is no TLS with a host; the message says why, in one line."""


def is_wanted(environ: Mapping[str, str]) -> bool:
    """Return whether the environment asks for TLS, by LANISTA_TLS.

    Raises:
        OptionError: It has another value than 1 and 0.
    """
    value = environ.get("LANISTA_TLS") or "0"
    if value not in {"0", "1"}:
        raise OptionError(f"LANISTA_TLS must be 1 for TLS or 0 for plain text, not {value!r}")
    return value == "1"


def context_of(file: str | None, whose: str) -> ssl.SSLContext:
    """Return a context that checks certificates and hosts' names.

    Args:
        file: The certificates to trust, in PEM; None for the system's.
        whose: What named the file, for an error.

    Raises:
        OptionError: The file can't be read, or has no certificate.
    """
    try:
        return ssl.create_default_context(cafile=file)
    except ssl.SSLError:
        raise OptionError(f"{whose}: {file} has no certificate in PEM") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise OptionError(f"{whose}: {file} can't be read: {why}") from None


def secured(plain: socket.socket, context: ssl.SSLContext, host: str) -> ssl.SSLSocket:
    """Perform the handshake with a host, check its certificate, and return the socket to use.

    Raises:
        TlsError: It failed, and `plain` is closed.
    """
    try:
        return context.wrap_socket(plain, server_hostname=host)
    except (OSError, ValueError) as error:  # ValueError: not a host's name
        plain.close()
        raise TlsError(reason(error, host)) from error


def reason(error: Exception, host: str) -> str:
    """Return why there is no TLS with a host, in one line."""
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in _HOST_MISMATCHES:
            return f"its certificate is for other names than {host}; connect by one of those"
        if error.verify_code == _HAS_EXPIRED:
            return "its certificate has expired"
        if error.verify_code == _NOT_YET_VALID:
            return "its certificate isn't valid yet by this machine's clock"
        return (
            f"its certificate isn't trusted ({error.verify_message}); "
            "to trust it, name a file with it or its issuer's in LANISTA_TLS_CA"
        )
    if isinstance(error, TimeoutError):
        return "timed out"
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError | ConnectionError):
        return "the connection ended in the handshake"
    if isinstance(error, ssl.SSLError) and error.reason in _PLAIN_TEXT:
        return "the arena there speaks plain text; connect without TLS"
    return " ".join(str(getattr(error, "strerror", None) or error).split())
