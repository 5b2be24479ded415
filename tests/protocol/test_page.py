"""PROTOCOL.md says what the code does: tables and limits of the page against the package."""

import re

import pytest

from lanista_client import _FINAL_CODES
from lanista_protocol import (
    LINE_LIMIT,
    ErrorCode,
    NoteCode,
    State,
)
from lanista_protocol.hello import _FORMS, MAX_NAME, VERSION
from lanista_protocol.lines import HELLO_LIMIT
from lanista_protocol.messages import END_WORDS, MAX_SEED
from lanista_protocol.session import LOG_LIMIT, TRANSITIONS
from protocol.table import MESSAGES, ROOT, load

PAGE = (ROOT / "protocol" / "PROTOCOL.md").read_text(encoding="utf-8")
SECTIONS = (
    "1. Lines",
    "2. Hello: the bot sends its name",
    "3. Version 1, from the arena",
    "4. The answer: submoves",
    "5. The rulesets' facts and submoves",
    "6. The classic dialect of angrymob",
    "7. Errors and notes (version 1)",
    "8. Ladders, and coming back",
    "9. Drawing: log lines that begin `#@`",
)


def section(number):
    """The text of a section."""
    return PAGE.split("\n## ")[number]


def first_cells(text):
    """The first cell of each table row that begins by a literal."""
    return re.findall(r"^\| `([^`]*)`", text, re.MULTILINE)


def test_sections_keep_their_numbers():
    """Comments of the code cite them."""
    assert list(SECTIONS) == re.findall(r"^## (.*)$", PAGE, re.MULTILINE)


def test_the_state_table_is_the_codes():
    rows = re.findall(r"^\| `([A-Z]+)` \| `([A-Z_]+)` \| `([A-Z]+)` \|", section(4), re.MULTILINE)
    told = {(state.name, step.name, then.name) for (state, step), then in TRANSITIONS.items()}
    assert told == set(rows)
    assert len(TRANSITIONS) == len(rows)


def test_every_state_is_described():
    described = re.findall(r"^\| `([A-Z]+)` \| (?!`)", section(4), re.MULTILINE)
    assert [state.name for state in State] == described


def test_options_are_those_of_the_reader():
    assert list(_FORMS) == first_cells(section(2))


@pytest.mark.parametrize("codes", [ErrorCode, NoteCode])
def test_codes_are_those_of_the_code(codes):
    tables = section(7).split("| `note` |")
    table = tables[0 if codes is ErrorCode else 1]
    assert [code.value for code in codes] == [c for c in first_cells(table) if c != "error"]


def test_the_python_client_gives_up_where_the_page_says_so():
    """The table's last column; `unreadable` is the client's own code."""
    again = dict(re.findall(r"^\| `([a-z0-9-]+)` \| .* \| (yes|no) \|$", section(7), re.MULTILINE))
    assert {code.value for code in ErrorCode} == set(again)
    final = {code for code, answer in again.items() if answer == "no"}
    assert final | {"unreadable"} == _FINAL_CODES


def test_ends_are_those_of_the_code():
    table = section(3).split("| `end` |")[1]
    assert list(END_WORDS) == first_cells(table)


def test_every_message_is_on_the_page():
    for keyword in MESSAGES:
        assert re.search(rf"(^    |`){keyword}\b", PAGE, re.MULTILINE), keyword


def test_limits_are_those_of_the_code():
    assert f"| the hello | {HELLO_LIMIT} bytes |" in section(1)
    assert f"| any later line, also a log line | {LINE_LIMIT:,} bytes |" in section(1)
    assert f"1 to {MAX_NAME} code points" in section(2)
    assert f"version `{VERSION}`" in section(2)
    assert f"0 to {MAX_SEED}," in section(3)
    assert f"{LOG_LIMIT // 1024} KiB a turn ({LOG_LIMIT:,} bytes" in section(4)


def test_the_match_of_the_page_begins_as_a_vector_does():
    """The example of section 3, line by line, is what a conversation starts with."""
    shown = re.search(r"    (start .*?)    …", section(3), re.DOTALL).group(1)
    lines = [line.strip() for line in shown.split("\n") if line.strip()]
    first = load("conversations")[0]["steps"][1]["arena"]
    assert "\n".join(lines) + "\n" in first


def test_the_classic_example_of_the_page_is_a_vector():
    example = "".join(
        f"{line.strip()}\n" for line in re.findall(r"^    (.*)$", section(6), re.MULTILINE)
    )
    ours, theirs = load("classic")[:2]
    assert example == ours["steps"][1]["arena"]
    rows = re.findall(
        r"^\| move \d \| `(.*?)` \| `(.*?)` \| move \d \| `(.*?)` \| `(.*?)` \|$",
        section(6),
        re.MULTILINE,
    )
    moves = [[row[0:2] for row in rows], [row[2:4] for row in rows]]
    for vector, told in zip((ours, theirs), moves, strict=True):
        said = vector["steps"][2:-1]
        pairs = [
            (said[at]["bot"].strip(), said[at + 1]["arena"].strip())
            for at in range(0, len(said), 2)
        ]
        assert told == pairs
