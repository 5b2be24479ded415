"""The files of the original Hogwarts program: states, commands, orders, settings.

Files are written byte for byte (rules/hogwarts.md 13 and 14). The readers check a file's form only:
`explaining` checks whether the match in a match file can have happened.
"""

from collections.abc import Mapping, Sequence
from operator import attrgetter

from lanista.games import originals
from lanista.games.base import Token
from lanista.games.hogwarts import scene
from lanista.games.hogwarts.board import (
    CLANS,
    INGREDIENTS,
    LABELS,
    MAX_WIZARDS,
    PLACES,
    SIDE,
    TITLES,
    read_books,
    read_cells,
    read_rest,
    read_units,
)
from lanista.games.hogwarts.orders import Order
from lanista.games.hogwarts.ruleset import RULESET
from lanista.games.hogwarts.scene import Position
from lanista.games.originals import Originals
from lanista.games.tokens import Tokens

TITLE = "HarryPotter 1.0"
"""The words by which files name the game and its version."""
DIRECTIONS = "dcreuqlz"
"""The letters of the directions 0 to 7."""
_TABS = {
    "NUM_PLAYERS": 3,
    "NUM_ROUNDS": 3,
    "BOARD_ROWS": 3,
    "BOARD_COLS": 3,
    "NUM_INI_WIZARDS_PER_CLAN": 1,
    "NUM_INI_BOOKS": 3,
    "CLAN_INI_MAGIC_STRENGTH": 2,
    "POINTS_FOR_CONVERTING_WIZARD": 1,
    "POINTS_PER_OWNED_CELL": 2,
    "BOOK_MAGIC_STRENGTH": 2,
    "ROUNDS_FOR_CONVERTING": 2,
    "ROUNDS_ATTACK_RESTING_GHOST": 1,
    "ROUNDS_SPELL_RESTING_GHOST": 1,
    "ROUNDS_NO_ATTACK_GHOST": 2,
}
"""The settings that the files have, in the files' order, and the tabs after each name."""
# A match has thousands of units to write, so their lines are made of tables.
_UNITS = tuple(
    f"{'w' if unit >= CLANS else 'g'}\t{unit}\t" for unit in range(CLANS + CLANS * MAX_WIZARDS)
)
"""By unit, the beginning of its line."""
_PLACES = tuple(f"{row}\t{column}" for row, column in PLACES)
"""By cell, its row and column as in the lines of units and books."""


Res = originals.Res[Position, Order]


# -- writing --------------------------------------------------------------------------------------


def _header_text(settings: Mapping[str, int], names: Sequence[str]) -> str:
    return f"{_coded(settings)}names         {''.join(f' {name}' for name in names)}\n"


def _coded(settings: Mapping[str, int]) -> str:
    """Return the title and the settings, as both kinds of files have them."""
    lines = [f"{name}{tabs * chr(9)}{settings[name]}\n" for name, tabs in _TABS.items()]
    return f"{TITLE}\n\n{''.join(lines)}"


def state_text(state: Position, status: Sequence[float]) -> str:
    """Return a state's block, two empty lines before it and the players' status by seat in it."""
    owners = state.owners.decode()
    lines = ["", "", *(f"   {label}" for label in LABELS)]
    lines += [f"{row:02} {owners[row * SIDE : (row + 1) * SIDE]}" for row in range(SIDE)]
    lines += ["", "units", str(len(state.clans)), "\t".join(TITLES)]
    lines += [
        f"{unit}{clan}\t{_PLACES[cell]}\t{rounds}\t{turns_to}"
        for unit, clan, cell, rounds, turns_to in zip(
            _UNITS, state.clans, state.cells, state.rounds, state.nexts, strict=False
        )
    ]
    lines += ["", "books", str(len(state.books)), "row\tcolumn"]
    lines += [_PLACES[cell] for cell in sorted(state.books)]
    lines += ["", "spell_ingredients", str(len(state.ingredients))]
    lines += ["".join(f"{value} " for value in state.ingredients)]
    row, column = PLACES[state.voldemort]
    lines += ["", "Voldemort", f"{row} {column}", "", f"round {state.turn}"]
    for title, values in (
        ("score", state.scores),
        ("scr_acc", state.conversion_points),
        ("strength", state.strength),
    ):
        lines += ["", "\t".join((title, *map(str, values)))]
    lines += ["", "\t".join(("status", *(f"{share:g}" for share in status))), "", ""]
    return "\n".join(lines)


