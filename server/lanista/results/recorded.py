"""Results as the records of matches say them, and stored results that differ from them.

Of a record only the header and the result are parsed. Whether the rules confirm it is checked when
its replay is shown.

A result is stored from its record, or together with it, so both must say the same. Where they
don't, the database or the record was damaged or changed.
"""

import contextlib
import itertools
import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path, PurePath
from typing import Any, Protocol

import attrs

from lanista.errors import StoreError
from lanista.games import registry
from lanista.games.base import RefusalCode
from lanista.games.outcome import ENDINGS, Ending, Termination
from lanista.match.conditions import MatchSpec
from lanista.match.record import (
    ENDING,
    PART,
    BadRecordError,
    Header,
    ResultInfo,
    read_ends,
    read_header,
    rounds_of,
)
from lanista.results.database import Store, readable
from lanista.results.engines import DamagedError, why
from lanista.results.match_result import FAULTS, MatchResult, SeatResult
from lanista.results.reading import StoredMatch

SETTLED = 60.0
"""Seconds after the last change of a record from which on its match must be stored."""


_UNKNOWN = dict.fromkeys(
    (
        *("ladder", "tournament", "started", "ended", "end", "reason"),
        *("ranks", "scores", "turns", "seed", "faults"),
    )
)


def match_json(game: str, **known: Any) -> dict[str, Any]:
    """Return a match as in docs/api.md; what isn't given is unknown, but that it is over."""
    about = {"match": None, "game": game, "title": title_of(game), "state": "over"}
    return about | _UNKNOWN | known


def title_of(game: str) -> str:
    """Return a game's title, or its name if it isn't installed."""
    try:
        return registry.get(game).title
    except registry.UnknownGameError:
        return game


def stored_json(stored: StoredMatch) -> dict[str, Any]:
    """Return what the page shows of how a stored match ended, also for each of its bots."""
    seats = stored.match.seats
    return ended_json(stored.match) | {
        "endings": [seat.ending.value for seat in seats],
        "words": [seat.words for seat in seats],
    }


def ended_json(match: MatchResult) -> dict[str, Any]:
    """Return what the page shows of how a match ended."""
    return {
        "end": match.end,
        "reason": match.reason,
        "turns": rounds_of(match.end, match.turns),
        "players": [seat.bot for seat in match.seats],
        "ranks": [seat.rank for seat in match.seats],
        "scores": [seat.score for seat in match.seats],
    }


def summary(path: Path) -> dict[str, Any]:
    """Return a match of which there is a record as in docs/api.md; it raises as `read_whole`."""
    header, result = read_whole(path)
    return listed_json(competition_of(header), result_of(header, result, ""))


def competition_of(header: Header) -> tuple[str, str]:
    """Return the ladder on which a match was played, empty if on none, and its game."""
    return "" if header.ladder is None else header.ladder.name, header.game


def listed_json(competition: tuple[str, str], match: MatchResult) -> dict[str, Any]:
    """Return a match of an arena as in docs/api.md."""
    ladder, game = competition
    faults = [seat.faults for seat in match.seats]
    return match_json(
        game,
        match=match.id,
        ladder=ladder or None,
        started=match.started,
        ended=match.ended,
        seed=str(match.seed),
        faults=None if None in faults else faults,
        **ended_json(match),
    )


def match_result(
    match: MatchSpec | Header,
    result: ResultInfo,
    bots: Sequence[str],
    *,
    map_: str,
    started: str,
    record: str,
    seating: int = 0,
    stall: float = 0.0,
) -> MatchResult:
    """Return what is stored of a match that is over, from its record's result.

    This decides neither who has won, nor how the match ended for a bot, nor what counts. `bots` are
    the names by which the bots are stored, by seat; `record` is the path of its record, relative to
    the folder of records. The other arguments are those of `MatchResult`.
    """
    seconds = 0.0
    if result.ended:
        lasted = datetime.fromisoformat(result.ended) - datetime.fromisoformat(started)
        seconds = max(0.0, lasted.total_seconds())
    versions = () if match.ladder is None else match.ladder.versions
    return MatchResult(
        seating=seating,
        attempt=match.attempt,
        seed=match.seed,
        map=map_,
        end=result.end,
        reason=result.reason,
        turns=result.turns,
        digest=result.digest,
        seconds=seconds,
        stall=stall,
        seats=tuple(
            _seat_result(result, seat, bot, versions[seat] if versions else None)
            for seat, bot in enumerate(bots)
        ),
        record=record,
    )


