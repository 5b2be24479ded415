"""What a spec's file may say, and that each error names its place (docs/tournaments.md)."""

from pathlib import Path

import pytest

from lanista.competition.spec import BotEntry, Keep, SeedCount, parse_spec, read_spec
from lanista.errors import SpecError
from lanista.results.blocks import FormatName

SMALLEST = """
name = "cup"
game = "angrymob"
format = "round-robin"
seeds = [1, 2, 3]

[[bots]]
name = "Joe"
command = "CamperJoe"

[[bots]]
name = "Random"
command = "RandomRunners"
"""


def error_of(text):
    with pytest.raises(SpecError) as caught:
        parse_spec(text, "cup.toml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_smallest_spec_is_enough():
    spec = parse_spec(SMALLEST, "cup.toml")

    assert ("cup", "angrymob", FormatName.ROUND_ROBIN) == (spec.name, spec.game, spec.format)
    assert (1, 2, 3) == spec.seeds
    assert (
        BotEntry(name="Joe", command="CamperJoe"),
        BotEntry(name="Random", command="RandomRunners"),
    ) == spec.bots
    assert "auto" == spec.concurrency
    assert (20.0, 0.2, 30.0) == (spec.clock.time_init, spec.clock.time_move, spec.clock.time_start)
    assert Keep.ALL is spec.keep


@pytest.mark.parametrize(
    ("line", "seeds"),
    [
        ("seeds = 7", SeedCount(count=7)),
        ("seeds = { count = 7, base = 42 }", SeedCount(count=7, base=42)),
        ("seeds = [-5, 9223372036854775807]", (-5, 9223372036854775807)),
    ],
)
def test_seeds_are_a_list_or_a_count_or_drawn_from_a_base(line, seeds):
    assert seeds == parse_spec(SMALLEST.replace("seeds = [1, 2, 3]", line), "cup.toml").seeds


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("round-robin", "rr", "format: 'rr'; it can be round-robin, gauntlet,"),
        ('name = "cup"', "", "name: missing; it must be given"),
        ('"cup"', '""', "name: ''; expected a name that isn't only spaces and dots"),
        ('"cup"', '".."', "name: '..'; expected a name that isn't only spaces and dots"),
        ("[1, 2, 3]", "[1, 1]", "seeds: seed 1 is listed twice; list each once"),
        ("[1, 2, 3]", "[]", "seeds: []; expected whole numbers such as [1, 2, 3]"),
        ("[1, 2, 3]", "2000000", "seeds.count: 2000000; expected at most 1000000"),
        ("[1, 2, 3]", "1\nblocks = 1000000", "blocks: 1000000; expected at most 100000"),
        ("[1, 2, 3]", "{ base = 1 }", "seeds.count: missing"),
        ('"CamperJoe"', "3", "bots[1].command: 3; expected text"),
        ('"CamperJoe"', '"x"\ncolour = 1', "bots[1].colour: no such key; known are name,"),
        ("[1, 2, 3]", '1\nconcurrency = "2"', "concurrency: '2'; expected a whole"),
        (
            "[1, 2, 3]",
            "1\nclock = { time_move = nan }",
            "clock.time_move: nan; expected a finite number of seconds from 0.0001; 0 is no limit",
        ),
        ("[1, 2, 3]", "1\nclock = { time_init = 0.00001 }", "clock.time_init: 1e-05; expected a"),
        ("[1, 2, 3]", "1\nsprt = { elo1 = 1e300 }", "sprt: elo0 0, elo1 1e+300; elo0 must"),
        ("[1, 2, 3]", "1\nsprt = { elo0 = 5, elo1 = 1 }", "sprt: elo0 5, elo1 1; elo0"),
        (
            "[1, 2, 3]",
            "1\nsprt = { alpha = 0.7 }",
            "sprt.alpha: 0.7; expected a number between 0 and 0.5",
        ),
        ("[1, 2, 3]", '1\nmaps = "one"', "maps: 'one'; expected a list"),
        ("[1, 2, 3]", '1\nsettings = { move_limit = "9" }', "settings.move_limit: '9'; ex"),
        ("[1, 2, 3]", '1\nkeep = "some"', "keep: 'some'; it can be all, failures, none"),
        ("[1, 2, 3]", '1\nkeep = "some"\nrecord = 1', "record: no such key"),  # mistyped ones first
        ("[1, 2, 3]", "", "not valid TOML: "),
        ("[1, 2, 3]", "[" * 5000, "not valid TOML: maximum recursion depth"),
        ("[1, 2, 3]", "[0x" + "f" * 5000 + "]", "seeds: a number too long to"),
        ("[1, 2, 3]", str(-(10**40)), f"seeds: {-(10**40)}; whole numbers have 40 digits at most"),
        ("[1, 2, 3]", "1" * 5000, "not valid TOML: Exceeds the limit (4300 digits)"),
        ("[1, 2, 3]", f"1\nblocks = {-(10**40)}", f"blocks: {-(10**40)};"),
        ("[1, 2, 3]", "1\n" + "x" * 5000 + " = 1", "x" * 57 + "...: no such key"),
    ],
)
def test_each_error_names_its_place_and_what_would_be_right(old, new, expected):
    assert error_of(SMALLEST.replace(old, new)).startswith(f"cup.toml: {expected}")


def test_a_text_with_many_dots_is_no_key_of_many_parts():
    path = "a." * 200 + "x"
    told = error_of(SMALLEST.replace("[1, 2, 3]", f'"{path}"'))
    assert told.startswith(f"cup.toml: seeds: '{path[:50]}")


def test_a_key_that_is_nearly_one_gets_a_suggestion():
    """It comes before the key that is missing because of it."""
    told = error_of(SMALLEST.replace("format", "fromat"))
    assert told.startswith("cup.toml: fromat: no such key; known are name, game, format,")
    assert told.endswith("records; did you mean 'format'? (and 1 more)")


def test_a_key_of_the_file_below_a_table_is_told_where_it_belongs():
    """TOML takes it for one of the table above."""
    error = error_of(SMALLEST + "concurrency = 2\n")
    assert error.endswith("concurrency is a key of the file: put it above the first table")


def test_bots_must_be_tables():
    head = SMALLEST.partition("[[bots]]")[0]

    assert "cup.toml: bots: missing; it must be given" == error_of(head)
    assert "cup.toml: bots: 3; expected [[ ]] tables" == error_of(head + "bots = 3")


def test_several_errors_are_counted():
    text = SMALLEST.replace('"CamperJoe"', "3").replace("[1, 2, 3]", "[1, 1]")

    assert error_of(text).endswith("(and 1 more)")


def test_a_file_that_cant_be_read_is_named(tmp_path):
    with pytest.raises(SpecError, match=r"cup\.toml: can't be read: No such file"):
        read_spec(tmp_path / "cup.toml")
    (tmp_path / "cup.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(SpecError, match="not UTF-8, from byte 8 on"):
        read_spec(tmp_path / "cup.toml")


def test_a_file_too_long_for_a_spec_is_refused():
    """Something that never ends may have been named: /dev/zero, a pipe."""
    with pytest.raises(SpecError, match="too long for a spec; at most 16 MiB"):
        read_spec(Path("/dev/zero"))


def test_a_byte_order_mark_does_no_harm(tmp_path):
    (tmp_path / "cup.toml").write_text("\ufeff" + SMALLEST, encoding="utf-8")

    assert "cup" == read_spec(tmp_path / "cup.toml").name
