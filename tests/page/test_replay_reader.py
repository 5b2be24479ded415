"""Frames of files: records, whole or still written, and match files of the original games."""

import contextlib
import gzip
import json
import re

import attrs
import pytest

from lanista.games.angrymob.game import AngryMob
from lanista.match.record import PART
from lanista.page.replay_reader import ReplayReader, UnreadableError, read_frames
from match import test_record
from match.playing import COUNTING, SKIPPERS, SMALL, answers, speaks
from match.test_void import Stalls
from page.records import (
    AWAY,
    BACK,
    Reading,
    absent_in_a_row,
    captured,
    changed,
    edited,
    late_in_a_row,
    played,
    unpacked,
    values,
    void,
    wandering,
)
from support.tinygame import Counting, CountingRules
from support.traces import some_always, unpacked_trace


def told(path):
    """The head, frames and end of a finished file."""
    head, *frames, end = read_frames(path)
    return head, frames, end


def put(folder, lines, name="m1.jsonl"):
    path = folder / name
    path.write_bytes(b"".join(lines))
    return path


def followed(path, pieces):
    """The parts of a record that grows by these pieces, read as far as possible after each."""
    path.write_bytes(b"")
    reading = ReplayReader(path, live=True).parts()
    parts = []
    with path.open("ab", buffering=0) as file, contextlib.closing(reading):
        for piece in [b"", *pieces]:
            file.write(piece)
            while (part := next(reading, None)) is not None:
                parts.append(part)
    return parts


def test_a_record_becomes_head_frames_and_end(tmp_path):
    """Frame 0 is the start; frame N is the position after N turns, with the turn led there."""
    path = captured(tmp_path)
    head, frames, end = told(path)
    assert ("angrymob", "m1", 2400) == values(head, "game", "match", "rounds")
    names = [{"name": name, "protocol": "1"} for name in ("Ann", "Bob")]
    assert names == head["players"]
    assert [0, 1, 2] == [frame["n"] for frame in frames]
    assert [None, 0, 1] == [frame.get("play", {}).get("turn") for frame in frames]
    assert ["0 0 1 0", "1 1 1 2"] == frames[1]["play"]["raw"]
    # The first answer has a limit of its own.
    assert [20.0, 0.2] == [frame["play"]["limit"] for frame in frames[1:]]
    reading = Reading(head["scene"]["cols"])
    units = []
    for frame in frames:
        reading.read(frame)
        units.append(sorted(mark[:3] for mark in reading.marks if mark[2] >= 0))
    # Each a step to the side; then seat 0 a step down, onto the base (rules/angrymob.md 2).
    expected = [[(0, 0, 0), (1, 1, 1)], [(0, 1, 0), (1, 0, 1)], [(1, 0, 1), (1, 1, 0)]]
    assert expected == units
    assert ("end", "7", None) == (end["type"], end["seed"], end["trouble"])
    assert ("finished", "capture", [1, 2], 2) == values(
        end["result"], "end", "reason", "ranks", "turns"
    )


@pytest.mark.parametrize("size", [1, 100, None])
def test_a_record_that_is_written_meanwhile_gives_the_same_frames(tmp_path, size):
    """Whatever piece of it is there: bytes one by one, lines cut in the middle, whole lines."""
    path = wandering(tmp_path, 3)
    lines = unpacked(path)
    data = b"".join(lines)
    pieces = lines if size is None else [data[at : at + size] for at in range(0, len(data), size)]
    assert list(read_frames(path)) == followed(tmp_path / "growing.jsonl", pieces)


@pytest.mark.parametrize("is_told", [False, True])
def test_a_live_record_may_have_its_name_already(tmp_path, is_told):
    """The match ended between the question and the look: the `.part` is gone, the record there.

    The reader may have been told before it begins that the match is over.
    """
    path = wandering(tmp_path, 2)
    reader = ReplayReader(path.with_name(path.name + PART), live=True)
    reader.live = not is_told
    assert list(read_frames(path)) == list(reader.parts())


# -- matches that aren't whole -------------------------------------------------------------------


def test_the_turn_that_made_a_match_void_is_no_frame(tmp_path):
    """It was judged and not carried out; the end says void."""
    path = void(tmp_path)
    _, frames, end = told(path)
    assert 4 == len(unpacked(path))  # header, two turns, result
    assert [0, 1] == [frame["n"] for frame in frames]
    assert ("void", "stall", 1) == values(end["result"], "end", "reason", "turns")
    assert end["trouble"] is None


def test_a_late_turn_with_a_stall_waits_for_the_line_behind_it(tmp_path):
    """Only that tells whether it was carried out."""
    path = void(tmp_path)
    lines = unpacked(path)
    assert [0, 1] == [part["n"] for part in followed(tmp_path / "growing", lines[:-1])[1:]]
    *parts, end = followed(tmp_path / "growing", lines)
    *whole, whole_end = read_frames(path)
    assert whole == parts
    # It is played again with its seed: who follows it isn't told that yet.
    assert ("void", None) == (end["result"]["end"], end["seed"])
    assert ("void", "7") == (whole_end["result"]["end"], whole_end["seed"])


