"""Files of the original games: configurations, match files, logs of orders."""

import functools
from collections.abc import Callable, Mapping
from random import Random

import lanista_maps
from fuzz.mutation import changed_text
from fuzz.target import Target, check_words, may_refuse
from lanista.games import registry
from lanista.games.base import FormatError, complete_settings, start_game
from lanista.games.originals import of_game, of_text, played
from lanista.page.frames import FrameWriter, encode, head_of_res
from support.originals import write_res
from support.players import PLAYERS

NAMES = ("Null", "Demo", "Dummy", "alfus")
SMALL: Mapping[str, Mapping[str, int]] = {
    "crematoria": {
        "nb_rounds": 1,
        "nb_furyans": 1,
        "nb_pioneers": 1,
        "max_nb_necromongers": 1,
        "nb_hellhounds": 1,
    },
    "hogwarts": {"NUM_ROUNDS": 1, "NUM_INI_WIZARDS_PER_CLAN": 1, "NUM_INI_BOOKS": 1},
}
"""A round of few units: a match file of it is 13 kB, where the originals' have a million bytes."""
THOROUGH = 0.1
"""Share of the match files that are also shown and explained: that takes ten times as long."""
ORDERS = {
    "crematoria": b"".join(b"R %d P %d Q 3 3 0 4 9 5 10\n" % (at // 4, at % 4) for at in range(8)),
    "hogwarts": b"".join(
        b"R %d P %d Q 2\n4 0 2 0\n%d 1 0 15 %b\n" % (at // 4, at % 4, at % 4, b"0 1 2 3 4 " * 3)
        for at in range(8)
    ),
}


def match_file(game: str, seed: int) -> str:
    """A match of random players on the board of a seed."""
    ruleset, pick = registry.get(game), Random(seed)
    settings = complete_settings(ruleset, SMALL[game])
    playing = start_game(ruleset, settings, seed)
    turns = (
        [playing.parse(seat, PLAYERS[game](playing, seat, pick)) for seat in range(ruleset.seats)]
        for _ in range(ruleset.max_turns(settings))
    )
    originals = of_game(game)
    assert originals is not None
    states = played(playing, turns)
    return "".join(originals.write(states, seed, NAMES, lambda _: (0.0, 0.25, 1.0, -1.0)))


def cnf(game: str) -> Target:
    """A configuration is read, and written to be read to the same; or refused with its line."""
    originals, ruleset = of_game(game), registry.get(game)
    assert originals is not None
    shipped = lanista_maps.read(game, "default").encode()
    settings, _ = originals.read_cnf(shipped.decode())
    boards = [
        ruleset.read_board(lanista_maps.read(game, name))
        for name in lanista_maps.names(game)
        if name != "default"
    ]
    corpus = [shipped] * 6
    for board in boards:
        fitting = {**settings, **getattr(board, "needs", {})}
        corpus.append(originals.write_cnf(fitting, board).encode())

    def check(text: str) -> None:
        with may_refuse(FormatError, lines=text.count("\n") + 1):
            found = originals.read_cnf(text)
        assert found == originals.read_cnf(originals.write_cnf(*found))

    return Target(draw=lambda random: changed_text(random, corpus), check=check, short=300)


def res(game: str) -> Target:
    """A match file is shown, explained and written again; or refused with its line."""
    corpus = [match_file(game, seed).encode() for seed in range(1, 9)]
    reader = of_game(game)
    assert reader is not None

    def draw(random: Random) -> tuple[str, bool]:
        return changed_text(random, corpus), random.random() < THOROUGH

    def check(given: tuple[str, bool]) -> None:
        text, is_thorough = given
        with may_refuse(FormatError, lines=text.count("\n") + 1):
            read = reader.read_res(text)
        if not is_thorough:
            return
        written = write_res(reader, read)
        assert written == write_res(reader, reader.read_res(written))
        originals = of_text(text)
        shown = originals.show(text)
        encode(head_of_res(shown))
        writer = FrameWriter(shown.scene)
        for frame, scores in shown.frames:
            encode(writer.frame(frame, scores, None))
        for rules in originals.rules:
            explained = originals.explain(read, rules)
            if explained.problem is not None:
                check_words(explained.problem)

    return Target(draw=draw, check=check, short=150)


def orders(game: str) -> Target:
    """A log of orders is read, or refused with its line."""
    corpus = [ORDERS[game]]
    reader = of_game(game)
    assert reader is not None

    def check(text: str) -> None:
        with may_refuse(FormatError, lines=text.count("\n") + 1):
            rounds = reader.read_orders(text)
        assert all(len(said) == 4 for said in rounds)

    return Target(draw=lambda random: changed_text(random, corpus), check=check, short=500)


TARGETS: Mapping[str, Callable[[], Target]] = {
    f"{make.__name__}-{game}": functools.partial(make, game)
    for make in (cnf, res, orders)
    for game in SMALL
}
