"""Frames of match files: those of the game that wrote them, whatever rules made them."""

import functools
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
from support import crematoria
from support import hogwarts as hogwarts_trace
from support.crematoria import TRACE_NAMES, answers, new_game, trace_orders, trace_text
from support.traces import some_always

LIVELY = "05_s7_Dummy-Dummy-Dummy-Dummy"


def hogwarts_played(name):
    """The frames and scores of a trace's match as our game shows it, and its scene."""
    game, turns = hogwarts_trace.replayed(name, original=1)
    yield game.scene()
    yield game.frame(), game.scores()
    for turn in turns:
        game.advance(turn)
        # A file doesn't have the orders that changed nothing.
        yield attrs.evolve(game.frame(), idle={}), game.scores()


def crematoria_played(name):
    """The same of Crematoria."""
    game = new_game(int(name.split("_s")[1]))
    yield game.scene()
    yield game.frame(), game.scores()
    for said in trace_orders(name):
        game.advance(answers(game, said))
        # A file doesn't have the orders that changed nothing.
        yield attrs.evolve(game.frame(), idle={}), game.scores()


@pytest.mark.parametrize("name", some_always(hogwarts_trace.TRACE_NAMES, LIVELY))
def test_a_hogwarts_file_shows_what_the_game_shows(name):
    scene, *played = hogwarts_played(name)
    shown = of_text(hogwarts_trace.trace_text(name)).show(hogwarts_trace.trace_text(name))
    events = captured = 0
    assert ("hogwarts", scene) == (shown.game, shown.scene)
    assert (int(re.search(r"_s(\d+)_", name)[1]), 200) == (shown.seed, shown.settings["NUM_ROUNDS"])
    for expected, actual in zip(played, shown.frames, strict=True):
        assert expected == actual
        frame, _ = actual
        events, captured = events + len(frame.events), captured + len(frame.captured)
    if name == LIVELY:  # the comparison is of more than empty things
        assert captured > 0
        assert 100 < events


@pytest.mark.parametrize("name", some_always(TRACE_NAMES, "05_Dummy-Serox-DFS-alfus_s11"))
def test_a_crematoria_file_shows_what_the_game_shows(name):
    scene, *played = crematoria_played(name)
    shown = of_text(trace_text(name)).show(trace_text(name))
    assert ("crematoria", scene) == (shown.game, shown.scene)
    names, seed = name[3:].split("_s")
    assert (tuple(names.split("-")), int(seed)) == (shown.names, shown.seed)
    for expected, actual in zip(played, shown.frames, strict=True):
        assert expected == actual


# Judges' files


def judged(text, shares):
    """The file as a judge's runner writes it, with these shares of time in every state."""
    line = "\t".join(("status", *shares)) if "\nstatus\t" in text else f"status {' '.join(shares)}"
    return re.sub(r"(?m)^status\b.*$", line, text.replace("Game", "SecGame", 1))


@pytest.mark.parametrize("game", ["hogwarts", "crematoria"])
def test_a_judges_file_tells_the_time_too(game):
    """In the first rounds of a trace, all of whose states are written alike."""
    if game == "hogwarts":
        text = hogwarts_trace.write_res(short_hogwarts())
    else:
        text = crematoria.write_res(short_crematoria())
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


@functools.cache
def short_hogwarts():
    """Four rounds of a trace, read."""
    res = hogwarts_trace.trace("10")
    settings = {**res.settings, "NUM_ROUNDS": 4}
    return attrs.evolve(res, settings=settings, states=res.states[:5], commands=res.commands[:4])


@functools.cache
def short_crematoria():
    """The same of Crematoria."""
    res = crematoria.read_res(trace_text(TRACE_NAMES[0]))
    settings = {**res.settings, "nb_rounds": 4}
    return attrs.evolve(res, settings=settings, states=res.states[:5], commands=res.commands[:4])


def test_hogwarts_states_that_no_rule_leads_to():
    """A ghost that changed its clan, wizards turning to nobody and to a seat that isn't there,
    units on one cell, in Voldemort's and in the border's; orders of any kind."""
    res = short_hogwarts()
    strange = [
        attrs.evolve(
            state,
            clans=[(state.clans[at] + number + at) % 4 if at % 2 else 3 for at in range(84)],
            cells=[
                hogwarts_trace.cell((at // 60 + 7 * number) % 60, (unit * 3) % 60)
                for unit, at in enumerate(state.cells)
            ],
            rounds=[unit % 3 for unit in range(84)],
            nexts=[unit % 9 - 1 for unit in range(84)],
            voldemort=hogwarts_trace.cell(*((0, 0), (59, 59), (0, 30), (5, 5), (30, 0))[number]),
            strength=(0, 10, 2 * number, 1000 - number),
        )
        for number, state in enumerate(res.states)
    ]
    spells = [Order(unit, -1, (0,) * 15) for unit in (0, 50, 2)]
    walks = [Order(unit % 84, unit % 8) for unit in range(81)]
    res = attrs.evolve(res, states=tuple(strange), commands=((*spells, *walks),) * 4)
    assert 5 == check(hogwarts_trace.write_res(res))


def test_a_clan_without_units():
    res = short_hogwarts()
    states = [attrs.evolve(state, clans=[clan % 3 for clan in state.clans]) for state in res.states]
    text = hogwarts_trace.write_res(attrs.evolve(res, states=tuple(states)))
    assert 5 == check(text)
    frame, _ = next(of_text(text).show(text).frames)
    assert (0, 0) == (frame.stats[3][1], frame.stats[3][3])


def test_crematoria_positions_that_no_rule_leads_to():
    """Everybody changes players and cells at will, gems are lost, necromongers come and go."""
    res = short_crematoria()
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
    text = trace_text(TRACE_NAMES[0])
    with pytest.raises(FormatError, match="line 1, column 1: expected `Game` or `SecGame`"):
        of_text(text).show(text.replace("Game", "Gama", 1))
    with pytest.raises(FormatError):
        of_game("hogwarts").show(text)
