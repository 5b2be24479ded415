"""Finding out who makes a request, by the tokens that it shows (docs/api.md).

Finding that out may have to wait: how often tokens can be tried is limited. Whoever waits gives
way when the connection is needed for others, so that guessers don't take all of them.
"""

import base64
import hmac
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus

import attrs
import structlog

from lanista.arena.limits import Allowance, LogLimit
from lanista.arena.names import PAGE, LadderName, Names
from lanista.errors import RefusedError
from lanista.page.answers import Answer, bad_request, forbidden, unavailable
from lanista.page.connections import Peer
from lanista.page.view import View, Visitor
from lanista_protocol import ErrorCode, Hello, RemoteProtocolError, option_fault

LONG = 16
"""Number of characters of a token that can't be guessed, provided that they are random."""
WRONG_TOKENS, WRONG_TOKEN_INTERVAL = 10, 5.0
"""How many wrong tokens of an address are answered at once, and seconds until the next one is."""
LOG_INTERVAL = 10.0
"""Minimum seconds between two log lines on wrong tokens."""

log = structlog.get_logger()


@attrs.define(eq=False)
class OperatorToken:
    """Finds out who is the operator, and limits how fast the operator's token can be guessed.

    After some wrong tokens from an address, those that come from there wait for their turn, at an
    interval, until they are told that they are wrong. The operator may be behind the same address:
    behind a proxy, all are. So a long right token, which can't be guessed at any rate, is accepted
    at once. A short one has to wait in the same queue, as every answer without waiting could be
    used for guessing. So a guesser can delay the operator, by one interval for each connection that
    waits; the arena warns of such a token.
    """

    token: str | None = attrs.field(repr=False)
    """The token; None: everybody is the operator."""
    _wrong_tokens: Allowance = attrs.field(
        factory=lambda: Allowance(WRONG_TOKENS, WRONG_TOKEN_INTERVAL), init=False
    )
    _lines: LogLimit = attrs.field(factory=lambda: LogLimit(1, LOG_INTERVAL), init=False)

    @property
    def is_needed(self) -> bool:
        """Whether commands need a token at all."""
        return self.token is not None

    async def is_operators(self, given: str | None, address: str) -> bool:
        """Return whether somebody with a token, or without one, is the operator; this may wait.

        A connection may ask for only one token at a time, as the number of connections is what
        limits how many wait. The address is that of `lanista.arena.admission.address_of`.
        """
        if self.token is None:
            return True
        if given is None:
            return False
        # A token from outside may have lone surrogates.
        is_right = hmac.compare_digest(
            given.encode("utf-8", "surrogatepass"), self.token.encode("utf-8", "surrogatepass")
        )
        if is_right and not is_short(self.token):
            return True
        async with self._wrong_tokens.turn(address):
            if not is_right:
                self._wrong_tokens.use(address)
                self._lines.log(log.warning, "wrong operator's token", host=address)
        return is_right


def is_short(token: str) -> bool:
    """Return whether a token has so few characters that it may be guessed."""
    return len(token) < LONG


@attrs.frozen
class Asked:
    """A request, as its handler gets it besides the parts of its path."""

    peer: Peer
    parameters: dict[str, str]
    authorizations: Sequence[str]
    """The values of its `Authorization` headers."""
    origin: str
    """Scheme and host by which the page was asked for."""
    length: int
    """The size of its body in bytes."""

    def large(self, body: bytes) -> Answer:
        """Return an answer in JSON that may be large, with its memory counted."""
        self.peer.hold(len(body))
        return Answer(body)


@attrs.frozen(eq=False)
class Authorization:
    """Finds out who makes a request, and refuses one whose connection has given way meanwhile."""

    operator: OperatorToken
    view: View

    async def is_operators(self, peer: Peer, token: str | None) -> bool:
        """Return whether whoever sends a token, or none, is the operator."""
        with peer.may_give_way():
            return await self.operator.is_operators(token, peer.address)

    async def visitor(self, asked: Asked) -> Visitor:
        """Return what the `Authorization` header of a request allows; refuse a wrong token."""
        visitor = Visitor(operator=not self.operator.is_needed)
        if not asked.authorizations:
            return visitor
        if len(asked.authorizations) > 1:
            raise bad_request("a request has at most one Authorization header")
        scheme, _, credentials = asked.authorizations[0].partition(" ")
        if scheme.lower() == "bearer" and credentials.isascii():
            if not await self.is_operators(asked.peer, credentials):
                raise forbidden("this isn't the operator's token")
            return Visitor(operator=True)
        name, token = _named(asked)
        if not token:
            raise bad_request(
                "Authorization is neither Basic, of NAME:TOKEN, nor Bearer and a token"
            )
        with self._names(asked.peer) as names:
            proved = await names.prove(name, token, asked.peer.address)
            return attrs.evolve(visitor, names={proved.name: proved})

    async def author(self, asked: Asked, *, registers: bool = False) -> LadderName:
        """Return the name whose token a request shows; with `registers`, it may be a new one."""
        name, token = _named(asked)
        if not name or not token:
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED,
                "send the bot's name and its token as Basic authorization (curl -u NAME:TOKEN)",
            )
        with self._names(asked.peer) as names:
            # A bot has to be able to say it, too.
            if (expected := option_fault("token", token)) is not None:
                raise bad_request(f"this can't be a token; it must be {expected}")
            hello = Hello(name=name, token=token)
            return await names.check(hello, asked.peer.address, PAGE, registers=registers)

    @contextmanager
    def _names(self, peer: Peer) -> Iterator[Names]:
        """Yield the names on the ladders to a block that checks a token, or refuse the request."""
        names = self.view.ladder_names
        try:
            with peer.may_give_way():
                yield names
        except RemoteProtocolError as error:
            if error.code in {ErrorCode.INTERNAL, ErrorCode.SERVER_FULL}:
                raise unavailable(error.message) from None
            raise forbidden(error.message) from None

    async def check_operator(self, asked: Asked) -> None:
        """Raise RefusedError if a request isn't the operator's."""
        if not (await self.visitor(asked)).operator:
            raise forbidden(
                "this is for the operator: send its token, as Authorization: Bearer TOKEN"
            )


def _named(asked: Asked) -> tuple[str, str]:
    """Return name and token of a request's Basic authorization; empty without one."""
    header = asked.authorizations[0] if len(asked.authorizations) == 1 else ""
    scheme, _, credentials = header.partition(" ")
    try:
        text = base64.b64decode(credentials, validate=True).decode()
    except ValueError:
        text = ""
    name, _, token = text.partition(":") if scheme.lower() == "basic" else ("", "", "")
    return " ".join(name.split()), token  # with single spaces, as in a hello
