"""Checking a `.res` of Crematoria against the rules, from the file alone, round by round.

The movements of a round are applied in their printed order to its position, and the next position
must be one that the rules allow (docs/rules/crematoria.md 5). The module shares no code with the
ruleset, so that each of them is a check of the other.

The next position shows which units died in a round: a pioneer or furyan then has another player.
It doesn't always show when. So a blow that its victim may or may not survive is a fork.
"""

import functools
import itertools
from collections.abc import Iterable, Sequence

from lanista.games.crematoria.originals import Res
from lanista.games.crematoria.scene import Position
from lanista.games.originals import Forks, UnexplainedError, require

ROWS, COLS = 40, 80
ROCK, ELEVATOR = b"RE"
OWNERS, CAVES = b"0123", b"C0123"
PEOPLE = "pf"
FULL = {"p": 50, "f": 100, "n": 75}
BLOWS = {"f": (25, 50), "n": (20, 40)}
RECOVERY = 5
_OFFSETS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
_RIGHTWARDS = (1, 2, 3)
_UP, _DOWN, _NONE = 8, 9, 10
_NAMES = ("Bottom", "BR", "Right", "RT", "Top", "TL", "Left", "LB", "Up", "Down", "None")

Place = tuple[int, int, int]
"""A cell's row, column and level."""


def begin(res: Res, rules: str) -> None:  # noqa: ARG001 - there is one set of rules
    """Check the first state."""
    check_start(res)


def play_round(game: None, res: Res, number: int, forks: Forks) -> None:  # noqa: ARG001 - the interface's
    """Check that a round's movements lead to the position after it, with these outcomes."""
    _Round(res, number, forks).check()


# -- geometry ------------------------------------------------------------------------------------


def _neighbour(place: Place, direction: int) -> Place | None:
    """Return the place in a direction; None: off the board. Elevators aren't checked."""
    row, col, level = place
    if direction == _UP:
        return None if level else (row, col, 1)
    if direction == _DOWN:
        return (row, col, 0) if level else None
    down, right = _OFFSETS[direction]
    return (row + down, (col + right) % COLS, level) if 0 <= row + down < ROWS else None


@functools.cache  # at most two levels of cells
def _around(place: Place) -> tuple[tuple[int, Place], ...]:
    return tuple((d, near) for d in range(8) if (near := _neighbour(place, d)) is not None)


def _apart(first: Place, second: Place) -> int:
    """Return the distance in king's moves, without regard to levels and rock."""
    cols = abs(first[1] - second[1])
    return max(abs(first[0] - second[0]), min(cols, COLS - cols))


def _place(cell: int) -> Place:
    """Return the place of a cell of a position; that of -1, which is nowhere, is all -1."""
    level, at = divmod(cell, ROWS * COLS)
    return (*divmod(at, COLS), level) if cell >= 0 else (-1, -1, -1)


def _at(place: Place) -> int:
    """Return the index of a place among the cells of its level."""
    return place[0] * COLS + place[1]


def _is_sunlit(place: Place, number: int) -> bool:
    return place[2] == 1 and (place[1] - 2 * number) % COLS >= COLS // 2


def _distances(caves: bytes, targets: Iterable[Place]) -> dict[Place, int]:
    """Return the steps to the nearest target, by place of level 0 from which one can be reached."""
    steps = dict.fromkeys(targets, 0)
    edge = list(steps)
    while edge:
        reached = []
        for place in edge:
            for _, near in _around(place):
                if near not in steps and caves[_at(near)] != ROCK:
                    steps[near] = steps[place] + 1
                    reached.append(near)
        edge = reached
    return steps


# -- the first position --------------------------------------------------------------------------


