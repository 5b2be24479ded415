"""Variants of Counting that each break one rule of rulesets, with what the suite says of them.

Those of what is drawn are apart. They are in modules, as the suite must be able to import them in
another process.
"""

# ruff: noqa: ARG002 - the interface's arguments, which the variants ignore

import copy
import itertools

import attrs

from lanista.games.base import Answer, Consequence, Late, Submove, TooManySubmovesError
from lanista.games.chance import SeededChance
from lanista.games.outcome import Termination
from support.tinygame import Counting, CountingRules

BROKEN: list[tuple[CountingRules, str]] = []
"""A broken ruleset and words of what the suite says of it."""


def rules(words, **parts):
    """Enter a ruleset with other parts of its own, as `name="A b"`."""
    # A class attribute wouldn't be pickled with the instance, so it is an instance's.
    broken = CountingRules()
    for part, value in parts.items():
        setattr(broken, part, value)
    BROKEN.append((broken, words))


def ruleset(words):
    """Enter a ruleset of this class."""

    def enter(cls):
        BROKEN.append((cls(), words))
        return cls

    return enter


def game(words):
    """Enter a ruleset whose games are of this class."""

    def enter(cls):
        rules(words, game=cls)
        return cls

    return enter


def variant(words, cls, **attributes):
    """Enter a ruleset whose games are of a class with these attributes and methods."""
    rules(words, game=type("Variant", (cls,), attributes))


def _setting(**changes):
    return (attrs.evolve(CountingRules.settings[0], **changes),)


# What it says of itself

rules("name 'Counting Game'", name="Counting Game")
rules("title is ''", title="")
rules("version '1 beta'", version="1 beta")
rules("version 1 must be a text", version=1)
rules("the checks can't go on after TypeError", name=5)
rules("0 seats", seats=0)
rules("'2' seats", seats="2")
rules("consequence 'skip'", consequence="skip")
rules("seeds 1 must be two signed 64-bit integers", seeds=1)
rules("seeds (0, 1000000.0)", seeds=(0, 1e6))
rules("seeds (5, 4)", seeds=(5, 4))
rules("seeds (0, 18446744073709551616)", seeds=(0, 2**64))
rules("must be a tuple, and each of them a Setting", settings=CountingRules.settings[0])
rules("must be a tuple, and each of them a Setting", settings=(("rounds", 5),))
rules("no name may repeat", settings=CountingRules.settings * 2)
rules("a turn is a move by the ruleset, but the scene says 'turn'", turn_word="move")
rules("the ending 'counted' is ''", endings={"counted": ""})
rules("by_hand 'yes' must be a ByHand", by_hand="yes")
rules("setting 'nb rounds'", settings=_setting(name="nb rounds"))
rules("setting 'rounds': '5' must be a whole number", settings=_setting(default="5"))
rules("default 0 isn't from 1 to 1000", settings=_setting(default=0))
rules("help of setting 'rounds'", settings=_setting(help="two\nlines"))


rules("max_turns is 0", max_turns=lambda _: 0)
rules("max_turns is None", max_turns=lambda _: None)


@ruleset("the game goes on after the 4 turns of max_turns")
class OneMore(CountingRules):
    def max_turns(self, settings):
        return settings["rounds"] - 1 or 1


@ruleset("no outcome after the 99 turns of max_turns")
class OneMoreInTheEnd(OneMore):
    """Noticed although a playthrough is shorter."""

    settings = _setting(default=100)


# Chance and boards


_numbers = itertools.count(1)

rules("gives other draws the second time", chance=lambda seed: SeededChance(seed + next(_numbers)))

rules(
    "give the same draws", seeds=(-(2**31), 2**31 - 1), chance=lambda seed: SeededChance(abs(seed))
)


rules("which isn't a board", read_board=lambda _: "oak")


rules("read_board of", read_board=lambda text: text.split("table ")[1].strip())


rules("isn't read back as it was written", write_board="table {}x\n".format)


rules("the last line has no newline", write_board="table {}".format)


rules("generates another board the second time", generate=lambda *_: "x" * next(_numbers))


# The start of a game


@ruleset("two new games with seed")
class StartsByTurns(CountingRules):
    made = 0

    def new(self, settings, board, chance):
        StartsByTurns.made += 1
        game = super().new(settings, board, chance)
        game.omen = StartsByTurns.made % 10
        return game


@game("a new game's turn is 1")
class BeginsLate(Counting):
    def __attrs_post_init__(self):
        super().__attrs_post_init__()
        self.turn = 1


@game("has an outcome already")
class OverAtOnce(Counting):
    def outcome(self):
        return attrs.evolve(Counting("oak", 0, SeededChance(0)).outcome(), scores=self.scores())


