"""For the tests of any ruleset, also another package's: scripted chance, conformance suite.

`check_ruleset` plays a ruleset with random answers and raises AssertionError at the first rule
of `lanista.rules.base` or of PROTOCOL.md that it breaks. Whether the moves are carried out as
the game's own page says, only its own tests can tell.

Never imported by anything that plays; no ruleset's name here.
"""

import contextlib
import os
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from lanista.rules.base import (
    Answer,
    BadBoardError,
    Consequence,
    Frame,
    Game,
    Late,
    Malformed,
    MalformedAnswerError,
    Missing,
    Out,
    Refusal,
    RefusalCode,
    Ruleset,
    Scene,
    Token,
    Verdict,
    complete_settings,
)
from lanista.rules.outcome import Outcome, Termination

Player = Callable[[Any, int, random.Random], Sequence[Token]]
"""Makes an answer's tokens for a seat from the game and a source of chance: plausible ones, that
make the game go on, with some that are refused among them."""


class UnexpectedDrawError(AssertionError):
    """A ruleset drew something else than the script of a test says."""


@attrs.define
class ScriptedChance:
    """Gives the draws of a script and fails on any other.

    A script is a list of (why, n, value): the draw below n for that reason gives value.
    """

    script: list[tuple[str, int, int]]

    def below(self, n: int, why: str) -> int:
        """The script's next value, if it is for this draw."""
        if not self.script:
            raise UnexpectedDrawError(f"a draw below {n} ({why}) after the script's end")
        expected_why, expected_n, value = self.script.pop(0)
        if (expected_why, expected_n) != (why, n):
            raise UnexpectedDrawError(
                f"a draw below {n} ({why}); the script says below {expected_n} ({expected_why})"
            )
        return value


class LowestChance:
    """Every draw gives 0."""

    def below(self, n: int, why: str) -> int:  # noqa: ARG002 - the interface's arguments
        """0."""
        return 0


class HighestChance:
    """Every draw gives the highest value."""

    def below(self, n: int, why: str) -> int:  # noqa: ARG002 - the interface's arguments
        """N - 1."""
        return n - 1


# -- the conformance suite -------------------------------------------------------------------------

NAME = re.compile(r"[a-z][a-z0-9-]*")
"""Form of a ruleset's name and of an outcome's reason."""
SETTING_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
KEYWORD = re.compile(r"[a-z][a-z0-9_]*")
"""Form of the first word of a fact."""
DIGEST = re.compile(r"[0-9a-f]{16}")
RESERVED = frozenset(
    "welcome wait start game seat player clock seed turn go end rank bye error note".split()
)
"""Keywords of the lines around the facts (PROTOCOL.md 3 and 7); no fact can begin with one."""
NO_BOARD = "\N{REPLACEMENT CHARACTER} no board of any game \N{REPLACEMENT CHARACTER}\n"
FAULTS: tuple[Verdict, ...] = (
    Late(),
    Malformed(Refusal(RefusalCode.MALFORMED, "made by the conformance suite")),
    Missing(),
    Out(),
)

Told = tuple[Token, ...] | Verdict
"""What a seat did in a turn of a transcript: its tokens, or the verdict when it isn't an answer."""


@attrs.frozen
class _Transcript:
    """A playthrough, so that it can be played again, also in another process."""

    settings: Mapping[str, int]
    seed: int
    turns: tuple[tuple[Told, ...], ...]
    digests: tuple[str, ...]
    """Before the first turn and after every one."""