def check_start(res: Res) -> None:
    """Check that all stand in caves, in full health, far from hellhounds; no necromonger yet."""
    position = res.states[0]
    _check_counts(position)
    require(not any(position.gems), "gems are picked already")
    places = list(map(_place, position.pos))
    hounds = [place for place, kind in zip(places, position.kind, strict=True) if kind == "h"]
    for first, second in itertools.combinations(hounds, 2):
        apart = _apart(first, second)
        require(apart >= 4, f"hellhounds at {first} and {second}, less than 4 apart")
    group = res.settings["nb_furyans"] + res.settings["nb_pioneers"]
    seen: set[Place] = set()
    for number, (kind, player, health, turns, place) in enumerate(
        zip(position.kind, position.player, position.health, position.turns, places, strict=True)
    ):
        if kind == "n":
            alive = health or turns != -1
            require(not alive, f"necromonger {number} was there before the first round")
            continue
        require(place not in seen, f"unit {number} stands at {place} with another")
        seen.add(place)
        ground = position.caves[_at(place)]
        require(place[2] == 0 and ground in CAVES, f"unit {number} at {place} isn't in a cave")
        if kind not in PEOPLE:
            continue
        require(player == number // group, f"unit {number} belongs to player {player}")
        require(health == FULL[kind], f"unit {number} begins with health {health}")
        far = all(_apart(place, hound) >= 4 for hound in hounds)
        require(far, f"unit {number} at {place} is less than 4 from a hellhound")
        if kind == "p":
            require(chr(ground) == str(player), f"pioneer {number} doesn't own its cave")
    for at, (below, above) in enumerate(zip(position.caves, position.outside, strict=True)):
        both = (below == ELEVATOR) == (above == ELEVATOR)
        require(both, f"{divmod(at, COLS)} is an elevator on one level only")


def _check_counts(position: Position) -> None:
    """Check that `nb_cells` is the number of caves that each player owns."""
    counted = tuple(position.caves.count(owner) for owner in OWNERS)
    require(counted == position.cells, f"nb_cells is {position.cells}, but {counted} are owned")


# -- one round -----------------------------------------------------------------------------------


class _Round:
    """One way through a round: its movements applied to a copy of the position before."""

    def __init__(self, res: Res, number: int, forks: Forks) -> None:
        self.settings = res.settings
        before, self.after = res.states[number : number + 2]
        self.before = before
        self.number = before.turn
        self.kinds = before.kind
        self.hounds = [unit for unit, kind in enumerate(self.kinds) if kind == "h"]
        self.slots = [unit for unit, kind in enumerate(self.kinds) if kind == "n"]
        self.people = range(self.slots[0])
        self.player = list(before.player)
        # The least and the most health that each unit can have.
        self.health = [(health, health) for health in before.health]
        self.turns = list(before.turns)
        self.place = {n: _place(cell) for n, cell in enumerate(before.pos) if before.health[n]}
        self.standing = {
            place: unit for unit, place in self.place.items() if before.turns[unit] <= 0
        }
        self.caves = bytearray(before.caves)
        self.gems_lying = _gems(before)
        self.gems = list(before.gems)
        self.doomed = {n for n in range(len(self.kinds)) if self._dies(n)}
        self.dead: set[int] = set()
        self.remaining = list(res.commands[number])
        self.forks = forks

    def _dies(self, unit: int) -> bool:
        """Return whether the next position shows that a unit dies in this round."""
        before, after = self.before, self.after
        if self.kinds[unit] in PEOPLE:
            return before.player[unit] != after.player[unit]
        landed = self.kinds[unit] == "n" and before.health[unit] > 0 and before.turns[unit] == 0
        return landed and (after.health[unit] == 0 or after.turns[unit] > 0)

    def check(self) -> None:
        """Check the round in the phases of docs/rules/crematoria.md 5."""
        self.people_move()
        self.necromongers_act()
        self.necromongers_land()
        self.hellhounds_act()
        if self.remaining:
            unit, _ = self.remaining[0]
            raise UnexplainedError(f"a movement of unit {unit} after the last possible one")
        self.sun_moves()
        self.check_deaths()
        self.check_gems()
        self.check_necromongers()
        self.check_rebirth()
        self.check_rest()

    # What happens to a unit

    def kill(self, unit: int, killer: int, how: str) -> None:
        """Let a unit die, which the next position must show; `killer` is a player, or -1."""
        require(unit in self.doomed, f"unit {unit} {how}, but it lives in the next state")
        if unit in self.people:
            heir = self.after.player[unit]
            require(
                killer in (-1, heir),
                f"unit {unit} {how} of player {killer}, but then belongs to player {heir}",
            )
        self.dead.add(unit)
        del self.standing[self.place.pop(unit)]

    def hit(self, unit: int, by: int, killer: int) -> None:
        """Let a unit take a blow, of which it dies if that is possible and the fork says so."""
        least, most = BLOWS[self.kinds[by]]
        low, high = self.health[unit][0] - most, self.health[unit][1] - least
        heir_fits = killer == -1 or unit not in self.people
        heir_fits = heir_fits or self.after.player[unit] == killer
        may_die = low <= 0 and unit in self.doomed and heir_fits
        may_live = high > 0
        require(
            may_die or may_live,
            f"unit {by}'s blow kills unit {unit} of health {self.health[unit][1]} or less, "
            "which the next state doesn't show",
        )
        if may_die and (not may_live or self.forks.choose(2) == 0):
            self.kill(unit, killer, f"is killed by unit {by}")
        else:
            self.health[unit] = (max(1, low), high)

    def move(self, unit: int, place: Place) -> None:
        del self.standing[self.place[unit]]
        self.standing[place] = unit
        self.place[unit] = place

    # The phases

    def people_move(self) -> None:
        moved: set[int] = set()
        while self.remaining and self.remaining[0][0] in self.people:
            unit, direction = self.remaining.pop(0)
            self.forks.progress += 1
            require(unit not in moved, f"unit {unit} moves twice")
            moved.add(unit)
            require(unit not in self.dead, f"unit {unit} moves, but is dead by then")
            self.execute(unit, direction)

    def execute(self, unit: int, direction: int) -> None:
        """Apply a movement of a pioneer or furyan, which must have been possible."""
        place, seat = self.place[unit], self.player[unit]
        way = f"unit {unit} at {place} goes {_NAMES[direction]}"
        require(direction != _NONE, f"unit {unit} moves by None")
        target = _neighbour(place, direction)
        if target is None:
            raise UnexplainedError(f"{way}, off the board")
        level = target[2]
        if direction in (_UP, _DOWN):
            require(self.caves[_at(place)] == ELEVATOR, f"{way} without an elevator")
        require(level == 1 or self.caves[_at(target)] != ROCK, f"{way} into rock")
        other = self.standing.get(target)
        if other is not None:
            if self.kinds[other] == "h":
                self.kill(unit, -1, "goes to a hellhound")
                return
            require(self.player[other] != seat, f"{way}, where its own unit {other} stands")
            require(self.kinds[unit] == "f", f"{way}, where unit {other} stands")
            self.hit(other, unit, seat)
        elif _is_sunlit(target, self.number):
            self.kill(unit, -1, "steps into the sun")
        elif level == 0 and self.near_hellhound(target):
            self.kill(unit, -1, "steps beside a hellhound")
        else:
            self.move(unit, target)
            if self.kinds[unit] == "p":
                if target in self.gems_lying:
                    self.gems_lying.remove(target)
                    self.gems[seat] += 1
                self.conquer(target, seat)

    def near_hellhound(self, place: Place) -> bool:
        return any(_apart(place, self.place[hound]) == 1 for hound in self.hounds)

    def conquer(self, place: Place, seat: int) -> None:
        if place[2] == 0 and self.caves[_at(place)] != ELEVATOR:
            self.caves[_at(place)] = OWNERS[seat]

    def people_on(self, level: int) -> list[Place]:
        return [
            self.place[unit]
            for unit in self.people
            if unit in self.place and self.place[unit][2] == level
        ]

    def next_of(self, unit: int) -> int:
        """Take the next printed movement, which must be this unit's; return its direction."""
        self.forks.progress += 1
        printed = self.remaining.pop(0) if self.remaining else None
        if printed is None or printed[0] != unit:
            instead = "none" if printed is None else f"one of unit {printed[0]}"
            raise UnexplainedError(
                f"a movement of unit {unit} belongs here, but there is {instead}"
            )
        return printed[1]

    def check_choice(self, unit: int, direction: int, allowed: Sequence[int], why: str) -> None:
        allowed = allowed or [_NONE]
        require(
            direction in allowed,
            f"unit {unit} at {self.place[unit]} goes {_NAMES[direction]}; "
            f"{why}: {', '.join(map(_NAMES.__getitem__, allowed))}",
        )

    def necromongers_act(self) -> None:
        targets = self.people_on(1)
        for unit in self.slots:
            if unit not in self.place or self.turns[unit] != 0:
                continue
            direction = self.next_of(unit)
            around = _around(self.place[unit])
            prey = {
                d: near
                for d, near in around
                if self.standing.get(near, self.slots[0]) in self.people
            }
            if prey:
                self.check_choice(unit, direction, list(prey), "it must attack")
                self.hit(self.standing[prey[direction]], unit, -1)
                continue
            free = {d: near for d, near in around if near not in self.standing}
            if targets:
                far = {
                    d: min(_apart(near, person) for person in targets) for d, near in free.items()
                }
                best = [d for d in far if far[d] == min(far.values())]
            else:
                best = [d for d in free if d in _RIGHTWARDS]
            self.check_choice(unit, direction, best, "it can go")
            if direction == _NONE:
                continue
            if _is_sunlit(free[direction], self.number):
                self.kill(unit, -1, "steps into the sun")
            else:
                self.move(unit, free[direction])

    def necromongers_land(self) -> None:
        for unit in self.slots:
            if unit in self.place and self.turns[unit] > 0:
                self.turns[unit] -= 1
                if self.turns[unit] == 0:
                    below = self.standing.get(self.place[unit])
                    if below is not None:
                        self.kill(below, -1, f"is crushed by necromonger {unit}")
                    self.standing[self.place[unit]] = unit

    def hellhounds_act(self) -> None:
        steps = _distances(self.before.caves, self.people_on(0))
        for unit in self.hounds:
            direction = self.next_of(unit)
            others = [self.place[other] for other in self.hounds if other != unit]
            free = {
                d: near
                for d, near in _around(self.place[unit])
                if self.caves[_at(near)] != ROCK and all(_apart(near, o) >= 2 for o in others)
            }
            far = {d: steps[near] for d, near in free.items() if near in steps}
            best = [d for d in far if far[d] == min(far.values())] or list(free)
            self.check_choice(unit, direction, best, "it can go")
            if direction == _NONE:
                continue
            place = free[direction]
            if place in self.standing:
                self.kill(self.standing[place], -1, f"is run over by hellhound {unit}")
            self.move(unit, place)
            for _, near in _around(place):
                prey = self.standing.get(near)
                if prey is not None and prey in self.people:
                    self.kill(prey, -1, f"is devoured by hellhound {unit}")

    def sun_moves(self) -> None:
        burning = [(2 * self.number + right) % COLS for right in (0, 1)]
        self.gems_lying = {place for place in self.gems_lying if place[1] not in burning}
        for place, unit in list(self.standing.items()):
            if place[2] == 1 and place[1] in burning:
                self.kill(unit, -1, "burns in the sun")

    # What the next position shows

    def check_deaths(self) -> None:
        self.forks.progress += 1
        for unit in sorted(self.doomed - self.dead):
            what = "gets another player" if unit in self.people else "is gone"
            raise UnexplainedError(f"unit {unit} {what}, but nothing killed it")

    def darkening(self, place: Place) -> bool:
        """Return whether the night reaches a place now, and it is outside and no elevator."""
        in_columns = (place[1] - 2 * self.number - COLS // 2) % COLS < 2
        return place[2] == 1 and in_columns and self.before.outside[_at(place)] != ELEVATOR

    def check_gems(self) -> None:
        self.forks.progress += 1
        shown = _gems(self.after)
        require(
            shown >= self.gems_lying,
            f"the gem at {min(self.gems_lying - shown, default=0)} is gone",
        )
        fresh = sorted(shown - self.gems_lying)
        require(len(fresh) <= 1, f"gems appear at {fresh}; at most one does in a round")
        for place in fresh:
            require(
                self.darkening(place),
                f"a gem appears at {place}, outside of the two columns that the night reaches",
            )
        require(self.before.outside == self.after.outside, "level 1 has changed")
        require(
            tuple(self.gems) == self.after.gems,
            f"nb_gems is {self.after.gems}; by the movements it is {tuple(self.gems)}",
        )

    def check_necromongers(self) -> None:
        """Check that at most one new necromonger appears, and that the dead stay as they are."""
        self.forks.progress += 1
        alive = sum(self.before.health[unit] > 0 for unit in self.slots)
        fresh = 0
        for unit in self.slots:
            if unit in self.place:
                continue
            turns = 0 if unit in self.dead else self.turns[unit]
            if not self.after.health[unit]:
                shown = self.after.turns[unit]
                require(shown == turns, f"dead unit {unit} shows turns {shown}")
                continue
            fresh += 1
            self.place[unit] = place = _place(self.after.pos[unit])
            self.turns[unit] = self.settings["turns_to_land"]
            self.health[unit] = (FULL["n"], FULL["n"])
            require(
                self.darkening(place) and place not in _gems(self.after),
                f"necromonger {unit} appears over {place}, which isn't a gemless outside cell "
                "of the two columns that the night reaches",
            )
        full = alive >= len(self.slots)
        require(fresh <= (not full), f"{fresh} necromongers appear, with {alive} alive before")

    def check_rebirth(self) -> None:
        self.forks.progress += 1
        reborn = {unit: _place(self.after.pos[unit]) for unit in self.people if unit in self.dead}
        hounds = [self.place[hound] for hound in self.hounds]
        others = self.people_on(0)
        for unit, place in reborn.items():
            in_cave = place[2] == 0 and self.caves[_at(place)] in CAVES
            require(in_cave, f"unit {unit} is reborn at {place}, which is no cave")
            require(place not in self.standing, f"unit {unit} is reborn onto another at {place}")
            new = [cave for other, cave in reborn.items() if other != unit]
            far = all(_apart(place, hound) >= 4 for hound in hounds)
            far = far and all(_apart(place, other) >= 2 for other in (*others, *new))
            if not far:
                self.check_crowd(unit, place, hounds, others, list(reborn.values()))
            health = self.after.health[unit]
            full = FULL[self.kinds[unit]]
            require(health == full, f"unit {unit} is reborn with health {health}")
        for unit, place in reborn.items():
            self.player[unit] = self.after.player[unit]
            self.health[unit] = (FULL[self.kinds[unit]],) * 2
            require(place not in self.standing, f"two units are reborn at {place}")
            self.place[unit] = place
            self.standing[place] = unit
            if self.kinds[unit] == "p":
                self.conquer(place, self.player[unit])

    def check_crowd(
        self,
        unit: int,
        place: Place,
        hounds: Sequence[Place],
        others: Sequence[Place],
        reborn: Sequence[Place],
    ) -> None:
        """Check that a unit is reborn near others only if no cave was far enough from all."""
        for row, col in itertools.product(range(ROWS), range(COLS)):
            cave = (row, col, 0)
            if (
                self.caves[_at(cave)] in CAVES
                and all(_apart(cave, hound) >= 4 for hound in hounds)
                and all(_apart(cave, other) >= 2 for other in (*others, *reborn))
            ):
                raise UnexplainedError(f"unit {unit} is reborn at {place}, too near to others")

    def check_rest(self) -> None:
        """Check each unit's place, player, health and turns, then the caves and their number."""
        self.forks.progress += 1
        after = self.after
        for unit, (player, health, turns, cell) in enumerate(
            zip(after.player, after.health, after.turns, after.pos, strict=True)
        ):
            what = f"unit {unit}"
            place = self.place.get(unit, (-1, -1, -1))
            require(_place(cell) == place, f"{what} is at {_place(cell)}; expected {place}")
            expected = self.player[unit]
            require(player == expected, f"{what} belongs to player {player}; expected {expected}")
            if unit in self.place:
                expected = self.turns[unit]
                require(turns == expected, f"{what} has turns {turns}; expected {expected}")
                self.check_health(unit, health)
        for at, (got, wanted) in enumerate(zip(after.caves, self.caves, strict=True)):
            if got != wanted:
                raise UnexplainedError(
                    f"{divmod(at, COLS)} of level 0 is `{chr(got)}`; expected `{chr(wanted)}`"
                )
        _check_counts(after)

    def check_health(self, unit: int, shown: int) -> None:
        kind = self.kinds[unit]
        if kind == "h":
            return
        low, high = (min(FULL[kind], health + RECOVERY) for health in self.health[unit])
        expected = f"{low}" if low == high else f"{low} to {high}"
        require(
            low <= shown <= high,
            f"unit {unit} has health {shown}; expected {expected}",
        )


def _gems(position: Position) -> set[Place]:
    return set(map(_place, position.gems_lying))
