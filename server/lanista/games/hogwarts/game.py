"""A game of Hogwarts: orders, Voldemort, respawn, scores (rules/hogwarts.md 5 to 12).

The state consists of flat lists by unit and by cell, because a match of 200 rounds should take no
longer than in the original program. Every random draw comes in that program's order, so a game
with the setting `original` 1 is the original's game, byte for byte.
"""

import copy
import functools
import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence

import attrs

from lanista.games.base import (
    Answer,
    BadBoardError,
    Submove,
    Token,
    Verdict,
    spaced,
)
from lanista.games.chance import Chance, OriginalChance
from lanista.games.hogwarts import orders, scene
from lanista.games.hogwarts.board import (
    AROUND,
    CELLS,
    CLANS,
    COL,
    DOWN,
    FREE,
    LEFT,
    MAX_WIZARDS,
    NEAR,
    OUTSIDE,
    OWNERS,
    RIGHT,
    ROW,
    SIDE,
    SPELL_FREE_ROUNDS,
    UP,
    WALL,
    Board,
    corridors_of,
)
from lanista.games.hogwarts.generator import Places, draw_ingredients, draw_some
from lanista.games.hogwarts.orders import STRAIGHT, Order
from lanista.games.hogwarts.scene import Position
from lanista.games.outcome import Outcome, by_score
from lanista.games.picture import Frame, Scene

NOBODY = -1
_WALLED, _BEYOND = -2, -3
"""The values of cells without a unit that are a wall, or outside the board."""
_PLACES = tuple(f"{ROW[cell]} {COL[cell]}" for cell in range(CELLS))
_UNITS = tuple(
    tuple(f"unit {unit} {'w' if unit >= CLANS else 'g'} {clan} " for clan in range(CLANS))
    for unit in range(CLANS * (1 + MAX_WIZARDS))
)
"""The part of a unit's fact that depends only on the unit and its clan."""
_BOOKS = tuple(f"book {place}\n" for place in _PLACES)
_OWN = tuple(f"own {row} ".encode() for row in range(SIDE))
_APART = tuple(tuple(abs(one - other) for other in range(SIDE)) for one in range(SIDE))
"""By two rows, or two columns, how far apart they are."""
_SPANS = tuple(slice(row * SIDE, (row + 1) * SIDE) for row in range(SIDE))
_EMPTY = bytes((_WALLED if code == WALL else NOBODY) % 256 for code in range(256))
_PLAN = bytes(WALL if code == WALL else FREE for code in range(256))
_NOT_OF = {own: bytes(code not in (WALL, own) for code in range(256)) for own in OWNERS}
"""Maps, by a clan's code, from codes of cells to 1 for corridors that the clan doesn't own."""