def check_ruleset(
    ruleset: Ruleset,
    player: Player,
    *,
    bad_boards: Sequence[str] = (),
    seeds: Sequence[int] | None = None,
    turns: int = 60,
) -> None:
    """Check that a ruleset keeps what the arena, the record and the viewers rely on.

    Its class must be importable, because one check replays in another process.

    Args:
        ruleset: The ruleset.
        player: Makes plausible answers; see `Player`.
        bad_boards: Board files that must be refused, beside the suite's own.
        seeds: Seeds to play with; None: the ends of the ruleset's range and two between.
        turns: Turns of a playthrough at most.

    Raises:
        AssertionError: It doesn't; the message says what was found and what would be right.
    """
    _check_description(ruleset)
    if seeds is None:
        low, high = ruleset.seeds
        seeds = sorted({low, max(low, min(1, high)), max(low, min(2, high)), high})
    _check_chance(ruleset, seeds)
    _check_boards(ruleset, seeds, bad_boards)
    transcripts = []
    seen: dict[str, object] = {}
    for seed in seeds:
        _check_start(ruleset, seed)
        _check_faults(ruleset, player, seed)
        for share in (0.0, 0.1):
            played = _Playthrough(ruleset, player, seed, share, seen).play(turns)
            _check_again(ruleset, played)
            transcripts.append(played)
    _check_end(ruleset, seeds[0])
    _check_other_process(ruleset, transcripts)


# What the ruleset says of itself


def _check_description(ruleset: Ruleset) -> None:
    name = ruleset.name
    _require(NAME.fullmatch(name), f"name {name!r}: lower-case letters, digits and `-`")
    _require_words(ruleset.title, "title")
    _require(re.fullmatch(r"\S+", ruleset.version), f"version {ruleset.version!r}: one word")
    _require(ruleset.seats >= 1, f"{ruleset.seats} seats: at least 1")
    _require(isinstance(ruleset.consequence, Consequence), f"consequence {ruleset.consequence!r}")
    low, high = ruleset.seeds
    _require(
        -(2**63) <= low <= high < 2**63, f"seeds {low} to {high}: a range of 64-bit signed numbers"
    )
    names = [setting.name for setting in ruleset.settings]
    _require(len(names) == len(set(names)), f"settings {names}: each name once")
    for setting in ruleset.settings:
        what = f"setting {setting.name!r}"
        _require(SETTING_NAME.fullmatch(setting.name), f"{what}: letters, digits and `_`")
        _require(
            setting.low <= setting.default <= setting.high,
            f"{what}: default {setting.default} isn't from {setting.low} to {setting.high}",
        )
        _require_words(setting.help, f"help of {what}")
    settings = complete_settings(ruleset, {})
    with _unharmed("max_turns"):
        most = ruleset.max_turns(settings)
    _require(most >= 1, f"max_turns is {most}: a match has at least 1 turn")


def _check_chance(ruleset: Ruleset, seeds: Sequence[int]) -> None:
    low, high = ruleset.seeds
    draws: dict[tuple[int, ...], int] = {}
    for seed in dict.fromkeys([*seeds, *(seed for seed in (1, -1) if low <= seed <= high)]):
        _require(low <= seed <= high, f"seed {seed} isn't one of the ruleset's, {low} to {high}")
        drawn = []
        for _ in range(2):
            with _unharmed(f"chance({seed})"):
                chance = ruleset.chance(seed)
                drawn.append(tuple(chance.below(2**16, "conformance") for _ in range(20)))
        _require(drawn[0] == drawn[1], f"seed {seed} gives other draws the second time")
        other = draws.setdefault(drawn[0], seed)
        _require(other == seed, f"seeds {other} and {seed} give the same draws")


def _check_boards(ruleset: Ruleset, seeds: Sequence[int], bad_boards: Sequence[str]) -> None:
    settings = complete_settings(ruleset, {})
    pick = random.Random(0)  # noqa: S311 - tests, not secrets
    for bad in (NO_BOARD, *bad_boards):
        _require(not _reads(ruleset, bad), f"read_board takes {bad[:80]!r}, which is no board")
    for seed in seeds:
        boards = []
        for _ in range(2):
            with _unharmed(f"generate with seed {seed}"):
                boards.append(ruleset.generate(settings, ruleset.chance(seed)))
        _require(boards[0] == boards[1], f"seed {seed} generates another board the second time")
        with _unharmed(f"write_board of seed {seed}"):
            text = ruleset.write_board(boards[0])
        _require_lines(text.encode(), f"the board file of seed {seed}")
        with _unharmed(f"read_board of the board file of seed {seed}"):
            board = ruleset.read_board(text)
        _require(board == boards[0], f"the board of seed {seed} isn't read back as it was written")
        for _ in range(20):
            at, mutant = pick.randrange(len(text)), pick.choice("\0 \n-9A#é")
            _reads(ruleset, text[:at] + mutant + text[at + pick.randrange(2) :])
            _reads(ruleset, text[:at])


