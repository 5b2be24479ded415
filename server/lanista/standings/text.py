"""Standings as text: JSON and CSV for programs, Markdown for people, and the cells that all share.

Pure functions: nothing is computed, read or written here. Names come from whoever wrote the spec,
so each form escapes what would mean something in it. docs/tournaments.md describes the forms.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from lanista.match.ending import Ending
from lanista.standings.table import SCHEMA, Estimate, HeadToHead, Row, Standings

FAILURES = tuple(ending for ending in Ending if ending not in (Ending.NORMAL, Ending.VOID))
"""The endings that are a bot's own fault, in the order of tables."""

_FORMULA = re.compile(r"['=+\-@\uff1d\uff0b\uff0d\uff20]")
"""What a spreadsheet would take a cell for a formula by (also the wide forms of = + - @); and the
apostrophe that is put before such a name, so that a reader can always take the first one off."""
_INLINE = re.compile(r"([\\`*_\[\]<>#|~&$])")
"""What means something within a line of Markdown."""
_BLOCK = re.compile(r"\A([0-9]*)(?=[-+=.)])")
"""What also means something where a line begins: lists, underlines of headings."""
_SEATS_OF_TWO = 2


def json_text(standings: Standings) -> str:
    """The standings as one JSON object, indented; figures and names are exact.

    Raises:
        ValueError: A figure is no finite number.
    """
    return json.dumps(as_json(standings), indent=2, allow_nan=False) + "\n"


def as_json(standings: Standings) -> dict[str, Any]:
    """What `json_text` writes, as plain data; its keys are in docs/tournaments.md."""
    return {
        "schema": SCHEMA,
        "name": standings.name,
        "game": standings.game,
        "format": standings.format,
        "seats": standings.seats,
        "blocks": standings.blocks,
        "planned": standings.planned,
        "matches": standings.matches,
        "voids": standings.voids,
        "uncounted": standings.uncounted,
        "over": standings.over,
        "words": standings.words,
        "standings": [_row_as_json(row) for row in standings.rows],
        "head_to_head": [attrs.asdict(pair) for pair in standings.head_to_head],
        "seat_advantage": [attrs.asdict(estimate) for estimate in standings.seat_advantage],
    }


def _row_as_json(row: Row) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "bot": row.bot,
        "matches": row.matches,
        "points": row.points,
        "blocks": row.blocks,
        "rating": None if row.rating is None else attrs.asdict(row.rating),
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "superior": row.superior,
        "places": list(row.places),
        "draws": row.draws,
        "endings": {ending.value: row.endings.get(ending, 0) for ending in Ending},
        "late_turns": row.late,
        "malformed_turns": row.malformed,
        "illegal_moves": row.illegal,
        "benched": row.benched,
        "live": row.live,
    }


def csv_text(standings: Standings) -> str:
    r"""The table as CSV: RFC 4180 with lines that end in `\n`, a line of column names first.

    A name that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(csv_columns(standings.seats))
    for row in standings.rows:
        rating = row.rating
        figures = (None,) * 3 if rating is None else (rating.value, rating.low, rating.high)
        places = [row.places[at] if at < len(row.places) else 0 for at in range(standings.seats)]
        writer.writerow(
            [
                *(row.rank, guarded(row.bot), row.matches, _number(row.points)),
                *(_rounded(figure, 2) for figure in figures),
                *(row.rank_low, row.rank_high, _rounded(row.superior, 4)),
                *(row.blocks, *places, row.draws),
                *(row.endings.get(ending, 0) for ending in Ending),
                *(row.late, row.malformed, row.illegal),
                *(int(row.benched), _rounded(row.live, 4)),
            ]
        )
    return file.getvalue()


def csv_columns(seats: int) -> list[str]:
    """The names of the CSV's columns, in a game of so many seats."""
    return [
        *("rank", "bot", "matches", "points"),
        *("rating", "low", "high", "rank_low", "rank_high", "superior", "blocks"),
        *(f"place_{place}" for place in range(1, seats + 1)),
        "draws",
        *(f"ended_{ending.value.replace('-', '_')}" for ending in Ending),
        *("late_turns", "malformed_turns", "illegal_moves", "benched", "live"),
    ]


