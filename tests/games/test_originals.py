"""Tests what the files of both original programs have in common.

rules/hogwarts.md 13 and 14, rules/crematoria.md 8; how match files look: test_traces.
"""

import re
from importlib.resources import files
from random import Random

import attrs
import pytest

from lanista.games.base import FormatError, Late, Setting
from lanista.games.hogwarts import explaining
from lanista.games.hogwarts.ruleset import RULESET
from lanista.games.originals import of_game
from support import crematoria, hogwarts
from support.originals import shortened

GAMES = {"hogwarts": hogwarts, "crematoria": crematoria}
EACH = pytest.mark.parametrize("game", GAMES)
DEFAULTS = {
    game: {setting.name: setting.default for setting in of_game(game).settings} for game in GAMES
}
BOARDS = {
    "hogwarts": {
        "made by the seed": None,
        "written by hand": hogwarts.hall({4: (1, 10, 10, 3, 2)}, walls=[(20, 20)]),
        "generated": hogwarts.seeded(3).board,
    },
    "crematoria": {
        "made by the seed": None,
        "written by hand": crematoria.board(
            rock=[(0, 0)], elevators=[(7, 8)], owned={(1, 1): 3}, gems=[(39, 79)]
        ),
        "generated": crematoria.new_game(30).state.board,
    },
}


def short(game):
    """The file of a short match, and its text."""
    res = shortened(GAMES[game].TRACES.match("10"))
    return res, GAMES[game].write_res(res)


def refused(game, text):
    """Why a match file is refused."""
    with pytest.raises(FormatError) as caught:
        GAMES[game].read_res(text)
    return str(caught.value)


@EACH
def test_what_the_judge_writes(game):
    """It writes `SecGame`, and shares of time in status."""
    res, _ = short(game)
    first = attrs.evolve(res.states[0], status=(0.25, -1.0, 1e-05, 1.0))
    judged = attrs.evolve(res, word="SecGame", states=(first, *res.states[1:]))
    text = GAMES[game].write_res(judged)
    assert text.startswith("SecGame\n\nSeed ")
    assert ["status", "0.25", "-1", "1e-05", "1"] in [line.split() for line in text.splitlines()]
    assert judged == GAMES[game].read_res(text)


@EACH
def test_names_with_spaces_are_written_as_one_word(game):
    played, _ = GAMES[game].TRACES.replayed(GAMES[game].TRACES.names[0])
    names = ("Joe", "Camper Joe", "x", "y")
    header = next(GAMES[game].match_text(played, [], seed=6, names=names))
    assert ["names", "Joe", "Camper_Joe", "x", "y"] == header.split()[-5:]


@pytest.mark.parametrize("name", ["al\u2003fus", "\x1f", "\x85", "\xa0x"])
@EACH
def test_a_name_is_one_word_to_the_originals_reader(game, name):
    """It splits on ASCII white space alone; ours raised another error than a FormatError here."""
    res, _ = short(game)
    named = attrs.evolve(res, names=(*res.names[:3], name))
    assert named == GAMES[game].read_res(GAMES[game].write_res(named))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
@EACH
def test_a_file_that_ends_early_is_refused(game, share):
    _, text = short(game)
    cut = text[: text.rindex("\n", 0, int(len(text) * share))]
    assert "the file ends where" in refused(game, cut)


@EACH
def test_a_file_that_goes_on_is_refused(game):
    _, text = short(game)
    assert refused(game, text + "more\n").endswith("expected the end of the file, got 'more'")


