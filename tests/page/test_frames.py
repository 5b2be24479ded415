"""Frames as differences, heads and ends: what viewers get (docs/api.md, "Frames")."""

import json
from collections import Counter

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.games import registry
from lanista.games.picture import Arrow, Event, Frame, Ground, Level, Mark, Owners, Scene, Shape
from lanista.match.record import (
    BotInfo,
    FaultInfo,
    PlayerInfo,
    RejoinInfo,
    ResultInfo,
    TurnInfo,
)
from lanista.page import frames as module
from lanista.page.played_turn import PlayedTurn
from match import test_record
from page.records import Reading, values

ROWS, COLS = 3, 4
SCENE = Scene(rows=ROWS, cols=COLS, ground=((Ground.FLOOR,) * COLS,) * ROWS, owners={})

places = st.tuples(st.integers(0, ROWS - 1), st.integers(0, COLS - 1))
seats = st.integers(0, 3)
# Few values each, so that the same mark comes often: twice in a frame, and from frame to frame.
marks = st.builds(
    Mark,
    row=st.integers(0, 1),
    col=st.integers(0, 1),
    seat=st.none() | st.integers(0, 1),
    text=st.sampled_from(["", "5", "\ud800"]),
    shape=st.sampled_from([Shape.DISC, Shape.COUNT]),
    unit=st.sampled_from([None, 0, 7]),
    health=st.sampled_from([None, 0.0, 0.333, 1.0]),
    details=st.sampled_from([(), ("wizard 7",), ("wizard 7", "changes")]),
)
frames = st.builds(
    Frame,
    turn=st.integers(0, 10**6),
    marks=st.lists(marks, max_size=6).map(tuple),
    captions=st.just(("1 unit", "2 units")),
    owned=st.dictionaries(places, seats, max_size=6),
    lit=st.frozensets(st.integers(0, COLS - 1)),
    captured=st.dictionaries(places, seats, max_size=3),
    arrows=st.lists(st.builds(Arrow, places, places, seats, st.just("3")), max_size=2).map(tuple),
    events=st.lists(
        st.builds(
            Event,
            st.none() | seats,
            st.just("a spell"),
            st.sampled_from([(), (4, 7)]),
            st.lists(places, max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
)


def told_of(mark):
    """A mark as docs/api.md writes it."""
    seat = -1 if mark.seat is None else mark.seat
    unit = -1 if mark.unit is None else mark.unit
    health = -1 if mark.health is None else round(mark.health, 2)
    text = mark.text.replace("\ud800", "?")
    return (mark.row, mark.col, seat, mark.shape.value, text, unit, health, *mark.details)


def cells_of(event):
    return [row * COLS + col for row, col in event.cells]


def written(shown, scene=SCENE):
    """Frames as they come out of the wire's JSON."""
    writer = module.FrameWriter(scene)
    return [json.loads(module.encode(writer.frame(frame, (1, 2), None))) for frame in shown]


def check(reading, frame, told):
    """Whether what was read is what was shown; marks in any order, lists without one."""
    assert Counter(map(told_of, frame.marks)) == Counter(reading.marks)
    assert dict(frame.owned) == reading.owned
    assert frame.turn == told["turn"]
    assert [1, 2] == told["scores"]
    lit = [at for first, count in told.get("lit", ()) for at in range(first, first + count)]
    assert sorted(frame.lit) == lit
    flat = iter(told.get("captured", ()))
    captured = {divmod(cell, COLS): seat for cell, seat in zip(flat, flat, strict=True)}
    assert dict(frame.captured) == captured
    arrows = [[*arrow.start, *arrow.end, arrow.seat, arrow.text] for arrow in frame.arrows]
    assert arrows == told.get("arrows", [])
    events = [
        [
            -1 if event.seat is None else event.seat,
            event.text,
            *([[*event.units], cells_of(event)] if event.units or event.cells else []),
        ]
        for event in frame.events
    ]
    assert events == told.get("events", [])
    assert "play" not in told


@given(st.lists(frames, min_size=1, max_size=10))
def test_differences_give_every_frame_again(shown):
    """Read in order from the first one on, or from any 20th, which is whole."""
    shown = [shown[at % len(shown)] for at in range(45)]
    reading = Reading(COLS)
    for number, (frame, told) in enumerate(zip(shown, written(shown), strict=True)):
        assert number == told["n"]
        assert (number % 20 == 0) == told.get("key", False)
        reading.read(told)
        check(reading, frame, told)


def test_owners_by_bytes_are_told_as_those_by_cells():
    """For games with many owned cells; a byte that stands for nobody frees a cell."""
    places = [(row, col) for row in range(2) for col in range(3)]
    codes = b"...0.1", b"..10\n1", b"#.1..0", b"..1..0"
    fast = [Owners(of_frame, places, {ord("0"): 0, ord("1"): 1}) for of_frame in codes]
    plain = [dict(owners) for owners in fast]
    assert {(0, 2): 1, (1, 0): 0, (1, 2): 1} == plain[1]

    def told(owned):
        shown = [Frame(turn=at, marks=(), captions=(), owned=one) for at, one in enumerate(owned)]
        owns = [frame["own"] for frame in written(shown)]
        return [sorted(zip(own[::2], own[1::2], strict=True)) for own in owns]

    assert told(plain) == told(fast)


def test_a_mark_that_stays_is_not_told_again():
    """A unit is found by its number and other marks by their cells, in whatever order they come."""
    gem, other = Mark(0, 0, None, "*"), Mark(0, 1, None, "*")
    unit, moved = (Mark(1, col, 1, "5", unit=0) for col in range(2))
    shown = (gem, unit, other), (other, gem, unit), (gem, moved)
    _, second, third = written(
        [Frame(turn=at, marks=marks, captions=()) for at, marks in enumerate(shown)]
    )
    assert ([], []) == (second["gone"], second["marks"])
    assert [1, 2] == third["gone"]
    assert [1] == [mark[1] for mark in third["marks"]]
    assert [] == second["own"]


def test_without_light_nothing_is_said_of_it():
    (told,) = written([Frame(turn=0, marks=(), captions=())])
    assert told.keys() == {"n", "turn", "key", "own", "marks", "scores", "captions"}


def test_stats_are_lists_by_seat():
    (told,) = written([Frame(turn=0, marks=(), captions=(), stats=((1, 0.5, "out"), (2, 1.5, "")))])
    assert [[1, 0.5, "out"], [2, 1.5, ""]] == told["stats"]


# -- head and end --------------------------------------------------------------------------------

HEADER = attrs.evolve(
    test_record.HEADER,
    match="01M",
    game="angrymob",
    settings={"move_limit": 5},
    board="2 2\nA .\n. B\n",
    seed=918273645,
    players=(
        PlayerInfo(name="Ann", protocol="1", command=("bot", "--password", "hunter2")),
        PlayerInfo(name="\ud800<b>", protocol="classic"),
    ),
    attempt=2,
)


def test_a_head_holds_neither_seed_nor_commands():
    """A seed is told when the match is over; a command line may hold a secret."""
    ruleset = registry.get("angrymob")
    wire = module.encode(module.head(HEADER, ruleset, SCENE, rounds=5))
    assert b"918273645" not in wire
    assert b"hunter2" not in wire
    head = json.loads(wire)
    assert head.keys() >= {
        *("type", "match", "source", "game", "title", "started", "players", "settings", "clock"),
        *("attempt", "rounds", "numbers", "scene"),
    }
    assert ("head", "01M", "record", "Angry Mob", 2, 5) == values(
        head, "type", "match", "source", "title", "attempt", "rounds"
    )
    # Half a character can't be UTF-8: a question mark.
    names = [{"name": "Ann", "protocol": "1"}, {"name": "?<b>", "protocol": "classic"}]
    assert names == head["players"]
    assert {"time_init": 20.0, "time_move": 0.2, "late_limit": 10, "lag_allowance": 0.0} == head[
        "clock"
    ]


def test_a_scene_has_its_ground_by_row():
    scene = Scene(
        rows=2,
        cols=3,
        ground=(
            (Ground.FLOOR, Ground.WALL, Ground.BASE),
            (Ground.BASE, Ground.FLOOR, Ground.FLOOR),
        ),
        owners={(1, 0): 1, (0, 2): 0},
        signs=(("3", "units"),),
        levels=(Level(title="up", col=0, cols=1), Level(title="down", col=1, cols=2, wraps=True)),
        stats=("units",),
        kinds=((Shape.DISC, "", "a wizard"),),
        turn_word="round",
    )
    assert {
        "rows": 2,
        "cols": 3,
        "ground": [".#=", "=.."],
        "owners": [[0, 2, 0], [1, 0, 1]],
        "levels": [
            {"title": "up", "col": 0, "cols": 1, "wraps": False},
            {"title": "down", "col": 1, "cols": 2, "wraps": True},
        ],
        "signs": [["3", "units"]],
        "kinds": [["disc", "", "a wizard"]],
        "stats": ["units"],
        "turn": "round",
        "base": "free base",
    } == module.scene_json(scene)


def test_a_scene_without_levels_is_one():
    whole = [{"title": "", "col": 0, "cols": COLS, "wraps": False}]
    assert whole == module.scene_json(SCENE)["levels"]


LONG = "x" * (module.LONGEST + 7)


def test_a_turn_tells_what_the_record_has_of_it():
    """Long answers and logs are shortened, and say by how much; what wasn't there isn't told."""
    fault = FaultInfo(turn=3, seat=1, code="late", index=None, words="no answer within 0.2 s")
    turn = TurnInfo(
        turn=3,
        verdicts=("answer", "late"),
        raw=(LONG, None),
        times=((1, 2, 3, 4), None),
        digest="0" * 16,
        stall=0.25,
        status=(0.5, -1.0),
        logs={"1": LONG},
        left={"0": "closed its connection"},
        rejoined={"1": RejoinInfo(), "0": RejoinInfo(notes=True)},
    )
    short = f"{LONG[: module.LONGEST]} … and 7 more characters"
    assert {
        "turn": 3,
        "limit": 0.2,
        "verdicts": ["answer", "late"],
        "raw": [short, None],
        "times": [[1, 2, 3, 4], None],
        "stall": 0.25,
        "status": [0.5, -1.0],
        "faults": [
            {"turn": 3, "seat": 1, "code": "late", "index": None, "words": "no answer within 0.2 s"}
        ],
        "logs": {"1": short},
        "left": {"0": "closed its connection"},
        "rejoined": [0, 1],
    } == module.turn_json(PlayedTurn(turn, [fault]), 0.2, COLS, {}, None)
    bare = attrs.evolve(turn, stall=0.0, status=(), logs={}, left={}, rejoined={}, raw=("x", None))
    told = module.turn_json(PlayedTurn(bare), 0.0, COLS, {}, None)
    assert {"turn", "limit", "verdicts", "raw", "times"} == told.keys()


def test_a_turn_tells_a_hundred_faults_of_a_seat_and_how_many_more_there_were():
    """An answer may have a thousand; a viewer reads few of them."""
    turn = TurnInfo(turn=3, verdicts=("answer",) * 2, raw=("", ""), times=(None,) * 2, digest="")
    faults = [
        FaultInfo(turn=3, seat=seat, code="illegal", index=index, words="")
        for seat, count in ((0, 100), (1, 250))
        for index in range(count)
    ]
    told = module.turn_json(PlayedTurn(turn, faults), 0.2, COLS, {}, None)
    assert {1: 150} == told["more_faults"]
    assert [(0, index) for index in range(100)] + [(1, index) for index in range(100)] == [
        (fault["seat"], fault["index"]) for fault in told["faults"]
    ]
    some = PlayedTurn(turn, faults[:100])
    assert "more_faults" not in module.turn_json(some, 0.2, COLS, {}, None)


@pytest.mark.parametrize("length", [4, module.LONGEST, module.LONGEST + 3])
def test_the_turns_of_an_output_stay_at_their_lines(length):
    """Also when its beginning is cut off: what is cut has no turn that is shown."""
    text = "ab\n" + "x" * (length - 3)
    bot = BotInfo(exit="kept", output=text, output_turns=((5, 0), (7, 3)))
    shown = module.last_part(text)
    (first, start), (last, rest) = module.turns_of_last_part(bot)
    assert (5, 7) == (first, last)
    assert "x" * (length - 3) == shown[rest:]
    assert shown[start:rest] == ("" if length > module.LONGEST else "ab\n")


def test_an_end_tells_seed_and_result():
    result = ResultInfo(
        end="aborted",
        reason="error",
        ranks=(1, 1),
        scores=(3, 4),
        turns=9,
        digest="0" * 16,
        faults=(
            FaultInfo(turn=2, seat=0, code="illegal", index=0, words="no such unit"),
            FaultInfo(turn=8, seat=0, code="disconnected", index=None, words="it has gone"),
            FaultInfo(turn=8, seat=1, code="illegal", index=0, words="no such unit"),
        ),
        endings=("disconnect", "normal"),
        bots=(BotInfo(exit="exited with code 1", output=LONG), BotInfo(exit="kept", output="")),
        error=LONG,
        ended="2026-01-01T00:00:01.000+00:00",
    )
    told = module.end(result, 42, None)
    assert ("end", "42", None) == (told["type"], told["seed"], told["trouble"])
    assert {
        "end": "aborted",
        "reason": "error",
        "ranks": [1, 1],
        "scores": [3, 4],
        "turns": 9,
        "error": f"{LONG[: module.LONGEST]} … and 7 more characters",
        "ended": "2026-01-01T00:00:01.000+00:00",
        "endings": ["disconnect", "normal"],
        "out": {"0": {"turn": 8, "code": "disconnected", "words": "it has gone"}},
        "exits": {},
        "outputs": {},
        "output_turns": {},
    } == told["result"]
    owned = module.end(result, 42, None, logs=[0])["result"]
    assert {"0": "exited with code 1"} == owned["exits"]
    # Of an output the end says most.
    assert {"0": f"7 more characters before … {LONG[7:]}"} == owned["outputs"]
    assert ["0", "1"] == [*module.end(result, 42, None, logs=None)["result"]["exits"]]
    assert module.end(None, 42, "why")["result"] is None


def test_whole_numbers_and_characters_of_any_kind_are_written():
    assert b'{"marks":[[1,null]]}' == module.encode({"marks": [[1, float("nan")]]})
    value = {"big": 2**70, "half": "\ud800", "absent": None, "pair": (1, 2.5), "text": 'é\n"null'}
    text = '{"big":1180591620717411303424,"half":"?","absent":null,"pair":[1,2.5],'
    assert text + '"text":"é\\n\\"null"}' == module.encode(value).decode()
    del value["big"], value["half"], value["absent"]
    assert '{"pair":[1,2.5],"text":"é\\n\\"null"}' == module.encode(value).decode()
