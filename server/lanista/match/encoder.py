"""Encoders: they build the bytes that a seat is sent, in version 1 or in a ruleset's own dialect.

In version 1, seats that see the same facts get the same bytes, which are built once. The argument
`status` is by seat the share of the time that was used.
"""

import hashlib
from collections.abc import Mapping, Sequence

import attrs

from lanista.games.base import Consequence, Dialect, Game, RefusalCode, Ruleset
from lanista.games.outcome import Outcome, Termination
from lanista.match.clock import ClockInfo
from lanista.match.record import FaultInfo
from lanista_protocol import ErrorCode, Hello, NoteCode, messages

GO = messages.go()


def seat_seed(game: str, seed: int, seat: int) -> int:
    """Return a seed for a seat's own random choices, from 0 to 2^31-1.

    It is derived one-way, so that the match's seed can't be inferred from it.
    """
    text = f"lanista seat {game} {seed} {seat}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) % 2**31


def dialect_of(hello: Hello, ruleset: Ruleset) -> Dialect | None:
    """Return the dialect that a bot speaks, given its hello; None if it speaks version 1."""
    return ruleset.classic if hello.version is None else None


def facts_with_status(ruleset: Ruleset, facts: bytes, status: Sequence[float]) -> bytes:
    """Return the facts of a position as a bot is told them: where turns are skipped, with `status`.

    The status is by seat the answer time used so far, as a share of the match's allowance, or -1
    for a seat that was eliminated.
    """
    return facts + messages.status(status) if ruleset.consequence is Consequence.SKIP else facts


@attrs.define(kw_only=True)
class Version1Encoder:
    """The encoder of version 1 (PROTOCOL.md 3), shared by all seats of a match that speak it."""

    match: str
    ruleset: Ruleset
    settings: Mapping[str, int]
    """All settings of the match, in the ruleset's order."""
    players: Sequence[str]
    """The players' names, by seat."""
    clock: ClockInfo
    seed: int
    """The match's seed. It is never sent; only seeds that are derived from it are."""
    seat_seeds: Sequence[int] = ()
    """The seed that each seat is sent; empty: those of `seat_seed`, from which nobody can infer
    the match's seed."""
    # The facts, the number and the status of the turn that was last encoded, and its bytes.
    _facts: bytes | None = None
    _turn: int = -1
    _status: Sequence[float] = ()
    _encoded: bytes = b""
    # By seat, the facts at the match's beginning.
    _fixed: dict[int, bytes] = attrs.field(factory=dict)

    def opening(self, game: Game, seat: int, status: Sequence[float]) -> bytes:
        """Return all up to a connection's first request, in turn 0 or when a bot has come back."""
        lines = [messages.start(self.match), messages.game(self.ruleset.name), messages.seat(seat)]
        lines += [messages.player(number, name) for number, name in enumerate(self.players)]
        lines.append(messages.clock(self.clock.time_init, self.clock.time_move))
        if self.clock.lag_allowance:
            lines.append(messages.lag(self.clock.lag_allowance))
        seeds = self.seat_seeds
        seed = seeds[seat] if seeds else seat_seed(self.ruleset.name, self.seed, seat)
        lines.append(messages.seed(seed))
        lines += [messages.set(name, value) for name, value in self.settings.items()]
        if seat not in self._fixed:
            self._fixed[seat] = game.facts_at_start(seat)
        return b"".join([*lines, self._fixed[seat], self.turn(game, seat, status)])

    def turn(self, game: Game, seat: int, status: Sequence[float]) -> bytes:
        """Return `turn N`, the facts and `go`."""
        facts = game.facts(seat)
        if facts is not self._facts or game.turn != self._turn or status != self._status:
            self._facts, self._turn, self._status = facts, game.turn, status
            self._encoded = self._position(game, seat, status) + GO
        return self._encoded

    def _position(self, game: Game, seat: int, status: Sequence[float]) -> bytes:
        told = facts_with_status(self.ruleset, game.facts(seat), status)
        return messages.turn(game.turn) + told

    def note(self, fault: FaultInfo) -> bytes:
        """Return the line of a note; the protocol has to know the fault's code."""
        is_ignored = fault.code == RefusalCode.IGNORED.value
        code = NoteCode.ILLEGAL if is_ignored else NoteCode(fault.code)
        return messages.note(code, fault.turn, fault.index, fault.words)

    def closing(
        self, game: Game, seat: int, outcome: Outcome, status: Sequence[float], *, keeps: bool
    ) -> bytes:
        """Return all that follows the last answer; `keeps` says if the connection stays open."""
        position = b""
        if outcome.termination is Termination.FINISHED:
            position = self._position(game, seat, status)
        lines = [position, messages.end(outcome.termination.value)]
        lines += [messages.rank(number, place) for number, place in enumerate(outcome.ranks)]
        lines += [messages.score(number, score) for number, score in enumerate(outcome.scores)]
        if not keeps:
            lines.append(messages.bye())
        return b"".join(lines)

    def error(self, code: ErrorCode, message: str) -> bytes:
        """Return the line of an error."""
        return messages.error(code, message)


@attrs.frozen
class DialectEncoder:
    """The encoder of a ruleset's own dialect, which sends nothing else (PROTOCOL.md 6)."""

    dialect: Dialect

    def opening(self, game: Game, seat: int, status: Sequence[float]) -> bytes:  # noqa: ARG002 - version 1 only
        """Return the dialect's opening."""
        return self.dialect.opening(game, seat)

    def turn(self, game: Game, seat: int, status: Sequence[float]) -> bytes:  # noqa: ARG002 - version 1 only
        """Return the dialect's turn."""
        return self.dialect.turn(game, seat)

    def note(self, fault: FaultInfo) -> bytes:  # noqa: ARG002 - version 1 only
        """Return nothing; the reason is in the record."""
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
        """Return the dialect's closing if the match ended by its rules or by a fault of a bot."""
        if outcome.termination in {Termination.FINISHED, Termination.FORFEIT}:
            return self.dialect.closing(game, seat)
        return b""

    def error(self, code: ErrorCode, message: str) -> bytes:  # noqa: ARG002 - version 1 only
        """Return nothing; the reason is in the record."""
        return b""


Encoder = Version1Encoder | DialectEncoder
