"""Finding out who makes a request, by the tokens in its `Authorization` header (docs/api.md).

Finding that out may have to wait: how often tokens can be tried is limited. Whoever waits gives
way when the connection is needed for others, so that guessers don't take all of them.
"""

import base64
from collections.abc import Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING

import attrs

from lanista.page.answers import RefusedError, bad_request, crowded, forbidden, unavailable
from lanista.page.connections import Peer
from lanista.page.operator_token import OperatorToken
from lanista.page.view import View, Visitor
from lanista_protocol import ErrorCode, RemoteProtocolError, parse_hello

if TYPE_CHECKING:
    from lanista.arena.names import LadderName


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
        raise crowded()

    async def visitor(self, peer: Peer, headers: Sequence[str]) -> Visitor:
        """Return what the `Authorization` headers of a request allow.

        Raises:
            RefusedError: There are several, or it is neither the operator's token nor that of a
                name, or the connection has given way meanwhile.
        """
        visitor = Visitor(operator=not self.operator.is_needed)
        if not headers:
            return visitor
        if len(headers) > 1:
            raise bad_request("a request has at most one Authorization header")
        scheme, _, credentials = headers[0].partition(" ")
        if scheme.lower() == "bearer" and credentials.isascii():
            if not await self.is_operators(peer, credentials):
                raise forbidden("this isn't the operator's token")
            return Visitor(operator=True)
        name, _, token = _decoded(credentials).partition(":")
        if scheme.lower() != "basic" or not token:
            raise bad_request(
                "Authorization is neither Basic, of NAME:TOKEN, nor Bearer and a token"
            )
        names = None if self.view.arena is None else self.view.arena.names
        if names is None:
            raise forbidden("there are no ladders here")
        try:
            with peer.may_give_way():
                proved = await names.prove(name, token, peer.address)
                return attrs.evolve(visitor, names={proved.name: proved.registered})
        except RemoteProtocolError as error:
            if error.code is ErrorCode.INTERNAL:
                raise unavailable(error.message) from None
            raise forbidden(error.message) from None
        raise crowded()

    async def author(self, peer: Peer, headers: Sequence[str]) -> "LadderName":
        """Return the name whose token a request shows; a new name is registered if that is allowed.

        Raises:
            RefusedError: There is no name or not its token, or the connection has given way
                meanwhile.
        """
        scheme, _, credentials = headers[0].partition(" ") if len(headers) == 1 else ("", "", "")
        name, _, token = _decoded(credentials).partition(":")
        if scheme.lower() != "basic" or not name or not token:
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED,
                "send the bot's name and its token as Basic authorization (curl -u NAME:TOKEN)",
            )
        names = None if self.view.arena is None else self.view.arena.names
        if names is None:
            raise forbidden("there are no ladders here")
        if " " in token:  # what follows would be read as another option
            raise bad_request("a token has no spaces; it is 1 to 128 of A-Z a-z 0-9 . _ = -")
        try:
            hello = parse_hello(f"{name} token={token}")
            with peer.may_give_way():
                return await names.check(hello, peer.address)
        except RemoteProtocolError as error:
            if error.code in {ErrorCode.INTERNAL, ErrorCode.SERVER_FULL}:
                raise unavailable(error.message) from None
            raise forbidden(error.message) from None
        raise crowded()

    async def check_operator(self, peer: Peer, headers: Sequence[str]) -> None:
        """Refuse a request that isn't the operator's.

        Raises:
            RefusedError: It isn't.
        """
        if not (await self.visitor(peer, headers)).operator:
            raise forbidden(
                "this is for the operator: send its token, as Authorization: Bearer TOKEN"
            )


def _decoded(text: str) -> str:
    """Return the text that is encoded in Base64; nothing if it isn't."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        return ""
