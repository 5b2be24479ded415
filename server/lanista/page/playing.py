"""A viewer that plays a match itself: its requests `play`, `answer` and `resign` (docs/api.md)."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import attrs

from lanista.arena.person import Person, PersonsWish
from lanista.page.messages import BadMessageError, field
from lanista.page.view import View

SEED = re.compile(r"-?[0-9]{1,19}")
"""The form of a match's seed."""


@attrs.define(eq=False)
class Playing:
    """The matches that a viewer plays, one at a time."""

    _view: View
    _address: str
    """The viewer's address, as there is a limit for each."""
    _send: Callable[[Mapping[str, Any]], Awaitable[None]]
    _person: Person | None = attrs.field(default=None, init=False)
    """The viewer in the match that it plays, or has played last."""

    async def begin(self, message: Mapping[str, Any]) -> None:
        """Begin a match that the viewer plays, and answer when its first turn is asked for.

        Raises:
            BadInputError: It can't be begun.
        """
        arena = self._view.arena
        if arena is None:
            raise BadMessageError("play is for an arena; this is the page of one match")
        if self._person is not None and not self._person.is_over:
            raise BadMessageError(f"you play the match {self._person.match}; end it first")
        bots = field(message, "bots", list)
        if not all(isinstance(bot, str) for bot in bots):
            raise BadMessageError("bots are the names of house bots")
        wish = PersonsWish(
            game=field(message, "game", str),
            name=field(message, "name", str),
            bots=bots,
            seat=field(message, "seat", int),
            seed=None if message.get("seed") is None else _seed(message),
        )
        self._person = arena.people.begin(wish, self._address)
        await self._ask(self._person, message)

    async def answer(self, message: Mapping[str, Any]) -> None:
        """Send the answer for a turn, and answer when the next one is asked for.

        Raises:
            BadInputError: The viewer doesn't play that match, or the answer can't be taken.
        """
        person = self._in_match(message)
        await person.answer(field(message, "turn", int), field(message, "line", str))
        await self._ask(person, message)

    def resign(self, message: Mapping[str, Any]) -> None:
        """Leave the match's seat.

        Raises:
            BadMessageError: The viewer doesn't play that match.
        """
        self._in_match(message).leave()

    def close(self) -> None:
        """Leave the seat of whatever match is played."""
        if self._person is not None:
            self._person.leave()

    async def _ask(self, person: Person, message: Mapping[str, Any]) -> None:
        """Say for which turn the person's answer is awaited, as soon as one is."""
        turn = await person.next_turn()
        if person.match is None:
            raise BadMessageError(person.why or "the match didn't begin")
        await self._send(
            {"type": "asked", "match": person.match, "turn": turn, "id": message.get("id")}
        )

    def _in_match(self, message: Mapping[str, Any]) -> Person:
        """Return the person in the match of a request."""
        match = field(message, "match", str)
        if self._person is None or self._person.match != match:
            raise BadMessageError(f"you don't play the match {match!r}")
        return self._person


def _seed(message: Mapping[str, Any]) -> int:
    """Return a match's seed, which is text, as JavaScript's numbers have too few digits for it."""
    text = field(message, "seed", str)
    if not SEED.fullmatch(text):
        raise BadMessageError(f"seed is {text!r}; it is a whole number, as text")
    return int(text)
