"""Checks of what a bot's author gives to `Arena`, by arguments or in the environment."""

from __future__ import annotations

from lanista_client.console import OptionError

TYPE_CHECKING = False  # as in `lanista_client`: importing typing costs 15 ms
if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping
    from typing import Any

_HIGHEST_PORT = 65_535


def hello_line(name: Any, options: dict[str, int | str | None]) -> str:
    """Return the line that opens the conversation (`PROTOCOL.md 2`).

    Raises:
        OptionError: the name or an option would not survive the way.
    """
    if not name:
        raise OptionError('the bot has no name: write Arena("MyBot") or set LANISTA_NAME')
    is_text = isinstance(name, str) and name.isprintable()
    if not is_text or "=" in name or name != " ".join(name.split()) or len(name) > 32:
        raise OptionError(
            f"a name is 1 to 32 printable characters, single spaces between, no '=': not {name!r}"
        )
    words = [name]
    for option, value in options.items():
        if value is None:
            continue
        word = str(value)
        if not word.isprintable() or not word or " " in word:
            given = "" if option == "token" else f", not {word!r}"  # a token is a secret
            raise OptionError(f"{option} must be one printable word without spaces{given}")
        words.append(f"{option}={word}")
    return " ".join(words) + "\n"


def port_number(whose: str, given: int | str) -> int:
    """Return a port's number.

    Raises:
        OptionError: It is none.
    """
    # In a shell of Windows, `set LANISTA_PORT=7777 & python bot.py` sets a space as well.
    text = str(given).strip()
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= _HIGHEST_PORT):
        words = f"a port number from 1 to {_HIGHEST_PORT}, such as 7777"
        raise OptionError(f"{whose} must be {words}, not {given!r}")
    return int(text)


def tls_context(
    tls: bool | None, tls_ca: str | None, environ: Mapping[str, str]
) -> ssl.SSLContext | None:
    """Return how to speak TLS; None for plain text.

    Raises:
        OptionError: LANISTA_TLS or the file of certificates can't be used.
    """
    if not (tls or tls_ca or environ.get("LANISTA_TLS")):
        return None
    from lanista_client.tls import context_of, is_wanted  # noqa: PLC0415 - slow; few bots need it

    if is_wanted(environ) if tls is None else tls:
        file = tls_ca or environ.get("LANISTA_TLS_CA") or None
        return context_of(file, "tls_ca" if tls_ca else "LANISTA_TLS_CA")
    if tls_ca and tls is None:
        raise OptionError("tls_ca is of no use without TLS: add tls=True")
    return None
