"""Checks whether the match in a Hogwarts match file can have happened (rules/hogwarts.md).

A file is followed from state to state by its commands; orders without effect aren't in a file, and
aren't needed. A battle is a fork where the next state doesn't show at once who won it.

By the rules `text` and `original`, spells capture as the rules' text says, or as the original
program does (rules/hogwarts.md 18, row 1).

The module shares no code with the ruleset, so that each of them is a check of the other. It doesn't
check status values or the file's first word.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence

import attrs

from lanista.games.hogwarts.board import CLANS, FREE, OWNERS, SIDE, WALL
from lanista.games.hogwarts.orders import Order
from lanista.games.hogwarts.originals import Res
from lanista.games.hogwarts.scene import Position
from lanista.games.originals import Forks, require

Cell = tuple[int, int]

STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
SPELL_FREE_ROUNDS = 50
_UNOWNED = bytes.maketrans(OWNERS, bytes([FREE]) * CLANS)


def check_round(res: Res, number: int, rules: str, forks: Forks) -> None:
    """Check that a round's commands lead to the state after it, with these outcomes of battles."""
    commands, after = res.commands[number], res.states[number + 1]
    was, now = (state.owners.translate(_UNOWNED) for state in res.states[number : number + 2])
    for row in range(SIDE):
        cells = slice(row * SIDE, (row + 1) * SIDE)
        require(was[cells] == now[cells], f"the walls of row {row} change")
    require(_is_drawable(after.ingredients), f"the ingredients {after.ingredients} can't be drawn")
    ids = [command.unit for command in commands]
    require(len(set(ids)) == len(ids), "a unit has two commands")
    _Round(res, number, rules, forks).follow()


def check_start(res: Res) -> None:
    """Check that a match can begin with the first state."""
    state = res.states[0]
    require(state.scores == (0,) * CLANS, f"score {state.scores}; it is 0 for all")
    require(state.conversion_points == (0,) * CLANS, "scr_acc; it is 0 for all")
    strength = (res.settings["CLAN_INI_MAGIC_STRENGTH"],) * CLANS
    require(state.strength == strength, f"strength {state.strength}; it is {strength}")
    require(len(set(state.cells)) == len(state.cells), "two units stand on the same cell")
    voldemort = _place(state.voldemort)
    for number, unit in enumerate(_units(state)):
        under = chr(state.owners[state.cells[number]])
        where = f"unit {number} of clan {unit.clan} at {unit.at}"
        require(under == str(unit.clan), f"{where} stands on `{under}`")
        require(_distance(unit.at, voldemort) > 1, f"{where} next to Voldemort")
        if number < CLANS:
            require(unit.clan == number, f"{where} is a ghost of another clan")
        else:
            converting = unit.rounds > 0 and unit.next not in (-1, unit.clan)
            idle = unit.rounds == 0 and unit.next == -1
            require(
                (converting or idle) and unit.next < CLANS,
                f"{where} with rounds {unit.rounds}, next {unit.next}",
            )
    for book in state.books:
        alone = state.owners[book] != WALL and book not in state.cells
        require(alone, f"the book at {_place(book)} lies in a wall or under a unit")
    require(_inside(voldemort), f"Voldemort at {voldemort}, on the border")


def _place(cell: int) -> Cell:
    return divmod(cell, SIDE)


def _distance(first: Cell, second: Cell) -> int:
    return max(abs(first[0] - second[0]), abs(first[1] - second[1]))


def _inside(cell: Cell) -> bool:
    return 0 < cell[0] < SIDE - 1 and 0 < cell[1] < SIDE - 1


def _around(cell: Cell) -> Iterator[Cell]:
    for down, right in STEPS:
        near = cell[0] + down, cell[1] + right
        if 0 <= near[0] < SIDE and 0 <= near[1] < SIDE:
            yield near


@attrs.define
class _Unit:
    """A unit within a round, or in a state."""

    clan: int
    at: Cell
    rounds: int
    next: int
    dead: bool = False