@attrs.define(eq=False)
class Hogwarts:
    """A game of Hogwarts in progress; its public attributes, the visible state, may be read.

    Units 0 to 3 are the ghosts of these clans, then come the wizards; cells are `row * 60 + col`.
    """

    settings: Mapping[str, int]
    board: Board
    """The position at the start of the game."""
    chance: Chance = attrs.field(repr=False)
    turn: int = 0
    owners: bytearray = attrs.field(init=False, repr=False)
    """By cell: `W` wall, `.` corridor without owner, `0` to `3` corridor of that clan."""
    clans: list[int] = attrs.field(init=False)
    """By unit, its clan."""
    cells: list[int] = attrs.field(init=False)
    """By unit, its cell."""
    rounds: list[int] = attrs.field(init=False)
    """By unit: for a wizard, rounds until it changes clan, or 0; for a ghost, rounds of rest."""
    nexts: list[int] = attrs.field(init=False)
    """By unit: for a wizard, its next clan; for a ghost, the last attack's round; or -1."""
    books: set[int] = attrs.field(init=False)
    """The cells with a book."""
    ingredients: tuple[int, ...] = attrs.field(init=False)
    voldemort: int = attrs.field(init=False)
    strength: list[int] = attrs.field(init=False)
    """By clan, its strength points, not divided by the number of its units."""
    conversion_points: list[int] = attrs.field(init=False)
    """By clan, its points for conversions: the part of the score that never decreases."""
    unit_at: list[int] = attrs.field(init=False, repr=False)
    """By cell: a unit, NOBODY or _WALLED; the last one, which index OUTSIDE reaches, is _BEYOND."""
    executed: tuple[Order, ...] = ()
    """The orders that had an effect in the last round, in the order of execution."""
    idle: dict[int, str] = attrs.field(init=False, factory=dict, repr=False)
    """Why orders of the last round had no effect, by unit."""
    _before: Position | None = attrs.field(init=False, default=None, repr=False)
    _scores: tuple[int, ...] = attrs.field(init=False, default=(0,) * CLANS)
    _original: bool = attrs.field(init=False)
    _settings: str = attrs.field(init=False, repr=False)  # as they are in the digest
    _corridors: int = attrs.field(init=False, repr=False)
    _owned: dict[int, int] = attrs.field(init=False)  # by code in `owners`, its cells; no walls
    _units_of: list[int] = attrs.field(init=False)  # by clan: its living units, with the ghost
    # Collected during a round for its last steps:
    _danger: frozenset[int] = attrs.field(init=False, repr=False)  # Voldemort's 3x3
    _dead: list[int] = attrs.field(init=False, factory=list)  # in the order of their deaths
    _read: list[int] = attrs.field(init=False, factory=lambda: [0] * CLANS)  # by clan: books read
    _spell_cast: bool = attrs.field(init=False, default=False)
    _facts: bytes | None = attrs.field(init=False, default=None, repr=False)

    def __attrs_post_init__(self) -> None:
        board, settings = self.board, self.settings
        for name, needed in board.needs.items():
            if settings[name] != needed:
                raise BadBoardError(
                    f"the board needs the setting {name} {needed}, which is {settings[name]}"
                )
        self._original = bool(settings["original"])
        self._settings = repr(tuple(settings.items()))
        self.owners = bytearray(board.cells)
        self.clans = [unit.clan for unit in board.units]
        self.cells = [unit.cell for unit in board.units]
        self.rounds = [unit.rounds for unit in board.units]
        self.nexts = [unit.next for unit in board.units]
        self.books = set(board.books)
        self.ingredients = board.ingredients
        self.voldemort = board.voldemort
        self.strength = [settings["CLAN_INI_MAGIC_STRENGTH"]] * CLANS
        self.conversion_points = [0] * CLANS
        self._corridors = corridors_of(board.cells)
        self.unit_at = memoryview(board.cells.translate(_EMPTY)).cast("b").tolist()
        self.unit_at.append(_BEYOND)
        self._owned = {code: board.cells.count(code) for code in (FREE, *OWNERS)}
        for unit, cell in enumerate(self.cells):
            self.unit_at[cell] = unit
        self._units_of = [self.clans.count(clan) for clan in range(CLANS)]
        self._danger = frozenset((self.voldemort, *AROUND[self.voldemort]))

    # -- answers -------------------------------------------------------------------------------

    def parse(self, seat: int, tokens: Sequence[Token]) -> Answer:
        """Read `m ID D` and `s ID g1 … g15` (PROTOCOL.md 5), as `orders.judged` does."""
        return orders.judged(seat, self.clans, self.ingredients, tokens)

    def decode(self, seat: int, tokens: Sequence[Token]) -> Iterator[Submove]:  # noqa: ARG002 - words don't depend on it
        """Yield the submoves in words."""
        return orders.decode(self.cells, tokens)

    # -- playing -------------------------------------------------------------------------------

    def advance(self, turn: Sequence[Verdict]) -> None:
        """Carry out a round (rules/hogwarts.md 5); a seat without a usable answer has no orders."""
        self._facts = None
        self._before = self.seen()
        self._dead = []
        self._read = [0] * CLANS
        self._spell_cast = False
        self.executed = self._execute(
            [verdict.orders if isinstance(verdict, Answer) else () for verdict in turn]
        )
        destroyed = self._move_voldemort()
        if self._dead or destroyed or any(self._read):
            # From here on nothing leaves the board, so free places only become fewer.
            places = self.places()
            self._respawn(places)
            self._end_waiting()
            self._renew_books(places, destroyed)
        else:
            self._end_waiting()
        per_cell = self.settings["POINTS_PER_OWNED_CELL"]
        self._scores = tuple(
            points + per_cell * self._owned[owner]
            for points, owner in zip(self.conversion_points, OWNERS, strict=True)
        )
        self.ingredients = draw_ingredients(self.chance)
        self.turn += 1

    def _execute(self, queues: Sequence[Sequence[Order]]) -> tuple[Order, ...]:
        """Carry out step 2: one order after another, each of a random player with any left."""
        below, move, cast = self.chance.below, self._move, self._cast
        waiting = [list(reversed(queue)) for queue in queues if queue]
        players = len(waiting)
        executed: list[Order] = []
        idle = self.idle = {}
        while players:
            player = below(players, "whose order")
            queue = waiting[player]
            order = queue.pop()
            if not queue:
                del waiting[player]
                players -= 1
            unit, direction, groups = order
            why = move(unit, direction) if groups is None else cast(unit, groups)
            if why is None:
                executed.append(order)
            else:
                idle[unit] = why
        return tuple(executed)

    def _move(self, unit: int, direction: int) -> str | None:
        """Carry out a move if it passes the checks of section 6; return why if it doesn't."""
        if direction not in STRAIGHT:
            if not 0 <= direction < orders.DIRECTIONS:
                return "there is no such direction"
            if unit >= CLANS:
                return "only ghosts move diagonally"
        cell = self.cells[unit]
        target = NEAR[direction][cell]
        if target in self._danger:
            # This precedes the test for walls: a step into a wall next to Voldemort kills too.
            self._die(unit)
            return None
        unit_at = self.unit_at
        other = unit_at[target]
        if other != NOBODY:
            return self._meet(unit, other)
        # 6.6: the new cell becomes the clan's, and a book on it is read.
        clan = self.clans[unit]
        unit_at[cell] = NOBODY
        unit_at[target] = unit
        self.cells[unit] = target
        if self.owners[target] != OWNERS[clan]:
            self._own(target, OWNERS[clan])
        if target in self.books:
            self.books.remove(target)
            self._read[clan] += 1
        return None

    def _own(self, cell: int, code: int) -> None:
        """Give a corridor to the clan with this code, with FREE to nobody."""
        self._owned[self.owners[cell]] -= 1
        self._owned[code] += 1
        self.owners[cell] = code

    def _meet(self, unit: int, other: int) -> str | None:
        """Carry out a move to where another unit stands, or nothing can; return why it has none."""
        if other == _BEYOND:
            return "the board ends there"
        if other == _WALLED:
            return "a wall is there"
        if unit < CLANS:
            return "the cell was taken, and ghosts don't fight"
        if self.rounds[unit]:
            return "the cell was taken, and a wizard that is changing its clan doesn't fight"
        if self.clans[other] == self.clans[unit]:
            return self._cancel(other)
        return self._attack_ghost(other) if other < CLANS else self._battle(unit, other)

    def _die(self, unit: int) -> None:
        """Take a unit off the board, and a wizard out of its clan; `cells` keeps its last cell."""
        self.unit_at[self.cells[unit]] = NOBODY
        self._dead.append(unit)
        if unit >= CLANS:
            self._units_of[self.clans[unit]] -= 1

    def _cancel(self, other: int) -> str | None:
        """Carry out 6.9: end the conversion of a wizard of the same clan."""
        if other < CLANS or not self.rounds[other]:
            return "a unit of its own clan was there"
        self.rounds[other], self.nexts[other] = 0, NOBODY
        return None

    def _attack_ghost(self, ghost: int) -> str | None:
        """Carry out section 8: a ghost rests longer, unless it was attacked recently."""
        last = self.nexts[ghost]
        if last != -1 and self.turn - last < self.settings["ROUNDS_NO_ATTACK_GHOST"]:
            return "that ghost was attacked too recently"
        self.rounds[ghost] += self.settings["ROUNDS_ATTACK_RESTING_GHOST"]
        self.nexts[ghost] = self.turn
        return None

    def _battle(self, attacker: int, defender: int) -> str | None:
        """Carry out section 7: one of two wizards is converted, at once or over some rounds."""
        if self.rounds[defender]:
            return "that wizard is changing its clan already"
        ours, theirs = self._magic(self.clans[attacker]), self._magic(self.clans[defender])
        instantly = ours > 2 * theirs or theirs > 2 * ours
        wins = ours > theirs if instantly else self._wins(ours, theirs)
        winner, loser = (attacker, defender) if wins else (defender, attacker)
        if instantly:
            self._change_clan(loser, self.clans[winner])
        else:
            self.rounds[loser] = self.settings["ROUNDS_FOR_CONVERTING"]
            self.nexts[loser] = self.clans[winner]
        return None

    def _magic(self, clan: int) -> int:
        """Return the present magic strength of a clan (section 2)."""
        return self.strength[clan] // self._units_of[clan]

    def _wins(self, ours: int, theirs: int) -> bool:
        """Draw whether the attacker wins a battle of similar strengths (7.1; 18, rows 3 and 4)."""
        below = self.chance.below
        if below(101 if self._original else 100, "surprise") < 30:
            return True
        total = ours + theirs
        if self._original:
            share = 1000 * ours / total if total else 500.0
            return below(1001, "battle") < share
        if not total:
            return below(2, "battle") < 1
        # The generator's ranges are limited to a million, so greater strengths are scaled down.
        scale = total // OriginalChance.MAX_RANGE + 1
        return below(total // scale, "battle") < ours // scale

    def _change_clan(self, wizard: int, clan: int) -> None:
        """Complete a conversion: the new clan gets the wizard, its cell and points."""
        self._units_of[self.clans[wizard]] -= 1
        self._units_of[clan] += 1
        self.clans[wizard] = clan
        self._own(self.cells[wizard], OWNERS[clan])
        self.conversion_points[clan] += self.settings["POINTS_FOR_CONVERTING_WIZARD"]

    def _cast(self, unit: int, groups: Sequence[int]) -> str | None:
        """Cast a spell if it passes the checks of section 9; return why if it doesn't."""
        if unit >= CLANS:
            return "only ghosts cast spells"
        if self._is_late_for_spells():
            return f"there are no spells in the last {SPELL_FREE_ROUNDS} rounds"
        if self.rounds[unit]:
            return "the ghost rests"
        if self._spell_cast:
            return "another spell was cast before it in this round"
        if orders.spell_fault(groups, self.ingredients) is not None:
            return "the solution is wrong"
        self._spell_cast = True
        self.rounds[unit] = self.settings["ROUNDS_SPELL_RESTING_GHOST"]
        own = OWNERS[self.clans[unit]]
        others = self.open_to_spell(own)
        # The original takes 15 % of more cells than its rules text says (18, row 1).
        without_unit = sum(self._owned.values()) - len(self.cells) + len(self._dead)
        quota = 15 * (without_unit if self._original else len(others)) // 100
        for cell in draw_some(self.chance, others, min(quota, len(others))):
            self._own(cell, own)
        return None

    def open_to_spell(self, own: int) -> list[int]:
        """Return the corridors without a unit that aren't of the clan with this code (9.3)."""
        is_open = self.owners.translate(_NOT_OF[own])
        for cell in self._standing():
            is_open[cell] = False
        return list(itertools.compress(range(CELLS), is_open))

    def _standing(self) -> list[int]:
        """Return the cells of the living units."""
        return [cell for unit, cell in enumerate(self.cells) if self.unit_at[cell] == unit]

    def _move_voldemort(self) -> int:
        """Carry out section 10, and return the number of books that Voldemort destroyed."""
        distances = self.distances()
        nearest = min(distances)
        count = distances.count(nearest)
        unit = -1
        for _ in range(self.chance.below(count, "Voldemort's target") + 1):
            unit = distances.index(nearest, unit + 1)
        self.voldemort = step_towards(self.voldemort, self.cells[unit])
        around = AROUND[self.voldemort]
        self._danger = frozenset((self.voldemort, *around))
        destroyed = 0
        for cell in around:
            unit = self.unit_at[cell]
            if unit != _WALLED and self.owners[cell] != FREE:
                self._own(cell, FREE)
            if cell in self.books:
                self.books.remove(cell)
                destroyed += 1
            elif unit >= 0:
                self._die(unit)
        return destroyed

    def distances(self) -> list[int]:
        """Return how far each unit is from Voldemort; the dead count where they were last."""
        down, right = _APART[ROW[self.voldemort]], _APART[COL[self.voldemort]]
        return [down[ROW[cell]] + right[COL[cell]] for cell in self.cells]

    def places(self) -> Places:
        """Return where something can appear now."""
        return Places.of(self._corridors, (*self._standing(), *self.books), self.voldemort)

    def returning(self) -> list[int]:
        """Return the round's dead in the order in which they come back (section 11)."""
        ghosts = sorted(unit for unit in self._dead if unit < CLANS)
        wizards = [unit for unit in self._dead if unit >= CLANS]
        return sorted(wizards, key=self.clans.__getitem__) + ghosts

    def _respawn(self, places: Places) -> None:
        """Carry out step 5: the dead come back."""
        for unit in self.returning():
            cell = places.draw(self.chance)
            if unit < CLANS:
                self.rounds[unit] = self.settings["ROUNDS_SPELL_RESTING_GHOST"]
            else:
                clan = self.clans[unit] = self.chance.below(CLANS, "new clan")
                self._units_of[clan] += 1
                self.rounds[unit] = 0
            self.nexts[unit] = NOBODY
            self.cells[unit] = cell
            self.unit_at[cell] = unit
            self._own(cell, OWNERS[self.clans[unit]])

    def _end_waiting(self) -> None:
        """Carry out steps 6 and 7: ghosts rest one round less, and conversions are completed."""
        rounds = self.rounds
        for unit, left in enumerate(rounds):
            if left:
                rounds[unit] = left - 1
                if left == 1 and unit >= CLANS:
                    self._change_clan(unit, self.nexts[unit])
                    self.nexts[unit] = NOBODY

    def _renew_books(self, places: Places, destroyed: int) -> None:
        """Carry out step 8: books that were read give strength, and vanished books reappear."""
        for clan, read in enumerate(self._read):
            self.strength[clan] += read * self.settings["BOOK_MAGIC_STRENGTH"]
            for _ in range(read):
                self.books.add(places.draw(self.chance))
        for _ in range(destroyed):
            self.books.add(places.draw(self.chance))

    # -- looking ahead (rules.search) ----------------------------------------------------------

    def copy(self) -> "Hogwarts":
        """Return a game that goes on independently of this one, with the same draws to come."""
        other = copy.copy(self)
        other.chance = copy.copy(self.chance)
        other.owners = self.owners[:]
        other.clans = self.clans[:]
        other.cells = self.cells[:]
        other.rounds = self.rounds[:]
        other.nexts = self.nexts[:]
        other.books = self.books.copy()
        other.strength = self.strength[:]
        other.conversion_points = self.conversion_points[:]
        other.unit_at = self.unit_at[:]
        other._owned = self._owned.copy()  # noqa: SLF001 - its own class
        other._units_of = self._units_of[:]  # noqa: SLF001 - its own class
        return other

    def legal(self, seat: int) -> dict[int, list[tuple[int | str, ...]]]:
        """Return the orders of each unit of a clan that can have an effect, by unit.

        A move into a wall has one only next to Voldemort, where it kills. A ghost that may cast the
        round's spell gets one solution, as good as all others.
        """
        owners, danger = self.owners, self._danger
        found: dict[int, list[tuple[int | str, ...]]] = {
            unit: [
                ("m", unit, direction)
                for direction in range(0, orders.DIRECTIONS, 1 if unit < CLANS else 2)
                if (target := NEAR[direction][cell]) != OUTSIDE
                and (owners[target] != WALL or target in danger)
            ]
            for unit, (clan, cell) in enumerate(zip(self.clans, self.cells, strict=True))
            if clan == seat
        }
        for unit in range(CLANS):
            if unit in found and not self.rounds[unit] and not self._is_late_for_spells():
                groups = orders.solution(self.ingredients)
                if groups is not None:
                    found[unit].append(("s", unit, *groups))
        return found

    def _is_late_for_spells(self) -> bool:
        return self.settings["NUM_ROUNDS"] - self.turn <= SPELL_FREE_ROUNDS

    def resume(self, turn: int, strength: Sequence[int], scores: Sequence[int]) -> None:
        """Put a new game on this board into a later round; strength and scores are by clan."""
        self.turn, self.strength, self._scores = turn, list(strength), tuple(scores)
        if turn:  # before the first round the scores are 0, whatever the clans own
            per_cell = self.settings["POINTS_PER_OWNED_CELL"]
            self.conversion_points = [
                score - per_cell * self._owned[owner]
                for score, owner in zip(scores, OWNERS, strict=True)
            ]

    # -- outcome, facts, views -----------------------------------------------------------------

    def outcome(self) -> Outcome | None:
        """Return the outcome after the last round; equal scores share a rank (18, row 25)."""
        if self.turn < self.settings["NUM_ROUNDS"]:
            return None
        return by_score(self._scores, "rounds")

    def scores(self) -> tuple[int, ...]:
        """Return the score of each clan at the end of the last round."""
        return self._scores

    def facts_at_start(self, seat: int) -> bytes:  # noqa: ARG002 - the same for all
        """Return size and walls (PROTOCOL.md 5)."""
        lines = [f"size {SIDE} {SIDE}"]
        plan = self.board.cells.translate(_PLAN).decode()
        lines += [f"row {row} {plan[span]}" for row, span in enumerate(_SPANS)]
        return ("\n".join(lines) + "\n").encode()

    def facts(self, seat: int) -> bytes:  # noqa: ARG002 - the same for all
        """Return the whole position (PROTOCOL.md 5), one object for all seats."""
        if self._facts is None:
            self._facts = self._position_facts()
        return self._facts

    def _position_facts(self) -> bytes:
        owners = bytes(self.owners)
        rows = [own + owners[row] + b"\n" for own, row in zip(_OWN, _SPANS, strict=True)]
        lines = [
            f"{_UNITS[unit][clan]}{_PLACES[cell]}{_waits(rounds, next_)}"
            for unit, (clan, cell, rounds, next_) in enumerate(
                zip(self.clans, self.cells, self.rounds, self.nexts, strict=True)
            )
        ]
        lines += [_BOOKS[cell] for cell in sorted(self.books)]
        lines += [
            f"voldemort {_PLACES[self.voldemort]}\n",
            f"spell {spaced(self.ingredients)}\n",
            f"strength {spaced(self.strength)}\n",
            f"score {spaced(self._scores)}\n",
        ]
        return b"".join(rows) + "".join(lines).encode()

    def digest(self) -> str:
        """Return a hash of settings, position, points, chance and outcome."""
        # The state decides all draws still to come; a test's source of chance may have none.
        to_come = getattr(self.chance, "state", None)
        hidden = f"({self.turn}, {self._settings}, {self.conversion_points}, {to_come})".encode()
        return hashlib.blake2b(self.facts(0) + hidden, digest_size=8).hexdigest()

    def seen(self) -> Position:
        """Return a copy of the position for viewers and files."""
        return Position(
            self.turn,
            bytes(self.owners),
            self.clans[:],
            self.cells[:],
            self.rounds[:],
            self.nexts[:],
            frozenset(self.books),
            self.ingredients,
            self.voldemort,
            self.strength[:],
            self.conversion_points[:],
            self._scores,
        )

    def scene(self) -> Scene:
        """Return the walls."""
        return scene.scene(self.board.cells)

    def frame(self) -> Frame:
        """Return units, books, Voldemort and owned cells, with the events of the last round."""
        frame = scene.frame(self.seen(), self._before, self.executed, self.settings)
        return attrs.evolve(frame, idle=self.idle)


@functools.lru_cache(maxsize=4096)
def _waits(rounds: int, next_: int) -> str:
    return f" {rounds} {next_}\n"


def step_towards(voldemort: int, target: int) -> int:
    """Return Voldemort's next cell on his way to a target (section 10)."""
    down, right = ROW[target] - ROW[voldemort], COL[target] - COL[voldemort]
    if abs(down) > abs(right):
        direction = DOWN if down > 0 else UP
    elif abs(right) > abs(down):
        direction = RIGHT if right > 0 else LEFT
    elif down > 0:
        direction = DOWN
    elif right > 0:
        direction = RIGHT
    else:
        direction = UP
    return NEAR[direction][voldemort]
