"""The wire protocol of Lanista, sans-I/O: lines, hello, messages, submoves, session state.

protocol/PROTOCOL.md is the normative text. This package knows no sockets, no clocks and no games,
and needs only attrs beyond the standard library.
"""

from lanista_protocol.errors import (
    ErrorCode,
    HttpRequestError,
    LocalProtocolError,
    NoteCode,
    RemoteProtocolError,
    shown,
)
from lanista_protocol.hello import VERSION, Hello, bad_hello, parse_hello
from lanista_protocol.lines import HELLO_LIMIT, LINE_LIMIT, LineBuffer
from lanista_protocol.messages import (
    Bye,
    Clock,
    End,
    Error,
    GameName,
    Go,
    Lag,
    Message,
    Note,
    Player,
    Rank,
    Score,
    Seat,
    Seed,
    Start,
    Turn,
    Wait,
    Welcome,
    number,
)
from lanista_protocol.session import LOG_LIMIT, TRANSITIONS, Session, SessionState, State, Step
from lanista_protocol.submoves import MalformedLineError, Token, tokenize

__all__ = [
    "HELLO_LIMIT",
    "LINE_LIMIT",
    "LOG_LIMIT",
    "TRANSITIONS",
    "VERSION",
    "Bye",
    "Clock",
    "End",
    "Error",
    "ErrorCode",
    "GameName",
    "Go",
    "Hello",
    "HttpRequestError",
    "Lag",
    "LineBuffer",
    "LocalProtocolError",
    "MalformedLineError",
    "Message",
    "Note",
    "NoteCode",
    "Player",
    "Rank",
    "RemoteProtocolError",
    "Score",
    "Seat",
    "Seed",
    "Session",
    "SessionState",
    "Start",
    "State",
    "Step",
    "Token",
    "Turn",
    "Wait",
    "Welcome",
    "bad_hello",
    "number",
    "parse_hello",
    "shown",
    "tokenize",
]
