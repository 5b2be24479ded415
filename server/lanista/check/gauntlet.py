"""The bouts that a check plays, their order, and when it gives up.

All bouts but the outnumbered one are short: a good bot should need less than ten seconds for all.
"""

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, cast

import attrs

from lanista.check.bout import Bout, BoutSpec, Tested, play
from lanista.check.channels import GoApart, UnknownWords
from lanista.games import registry
from lanista.games.base import Game, Ruleset, Setting, complete_settings
from lanista.games.outcome import Outcome, by_score
from lanista.hosting.bot_pool import Contestant
from lanista.match.conditions import Clock, MatchSpec
from lanista.match.encoder import dialect_of

PLAIN = "the plain match"
APART = "the match with late go"
WORDS = "the match with unknown keywords"
ONE = "the match of one turn"
LARGEST = "the match on the largest map"
CROWDED = "the match when outnumbered"
KEPT = "two matches on one connection"
VERSION1 = frozenset((APART, WORDS))
"""The bouts that aren't played with a bot that uses a dialect of the game instead of version 1."""
SETTLE = 0.06
"""Seconds in which anything sent after an answer arrives. The bot is on the same machine, but its
small writes may wait 40 ms for each other."""
SHORT_LEAVE = 0.2
"""Seconds to exit by itself for a bot that didn't do so within three seconds in an earlier bout."""
PATIENT = (20.0, 5.0)
"""The least time limits where a `go` is held back, and on the largest map: these bouts don't check
the bot's speed."""


@attrs.frozen(kw_only=True)
class Results:
    """The bouts of a gauntlet."""

    tested: Tested
    bouts: dict[str, Bout]

    @property
    def plain(self) -> Bout:
        """The bout of the plain match, which is always played, and first."""
        return self.bouts[PLAIN]

    @property
    def speaks_version1(self) -> bool:
        """Whether the bot speaks version 1 of the protocol; true if it didn't connect."""
        hello = self.plain.hello
        return hello is None or dialect_of(hello, self.tested.ruleset) is None

    @property
    def keeps(self) -> bool:
        """Whether the bot asks to stay for another match, by `keep=1` in its hello."""
        hello = self.plain.hello
        return hello is not None and hello.keep and self.speaks_version1


async def run(tested: Tested, rivals: Sequence[Contestant], tell: Callable[[str], None]) -> Results:
    """Play the gauntlet; `tell` is called with the name of each bout before it is played.

    The rivals are strong bots for all other seats of the match in which the bot is to be
    outnumbered; without any, these are quiet. Raises CheckFailureError, as `bout.play`, and OSError
    if a file or a socket for a match couldn't be opened.
    """
    specs = specs_of(tested, rivals)
    results = Results(tested=tested, bouts={})
    must_be_ended = False
    for spec in specs:
        if spec.name in VERSION1 and not results.speaks_version1:
            continue
        if spec.name == KEPT and not results.keeps:
            continue
        tell(spec.name)
        leave = SHORT_LEAVE if must_be_ended else spec.leave
        bout = await play(tested, attrs.evolve(spec, leave=leave))
        results.bouts[spec.name] = bout
        must_be_ended |= bout.exit is not None and bout.exit.by_arena
        if spec.name == PLAIN and (bout.not_there or not bout.answered):
            break  # every other bout would only wait for it again
    return results


def specs_of(tested: Tested, rivals: Sequence[Contestant]) -> list[BoutSpec]:
    """Return all bouts of a gauntlet, the plain match first; the bot's seat varies."""
    ruleset, clock = tested.ruleset, tested.clock
    boards = boards_of(ruleset)
    last, middle = ruleset.seats - 1, ruleset.seats // 2
    patient = attrs.evolve(
        clock,
        time_init=max(clock.time_init, PATIENT[0]),
        time_move=max(clock.time_move, PATIENT[1]),
    )
    specs = [
        _bout(tested, PLAIN, 30),
        _bout(tested, APART, 5, seat=last, tap=GoApart, settle=SETTLE, clock=patient),
        _bout(tested, WORDS, 8, seat=last // 2, tap=UnknownWords),
        _bout(tested, ONE, 1),
    ]
    if boards is None:  # it is up to its rivals whether the bot is outnumbered, in a whole match
        specs.append(_bout(tested, CROWDED, None, seat=middle, rivals=rivals))
    else:
        board = boards.largest()
        specs.append(_bout(tested, LARGEST, 20, seat=last, board=board, clock=patient))
        board = boards.crowded(tested.seed, middle)
        crowded = {"board": board, "seat": middle, "rivals": rivals}
        specs.append(_bout(tested, CROWDED, boards.CROWDED_TURNS, **crowded))
    specs.append(_bout(tested, KEPT, 5, matches=2))
    return specs


def _bout(
    tested: Tested,
    name: str,
    turns: int | None,
    *,
    board: Any = None,
    clock: Clock | None = None,
    **more: Any,
) -> BoutSpec:
    """Return a bout of matches of at most so many turns, or of whole ones."""
    ruleset, settings = tested.ruleset, complete_settings(tested.ruleset, {})
    if turns is not None:
        ruleset, settings, _ = shortened(ruleset, turns)
    match = MatchSpec(
        ruleset=ruleset,
        settings=settings,
        seed=tested.seed,
        board=board,
        clock=clock or tested.clock,
    )
    return BoutSpec(name=name, match=match, **more)


# -- how matches become short, and the special boards of a game -----------------------------------


def length_setting(ruleset: Ruleset) -> Setting | None:
    """Return the setting that is the number of a match's turns, if the ruleset has one."""
    for setting in ruleset.settings:
        values = {setting.low, min(setting.low + 1, setting.high), setting.default}
        if len(values) > 1 and all(
            ruleset.max_turns(complete_settings(ruleset, {setting.name: value})) == value
            for value in values
        ):
            return setting
    return None


def shortened(ruleset: Ruleset, turns: int) -> tuple[Ruleset, dict[str, int], str]:
    """Return the ruleset and settings of a match of at most `turns` turns, and how it is cut.

    If the game has a setting for the number of turns, it is used. Else the game is ended from
    outside, as if its rules had ended it.
    """
    setting = length_setting(ruleset)
    if setting is None:
        how = f"ended after {turns}, which no setting of {ruleset.name} does"
        return cast("Ruleset", _Cut(ruleset, turns)), complete_settings(ruleset, {}), how
    value = max(setting.low, min(turns, setting.high))
    return ruleset, complete_settings(ruleset, {setting.name: value}), f"{setting.name}={value}"


class _Cut:
    """A ruleset whose games end after a number of turns."""

    def __init__(self, ruleset: Ruleset, turns: int) -> None:
        self._ruleset, self._turns = ruleset, turns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ruleset, name)

    def new(self, settings: Mapping[str, int], board: Any, chance: Any) -> Game:
        return cast("Game", _CutGame(self._ruleset.new(settings, board, chance), self._turns))


class _CutGame:
    """A game that is over after a number of turns, and is then ranked by score."""

    def __init__(self, game: Game, turns: int) -> None:
        self._game, self._turns = game, turns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def outcome(self) -> Outcome | None:
        outcome = self._game.outcome()
        if outcome is None and self._game.turn >= self._turns:
            outcome = by_score(self._game.scores(), "cut-short")
        return outcome


def boards_of(ruleset: Ruleset) -> ModuleType | None:
    """Return the module with special boards of a game; None if it has none."""
    return registry.part(ruleset.name, "check_boards")
