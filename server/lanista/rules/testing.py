"""For the tests of any ruleset, also another package's: scripted chance, conformance suite.

`check_ruleset` plays a ruleset with random answers and raises AssertionError at the first rule
of `lanista.rules.base` or of PROTOCOL.md that it breaks. Whether the moves are carried out as
the game's own page says, only its own tests can tell. The looks at single positions are in
`conformance` and `requirements`.

Never imported by anything that plays; no ruleset's name here.
"""

import os
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Sequence

import attrs

from lanista.rules.base import (
    BadBoardError,
    Consequence,
    Game,
    Ruleset,
    complete_settings,
)
from lanista.rules.conformance import (
    FAULTS,
    Player,
    Playthrough,
    Told,
    Transcript,
    advance,
    check_again,
    judged,
    new_game,
    parsed,
)
from lanista.rules.outcome import Termination
from lanista.rules.requirements import (
    NAME,
    require,
    require_facts,
    require_lines,
    require_words,
    unharmed,
)

__all__ = [
    "HighestChance",
    "LowestChance",
    "Player",
    "ScriptedChance",
    "UnexpectedDrawError",
    "check_ruleset",
]

SETTING_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
NO_BOARD = "\N{REPLACEMENT CHARACTER} no board of any game \N{REPLACEMENT CHARACTER}\n"


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
        for share in (0.0, 0.1):
            played = Playthrough(ruleset, player, seed, share, seen).play(turns)
            check_again(ruleset, played)
            transcripts.append(played)
        _check_faults(ruleset, player, seed)
    _check_end(ruleset, seeds[0])
    _check_other_process(ruleset, transcripts)


# What the ruleset says of itself


def _check_description(ruleset: Ruleset) -> None:
    name = ruleset.name
    require(NAME.fullmatch(name), f"name {name!r}: lower-case letters, digits and `-`")
    require_words(ruleset.title, "title")
    require(re.fullmatch(r"\S+", ruleset.version), f"version {ruleset.version!r}: one word")
    require(ruleset.seats >= 1, f"{ruleset.seats} seats: at least 1")
    require(isinstance(ruleset.consequence, Consequence), f"consequence {ruleset.consequence!r}")
    low, high = ruleset.seeds
    require(
        -(2**63) <= low <= high < 2**63, f"seeds {low} to {high}: a range of 64-bit signed numbers"
    )
    names = [setting.name for setting in ruleset.settings]
    require(len(names) == len(set(names)), f"settings {names}: each name once")
    for setting in ruleset.settings:
        what = f"setting {setting.name!r}"
        require(SETTING_NAME.fullmatch(setting.name), f"{what}: letters, digits and `_`")
        require(
            setting.low <= setting.default <= setting.high,
            f"{what}: default {setting.default} isn't from {setting.low} to {setting.high}",
        )
        require_words(setting.help, f"help of {what}")
    settings = complete_settings(ruleset, {})
    with unharmed("max_turns"):
        most = ruleset.max_turns(settings)
    require(most >= 1, f"max_turns is {most}: a match has at least 1 turn")


def _check_chance(ruleset: Ruleset, seeds: Sequence[int]) -> None:
    low, high = ruleset.seeds
    draws: dict[tuple[int, ...], int] = {}
    for seed in dict.fromkeys([*seeds, *(seed for seed in (1, -1) if low <= seed <= high)]):
        require(low <= seed <= high, f"seed {seed} isn't one of the ruleset's, {low} to {high}")
        drawn = []
        for _ in range(2):
            with unharmed(f"chance({seed})"):
                chance = ruleset.chance(seed)
                drawn.append(tuple(chance.below(2**16, "conformance") for _ in range(20)))
        require(drawn[0] == drawn[1], f"seed {seed} gives other draws the second time")
        other = draws.setdefault(drawn[0], seed)
        require(other == seed, f"seeds {other} and {seed} give the same draws")


def _check_boards(ruleset: Ruleset, seeds: Sequence[int], bad_boards: Sequence[str]) -> None:
    settings = complete_settings(ruleset, {})
    pick = random.Random(0)  # noqa: S311 - tests, not secrets
    for bad in (NO_BOARD, *bad_boards):
        require(not _reads(ruleset, bad), f"read_board takes {bad[:80]!r}, which is no board")
    for seed in seeds:
        boards = []
        for _ in range(2):
            with unharmed(f"generate with seed {seed}"):
                boards.append(ruleset.generate(settings, ruleset.chance(seed)))
        require(boards[0] == boards[1], f"seed {seed} generates another board the second time")
        with unharmed(f"write_board of seed {seed}"):
            text = ruleset.write_board(boards[0])
        require_lines(text.encode(), f"the board file of seed {seed}")
        with unharmed(f"read_board of the board file of seed {seed}"):
            board = ruleset.read_board(text)
        require(board == boards[0], f"the board of seed {seed} isn't read back as it was written")
        for _ in range(20):
            at, mutant = pick.randrange(len(text)), pick.choice("\0 \n-9A#é")
            _reads(ruleset, text[:at] + mutant + text[at + pick.randrange(2) :])
            _reads(ruleset, text[:at])