def guarded(name: str) -> str:
    """A name as a cell of a spreadsheet: one line, an apostrophe before what would be a formula."""
    name = visible(name)
    return f"'{name}" if _FORMULA.match(name) else name


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _rounded(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def markdown_text(standings: Standings) -> str:
    """The table in Markdown (GitHub's tables), with a heading and what else there is to say."""
    lines = [f"# {in_markdown(standings.name)}"]
    for line in summary(standings):
        lines += ["", _BLOCK.sub(r"\1\\", in_markdown(line.lstrip()))]
    lines += ["", *_markdown_table(columns(standings), map_cells(standings)), ""]
    lines += [f"- {in_markdown(line)}" for line in remarks(standings)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _markdown_table(heads: "Sequence[Column]", rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield _markdown_row([head.title for head in heads])
    yield "| " + " | ".join(":---" if head.is_text else "---:" for head in heads) + " |"
    for row in rows:
        yield _markdown_row(row)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(in_markdown, cells)) + " |"


def in_markdown(text: str) -> str:
    """Text that Markdown takes for nothing but text, on one line."""
    return _INLINE.sub(r"\\\1", visible(text))


def visible(text: str) -> str:
    """Text on one line: what can't be printed is escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


# What people read: the same cells in a terminal, in Markdown and on a page.


@attrs.frozen
class Column:
    """One of the table that people read."""

    title: str
    meaning: str
    """One sentence."""
    is_text: bool = False
    """Whether it stands on the left, as words do."""


RATING = "rating"
BOT = "bot"
_RATING_MEANING = (
    "Elo with its 95 % interval; the mean of all bots is 0. Where somebody never scored, or nobody "
    "against somebody, intervals lack an end, and 0 is the mean of those that have both."
)


def columns(standings: Standings) -> list[Column]:
    """The columns of the table that people read."""
    two = standings.seats == _SEATS_OF_TWO
    beyond = (
        "how often it won, drew and lost"
        if two
        else "how often it had which place; a tie counts for the best"
    )
    head = "won-drawn-lost" if two else "places 1-" + str(standings.seats)
    found = [
        Column("rank", "1 is best; ties share the best rank."),
        Column(BOT, "Its name in the spec.", is_text=True),
        Column("matches", "Those that count."),
        Column(
            "points",
            "A win gives 1, a draw one half."
            if two
            else "Every opponent that is placed below gives 1, a tied one one half.",
        ),
        Column(RATING, _RATING_MEANING),
        Column("ranks", "The 95 % interval of the rank by rating."),
        Column("superior", "The likelihood that it is stronger than the bot in the next line."),
        Column(head, beyond[0].upper() + beyond[1:] + "."),
    ]
    if any(row.live is not None for row in standings.rows):
        found.append(Column("live", "The ladder's own rating, by which it chooses opponents."))
    found.append(
        Column("failures", "Endings that were its own fault; see the endings.", is_text=True)
    )
    return found


def map_cells(standings: Standings) -> Iterator[list[str]]:
    """The cells of every row, by `columns`; not escaped for anything."""
    has_live = any(row.live is not None for row in standings.rows)
    for row in standings.rows:
        cells = [
            str(row.rank),
            row.bot + (" (benched)" if row.benched else ""),
            str(row.matches),
            _number(row.points),
            estimate_words(row.rating),
            ranks_words(row),
            "" if row.superior is None else f"{100 * row.superior:.1f} %",
            places_words(row, standings.seats),
        ]
        if has_live:
            cells.append("" if row.live is None else f"{row.live:.2f}")
        yield [*cells, failures_words(row.endings)]


def estimate_words(estimate: Estimate | None) -> str:
    """`+123 ±20`; `+123 -18 +34` where the interval isn't as wide on both sides; `≥ +80` where it
    has one end only, as for a bot that won every match: the figure itself says nothing then; `?`
    where it has none.
    """
    if estimate is None:
        return ""
    if estimate.low is None:
        return "?" if estimate.high is None else f"≤ {round(estimate.high):+d}"
    if estimate.high is None:
        return f"≥ {round(estimate.low):+d}"
    value = round(estimate.value)
    below = max(0, value - round(estimate.low))
    above = max(0, round(estimate.high) - value)
    # One Elo of difference comes from rounding alone.
    if abs(above - below) <= max(1, 0.1 * (above + below) / 2):
        return f"{value:+d} ±{round((above + below) / 2)}"
    return f"{value:+d} -{below} +{above}"


def ranks_words(row: Row) -> str:
    """The interval of a rank: both ends, or one figure where they are the same."""
    if row.rank_low is None or row.rank_high is None:
        return ""
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"  # noqa: RUF001 - a range


def places_words(row: Row, seats: int) -> str:
    """`12-3-5`: won, drawn, lost; with more than two seats how often each place."""
    places = [row.places[at] if at < len(row.places) else 0 for at in range(seats)]
    if seats == _SEATS_OF_TWO:
        places.insert(1, row.draws)
    return "-".join(map(str, places))


def failures_words(endings: Mapping[Ending, int]) -> str:
    """`2 crash, 1 late`, or nothing."""
    return ", ".join(
        f"{endings[ending]} {ending.value}" for ending in FAILURES if endings.get(ending)
    )


def summary(standings: Standings) -> list[str]:
    """Where the tournament is: its format, its blocks and matches; what it found, if anything."""
    played = _count(standings.blocks, "block")
    if standings.planned is not None and standings.planned != standings.blocks:
        played = f"{standings.blocks} of {_count(standings.planned, 'block')}"
    parts = [played, _count(standings.matches, "match")]
    if standings.voids:
        parts.append(f"{standings.voids} void and played again")
    state = "all played" if standings.over else "not over"
    if standings.uncounted:
        state += f"; {_count(standings.uncounted, 'stored block')} uncounted, not asked for now"
    lines = [f"{standings.game}, {standings.format}: {', '.join(parts)}; {state}"]
    return [*lines, standings.words] if standings.words else lines


def remarks(standings: Standings) -> list[str]:
    """What stands below the table: benched bots, and what a seat is worth."""
    lines = [benched_words(standings)] if any(row.benched for row in standings.rows) else []
    if standings.seat_advantage:
        seats = ", ".join(
            f"seat {seat} {estimate_words(estimate)}"
            for seat, estimate in enumerate(standings.seat_advantage)
        )
        lines.append(f"what a seat is worth, in Elo: {seats}")
    return lines


def benched_words(standings: Standings) -> str:
    """Who plays no more, and what that means for the others' figures."""
    benched = ", ".join(row.bot for row in standings.rows if row.benched)
    return (
        f"benched for failing again and again: {benched}; what others won against it before "
        "counts, so bots that never met it may have fewer points a match"
    )


def met(standings: Standings) -> dict[tuple[str, str], HeadToHead]:
    """Head-to-head by bot and opponent."""
    return {(pair.bot, pair.opponent): pair for pair in standings.head_to_head}


def met_words(pair: HeadToHead | None) -> str:
    """`7.5/12`: points of so many matches; nothing where they never met."""
    return "" if pair is None else f"{_number(pair.points)}/{pair.matches}"


def _count(number: int, thing: str) -> str:
    plural = "" if number == 1 else "es" if thing.endswith("ch") else "s"
    return f"{number} {thing}{plural}"
