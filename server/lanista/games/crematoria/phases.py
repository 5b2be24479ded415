"""One round of Crematoria, phase by phase and draw for draw (rules/crematoria.md 5).

`Crematoria.parse` has already checked the players' orders: here they are pairs (unit, direction),
with each unit at most once. Each phase is a function that changes the state.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from lanista.games.chance import nth_member, permutation, permutation_start
from lanista.games.crematoria.board import (
    BR,
    COLS,
    ELEVATOR,
    LEVEL,
    NEAR,
    NIGHT,
    NONE,
    OWNED,
    RIGHT,
    RT,
    UP,
    apart_after_step,
    bits_of,
    cells_of,
    far_from_hellhounds,
    is_sunlit,
    square,
    widened,
)
from lanista.games.crematoria.state import (
    FREE,
    HELLHOUND,
    MAX_HEALTH,
    NECROMONGER,
    NOBODY,
    PIONEER,
    ROCKY,
    State,
)

Orders = Sequence[tuple[int, int]]
"""A player's orders of a round, as (id, direction), with directions from 0 to 9."""
FURYAN_DAMAGE = range(25, 51)
NECROMONGER_DAMAGE = range(20, 41)
RECOVERY = 5
INVERSE_GEM_PROBABILITY = 4
INVERSE_NECROMONGER_PROBABILITY = 2
_RIGHTWARDS = (BR, RIGHT, RT)


def play_round(
    state: State, turn: int, settings: Mapping[str, int], orders: Sequence[Orders]
) -> None:
    """Carry out the round that leads from the position of `turn` to the next one."""
    state.moved = []
    state.idle = {}
    state.dead = []
    slots = state.health[state.necromongers.start : state.necromongers.stop]
    was_full = 0 not in slots
    people_move(state, turn, orders)
    necromongers_act(state, turn)
    necromongers_land(state)
    hellhounds_act(state)
    sun_moves(state, turn)
    gem_appears(state, turn)
    if not was_full:
        necromonger_appears(state, turn, settings["turns_to_land"])
    dead_are_reborn(state)
    all_recover(state)


def burning(turn: int) -> int:
    """Return the left one of the two columns that the sun reaches in this round."""
    return 2 * turn % COLS