def _seat_result(result: ResultInfo, seat: int, bot: str, version: int | None) -> SeatResult:
    # Of a match whose arena was killed, neither endings nor faults are known.
    ending = ENDINGS[result.endings[seat]] if result.endings else Ending.NORMAL
    counts = result.fault_counts[seat] if result.fault_counts else None
    known = (*FAULTS, RefusalCode.IGNORED.value)  # the last is no fault
    fault = result.fault_out(seat)
    words = "" if fault is None else fault.words
    info = result.bot(seat)
    left = ending in {Ending.CRASH, Ending.DISCONNECT}
    if left and info is not None and info.exit not in words:
        words = f"{words}; its process {info.exit}"
    return SeatResult(
        bot=bot,
        rank=result.ranks[seat],
        score=result.scores[seat],
        ending=ending,
        words=" ".join(words.split()),
        **{fault: None if counts is None else counts.get(fault, 0) for fault in FAULTS},
        gone=None if counts is None else sum(n for code, n in counts.items() if code not in known),
        version=version,
    )


def is_ladder_result(match: MatchSpec | Header, result: ResultInfo) -> bool:
    """Return whether a match is a result of its ladder: it is on one, and wasn't aborted."""
    has_endings = bool(result.endings) and result.end != Termination.ABORTED.value
    return match.ladder is not None and has_endings


def arena_result(
    match: MatchSpec | Header,
    result: ResultInfo,
    *,
    names: Sequence[str],
    started: str,
    record: str,
    stall: float = 0.0,
) -> MatchResult:
    """Return what is stored of an arena's match that is over; the arguments are as above."""
    map_ = "" if match.ladder is None else match.ladder.map
    stored = match_result(
        match, result, names, map_=map_, started=started, record=record, stall=stall
    )
    return attrs.evolve(stored, id=match.match, started=started, ended=result.ended or None)


def result_of(header: Header, result: ResultInfo, record: str) -> MatchResult:
    """Return what is stored of an arena's record, given also its path as in `arena_result`."""
    names = [player.name for player in header.players]
    return arena_result(header, result, names=names, started=header.started, record=record)


def read_whole(path: Path) -> tuple[Header, ResultInfo]:
    """Return the header and the result of a record whose text can be shown.

    Raises:
        BadRecordError: The record isn't complete, or has half a character in its text.
        OSError: The file can't be read.
    """
    header, result = read_ends(path)
    text = [header.game, header.match, result.reason, result.digest]
    text += [player.name for player in header.players]
    if header.ladder is not None:
        text += [header.ladder.name, header.ladder.map]
    try:
        json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRecordError(f"{path}: half a character (a lone surrogate) in its text") from None
    return header, result


def record_paths(records: Path, first_day: str = "") -> Iterator[tuple[str, str]]:
    """Yield the match id and the path of every record in an arena's folder, in order of days.

    The paths are relative to the folder, which has a folder for each day; days before the first one
    are left out.
    """
    with contextlib.suppress(FileNotFoundError):
        days = (entry.name for entry in os.scandir(records) if entry.is_dir())
        for day in sorted(day for day in days if day >= first_day):
            with contextlib.suppress(FileNotFoundError), os.scandir(records / day) as entries:
                for entry in entries:
                    if entry.name.endswith(ENDING):
                        yield entry.name.removesuffix(ENDING), f"{day}/{entry.name}"