def _reads(ruleset: Ruleset, text: str) -> bool:
    """Whether a text is read as a board, which then is written and read back the same."""
    with _unharmed(f"read_board of {text[:80]!r}"):
        try:
            board = ruleset.read_board(text)
        except BadBoardError as error:
            _require_words(str(error), "a BadBoardError's message")
            return False
        again = ruleset.read_board(ruleset.write_board(board))
    _require(again == board, f"the board {text[:80]!r} isn't read back as it was written")
    return True


# Games


def _new(ruleset: Ruleset, settings: Mapping[str, int], seed: int) -> Game:
    """A game as a match begins it: board and game by one chance."""
    with _unharmed(f"new with seed {seed} and {dict(settings)}"):
        chance = ruleset.chance(seed)
        return ruleset.new(settings, ruleset.generate(settings, chance), chance)


def _parse(game: Game, seat: int, tokens: Sequence[Token]) -> Verdict:
    """What the runner makes of tokens that came in time."""
    with _unharmed(f"parse of seat {seat}'s {list(tokens[:12])}"):
        try:
            verdict: Verdict = game.parse(seat, tokens)
        except MalformedAnswerError as error:
            verdict = Malformed(error.refusal)
    refusals = verdict.refused if isinstance(verdict, Answer) else ()
    refusals = (verdict.refusal,) if isinstance(verdict, Malformed) else refusals
    for refusal in refusals:
        _require_words(refusal.words, "a refusal's words")
        _require(
            refusal.index is None or 0 <= refusal.index <= len(tokens),
            f"a refusal's index is {refusal.index} for an answer of {len(tokens)} tokens",
        )
    return verdict


def _judged(game: Game, seat: int, told: Told) -> Verdict:
    return _parse(game, seat, told) if isinstance(told, tuple) else told


def _advance(game: Game, verdicts: Sequence[Verdict]) -> None:
    kinds = ", ".join(type(verdict).__name__ for verdict in verdicts)
    with _unharmed(f"advance by {kinds} in turn {game.turn}"):
        game.advance(tuple(verdicts))


def _check_start(ruleset: Ruleset, seed: int) -> None:
    """Two games of one seed begin alike; the wire tells every setting."""
    extremes = [{s.name: value} for s in ruleset.settings for value in (s.low, s.high)]
    for given in ({}, *extremes):
        settings = complete_settings(ruleset, given)
        one, other = _new(ruleset, settings, seed), _new(ruleset, settings, seed)
        _require(one.turn == 0, f"a new game's turn is {one.turn}; it is 0")
        _require(one.outcome() is None, "a new game has an outcome already")
        _require(
            _shown(ruleset, one) == _shown(ruleset, other) and one.digest() == other.digest(),
            f"two new games with seed {seed} differ",
        )
        for seat in range(ruleset.seats):
            lines = _require_facts(one.facts_at_start(seat), "facts_at_start")
            told = [line for line in lines if line.startswith("set ")]
            wanted = [f"set {name} {value}" for name, value in settings.items()]
            _require(
                wanted == [line for line in told if line in wanted],
                f"facts_at_start tells the settings as {told}; expected {wanted} in this order",
            )


def _shown(ruleset: Ruleset, game: Game) -> tuple[object, ...]:
    """All that a game tells of itself at one moment."""
    seats = range(ruleset.seats)
    status = (0.0,) * ruleset.seats
    starts = [game.facts_at_start(seat) for seat in seats]
    facts = [game.facts(seat, status) for seat in seats]
    return (starts, facts, game.scene(), game.frame(), game.scores(), game.outcome())


