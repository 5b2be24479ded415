"""The pages on tournaments: every code block is run, as a reader would run it; see test_bots.py.

Blocks are `LANGUAGE file=NAME` and `console`. A spec is played as its page says, but for its clock,
as this machine may be busy, and with one block at a time.
"""

import re

import pytest

from docs.pages import DOCS, fenced, sections
from docs.test_bots import go_through, shell_in
from lanista.competition.spec import Spec, parse_spec
from lanista.results.blocks import FormatName

RUNNING, FORMAT_PAGE, STATISTICS = (
    DOCS / name for name in ("tournaments.md", "tournament_formats.md", "statistics.md")
)
PAGES = (RUNNING, FORMAT_PAGE)
"""Those with code blocks."""
PATIENT = """\
concurrency = 1
clock = { time_init = 100.0, time_move = 20.0, stall_margin = 600.0 }

[[bots]]"""

OPTIONS = {
    "sprt": [
        *("--time-init", "100", "--time-move", "20", "--stall-margin", "600"),
        *("--concurrency", "1", "--alpha", "0.3", "--beta", "0.3"),
    ]
}
"""Likewise for the test without a spec, and with errors at which fewer blocks are enough."""

FORMATS = [name.capitalize() for name in FormatName if name is not FormatName.SPRT]
"""Sections of one spec each, whose tournament is played in the long run only."""


PARTS = sections(*PAGES)
"""The pages' sections: those with files and commands of their own."""


def title_case(title):
    """A section as a case; the formats, which are alike to a reader, are long."""
    is_format = title in FORMATS
    return pytest.param(title, marks=pytest.mark.long) if is_format else title


@pytest.mark.parametrize("title", [title_case(title) for title in PARTS])
def test_every_block_of_a_section_does_what_it_says(title, tmp_path):
    shell = shell_in(tmp_path, OPTIONS)
    for head, text in PARTS[title]:
        if head.startswith("toml "):
            parse_spec(text, title)  # as it stands on the page
            assert "[[bots]]" in text
        go_through([(head, text.replace("[[bots]]", PATIENT, 1))], shell, tmp_path)


@pytest.mark.parametrize("title", FORMATS)
def test_the_spec_of_every_format_is_one(title):
    """Every spec of the page is one as it stands there; its section shows how it is played, too."""
    ((head, spec),) = [(head, text) for head, text in PARTS[title] if head.startswith("toml ")]
    name = head.removeprefix("toml file=")
    assert title.lower() == parse_spec(spec, name).format
    consoles = [text for head, text in PARTS[title] if head == "console"]
    assert any(f"lanista tournament run {name}" in text for text in consoles)


def test_no_block_is_outside_the_sections():
    assert sum(map(len, PARTS.values())) == sum(len(fenced(page)) for page in PAGES)
    assert [] == fenced(STATISTICS)


def test_the_page_tells_every_key():
    import attrs

    text = RUNNING.read_text(encoding="utf-8")
    for attribute in attrs.fields(Spec):
        assert f"`{attribute.name}`" in text or f"`{attribute.name}." in text, attribute.name


def test_the_pages_tell_every_column_ending_and_event():
    from lanista.competition import events
    from lanista.ratings.text import as_json, csv_columns
    from lanista.results.match_result import Ending
    from ratings.samples import TWO

    text = STATISTICS.read_text(encoding="utf-8")
    keys = [*as_json(TWO), *as_json(TWO)["standings"][0]]
    columns = [one for one in csv_columns(2) if not one.startswith(("place_", "ended_"))]
    for word in [*keys, *columns]:
        assert f"`{word}`" in text, word
    for ending in Ending:
        assert f"| `{ending.value}` |" in RUNNING.read_text(encoding="utf-8"), ending
    for event in events.Event.__args__:
        kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", event.__name__).lower()
        assert f"`{kind}`" in text, kind
