"""The result of a match, as programs see it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

import lanista  # its table, as `replays` needs this module
from lanista.errors import FileError
from lanista.match.record import FaultInfo, ResultInfo

_TRACEBACK = "Traceback (most recent call last):"


@attrs.frozen(kw_only=True)
class Fault:
    """Why an answer or a part of it didn't count, or why a bot was put out."""

    turn: int
    code: str
    """A code of PROTOCOL.md 7, such as `late`, `malformed`, `illegal` or `disconnected`."""
    index: int | None
    """The place of the refused submove in the answer, from 0; None for the whole answer."""
    message: str
    """The reason in plain English, in one line."""
    traceback: str = ""
    """The Python traceback that the bot wrote last, if it left the match because of one."""


@attrs.frozen(kw_only=True)
class Match:
    """A match that was played; sequences are by seat.

    A void match (the machine stalled while a bot was late) and an aborted one have no winner and
    aren't `counted`; in both, every rank is 1.
    """

    id: str
    """The match's id, as in its record."""
    game: str
    map: str
    """The map as it was given; empty if the seed made the map."""
    seed: int
    names: tuple[str, ...]
    """The bots' names; all are different."""
    end: str
    """How it ended: `finished`, `forfeit`, `aborted` or `void`."""
    reason: str
    """The game's keyword for what happened, such as `capture` or `move-limit`."""
    ranks: tuple[int, ...]
    """The bots' ranks: 1 is best, and equal ranks are ties."""
    scores: tuple[int, ...]
    turns: int
    """The number of turns that were carried out: all but the one that made a match void."""
    faults: tuple[tuple[Fault, ...], ...]
    """The first faults of each bot, at most three, and the one by which it was put out."""
    fault_counts: tuple[Mapping[str, int], ...]
    """How often each fault code occurred, for each bot."""
    endings: tuple[str, ...]
    """How the match ended for each bot: `normal`, `late`, `crash` and others (docs/records.md)."""
    exits: tuple[str, ...]
    """How each bot's process ended, as a phrase."""
    outputs: tuple[str, ...] = attrs.field(repr=False)  # a notebook would show all 64 KiB of each
    """The last part of what each bot wrote to stderr and stdout."""
    error: str = ""
    """The traceback of the error that aborted the match, if one did."""
    record: Path | None
    """The file of the match's record; None if it wasn't kept."""
    bundles: tuple[Path, ...] = ()
    """The folders of the failure bundles of bots that failed."""

    @property
    def counted(self) -> bool:
        """Whether the match counts: it is neither void nor aborted."""
        return self.end in {"finished", "forfeit"}

    @property
    def winner(self) -> str | None:
        """The name of the bot that won alone; None if several did, or the match doesn't count."""
        if not self.counted or self.ranks.count(1) != 1:
            return None
        return self.names[self.ranks.index(1)]

    def rows(self) -> list[dict[str, int | str | None]]:
        """Return one row of plain values for each bot, as polars and pandas take them."""
        common: dict[str, int | str | None] = {
            "match": self.id,
            "game": self.game,
            "map": self.map,
            "seed": self.seed,
            "end": self.end,
            "reason": self.reason,
            "turns": self.turns,
            "record": None if self.record is None else str(self.record),
        }
        return [
            {
                **common,
                "seat": seat,
                "bot": name,
                "rank": self.ranks[seat],
                "score": self.scores[seat],
                "ending": self.endings[seat],
                "late": self.fault_counts[seat].get("late", 0),
                "malformed": self.fault_counts[seat].get("malformed", 0),
                "illegal": self.fault_counts[seat].get("illegal", 0),
            }
            for seat, name in enumerate(self.names)
        ]

    def replay(self) -> "lanista.Replay":
        """Open the match's record; raise FileError if it wasn't kept, or can't be read."""
        if self.record is None:
            raise FileError(f"match {self.id}: its record wasn't kept")
        return lanista.open_record(self.record)


def match_of(
    *,
    id_: str,
    game: str,
    map_: str,
    seed: int,
    names: Sequence[str],
    result: ResultInfo,
    record: Path | None,
    bundles: Sequence[Path] = (),
) -> Match:
    """Return the match that a record's result describes."""
    seats = range(len(names))
    bots = result.bots or (None,) * len(names)
    outputs = tuple("" if bot is None else bot.output for bot in bots)
    return Match(
        id=id_,
        game=game,
        map=map_,
        seed=seed,
        names=tuple(names),
        end=result.end,
        reason=result.reason,
        ranks=result.ranks,
        scores=result.scores,
        turns=result.rounds,
        faults=tuple(
            tuple(_fault(fault, outputs[seat]) for fault in result.faults if fault.seat == seat)
            for seat in seats
        ),
        fault_counts=result.fault_counts or tuple({} for _ in seats),
        endings=result.endings or ("normal",) * len(names),
        exits=tuple("" if bot is None else bot.exit for bot in bots),
        outputs=outputs,
        error=result.error or "",
        record=record,
        bundles=tuple(bundles),
    )


def _fault(fault: FaultInfo, output: str) -> Fault:
    traceback = ""
    if fault.code == "disconnected" and _TRACEBACK in output:  # its process may have ended
        traceback = output[output.rindex(_TRACEBACK) :].rstrip("\n")
    return Fault(
        turn=fault.turn,
        code=fault.code,
        index=fault.index,
        message=fault.words,
        traceback=traceback,
    )
