"""Tools for testing any ruleset, also of another package: scripted chance, conformance suite.

Only the ruleset's own tests can check whether moves are carried out as the rules of the game say.
What is required is in `conformance`, and games in progress are checked in `playthrough`.
"""

import os
import pickle
import random
import subprocess
import sys
from collections.abc import Sequence

import attrs

from lanista.games.base import BadBoardError, Consequence, Game, Ruleset, complete_settings
from lanista.games.conformance import (
    check_description,
    require,
    require_board,
    require_facts,
    require_lines,
    require_texts,
    unharmed,
)
from lanista.games.outcome import Termination
from lanista.games.playthrough import (
    FAULTS,
    Player,
    Playthrough,
    SeatTurn,
    Transcript,
    advance,
    check_again,
    judged,
    new_game,
    parsed,
)

__all__ = [
    "Player",
    "ScriptedChance",
    "UnexpectedDrawError",
    "check_ruleset",
]

NO_BOARD = "\N{REPLACEMENT CHARACTER} no board of any game \N{REPLACEMENT CHARACTER}\n"
"""A text that every ruleset must refuse as a board file."""


class UnexpectedDrawError(AssertionError):
    """A ruleset made a draw that differs from the script of the test."""


@attrs.define
class ScriptedChance:
    """A source that gives the draws of a script and fails on any other draw."""

    script: list[tuple[str, int, int]]
    """The draws still to come, as (why, n, value): a draw below n for that reason gives value."""

    def below(self, n: int, why: str) -> int:
        """Return the next value of the script, which must be for this draw."""
        if not self.script:
            raise UnexpectedDrawError(f"a draw below {n} ({why}) after the script's end")
        expected_why, expected_n, value = self.script.pop(0)
        if (expected_why, expected_n) != (why, n):
            raise UnexpectedDrawError(
                f"a draw below {n} ({why}); the script says below {expected_n} ({expected_why})"
            )
        return value


def check_ruleset(
    ruleset: Ruleset,
    player: Player,
    *,
    bad_boards: Sequence[str] = (),
    seeds: Sequence[int] | None = None,
    turns: int = 60,
) -> None:
    """Check that a ruleset meets what the arena, the records and the viewers rely on.

    It is played with random answers, and at the first requirement of `lanista.games.base` or
    PROTOCOL.md that it breaks, AssertionError is raised. Its class must be importable, because one
    check replays games in another process.

    Args:
        ruleset: The ruleset.
        player: Makes plausible answers.
        bad_boards: Board files that must be refused, in addition to the suite's own.
        seeds: Seeds to play with; None for both ends of the ruleset's range and two between.
        turns: The greatest number of turns of a playthrough.
    """
    try:
        check_description(ruleset)
        if seeds is None:
            low, high = ruleset.seeds
            seeds = sorted({low, max(low, min(1, high)), max(low, min(2, high)), high})
        _check_chance(ruleset, seeds)
        _check_boards(ruleset, seeds, bad_boards)
        transcripts: list[Transcript] = []
        seen: dict[str, object] = {}
        for seed in seeds:
            _check_start(ruleset, seed)
            for fault_share in (0.0, 0.1):
                transcript = Playthrough(ruleset, player, seed, fault_share, seen).play(turns)
                check_again(ruleset, transcript)
                transcripts.append(transcript)
            _check_faults(ruleset, player, seed)
        _check_end(ruleset, seeds[0])
        _check_other_process(ruleset, transcripts)
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(
            f"the checks can't go on after {error!r}; the traceback above shows which value of "
            "the ruleset or the player isn't what lanista.games.base says"
        ) from error


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
        require(not _reads(ruleset, bad), f"read_board accepts {bad[:80]!r}, which isn't a board")
    for seed in seeds:
        boards = []
        for _ in range(2):
            with unharmed(f"generate with seed {seed}"):
                boards.append(ruleset.generate(settings, ruleset.chance(seed)))
        require(boards[0] == boards[1], f"seed {seed} generates another board the second time")
        with unharmed(f"write_board of seed {seed}"):
            text = ruleset.write_board(boards[0])
        require_board(text)
        require_lines(text.encode(), f"the board file of seed {seed}")
        with unharmed(f"read_board of the board file of seed {seed}"):
            board = ruleset.read_board(text)
        require(board == boards[0], f"the board of seed {seed} isn't read back as it was written")
        for _ in range(20):
            position, mutant = pick.randrange(len(text)), pick.choice("\0 \n-9A#é")
            _reads(ruleset, text[:position] + mutant + text[position + pick.randrange(2) :])
            _reads(ruleset, text[:position])


def _reads(ruleset: Ruleset, text: str) -> bool:
    """Return whether a text is accepted as a board; if so, check that it survives a round trip."""
    with unharmed(f"read_board of {text[:80]!r}"):
        try:
            board = ruleset.read_board(text)
        except BadBoardError as error:
            require_texts("a BadBoardError's message", str(error))
            return False
        again = ruleset.read_board(ruleset.write_board(board))
    require(again == board, f"the board {text[:80]!r} isn't read back as it was written")
    return True


