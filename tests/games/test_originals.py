"""What the files of both original programs have in common.

rules/hogwarts.md 13 and 14, rules/crematoria.md 8; how match files look: test_traces.
"""

from importlib.resources import files

import attrs
import pytest

from lanista.games.base import FormatError
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
    res = shortened(GAMES[game].trace("10"))
    return res, GAMES[game].write_res(res)


def refused(game, text):
    """Why a match file is refused."""
    with pytest.raises(FormatError) as caught:
        GAMES[game].read_res(text)
    return str(caught.value)


@EACH
def test_what_the_judge_writes(game):
    """`SecGame`, and shares of time in status."""
    res, _ = short(game)
    first = attrs.evolve(res.states[0], status=(0.25, -1.0, 1e-05, 1.0))
    judged = attrs.evolve(res, word="SecGame", states=(first, *res.states[1:]))
    text = GAMES[game].write_res(judged)
    assert text.startswith("SecGame\n\nSeed ")
    assert ["status", "0.25", "-1", "1e-05", "1"] in [line.split() for line in text.splitlines()]
    assert judged == GAMES[game].read_res(text)


@EACH
def test_names_with_spaces_are_written_as_one_word(game):
    played, _ = GAMES[game].replayed(GAMES[game].TRACE_NAMES[0])
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
