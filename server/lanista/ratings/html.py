"""Standings as one HTML file without scripts or external resources, for light and dark screens.

Everything that isn't written here is escaped; the content security policy in the file's head allows
the style sheet `standings.css`, by its hash, and nothing else.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from lanista.errors import printable
from lanista.games.outcome import FAILURES, Ending
from lanista.ratings.table import CENTRE, HeadToHead, Row, Standings
from lanista.ratings.text import (
    BOT,
    RATING,
    advantage_text,
    benched_text,
    by_pair,
    byes_text,
    columns,
    likelihood_text,
    rating_text,
    score_text,
    summary,
)
from lanista.results.match_result import Estimate

_PLOT_WIDTH = 180
_PLOT_HEIGHT = 22
_STYLE = "\n" + Path(__file__).with_name("standings.css").read_text(encoding="utf-8")


def html_text(standings: Standings) -> str:
    """Return the standings as a complete HTML file."""
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = _shown(standings.name)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=False)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}: standings</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            f"<h1>{title}</h1>",
            *_summary(standings),
            "<main>",
            *_standings(standings),
            *_seats(standings),
            *_head_to_head(standings),
            *_endings(standings),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _shown(text: str) -> str:
    return escape(printable(text))


def _summary(standings: Standings) -> Iterator[str]:
    state, *outcome = summary(standings)
    yield f'<p class="muted">{_shown(state)}</p>'
    for line in outcome:
        yield f'<p class="words">{_shown(line)}</p>'


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table of cells that are marked up already."""
    yield '<div class="table" tabindex="0">'
    yield "<table>"
    yield f"<thead><tr>{''.join(headings)}</tr></thead>"
    yield "<tbody>"
    for row in rows:
        yield f"<tr>{''.join(row)}</tr>"
    yield "</tbody>"
    yield "</table>"
    yield "</div>"


def _head(text: str, title: str = "", *, is_text: bool = False) -> str:
    marks = f' title="{_shown(title)}"' if title else ""
    return f'<th scope="col"{" class=text" if is_text else ""}{marks}>{_shown(text)}</th>'


def _cell(text: str, kind: str = "", title: str = "") -> str:
    marks = (f' class="{kind}"' if kind else "") + (f' title="{_shown(title)}"' if title else "")
    return f"<td{marks}>{_shown(text)}</td>"


def _bot(row: Row) -> str:
    benched = ' <span class="benched">benched</span>' if row.benched else ""
    house = ' <span class="muted">house bot</span>' if row.rank is None else ""
    return f'<th scope="row" class="text">{_shown(row.bot)}{house}{benched}</th>'


def _standings(standings: Standings) -> Iterator[str]:
    shown = columns(standings)
    bot_index, rating_index = ([c.title for c in shown].index(title) for title in (BOT, RATING))
    plotted = [row.rating for row in standings.rows if row.rating is not None]
    rows = []
    for row in standings.rows:
        marked = [_cell(column.cell(row), "text" if column.is_text else "") for column in shown]
        marked[bot_index] = _bot(row)
        marked[-1] = _cell(shown[-1].cell(row), "text failed")
        if plotted:
            label = rating_text(row.rating) or "no match yet"
            plot = _plot(row.rating, plotted, CENTRE, label)
            marked.insert(rating_index + 1, f"<td>{plot}</td>")
        rows.append(marked)
    headings = [_head(column.title, column.meaning, is_text=column.is_text) for column in shown]
    if plotted:
        headings.insert(rating_index + 1, _head("95 % interval", is_text=True))
    yield "<h2>Standings</h2>"
    yield from _table(headings, rows)
    for line in filter(None, (byes_text(standings), benched_text(standings))):
        yield f"<p>{_shown(line)}</p>"
    yield '<p class="muted">How to read it: two bots whose rank intervals don\'t overlap '
    yield "can be told apart; more blocks make the intervals narrower, four times as many halve "
    yield "them.</p>"
    yield from _meanings(
        "What the columns say", [(column.title, column.meaning) for column in shown]
    )


