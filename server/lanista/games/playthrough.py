"""The part of the conformance suite that plays games with random answers and checks every turn.

Playing the recorded answers again, without looking at the game and with seats read in another
order, must give the same digests.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from lanista.games.base import (
    Answer,
    DecodesAnswers,
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
    TooManySubmovesError,
    Verdict,
    complete_settings,
    start_game,
    turn_word,
)
from lanista.games.conformance import (
    require,
    require_facts,
    require_frame,
    require_lines,
    require_outcome,
    require_scene,
    require_texts,
    unharmed,
)
from lanista.games.outcome import Outcome, Termination
from lanista.games.search import Copyable, SaysWhatIsLegal

Player = Callable[[Any, int, random.Random], Sequence[Token]]
"""A function that makes up an answer's tokens from the game, a seat and a random generator.

Most answers should be plausible, so that the game goes on, and some should be refused.
"""

DIGEST = re.compile(r"[0-9a-f]{16}")
NOISE: tuple[tuple[Token, ...], ...] = (
    (2**31 - 1,),
    (-(2**31),) * 4,
    (0, 0, 2**31 - 1, 0, 2**31 - 1, 2**31 - 1),
    ("z",),
    (0, "a", 0, 0),
)
"""Answers that every game must be able to read and refuse: extreme numbers and letters."""
FAULTS: tuple[Verdict, ...] = (
    Late(),
    Malformed(Refusal(RefusalCode.MALFORMED, "made by the conformance suite")),
    Missing(),
    Out(),
)
"""The verdicts of a turn without a usable answer."""

SeatTurn = tuple[Token, ...] | Verdict
"""A seat's part in a turn of a transcript: its tokens, or the verdict when it didn't answer."""


@attrs.frozen
class Transcript:
    """The record of a playthrough with default settings, from which it can be played again."""

    seed: int
    turns: tuple[tuple[SeatTurn, ...], ...]
    """By turn and seat."""
    digests: tuple[str, ...]
    """The digests before the first turn and after each turn."""


def new_game(ruleset: Ruleset, settings: Mapping[str, int], seed: int) -> Game:
    """Start a game, which must not raise."""
    with unharmed(f"new with seed {seed} and {dict(settings)}"):
        return start_game(ruleset, settings, seed)


def parsed(game: Game, seat: int, tokens: Sequence[Token]) -> Verdict:
    """Return the verdict that the runner forms on tokens that came in time."""
    with unharmed(f"parse of seat {seat}'s {list(tokens[:12])}"):
        try:
            verdict: Verdict = game.parse(seat, tokens)
        except MalformedAnswerError as error:
            verdict = Malformed(error.refusal)
        except TooManySubmovesError as error:
            require_texts("a TooManySubmovesError's message", str(error))
            verdict = Missing()
    refusals: tuple[Refusal, ...] = ()
    if isinstance(verdict, Malformed):
        refusals = (verdict.refusal,)
    elif isinstance(verdict, Answer):
        refused = verdict.refused
        require(
            type(refused) is dict
            and all(type(index) is int for index in refused)
            and list(refused) == sorted(refused),
            f"refused is {refused!r:.200}; it must be a dictionary whose indexes ascend",
        )
        for reason in refused.values():
            require(
                type(reason) is tuple
                and all(isinstance(part, str | int | float) for part in reason)
                and isinstance(next(iter(reason), None), str),
                f"a reason is {reason!r:.200}; it must be a tuple of a text, and of the numbers "
                "and words that go into its {}",
            )
        with unharmed(f"writing the messages of {refused!r:.200}"):
            refusals = verdict.refusals()
    for refusal in refusals:
        require_texts("a refusal's message", refusal.message)
        require(
            refusal.index is None or 0 <= refusal.index <= len(tokens),
            f"a refusal's index is {refusal.index} for an answer of {len(tokens)} tokens",
        )
    return verdict


def judged(game: Game, seat: int, seat_turn: SeatTurn) -> Verdict:
    """Return the verdict on a seat's turn in the present position."""
    return parsed(game, seat, seat_turn) if isinstance(seat_turn, tuple) else seat_turn


def advance(game: Game, verdicts: Sequence[Verdict]) -> None:
    """Carry out a turn, which must not raise, whatever the verdicts are."""
    kinds = ", ".join(type(verdict).__name__ for verdict in verdicts)
    with unharmed(f"advance by {kinds} in turn {game.turn}"):
        game.advance(tuple(verdicts))


