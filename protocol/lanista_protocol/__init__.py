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
from lanista_protocol.lines import HELLO_LIMIT, LINE_LIMIT, LineBuffer
from lanista_protocol.messages import number
from lanista_protocol.session import LOG_LIMIT, TRANSITIONS, Session, SessionState, State, Step
from lanista_protocol.submoves import MalformedLineError, Token, tokenize

__all__ = [
    "HELLO_LIMIT",
    "LINE_LIMIT",
    "LOG_LIMIT",
    "TRANSITIONS",
    "VERSION",
    "ErrorCode",
    "Hello",
    "HttpRequestError",
    "LineBuffer",
    "LocalProtocolError",
    "MalformedLineError",
    "NoteCode",
    "RemoteProtocolError",
    "Session",
    "SessionState",
    "State",
    "Step",
    "Token",
    "bad_hello",
    "messages",
    "number",
    "option_fault",
    "parse_hello",
    "shown",
    "tokenize",
]