def test_who_watches_a_ladders_match_is_told_its_seed_at_the_end(tmp_path):
    """No other match is played with it."""
    lines = changed(unpacked(captured(tmp_path)), 0, ladder={"name": "pit", "map": ""})
    *_, end = followed(tmp_path / "growing", lines)
    assert "7" == end["seed"]


def test_a_late_turn_with_a_stall_below_the_margin_is_a_frame(tmp_path):
    path = played(tmp_path, answers(AWAY, BACK), answers(""), stalls=Stalls({1: 0.03}))
    assert 0.03 == json.loads(unpacked(path)[2])["stall"]
    _, frames, end = told(path)
    assert [0, 1, 2] == [frame["n"] for frame in frames]
    assert 0.03 == frames[2]["play"]["stall"]
    assert "forfeit" == end["result"]["end"]
    assert list(read_frames(path)) == followed(tmp_path / "growing", unpacked(path))


def test_an_aborted_match_ends_with_its_last_turn(tmp_path):
    path = wandering(tmp_path, 3)
    aborted = edited(path, path, end="aborted", reason="interrupted", turns=2)
    *lines, _, result = unpacked(aborted)
    _, frames, end = told(put(tmp_path, [*lines, result]))
    assert (3, "aborted") == (len(frames), end["result"]["end"])


def test_the_fault_of_late_turns_in_a_row_tells_the_first_and_how_much_was_written(tmp_path):
    """As the headline leads there, and an author looks for what took the time."""
    *_, end = told(late_in_a_row(tmp_path))
    fault = end["result"]["out"]["1"]
    assert ("late", 3, 7) == (fault["code"], fault["since"], fault["turn"])
    words = r"; late 5 turns in a row, so it is out; it wrote 12\d+ characters in one turn$"
    assert re.search(words, fault["words"])


def test_the_fault_of_a_bot_that_left_tells_since_when_it_was_away(tmp_path):
    """The headline leads there, since at the last turn there is nothing to see."""
    *_, end = told(absent_in_a_row(tmp_path))
    fault = end["result"]["out"]["1"]
    assert ("disconnected", 3, 7) == (fault["code"], fault["since"], fault["turn"])


@pytest.mark.parametrize("cut", [0, 5])
def test_a_record_without_a_result_ends_without_one(tmp_path, cut):
    """The arena was ended before the match was, perhaps in the middle of a line."""
    lines = unpacked(wandering(tmp_path, 3))
    _, frames, end = told(put(tmp_path, [*lines[:3], lines[3][:cut]]))
    assert [0, 1, 2] == [frame["n"] for frame in frames]
    assert ("7", None, None) == (end["seed"], end["trouble"], end["result"])


@pytest.mark.parametrize(
    ("spoilt", "trouble"),
    [
        (None, "m1.jsonl: line 3: not JSON ("),
        ({"digest": "0" * 16}, "turn 1: digest f64bd693f34a3c27 by the rules, 0000000000000000 in"),
    ],
)
def test_a_line_that_is_wrong_stops_the_replay_with_a_message(tmp_path, spoilt, trouble):
    lines = unpacked(wandering(tmp_path, 3))
    lines = changed(lines, 2, **spoilt) if spoilt else [*lines[:2], b"no json\n", *lines[3:]]
    _, frames, end = told(put(tmp_path, lines))
    assert [0, 1] == [frame["n"] for frame in frames]
    assert end["result"] is None
    assert end["trouble"].startswith(f"the replay stops here: {trouble}")


