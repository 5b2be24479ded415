"""Variants of Counting that each break one rule of rulesets, and how the suite says so.

In a module of their own because the suite must be able to import them in another process.
"""

# ruff: noqa: ARG002 - the interface's arguments, which the variants ignore

import math

import attrs

from lanista.games.base import Answer, Consequence, Late, Refusal, RefusalCode, Setting
from lanista.games.chance import SeededChance
from lanista.games.outcome import Termination
from lanista.games.picture import Arrow, Event, Level, Shape
from support.tinygame import Counting, CountingRules

BROKEN: list[tuple[CountingRules, str]] = []
"""A broken ruleset and words of what the suite says of it."""


def _rules(words, **parts):
    """Enter a ruleset with other parts of its own, as `name="A b"`."""

    def enter(cls):
        # A class attribute wouldn't be pickled with the instance, so it is an instance's.
        ruleset = CountingRules()
        for part, value in parts.items():
            setattr(ruleset, part, value)
        BROKEN.append((ruleset, words))
        return cls

    return enter


def _ruleset(words):
    """Enter a ruleset of this class."""

    def enter(cls):
        BROKEN.append((cls(), words))
        return cls

    return enter


def _game(words):
    """Enter a ruleset whose games are of this class."""

    def enter(cls):
        ruleset = CountingRules()
        ruleset.game = cls
        BROKEN.append((ruleset, words))
        return cls

    return enter


def _variant(words, cls, **attributes):
    """Enter a ruleset whose games are of a class with these attributes."""
    ruleset = CountingRules()
    ruleset.game = type("Variant", (cls,), attributes)
    BROKEN.append((ruleset, words))


def _with(words, **parts):
    _rules(words, **parts)(None)


def _setting(**changes):
    return (attrs.evolve(CountingRules.settings[0], **changes),)


# What it says of itself

_with("name 'Counting Game'", name="Counting Game")
_with("title is ''", title="")
_with("version '1 beta'", version="1 beta")
_with("0 seats", seats=0)
_with("consequence 'skip'", consequence="skip")
_with("seeds 5 to 4", seeds=(5, 4))
_with("seeds 0 to 18446744073709551616", seeds=(0, 2**64))
_with("no name may repeat", settings=CountingRules.settings * 2)
_with("a turn is a move by the ruleset, but the scene says 'turn'", turn_word="move")
_with("setting 'nb rounds'", settings=_setting(name="nb rounds"))
_with("default 0 isn't from 1 to 1000", settings=_setting(default=0))
_with("help of setting 'rounds'", settings=_setting(help="two\nlines"))
_with("expected ['set other 1', 'set rounds 5']", settings=(
    Setting(name="other", default=1, low=1, high=1, help="told nowhere"),
    *CountingRules.settings,
))  # fmt: skip


@_ruleset("max_turns is 0")
class NoTurns(CountingRules):
    def max_turns(self, settings):
        return 0


@_ruleset("the game goes on after the 4 turns of max_turns")
class OneMore(CountingRules):
    def max_turns(self, settings):
        return settings["rounds"] - 1 or 1


@_ruleset("no outcome after the 99 turns of max_turns")
class OneMoreInTheEnd(OneMore):
    """Noticed although a playthrough is shorter."""

    settings = _setting(default=100)


# Chance and boards


class ForgetfulChance(SeededChance):
    """Another sequence in every instance."""

    made = 0

    def __init__(self, seed):
        ForgetfulChance.made += 1
        super().__init__(seed + ForgetfulChance.made)


@_ruleset("gives other draws the second time")
class Forgetful(CountingRules):
    def chance(self, seed):
        return ForgetfulChance(seed)


@_ruleset("give the same draws")
class Absolute(CountingRules):
    seeds = (-(2**31), 2**31 - 1)

    def chance(self, seed):
        return SeededChance(abs(seed))


@_ruleset("which isn't a board")
class TakesAnything(CountingRules):
    def read_board(self, text):
        return "oak"


@_ruleset("read_board of")
class RaisesAnything(CountingRules):
    def read_board(self, text):
        return text.split("table ")[1].strip()


@_ruleset("isn't read back as it was written")
class WritesAnother(CountingRules):
    def write_board(self, board):
        return f"table {board}x\n"


@_ruleset("the last line has no newline")
class WritesHalfALine(CountingRules):
    def write_board(self, board):
        return f"table {board}"


@_ruleset("generates another board the second time")
class GeneratesByTurns(CountingRules):
    made = 0

    def generate(self, settings, chance):
        GeneratesByTurns.made += 1
        return "x" * GeneratesByTurns.made


