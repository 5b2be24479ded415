"""One game under the conformance suite: played by random answers, looked at from all sides.

Part of `testing`, which holds the suite's entry and what needs no game in progress. What any
facts, frame or outcome must look like is said in `requirements`.

Never imported by anything that plays; no ruleset's name here.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from lanista.rules.base import (
    Answer,
    Game,
    Late,
    Malformed,
    MalformedAnswerError,
    Missing,
    Out,
    Refusal,
    RefusalCode,
    Ruleset,
    Token,
    Verdict,
    complete_settings,
)
from lanista.rules.outcome import Outcome, Termination
from lanista.rules.requirements import (
    require,
    require_facts,
    require_frame,
    require_lines,
    require_outcome,
    require_scene,
    require_words,
    unharmed,
)

Player = Callable[[Any, int, random.Random], Sequence[Token]]
"""Makes an answer's tokens for a seat from the game and a source of chance: plausible ones, that
make the game go on, with some that are refused among them."""

DIGEST = re.compile(r"[0-9a-f]{16}")
NOISE: tuple[tuple[Token, ...], ...] = (
    (2**31 - 1,),
    (-(2**31),) * 4,
    (0, 0, 2**31 - 1, 0, 2**31 - 1, 2**31 - 1),
    ("z",),
    (0, "a", 0, 0),
)
"""Answers that every game must be able to read and refuse: the ends of the range, letters."""
FAULTS: tuple[Verdict, ...] = (
    Late(),
    Malformed(Refusal(RefusalCode.MALFORMED, "made by the conformance suite")),
    Missing(),
    Out(),
)

Told = tuple[Token, ...] | Verdict
"""What a seat did in a turn of a transcript: its tokens, or the verdict when it isn't an answer."""


@attrs.frozen
class Transcript:
    """A playthrough, so that it can be played again, also in another process."""

    settings: Mapping[str, int]
    seed: int
    turns: tuple[tuple[Told, ...], ...]
    digests: tuple[str, ...]
    """Before the first turn and after every one."""


def new_game(ruleset: Ruleset, settings: Mapping[str, int], seed: int) -> Game:
    """A game as a match begins it: board and game by one chance."""
    with unharmed(f"new with seed {seed} and {dict(settings)}"):
        chance = ruleset.chance(seed)
        return ruleset.new(settings, ruleset.generate(settings, chance), chance)


def parsed(game: Game, seat: int, tokens: Sequence[Token]) -> Verdict:
    """What the runner makes of tokens that came in time."""
    with unharmed(f"parse of seat {seat}'s {list(tokens[:12])}"):
        try:
            verdict: Verdict = game.parse(seat, tokens)
        except MalformedAnswerError as error:
            verdict = Malformed(error.refusal)
    refusals = verdict.refused if isinstance(verdict, Answer) else ()
    refusals = (verdict.refusal,) if isinstance(verdict, Malformed) else refusals
    for refusal in refusals:
        require_words(refusal.message, "a refusal's message")
        require(
            refusal.index is None or 0 <= refusal.index <= len(tokens),
            f"a refusal's index is {refusal.index} for an answer of {len(tokens)} tokens",
        )
    return verdict


def judged(game: Game, seat: int, told: Told) -> Verdict:
    """The verdict on what a seat did, by the present position."""
    return parsed(game, seat, told) if isinstance(told, tuple) else told


def advance(game: Game, verdicts: Sequence[Verdict]) -> None:
    """Carry out a turn, which raises nothing whatever the verdicts are."""
    kinds = ", ".join(type(verdict).__name__ for verdict in verdicts)
    with unharmed(f"advance by {kinds} in turn {game.turn}"):
        game.advance(tuple(verdicts))