def test_damaged_compression_stops_the_replay_with_a_message(tmp_path):
    """What could be unpacked before the damage is shown."""
    whole = wandering(tmp_path, 300).read_bytes()
    path = put(tmp_path, [whole[: len(whole) // 2]], "m1.jsonl.gz")
    _, frames, end = told(path)
    assert 0 < len(frames) < 301
    assert end["trouble"].startswith("the replay stops here: m1.jsonl.gz: damaged gzip data (")


@pytest.mark.parametrize("fault", [IndexError, SystemExit])
@pytest.mark.parametrize("method", ["advance", "frame"])
def test_a_fault_of_the_rules_ends_this_replay_alone(tmp_path, monkeypatch, method, fault):
    """In the second turn."""

    def fails(game, *arguments):
        if game.turn == (2 if method == "frame" else 1):
            raise fault
        return getattr(Counting, method)(game, *arguments)

    broken = CountingRules()
    broken.game = type("BrokenGame", (Counting,), {method: fails})
    bots = [speaks(*"11111")] * 3
    path = played(tmp_path, *bots, hellos=SKIPPERS, ruleset=COUNTING, board=None)
    monkeypatch.setattr("lanista.games.registry.get", lambda _: broken)
    _, frames, end = told(path)
    assert 2 == len(frames)
    assert f"the replay stops here: {fault.__name__} in the rules" == end["trouble"]


def test_every_answer_is_read_by_the_rules_once(tmp_path, monkeypatch):
    """Verdicts, faults and submoves in words come from one reading, however long the answer is."""
    path = wandering(tmp_path, 3)
    read = []

    def parse(self, seat, tokens, parse=AngryMob.parse):
        read.append((self.turn, seat))
        return parse(self, seat, tokens)

    monkeypatch.setattr(AngryMob, "parse", parse)
    _, frames, _ = told(path)
    assert 4 == len(frames)
    assert [(turn, seat) for turn in range(3) for seat in range(2)] == read


# -- match files of the original games -----------------------------------------------------------

NULLS = {
    "hogwarts": "hogwarts/01_s1_Null-Null-Null-Null.res.gz",
    "crematoria": "crematoria/02_Null-Null-Null-Null_s1.res.gz",
}


@pytest.mark.parametrize("game", some_always(NULLS, "crematoria"))
def test_a_match_file_becomes_frames(tmp_path, game):
    """Its own positions: there are no turns, no clock and no result in it."""
    head, frames, end = told(put(tmp_path, [unpacked_trace(NULLS[game])], "sent.res"))
    assert ("res", game, None, None, None) == values(
        head, "source", "game", "match", "clock", "rounds"
    )
    assert ["Null"] * 4 == [player["name"] for player in head["players"]]
    assert list(range(len(frames))) == [frame["n"] for frame in frames]
    assert 100 < len(frames)
    assert all("play" not in frame for frame in frames)
    assert end.pop("story")["chapters"]
    assert {"type": "end", "seed": "1", "trouble": None, "result": None} == end
    reading = Reading(head["scene"]["cols"])
    for frame in frames:
        reading.read(frame)
        assert 4 == len(frame["scores"]) == len(frame["stats"])
        assert all(len(head["scene"]["stats"]) == len(row) for row in frame["stats"])


@pytest.mark.parametrize("name", NULLS.values(), ids=NULLS)
def test_half_a_match_file_is_told_in_words(tmp_path, name):
    data = unpacked_trace(name)
    path = put(tmp_path, [data[: len(data) // 2]], "sent.res")
    with pytest.raises(UnreadableError, match=r"^sent\.res: "):
        list(read_frames(path))


# -- files that are no records -------------------------------------------------------------------

HEADER = attrs.asdict(test_record.HEADER) | {
    "game": "angrymob",
    "settings": {"move_limit": 5},
    "board": SMALL,
    "players": [{"name": "Ann", "protocol": "1"}, {"name": "Bob", "protocol": "1"}],
}


def header(**changes):
    return json.dumps({**HEADER, **changes}).encode() + b"\n"


NO_FRAMES = {
    "nothing": (b"", "not a file of an original game"),
    "half a header": (header()[:-1], "empty; a record begins with its header"),
    "an older record": (header(lanista_record=1), "line 1: record format 1"),
    "an unknown game": (header(game="chess"), "unknown game 'chess'"),
    "a bad board": (header(board="2 2\nA"), "the record's header: "),
    "half packed": (gzip.compress(header())[:-12], "damaged gzip data"),
}


@pytest.mark.parametrize(("data", "words"), NO_FRAMES.values(), ids=NO_FRAMES)
def test_what_is_no_record_is_told_in_words(tmp_path, data, words):
    """With the file's name, never its folder: a viewer needn't know that."""
    path = put(tmp_path, [data], "sent.file")
    with pytest.raises(UnreadableError) as error:
        list(read_frames(path))
    assert words in str(error.value)
    assert "sent.file" in str(error.value)
    assert str(tmp_path) not in str(error.value)


def test_a_record_without_a_setting_has_its_default(tmp_path):
    """A record may be older than a setting of its game."""
    path = put(tmp_path, [header(settings={})], "sent.file")
    assert 2400 == next(iter(read_frames(path)))["rounds"]


def test_what_can_not_be_read_is_told(tmp_path):
    """A file that isn't there, live or not, and a folder."""
    with pytest.raises(UnreadableError, match=r"^can't read gone: No such file"):
        list(read_frames(tmp_path / "gone"))
    with pytest.raises(UnreadableError, match=r"^can't read gone: No such file"):
        next(ReplayReader(tmp_path / "gone", live=True).parts())
    with pytest.raises(UnreadableError, match=r"can't read .*: Is a directory"):
        list(read_frames(tmp_path))


def test_a_live_record_without_a_header_is_waited_for(tmp_path):
    assert [] == followed(tmp_path / "growing", [header()[:-1]])
