"""Variants of Counting whose scenes or frames break a rule of rulesets, and what the suite says."""

import math

import attrs

from lanista.games.picture import Arrow, Event, Level, Shape
from support.broken import game, variant
from support.tinygame import Counting


class _Scene(Counting):
    changes = {}  # noqa: RUF012 - read only

    def scene(self):
        return attrs.evolve(super().scene(), **self.changes)


class _Frame(Counting):
    changes = {}  # noqa: RUF012 - read only
    mark = {}  # noqa: RUF012 - read only

    def frame(self):
        frame = super().frame()
        marks = tuple(mark._replace(**self.mark) for mark in frame.marks)
        return attrs.evolve(frame, marks=marks, **self.changes)


for _words, _changes in (
    ("the scene's rows and columns are (0, 3)", {"rows": 0, "ground": ()}),
    ("ground has rows of [3] cells", {"rows": 2}),
    ("the scene's owner 3 of (0, 0)", {"owners": {(0, 0): 3}}),
):
    variant(_words, _Scene, changes=_changes)


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
    variant(_words, _Scene, changes=_changes)


@game("the scene changes during the match")
class MovingScene(Counting):
    def scene(self):
        scene = super().scene()
        return attrs.evolve(scene, owners={(0, 0): 0}) if self.turn else scene


for _words, _changes in (
    ("says turn 7", {"turn": 7}),
    ("2 captions", {"captions": ("a", "b")}),
    ("a caption", {"captions": ("", "", "")}),
):
    variant(_words, _Frame, changes=_changes)


for _words, _changes in (
    ("the scene's 1 rows and 3 columns, and its seat one of 3", {"row": 1}),
    ("the scene's 1 rows and 3 columns, and its seat one of 3", {"seat": 3}),
    ("a mark's text", {"text": ""}),
):
    variant(_words, _Frame, mark=_changes)


for _words, _changes in (
    ("shape 'disc' must be a Shape", {"shape": "disc"}),
    ("units [7] have two marks", {"unit": 7}),
    ("a unit's number must be 0 or more", {"unit": -1}),
    ("health must be from 0 to 1", {"health": 1.5}),
    ("health must be from 0 to 1", {"health": math.nan}),
    ("a mark's detail", {"details": ("a number", "")}),
):
    variant(_words, _Frame, mark=_changes)

for _words, _changes in (
    ("the frame's owner 3 of (0, 0)", {"owned": {(0, 0): 3}}),
    ("the frame's owner 0 of (1, 0)", {"owned": {(1, 0): 0}}),
    ("lit columns [3]", {"lit": frozenset((3,))}),
    ("stats have [1, 1] values", {"stats": ((1,), (1,))}),
    ("stats have [2, 2, 2] values", {"stats": ((1, 2),) * 3}),
    ("a value of stats", {"stats": (("",),) * 3}),
    ("the value inf of stats", {"stats": ((math.inf,),) * 3}),
    ("the value None of stats", {"stats": ((None,),) * 3}),
    ("has arrows, captured cells, events", {"arrows": (Arrow((0, 0), (0, 1), 0),)}),
    ("has arrows, captured cells, events", {"events": (Event(None, "it begins"),)}),
    ("events or idle units; nothing happened", {"idle": {0: "a wall is there"}}),
):
    variant(_words, _Frame, changes=_changes)


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
    ("a reason in idle is 'a\\nwall'", {"idle": {1: "a\nwall"}}),
):
    variant(_words, _Past, changes=_changes)


@game("a second frame differs")
class ChangingFrame(Counting):
    drawn = 0

    def frame(self):
        ChangingFrame.drawn += self.turn > 0
        return attrs.evolve(super().frame(), captions=(str(ChangingFrame.drawn),) * 3)


@game("raises ZeroDivisionError")
class FrameRaises(Counting):
    def frame(self):
        return attrs.evolve(super().frame(), captions=(str(1 // (self.turn - 2)),) * 3)


@game("scores [0, 0, 0]")
class ListOfScores(Counting):
    def scores(self):
        return self.sums