def _darkening(state: State, turn: int) -> tuple[int, ...]:
    """Return the outside cells, without elevators, of the two columns that enter the night."""
    return state.board.columns[(burning(turn) + NIGHT) % COLS // 2]


# -- players -------------------------------------------------------------------------------------


def people_move(state: State, turn: int, orders: Sequence[Orders]) -> None:
    """Carry out phase 5.1: first orders, with players in random order, then second ones, etc."""
    # With -1, which is nobody's target.
    near_hounds = {cell for unit in state.hellhounds for cell in NEAR[state.pos[unit]][:UP]}
    left, shortest = list(orders), 0
    for slot in range(max(map(len, orders))):
        if slot >= shortest:
            left = [of_seat for of_seat in left if len(of_seat) > slot]
            shortest = min(map(len, left))
        for index in permutation(state.chance, len(left), "order of players"):
            _execute(state, turn, near_hounds, left[index][slot])


def _execute(
    state: State, turn: int, near_hounds: AbstractSet[int], order: tuple[int, int]
) -> None:
    """Carry out one order, or nothing if it is impossible: then `state.idle` says why."""
    # This runs for every order, so the most frequent changes are made here, without a call.
    unit, direction = order
    pos, occupant = state.pos, state.occupant
    cell = pos[unit]
    if cell < 0:
        state.idle[unit] = "it was dead by then"
        return
    target = NEAR[cell][direction]
    other = occupant[target]
    if other < FREE:
        state.idle[unit] = "rock is there" if other == ROCKY else "the board ends there"
        return
    if direction >= UP and state.caves[cell % LEVEL] != ELEVATOR:
        state.idle[unit] = "it stands on no elevator"
        return
    seat = state.player[unit]
    if other != FREE:
        if state.player[other] == seat:
            state.idle[unit] = "a unit of its own was there"
            return
        if state.kind[other] == HELLHOUND:
            state.kill(unit, NOBODY)
        elif state.kind[unit] == PIONEER:
            state.idle[unit] = "the cell was taken, and pioneers don't fight"
            return
        else:
            damage = FURYAN_DAMAGE.start + state.chance.below(len(FURYAN_DAMAGE), "furyan's damage")
            state.hit(other, damage, seat)
    elif is_sunlit(target, turn) if target >= LEVEL else target in near_hounds:
        state.kill(unit, NOBODY)
    else:
        occupant[cell], occupant[target] = FREE, unit
        pos[unit] = target
        if state.kind[unit] == PIONEER:
            if target >= LEVEL:
                if target in state.gems_lying:
                    state.gems_lying.remove(target)
                    state.gems[seat] += 1
            elif state.caves[target] not in (ELEVATOR, OWNED + seat):
                state.conquer(target, seat)
    state.moved.append(order)


# -- necromongers --------------------------------------------------------------------------------


def necromongers_act(state: State, turn: int) -> None:
    """Carry out phase 5.2: landed necromongers attack or approach persons outside."""
    acting = [
        unit for unit in state.necromongers if state.health[unit] > 0 and state.turns[unit] == 0
    ]
    if not acting:
        return
    pos, occupant, moved = state.pos, state.occupant, state.moved
    first_slot = state.necromongers.start
    targets = [divmod(cell, COLS) for cell in pos[:first_slot] if cell >= LEVEL]
    for unit in acting:
        near = NEAR[pos[unit]]
        if targets:
            around = [occupant[cell] for cell in near[:UP]]
            prey = [d for d, other in enumerate(around) if 0 <= other < first_slot]
            if prey:
                direction = state.pick(prey, "necromonger's prey")
                damage = NECROMONGER_DAMAGE.start + state.chance.below(
                    len(NECROMONGER_DAMAGE), "necromonger's damage"
                )
                state.hit(around[direction], damage, NOBODY)
                moved.append((unit, direction))
                continue
            best = _approaches(pos[unit], targets, around)
        else:
            best = [d for d in _RIGHTWARDS if occupant[near[d]] == FREE]
        if not best:
            moved.append((unit, NONE))
            continue
        direction = state.pick(best, "necromonger's way")
        moved.append((unit, direction))
        if is_sunlit(near[direction], turn):
            state.kill(unit, NOBODY)
        else:
            state.move(unit, near[direction])


def _approaches(cell: int, targets: Sequence[tuple[int, int]], around: Sequence[int]) -> list[int]:
    """Return the directions to free cells that lead nearest to any target (row, column).

    `around` are the occupants of the cells around the one from which they lead.
    """
    row, col = divmod(cell, COLS)
    # Few persons are outside at a time, mostly less than five: a flood fill would take longer.
    by_target = [apart_after_step(down - row, (right - col) % COLS) for down, right in targets]
    nearest = [min(distances) for distances in zip(*by_target, strict=True)]
    ways = [d for d, other in enumerate(around) if other == FREE]
    least = min([nearest[d] for d in ways], default=0)
    return [d for d in ways if nearest[d] == least]


def necromongers_land(state: State) -> None:
    """Carry out phase 5.3: necromongers descend, and a unit on which one lands dies."""
    for unit in state.necromongers:
        if state.turns[unit] > 0:
            state.turns[unit] -= 1
            if not state.turns[unit]:
                cell = state.pos[unit]
                if state.occupant[cell] >= 0:
                    state.kill(state.occupant[cell], NOBODY)
                state.occupant[cell] = unit


# -- hellhounds ----------------------------------------------------------------------------------


def hellhounds_act(state: State) -> None:
    """Carry out phase 5.4: hellhounds approach persons and kill those beside them."""
    near_people = [state.people_below()]
    for unit in state.hellhounds:
        cell = state.pos[unit]
        near = NEAR[cell]
        ways = square(cell, 1) & state.board.open_bits & ~(1 << cell)
        for other in state.hellhounds:
            if other != unit:
                ways &= ~square(state.pos[other], 1)
        ways = _nearest(ways, near_people, state.board.open_bits) or ways
        best = [d for d, cell in enumerate(near[:UP]) if cell >= 0 and ways >> cell & 1]
        if not best:
            state.moved.append((unit, NONE))
            continue
        direction = state.pick(best, "hellhound's way")
        state.moved.append((unit, direction))
        cell = near[direction]
        # A person stands here only if it was reborn when no cave far from hellhounds was free.
        if state.occupant[cell] >= 0:
            state.kill(state.occupant[cell], NOBODY)
        state.move(unit, cell)
        for neighbour in NEAR[cell][:UP]:
            if 0 <= state.occupant[neighbour] < state.necromongers.start:
                state.kill(state.occupant[neighbour], NOBODY)


def _nearest(cells: int, within: list[int], ground: int) -> int:
    """Return those of the cells that are nearest to a target, none if all are cut off.

    `within` has, by number of steps over the ground, the cells from which that many are enough; at
    first the targets alone. It is continued as far as it is needed.
    """
    steps = 0
    while cells and not within[steps] & cells:
        steps += 1
        if steps == len(within):
            wider = widened(within[-1]) & ground
            if wider == within[-1]:
                return 0
            within.append(wider)
    return within[steps] & cells


# -- sun, gems, spacecraft -----------------------------------------------------------------------


def sun_moves(state: State, turn: int) -> None:
    """Carry out phase 5.5: in the two columns that the sun reaches, units die and gems vanish."""
    left = burning(turn)
    state.gems_lying = {cell for cell in state.gems_lying if (cell - left) % COLS >= 2}
    standing = [
        cell
        for unit, cell in enumerate(state.pos)
        if cell >= LEVEL and (cell - left) % COLS < 2 and state.turns[unit] <= 0
    ]
    for cell in sorted(standing):
        state.kill(state.occupant[cell], NOBODY)


def gem_appears(state: State, turn: int) -> None:
    """Carry out phase 5.6: sometimes a gem appears where the night begins."""
    if state.chance.below(INVERSE_GEM_PROBABILITY, "gem") == 0:
        cells = _darkening(state, turn)
        if cells:
            state.gems_lying.add(state.pick(cells, "gem's cell"))


def necromonger_appears(state: State, turn: int, turns_to_land: int) -> None:
    """Carry out phase 5.7: sometimes a necromonger appears; one must be unused or dead."""
    if state.chance.below(INVERSE_NECROMONGER_PROBABILITY, "necromonger") != 0:
        return
    cells = [cell for cell in _darkening(state, turn) if cell not in state.gems_lying]
    if not cells:
        return
    slots = [unit for unit in state.necromongers if not state.health[unit]]
    unit = state.pick(slots, "necromonger's id")
    state.pos[unit] = state.pick(cells, "necromonger's cell")
    state.health[unit] = MAX_HEALTH[NECROMONGER]
    state.turns[unit] = turns_to_land


# -- rebirth and recovery ------------------------------------------------------------------------


def dead_are_reborn(state: State) -> None:
    """Carry out phase 5.8: the dead are reborn, each in a random cave far from all others."""
    free = caves_for_rebirth(state)
    count = free.bit_count()
    dead = sorted(state.dead)
    # Each unit that is reborn makes at most nine cells of the list unusable for the others.
    tried = max(0, 9 * len(dead) - 8)
    indices = permutation_start(state.chance, count, tried, "cell for rebirth")
    order = permutation(state.chance, len(dead), "order of rebirth")
    next_cells = (nth_member(free, index) for index in indices)  # most of them aren't needed
    near_reborn = 0
    for unit in (dead[index] for index in order):
        cell = next((cell for cell in next_cells if not near_reborn >> cell & 1), None)
        if cell is None:
            cell = state.pick(cells_of(caves_in_crowd(state)), "cell for rebirth in a crowd")
        near_reborn |= square(cell, 1)
        _be_reborn(state, unit, cell)


def caves_for_rebirth(state: State) -> int:
    """Return the caves, as bits, that are far from everybody underground."""
    free = state.board.cave_bits & ~widened(state.people_below())
    return far_from_hellhounds(free, [state.pos[unit] for unit in state.hellhounds])


def caves_in_crowd(state: State) -> int:
    """Return the caves to choose from, as bits, when none is far enough from all units (5.8).

    There is always a free one, because a match has fewer persons than caves.
    """
    people = state.people_below()
    hounds = bits_of([state.pos[unit] for unit in state.hellhounds])
    caves = state.board.cave_bits & ~people & ~hounds
    choices = (
        caves & ~widened(hounds) & ~widened(people),
        caves & ~widened(hounds),
        caves,
    )
    return next(choice for choice in choices if choice)


def _be_reborn(state: State, unit: int, cell: int) -> None:
    state.health[unit] = MAX_HEALTH[state.kind[unit]]
    state.move(unit, cell)
    if state.kind[unit] == PIONEER:
        state.conquer(cell, state.player[unit])


def all_recover(state: State) -> None:
    """Carry out phase 5.9: every living unit recovers some health."""
    for unit in range(state.hellhounds.start):
        health = state.health[unit]
        if health > 0:
            most = MAX_HEALTH[state.kind[unit]]
            if health < most:
                state.health[unit] = min(most, health + RECOVERY)