def _check_faults(ruleset: Ruleset, player: Player, seed: int) -> None:
    """What follows from a turn without a usable answer is what `consequence` declares."""
    settings = complete_settings(ruleset, {})
    seats = range(ruleset.seats)
    pick = random.Random(seed)  # noqa: S311 - tests, not secrets
    answers = [tuple(player(_new(ruleset, settings, seed), seat, pick)) for seat in seats]

    def after(at_fault: Sequence[int], told: Told) -> Game:
        game = _new(ruleset, settings, seed)
        turn = [told if seat in at_fault else answers[seat] for seat in seats]
        _advance(game, [_judged(game, seat, turn[seat]) for seat in seats])
        return game

    for at_fault in ([0], [ruleset.seats - 1], list(seats)):
        silent = after(at_fault, ())
        for fault in FAULTS:
            word = type(fault).__name__
            game = after(at_fault, fault)
            outcome = game.outcome()
            if ruleset.consequence is Consequence.SKIP:
                _require(
                    game.digest() == silent.digest(),
                    f"the consequence is SKIP, but {word} is something else than no submoves",
                )
                continue
            ended = outcome is not None and outcome.termination is Termination.FORFEIT
            _require(ended, f"the consequence is FORFEIT, but {word} gives {outcome}")
            assert outcome is not None
            best = [seat for seat in seats if outcome.ranks[seat] == 1]
            innocent = [seat for seat in seats if seat not in at_fault] or list(seats)
            if all(_usable(game, seat, answers[seat]) for seat in innocent):
                _require(
                    set(best) <= set(innocent),
                    f"seats {at_fault} forfeit by {word}, but the ranks are {outcome.ranks}",
                )


def _usable(game: Game, seat: int, tokens: tuple[Token, ...]) -> bool:
    verdict = _parse(game, seat, tokens)
    return isinstance(verdict, Answer) and not verdict.refused


