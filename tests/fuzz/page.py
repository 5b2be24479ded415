"""What the page is sent: files to be shown, and messages over its WebSocket."""

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import attrs
import trio
import trio.testing
from websockets.exceptions import ConnectionClosedOK

from fuzz.mutation import changed, json_line, odd_value, warp
from fuzz.originals import match_file
from fuzz.records import files, in_memory
from fuzz.target import Target, check_words, may_refuse
from lanista.arena.person import PersonsWish
from lanista.errors import BadInputError
from lanista.hosting.control import RunningMatches
from lanista.page.authorization import OperatorToken
from lanista.page.frame_cache import FrameCache, FrameFile
from lanista.page.frames import encode
from lanista.page.replay_reader import UnreadableError, read_frames
from lanista.page.replay_worker import Report, packed
from lanista.page.view import View
from lanista.page.viewer import Viewer
from page.house import running_match


def upload() -> Target:
    """A file is shown, as far as it can be, or refused in words; no error of the rules is met."""
    corpus = files()
    corpus += [match_file(game, 1).encode() for game in ("crematoria", "hogwarts")]
    put = in_memory()

    def check(data: bytes) -> None:
        with may_refuse(UnreadableError):
            for part in read_frames(put(data)):
                trouble = part.get("trouble") or "none"
                check_words(trouble)
                assert not trouble.endswith("in the rules"), trouble
                encode(part)

    return Target(draw=lambda random: changed(random, corpus), check=check, short=200)


# -- messages --------------------------------------------------------------------------------------

SAID: tuple[dict[str, Any], ...] = (
    {"do": "lobby", "id": 1},
    {"do": "open", "match": "m1", "id": "a"},
    {"do": "open", "match": "m2", "id": None},
    {"do": "open", "match": "m1", "logs": True},
    {"do": "frames", "match": "m1", "from": 0, "id": 2},
    {"do": "frames", "match": "m1", "from": -1},
    {"do": "frames", "match": "m1", "from": 1, "known": True},
    {"do": "frames", "match": "file-1", "from": 0},
    {"do": "close", "match": "m1"},
    {"do": "close", "match": "file-1"},
    {"do": "file", "name": "x.res", "size": 3},
    {"do": "file", "name": "../x", "size": 3, "id": 3},
    {"do": "token", "token": "secret"},
    {"do": "start", "game": "angrymob", "room": None},
    {"do": "start", "game": "angrymob", "room": "cup"},
    {"do": "mode", "manual": True},
    {"do": "pause", "match": "m2"},
    {"do": "resume", "match": "m2"},
    {"do": "step", "match": "m2"},
    {"do": "cancel", "match": "m2"},
    {"do": "kick", "bot": 1},
    {
        "do": "play",
        "game": "angrymob",
        "name": "Ann",
        "bots": ["CamperJoe"],
        "seat": 0,
        "seed": "7",
    },
    {"do": "answer", "turn": 0, "line": "0 0 1 0"},
    {"do": "resign"},
    {"do": "bench", "name": "Ann"},
)
RATE = 1000
"""How much faster time passes: a viewer pauses between messages."""
FRAME = b'{"n":0,"turn":0,"key":true,"own":[],"marks":[],"scores":[1,1],"captions":["1","1"]}'

Said = tuple[str | bytes, ...]


def messages() -> Target:
    """Each message of a viewer is answered, by JSON that can be sent; the connection goes on."""
    texts = [json_line(said).rstrip() for said in SAID]

    def message(random: Random) -> str | bytes:
        kind = random.random()
        if kind < 0.05:
            return bytes(int(random.random() * 5))
        if kind < 0.25:
            return changed(random, texts, 5000).decode("utf-8", "replace")
        said = dict(random.choice(SAID))
        if kind < 0.8:
            warp(random, said)
        if kind > 0.95:
            said[random.choice(("id", "do", "match", "room", "known", "bots", "seat", "moves"))] = (
                odd_value(random)
            )
        return (
            json.dumps(said, ensure_ascii=random.random() < 0.5).encode("utf-8", "replace").decode()
        )

    def draw(random: Random) -> Said:
        return tuple(message(random) for _ in range(1 + int(random.random() * 6)))

    # In memory, and the same for all: making one for each would take longer than the visit.
    memory = Path("/dev/shm")
    folder = tempfile.TemporaryDirectory(
        prefix="lanista-fuzz-", dir=memory if memory.is_dir() else None
    )

    def check(said: Said) -> None:
        place = Path(folder.name)
        _visit(place, said)
        for left in place.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()

    return Target(draw=draw, check=check, short=70)


