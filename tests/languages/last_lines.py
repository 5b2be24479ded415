"""The line with which a bot ends whose match can't go on: the same words in every client library.

Each way to end has what the arena says after the bot's hello, or None if there is no arena; the
variables that the bot is started with beside the usual ones; and the line, with {port} for the
arena's port.
"""

import re

from client.scripted_arena import START, WELCOME
from languages.language import CHECKOUT

PAGE = CHECKOUT / "protocol" / "PROTOCOL.md"


def error_codes():
    """The codes that an arena ends a connection with, and whether to come back: PROTOCOL.md 7."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| .* \| (yes|no) \|$", PAGE.read_text(), re.MULTILINE)
    return dict(rows)


ENDS = {
    **{
        code: (f"error {code} the arena's words\n".encode(), {}, f"{code}: the arena's words")
        for code in error_codes()
    },
    "without words": (WELCOME + b"error late\n", {}, "late"),
    "not in the protocol": (
        WELCOME + START + b"turn x\n",
        {},
        "unreadable: the client can't use 'turn x'",
    ),
    "cut before a match": (
        WELCOME,
        {},
        (
            "disconnected: the connection ended before a match; "
            "check that the arena is running, and that the port is the one for bots"
        ),
    ),
    "cut in mid-match": (
        WELCOME + START,
        {},
        (
            "disconnected: the connection ended in mid-match; "
            "check that the arena is running, and start the bot again"
        ),
    ),
    "no arena here": (
        None,
        {},
        "unreachable: no arena at 127.0.0.1:{port}; start one with `lanista serve`",
    ),
    "no arena elsewhere": (
        None,
        {"LANISTA_HOST": "127.0.0.2"},  # that it is this machine, no library knows
        (
            "unreachable: no arena at 127.0.0.2:{port}: connection refused; "
            "check the host and the port"
        ),
    ),
    "unknown host": (
        None,
        {"LANISTA_HOST": "no host"},  # no resolver asks others for a name with a space
        "unreachable: no arena at no host:{port}: unknown host; check the host and the port",
    ),
    "stdio": (
        None,
        {"LANISTA_STDIO": "1"},
        (
            "unreachable: this program connects to the arena by itself; "
            "start it without `stdio:` or `lanista connect`"
        ),
    ),
}