SMALL = {"NUM_ROUNDS": 53, "NUM_INI_WIZARDS_PER_CLAN": 2, "NUM_INI_BOOKS": 3}
QUIET = crematoria.match_text(
    crematoria.new_game(5, {"nb_rounds": 3}), [[Late()] * 4] * 3, seed=5, names="abcd"
)
LIVELY = hogwarts.seeded(6, **SMALL, ROUNDS_SPELL_RESTING_GHOST=1)
MATCHES = {
    "crematoria": "".join(QUIET),
    "hogwarts": hogwarts.write_res(
        hogwarts.res_of(LIVELY, hogwarts.roaming(LIVELY, 53, Random(1)), seed=6, names="abcd")
    ),
}
"""A short match of each game; in that of Hogwarts there are spells."""
BROKEN = {
    "crematoria": [
        (r"^Game", "Gamex", "expected `Game` or `SecGame`, got 'Gamex'"),
        (r"^Crematoria 1.2", "Crematoria 1.1", "expected `1.2`, got '1.1'"),
        (r"^R{80}$", "R" * 79, "row 0 of level 0 (underground) has 79 cells"),
        (r"^O{80}$", "O" * 79 + "C", "unknown cell 'C' in row 0 of level 1 (outside)"),
        (r"^round 1$", "round 2", "expected the round, 1, got 2"),
        (r"^nb_cells .*", "nb_cells 1 1 1", "expected cells of a player, a whole number"),
        (r"^nb_gems .*", "nb_gems 0 0 0 -1", "expected gems of a player, at least 0, got -1"),
        (r"^status .*", "status 0 0 0 1.5", "expected a player's status, -1 or a share"),
        (r"^f 0 100 -1", "f 4 100 -1", "expected the player of unit 0, from 0 to 3, got 4"),
        (r"^f 0 100 -1", "f 0 100 0", "expected the turns of unit 0, -1, got 0"),
        (r"^(f 0 100 -1) \d+", r"\1 40", "expected the row of unit 0, from -1 to 39, got 40"),
        (r"^(f 0 100 -1) .*", r"\1 1 1 2", "expected the level of unit 0, from -1 to 1, got 2"),
        (r"^(f 0 100 -1) .*", r"\1 1 -1 0", "expected a position on the board, for unit 0"),
        (r"^n -1 0 -1 -1 -1 -1", "n -1 0 -1 3 3 1", "expected nowhere, -1 -1 -1, for unit 80"),
        (r"^n -1 0 -1", "n -1 0 3", "expected the turns of unit 80, from -1 to 2, got 3"),
        (r"^h -1 -1", "h -1 0", "expected the health of unit 90, -1, got 0"),
        (r"^90 (\w)", r"93 \1", "expected a unit's id, or -1 after the last movement, from -1 to"),
        (r"^90 \w", "90 q", "expected the direction of unit 90, one of `bwrxtylzudn`, got 'q'"),
    ],
    "hogwarts": [
        (r"^Game", "Match", "expected `Game` or `SecGame`, got 'Match'"),
        (r"^Seed.*", "Seed -1", "expected the seed, from 0 to 2147483647, got -1"),
        (r"^HarryPotter.*", "HarryPotter 1.1", "expected `1.0`, got '1.1'"),
        (r"^NUM_PLAYERS.*", "NUM_PLAYERS 3", "expected the value of NUM_PLAYERS, 4"),
        (r"^NUM_ROUNDS", "NUM_ROUND", "expected `NUM_ROUNDS`, got 'NUM_ROUND'"),
        (r"^00 .*", "00 " + "." * 59, "row 0 has 59 cells; a row has 60"),
        (r"(?<=^units\n)12", "84", "expected the number of units, 12, got 84"),
        (r"^g\t0\t0", r"g\t0\t4", "expected the player of unit 0, from 0 to 3"),
        (r"^g\t0\t0\t\d+", r"g\t0\t0\t60", "expected the row of unit 0, from 0 to 59"),
        (r"^(g\t0.*)\t\d+\t-1", r"\1\t-1\t-1", "expected the rounds of unit 0, at least 0"),
        (r"^(g\t0.*)-1", r"\1-2", "expected next of unit 0, at least -1"),
        (r"(?<=^books\n)3", "4", "expected the number of books, 3, got 4"),
        (r"(?<=^spell_ingredients\n)15", "14", "expected `15`, got '14'"),
        (r"(?<=^spell_ingredients\n15\n)\d+", "31", "expected an ingredient, from 0"),
        (r"^round 1$", "round 2", "expected the round, 1, got 2"),
        (r"^status.*", "status 0 0 0 x", "expected a status, a number"),
        (r"(?<=^commands\n)\d+", "13", "expected the number of commands, from 0 to 12"),
        (r"(?<=^commands\n\d\n)\d+", "12", "expected the unit of a command, from 0 to 11"),
        (r"(?<=^commands\n\d\n)\d+\tm", "1 k", "expected `m` or `s`, got 'k'"),
        (r"(?<=^commands\n\d\n).*", "1 s 15" + " 5" * 15, "expected a group, from 0 to 4"),
    ],
}
"""By game: what is replaced in its match by what, and why the file is refused then."""


