"""Standings as text: what each form holds, and that no name can break it."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.errors import printable
from lanista.games.outcome import Ending
from lanista.ratings.compute import compute
from lanista.ratings.counting import count
from lanista.ratings.html import html_text
from lanista.ratings.table import Estimate
from lanista.ratings.text import (
    HEAD_TO_HEAD_COLUMNS,
    advantage_text,
    as_json,
    columns,
    csv_columns,
    csv_text,
    guarded,
    head_to_head_csv,
    head_to_head_markdown,
    json_text,
    likelihood_text,
    markdown_text,
    places_text,
    ranks_text,
    rating_text,
)
from lanista.results.blocks import BlockScore, RoundMeeting, seatings
from ratings.rewrite_golden import GOLDEN, WRITERS
from ratings.samples import FOUR, SAMPLES, TWO, any_standings, row, standings


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("ending", WRITERS)
def test_tables_are_those_of_the_golden_files(name, ending):
    """`make golden` rewrites them; the diff is to be looked at."""
    golden = (GOLDEN / f"{name}.{ending}").read_bytes().decode()
    assert golden == WRITERS[ending](SAMPLES[name])


@given(any_standings())
def test_json_says_all_exactly(any_):
    read = json.loads(json_text(any_))
    assert as_json(any_) == read
    assert read["schema"] == 1
    assert len(any_.rows) == len(read["standings"])
    for one, told in zip(any_.rows, read["standings"], strict=True):
        assert (one.rank, one.bot, one.points, one.superior) == (
            *(told["rank"], told["bot"], told["points"], told["superior"]),
        )
        assert {ending.value: one.endings.get(ending, 0) for ending in Ending} == told["endings"]
        if one.rating is not None:
            assert one.rating == Estimate(**told["rating"])


def test_json_has_no_figure_that_is_none():
    """JSON knows no NaN; a reader would fail far from here."""
    broken = standings([row(1, "A", rating=Estimate(value=float("nan"), low=0.0, high=0.0))])
    with pytest.raises(ValueError):
        json_text(broken)


@given(any_standings())
def test_csv_is_read_back_by_the_csv_module(any_):
    text = csv_text(any_)
    heads, *lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert [*csv_columns(any_.seats)] == heads
    assert ["rank", "bot", "matches", "points"] == heads[:4]
    assert len(any_.rows) == len(lines)
    for one, cells in zip(any_.rows, lines, strict=True):
        told = dict(zip(heads, cells, strict=True))
        name = told["bot"].removeprefix("'")
        assert printable(one.bot) == name
        assert (one.rank, one.matches, one.points) == (
            *(int(told["rank"]), int(told["matches"]), float(told["points"])),
        )
        assert list(one.places) == [int(told[f"place_{n}"]) for n in range(1, any_.seats + 1)]
        figures = [told["rating"], told["low"], told["high"]]
        if one.rating is None:
            assert [""] * 3 == figures
        else:
            exact = [one.rating.value, one.rating.low, one.rating.high]
            for end, cell in zip(exact, figures, strict=True):
                # An end that isn't there is empty.
                assert (end is None) == (cell == "")
                assert end is None or abs(end - float(cell)) < 0.0051


@given(st.text(min_size=1))
def test_no_name_is_a_formula_in_a_spreadsheet(name):
    """And the apostrophe that makes it none can be taken off again, whatever the name was."""
    cell = guarded(name)
    assert cell[0] not in "=+-@"
    assert cell.isprintable()
    assert printable(name) == cell.removeprefix("'")


def cells_of(line):
    """The cells of a line of a Markdown table: split where no backslash stands before a bar."""
    return re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]


@given(any_standings())
def test_markdown_keeps_its_columns(any_):
    """Whatever names hold: a bar, a line's end, a backslash before a bar."""
    lines = markdown_text(any_).split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("| rank "))
    for line in lines[at : at + 2 + len(any_.rows)]:
        assert len(columns(any_)) == len(cells_of(line)), line
    assert all(char.isprintable() for line in lines for char in line)


def test_markdown_escapes_what_means_something():
    text = markdown_text(TWO)
    assert r"| Grav\|ity |" in text
    assert r"\<b\>" in text
    forged = markdown_text(standings([], name="a\n# b", words="1. forged\n- list"))
    assert "# a\\\\n\\# b\n" in forged
    assert "\n1\\. forged\\\\n- list\n" in forged


class Page(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts, self.attributes = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs
        if tag != "meta":  # which has no end
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag == self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)


@given(any_standings())
def test_a_page_is_made_of_our_elements_alone(any_):
    page = Page(html_text(any_))
    assert [] == page.open
    ours = {
        *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "div"),
        *("table", "thead", "tbody", "tr", "th", "td", "span", "svg", "line", "circle"),
        *("details", "summary", "dl", "dt", "dd"),
    }
    assert ours >= set(page.elements)
    assert not {name for name, _ in page.attributes if name.startswith("on")}
    assert not {name for name, _ in page.attributes if name in {"style", "href", "src"}}
    for one in any_.rows:
        assert any(text.startswith(printable(one.bot)) for text in page.texts)