class Playthrough:
    """One game played with random answers and checked before every turn."""

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
        self.seen = seen  # the position of each digest, over all playthroughs
        self.settings = complete_settings(ruleset, {})
        self.game = new_game(ruleset, self.settings, seed)
        self.pick = random.Random(repr((seed, fault_share)))  # noqa: S311 - tests, not secrets
        self.scene = self.game.scene()
        require_scene(self.scene, ruleset.seats)
        require(
            self.scene.turn_word == turn_word(ruleset),
            f"a turn is a {turn_word(ruleset)} by the ruleset, but the scene says "
            f"{self.scene.turn_word!r}",
        )
        self.start = [self.game.facts_at_start(seat) for seat in range(ruleset.seats)]

    def play(self, turns: int) -> Transcript:
        """Play to the end of the game, but at most this number of turns."""
        game, seats = self.game, range(self.ruleset.seats)
        played: list[tuple[SeatTurn, ...]] = []
        digests: list[str] = []
        out: dict[int, Verdict] = {}
        outcome: Outcome | None = None
        while True:
            digests.append(self.check_position(outcome))
            if outcome is not None or len(played) == turns:
                break
            require(
                len(played) < self.ruleset.max_turns(self.settings),
                f"the game goes on after the {len(played)} turns of max_turns",
            )
            turn: list[SeatTurn] = []
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
            self.carry_out([judged(game, seat, turn[seat]) for seat in seats])
            played.append(tuple(turn))
            outcome = game.outcome()
            forfeited = outcome is not None and outcome.termination is Termination.FORFEIT
            require(
                game.turn == before + 1 or (forfeited and game.turn == before),
                f"advance leads from turn {before} to {game.turn}; it must carry out one turn",
            )
        return Transcript(self.seed, tuple(played), tuple(digests))

    def check_position(self, outcome: Outcome | None) -> str:
        """Check that neither views nor parsing noise change the position; return its digest."""
        game, seats = self.game, range(self.ruleset.seats)
        digest = game.digest()
        require(
            DIGEST.fullmatch(digest), f"digest {digest!r} must be 16 lower-case hexadecimal digits"
        )
        with unharmed(f"frame of turn {game.turn}"):
            frame, again = game.frame(), game.frame()
        require_frame(frame, self.scene, game, len(seats))
        require(frame == again, f"turn {game.turn}: a second frame differs from the first")
        # What happened in the last turn isn't part of the state that the digest covers.
        without_past = attrs.evolve(frame, arrows=(), captured={}, events=(), idle={})
        position = (without_past, game.scores(), outcome)
        require(
            self.seen.setdefault(digest, position) == position,
            f"two positions that differ have the digest {digest}; it must cover the whole state",
        )
        facts: list[bytes] = []
        for seat in seats:
            with unharmed(f"facts of turn {game.turn}"):
                facts.append(game.facts(seat))
            require_facts(facts[seat], f"facts of turn {game.turn}")
            first_equal = facts[facts.index(facts[seat])]
            require(
                first_equal is facts[seat],
                f"facts of turn {game.turn}: seats with equal facts must get the same object",
            )
        if outcome is None:
            for seat in seats:
                silent = parsed(game, seat, ())
                require(
                    isinstance(silent, Answer) and not silent.refused,
                    f"parse of an empty answer gives {silent}; it must be accepted (PROTOCOL.md 4)",
                )
                for tokens in (*NOISE, self.noise(), tuple(self.player(game, seat, self.pick))):
                    self.check_words(seat, tokens)
                self.check_legal(seat)
        else:
            require_outcome(outcome, game, len(seats))
        self.check_dialect(outcome)
        require(
            game.digest() == digest,
            f"turn {game.turn}: parse, facts, frame or another read-only method changes the game",
        )
        require(self.scene == game.scene(), "the scene changes during the match")
        require(
            self.start == [game.facts_at_start(seat) for seat in seats],
            "facts_at_start changes during the match",
        )
        return digest

    def carry_out(self, verdicts: Sequence[Verdict]) -> None:
        """Carry out a turn, first on a copy, if the game makes any, which must go the same way."""
        game, turn = self.game, self.game.turn
        twin = game.copy() if isinstance(game, Copyable) else None
        if twin is not None:
            before = game.digest()
            advance(twin, verdicts)
            require(game.digest() == before, f"turn {turn}: a copy that goes on changes the game")
        advance(game, verdicts)
        require(
            twin is None or twin.digest() == game.digest(),
            f"turn {turn}: the same answers lead a copy to another digest",
        )

    def check_words(self, seat: int, tokens: Sequence[Token]) -> None:
        """Check what is said of an answer: why submoves are refused, and what they order."""
        game = self.game
        if isinstance(parsed(game, seat, tokens), Answer) and isinstance(game, DecodesAnswers):
            with unharmed(f"decode of seat {seat}'s {list(tokens[:12])}"):
                texts = [submove.text for submove in game.decode(seat, tokens)]
            require_texts("a submove's text", *texts)

    def check_legal(self, seat: int) -> None:
        """Check that nothing is refused of a random choice of legal submoves."""
        game = self.game
        if isinstance(game, SaysWhatIsLegal):
            with unharmed(f"legal of seat {seat}"):
                chosen = [self.pick.choice(ways) for ways in game.legal(seat).values() if ways]
                tokens = tuple(token for submove in chosen for token in submove)
            verdict = parsed(game, seat, tokens)
            require(
                isinstance(verdict, Answer) and not verdict.refused,
                f"seat {seat}'s {chosen[:12]} are legal by `legal`, but parse gives {verdict}",
            )

    def noise(self) -> tuple[Token, ...]:
        """Return random tokens; a bot may send any of them (PROTOCOL.md 4)."""
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

    def check_dialect(self, outcome: Outcome | None) -> None:
        """Check that the classic dialect, if any, sends whole lines, or nothing at the end."""
        classic = self.ruleset.classic
        if classic is None:
            return
        for seat in range(self.ruleset.seats):
            with unharmed(f"the classic dialect in turn {self.game.turn}"):
                if outcome is not None:
                    data = classic.closing(self.game, seat) or b"\n"
                elif self.game.turn:
                    data = classic.turn(self.game, seat)
                else:
                    data = classic.opening(self.game, seat)
                # An empty line is valid later: the opponent may have sent an empty answer.
                whole = data.endswith(b"\n")
            if outcome is None and not self.game.turn:
                require_lines(data, "the classic opening")
            require(whole, f"the classic dialect sends {data!r}; it must send whole lines")


def check_again(ruleset: Ruleset, played: Transcript) -> None:
    """Check that a transcript played again gives the same game.

    This time nothing reads the game, and answers are parsed in a random order of seats.
    """
    game = new_game(ruleset, complete_settings(ruleset, {}), played.seed)
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
