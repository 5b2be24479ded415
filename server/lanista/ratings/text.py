"""Standings as text: JSON and CSV for programs, Markdown for people, and the cells people read.

JSON and CSV have exact figures, a column for each of them, and stable names. What people read (in a
terminal, in Markdown, on a page) has fewer columns and rounded figures; `columns` is the one list
of those. Names come from the author of the spec, so each form escapes what would have a meaning in
it. docs/statistics.md describes the forms.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import methodcaller
from typing import Any

import attr
import attrs

from lanista.errors import printable
from lanista.games.outcome import FAILURES, Ending
from lanista.games.picture import counted
from lanista.ratings.table import CENTRE, SCHEMA, HeadToHead, Row, Standings
from lanista.results.match_result import Estimate

_FORMULA = re.compile(r"['=+\-@\uff1d\uff0b\uff0d\uff20]")
"""Matches the start of a cell that a spreadsheet would take for a formula.

That is one of = + - @ or their wide forms; or the apostrophe, which is put before such names, so
that a reader can always remove the first one.
"""
_INLINE = re.compile(r"([\\`*_\[\]<>#|~&$])")
"""Matches what has a meaning within a line of Markdown."""
_BLOCK = re.compile(r"\A([0-9]*)(?=[-+=.)])")
"""Matches what also has a meaning at the beginning of a line: lists, underlines of headings."""


def json_text(standings: Standings) -> str:
    """Return the standings as one indented JSON object; figures and names are exact.

    Raises:
        ValueError: A figure isn't a finite number.
    """
    return json.dumps(as_json(standings), indent=2, allow_nan=False) + "\n"


def as_json(standings: Standings) -> dict[str, Any]:
    """Return what `json_text` writes, as plain data; docs/statistics.md describes its keys."""
    # Only a ladder's bots have versions, and its tables are told otherwise.
    shown = attrs.filters.exclude("version", "versions")
    # That of `attrs` would keep tuples.
    values = attr.asdict(standings, filter=shown, retain_collection_types=False)
    for row, shown_row in zip(standings.rows, values["rows"], strict=True):
        shown_row["endings"] = {ending.value: row.ended(ending) for ending in Ending}
    named = {"standings" if name == "rows" else name: value for name, value in values.items()}
    return {"schema": SCHEMA} | named


def csv_text(standings: Standings) -> str:
    r"""Return the table as CSV: RFC 4180, with a line of column names, and lines ending in `\n`.

    A name that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    shown = csv_columns(standings.seats)
    rows = [[cell(row) for cell in shown.values()] for row in standings.rows]
    return _as_csv([[*shown], *rows])