class Playthrough:
    """One game played by random answers, looked at from all sides before every turn."""

    def __init__(
        self,
        ruleset: Ruleset,
        player: Player,
        seed: int,
        fault_share: float,
        seen: dict[str, object],
    ) -> None:
        self.ruleset, self.player, self.seed = ruleset, player, seed
        self.fault_share = fault_share
        self.seen = seen  # by digest, what stood on the board, over all playthroughs
        self.settings = complete_settings(ruleset, {})
        self.game = new_game(ruleset, self.settings, seed)
        self.pick = random.Random(repr((seed, fault_share)))  # noqa: S311 - tests, not secrets
        self.scene = self.game.scene()
        require_scene(self.scene, ruleset.seats)
        self.start = [self.game.facts_at_start(seat) for seat in range(ruleset.seats)]

    def play(self, turns: int) -> Transcript:
        """Play to the end of the game, or for so many turns.

        Raises:
            AssertionError: Something isn't as it must be.
        """
        game, seats = self.game, range(self.ruleset.seats)
        told: list[tuple[Told, ...]] = []
        digests: list[str] = []
        out: dict[int, Verdict] = {}
        outcome: Outcome | None = None
        self.dialect_opening()
        while True:
            digests.append(self.look(outcome))
            if outcome is not None or len(told) == turns:
                break
            require(
                len(told) < self.ruleset.max_turns(self.settings),
                f"the game goes on after max_turns, {len(told)} turns",
            )
            turn: list[Told] = []
            for seat in seats:
                if self.pick.random() < self.fault_share and seat not in out:
                    fault = self.pick.choice(FAULTS)
                    turn.append(fault)
                    if isinstance(fault, Missing | Out):
                        out[seat] = Out()
                else:
                    tokens = tuple(self.player(game, seat, self.pick))
                    turn.append(out.get(seat, tokens))
            before = game.turn
            advance(game, [judged(game, seat, turn[seat]) for seat in seats])
            told.append(tuple(turn))
            outcome = game.outcome()
            forfeited = outcome is not None and outcome.termination is Termination.FORFEIT
            require(
                game.turn == before + 1 or (forfeited and game.turn == before),
                f"advance leads from turn {before} to {game.turn}; it carries out one move",
            )
        return Transcript(self.settings, self.seed, tuple(told), tuple(digests))

    def look(self, outcome: Outcome | None) -> str:
        """Look at the position and read noise against it, which must not change it."""
        game, seats = self.game, range(self.ruleset.seats)
        digest = game.digest()
        require(DIGEST.fullmatch(digest), f"digest {digest!r}: 16 lower-case hexadecimal digits")
        with unharmed(f"frame of turn {game.turn}"):
            frame, again = game.frame(), game.frame()
        require_frame(frame, self.scene, game, len(seats))
        require(frame == again, f"turn {game.turn}: a second frame differs from the first")
        # What led here isn't part of the state.
        still = attrs.evolve(frame, arrows=(), captured={}, events=())
        standing = (still, game.scores(), outcome)
        require(
            self.seen.setdefault(digest, standing) == standing,
            f"two positions that differ have the digest {digest}; it covers the whole state",
        )
        for status in ((0.0,) * len(seats), (-1.0,) + (0.1234,) * (len(seats) - 1)):
            told = []
            for seat in seats:
                with unharmed(f"facts of turn {game.turn}"):
                    told.append(game.facts(seat, status))
                require_facts(told[seat], f"facts of turn {game.turn}")
                alike = next(facts for facts in told if facts == told[seat])
                require(
                    alike is told[seat],
                    f"facts of turn {game.turn}: seats that see the same get the same object",
                )
        if outcome is None:
            for seat in seats:
                silent = parsed(game, seat, ())
                require(
                    isinstance(silent, Answer) and not silent.refused,
                    f"an empty answer gives {silent}; it is no submoves (PROTOCOL.md 4)",
                )
                for tokens in (*NOISE, self.noise()):
                    parsed(game, seat, tokens)
        else:
            require_outcome(outcome, game, len(seats))
        self.dialect(outcome)
        require(game.digest() == digest, f"turn {game.turn}: looking or parsing changes the game")
        require(self.scene == game.scene(), "the scene changes in the match")
        require(
            self.start == [game.facts_at_start(seat) for seat in seats],
            "facts_at_start changes in the match",
        )
        return digest

    def noise(self) -> tuple[Token, ...]:
        """Tokens of no sense: any of them can come from a bot (PROTOCOL.md 4)."""
        pick = self.pick
        length = 20_000 if pick.random() < 0.01 else pick.randrange(13)
        kinds: tuple[Sequence[Token], ...] = (
            range(-2, 12),
            range(-100, 100),
            (-(2**31), 2**31 - 1),
            "amzsAZ",
        )
        weights = (80, 10, 5, 5)
        return tuple(pick.choice(kind) for kind in pick.choices(kinds, weights, k=length))

    def dialect_opening(self) -> None:
        """The classic dialect's opening, if there is one, is whole lines for every seat."""
        classic = self.ruleset.classic
        if classic is not None:
            for seat in range(self.ruleset.seats):
                with unharmed("the classic dialect's opening"):
                    require_lines(classic.opening(self.game, seat), "the classic opening")

    def dialect(self, outcome: Outcome | None) -> None:
        """What the classic dialect says after a turn or the last one is whole lines, or nothing."""
        classic = self.ruleset.classic
        if classic is None or (outcome is None and not self.game.turn):
            return
        for seat in range(self.ruleset.seats):
            with unharmed(f"the classic dialect in turn {self.game.turn}"):
                last = outcome is not None
                said = (classic.closing if last else classic.turn)(self.game, seat)
                # A line can be empty here, when the opponent's answer was.
                whole = said.endswith(b"\n") or (last and not said)
            require(whole, f"classic {said!r}: whole lines")


def check_again(ruleset: Ruleset, played: Transcript) -> None:
    """The same history gives the same game: unobserved, with answers read in another order."""
    game = new_game(ruleset, played.settings, played.seed)
    pick = random.Random(played.seed)  # noqa: S311 - tests, not secrets
    for number, turn in enumerate(played.turns):
        order = list(range(ruleset.seats))
        pick.shuffle(order)
        verdicts = {seat: judged(game, seat, turn[seat]) for seat in order}
        advance(game, [verdicts[seat] for seat in range(ruleset.seats)])
        require(
            game.digest() == played.digests[number + 1],
            f"seed {played.seed}: the same answers give another game in turn {number}",
        )
