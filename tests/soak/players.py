"""Bots whose answers follow from what they are sent: by them a match can be played again, alone.

`alone` plays a match by the rules and these bots, without an arena, a socket or a clock.
"""

import re
from collections.abc import Iterator

from lanista.games import registry
from lanista.match import replay
from lanista.match.record import Header
from lanista_protocol import tokenize

ROW = re.compile(rb"(?m)^row (\d+) (.*)$")
UNIT = re.compile(rb"(?m)^unit (.*)$")
STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""Rows and columns of the directions of both games of four, from 0."""
SIDES = ((0, 1), (-1, 0), (0, -1), (1, 0))
"""And of Angry Mob."""
CLOSED = frozenset("#WR")
"""How a cell is told that nobody can enter: of Angry Mob, Hogwarts and Crematoria."""


class Player:
    """A player of one match; `answer` takes what came since the last answer."""

    def __init__(self, game: str, seat: int) -> None:
        self.seat = seat
        self._orders = {"angrymob": self._march, "hogwarts": self._haunt, "crematoria": self._dig}[
            game
        ]
        self._turn = 0
        self._rows: list[list[str]] = []

    def answer(self, lines: bytes) -> str:
        """The answer to these lines: the facts of a turn; at first those of the start before."""
        for _, cells in ROW.findall(lines):
            text = cells.decode()
            self._rows.append(text.split() if " " in text else list(text))
        submoves: list[str] = []
        for unit in UNIT.findall(lines):
            submoves += self._orders(unit.decode().split())
        self._turn += 1
        return " ".join(submoves)

    def _way(self, steps: tuple[tuple[int, int], ...], number: int, i: int, j: int) -> int | None:
        """The first direction that is free, beginning with another one in every turn."""
        for more in range(len(steps)):
            direction = (number + self._turn + more) % len(steps)
            row, col = i + steps[direction][0], j + steps[direction][1]
            inside = 0 <= row < len(self._rows) and 0 <= col < len(self._rows[row])
            if inside and self._rows[row][col] not in CLOSED:
                return direction
        return None

    def _march(self, unit: list[str]) -> list[str]:
        i, j, seat, count = map(int, unit)
        way = self._way(SIDES, 3 * i + j, i, j) if seat == self.seat else None
        return [] if way is None else [str(i), str(j), str(count), str(way)]

    def _haunt(self, unit: list[str]) -> list[str]:
        number, seat, i, j = (int(unit[at]) for at in (0, 2, 3, 4))
        way = self._way(STEPS, number, i, j) if seat == self.seat else None
        return [] if way is None else ["m", str(number), str(way)]

    def _dig(self, unit: list[str]) -> list[str]:
        number, seat, i, j, level = (int(unit[at]) for at in (0, 2, 5, 6, 7))
        way = self._way(STEPS, number, i, j) if (seat, level) == (self.seat, 0) else None
        return [] if way is None else [str(number), str(way)]


def alone(header: Header) -> Iterator[str]:
    """Play the match of a record's header with these players; the digest after each turn."""
    ruleset = registry.get(header.game)
    game = replay.start(header, ruleset)
    players = [Player(header.game, seat) for seat in range(ruleset.seats)]
    told = [f"set {name} {value}\n" for name, value in header.settings.items()]
    settings = "".join(told).encode()
    start = [settings + game.facts_at_start(player.seat) for player in players]
    while game.outcome() is None:
        answers = [
            player.answer(start[player.seat] + game.facts(player.seat)) for player in players
        ]
        start = [b""] * ruleset.seats
        game.advance([game.parse(seat, tokenize(answer)) for seat, answer in enumerate(answers)])
        yield game.digest()
