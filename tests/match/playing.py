"""A match on memory connections, for the tests of this folder: boards, seats, bots, its record."""

import gzip
import itertools
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import attrs
import trio
import trio.testing

from lanista.games import registry
from lanista.games.base import complete_settings
from lanista.match.bundle import Failure
from lanista.match.channel import BrokenChannelError
from lanista.match.conditions import DEFAULT, MatchSpec
from lanista.match.connection import Connection
from lanista.match.record import Record, read_record
from lanista.match.record_writer import RecordWriter
from lanista.match.replay import verify
from lanista.match.runner import Match
from support import players, tinygame
from support.memory import BotEnd, connection_pair

ANGRYMOB = registry.get("angrymob")
COUNTING = tinygame.RULESET
SMALL = "2 2\nA .\n. B\n"
"""Two moves from base to base."""
ROW = "2 4\nA . . .\n. . . B\n"
CAPTURE = ("0 0 1 0", "0 1 1 3")
"""Seat 0's way over SMALL to the base of seat 1."""
SKIPPERS = ("Ann v=1", "Bob v=1", "Cy v=1")
OPTIONS = {field.name for field in attrs.fields(Match) if field.init}
"""The names of what a match is given beside its spec."""

Bot = Callable[[BotEnd], Awaitable[None]]


@attrs.define(eq=False)
class Table:
    """A match that is ready to run, and its bots' ends."""

    match: Match
    bots: list[BotEnd]
    path: Path
    rules: Any
    """The rules by which the record has to verify; None where it has no board."""
    over: float = attrs.field(init=False, default=0.0)
    """When the match was over, on trio's clock."""

    @property
    def connections(self) -> Sequence[Connection]:
        return self.match.connections

    async def play(
        self,
        *bots: Bot,
        beside: Sequence[Callable[[], Awaitable[None]]] = (),
        cancels: bool = False,
    ) -> Record:
        """Run the match with these bots to its end, and other tasks beside it; its record.

        All of them end by themselves, unless it cancels them.
        """
        async with trio.open_nursery() as nursery:
            for task in beside:
                nursery.start_soon(task)
            for bot, end in zip(bots, self.bots, strict=True):
                nursery.start_soon(bot, end)
            await self.match.run()
            self.over = trio.current_time()
            if cancels:
                nursery.cancel_scope.cancel()
        return await self.finish()

    async def finish(self) -> Record:
        """Complete the record, read it, and check that the replay of the match is the same."""
        try:
            # While a thread works, the autojump clock runs into whatever deadline comes next.
            with trio.CancelScope(shield=True):
                await self.match.record.finish(self.match.result())
        finally:
            self.match.record.close()
        record = read_record(self.path)
        if self.rules is not None:
            assert len(record.turns) == verify(record, self.rules)
        return record


def sit(
    folder: Path,
    ruleset: Any,
    hellos: Sequence[str] = (),
    *,
    again: Sequence[Connection] = (),
    bots: Sequence[BotEnd] = (),
    board: str | None = None,
    settings: Mapping[str, int] | None = None,
    to_bot: Sequence[int] = (),
    name: str = "m1",
    record: RecordWriter | None = None,
    verified_by: Any = None,
    **more: Any,
) -> Table:
    """Seat bots with these hellos (or those of an earlier match, `again`) at a table.

    Args:
        to_bot: By seat, the bytes that wait for a bot which doesn't read.
        verified_by: The rules of the replay, if those of the match are broken.
        more: Attributes of `Match`, of `MatchSpec`, and `late_limit` of its clock, by their names.
    """
    connections, ends = list(again), list(bots)
    for at, hello in enumerate(hellos):
        room = to_bot[at] if to_bot else 1 << 20
        connection, end = connection_pair(hello, to_bot=room)
        connections.append(connection)
        ends.append(end)
    path = folder / f"{name}.jsonl.gz"
    options = {key: more.pop(key) for key in OPTIONS & more.keys()}
    late = {"late_limit": more.pop("late_limit")} if "late_limit" in more else {}
    match_spec = MatchSpec(
        match=name,
        ruleset=ruleset,
        settings=complete_settings(ruleset, settings or {}),
        seed=more.pop("seed", 7),
        board=None if board is None else ruleset.read_board(board),
        clock=attrs.evolve(more.pop("clock", DEFAULT), **late),
        **more,
    )
    names = [connection.hello.name for connection in connections if connection.hello is not None]
    writer = RecordWriter(path) if record is None else record
    match = Match(match_spec, connections, names, writer, **options)
    return Table(match, ends, path, verified_by or ruleset)


