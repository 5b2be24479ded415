"""Matches of the original programs with something changed, and what is wrong with them then."""

import functools

import attrs

from lanista.games import registry
from lanista.games.originals import UnexplainedError, of_game, try_forks
from support import crematoria, hogwarts

TRACES = {"hogwarts": hogwarts.TRACES.match, "crematoria": crematoria.TRACES.match}


def problem(game, res, number, before=None, rules="original"):
    """Return what is wrong with a round of a match, or None.

    `before` is the position before it; it may be left out for the first round.
    """
    explaining = registry.part(game, "explaining")
    try:
        before = before or explaining.begin(res, of_game(game).all_settings(res, rules))
        try_forks(functools.partial(explaining.play_round, before, res, number))
    except UnexplainedError as error:
        return str(error)
    return None


@functools.cache
def positions(game, name):
    """The positions before each round of a trace and after the last one."""
    explaining, res = registry.part(game, "explaining"), TRACES[game](name)
    found = [explaining.begin(res, of_game(game).all_settings(res))]
    for number in range(len(res.commands)):
        found.append(try_forks(functools.partial(explaining.play_round, found[-1], res, number)))
    return found


def with_state(res, number, **fields):
    """The match with other values in a state."""
    states = list(res.states)
    states[number] = attrs.evolve(states[number], **fields)
    return attrs.evolve(res, states=tuple(states))


def with_change(res, number, field, change, pick):
    """The match with one value changed in a field of a state: at a random place, if it has some."""
    values = getattr(res.states[number], field)
    if isinstance(values, int):
        return with_state(res, number, **{field: change(values)})
    if isinstance(values, set | frozenset):
        moved = pick.choice(sorted(values))
        return with_state(res, number, **{field: values - {moved} | {change(moved)}})
    at = pick.randrange(len(values))
    changed = replaced(values, at, change(values[at]))
    return with_state(res, number, **{field: bytes(changed) if type(values) is bytes else changed})


def next_of(letters):
    """A change of a letter into the one that comes after it among these."""
    return lambda letter: letters[(letters.index(letter) + 1) % len(letters)]


def with_commands(res, number, commands):
    """The match with other commands in a round."""
    listed = list(res.commands)
    listed[number] = tuple(commands)
    return attrs.evolve(res, commands=tuple(listed))


def replaced(values, at, value):
    """The values with another one at a place."""
    return (*values[:at], value, *values[at + 1 :])