variant(
    "`set` is a keyword of the protocol itself", Counting, facts_at_start=lambda *_: b"set a 1\n"
)


# Facts


for _words, _told in (
    ("the last line has no newline", b"omen 1"),
    ("not UTF-8", b"omen \xe9\n"),
    ("one printable line", b"omen\t1\n"),
    ("one printable line", b"omen 1\r\n"),
    ("one printable line", b"omen 1\n\n"),
    ("single spaces", b"omen  1\n"),
    ("must begin with a keyword", b"1 omen\n"),
    ("`turn` is a keyword of the protocol itself", b"turn 1\n"),
    ("`lag` is a keyword of the protocol itself", b"lag 1\n"),
    ("'sum 1\\n' must be bytes", "sum 1\n"),
):
    variant(_words, Counting, facts=lambda *_, told=_told: told)


@game("get the same object")
class CopiesFacts(Counting):
    def facts(self, seat):
        return bytes(bytearray(super().facts(seat)))


variant(
    "a new game's facts, scene, frame, scores or outcome raises ZeroDivisionError",
    Counting,
    facts=lambda game, *_: b"round %d\n" % (6 // game.turn),
)


@game("facts_at_start changes")
class ChangingStart(Counting):
    def facts_at_start(self, seat):
        return super().facts_at_start(seat) + b"round %d\n" % self.turn


# Reading answers


@game("parse of seat 0's")
class ParseRaises(Counting):
    def parse(self, seat, tokens):
        if any(isinstance(token, int) and token > 2**30 for token in tokens):
            raise OverflowError("too large")
        return super().parse(seat, tokens)


@game("another read-only method changes the game")
class ParseChanges(Counting):
    def parse(self, seat, tokens):
        self.last[seat] += 1
        return super().parse(seat, tokens)


@game("another read-only method changes the game")
class FactsChange(Counting):
    def facts(self, seat):
        self.omen += 1
        return super().facts(seat)


@game("it must be accepted (PROTOCOL.md 4)")
class MustSpeak(Counting):
    def parse(self, seat, tokens):
        if not tokens:
            return Answer(None, {0: ("say something",)})
        return super().parse(seat, tokens)


def _refusing(words, change):
    """Enter a game whose answers' reasons, by index, are changed by a function."""

    def parse(self, seat, tokens):
        answer = Counting.parse(self, seat, tokens)
        return attrs.evolve(answer, refused=change(answer.refused))

    variant(words, Counting, parse=parse)


_refusing("a refusal's message", lambda refused: dict.fromkeys(refused, ("",)))
_refusing("a refusal's index is", lambda refused: {i - 99_999: refused[i] for i in refused})
_refusing("it must be a dictionary whose indexes ascend", lambda refused: (*refused,))
_refusing(
    "it must be a dictionary whose indexes ascend", lambda refused: dict(reversed(refused.items()))
)
_refusing(
    "it must be a dictionary whose indexes ascend",
    lambda refused: {str(index): reason for index, reason in refused.items()},
)
_refusing("a reason is 'too many'", lambda refused: dict.fromkeys(refused, "too many"))
_refusing("a reason is ()", lambda refused: dict.fromkeys(refused, ()))
_refusing("a reason is ('{}', [1])", lambda refused: dict.fromkeys(refused, ("{}", [1])))
_refusing(
    "writing the messages of {0: ('{} and {}', 1)} raises IndexError",
    lambda refused: dict.fromkeys(refused, ("{} and {}", 1)),
)


# Carrying out


@game(" raises AttributeError")
class AdvanceRaises(Counting):
    def advance(self, turn):
        super().advance([Answer(verdict.orders) for verdict in turn])


@game("Late differs from an empty answer")
class LateCosts(Counting):
    def advance(self, turn):
        super().advance(turn)
        self.sums[0] -= isinstance(turn[0], Late)


@game("advance leads from turn 0 to 2")
class TwoAtOnce(Counting):
    def advance(self, turn):
        super().advance(turn)
        self.turn += 1


variant("goes on after the 5 turns of max_turns", Counting, outcome=lambda _: None)


@game("the same answers give another game")
class OrderOfReading(Counting):
    """Whoever is read first gets a point: what the order of arrival would do."""

    first = None
    reading = -1

    def parse(self, seat, tokens):
        if self.reading != self.turn:
            self.reading, self.first = self.turn, seat
        return super().parse(seat, tokens)

    def advance(self, turn):
        super().advance(turn)
        self.sums[self.first or 0] += 1


@game("the same answers give another game")
class GlobalChance(Counting):
    drawn = 0

    def advance(self, turn):
        super().advance(turn)
        GlobalChance.drawn += 1
        self.omen = GlobalChance.drawn


rules("pickling the ruleset, to play in another process, raises", note=lambda: None)

rules("the consequence is FORFEIT, but Late gives None", consequence=Consequence.FORFEIT)


class _Forfeit(Counting):
    """Ends by a forfeit, with ranks that a variant gives."""

    at_fault = ()

    def advance(self, turn):
        super().advance(turn)
        self.at_fault = [seat for seat in range(3) if not isinstance(turn[seat], Answer)]

    def outcome(self):
        if not self.at_fault:
            return super().outcome()
        ended = Counting("oak", 0, SeededChance(0)).outcome()
        return attrs.evolve(ended, termination=Termination.FORFEIT, scores=self.scores())


rules(
    "seats [0] forfeit by Late, but the ranks are (1, 1, 1)",
    consequence=Consequence.FORFEIT,
    game=_Forfeit,
)


# Digests


variant("16 lower-case hexadecimal digits", Counting, digest=lambda _: "abc")


variant("16 lower-case hexadecimal digits", Counting, digest=lambda _: "A" * 16)


variant(  # as if the turn didn't count: a round in which nothing happens
    "two positions that differ have the digest",
    Counting,
    digest=lambda game: f"{sum(game.sums) + 1000 * len(game.table):016x}",
)


variant(
    "two positions that differ have the digest", Counting, digest=lambda game: f"{game.turn:016x}"
)


@game("in another process")
class OrderOfASet(Counting):
    def advance(self, turn):
        super().advance(turn)
        # 30 of them, so that two processes can't agree by luck.
        self.omen = "-".join({f"card{number}" for number in range(30)})


# The end


class _Outcome(Counting):
    changes = {}  # noqa: RUF012 - read only

    def outcome(self):
        ended = super().outcome()
        return ended and attrs.evolve(ended, **self.changes)


for _words, _changes in (
    ("only as FINISHED or FORFEIT", {"termination": Termination.ABORTED}),
    ("ranks (1, 1) must be 3 numbers", {"ranks": (1, 1)}),
    ("ties must share the best rank", {"ranks": (0, 1, 2)}),
    ("ties must share the best rank", {"ranks": (1, 1, 2)}),
    ("the outcome's reason", {"reason": "All is counted."}),
    ("aren't the game's", {"scores": (1, 2, 3)}),
):
    variant(_words, _Outcome, changes=_changes)


# What a game needn't offer


variant("turn 0: a copy that goes on changes the game", Counting, copy=copy.copy)


variant(
    "turn 0: the same answers lead a copy to another digest",
    Counting,
    copy=lambda game: Counting(game.table, game.rounds, SeededChance(0)),
)


@game("turn 0: the same answers lead a copy to another digest")
class _OtherDraws(Counting):
    def copy(self):
        twin = copy.deepcopy(self)
        twin.chance = SeededChance(77)
        return twin


variant(
    "seat 0's [(10,)] are legal by `legal`, but parse gives Answer(",
    Counting,
    legal=lambda *_: {"table": [(10,)]},
)


class _Tells(Counting):
    """Says its answers in words, which a variant gives."""

    text = "says a number"

    def decode(self, seat, tokens):
        return (Submove(self.text) for _ in tokens)


variant("a submove's text is ''", _Tells, text="")
variant("decode of seat 0's", _Tells, decode=lambda *_: None)


# A dialect


@attrs.frozen
class Talk:
    """A dialect that says the same always."""

    said_first: bytes = b"table\n"
    said: bytes = b"on\n"
    said_last: bytes = b""

    def opening(self, game, seat):
        return self.said_first

    def turn(self, game, seat):
        return self.said

    def closing(self, game, seat):
        return self.said_last


rules("the classic opening: the last line has no newline", classic=Talk(said_first=b"table"))
rules("the classic dialect sends b'on'", classic=Talk(said=b"on"))
rules("the classic dialect sends b''", classic=Talk(said=b""))
rules("the classic dialect sends b'off'", classic=Talk(said_last=b"off"))
rules("the classic dialect in turn 1 raises", classic=Talk(said=None))

SOUND_WITH_DIALECT = CountingRules()
"""Breaks nothing: Counting with a dialect."""
SOUND_WITH_DIALECT.classic = Talk()


class _Few(Counting):
    def parse(self, seat, tokens):
        if len(tokens) > 10:
            raise TooManySubmovesError
        return super().parse(seat, tokens)


SOUND_WITH_LIMIT = CountingRules()
"""Breaks nothing: Counting with a limit on the submoves of a turn."""
SOUND_WITH_LIMIT.game = _Few