@pytest.mark.parametrize(
    ("game", "pattern", "new", "words"),
    [(game, *case) for game, cases in BROKEN.items() for case in cases],
)
def test_a_broken_match_file_is_refused_with_its_place(game, pattern, new, words):
    """The place and what was expected."""
    text = MATCHES[game]
    line = text[: re.search(pattern, text, re.MULTILINE).start()].count("\n") + 1
    if new == "nb_cells 1 1 1":  # a word is missing: the one found instead is in the next line
        line += 1
    changed = re.sub(pattern, new, text, count=1, flags=re.MULTILINE)
    place, _, problem = refused(game, changed).partition(": ")
    assert re.fullmatch(rf"line {line}, column \d+", place)
    assert problem.startswith(words)


@pytest.mark.parametrize(
    ("pattern", "new", "words"),
    [
        (r"^names.*", "names a b c", "expected `000000000011111111112222222222333333333344444"),
        (r"(?<=^row\tcolumn\n).*", "59\t59", "they go by row, then column"),
    ],
)
def test_what_is_noticed_further_on_in_a_match_of_hogwarts(pattern, new, words):
    text = re.sub(pattern, new, MATCHES["hogwarts"], count=1, flags=re.MULTILINE)
    assert words in refused("hogwarts", text)


def test_a_setting_that_files_do_not_have_has_its_default(monkeypatch):
    """So a setting of our own can be added, and match files are explained as before."""
    begun = []
    begin = explaining.begin
    monkeypatch.setattr(
        explaining, "begin", lambda *given: begun.append(begin(*given)) or begun[-1]
    )
    monkeypatch.setattr(RULESET, "settings", (*RULESET.settings, Setting("later", 3, 0, 9, "-")))
    for rules in "original", "text":
        of_game("hogwarts").explain(shortened(hogwarts.TRACES.match("01"), 1), rules)
    assert [(1, 3), (0, 3)] == [
        (game.settings["original"], game.settings["later"]) for game in begun
    ]


@pytest.mark.parametrize("board", BOARDS["hogwarts"])
@EACH
def test_configurations_are_read_back_as_written(game, board):
    """Whatever white space stands between their words."""
    made, originals = BOARDS[game][board], of_game(game)
    settings = DEFAULTS[game] | getattr(made, "needs", {})
    settings[next(name for name in settings if name.lower().endswith("_rounds"))] = 7
    text = originals.write_cnf(settings, made)
    assert (settings, made) == originals.read_cnf(text)
    assert (settings, made) == originals.read_cnf("\r\n".join(text.split()))


@EACH
def test_the_shipped_configuration_is_the_default(game):
    """`default.cnf`, for the original's own tools."""
    text = (files("lanista_maps") / game / "default.cnf").read_text(encoding="utf-8")
    assert of_game(game).write_cnf(DEFAULTS[game], None) == text