def test_a_page_allows_its_style_and_nothing_else():
    text = html_text(TWO)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    directives = policy[1].split("; ")
    assert "default-src 'none'" in directives
    assert re.fullmatch(r"style-src 'sha256-[A-Za-z0-9+/=]{44}'", directives[1])
    assert "unsafe" not in text
    assert "http" not in text.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("value", "low", "high", "words"),
    [
        (1623.4, 1601, 1645.8, "1623 ±22"),
        (-61.7, -95, -28.4, "-62 ±33"),
        (1500, 1499.4, 1500.6, "1500 ±1"),
        (2169, 1565.4, None, "≥ 1565"),
        (662, None, 1642, "≤ 1642"),
        (1503, None, None, "?"),
    ],
)
def test_a_rating_is_told_with_its_interval(value, low, high, words):
    assert words == rating_text(Estimate(value=value, low=low, high=high))


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (None, ""),
        (0.9964, "99.6 %"),
        (0.99999, "> 99.9 %"),
        (1, "100.0 %"),
        (0.00001, "< 0.1 %"),
        (0, "0.0 %"),
    ],
)
def test_a_likelihood_is_no_certainty_unless_it_is_one(share, words):
    """The page says the same: tests/page/browser/tournaments.test.js has these cases."""
    assert words == likelihood_text(share)


def test_the_advantage_of_a_seat_has_a_sign():
    assert "+14 ±11" == advantage_text(Estimate(value=14, low=3, high=25))
    assert "≤ -3" == advantage_text(Estimate(value=-14, low=None, high=-3))


def test_ranks_and_places_are_told():
    assert "" == ranks_text(row(1, "A"))
    assert "2" == ranks_text(row(2, "A", rank_low=2, rank_high=2))
    assert "1–3" == ranks_text(row(2, "A", rank_low=1, rank_high=3))  # noqa: RUF001 - a range
    assert "7-5-12" == places_text(TWO.rows[1])
    assert "5-2-1-0" == places_text(FOUR.rows[0])


@pytest.mark.parametrize("form", [markdown_text, html_text])
def test_bots_that_had_a_bye_are_named(form):
    """A bot had 10 points of 8 matches, and nothing said why."""
    told = "had a bye, which gives points without matches: "

    def meeting(*bots):
        return RoundMeeting(bots=bots, points=(0.0,) * len(bots), blocks=0, over=True)

    first = meeting("Dummy", "Null"), meeting("Demo")
    second = meeting("Null", "Demo"), meeting("Dummy")
    assert f"{told}Dummy, Demo" in form(attrs.evolve(FOUR, rounds=(first, second)))
    assert told not in form(FOUR)


@given(any_standings())
def test_every_row_has_a_cell_for_every_column(any_):
    for one in any_.rows:
        assert {str} == {type(column.cell(one)) for column in columns(any_)}


def standings_of(first, second, third="never met"):
    """The first won one and drew one against the second."""
    return compute(
        name="cup",
        game="angrymob",
        format="round-robin",
        bots=(first, second, third),
        counted=count(
            [BlockScore((first, second), ((1, 2), (1, 1)))], seatings("ab"), (first, second, third)
        ),
    )


def test_endings_that_are_not_known_are_no_zeros():
    """JSON, CSV and HTML had zeros at the end of a run whose database was gone."""
    known_zeros = row(1, "A", endings={})
    table = standings_of("A", "B")

    assert "| none |" in markdown_text(standings([known_zeros]))
    assert ">0</td>" in html_text(standings([known_zeros]))
    assert 3 == markdown_text(table).count("| ? |")
    assert as_json(table)["voids"] is None
    for told in as_json(table)["standings"]:
        faults = [told[key] for key in ("late_turns", "malformed_turns", "illegal_moves")]
        assert {None} == {*told["endings"].values(), *faults}
    for told in csv.DictReader(io.StringIO(csv_text(table))):
        columns_ = [key for key in told if key.startswith("ended_") or key.endswith("_turns")]
        assert {""} == {told[key] for key in [*columns_, "illegal_moves"]}
    endings = html_text(table).partition("<h2>Endings</h2>")[2]
    assert 3 * (len(Ending) + 3) == endings.count("<td>?</td>")
    assert "<td>0</td>" not in endings


def test_every_two_that_met_have_a_line_both_ways():
    rows = list(csv.reader(io.StringIO(head_to_head_csv(standings_of("A", "B")))))

    assert list(HEAD_TO_HEAD_COLUMNS) == rows[0]
    assert [["A", "B", "2", "1.5"], ["B", "A", "2", "0.5"]] == [row[:4] for row in rows[1:]]
    assert 1.0 == round(float(rows[1][4]) + float(rows[2][4]), 3)


def test_names_are_no_formulas_and_no_columns():
    rows = list(csv.reader(io.StringIO(head_to_head_csv(standings_of("=1+1", 'B",x')))))

    assert ["'=1+1", 'B",x'] == rows[1][:2]


def test_markdown_has_a_row_and_a_column_a_bot():
    lines = head_to_head_markdown(standings_of("A|B", "<b>")).splitlines()

    assert 5 == len(lines)
    assert "| A\\|B |  | 1.5 of 2 |  |" == lines[2]
    assert "<b>" not in lines[3]
