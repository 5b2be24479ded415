"""Records of matches: their lines, their files, and what plays them again."""

import functools
import gzip
import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import trio
import trio.testing

from fuzz.mutation import changed, json_line, warp
from fuzz.originals import SMALL as SETTINGS
from fuzz.target import Target, may_refuse
from lanista.games import registry
from lanista.games.base import complete_settings
from lanista.games.registry import UnknownGameError
from lanista.match.record import (
    BadRecordError,
    Header,
    LineReader,
    Record,
    ResultInfo,
    TurnInfo,
    read_record,
)
from lanista.match.replay import MismatchError, verify
from match.playing import ANGRYMOB, ROW, SMALL, Bot, listens, sit, speaks

TWO, FOUR = ("Ann v=1 notes=1", "Zoë"), ("Ann v=1", "Bob v=1", "Cy v=1", "Zoë v=1 notes=1")
AWAY, BACK = "0 0 1 0", "0 1 1 2"
LINES: Mapping[str, tuple[str, ...]] = {
    "crematoria": ("0 2 1 4 9 5", "# log\n3 3 4 10", "", "x"),
    "hogwarts": ("m 0 2 m 4 4", "# log\nm 1 3 s 1" + " 0 1 2 3 4" * 3, "", "x"),
}
"""What the four players say in both rounds."""
TIME = b"2026-01-01T00:00:00.000+00:00"


async def _leaves(end: Any) -> None:
    await end.read_line()
    end.close()


def _played(folder: Path, ruleset: Any, *bots: Bot, **how: Any) -> bytes:
    """The lines of a match's record."""

    async def play() -> Path:
        table = sit(folder, ruleset, TWO if ruleset.seats == 2 else FOUR, **how)
        await table.play(*bots)
        return table.path

    path = trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    # The same lines in every run: a seed then gives the same inputs.
    return re.sub(
        rb'"(started|ended)":"[^"]*"', rb'"\1":"%b"' % TIME, gzip.decompress(path.read_bytes())
    )


@functools.cache
def matches() -> tuple[bytes, ...]:
    """Records, unpacked: Angry Mob ended in each of its ways, two rounds of the other games."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        play = functools.partial(_played, folder, ANGRYMOB)
        wanders = {"board": ROW, "settings": {"move_limit": 3}}
        found = [
            play(speaks(AWAY, "0 1 1 3"), speaks("1 1 1 2", ""), board=SMALL),
            play(speaks(AWAY, BACK), listens, board=ROW),
            play(speaks(AWAY, BACK, "# a\n" + AWAY), speaks("", "# b", "", ""), **wanders),
            play(speaks("", "x"), speaks("", ""), board=SMALL),
            play(speaks("", AWAY), _leaves, board=SMALL),
        ]
        for game, lines in LINES.items():
            ruleset = registry.get(game)
            settings = complete_settings(ruleset, SETTINGS[game])
            board = ruleset.write_board(ruleset.generate(settings, ruleset.chance(7)))
            bots = [speaks(line, line) for line in lines]
            found.append(_played(folder, ruleset, *bots, board=board, settings=settings))
        return tuple(found)


def _texts(lines: bytes) -> list[bytes]:
    """What players said in a record, and what judged it: to be put elsewhere."""
    texts = [b"late", b"malformed", b"missing", b"out", b"answer", b"void", b"finished", b"aborted"]
    for line in lines.splitlines():
        texts += [raw.encode() for raw in json.loads(line).get("raw", ()) if raw]
    return texts


def replay() -> Target:
    """A record with other values is refused by its reader or by the rules, or is as good."""
    corpus = [(lines.splitlines(), _texts(lines)) for lines in matches()]
    weights = [8] * (len(corpus) - 2) + [1, 1]  # the boards of the last ones take long

    def draw(random: Random) -> bytes:
        lines, texts = random.choices(corpus, weights)[0]
        lines = list(lines)
        while True:
            at = int(random.random() * len(lines))
            value = json.loads(lines[at])
            warp(random, value, texts)
            lines[at] = json_line(value).rstrip()
            if random.random() < 0.7:
                return b"\n".join(lines)

    def check(data: bytes) -> None:
        reader = LineReader(Path("x.jsonl"))
        turns, result = [], None
        with may_refuse(BadRecordError, MismatchError, UnknownGameError):
            first, *rest = data.split(b"\n")
            header = reader.header(first)
            for line in rest:
                read = reader.read(line)
                if isinstance(read, TurnInfo):
                    turns.append(read)
                else:
                    assert isinstance(read, ResultInfo)
                    result = read
            verify(Record(header, tuple(turns), result), registry.get(header.game))

    return Target(draw=draw, check=check, short=300)


def record() -> Target:
    """A record's file, packed or not, is read or refused."""
    corpus = files()
    put = in_memory()

    def check(data: bytes) -> None:
        with may_refuse(BadRecordError):
            found = read_record(put(data))
        assert isinstance(found.header, Header)

    return Target(draw=lambda random: changed(random, corpus), check=check, short=300)


def files() -> list[bytes]:
    """Files of records, packed and not."""
    return [
        data for lines in matches() for data in (lines, lines, gzip.compress(lines, 1, mtime=0))
    ]


def in_memory() -> Callable[[bytes], Path]:
    """Gives a function that puts bytes into a file, always the same one, which is on no disk."""
    file = os.memfd_create("fuzz")
    path = Path(f"/proc/self/fd/{file}")

    def put(data: bytes) -> Path:
        os.ftruncate(file, 0)
        os.pwrite(file, data, 0)
        return path

    return put


TARGETS: Mapping[str, Callable[[], Target]] = {"replay": replay, "record": record}