def _commands_text(commands: Sequence[Order]) -> str:
    lines = ["commands", str(len(commands))]
    for command in commands:
        if command.groups is None:
            lines.append(f"{command.unit}\tm\t{DIRECTIONS[command.direction]}\t")
        else:
            groups = "".join(f" {group}" for group in command.groups)
            lines.append(f"{command.unit}\ts\t{len(command.groups)}\t{groups}")
    return "\n".join((*lines, ""))


# -- reading --------------------------------------------------------------------------------------


def _read_state(tokens: Tokens, settings: Mapping[str, int], number: int) -> Position:
    owners = read_cells(tokens)
    count = CLANS + CLANS * settings["NUM_INI_WIZARDS_PER_CLAN"]
    units = list(read_units(tokens, count, count))
    books: list[int] = []
    for book in read_books(tokens, settings["NUM_INI_BOOKS"], settings["NUM_INI_BOOKS"]):
        if books and book <= books[-1]:
            raise tokens.error(
                f"book {PLACES[book]} after {PLACES[books[-1]]}; they go by row, then column"
            )
        books.append(book)
    ingredients, voldemort = read_rest(tokens)
    tokens.literal("round")
    tokens.integer("the round", number, number)
    tokens.literal("score")
    scores = tokens.integers(CLANS, "a score", 0)
    tokens.literal("scr_acc")
    points = tokens.integers(CLANS, "points for conversions", 0)
    tokens.literal("strength")
    strength = tokens.integers(CLANS, "strength points", 0)
    tokens.literal("status")
    return Position(
        turn=number,
        owners=owners,
        clans=[unit.clan for unit in units],
        cells=[unit.cell for unit in units],
        rounds=[unit.rounds for unit in units],
        nexts=[unit.next for unit in units],
        books=frozenset(books),
        ingredients=ingredients,
        voldemort=voldemort,
        strength=strength,
        conversion_points=points,
        scores=scores,
        status=tuple(tokens.decimal("a status") for _ in range(CLANS)),
    )


def _read_commands(tokens: Tokens, state: Position) -> tuple[Order, ...]:
    units = len(state.clans)
    tokens.literal("commands")
    commands = []
    for _ in range(tokens.integer("the number of commands", 0, units)):
        unit = tokens.integer("the unit of a command", 0, units - 1)
        if tokens.choice("`m` or `s`", "m", "s") == "m":
            letter = tokens.choice(f"a direction, one of {DIRECTIONS}", *DIRECTIONS)
            commands.append(Order(unit, DIRECTIONS.index(letter)))
        else:
            tokens.literal(str(INGREDIENTS))
            groups = tokens.integers(INGREDIENTS, "a group", 0, 4)
            commands.append(Order(unit, -1, groups))
    return tuple(commands)


def _read_order(tokens: Tokens) -> tuple[Token, ...]:
    """Read an order of an `.orders` file: `unit kind direction n g1 … gn`.

    Kind 0 is a move and 1 a spell. A spell on the wire always has 15 groups (PROTOCOL.md 5). One
    with another number of groups becomes a spell that is as useless: its groups are out of range.
    """
    unit = tokens.integer("the unit of an order")
    is_spell = tokens.integer("the kind, 0 or 1", 0, 1)
    direction = tokens.integer("the direction")
    groups = tokens.integers(tokens.integer("the number of groups", 0), "a group")
    if not is_spell:
        return "m", unit, direction
    return "s", unit, *(groups if len(groups) == INGREDIENTS else (CLANS + 1,) * INGREDIENTS)


ORIGINALS = Originals(
    ruleset=RULESET,
    title=TITLE,
    settings=tuple(setting for setting in RULESET.settings if setting.name in _TABS),
    generated="RANDOM",
    fixed="FIXED\n",
    rules={"original": {"original": 1}, "text": {"original": 0}},
    head=_coded,
    header=_header_text,
    state_text=state_text,
    read_state=_read_state,
    commands_of=attrgetter("executed"),
    commands_text=_commands_text,
    read_commands=_read_commands,
    read_order=_read_order,
    scene=lambda state: scene.scene(state.owners),
    frame=scene.frame,
)