def _reads(ruleset: Ruleset, text: str) -> bool:
    """Whether a text is read as a board, which then is written and read back the same."""
    with unharmed(f"read_board of {text[:80]!r}"):
        try:
            board = ruleset.read_board(text)
        except BadBoardError as error:
            require_words(str(error), "a BadBoardError's message")
            return False
        again = ruleset.read_board(ruleset.write_board(board))
    require(again == board, f"the board {text[:80]!r} isn't read back as it was written")
    return True


def _check_start(ruleset: Ruleset, seed: int) -> None:
    """Two games of one seed begin alike; the wire tells every setting."""
    extremes = [{s.name: value} for s in ruleset.settings for value in (s.low, s.high)]
    for given in ({}, *extremes):
        settings = complete_settings(ruleset, given)
        one, other = new_game(ruleset, settings, seed), new_game(ruleset, settings, seed)
        require(one.turn == 0, f"a new game's turn is {one.turn}; it is 0")
        require(one.outcome() is None, "a new game has an outcome already")
        require(
            _shown(ruleset, one) == _shown(ruleset, other) and one.digest() == other.digest(),
            f"two new games with seed {seed} differ",
        )
        frame = one.frame()
        require(
            not (frame.arrows or frame.captured or frame.events),
            "a new game's frame has arrows, captured cells or events; nothing happened yet",
        )
        for seat in range(ruleset.seats):
            lines = require_facts(one.facts_at_start(seat), "facts_at_start")
            told = [line for line in lines if line.startswith("set ")]
            wanted = [f"set {name} {value}" for name, value in settings.items()]
            require(
                wanted == [line for line in told if line in wanted],
                f"facts_at_start tells the settings as {told}; expected {wanted} in this order",
            )


def _shown(ruleset: Ruleset, game: Game) -> tuple[object, ...]:
    """All that a game tells of itself at one moment."""
    seats = range(ruleset.seats)
    status = (0.0,) * ruleset.seats
    with unharmed("a new game's facts, scene, frame, scores or outcome"):
        starts = [game.facts_at_start(seat) for seat in seats]
        facts = [game.facts(seat, status) for seat in seats]
        return (starts, facts, game.scene(), game.frame(), game.scores(), game.outcome())


def _check_faults(ruleset: Ruleset, player: Player, seed: int) -> None:
    """What follows from a turn without a usable answer is what `consequence` declares."""
    settings = complete_settings(ruleset, {})
    seats = range(ruleset.seats)
    skips = ruleset.consequence is Consequence.SKIP
    pick = random.Random(seed)  # noqa: S311 - tests, not secrets
    first = new_game(ruleset, settings, seed)
    # Where a fault ends the game, nothing but the fault may decide it: the others do nothing.
    answers = [tuple(player(first, seat, pick)) if skips else () for seat in seats]

    def after(at_fault: Sequence[int], told: Told) -> Game:
        game = new_game(ruleset, settings, seed)
        turn = [told if seat in at_fault else answers[seat] for seat in seats]
        advance(game, [judged(game, seat, turn[seat]) for seat in seats])
        return game

    for at_fault in ([0], [ruleset.seats - 1], list(seats)):
        silent = after(at_fault, ())
        for fault in FAULTS:
            word = type(fault).__name__
            game = after(at_fault, fault)
            if skips:
                require(
                    game.digest() == silent.digest(),
                    f"the consequence is SKIP, but {word} is something else than no submoves",
                )
                continue
            outcome = game.outcome()
            if outcome is None or outcome.termination is not Termination.FORFEIT:
                raise AssertionError(f"the consequence is FORFEIT, but {word} gives {outcome}")
            innocent = [seat for seat in seats if seat not in at_fault] or list(seats)
            best = [seat for seat in seats if outcome.ranks[seat] == 1]
            require(
                best == innocent,
                f"seats {at_fault} forfeit by {word}, but the ranks are {outcome.ranks}",
            )


def _check_end(ruleset: Ruleset, seed: int) -> None:
    """A game in which nobody does anything ends within max_turns."""
    for given in ({}, *({setting.name: setting.low} for setting in ruleset.settings)):
        settings = complete_settings(ruleset, given)
        game = new_game(ruleset, settings, seed)
        most = ruleset.max_turns(settings)
        for _ in range(most):
            advance(game, [parsed(game, seat, ()) for seat in range(ruleset.seats)])
            if game.outcome() is not None:
                break
        require(game.outcome() is not None, f"no outcome after max_turns, {most}, {settings}")


# Another process


def _check_other_process(ruleset: Ruleset, transcripts: Sequence[Transcript]) -> None:
    """Digests don't depend on the process, as they would by `hash()` or the order of a set."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    program = (
        "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
        "from lanista.rules.testing import replay_for_parent; replay_for_parent()"
    )
    with unharmed("pickling the ruleset, to play in another process,"):
        games = pickle.dumps((ruleset, transcripts))
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps(sys.path) + games,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        check=False,
    )
    require(not done.returncode, f"in another process: {done.stderr.decode(errors='replace')}")


def replay_for_parent() -> None:
    """The other process's side of `check_ruleset`; reads the games from standard input."""
    ruleset, transcripts = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own parent wrote it
    try:
        for played in transcripts:
            check_again(ruleset, played)
    except AssertionError as error:
        sys.exit(str(error))