def _as_csv(lines: Iterable[Sequence[object]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(lines)
    return file.getvalue()


def csv_columns(seats: int) -> dict[str, Callable[[Row], object]]:
    """Return the CSV's columns for a game of so many seats: by name, what makes a row's cell."""
    return {
        "rank": lambda row: row.rank,
        "bot": lambda row: guarded(row.bot),
        "matches": lambda row: row.matches,
        "points": lambda row: _number(row.points),
        "rating": lambda row: _rounded(row.rating.value if row.rating else None, 2),
        "low": lambda row: _rounded(row.rating.low if row.rating else None, 2),
        "high": lambda row: _rounded(row.rating.high if row.rating else None, 2),
        "rank_low": lambda row: row.rank_low,
        "rank_high": lambda row: row.rank_high,
        "superior": lambda row: _rounded(row.superior, 4),
        "blocks": lambda row: row.blocks,
        **{f"place_{place + 1}": partial(_place, place) for place in range(seats)},
        "draws": lambda row: row.draws,
        **{f"ended_{e.value.replace('-', '_')}": methodcaller("ended", e) for e in Ending},
        "late_turns": lambda row: row.late_turns,
        "malformed_turns": lambda row: row.malformed_turns,
        "illegal_moves": lambda row: row.illegal_moves,
        "benched": lambda row: int(row.benched),
    }


def _place(place: int, row: Row) -> int:
    return row.places[place]


def guarded(name: str) -> str:
    """Return a name as a cell of a spreadsheet: one line that isn't taken for a formula."""
    name = printable(name)
    return f"'{name}" if _FORMULA.match(name) else name


def _number(value: float) -> str:
    """Return points, which may be eighths if a bot has several seats."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _rounded(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def markdown_text(standings: Standings) -> str:
    """Return the table in GitHub's Markdown, with a heading, the summary and the remarks."""
    lines = [f"# {in_markdown(standings.name)}"]
    for line in summary(standings):
        lines += ["", _BLOCK.sub(r"\1\\", in_markdown(line.lstrip()))]
    lines += ["", *_markdown_table(columns(standings), standings.rows), ""]
    lines += [f"- {in_markdown(line)}" for line in remarks(standings)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _markdown_table(shown: "Sequence[Column]", rows: Iterable[Row]) -> Iterator[str]:
    yield _markdown_row([column.title for column in shown])
    yield "| " + " | ".join(":---" if column.is_text else "---:" for column in shown) + " |"
    for row in rows:
        yield _markdown_row([column.cell(row) for column in shown])


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(in_markdown, cells)) + " |"


def in_markdown(text: str) -> str:
    """Return text on one line with everything escaped that has a meaning in Markdown."""
    return _INLINE.sub(r"\\\1", printable(text))


# What people read: the same cells in a terminal, in Markdown and on a page.


@attrs.frozen
class Column:
    """A column of the table that people read."""

    title: str
    meaning: str
    """What it shows, in one sentence."""
    cell: Callable[[Row], str]
    """Returns the column's cell in a row, not escaped for anything."""
    is_text: bool = False
    """Whether it is aligned to the left, as text is, not to the right."""


RATING = "rating"
BOT = "bot"
_RATING_MEANING = (
    f"Elo with its 95 % interval; the mean of all bots is {round(CENTRE)}. If a bot never scored, "
    "or nobody scored against it, intervals are open at one end, and the mean is that of the bots "
    "whose intervals have both ends."
)
_HOUSE_MEANING = (
    f"Elo with its 95 % interval; the mean of the house bots is {round(CENTRE)}. If a bot never "
    "scored, or nobody scored against it, intervals are open at one end."
)


def columns(standings: Standings) -> list[Column]:
    """Return the columns of the table that people read."""
    if standings.seats == 2:
        points = "A win gives 1, a draw half."
        places, places_title = "How often it won, drew and lost.", "won-drawn-lost"
    else:
        points = "Every opponent that is placed below gives 1, a tied one half."
        places = "How often it took each place; a tie counts as the best."
        places_title = f"places 1-{standings.seats}"
    has_house = any(row.rank is None for row in standings.rows)
    return [
        Column(
            "rank",
            "1 is best; ties share the best rank.",
            lambda row: "" if row.rank is None else str(row.rank),
        ),
        Column(
            BOT,
            "Its name in the spec.",
            lambda row: (
                row.bot
                + (" (house bot)" if row.rank is None else "")
                + (" (benched)" if row.benched else "")
            ),
            is_text=True,
        ),
        Column("matches", "The matches that count.", lambda row: str(row.matches)),
        Column("points", points, lambda row: _number(row.points)),
        Column(
            RATING,
            _HOUSE_MEANING if has_house else _RATING_MEANING,
            lambda row: rating_text(row.rating),
        ),
        Column("ranks", "The 95 % interval of the rank by rating.", ranks_text),
        Column(
            "superior",
            "The likelihood that it is stronger than the bot in the next line.",
            lambda row: likelihood_text(row.superior),
        ),
        Column(places_title, places, places_text),
        Column(
            "failures",
            "Endings that were its own fault; see the endings.",
            lambda row: "?" if row.endings is None else failures_text(row.endings) or "none",
            is_text=True,
        ),
    ]


def rating_text(rating: Estimate | None) -> str:
    """Return a rating with its interval, in whole Elo, or "" for None.

    `1623 ±20`; `≥ 1580` where the interval has one end only, as for a bot that won every match (the
    figure itself says nothing then); `?` where it has none.
    """
    return _estimate_text(rating, "d")


def advantage_text(advantage: Estimate) -> str:
    """Return the advantage of a seat as `rating_text` does, with its sign: `+12 ±8`."""
    return _estimate_text(advantage, "+d")


def _estimate_text(estimate: Estimate | None, form: str) -> str:
    if estimate is None:
        return ""
    if estimate.low is None:
        return "?" if estimate.high is None else f"≤ {round(estimate.high):{form}}"
    if estimate.high is None:
        return f"≥ {round(estimate.low):{form}}"
    half = (estimate.high - estimate.low) / 2
    return f"{round(estimate.value):{form}} ±{round(half)}"


def likelihood_text(share: float | None) -> str:
    """Return a likelihood in percent, as `99.6 %`, 0 or 100 only if it is exactly that; or ""."""
    if share is None:
        return ""
    text = f"{100 * share:.1f} %"
    if share < 1 and text == "100.0 %":
        return "> 99.9 %"
    return "< 0.1 %" if share > 0 and text == "0.0 %" else text


def ranks_text(row: Row) -> str:
    """Return the interval of a rank: both ends, or one figure where they are equal."""
    if row.rank_low is None or row.rank_high is None:
        return ""
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"  # noqa: RUF001 - a range


def places_text(row: Row) -> str:
    """Return how often a bot won, drew and lost, as `12-3-5`; with more seats, its places."""
    places = list(row.places)
    if len(places) == 2:
        places.insert(1, row.draws)
    return "-".join(map(str, places))


def failures_text(endings: Mapping[Ending, int]) -> str:
    """Return the failures of a bot, as `2 crash, 1 late`; or ""."""
    return ", ".join(
        f"{endings[ending]} {ending.value}"
        for ending in Ending
        if ending in FAILURES and endings.get(ending)
    )


def summary(standings: Standings) -> list[str]:
    """Return the state of the tournament in a line or two: format, blocks and matches; outcome."""
    played = counted(standings.blocks, "block")
    if standings.planned is not None and standings.planned != standings.blocks:
        played = f"{standings.blocks} of {counted(standings.planned, 'block')}"
    parts = [played, counted(standings.matches, "match")]
    if standings.voids:
        parts.append(f"{standings.voids} void and played again")
    state = "all played" if standings.over else "not over"
    if standings.uncounted:
        state += f"; {counted(standings.uncounted, 'stored block')} uncounted, not asked for now"
    lines = [f"{standings.game}, {standings.format}: {', '.join(parts)}; {state}"]
    return [*lines, standings.words] if standings.words else lines


def remarks(standings: Standings) -> list[str]:
    """Return the lines below the table: on byes, benched bots, and the advantage of seats."""
    lines = [line for line in (byes_text(standings), benched_text(standings)) if line]
    if any(row.superior is not None for row in standings.rows):
        lines.append("superior: the likelihood that a bot is stronger than the next one")
    if standings.seat_advantage:
        seats = ", ".join(
            f"seat {seat} {advantage_text(estimate)}"
            for seat, estimate in enumerate(standings.seat_advantage)
        )
        lines.append(f"what a seat is worth, in Elo: {seats}")
    return lines


def byes_text(standings: Standings) -> str:
    """Return a text that names the bots that had a bye; it is empty if none had one."""
    alone = {meeting.bots for meetings in standings.rounds for meeting in meetings}
    byes = ", ".join(row.bot for row in standings.rows if (row.bot,) in alone)
    return f"had a bye, which gives points without matches: {byes}" if byes else ""


def benched_text(standings: Standings) -> str:
    """Return what being benched means for the table, with the bots' names; empty if none is."""
    benched = ", ".join(row.bot for row in standings.rows if row.benched)
    return benched and (
        f"benched for failing repeatedly: {benched}; what others won before against "
        "a benched bot counts, so bots that never met one may have fewer points a match"
    )


def by_pair(standings: Standings) -> dict[tuple[str, str], HeadToHead]:
    """Return the head-to-head results by bot and opponent."""
    return {(pair.bot, pair.opponent): pair for pair in standings.head_to_head}


def score_text(pair: HeadToHead | None) -> str:
    """Return points and matches of a pair, as `7.5/12`; "" if they never met."""
    return "" if pair is None else f"{_number(pair.points)}/{pair.matches}"


HEAD_TO_HEAD_COLUMNS = ("bot", "opponent", "matches", "points", "superior")


def head_to_head_csv(standings: Standings) -> str:
    """Return CSV, like `csv_text`, with a line for every two bots that met, both ways."""
    lines: list[Sequence[object]] = [HEAD_TO_HEAD_COLUMNS]
    for pair in standings.head_to_head:
        names = (guarded(pair.bot), guarded(pair.opponent))
        figures = (pair.matches, _number(pair.points), _rounded(pair.superior, 4))
        lines.append([*names, *figures])
    return _as_csv(lines)


def head_to_head_markdown(standings: Standings) -> str:
    """Return a Markdown table of the points of the row's bot against the column's, and of matches.

    The bots are in the standings' order; the cell of two bots that didn't meet is empty.
    """
    names, pairs = [row.bot for row in standings.rows], by_pair(standings)
    lines = [_markdown_row(["", *names]), "|" + " --- |" * (len(names) + 1)]
    for bot in names:
        met = [pairs.get((bot, opponent)) for opponent in names]
        cells = ["" if p is None else f"{_number(p.points)} of {p.matches}" for p in met]
        lines.append(_markdown_row([bot, *cells]))
    return "\n".join(lines) + "\n"