def _plot(estimate: Estimate | None, estimates: Sequence[Estimate], zero: float, label: str) -> str:
    """Return an estimate's interval as a picture, with a line where the scale is at `zero`.

    All estimates share an axis. An interval without an end goes on to the edge.
    """
    known = [zero]
    for each in estimates:
        known += [figure for figure in (each.low, each.value, each.high) if figure is not None]
    low, high = min(known), max(known)
    scale = (_PLOT_WIDTH - 16) / ((high - low) or 1.0)
    middle = _PLOT_HEIGHT // 2

    def x(elo: float) -> str:
        return f"{8 + (elo - low) * scale:.1f}"

    lines = f'<line class="axis" x1="{x(zero)}" x2="{x(zero)}" y1="0" y2="{_PLOT_HEIGHT}"/>'
    if estimate is not None:
        left = "0" if estimate.low is None else x(estimate.low)
        right = str(_PLOT_WIDTH) if estimate.high is None else x(estimate.high)
        lines += (
            f'<line class="interval" x1="{left}" x2="{right}" '
            f'y1="{middle}" y2="{middle}"/>'
            f'<circle class="value" cx="{x(estimate.value)}" cy="{middle}" r="4"/>'
        )
    return (
        f'<svg width="{_PLOT_WIDTH}" height="{_PLOT_HEIGHT}" role="img" '
        f'aria-label="{_shown(label)}">{lines}</svg>'
    )


def _seats(standings: Standings) -> Iterator[str]:
    estimates = standings.seat_advantage
    if not estimates:
        return
    rows = [
        [
            f'<th scope="row" class="text">seat {seat}</th>',
            _cell(advantage_text(estimate)),
            f"<td>{_plot(estimate, estimates, 0.0, advantage_text(estimate))}</td>",
        ]
        for seat, estimate in enumerate(estimates)
    ]
    headings = [_head("seat", is_text=True), _head("Elo"), _head("95 % interval", is_text=True)]
    yield "<h2>Seat advantage</h2>"
    yield from _table(headings, rows)
    yield '<p class="muted">How to read it: what a seat is worth by itself; an interval on one '
    yield "side of 0 says that the seats aren't alike, for which the ratings allow already.</p>"


def _head_to_head(standings: Standings) -> Iterator[str]:
    pairs = by_pair(standings)
    if not pairs:
        return
    bots = [row.bot for row in standings.rows]
    rows = []
    for number, row in enumerate(standings.rows, 1):
        cells = [f"<td>{number}</td>", _bot(row)]
        for opponent in bots:
            pair = pairs.get((row.bot, opponent))
            cells.append(_score(pair) if opponent != row.bot else _cell("", "self"))
        rows.append(cells)
    headings = [_head("no."), _head(BOT, is_text=True)]
    headings += [_head(str(number), bot) for number, bot in enumerate(bots, 1)]
    yield "<h2>Head-to-head</h2>"
    yield from _table(headings, rows)
    yield '<p class="muted">How to read it: the points of the bot on the left against the bot '
    yield "whose number stands above, out of the matches in which both played; coloured where one "
    yield "of the two is stronger with a likelihood of at least 97.5 %.</p>"


def _score(pair: HeadToHead | None) -> str:
    if pair is None:
        return _cell("")
    if pair.superior is None:
        return _cell(score_text(pair))
    kind = "better" if pair.superior >= 0.975 else "worse" if pair.superior <= 0.025 else ""
    title = f"stronger with a likelihood of {likelihood_text(pair.superior)}"
    return _cell(score_text(pair), kind, title)


def _endings(standings: Standings) -> Iterator[str]:
    headings = [_head(BOT, is_text=True)]
    headings += [_head(ending.value, ending.meaning) for ending in Ending]
    headings += [_head(name) for name in ("late turns", "malformed turns", "illegal moves")]
    rows = []
    for row in standings.rows:
        cells = [_bot(row)]
        for ending in Ending:
            count = row.ended(ending)
            kind = "failed" if count and ending in FAILURES else ""
            cells.append(_cell(_figure(count), kind))
        faults = (row.late_turns, row.malformed_turns, row.illegal_moves)
        rows.append([*cells, *(_cell(_figure(count)) for count in faults)])
    yield "<h2>Endings</h2>"
    yield from _table(headings, rows)
    yield '<p class="muted">How to read it: how each bot\'s matches ended for it, one ending per '
    yield "match; who won is another matter. Late and malformed turns and illegal moves are "
    yield "counted even where they cost nothing but the turn.</p>"
    yield from _meanings(
        "What the endings mean", [(ending.value, ending.meaning) for ending in Ending]
    )


def _figure(count: int | None) -> str:
    return "?" if count is None else str(count)


def _meanings(title: str, meanings: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield f"<details><summary>{title}</summary>"
    yield "<dl>"
    for term, meaning in meanings:
        yield f"<dt>{_shown(term)}</dt><dd>{_shown(meaning)}</dd>"
    yield "</dl>"
    yield "</details>"