def _check_start(ruleset: Ruleset, seed: int) -> None:
    """Check that two games of one seed begin alike, at both ends of every setting."""
    extremes = [{s.name: value} for s in ruleset.settings for value in (s.low, s.high)]
    for given in ({}, *extremes):
        settings = complete_settings(ruleset, given)
        first, second = new_game(ruleset, settings, seed), new_game(ruleset, settings, seed)
        require(first.turn == 0, f"a new game's turn is {first.turn}; it must be 0")
        require(first.outcome() is None, "a new game has an outcome already")
        require(
            _views(ruleset, first) == _views(ruleset, second) and first.digest() == second.digest(),
            f"two new games with seed {seed} differ",
        )
        frame = first.frame()
        require(
            not (frame.arrows or frame.captured or frame.events or frame.idle),
            "a new game's frame has arrows, captured cells, events or idle units; nothing happened "
            "yet",
        )
        for seat in range(ruleset.seats):
            require_facts(first.facts_at_start(seat), "facts_at_start")


def _views(ruleset: Ruleset, game: Game) -> tuple[object, ...]:
    seats = range(ruleset.seats)
    with unharmed("a new game's facts, scene, frame, scores or outcome"):
        starts = [game.facts_at_start(seat) for seat in seats]
        facts = [game.facts(seat) for seat in seats]
        return (starts, facts, game.scene(), game.frame(), game.scores(), game.outcome())


def _check_faults(ruleset: Ruleset, player: Player, seed: int) -> None:
    """Check that a turn without a usable answer has the declared `consequence`."""
    settings = complete_settings(ruleset, {})
    seats = range(ruleset.seats)
    skips = ruleset.consequence is Consequence.SKIP
    pick = random.Random(seed)  # noqa: S311 - tests, not secrets
    first = new_game(ruleset, settings, seed)
    # If a fault ends the game, the other seats send empty answers, so that only the fault decides.
    answers = [tuple(player(first, seat, pick)) if skips else () for seat in seats]

    def after(at_fault: Sequence[int], seat_turn: SeatTurn) -> Game:
        game = new_game(ruleset, settings, seed)
        turn = [seat_turn if seat in at_fault else answers[seat] for seat in seats]
        advance(game, [judged(game, seat, turn[seat]) for seat in seats])
        return game

    for at_fault in ([0], [ruleset.seats - 1], list(seats)):
        silent = after(at_fault, ())
        for fault in FAULTS:
            fault_name = type(fault).__name__
            game = after(at_fault, fault)
            if skips:
                require(
                    game.digest() == silent.digest(),
                    f"the consequence is SKIP, but {fault_name} differs from an empty answer",
                )
                continue
            outcome = game.outcome()
            if outcome is None or outcome.termination is not Termination.FORFEIT:
                raise AssertionError(
                    f"the consequence is FORFEIT, but {fault_name} gives {outcome}"
                )
            innocent = [seat for seat in seats if seat not in at_fault] or list(seats)
            best = [seat for seat in seats if outcome.ranks[seat] == 1]
            require(
                best == innocent,
                f"seats {at_fault} forfeit by {fault_name}, but the ranks are {outcome.ranks}",
            )


def _check_end(ruleset: Ruleset, seed: int) -> None:
    """Check that a game without any submoves ends within max_turns."""
    for given in ({}, *({setting.name: setting.low} for setting in ruleset.settings)):
        settings = complete_settings(ruleset, given)
        game = new_game(ruleset, settings, seed)
        most = ruleset.max_turns(settings)
        for _ in range(most):
            advance(game, [parsed(game, seat, ()) for seat in range(ruleset.seats)])
            if game.outcome() is not None:
                break
        require(
            game.outcome() is not None,
            f"no outcome after the {most} turns of max_turns, with {settings}",
        )


# Another process


def _check_other_process(ruleset: Ruleset, transcripts: Sequence[Transcript]) -> None:
    """Check digests in another process, where `hash()` and the order of sets are different."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    program = (
        "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
        "from lanista.games.testing import replay_for_parent; replay_for_parent()"
    )
    with unharmed("pickling the ruleset, to play in another process,"):
        games = pickle.dumps((ruleset, transcripts))
    finished = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps(sys.path) + games,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        check=False,
    )
    errors = finished.stderr.decode(errors="replace")
    require(not finished.returncode, f"in another process: {errors}")


def replay_for_parent() -> None:
    """Replay the games of `check_ruleset` in another process, from standard input."""
    ruleset, transcripts = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own parent wrote it
    try:
        for transcript in transcripts:
            check_again(ruleset, transcript)
    except AssertionError as error:
        sys.exit(str(error))
