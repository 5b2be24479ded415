"""docs/arena.md: its file is one, its tables have every key with its default and its range."""

import re

import attrs
import pytest

from docs.pages import DOCS, fenced
from lanista.arena import spec as arena_spec
from lanista.arena.spec import ArenaSpec, LadderSpec, Page, Submissions, Tls, parse_spec
from lanista.errors import SpecError
from lanista.match.conditions import Clock

PAGE = DOCS / "arena.md"
KINDS = {
    "The arena": (ArenaSpec, ""),
    "`[tls]`": (Tls, '[tls]\nkey = "k"\ncertificate = "c"\n'),
    "`[page]`": (Page, "[page]\n"),
    "`[[ladders]]`": (LadderSpec, '[[ladders]]\nname = "n"\ngame = "g"\n'),
    "`[ladders.submissions]`": (
        Submissions,
        '[[ladders]]\nname = "n"\ngame = "hogwarts"\n[ladders.submissions]\n',
    ),
    "`[ladders.clock]`": (Clock, '[[ladders]]\nname = "n"\ngame = "g"\n[ladders.clock]\n'),
}


def rows(title):
    """A section's table: by key what it means, its default and its range."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n### {title}\n")[1].split("\n#")[0]
    table = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    return {cells[0].strip(" `[]").rpartition(".")[2]: cells[2:] for cells in table}


def number(text):
    return float(text.replace(",", ""))


@pytest.mark.parametrize("title", KINDS)
def test_each_table_has_every_key_and_its_default(title):
    kind, _ = KINDS[title]
    told = rows(title)
    assert {attribute.name for attribute in attrs.fields(kind)} == set(told)
    for attribute in attrs.fields(kind):
        default, _ = told[attribute.name]
        if attribute.default is attrs.NOTHING:
            assert not default.strip()
        elif isinstance(attribute.default, (int, float)) and attribute.type is not bool:
            assert attribute.default == number(default)
        elif isinstance(attribute.default, str):
            assert f"`{attribute.default}`" in default


@pytest.mark.parametrize("title", KINDS)
def test_each_range_of_numbers_is_that_of_the_file(title):
    kind, head = KINDS[title]
    told = rows(title)
    for attribute in attrs.fields(kind):
        if attribute.type not in {int, float, int | None}:
            continue
        step = 0.001 if attribute.type is float else 1
        found = re.match(
            r" (from |above )?([\d.,]+?)(?:,? to ([\d.,]+))? ", told[attribute.name][1]
        )
        assert found, attribute.name
        low = number(found[2])
        good, bad = [low], [low - step]
        if found[1] == "above ":
            good, bad = [low + step], [low]
        if found[3]:
            good.append(number(found[3]))
            bad.append(number(found[3]) + step)
        for values, is_good in ((good, True), (bad, False)):
            for value in values:
                shown = value if attribute.type is float else int(value)
                assert is_good is is_read(f"{head}{attribute.name} = {shown}"), shown


def is_read(text):
    try:
        parse_spec(text, "arena.toml")
    except SpecError:
        return False
    return True


def test_the_numbers_of_entries_are_those_of_the_code():
    assert rows("The arena")["ladders"][1].strip() == f"up to {arena_spec.MAX_LADDERS}"
    assert rows("`[[ladders]]`")["house"][1].startswith(f" up to {arena_spec.MAX_HOUSE};")
    assert rows("`[[ladders]]`")["maps"][1].strip() == f"up to {arena_spec.MAX_LISTED}"
    assert rows("`[page]`")["tournaments"][1].strip() == f"up to {arena_spec.MAX_LISTED}"


def test_the_file_on_the_page_is_one():
    ((head, text),) = fenced(PAGE)
    assert "toml" == head
    assert "hogwarts" == parse_spec(text, "arena.toml").ladders[0].game


def test_the_commands_are_those_of_the_program():
    from lanista.cli.arena import command

    told = set(re.findall(r"lanista arena ([a-z]+)", PAGE.read_text(encoding="utf-8")))
    assert set(command.commands) == told
