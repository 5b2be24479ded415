"""Frames of match files of judges and of unknown rules; test_traces has those of the originals."""

import re

import attrs
import pytest

from lanista.games.base import FormatError
from lanista.games.conformance import (
    require_mark,
    require_past,
    require_places,
    require_scene,
    require_stats,
)
from lanista.games.hogwarts.orders import Order
from lanista.games.originals import of_game, of_text
from support import crematoria, hogwarts
from support.originals import shortened

# Judges' files


def judged(text, shares):
    """The file as a judge's runner writes it, with these shares of time in every state."""
    line = "\t".join(("status", *shares)) if "\nstatus\t" in text else f"status {' '.join(shares)}"
    return re.sub(r"(?m)^status\b.*$", line, text.replace("Game", "SecGame", 1))


@pytest.mark.parametrize("game", [hogwarts, crematoria])
def test_a_judges_file_tells_the_time_too(game):
    """In the first rounds of a trace, all of whose states are written alike."""
    text = game.write_res(shortened(game.TRACES.match("10")))
    plain, secure = (
        of_text(one).show(one) for one in (text, judged(text, ("0.25", "-1", "1", "0")))
    )
    assert (*plain.scene.stats, "time") == secure.scene.stats
    require_scene(secure.scene, 4)
    for (frame, scores), (timed, again) in zip(plain.frames, secure.frames, strict=True):
        assert scores == again
        assert ["25%", "out", "100%", "0%"] == [of_seat[-1] for of_seat in timed.stats]
        assert frame.stats == tuple(of_seat[:-1] for of_seat in timed.stats)
        assert frame.marks == timed.marks


# Files of unknown rules


def check(text):
    """A file shows whole, and every frame is one that viewers can draw."""
    shown = of_text(text).show(text)
    require_scene(shown.scene, 4)
    count = 0
    for frame, scores in shown.frames:
        assert count == frame.turn
        for mark in frame.marks:
            require_mark(mark, shown.scene, 4)
        numbers = [mark.unit for mark in frame.marks if mark.unit is not None]
        assert len(set(numbers)) == len(numbers)
        require_places(frame.owned, "owner", shown.scene, 4)
        require_stats(frame, shown.scene, 4)
        require_past(frame, shown.scene, 4)
        assert 4 == len(scores) == len(frame.captions)
        count += 1
    return count


def test_hogwarts_states_that_no_rule_leads_to():
    """A ghost that changed its clan, wizards turning to nobody and to a seat that isn't there,
    units on one cell, in Voldemort's and in the border's; orders of any kind."""
    res = shortened(hogwarts.TRACES.match("10"))
    strange = [
        attrs.evolve(
            state,
            clans=[(state.clans[at] + number + at) % 4 if at % 2 else 3 for at in range(84)],
            cells=[
                hogwarts.cell((at // 60 + 7 * number) % 60, (unit * 3) % 60)
                for unit, at in enumerate(state.cells)
            ],
            rounds=[unit % 3 for unit in range(84)],
            nexts=[unit % 9 - 1 for unit in range(84)],
            voldemort=hogwarts.cell(*((0, 0), (59, 59), (0, 30), (5, 5), (30, 0))[number]),
            strength=(0, 10, 2 * number, 1000 - number),
        )
        for number, state in enumerate(res.states)
    ]
    spells = [Order(unit, -1, (0,) * 15) for unit in (0, 50, 2)]
    walks = [Order(unit % 84, unit % 8) for unit in range(81)]
    res = attrs.evolve(res, states=tuple(strange), commands=((*spells, *walks),) * 4)
    assert 5 == check(hogwarts.write_res(res))


def test_a_clan_without_units():
    res = shortened(hogwarts.TRACES.match("10"))
    states = [attrs.evolve(state, clans=[clan % 3 for clan in state.clans]) for state in res.states]
    text = hogwarts.write_res(attrs.evolve(res, states=tuple(states)))
    assert 5 == check(text)
    frame, _ = next(of_text(text).show(text).frames)
    assert (0, 0) == (frame.stats[3][1], frame.stats[3][3])


def test_crematoria_positions_that_no_rule_leads_to():
    """Everybody changes players and cells at will, gems are lost, necromongers come and go."""
    res = shortened(crematoria.TRACES.match("10"))
    strange = [
        crematoria.with_units(
            attrs.evolve(position, gems=tuple((3 * number + seat) % 5 for seat in range(4))),
            [
                unit._replace(
                    player=(unit.player + number * at) % 4 if unit.kind in "pf" else -1,
                    health=(0 if (at + number) % 3 else 75) if unit.kind == "n" else unit.health,
                    turns=(at + number) % 3 if unit.kind == "n" else -1,
                    **dict.fromkeys(("row", "col", "level"), -1)
                    if unit.kind == "n" and (at + number) % 3
                    else {"row": 5, "col": at % 80, "level": number % 2},
                )
                for at, unit in enumerate(crematoria.units_of(position))
            ],
        )
        for number, position in enumerate(res.states)
    ]
    res = attrs.evolve(res, states=tuple(strange))
    assert 5 == check(crematoria.write_res(res))


def test_what_isnt_a_match_file_is_refused():
    text = crematoria.TRACES.text(crematoria.TRACES.names[0])
    with pytest.raises(FormatError, match="line 1, column 1: expected `Game` or `SecGame`"):
        of_text(text).show(text.replace("Game", "Gama", 1))
    with pytest.raises(FormatError):
        of_game("hogwarts").show(text)