# The start of a game


@_ruleset("two new games with seed")
class StartsByTurns(CountingRules):
    made = 0

    def new(self, settings, board, chance):
        StartsByTurns.made += 1
        game = super().new(settings, board, chance)
        game.omen = StartsByTurns.made % 10
        return game


@_game("a new game's turn is 1")
class BeginsLate(Counting):
    def __attrs_post_init__(self):
        super().__attrs_post_init__()
        self.turn = 1


@_game("has an outcome already")
class OverAtOnce(Counting):
    def outcome(self):
        return attrs.evolve(Counting("oak", 0, SeededChance(0)).outcome(), scores=self.scores())


@_game("sends the settings as ['set rounds 6'")
class TellsAnotherSetting(Counting):
    def facts_at_start(self, seat):
        return b"set rounds 6\n"


# Facts


class _Facts(Counting):
    told = b""

    def facts(self, seat, status):
        return self.told


for _words, _told in (
    ("the last line has no newline", b"omen 1"),
    ("not UTF-8", b"omen \xe9\n"),
    ("one printable line", b"omen\t1\n"),
    ("one printable line", b"omen 1\r\n"),
    ("one printable line", b"omen 1\n\n"),
    ("single spaces", b"omen  1\n"),
    ("must begin with a keyword", b"1 omen\n"),
    ("`turn` is a keyword of the protocol itself", b"turn 1\n"),
):
    _variant(_words, _Facts, told=_told)


@_game("get the same object")
class CopiesFacts(Counting):
    def facts(self, seat, status):
        return bytes(bytearray(super().facts(seat, status)))


