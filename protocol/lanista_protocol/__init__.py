"""The wire protocol of Lanista, sans-I/O: lines, hello, messages, submoves, session state.

protocol/PROTOCOL.md is the normative text. This package knows no sockets, no clocks and no games,
and needs only attrs beyond the standard library.
"""

from lanista_protocol import messages
from lanista_protocol.errors import (
    ErrorCode,
    HttpRequestError,
    LocalProtocolError,
    NoteCode,
    RemoteProtocolError,
    shown,
)
from lanista_protocol.hello import VERSION, Hello, bad_hello, option_fault, parse_hello
from lanista_protocol.lines import LINE_LIMIT
from lanista_protocol.session import Session, SessionState, State
from lanista_protocol.submoves import MalformedLineError, Token, tokenize

__all__ = [
    "LINE_LIMIT",
    "VERSION",
    "ErrorCode",
    "Hello",
    "HttpRequestError",
    "LocalProtocolError",
    "MalformedLineError",
    "NoteCode",
    "RemoteProtocolError",
    "Session",
    "SessionState",
    "State",
    "Token",
    "bad_hello",
    "messages",
    "option_fault",
    "parse_hello",
    "shown",
    "tokenize",
]