class _Playthrough:
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
        self.game = _new(ruleset, self.settings, seed)
        self.pick = random.Random(repr((seed, fault_share)))  # noqa: S311 - tests, not secrets
        self.scene = self.game.scene()
        _require_scene(self.scene, ruleset.seats)
        self.start = [self.game.facts_at_start(seat) for seat in range(ruleset.seats)]

    def play(self, turns: int) -> _Transcript:
        game, seats = self.game, range(self.ruleset.seats)
        told: list[tuple[Told, ...]] = []
        digests: list[str] = []
        out: dict[int, Verdict] = {}
        outcome: Outcome | None = None
        self.dialect_opening()
        while True:
            digests.append(self.look(outcome))
            _require(
                len(set(digests)) == len(digests),
                f"turn {game.turn} has the digest of an earlier turn; the turn counts",
            )
            if outcome is not None or len(told) == turns:
                break
            _require(
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
            _advance(game, [_judged(game, seat, turn[seat]) for seat in seats])
            told.append(tuple(turn))
            outcome = game.outcome()
            forfeited = outcome is not None and outcome.termination is Termination.FORFEIT
            _require(
                game.turn == before + 1 or (forfeited and game.turn == before),
                f"advance leads from turn {before} to {game.turn}; it carries out one move",
            )
        return _Transcript(self.settings, self.seed, tuple(told), tuple(digests))

    def look(self, outcome: Outcome | None) -> str:
        """Look at the position and read noise against it, which must not change it."""
        game, seats = self.game, range(self.ruleset.seats)
        digest = game.digest()
        _require(DIGEST.fullmatch(digest), f"digest {digest!r}: 16 lower-case hexadecimal digits")
        frame = game.frame()
        _require_frame(frame, self.scene, game, len(seats))
        standing = (frame, game.scores(), outcome)
        _require(
            self.seen.setdefault(digest, standing) == standing,
            f"two positions that differ have the digest {digest}; it covers the whole state",
        )
        for status in ((0.0,) * len(seats), (-1.0,) + (0.1234,) * (len(seats) - 1)):
            told = []
            for seat in seats:
                with _unharmed(f"facts of turn {game.turn}"):
                    told.append(game.facts(seat, status))
                _require_facts(told[seat], f"facts of turn {game.turn}")
                alike = next(facts for facts in told if facts == told[seat])
                _require(
                    alike is told[seat],
                    f"facts of turn {game.turn}: seats that see the same get the same object",
                )
        if outcome is None:
            for seat in seats:
                silent = _parse(game, seat, ())
                _require(
                    isinstance(silent, Answer) and not silent.refused,
                    f"an empty answer gives {silent}; it is no submoves (PROTOCOL.md 4)",
                )
                _parse(game, seat, self.noise())
        else:
            _require_outcome(outcome, game, len(seats))
        self.dialect(outcome)
        _require(game.digest() == digest, f"turn {game.turn}: looking or parsing changes the game")
        _require(self.scene == game.scene(), "the scene changes in the match")
        _require(
            self.start == [game.facts_at_start(seat) for seat in seats],
            "facts_at_start changes in the match",
        )
        return digest

    def noise(self) -> tuple[Token, ...]:
        """Tokens of no sense: any of them can come from a bot (PROTOCOL.md 4)."""
        pick = self.pick
        length = 20_000 if pick.random() < 0.01 else pick.randrange(13)
        kinds = (
            lambda: pick.randrange(-2, 12),
            lambda: pick.randrange(-100, 100),
            lambda: pick.choice((-(2**31), 2**31 - 1)),
            lambda: pick.choice("amzsAZ"),
        )
        weights = (90, 8, 1, 1)
        return tuple(pick.choices(kinds, weights)[0]() for _ in range(length))

    def dialect_opening(self) -> None:
        classic = self.ruleset.classic
        if classic is not None:
            for seat in range(self.ruleset.seats):
                with _unharmed("the classic dialect's opening"):
                    _require_lines(classic.opening(self.game, seat), "the classic opening")

    def dialect(self, outcome: Outcome | None) -> None:
        classic = self.ruleset.classic
        if classic is None or (outcome is None and not self.game.turn):
            return
        for seat in range(self.ruleset.seats):
            with _unharmed(f"the classic dialect in turn {self.game.turn}"):
                last = outcome is not None
                said = (classic.closing if last else classic.turn)(self.game, seat)
            # A line can be empty here: it is the dialect's own, not a keyword's.
            _require(said.endswith(b"\n") or (last and not said), f"classic {said!r}: whole lines")


def _check_again(ruleset: Ruleset, played: _Transcript) -> None:
    """The same history gives the same game: unobserved, with answers read in another order."""
    game = _new(ruleset, played.settings, played.seed)
    pick = random.Random(played.seed)  # noqa: S311 - tests, not secrets
    for number, turn in enumerate(played.turns):
        order = list(range(ruleset.seats))
        pick.shuffle(order)
        verdicts = {seat: _judged(game, seat, turn[seat]) for seat in order}
        _advance(game, [verdicts[seat] for seat in range(ruleset.seats)])
        _require(
            game.digest() == played.digests[number + 1],
            f"seed {played.seed}: the same answers give another game in turn {number}",
        )


def _check_end(ruleset: Ruleset, seed: int) -> None:
    """A game in which nobody does anything ends within max_turns."""
    for given in ({}, *({setting.name: setting.low} for setting in ruleset.settings)):
        settings = complete_settings(ruleset, given)
        game = _new(ruleset, settings, seed)
        most = ruleset.max_turns(settings)
        for _ in range(most):
            _advance(game, [_parse(game, seat, ()) for seat in range(ruleset.seats)])
            if game.outcome() is not None:
                break
        _require(game.outcome() is not None, f"no outcome after max_turns, {most}, {settings}")


# Another process


def _check_other_process(ruleset: Ruleset, transcripts: Sequence[_Transcript]) -> None:
    """Digests don't depend on the process, as they would by `hash()` or the order of a set."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    program = (
        "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
        "from lanista.rules.testing import replay_for_parent; replay_for_parent()"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter and program
        [sys.executable, "-c", program],
        input=pickle.dumps(sys.path) + pickle.dumps((ruleset, transcripts)),
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        check=False,
    )
    _require(not done.returncode, f"in another process: {done.stderr.decode(errors='replace')}")


def replay_for_parent() -> None:
    """The other process's side of `check_ruleset`; reads the games from standard input."""
    ruleset, transcripts = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own parent wrote it
    try:
        for played in transcripts:
            _check_again(ruleset, played)
    except AssertionError as error:
        sys.exit(str(error))


# What anything must look like


def _require(fact: object, words: str) -> None:
    if not fact:
        raise AssertionError(words)


@contextlib.contextmanager
def _unharmed(what: str) -> Iterator[None]:
    """Turn an exception that nothing allows into a finding."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{what} raises {error!r}") from error


def _require_words(words: str, what: str) -> None:
    _require(words and words.isprintable(), f"{what}, {words!r}: one printable line")


def _require_lines(data: bytes, what: str) -> list[str]:
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        raise AssertionError(f"{what}: not UTF-8: {error}") from None
    _require(not lines.pop(), f"{what}: the last line has no newline")
    for line in lines:
        _require_words(line, f"{what}: a line")
    return lines


def _require_facts(data: bytes, what: str) -> list[str]:
    lines = _require_lines(data, what)
    for line in lines:
        words = line.split(" ")
        _require(all(words), f"{what}: {line!r}: tokens separated by single spaces")
        keyword = words[0]
        _require(KEYWORD.fullmatch(keyword), f"{what}: {line!r}: begins with a keyword")
        _require(keyword not in RESERVED, f"{what}: `{keyword}` is a keyword of the protocol's own")
    return lines


def _require_scene(scene: Scene, seats: int) -> None:
    size = (scene.rows, scene.cols)
    _require(min(size) >= 1, f"a scene of {scene.rows} rows and {scene.cols} columns")
    shape = [len(row) for row in scene.ground]
    _require(shape == [scene.cols] * scene.rows, f"a scene of {size} with ground of {shape}")
    for (row, col), seat in scene.owners.items():
        _require(
            0 <= row < scene.rows and 0 <= col < scene.cols and 0 <= seat < seats,
            f"the scene's owner {seat} of ({row}, {col}): a seat, a cell of {size}",
        )


def _require_frame(frame: Frame, scene: Scene, game: Game, seats: int) -> None:
    _require(frame.turn == game.turn, f"the frame of turn {game.turn} says turn {frame.turn}")
    for mark in frame.marks:
        _require(
            0 <= mark.row < scene.rows and 0 <= mark.col < scene.cols,
            f"{mark} is outside the scene of {scene.rows} rows and {scene.cols} columns",
        )
        _require(mark.seat is None or 0 <= mark.seat < seats, f"{mark}: the seats are {seats}")
        _require_words(mark.text, "a mark's text")
    _require(
        len(frame.captions) == seats, f"{len(frame.captions)} captions: one a seat, for {seats}"
    )
    for caption in frame.captions:
        _require_words(caption, "a caption")
    scores = game.scores()
    _require(
        len(scores) == seats and all(type(score) is int for score in scores),
        f"scores {scores}: a whole number a seat, for {seats}",
    )


def _require_outcome(outcome: Outcome, game: Game, seats: int) -> None:
    _require(
        outcome.termination in {Termination.FINISHED, Termination.FORFEIT},
        f"{outcome.termination}: by the rules a match is finished or a forfeit",
    )
    _require(NAME.fullmatch(outcome.reason), f"the outcome's reason {outcome.reason!r}: one word")
    ranks = outcome.ranks
    _require(len(ranks) == seats, f"ranks {ranks}: one a seat, for {seats}")
    _require(
        all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks),
        f"ranks {ranks}: places from 1, ties share the best",
    )
    _require(
        outcome.scores == game.scores(),
        f"the outcome's scores {outcome.scores} aren't the game's, {game.scores()}",
    )
    _require(outcome == game.outcome(), "the outcome changes when it is asked for again")
