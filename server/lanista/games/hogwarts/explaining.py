"""Plays the match of a Hogwarts match file by the rules, to see whether it can have happened.

The commands of the file are those that had an effect, in their order. They are played as the orders
of a single player, because the players' orders can follow one another in any way. By the rules
`text` and `original`, the setting `original` is 0 or 1 (rules/hogwarts.md 18). Status values and
the file's first word aren't judged.
"""

from collections.abc import Iterator, Mapping

from lanista.games.base import Answer, BadBoardError, Missing
from lanista.games.chance import OriginalChance
from lanista.games.hogwarts.board import (
    AROUND,
    BIT,
    CLANS,
    COL,
    GROUPS,
    INGREDIENTS,
    NEAR,
    OWNERS,
    PLACES,
    ROW,
    bits,
    grown,
)
from lanista.games.hogwarts.game import Hogwarts, step_towards
from lanista.games.hogwarts.generator import LOWEST_SUM, Places
from lanista.games.hogwarts.orders import solution
from lanista.games.hogwarts.originals import Res, state_text
from lanista.games.hogwarts.ruleset import RULESET
from lanista.games.originals import (
    Field,
    Forks,
    ShownChance,
    UnexplainedError,
    compare,
    draws_of,
    require,
)

_FIELDS = {
    "clans": Field("unit {} is of clan {}; by the rules of clan {}"),
    "cells": Field("unit {} is at {}; by the rules at {}", value=PLACES.__getitem__),
    "rounds": Field("unit {} has rounds {}; by the rules {}"),
    "nexts": Field("unit {} has next {}; by the rules {}"),
    "strength": Field("clan {} has strength {}; by the rules {}"),
    "owners": Field("cell {} is `{}`; by the rules `{}`", PLACES.__getitem__, chr),
    "conversion_points": Field("clan {} has scr_acc {}; by the rules {}"),
    "scores": Field("clan {} has score {}; by the rules {}"),
}


def begin(res: Res, settings: Mapping[str, int]) -> Hogwarts:
    """Return the game that begins with the first state."""
    first = res.states[0]
    try:
        board = RULESET.read_board(state_text(first, first.status))
    except BadBoardError as error:
        raise UnexplainedError(error.message) from None
    game = RULESET.new(settings, board, OriginalChance(res.seed))
    compare(first, game.seen(), _FIELDS)
    return game


def play_round(game: Hogwarts, res: Res, number: int, forks: Forks) -> Hogwarts:
    """Return the game after a round of the file."""
    units = [command.unit for command in res.commands[number]]
    require(len(set(units)) == len(units), "a unit has two commands")
    game = game.copy()
    game.chance = _Draws(game, res, number, forks)
    game.advance([Answer(res.commands[number]), *[Missing()] * (CLANS - 1)])
    compare(res.states[number + 1], game.seen(), _FIELDS)
    return game