@pytest.mark.parametrize(
    ("game", "old", "new", "words"),
    [
        ("crematoria", "Crematoria", "Hogwarts", "line 1, column 1: expected `Crematoria`"),
        ("crematoria", "1.2", "1.3", "line 1, column 12: expected `1.2`, got '1.3'"),
        ("crematoria", "nb_pioneers", "pioneers", "line 5, column 1: expected `nb_pioneers`"),
        ("crematoria", " 120", " x", "line 3, column 22: expected the value of nb_rounds"),
        ("crematoria", " 120", " 0", "line 3, column 22: expected the value of nb_rounds"),
        ("crematoria", " 40", " 60", "line 11, column 23: expected the value of rows, 40"),
        ("crematoria", " 20", " 30", "line 8, column 23: expected the value of nb_elevators"),
        ("crematoria", "GENERATOR", "FIXED", "line 14: the file ends where row 0 of level 0"),
        ("crematoria", "GENERATOR", "FIXED RRX", "line 14, column 9: unknown cell 'X'"),
        ("crematoria", "GENERATOR", f"FIXED\n{'R' * 79}", "line 15, column 80: row 0 of level 0"),
        ("hogwarts", "\t4", "\t5", "line 3, column 15: expected the value of NUM_PLAYERS, 4"),
        ("hogwarts", "\t50", "\t0", "line 8, column 17: expected the value of NUM_INI_BOOKS"),
        ("hogwarts", "NUM_INI_BOOKS", "BOOKS", "line 8, column 1: expected `NUM_INI_BOOKS`"),
        ("hogwarts", "RANDOM", "", "the file ends where `RANDOM` or `FIXED` belongs"),
        ("hogwarts", "RANDOM\n", "FIXED", "line 18: the file ends where `00000000001"),
    ],
)
def test_a_broken_configuration_is_refused_with_its_place(game, old, new, words):
    with pytest.raises(FormatError) as caught:
        of_game(game).read_cnf(of_game(game).write_cnf(DEFAULTS[game], None).replace(old, new, 1))
    assert words in str(caught.value)


LOG = "R 0 P 0 Q 2\n5 0\n6 10\nR 0 P 1 Q 0\nR 0 P 2 Q 1\n20 9\nR 0 P 3 Q 0\n"


@pytest.mark.parametrize(
    ("game", "text", "words"),
    [
        ("crematoria", LOG.replace("0 P 1", "1 P 1"), "line 4, column 3: expected `0`, got '1'"),
        ("crematoria", LOG.replace("6 10", "6 11"), "line 3, column 3: expected the direction"),
        ("crematoria", LOG.replace("Q 2", "Q 1"), "line 3, column 3: 2 orders of 1 given"),
        ("crematoria", LOG.replace("20 9", "x 9"), "line 6, column 1: expected a unit's id"),
        ("crematoria", LOG[: LOG.rindex("R")], "line 6: the file ends where `R` belongs"),
        ("hogwarts", "R 1 P 0 Q 0", "line 1, column 3: expected `0`, got '1'"),
        ("hogwarts", "R 0 P 0 Q 1001", "line 1, column 11: expected the number of orders given"),
        ("hogwarts", "R 0 P 0 Q 0\n4 0 2 0", "line 2, column 7: 1 orders of 0 given"),
        ("hogwarts", "R 0 P 0 Q 1\n4 2 2 0", "line 2, column 3: expected the kind, 0 or 1"),
        ("hogwarts", "R 0 P 0 Q 1\n4 1 -1 3 1 1", "line 2: the file ends where a group belongs"),
    ],
)
def test_a_broken_log_of_orders_is_refused_with_its_place(game, text, words):
    with pytest.raises(FormatError) as caught:
        GAMES[game].read_orders(text)
    assert words in str(caught.value)


def test_logs_of_orders_are_read_as_answers_of_the_wire():
    """A spell of Hogwarts that can't be said there, of 2 groups, stays as useless."""
    assert [[[5, 0, 6, 10], [], [20, 9], []]] == crematoria.read_orders(LOG)
    log = LOG.replace("5 0\n6 10", "4 0 2 0\n0 1 -1 2 7 7").replace("20 9", "6 0 -5 0")
    first = ["m", 4, 2, "s", 0, *[5] * 15]
    assert [[first, [], ["m", 6, -5], []]] == hogwarts.read_orders(log)
    assert [] == crematoria.read_orders("") == hogwarts.read_orders("")