@attrs.frozen
class RecordedMatch:
    """A match of an arena, as its record says."""

    competition: tuple[str, str]
    """The ladder on which it was played, empty if on none, and its game."""
    is_ladder_result: bool
    result: MatchResult


def read_records(
    records: Path,
    paths: Iterable[str],
    on_damaged: Callable[[str, BadRecordError], object],
    ladder: tuple[str, str] | None = None,
) -> Iterator[RecordedMatch]:
    """Yield the matches of some records, given their paths relative to an arena's folder of them.

    A record that is no longer there is left out. `on_damaged` is told of each one that can't be
    read, is incomplete, or has another match's name, and why. Only the matches of a `ladder` are
    read, if it is given by its name and its game: of the others just the first line.
    """
    for record in paths:
        path = records / record
        try:
            if ladder is not None and competition_of(read_header(path)) != ladder:
                continue
            header, info = read_whole(path)
        except FileNotFoundError:
            continue
        except BadRecordError as error:
            on_damaged(record, error)
            continue
        except OSError as error:
            on_damaged(record, BadRecordError(f"{path}: {error.strerror}"))
            continue
        if header.match + ENDING == path.name:
            result = result_of(header, info, record)
            yield RecordedMatch(competition_of(header), is_ladder_result(header, info), result)
        else:
            other = f"the record of match {header.match!a}; its name has another id"
            on_damaged(record, BadRecordError(f"{path}: {other}"))


class Trouble(Enum):
    """A kind of trouble with a stored match or a record."""

    DAMAGED = "damaged in the database"
    MISSING = "record missing"
    UNFINISHED = "record unfinished"
    UNREADABLE = "record unreadable"
    DIFFERENT = "different from the record"
    UNSTORED = "not stored"


@attrs.frozen
class Finding:
    """One match or record for which something is wrong."""

    trouble: Trouble
    text: str
    """Which one it is, and what is wrong, in one line."""


class Records(Protocol):
    """The records of a tournament's or a ladder's matches."""

    @property
    def folder(self) -> Path:
        """The folder of records."""

    def result(self, stored: StoredMatch, header: Header, info: ResultInfo) -> MatchResult | None:
        """Return what a record says of a stored match; None if its match was aborted."""

    def others(self, known: Collection[str]) -> Iterator[tuple[str, BadRecordError | None]]:
        """Yield the paths of the records of other matches than those that are known.

        Known are the ids of a ladder's matches, and the places of a tournament's records. With a
        path comes why the record can't be read; None if it can.
        """


@attrs.define
class Comparison:
    """Compares the stored matches of a tournament or a ladder with their records.

    The database may be in use: it is read in many short transactions.
    """

    store: Store
    records: Records
    matches: int = attrs.field(default=0, init=False)
    """Number of stored matches that were read."""
    without_record: int = attrs.field(default=0, init=False)
    """Number of those that never had a record, or whose record wasn't kept."""
    _known: set[str] = attrs.field(factory=set, init=False)
    """The ids or places of the stored matches, as `Records.others` takes them."""
    _began: float = attrs.field(factory=time.time, init=False)
    """When the comparison began, in seconds since 1970."""

    def findings(self) -> Iterator[Finding | None]:
        """Yield what is wrong with each stored match, the newest first, and with other records.

        Yields None for a match that is right.

        Raises:
            StoreError: The database can't be read.
            OSError: The folder of records can't be read.
        """
        before: int | None = None
        while numbers := self._numbers(before):
            damaged: dict[int, StoreError] = {}
            stored = readable(self.store.database, numbers, damaged.__setitem__, DamagedError)
            yield from itertools.starmap(self._unreadable, damaged.items())
            yield from map(self._compared, stored)
            before = numbers[-1]
        for record, error in self.records.others(self._known):
            path = self.records.folder / record
            if error is not None:
                yield Finding(Trouble.UNREADABLE, str(error))
            elif self._is_settled(path):
                yield Finding(Trouble.UNSTORED, f"{path}: its match isn't stored")

    def _numbers(self, before: int | None) -> Sequence[int]:
        with self.store.reading() as now:
            return now.numbers(before)

    def _unreadable(self, number: int, error: StoreError) -> Finding:
        self.matches += 1
        with contextlib.suppress(DamagedError), self.store.reading() as now:
            record = now.record(number) or ""
            self._known |= {record, PurePath(record).name.removesuffix(ENDING)}
        return Finding(Trouble.DAMAGED, f"match {number}: {why(error)}")

    def _compared(self, stored: StoredMatch) -> Finding | None:
        self.matches += 1
        match = stored.match
        self._known.add(match.id or stored.of_block.place(is_void=not match.counted))
        if match.record is None:
            self.without_record += 1
            return None
        return corrected(self.records, stored)[1]

    def _is_settled(self, record: Path) -> bool:
        """Return whether a record is old enough that its match must be stored by now."""
        try:
            return record.stat().st_ctime < self._began - SETTLED
        except FileNotFoundError:
            return False


