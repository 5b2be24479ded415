"""Finding out who makes a request, by the tokens in its `Authorization` header (docs/api.md).

Finding that out may have to wait: how often tokens can be tried is limited. Whoever waits gives
way when the connection is needed for others, so that guessers don't take all of them.
"""

import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus

import attrs

from lanista.arena.names import LadderName, Names
from lanista.page.answers import RefusedError, bad_request, forbidden, unavailable
from lanista.page.connections import Peer
from lanista.page.operator_token import OperatorToken
from lanista.page.view import View, Visitor
from lanista_protocol import ErrorCode, RemoteProtocolError, parse_hello


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


@attrs.frozen(eq=False)
class Authorization:
    """Finds out who makes a request."""

    operator: OperatorToken
    view: View

    async def is_operators(self, peer: Peer, token: str | None) -> bool:
        """Return whether whoever sends a token, or none, is the operator.

        Raises:
            RefusedError: The connection has given way meanwhile.
        """
        with peer.may_give_way():
            return await self.operator.is_operators(token, peer.address)

    async def visitor(self, asked: Asked) -> Visitor:
        """Return what the `Authorization` headers of a request allow.

        Raises:
            RefusedError: There are several, or it is neither the operator's token nor that of a
                name, or the connection has given way meanwhile.
        """
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
            return attrs.evolve(visitor, names={proved.name: proved.registered})

    async def author(self, asked: Asked) -> LadderName:
        """Return the name whose token a request shows; a new name is registered if that is allowed.

        Raises:
            RefusedError: There is no name or not its token, or the connection has given way
                meanwhile.
        """
        name, token = _named(asked)
        if not name or not token:
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED,
                "send the bot's name and its token as Basic authorization (curl -u NAME:TOKEN)",
            )
        with self._names(asked.peer) as names:
            if " " in token:  # what follows would be read as another option
                raise bad_request("a token has no spaces; it is 1 to 128 of A-Z a-z 0-9 . _ = -")
            hello = parse_hello(f"{name} token={token}")
            return await names.check(hello, asked.peer.address)

    @contextmanager
    def _names(self, peer: Peer) -> Iterator[Names]:
        """Yield the names on the ladders, for a block that checks a token and may give way.

        Raises:
            RefusedError: There are no ladders, or the block raises a `RemoteProtocolError`.
        """
        names = None if self.view.arena is None else self.view.arena.names
        if names is None:
            raise forbidden("there are no ladders here")
        try:
            with peer.may_give_way():
                yield names
        except RemoteProtocolError as error:
            if error.code in {ErrorCode.INTERNAL, ErrorCode.SERVER_FULL}:
                raise unavailable(error.message) from None
            raise forbidden(error.message) from None

    async def check_operator(self, asked: Asked) -> None:
        """Refuse a request that isn't the operator's.

        Raises:
            RefusedError: It isn't.
        """
        if not (await self.visitor(asked)).operator:
            raise forbidden(
                "this is for the operator: send its token, as Authorization: Bearer TOKEN"
            )


def _named(asked: Asked) -> tuple[str, str]:
    """Return the name and the token of a request's Basic authorization; empty without one."""
    header = asked.authorizations[0] if len(asked.authorizations) == 1 else ""
    scheme, _, credentials = header.partition(" ")
    try:
        text = base64.b64decode(credentials, validate=True).decode()
    except ValueError:
        text = ""
    name, _, token = text.partition(":") if scheme.lower() == "basic" else ("", "", "")
    return name, token