def _units(state: Position) -> list[_Unit]:
    cells = map(_place, state.cells)
    return list(map(_Unit, state.clans, cells, state.rounds, state.nexts))


class _Round:
    """One way through a round of a file: its commands carried out, battle by battle."""

    def __init__(self, res: Res, number: int, rules: str, forks: Forks) -> None:
        self.settings = res.settings
        self.before, self.after = res.states[number : number + 2]
        self.here, self.there = _place(self.before.voldemort), _place(self.after.voldemort)
        self.commands = res.commands[number]
        self.number = number
        self.rules = rules
        self.forks = forks
        self.units, self.shown = _units(self.before), _units(self.after)
        self.standing = {unit.at: number for number, unit in enumerate(self.units)}
        # The owners of the cells whose owner was decided in this round, as in a state.
        self.owners: dict[Cell, int] = {}
        self.books = set(map(_place, self.before.books))
        self.points = list(self.before.conversion_points)
        self.read = [0] * CLANS
        # The number of units, by clan.
        self.counts = [sum(unit.clan == clan for unit in self.units) for clan in range(CLANS)]
        # The clan at death and the number of each unit that died, in order.
        self.deaths: list[tuple[int, int]] = []
        # The clan that cast the round's spell; None: no clan has yet.
        self.caster: int | None = None
        # The cells that the spell may have captured, and that nobody has taken since; the number of
        # those that were taken since; and the number of cells that the spell captured.
        self.spell_open: set[Cell] = set()
        self.spell_hidden = 0
        self.spell_quota = 0

    def is_wall(self, cell: Cell) -> bool:
        return self.before.owners[cell[0] * SIDE + cell[1]] == WALL

    def own(self, cell: Cell, owner: int) -> None:
        self.owners[cell] = owner
        if cell in self.spell_open:
            self.spell_open.remove(cell)
            self.spell_hidden += 1

    def die(self, number: int) -> None:
        unit = self.units[number]
        unit.dead = True
        del self.standing[unit.at]
        self.deaths.append((unit.clan, number))
        if number >= CLANS:
            self.counts[unit.clan] -= 1

    # -- commands --------------------------------------------------------------------------

    def follow(self) -> None:
        """Carry out the commands, which must lead to the state after the round."""
        for index, command in enumerate(self.commands):
            self.forks.progress += 1
            fighters = self._carry_out(command, index)
            if fighters is not None:
                self._battle(fighters, index)
        self._end()

    def _battle(self, fighters: tuple[int, int], index: int) -> None:
        """Carry out a battle that chance decides; the outcome that shows is the likelier one."""
        options = [(loser, winner) for winner, loser in (fighters, fighters[::-1])]
        options = [pair for pair in options if self._can_lose(*pair, index)]
        options.sort(key=lambda pair: not self._shows_loss(*pair))
        where = f"{fighters[0]} against {fighters[1]}"
        require(options, f"command {index}: neither can have lost, {where}")
        loser, winner = options[0 if len(options) == 1 or self.forks.choose() else 1]
        self.units[loser].rounds = self.settings["ROUNDS_FOR_CONVERTING"]
        self.units[loser].next = self.units[winner].clan

    def _shows_loss(self, loser: int, winner: int) -> bool:
        """Return whether the state after shows just this conversion."""
        shown = self.shown[loser]
        left = self.settings["ROUNDS_FOR_CONVERTING"] - 1
        clan = self.units[winner].clan
        if left:
            return (shown.rounds, shown.next) == (left, clan)
        return (shown.rounds, shown.clan) == (0, clan)

    def _can_lose(self, loser: int, winner: int, index: int) -> bool:
        """Return whether a conversion that begins here can lead to what the state after shows."""
        if self._shows_loss(loser, winner):
            return True
        shown = self.shown[loser]
        if shown.rounds:
            # Another conversion began later: this one was cancelled before.
            return self._can_be_cancelled(index)
        reached = {self.units[loser].at, *self._steps_of(loser, index)}
        died = shown.at not in reached or any(
            _distance(cell, self.there) <= 1 or _distance(cell, self.here) <= 2 for cell in reached
        )
        return died or self._can_be_cancelled(index)

    def _steps_of(self, number: int, index: int) -> Iterator[Cell]:
        for command in self.commands[index + 1 :]:
            if command.unit == number and command.groups is None:
                yield _step(self.units[number].at, command.direction)

    def _can_be_cancelled(self, index: int) -> bool:
        """Return whether wizards are still to move, one of which may be a comrade."""
        return any(c.groups is None and c.unit >= CLANS for c in self.commands[index + 1 :])

    def _carry_out(self, command: Order, index: int) -> tuple[int, int] | None:
        """Carry out a command; return the two units of its battle if chance decides it."""
        if command.groups is not None:
            self._cast(command, command.groups, index)
            return None
        number, unit = command.unit, self.units[command.unit]
        what = f"command {index}: unit {number}"
        is_ghost = number < CLANS
        require(is_ghost or not command.direction % 2, f"{what}, a wizard, moves diagonally")
        target = _step(unit.at, command.direction)
        off = not (0 <= target[0] < SIDE and 0 <= target[1] < SIDE)
        require(not off, f"{what} leaves the board")
        if _distance(target, self.here) <= 1:
            self.die(number)
            return None
        require(not self.is_wall(target), f"{what} walks into the wall at {target}")
        other_number = self.standing.get(target)
        if other_number is None:
            del self.standing[unit.at]
            self.standing[target] = number
            unit.at = target
            self.own(target, OWNERS[unit.clan])
            if target in self.books:
                self.books.remove(target)
                self.read[unit.clan] += 1
            return None
        other = self.units[other_number]
        require(not is_ghost, f"{what}, a ghost, moves onto unit {other_number}")
        require(not unit.rounds, f"{what}, in conversion, moves onto unit {other_number}")
        if other.clan == unit.clan:
            saves = other_number >= CLANS and other.rounds
            require(saves, f"{what} moves onto its comrade {other_number} for nothing")
            other.rounds, other.next = 0, -1
            return None
        if other_number < CLANS:
            quiet = self.settings["ROUNDS_NO_ATTACK_GHOST"]
            immune = other.next != -1 and self.number - other.next < quiet
            require(not immune, f"{what} attacks ghost {other_number}, which is immune")
            other.rounds += self.settings["ROUNDS_ATTACK_RESTING_GHOST"]
            other.next = self.number
            return None
        require(not other.rounds, f"{what} attacks unit {other_number}, in conversion")
        ours, theirs = (
            self.before.strength[clan] // self.counts[clan] for clan in (unit.clan, other.clan)
        )
        if ours <= 2 * theirs and theirs <= 2 * ours:
            return number, other_number
        loser, clan = (other, unit.clan) if ours > theirs else (unit, other.clan)
        self._convert(loser, clan)
        return None

    def _convert(self, unit: _Unit, clan: int) -> None:
        self.counts[unit.clan] -= 1
        self.counts[clan] += 1
        unit.clan, unit.rounds, unit.next = clan, 0, -1
        self.own(unit.at, OWNERS[clan])
        self.points[clan] += self.settings["POINTS_FOR_CONVERTING_WIZARD"]

    def _cast(self, command: Order, groups: Sequence[int], index: int) -> None:
        what = f"command {index}: unit {command.unit}"
        unit = self.units[command.unit]
        require(command.unit < CLANS, f"{what}, a wizard, casts")
        left = self.settings["NUM_ROUNDS"] - self.number
        require(left > SPELL_FREE_ROUNDS, f"{what} casts in the last {SPELL_FREE_ROUNDS}")
        require(not unit.rounds, f"{what} casts with {unit.rounds} rounds to rest")
        require(self.caster is None, f"{what} casts the round's second spell")
        members: list[list[int]] = [[] for _ in range(5)]
        for group, ingredient in zip(groups, self.before.ingredients, strict=True):
            members[group].append(ingredient)
        right = {len(group) for group in members} == {3} and len({*map(sum, members)}) == 1
        require(right, f"{what} casts with a wrong solution")
        unit.rounds = self.settings["ROUNDS_SPELL_RESTING_GHOST"]
        self.caster = unit.clan
        free = 0
        for at, was in enumerate(self.before.owners):
            cell = _place(at)
            if was == WALL or cell in self.standing:
                continue
            free += 1
            if self.owners.get(cell, was) != OWNERS[unit.clan]:
                self.spell_open.add(cell)
        counted = free if self.rules == "original" else len(self.spell_open)
        self.spell_quota = min(15 * counted // 100, len(self.spell_open))

    # -- the end of the round --------------------------------------------------------------

    def _end(self) -> None:
        """Carry out the round's end, from Voldemort's move on, and compare it with the file."""
        destroyed = self._move_voldemort()
        self._respawn()
        for number, unit in enumerate(self.units):
            if unit.rounds:
                unit.rounds -= 1
                if number >= CLANS and not unit.rounds:
                    self._convert(unit, unit.next)
        self._compare_units()
        self._check_books(destroyed)
        self._check_owners()
        self._check_sums()

    def _move_voldemort(self) -> int:
        self.forks.progress += 1
        here, there = self.here, self.there
        far = [abs(u.at[0] - here[0]) + abs(u.at[1] - here[1]) for u in self.units]
        steps = {
            _towards(here, unit.at)
            for unit, distance in zip(self.units, far, strict=True)
            if distance == min(far)
        }
        require(there in steps, f"Voldemort moves to {there}; he can to {sorted(steps)}")
        destroyed = 0
        for cell in _around(there):
            if not self.is_wall(cell):
                self.own(cell, FREE)
            if cell in self.books:
                self.books.remove(cell)
                destroyed += 1
            if cell in self.standing:
                self.die(self.standing[cell])
        return destroyed

    def _respawn(self) -> None:
        """Let the dead appear on clear cells, one after another in the order of the rules."""
        self.forks.progress += 1
        order = [
            number
            for clan in range(CLANS)
            for had, number in self.deaths
            if had == clan and number >= CLANS
        ]
        order += sorted(number for _, number in self.deaths if number < CLANS)
        things = {*self.standing, *self.books, self.there}
        for number in order:
            unit, shown = self.units[number], self.shown[number]
            cell = shown.at
            what = f"unit {number}, which died, appears at {cell}"
            taken = self.is_wall(cell) or cell in self.standing or cell in self.books
            require(not taken, f"{what}, which is taken")
            if not self._is_clear(cell, things):
                require(not self._any_clear(things), f"{what}, which isn't clear")
                beside = _distance(cell, self.there) <= 1
                require(not beside, f"{what}, next to Voldemort")
            unit.at, unit.dead = cell, False
            self.standing[cell] = number
            things.add(cell)
            if number >= CLANS:
                unit.clan, unit.rounds, unit.next = shown.clan, 0, -1
                self.counts[unit.clan] += 1
            else:
                unit.rounds, unit.next = self.settings["ROUNDS_SPELL_RESTING_GHOST"], -1
            self.own(cell, OWNERS[unit.clan])

    @staticmethod
    def _is_clear(cell: Cell, things: Iterable[Cell]) -> bool:
        return all(_distance(cell, thing) > 2 for thing in things)

    def _any_clear(self, things: set[Cell]) -> bool:
        near = {
            (row + down, col + right)
            for row, col in things
            for down in range(-2, 3)
            for right in range(-2, 3)
        }
        cells = map(_place, range(SIDE * SIDE))
        return any(cell not in near and not self.is_wall(cell) for cell in cells)

    def _compare_units(self) -> None:
        self.forks.progress += 1
        for number, (unit, shown) in enumerate(zip(self.units, self.shown, strict=True)):
            for what, expected, got in (
                ("clan", unit.clan, shown.clan),
                ("place", unit.at, shown.at),
                ("rounds", unit.rounds, shown.rounds),
                ("next", unit.next, shown.next),
            ):
                require(
                    expected == got,
                    f"unit {number} has {what} {got}; by the commands it has {expected}",
                )

    def _check_books(self, destroyed: int) -> None:
        self.forks.progress += 1
        shown = set(map(_place, self.after.books))
        for cell in self.books:
            require(cell in shown, f"the book at {cell} vanishes")
        new = shown - self.books
        wanted = sum(self.read) + destroyed
        require(len(new) == wanted, f"{len(new)} new books; {wanted} were read or destroyed")
        things = {*self.standing, *shown, self.there}
        for cell in new:
            what = f"a book appears at {cell}"
            taken = self.is_wall(cell) or cell in self.standing
            require(not taken, f"{what}, which is taken")
            if not self._is_clear(cell, things - {cell}):
                # That is allowed only if no clear cell was left; then none is left at the end.
                require(not self._any_clear(things), f"{what}, which isn't clear")
                beside = _distance(cell, self.there) <= 1
                require(not beside, f"{what}, next to Voldemort")
        for clan, (had, got) in enumerate(
            zip(self.before.strength, self.after.strength, strict=True)
        ):
            expected = had + self.read[clan] * self.settings["BOOK_MAGIC_STRENGTH"]
            require(got == expected, f"clan {clan} has strength {got}; it is {expected}")

    def _check_owners(self) -> None:
        """Check every cell's owner, and the number of cells that the spell captured."""
        self.forks.progress += 1
        captured = 0
        cells = bytearray(self.before.owners)
        for (row, col), owner in self.owners.items():
            cells[row * SIDE + col] = owner
        for at, (expected, got) in enumerate(zip(cells, self.after.owners, strict=True)):
            if expected == got:
                continue
            cell = _place(at)
            is_captured = cell in self.spell_open and self.caster == got - OWNERS[0]
            require(
                is_captured,
                f"cell {cell} is `{chr(got)}`; by the commands it is `{chr(expected)}`",
            )
            captured += 1
        most = captured + self.spell_hidden
        require(
            captured <= self.spell_quota <= most,
            f"the spell captured from {captured} to {most} cells; it is {self.spell_quota}",
        )

    def _check_sums(self) -> None:
        self.forks.progress += 1
        per_cell = self.settings["POINTS_PER_OWNED_CELL"]
        for clan in range(CLANS):
            points = self.points[clan]
            got = self.after.conversion_points[clan]
            require(points == got, f"clan {clan} has scr_acc {got}; it is {points}")
            cells = self.after.owners.count(OWNERS[clan])
            expected, got = points + per_cell * cells, self.after.scores[clan]
            require(expected == got, f"clan {clan} has score {got}; it is {expected}")


def _step(cell: Cell, direction: int) -> Cell:
    down, right = STEPS[direction]
    return cell[0] + down, cell[1] + right


def _towards(here: Cell, there: Cell) -> Cell:
    """Return Voldemort's step towards a unit (rules/hogwarts.md 10).

    It is along the longer axis. If both are equal, it is the first of Down, Right, Up and Left
    that comes nearer.
    """
    down, right = there[0] - here[0], there[1] - here[1]
    vertical = (here[0] + (1 if down > 0 else -1), here[1])
    horizontal = (here[0], here[1] + (1 if right > 0 else -1))
    if abs(down) != abs(right):
        return vertical if abs(down) > abs(right) else horizontal
    return vertical if down > 0 or right < 0 else horizontal


def _is_drawable(values: tuple[int, ...]) -> bool:
    """Return whether 15 ingredients can come from the generator (rules/hogwarts.md 9.1)."""
    total, remainder = divmod(sum(values), 5)
    if remainder or not 5 <= total <= 30:
        return False
    low, high = total // 4, total // 2

    def can_be_grouped(remaining: list[int]) -> bool:
        if not remaining:
            return True
        first, others = remaining[0], remaining[1:]
        for pair in itertools.combinations(range(len(others)), 2):
            if first + sum(others[index] for index in pair) == total:
                rest = [value for index, value in enumerate(others) if index not in pair]
                if can_be_grouped(rest):
                    return True
        return False

    in_range = all(low <= value <= high for value in values)
    return in_range and can_be_grouped(sorted(values, reverse=True))