@_game("a new game's facts, scene, frame, scores or outcome raises ZeroDivisionError")
class FactsRaise(Counting):
    def facts(self, seat, status):
        return b"round %d\n" % (6 // self.turn)


@_game("facts of turn 0 raises ValueError")
class FactsWantNobodyOut(Counting):
    def facts(self, seat, status):
        if -1 in status:
            raise ValueError("a seat is out")
        return super().facts(seat, status)


@_game("facts_at_start changes")
class ChangingStart(Counting):
    def facts_at_start(self, seat):
        return super().facts_at_start(seat) + b"round %d\n" % self.turn


# Reading answers


@_game("parse of seat 0's")
class ParseRaises(Counting):
    def parse(self, seat, tokens):
        if any(isinstance(token, int) and token > 2**30 for token in tokens):
            raise OverflowError("too large")
        return super().parse(seat, tokens)


@_game("another read-only method changes the game")
class ParseChanges(Counting):
    def parse(self, seat, tokens):
        self.last[seat] += 1
        return super().parse(seat, tokens)


@_game("another read-only method changes the game")
class FactsChange(Counting):
    def facts(self, seat, status):
        self.omen += status[0] < 0
        return super().facts(seat, status)


@_game("it must be accepted (PROTOCOL.md 4)")
class MustSpeak(Counting):
    def parse(self, seat, tokens):
        if not tokens:
            return Answer(None, (0,))
        return super().parse(seat, tokens)

    def explain(self, seat, tokens):
        if not tokens:
            return (Refusal(RefusalCode.ILLEGAL, "say something", 0),)
        return super().explain(seat, tokens)


@_game("a refusal's message")
class Wordless(Counting):
    def explain(self, seat, tokens):
        return tuple(attrs.evolve(r, message="") for r in super().explain(seat, tokens))


@_game("a refusal's index is")
class CountsFromTheEnd(Counting):
    def parse(self, seat, tokens):
        answer = super().parse(seat, tokens)
        return attrs.evolve(answer, refused=tuple(index - 99_999 for index in answer.refused))

    def explain(self, seat, tokens):
        reasons = super().explain(seat, tokens)
        return tuple(attrs.evolve(reason, index=reason.index - 99_999) for reason in reasons)


@_game("it must be a tuple of ascending indexes")
class RefusesBackwards(Counting):
    def parse(self, seat, tokens):
        answer = super().parse(seat, tokens)
        return attrs.evolve(answer, refused=answer.refused[::-1])


@_game("explain is about submoves")
class ExplainsTheFirstAlone(Counting):
    def explain(self, seat, tokens):
        return super().explain(seat, tokens)[:1]


@_game("explain is about submoves")
class ExplainsWhatIsAllowed(Counting):
    def explain(self, seat, tokens):
        more = Refusal(RefusalCode.ILLEGAL, "not in my game", len(tokens))
        return (*super().explain(seat, tokens), more)


@_game("explain gives a code other than ILLEGAL")
class ExplainsAsLate(Counting):
    def explain(self, seat, tokens):
        reasons = super().explain(seat, tokens)
        return tuple(attrs.evolve(reason, code=RefusalCode.LATE) for reason in reasons)


@_game("another read-only method changes the game")
class ExplainChanges(Counting):
    def explain(self, seat, tokens):
        self.last[seat] += 1
        return super().explain(seat, tokens)


@_game("explain of seat 0's")
class ExplainRaises(Counting):
    def explain(self, seat, tokens):
        raise ValueError("no words")


# Carrying out


@_game("in turn 0 raises AttributeError")
class AdvanceRaises(Counting):
    def advance(self, turn):
        super().advance([Answer(verdict.orders) for verdict in turn])


@_game("Late differs from an empty answer")
class LateCosts(Counting):
    def advance(self, turn):
        super().advance(turn)
        self.sums[0] -= isinstance(turn[0], Late)


@_game("advance leads from turn 0 to 2")
class TwoAtOnce(Counting):
    def advance(self, turn):
        super().advance(turn)
        self.turn += 1


@_game("goes on after the 5 turns of max_turns")
class NeverEnds(Counting):
    def outcome(self):
        return None


@_game("the same answers give another game")
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


@_game("the same answers give another game")
class GlobalChance(Counting):
    drawn = 0

    def advance(self, turn):
        super().advance(turn)
        GlobalChance.drawn += 1
        self.omen = GlobalChance.drawn


_with("pickling the ruleset, to play in another process, raises", note=lambda: None)

with_forfeit = CountingRules()
with_forfeit.consequence = Consequence.FORFEIT
BROKEN.append((with_forfeit, "the consequence is FORFEIT, but Late gives None"))


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


forfeits_to_all = CountingRules()
forfeits_to_all.consequence = Consequence.FORFEIT
forfeits_to_all.game = _Forfeit
BROKEN.append((forfeits_to_all, "seats [0] forfeit by Late, but the ranks are (1, 1, 1)"))


# Digests


class _Digest(Counting):
    given = ""

    def digest(self):
        return self.given


@_game("16 lower-case hexadecimal digits")
class ShortDigest(_Digest):
    given = "abc"


@_game("16 lower-case hexadecimal digits")
class LoudDigest(Counting):
    def digest(self):
        return super().digest().upper().replace("0", "A")


@_game("two positions that differ have the digest")
class ForgetsTheTurn(Counting):
    """As if the turn didn't count: a round in which nothing happens."""

    def digest(self):
        return f"{sum(self.sums) + 1000 * len(self.table):016x}"


@_game("two positions that differ have the digest")
class CountsTurnsOnly(Counting):
    def digest(self):
        return f"{self.turn:016x}"


@_game("in another process")
class HashedDigest(Counting):
    def digest(self):
        return f"{hash(super().digest()) % 2**64:016x}"


@_game("in another process")
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
    _variant(_words, _Outcome, changes=_changes)


# What a viewer draws


class _Scene(Counting):
    changes = {}  # noqa: RUF012 - read only

    def scene(self):
        return attrs.evolve(super().scene(), **self.changes)


class _Frame(Counting):
    changes = {}  # noqa: RUF012 - read only
    mark = {}  # noqa: RUF012 - read only

    def frame(self):
        frame = super().frame()
        marks = tuple(attrs.evolve(mark, **self.mark) for mark in frame.marks)
        return attrs.evolve(frame, marks=marks, **self.changes)


for _words, _changes in (
    ("the scene's rows and columns are (0, 3)", {"rows": 0, "ground": ()}),
    ("ground has rows of [3] cells", {"rows": 2}),
    ("the scene's owner 3 of (0, 0)", {"owners": {(0, 0): 3}}),
):
    _variant(_words, _Scene, changes=_changes)


def _level(title="all", col=0, cols=3):
    return Level(title=title, col=col, cols=cols)


for _words, _changes in (
    ("a level's title", {"levels": (_level(title=""),)}),
    ("within the scene's 3", {"levels": (_level(cols=4),)}),
    ("within the scene's 3", {"levels": (_level(cols=0),)}),
    ("in no other level", {"levels": (_level(col=1, cols=2), _level(cols=2))}),
    ("a title of stats", {"stats": ("two\nlines",)}),
    ("no title may repeat", {"stats": ("sum", "sum")}),
    ("a sign's meaning", {"signs": (("5", ""),)}),
    ("kind 'disc' must be a Shape", {"kinds": (("disc", "5", "number"),)}),
    ("a kind's meaning", {"kinds": ((Shape.DISC, "5", ""),)}),
    # Seat 2's number stands in column 2, which is drawn nowhere.
    ("its cell must be in a level", {"levels": (_level(cols=2),), "owners": {}}),
    ("the scene's titles need []", {"stats": ()}),
    ("the scene's titles need [2, 2, 2]", {"stats": ("sum", "last")}),
):
    _variant(_words, _Scene, changes=_changes)


@_game("the scene changes during the match")
class MovingScene(Counting):
    def scene(self):
        scene = super().scene()
        return attrs.evolve(scene, owners={(0, 0): 0}) if self.turn else scene


for _words, _changes in (
    ("says turn 7", {"turn": 7}),
    ("2 captions", {"captions": ("a", "b")}),
    ("a caption", {"captions": ("", "", "")}),
):
    _variant(_words, _Frame, changes=_changes)


for _words, _changes in (
    ("the scene's 1 rows and 3 columns, and its seat one of 3", {"row": 1}),
    ("the scene's 1 rows and 3 columns, and its seat one of 3", {"seat": 3}),
    ("a mark's text", {"text": ""}),
):
    _variant(_words, _Frame, mark=_changes)


for _words, _changes in (
    ("shape 'disc' must be a Shape", {"shape": "disc"}),
    ("units [7] have two marks", {"unit": 7}),
    ("a unit's number must be 0 or more", {"unit": -1}),
    ("health must be from 0 to 1", {"health": 1.5}),
    ("health must be from 0 to 1", {"health": math.nan}),
    ("a mark's detail", {"details": ("a number", "")}),
):
    _variant(_words, _Frame, mark=_changes)

for _words, _changes in (
    ("the frame's owner 3 of (0, 0)", {"owned": {(0, 0): 3}}),
    ("the frame's owner 0 of (1, 0)", {"owned": {(1, 0): 0}}),
    ("lit columns [3]", {"lit": frozenset((3,))}),
    ("stats have [1, 1] values", {"stats": ((1,), (1,))}),
    ("stats have [2, 2, 2] values", {"stats": ((1, 2),) * 3}),
    ("a value of stats", {"stats": (("",),) * 3}),
    ("the value inf of stats", {"stats": ((math.inf,),) * 3}),
    ("the value None of stats", {"stats": ((None,),) * 3}),
    ("has arrows, captured cells or events", {"arrows": (Arrow((0, 0), (0, 1), 0),)}),
    ("has arrows, captured cells or events", {"events": (Event(None, "it begins"),)}),
):
    _variant(_words, _Frame, changes=_changes)


class _Past(_Frame):
    """Is broken in what led to a frame, so not at the start."""

    def frame(self):
        return super().frame() if self.turn else Counting.frame(self)


for _words, _changes in (
    ("must lead from cell to cell", {"arrows": (Arrow((0, 0), (1, 0), 0),)}),
    ("must lead from cell to cell", {"arrows": (Arrow((0, -1), (0, 0), 0),)}),
    ("must lead from cell to cell", {"arrows": (Arrow((0, 0), (0, 1), 3),)}),
    ("have a printable text", {"arrows": (Arrow((0, 0), (0, 1), 0, "\n"),)}),
    ("the captor 3 of (0, 0)", {"captured": {(0, 0): 3}}),
    ("but its owner is None", {"captured": {(0, 0): 1}}),
    ("its seat must be one of 3 or None", {"events": (Event(3, "said 5"),)}),
    ("an event's text", {"events": (Event(0, ""),)}),
):
    _variant(_words, _Past, changes=_changes)


@_game("a second frame differs")
class ChangingFrame(Counting):
    drawn = 0

    def frame(self):
        ChangingFrame.drawn += self.turn > 0
        return attrs.evolve(super().frame(), captions=(str(ChangingFrame.drawn),) * 3)


@_game("raises ZeroDivisionError")
class FrameRaises(Counting):
    def frame(self):
        return attrs.evolve(super().frame(), captions=(str(1 // (self.turn - 2)),) * 3)


@_game("scores [0, 0, 0]")
class ListOfScores(Counting):
    def scores(self):
        return self.sums


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


_with("the classic opening: the last line has no newline", classic=Talk(said_first=b"table"))
_with("the classic dialect sends b'on'", classic=Talk(said=b"on"))
_with("the classic dialect sends b''", classic=Talk(said=b""))
_with("the classic dialect sends b'off'", classic=Talk(said_last=b"off"))
_with("the classic dialect in turn 1 raises", classic=Talk(said=None))

sound = CountingRules()
sound.classic = Talk()
SOUND_WITH_DIALECT = sound
"""Breaks nothing: Counting with a dialect."""