def answers(*lines: str, delay: float | Sequence[float] = 0.0) -> Bot:
    """A bot that answers each `go` with the next line, so many seconds later, and then listens.

    The seconds are the same for all lines, or given for each.
    """
    delays = [delay] * len(lines) if isinstance(delay, float | int) else delay

    async def bot(end: BotEnd) -> None:
        for line, seconds in zip(lines, delays, strict=True):
            await end.read_until("go")
            await trio.sleep(seconds)
            await end.say(line)
        await listens(end)

    return bot


def leaves(after: int = 0) -> Bot:
    """A bot that answers so many turns with 1, reads the next one, and closes its connection."""

    async def bot(end: BotEnd) -> None:
        for _ in range(after):
            await end.read_until("go")
            await end.say("1")
        await end.read_until("go")
        end.close()

    return bot


def writes(data: bytes) -> Bot:
    """A bot that sends these bytes at once, and then listens."""

    async def bot(end: BotEnd) -> None:
        await end.write(data)
        await listens(end)

    return bot


def speaks(*lines: str) -> Bot:
    """A bot that says all its lines at once, without listening, and then listens."""

    async def bot(end: BotEnd) -> None:
        for line in lines:
            await end.say(line)
        await listens(end)

    return bot


async def listens(end: BotEnd) -> None:
    """A bot that never says anything."""
    await end.read_rest()
    end.close()


def random_match(
    folder: Path,
    ruleset: Any,
    hellos: Sequence[str],
    settings: Mapping[str, int],
    seed: int,
    *,
    unreliable: bool = True,
    nonsense: float = 0.0,
) -> Table:
    """A match of random bots, some of whose answers are late or nonsense, or which leave; over."""

    async def line_of(end: BotEnd) -> str | None:
        try:
            return await end.read_line()
        except AssertionError:  # the match is over
            end.close()
            return None

    async def main() -> Table:
        table = sit(folder, ruleset, hellos, seed=seed, settings=settings, late_limit=2)

        async def bot(end: BotEnd) -> None:
            seat = table.bots.index(end)
            pick = Random(seed * 10 + seat)
            is_classic = "v=1" not in hellos[seat]
            for turn in itertools.count():
                line = await line_of(end)
                # In the classic dialect one line asks for an answer; the map comes first.
                rows = int(line.split()[0]) if is_classic and not turn and line else 0
                while line is not None and (rows > 0 if is_classic else line != "go"):
                    line, rows = await line_of(end), rows - 1
                if line is None:
                    return
                game = table.match._game
                assert game is not None
                chance = pick.random() if unreliable else 1.0
                if chance < 0.03:
                    end.close()
                    return
                if chance < 0.15:
                    await trio.sleep(0.25 if game.turn else 20.1)
                try:
                    if chance < 0.2:
                        await end.say("# hm")
                    answer = players.line(players.PLAYERS[ruleset.name](game, seat, pick))
                    wrong = pick.choice(["-1 -1 1 9", "1 2", "?", "9999 3"])
                    await end.say(wrong if chance < nonsense else answer)
                except BrokenChannelError:  # too late for anyone to hear it
                    end.close()
                    return

        with trio.fail_after(1e6):
            await table.play(*[bot] * ruleset.seats)
        return table

    return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def verdicts(record: Record) -> list[tuple[str, ...]]:
    """Of every turn, by seat."""
    return [turn.verdicts for turn in record.turns]


def ending(record: Record) -> tuple[str, str, tuple[int, ...]]:
    """Return how a match ended: the end, its reason and the ranks."""
    assert record.result is not None
    return record.result.end, record.result.reason, record.result.ranks


def faults_of(record: Record) -> list[tuple[str, int, int, str]]:
    """Return the code, turn, seat and words of each fault that the result tells."""
    assert record.result is not None
    return [(fault.code, fault.turn, fault.seat, fault.words) for fault in record.result.faults]


def heard(end: BotEnd) -> list[str]:
    """Every line that a bot has read."""
    return end.heard.decode().splitlines()


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a compressed record."""
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def rewritten(folder: Path, lines: Sequence[Any]) -> Record:
    """A record of these lines, read from a file."""
    path = folder / "rewritten.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return read_record(path)


def failures_of(match: Match) -> list[Failure]:
    """The failures of a match that is over, of the seats that have any."""
    failures = [match.failure(seat.index) for seat in match.seats]
    return [failure for failure in failures if failure.reasons]
