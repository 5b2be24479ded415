"""The certificate and the key with which an arena speaks TLS: loading and checking them."""

import ssl
from datetime import UTC, datetime
from pathlib import Path

import attrs

_NO_CHECK_TIME = 0x200000
"""OpenSSL's X509_V_FLAG_NO_CHECK_TIME, which `ssl` has no name for."""


class CertificateError(Exception):
    """TLS isn't possible with these files; the message is one line that says why."""

    def __init__(self, key: str, message: str) -> None:
        """Remember by its key in the arena's file, `certificate` or `key`, which one is meant."""
        super().__init__(message)
        self.key = key


class _PasswordWantedError(Exception):
    """A key is encrypted."""


@attrs.frozen
class Validity:
    """The time in which a certificate is valid."""

    since: datetime
    until: datetime


def load(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return the context of a server that uses a certificate and its key.

    Raises:
        CertificateError: A file can't be read, isn't PEM, the key has a password, or isn't that of
            the certificate.
    """
    for name, path in (("certificate", certificate), ("key", key)):
        try:
            with path.open("rb") as file:
                file.read(1)
        except OSError as error:
            raise CertificateError(name, f"{path}: can't be read: {error.strerror}") from None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(certificate)
    except ssl.SSLError:
        raise CertificateError("certificate", f"{certificate}: no certificate in PEM") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    try:
        context.load_cert_chain(certificate, key, password=_refuse)
    except _PasswordWantedError:
        raise CertificateError(
            "key", f"{key}: encrypted; an arena can't ask for its password, so store it without one"
        ) from None
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise CertificateError("key", f"{key}: not the key of {certificate}") from None
        why = f" ({error.reason})" if error.reason else ""
        raise CertificateError(
            "key", f"{key}: no private key in PEM, or an unusable one{why}"
        ) from None
    return context


def _refuse() -> str:
    raise _PasswordWantedError


def validity(context: ssl.SSLContext, certificate: Path) -> Validity:
    """Return when the certificate of a context that was loaded is valid, by a handshake in memory.

    Raises:
        CertificateError: A client that trusts the certificate would refuse it, not for its time.
    """
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.load_verify_locations(certificate)
    # The certificate itself is trusted, whoever issued it, and at all times, as we look at those.
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VerifyFlags(_NO_CHECK_TIME)
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = (
        client.wrap_bio(to_client, to_server),
        context.wrap_bio(to_server, to_client, server_side=True),
    )
    waiting = list(sides)
    while waiting:
        for side in list(waiting):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLError as error:
                why = getattr(error, "verify_message", None) or error.reason
                raise CertificateError(
                    "certificate", f"{certificate}: clients would refuse it: {why}"
                ) from None
            waiting.remove(side)
    found = sides[0].getpeercert()
    assert found, "a client that verifies has the certificate"
    since, until = (
        datetime.fromtimestamp(ssl.cert_time_to_seconds(str(found[key])), UTC)
        for key in ("notBefore", "notAfter")
    )
    return Validity(since, until)