def corrected(records: Records, stored: StoredMatch) -> tuple[MatchResult, Finding | None]:
    """Return a match as its record says, and what is wrong with it; None if nothing is.

    What the record can't say stays as it is stored: the host's stalls. So does everything of a
    match without a record.
    """
    as_stored = stored.match
    if as_stored.record is None:
        return as_stored, None
    path = records.folder / as_stored.record
    try:
        recorded = records.result(stored, *read_whole(path))
    except FileNotFoundError:
        part = path.with_name(path.name + PART)
        if part.exists():
            waits = "waits for room on the disk, or for the arena's next start"
            return as_stored, Finding(Trouble.UNFINISHED, f"{_title(stored)}: {part} {waits}")
        return as_stored, Finding(Trouble.MISSING, f"{_title(stored)}: {path} isn't there")
    except BadRecordError as error:
        return as_stored, Finding(Trouble.UNREADABLE, f"{_title(stored)}: {error}")
    except OSError as error:
        why = f"{path}: {error.strerror}"
        return as_stored, Finding(Trouble.UNREADABLE, f"{_title(stored)}: {why}")
    differing = ["its match was aborted"]
    if recorded is not None:
        differing = list(differ(as_stored, recorded))
        if not differing:
            return as_stored, None
    what = f"{_title(stored)}: in {path} {', '.join(differing)}"
    return recorded or as_stored, Finding(Trouble.DIFFERENT, what)


def _title(stored: StoredMatch) -> str:
    match = stored.match
    if match.id is not None:
        return f"match {stored.number} ({match.id})"
    return (
        f"match {stored.number} (block {stored.block}, seating {match.seating}, "
        f"attempt {match.attempt})"
    )


def differ(stored: MatchResult, recorded: MatchResult) -> Iterator[str]:
    """Yield what a record says otherwise than the database."""
    of_match = ("seed", "map", "id", "record", "seating", "attempt", "end", "reason", "turns")
    for what in (*of_match, "digest"):
        yield from _difference(what, stored, recorded)
    if len(stored.seats) != len(recorded.seats):
        yield f"there are {len(recorded.seats)} seats, stored are {len(stored.seats)}"
    for seat, (ours, theirs) in enumerate(zip(stored.seats, recorded.seats, strict=False)):
        for what in ("bot", "version", "rank", "score", "ending", *FAULTS):
            yield from _difference(what, ours, theirs, f" of seat {seat}")


def _difference(what: str, stored: object, recorded: object, of: str = "") -> Iterator[str]:
    ours, theirs = (getattr(one, what) for one in (stored, recorded))
    if ours != theirs:
        ours, theirs = (one.value if isinstance(one, Ending) else one for one in (ours, theirs))
        yield f"the {what}{of} is {theirs!a}, stored is {ours!a}"
