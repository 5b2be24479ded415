"""What a seat is told, in its dialect: version 1, or one that the ruleset brings.

Builds bytes and nothing else. In version 1 seats that see the same facts get the same bytes,
built once.
"""

import hashlib
from collections.abc import Sequence
from typing import Protocol

import attrs

from lanista.match.clock import Limits
from lanista.rules.base import Dialect, Game
from lanista.rules.outcome import Outcome, Termination
from lanista_protocol import (
    Bye,
    Clock,
    End,
    Error,
    ErrorCode,
    GameName,
    Go,
    Message,
    Note,
    Player,
    Rank,
    Score,
    Seat,
    Seed,
    Start,
    Turn,
)

GO = bytes(Go())


@attrs.frozen(kw_only=True)
class MatchInfo:
    """What every seat is told of a match at its start."""

    match: str
    """The match's id."""
    game: str
    """The ruleset's name."""
    players: tuple[str, ...]
    """Names by seat."""
    limits: Limits
    seed: int
    """The match's seed: told to nobody, only what is derived from it."""


def seat_seed(game: str, seed: int, seat: int) -> int:
    """A seed for a seat's own choices, 0 … 2^31-1, from which the match's can't be told."""
    text = f"lanista seat {game} {seed} {seat}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) % 2**31


class Encoder(Protocol):
    """A way of telling a match to one seat."""

    def opening(self, game: Game, seat: int, status: Sequence[float]) -> bytes:
        """All up to the first request for an answer."""
        ...

    def turn(self, game: Game, seat: int, status: Sequence[float]) -> bytes:
        """The position and the next request for an answer."""
        ...

    def note(self, note: Note) -> bytes:
        """Why something of the seat's answer didn't count."""
        ...

    def closing(
        self, game: Game, seat: int, outcome: Outcome, status: Sequence[float], *, keeps: bool
    ) -> bytes:
        """All after the last answer."""
        ...

    def error(self, code: ErrorCode, words: str) -> bytes:
        """Why the connection closes in the middle of a match."""
        ...


@attrs.define
class Version1Encoder:
    """PROTOCOL.md 3. One for all seats of a match that speak it."""

    info: MatchInfo
    _facts: bytes | None = None
    _turn: int = -1
    _built: bytes = b""

    def opening(self, game: Game, seat: int, status: Sequence[float]) -> bytes:
        """The match, its fixed facts, turn 0."""
        info = self.info
        lines: list[Message] = [Start(info.match), GameName(info.game), Seat(seat)]
        lines += [Player(number, name) for number, name in enumerate(info.players)]
        lines.append(Clock(info.limits.first, info.limits.turn))
        lines.append(Seed(seat_seed(info.game, info.seed, seat)))
        told = b"".join(map(bytes, lines)) + game.facts_at_start(seat)
        return told + self.turn(game, seat, status)

    def turn(self, game: Game, seat: int, status: Sequence[float]) -> bytes:
        """`turn N`, the facts, `go`."""
        facts = game.facts(seat, status)
        if facts is not self._facts or game.turn != self._turn:
            self._built = b"turn %d\n%b%b" % (game.turn, facts, GO)
            self._facts, self._turn = facts, game.turn
        return self._built

    def note(self, note: Note) -> bytes:
        """The note's line."""
        return bytes(note)

    def closing(
        self, game: Game, seat: int, outcome: Outcome, status: Sequence[float], *, keeps: bool
    ) -> bytes:
        """The final position if there is one, why, ranks, scores, and `bye` if we close."""
        told = b""
        if outcome.termination is Termination.FINISHED:
            told = bytes(Turn(game.turn)) + game.facts(seat, status)
        lines: list[Message] = [End(outcome.termination.value)]
        lines += [Rank(number, place) for number, place in enumerate(outcome.ranks)]
        lines += [Score(number, score) for number, score in enumerate(outcome.scores)]
        if not keeps:
            lines.append(Bye())
        return told + b"".join(map(bytes, lines))

    def error(self, code: ErrorCode, words: str) -> bytes:
        """The error's line."""
        return bytes(Error(code, words))


@attrs.frozen
class DialectEncoder:
    """A ruleset's own dialect: nothing is told but what it says (PROTOCOL.md 6)."""

    dialect: Dialect

    def opening(self, game: Game, seat: int, status: Sequence[float]) -> bytes:  # noqa: ARG002 - version 1 only
        """The dialect's opening."""
        return self.dialect.opening(game, seat)

    def turn(self, game: Game, seat: int, status: Sequence[float]) -> bytes:  # noqa: ARG002 - version 1 only
        """The dialect's turn."""
        return self.dialect.turn(game, seat)

    def note(self, note: Note) -> bytes:  # noqa: ARG002 - told in version 1 only
        """Nothing: the reason is in the record."""
        return b""

    def closing(
        self,
        game: Game,
        seat: int,
        outcome: Outcome,
        status: Sequence[float],  # noqa: ARG002 - version 1 only
        *,
        keeps: bool,  # noqa: ARG002 - version 1 only
    ) -> bytes:
        """The dialect's closing, if the match ended by its rules or a fault."""
        if outcome.termination in {Termination.FINISHED, Termination.FORFEIT}:
            return self.dialect.closing(game, seat)
        return b""

    def error(self, code: ErrorCode, words: str) -> bytes:  # noqa: ARG002 - told in version 1 only
        """Nothing: the reason is in the record."""
        return b""
