"""The bouts that a check plays, their order, and when it gives up.

All bouts but the outnumbered one are short: a good bot should need less than ten seconds for all.
"""

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from lanista.check import games
from lanista.check.bout import Bout, BoutSpec, Tested, play
from lanista.check.channels import GoApart, UnknownWords
from lanista.games.base import complete_settings
from lanista.hosting import handshake
from lanista.hosting.bot_pool import Contestant

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
        """Whether the bot speaks version 1 of the protocol; true as long as it isn't known."""
        hello = self.plain.hello if PLAIN in self.bouts else None
        return hello is None or handshake.speaks_version1(hello, self.tested.ruleset)

    @property
    def keeps(self) -> bool:
        """Whether the bot asks to stay for another match, by `keep=1` in its hello."""
        hello = self.plain.hello
        return hello is not None and hello.keep and self.speaks_version1


async def run(
    tested: Tested, rivals: Sequence[Contestant], tell: Callable[[str], None] = lambda _: None
) -> Results:
    """Play the gauntlet.

    Args:
        tested: The bot under check.
        rivals: Strong bots for all other seats of the match in which the bot is to be
            out-numbered; without any, quiet players.
        tell: Called with the name of each bout before it is played.

    Raises:
        CheckFailureError: A bout couldn't be played, and not by the bot's fault.
        OSError: A file or a socket for a match couldn't be opened.
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
    last = ruleset.seats - 1
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
    largest = games.largest_board(ruleset)
    if largest is not None:
        specs.append(_bout(tested, LARGEST, 20, seat=last, board=largest, clock=patient))
    middle = ruleset.seats // 2
    board, turns = games.crowded_board(ruleset, tested.seed, middle)
    specs.append(_bout(tested, CROWDED, turns, board=board, seat=middle, rivals=rivals))
    specs.append(_bout(tested, KEPT, 5, matches=2))
    return specs


def _bout(tested: Tested, name: str, turns: int | None, **more: Any) -> BoutSpec:
    """Return a bout of matches of at most so many turns, or of whole ones."""
    ruleset, settings = tested.ruleset, complete_settings(tested.ruleset, {})
    if turns is not None:
        ruleset, settings, _ = games.shortened(ruleset, turns)
    more = {"clock": tested.clock, **more}
    return BoutSpec(name=name, ruleset=ruleset, settings=settings, **more)