class _Draws(ShownChance):
    """The draws of a round."""

    def __init__(self, game: Hogwarts, res: Res, number: int, forks: Forks) -> None:
        super().__init__(forks)
        self.game = game
        self.settings = res.settings
        self.commands = res.commands[number]
        self.shown = res.states[number + 1]
        self.index = -1
        """The index of the command that is being carried out."""
        self.captured: list[int] = []
        """The cells that the spell captures by the next state, where nothing hides that."""
        self._spell = self._spell_draws()
        self._end = self._end_draws()

    def drawn(self, n: int, why: str) -> int:
        """Return what was drawn; all orders so far must have had an effect."""
        for unit, reason in self.game.idle.items():
            what = f"command {self.index}, of unit {unit}"
            raise UnexplainedError(f"{what}, has no effect by the rules: {reason}")
        if why == "whose order":
            self.index += 1
            return 0
        if why == "surprise":  # there is none: the next draw decides
            return n - 1
        if why == "battle":
            return 0 if self._attacker_wins() else n - 1
        return next(self._spell if why == "spell's cell" else self._end, -1)

    def _attacker_wins(self) -> bool:
        """Return whether the attacker won a battle.

        The next state shows it if nobody meets these units later in the round.
        """
        game, shown = self.game, self.shown
        attacker, direction, _ = self.commands[self.index]
        defender = game.unit_at[NEAR[direction][game.cells[attacker]]]
        met = self._later_targets().union(AROUND[shown.voldemort])
        met_units = {command.unit for command in self.commands[self.index + 1 :]}
        met_units |= {unit for unit in (attacker, defender) if game.cells[unit] in met}
        left = self.settings["ROUNDS_FOR_CONVERTING"] - 1
        outcomes = []
        for winner, loser in (attacker, defender), (defender, attacker):
            clan = game.clans[winner]
            kept = game.clans[loser], left, clan
            wanted = {winner: (clan, 0, -1), loser: kept if left else (clan, 0, -1)}
            wrong = [
                unit
                for unit, values in wanted.items()
                if values != (shown.clans[unit], shown.rounds[unit], shown.nexts[unit])
            ]
            if met_units.issuperset(wrong):
                outcomes.append((len(wrong), winner))
        where = f"command {self.index}, of unit {attacker}: the next state"
        require(outcomes, f"{where} shows neither outcome of its battle with unit {defender}")
        outcomes.sort()
        return outcomes[self.forks.choose(len(outcomes))][1] == attacker

    def _later_targets(self) -> set[int]:
        """Return the cells onto which units are still to move."""
        cells = self.game.cells
        later = self.commands[self.index + 1 :]
        return {NEAR[way][cells[unit]] for unit, way, groups in later if groups is None}

    def _spell_draws(self) -> Iterator[int]:
        game, shown = self.game, self.shown
        own = OWNERS[game.clans[self.commands[self.index].unit]]
        cells = game.open_to_spell(own)
        deadly = game.voldemort, *AROUND[game.voldemort]
        taken_later = self._later_targets().difference(deadly)
        taken_later.update(shown.cells, AROUND[shown.voldemort])
        hidden = [cell for cell in cells if cell in taken_later]
        self.captured = [
            cell for cell in cells if shown.owners[cell] == own and cell not in taken_later
        ]
        yield from draws_of(cells, self.captured + hidden)
        most = len(self.captured) + len(hidden)
        raise UnexplainedError(f"the spell captured more cells than the {most} that can be shown")

    def _end_draws(self) -> Iterator[int]:
        """Yield the draws that follow the orders."""
        game, shown = self.game, self.shown
        captured = sum(game.owners[cell] == shown.owners[cell] for cell in self.captured)
        require(
            captured == len(self.captured),
            f"the spell captured {captured} cells; the next state shows {len(self.captured)}",
        )
        far = game.distances()
        steps = [
            step_towards(game.voldemort, cell)
            for cell, distance in zip(game.cells, far, strict=True)
            if distance == min(far)
        ]
        ways = " or ".join(map(str, sorted({PLACES[cell] for cell in steps})))
        place = PLACES[shown.voldemort]
        require(shown.voldemort in steps, f"Voldemort is at {place}; by the rules at {ways}")
        yield steps.index(shown.voldemort)
        yield from self._appearance_draws()
        yield from _ingredient_draws(shown.ingredients)

    def _appearance_draws(self) -> Iterator[int]:
        """Yield the draws that let the dead come back, and books appear."""
        game, shown = self.game, self.shown
        places = game.places()
        for unit in game.returning():
            yield from _place_draws(places, shown.cells[unit], f"unit {unit} comes back")
            if unit >= CLANS:
                yield shown.clans[unit]
        for cell in game.books - shown.books:
            raise UnexplainedError(f"the book at {PLACES[cell]} is gone")
        new = sorted(shown.books - game.books)
        while new:
            cell = self._next_book(places, new)
            new.remove(cell)
            yield from _place_draws(places, cell, "a book appears")

    def _next_book(self, places: Places, new: list[int]) -> int:
        """Return the cell of the new book that came first: a clear one as long as there is any."""
        clear = [cell for cell in new if places.clear & BIT[cell]]
        for cell in clear:
            if grown(BIT[cell]) & bits(clear) == BIT[cell]:  # it takes no other one's place
                return cell
        return clear[self.forks.choose(len(clear))] if clear else new[0]


def _place_draws(places: Places, cell: int, what: str) -> Iterator[int]:
    """Yield the draws that put something on a cell."""
    bit = BIT[cell]
    where = f"{what} at {PLACES[cell]}"
    if places.clear:
        require(places.clear & bit, f"{where}, which isn't clear")
        yield (places.clear & (bit - 1)).bit_count()
    else:
        is_allowed = places.empty & ~places.banned & bit
        require(is_allowed, f"{where}, which is taken or next to Voldemort")
        yield ROW[cell]
        yield COL[cell]
    places.put(cell)


def _ingredient_draws(ingredients: tuple[int, ...]) -> Iterator[int]:
    total = sum(ingredients) // GROUPS
    low, high = total // 4, total // 2
    groups = solution(ingredients)
    if groups is None or min(ingredients) < low or max(ingredients) > high:
        raise UnexplainedError(f"the ingredients {ingredients} can't be drawn")
    yield total - LOWEST_SUM
    order = sorted(range(INGREDIENTS), key=groups.__getitem__)
    for index, place in enumerate(order):
        if index % 3 < 2:  # the third one of a group follows
            yield ingredients[place] - low
    yield from draws_of(list(range(INGREDIENTS)), order)
