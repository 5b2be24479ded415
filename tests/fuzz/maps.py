"""Map files of each game."""

import functools
from collections.abc import Callable, Mapping
from random import Random

import lanista_maps
from fuzz.mutation import changed_text
from fuzz.target import Target, may_refuse
from lanista.games import registry
from lanista.games.base import BadBoardError, complete_settings

SMALL = (
    b"2 2\nA .\n. B\n",
    b"; a comment\n3 4\nA 2 . #\n. 5 5 .\n# . 2 B\n\n",
    b"2 3\nA 2 .\n. 2 B\n",
)
PLAYED = 0.1
"""Share of the maps on which turns are played, too."""
GAMES = ("angrymob", "crematoria", "hogwarts")


def maps(game: str) -> Target:
    """A map is read, and written to be read to the same map; or refused in words with its place."""
    ruleset = registry.get(game)
    corpus = [
        lanista_maps.read(game, name).encode()
        for name in lanista_maps.names(game)
        if lanista_maps.file_name(game, name).endswith(".map")
    ]
    settings = complete_settings(ruleset, {})
    # The shipped ones are larger than a change needs.
    if game == "angrymob":
        corpus = [text for text in corpus if len(text) < 800] + list(SMALL) * 5
    if game == "hogwarts":
        few = {**settings, "NUM_INI_WIZARDS_PER_CLAN": 1, "NUM_INI_BOOKS": 1}
        made = [ruleset.generate(few, ruleset.chance(seed)) for seed in range(1, 7)]
        corpus += [ruleset.write_board(board).encode() for board in made]

    def draw(random: Random) -> tuple[str, bool]:
        return changed_text(random, corpus), random.random() < PLAYED

    def check(given: tuple[str, bool]) -> None:
        text, is_played = given
        # Where a row is missing at the end, the line is the one that it should stand in.
        with may_refuse(BadBoardError, lines=text.count("\n") + 2):
            board = ruleset.read_board(text)
        written = ruleset.write_board(board)
        assert board == ruleset.read_board(written)
        with may_refuse(BadBoardError, lines=text.count("\n") + 2):
            started = ruleset.new(settings, board, ruleset.chance(7))
        started.facts_at_start(0).decode()
        started.scene()
        for _ in range(3 if is_played else 0):
            if started.outcome() is None:
                started.advance([started.parse(seat, []) for seat in range(ruleset.seats)])

    return Target(draw=draw, check=check, short=1000 if game == "angrymob" else 200)


TARGETS: Mapping[str, Callable[[], Target]] = {
    f"map-{game}": functools.partial(maps, game) for game in GAMES
}