@attrs.define(eq=False)
class _Connection:
    """A WebSocket on which these messages come, and then its end."""

    said: list[str | bytes]
    sent: list[Any] = attrs.field(factory=list)

    async def recv(self) -> str | bytes:
        if not self.said:
            await trio.testing.wait_all_tasks_blocked()
            raise ConnectionClosedOK(None, None)
        return self.said.pop(0)

    async def send(self, data: bytes, *, text: bool) -> None:
        assert text
        self.sent.append(json.loads(data))


@attrs.define(eq=False)
class _FrameCache(FrameCache):
    """A cache of one frame, made without a process."""

    place: Path = attrs.field(kw_only=True)

    @property
    def folder(self) -> Path:
        return self.place

    def acquire(self, key: str, path: Path, *, live: bool, **_logs: bool) -> FrameFile:
        file = self.place / "frames"
        frame_file = FrameFile(1, key, path, file)
        if path.name != "bad":
            file.write_bytes(FRAME + b",")
            head = packed({"type": "head", "api": 1})
            end = None if live else packed(END)
            frame_file.update(Report(job=1, head=head, frames=[len(FRAME) + 1], end=end))
        else:
            frame_file.fail("no frames")
        return frame_file

    def release(self, _file: FrameFile) -> None:
        pass

    def remove(self, folder: Path) -> None:
        shutil.rmtree(folder)


END = {"type": "end", "seed": "7", "trouble": None, "result": None}


def _visit(place: Path, said: Said) -> None:
    """A viewer says all this; whatever escapes it but its own end is raised."""

    async def visit() -> None:
        connection = _Connection(list(said))
        cache = _FrameCache(place=place)
        view = View(_stage(place), arena=_ARENA, frame_cache=cache, sent_frames=cache)
        token = None if len(said) % 2 else "secret"
        viewers: list[Viewer] = []
        viewer = Viewer(
            connection=connection,
            peer=SimpleNamespace(address="127.0.0.1", group="127.0.0.1", heard=trio.current_time()),
            view=view,
            others=viewers,
            operator=OperatorToken(token),
        )
        viewers.append(viewer)
        try:
            await viewer.run()
        except* ConnectionClosedOK:
            pass
        for told in connection.sent:
            assert isinstance(told, dict)
            if told["type"] == "error":
                check_words(told["words"], 5000)
            encode(told)

    trio.run(visit, clock=trio.testing.MockClock(rate=RATE))


def _seat_nobody(game: str, bot: str, room: str) -> None:
    raise BadInputError(f"{bot} doesn't play {game} in {room}")


def _refuse_person(wish: PersonsWish, address: str) -> None:
    raise BadInputError(f"{wish.name!a} can't play {wish.game!a} from {address}")


_ARENA: Any = SimpleNamespace(
    connections=SimpleNamespace(address=None, refusals=(), kick=lambda number: number == 1),
    ladders={},
    names=None,
    lobby=SimpleNamespace(rooms={}),
    matches=SimpleNamespace(
        manual=False,
        has_friendly_rooms=True,
        space=SimpleNamespace(trouble=None),
        start=lambda room: hash(room) == 1,
        set_manual=lambda _manual: None,
    ),
    seat_house_bot=_seat_nobody,
    people=SimpleNamespace(begin=_refuse_person),
)


def _stage(place: Path) -> RunningMatches:
    running_matches = RunningMatches()
    playing: Any = SimpleNamespace(interrupt=lambda _words: None)
    running_matches.begin(running_match("m2", place / "m2", playing=playing))
    running_matches.ended["m1"] = place / "m1"
    return running_matches


TARGETS: Mapping[str, Callable[[], Target]] = {"upload": upload, "page": messages}
