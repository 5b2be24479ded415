"""Answers as each ruleset reads them, and turns that are played by such answers."""

import functools
import pickle
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from fuzz.mutation import changed_text
from fuzz.target import Target, check_words
from lanista.games import registry
from lanista.games.base import (
    Answer,
    Late,
    MalformedAnswerError,
    Missing,
    Out,
    RefusalCode,
    TooManySubmovesError,
    Verdict,
    complete_settings,
    start_game,
)
from lanista.page.frames import FrameWriter, encode
from lanista_protocol import MalformedLineError, NoteCode, messages, tokenize
from support import players
from support.players import PLAYERS

POSITIONS = 6
"""Positions of a game in which answers are read."""
PLAYED = 0.02
"""Share of the inputs whose answers are also carried out: that takes a hundred times as long."""
SETTINGS = {
    "angrymob": {},
    "crematoria": {},
    "hogwarts": {"NUM_INI_WIZARDS_PER_CLAN": 5, "NUM_INI_BOOKS": 20},
}
MANY = {"angrymob": b"1 1 1 1 ", "crematoria": b"3 4 ", "hogwarts": b"m 3 4 "}
"""A submove, for a line of more than a turn takes."""

Given = tuple[int, bool, tuple[str, ...]]
"""The position's number, whether the turn is played, and a line for every seat."""


def submoves(game: str) -> Target:
    """Answers are read or refused in words; the turn goes on whatever they said."""
    ruleset = registry.get(game)
    settings = complete_settings(ruleset, SETTINGS[game])
    pick = Random(game)
    playing = start_game(ruleset, settings, 7)
    corpus = [b"", MANY[game] * 1001, b"1 2 3 0", b"m 3 4", b"s 1" + b" 0 1 2 3 4" * 3]
    games, stored = [], []
    for turn in range(5 * POSITIONS):
        said = [PLAYERS[game](playing, seat, pick) for seat in range(ruleset.seats)]
        corpus += [players.line(tokens).encode() for tokens in said]
        if turn % 5 == 0:
            stored.append(pickle.dumps(playing))
            games.append(pickle.loads(stored[-1]))
        playing.advance([playing.parse(seat, tokens) for seat, tokens in enumerate(said)])

    def draw(random: Random) -> Given:
        is_played = random.random() < PLAYED
        position = int(random.random() * len(games))
        count = ruleset.seats if is_played else 1
        return position, is_played, tuple(changed_text(random, corpus) for _ in range(count))

    def check(given: Given) -> None:
        position, is_played, said = given
        present = pickle.loads(stored[position]) if is_played else games[position]
        verdicts = [_read(present, seat, line) for seat, line in enumerate(said)]
        if is_played:
            present.advance(verdicts)
            writer = FrameWriter(present.scene())
            encode(writer.frame(present.frame(), present.scores(), None))
            for seat in range(ruleset.seats):
                present.facts(seat).decode()
            present.digest()
            present.outcome()

    return Target(draw=draw, check=check, short=700)


def _read(game: Any, seat: int, line: str) -> Verdict:
    """The verdict on a line; on one that isn't read, another that may follow."""
    try:
        answer: Answer = game.parse(seat, tokenize(line))
    except (MalformedLineError, MalformedAnswerError) as error:
        check_words(str(error))
        return Late()
    except TooManySubmovesError as error:
        check_words(str(error))
        return Missing() if seat else Out()
    for refusal in answer.refusals():
        check_words(refusal.message)
        assert refusal.index is not None
        assert refusal.code in {RefusalCode.ILLEGAL, RefusalCode.IGNORED}
        messages.note(NoteCode.ILLEGAL, game.turn, refusal.index, refusal.message)
    return answer


TARGETS: Mapping[str, Callable[[], Target]] = {
    f"submoves-{game}": functools.partial(submoves, game) for game in SETTINGS
}
