"""The daemon's own decisions, without sockets: what begins, and what a fault of ours may touch.

Its conversations over real sockets are in tests/e2e.
"""

import contextlib
import errno
import gc
import weakref
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from arena.handed import PATIENCE, connected
from lanista.arena.admission import Place
from lanista.arena.arena import SHUTDOWN_TIME, Arena
from lanista.arena.bot_connections import LINES_LOGGED, BotConnections
from lanista.arena.ladder_matches import LadderMatches
from lanista.arena.limits import Turns
from lanista.arena.lobby import Member, Player
from lanista.arena.match_player import LoopPlayer
from lanista.arena.matches import Matches
from lanista.arena.names import LadderName, Owner
from lanista.arena.server import wait_for_enter
from lanista.arena.spec import LadderSpec, Rooms
from lanista.errors import BadInputError
from lanista.games.angrymob.ruleset import RULESET
from lanista.games.outcome import Termination
from lanista.hosting.control import MatchControl, RunningMatch
from lanista.hosting.host import MatchReport
from lanista.match.connection import Connection
from lanista.match.record import ResultInfo
from lanista_protocol import ErrorCode, RemoteProtocolError, parse_hello
from support.arenas import arena_options, arena_server
from support.memory import channel_pair


class Wire:
    """A channel to a bot that listens and is silent, and goes when it is told to."""

    def __init__(self):
        self.told = b""
        self.closed = False

    def send_some(self, data):
        self.told += bytes(data)
        return len(data)

    def receive_some(self, _limit):
        return None

    async def wait_readable(self):
        await trio.sleep_forever()

    def shut_writing(self):
        pass

    def close(self):
        self.closed = True


def waiting(hello, number=1):
    """A bot that has said hello."""
    connection = Connection(Wire(), hello=parse_hello(hello))
    return Player(connection, RULESET, "nowhere", number, Place("", 0.0))


def arena_with_ladder(check, **more):
    """An arena whose ladder is made up: its names are checked so, and `more` are its attributes."""
    room = SimpleNamespace(spec=SimpleNamespace(name="pit"), ruleset=RULESET, **more)
    names = SimpleNamespace(changed=SimpleNamespace(count=0), check=check)
    return Arena(arena_options(RULESET), {"pit": room}, names)


def admitted(arena):
    """The place of a bot that has connected from elsewhere."""
    return arena.connections.admission.admit("10.0.0.1", 0.0)


async def enter(arena, connection, place):
    """Have the arena greet a connection."""
    return await arena.connections._enter(connection, place, "somewhere", None)


def come(arena, *hellos):
    """Bots that wait already; nobody reads from them."""
    players = []
    for hello in hellos:
        player = waiting(hello)
        player.released.set()
        arena.lobby.join(player)
        players.append(player)
    return players


@pytest.fixture
def matches(monkeypatch, tmp_path):
    """Instead of playing: note who would, and do or say what the test has put into `then`."""
    then, seen = [], []

    async def play(self, seated):
        spec = seated.spec
        seen.append((seated.names, spec.seed, spec.attempt))
        what = then.pop(0)
        if what == "void, and cancelled":
            seated.control.given_up = True
            what = Termination.VOID
        if what is Termination.VOID:
            record = tmp_path / f"{spec.attempt}.jsonl.gz"
            record.touch()
            self.running.over(spec.match, record, is_void=True)
        await trio.lowlevel.checkpoint()
        if isinstance(what, BaseException):
            raise what
        return None if what is None else report(seated, what)

    monkeypatch.setattr(Matches, "play", play)
    return then, seen


def report(seated, end):
    """The report on a match that has ended so."""
    result = ResultInfo(end=end.value, reason="", ranks=(), scores=(), turns=0, digest="")
    return MatchReport(
        spec=seated.spec, names=seated.names, started="", result=result, record=seated.record
    )


async def run_matches(arena):
    """Begin what can begin, and wait for the ends."""
    async with trio.open_nursery() as arena.matches.nursery:
        arena.matches.start_ready()


PAIRS = ("Ada", "Bob", "Cem", "Dil")


async def test_every_complete_room_begins(matches):
    then, seen = matches
    then += [Termination.FINISHED] * 2
    arena = Arena(arena_options(RULESET))
    players = come(arena, *PAIRS)
    await run_matches(arena)
    # Side by side: which is first is trio's choice.
    assert [["Ada", "Bob"], ["Cem", "Dil"]] == sorted(names for names, _, _ in seen)
    assert all(player.taken and player.over.is_set() for player in players)


@pytest.fixture
def back(nursery):
    """An arena, the bot that comes back to a match of its ladder, and the older one; the match."""
    arena = Arena(arena_options(RULESET))
    arena.matches.nursery = nursery
    ladder = SimpleNamespace(spec=SimpleNamespace(name="pit"))
    member = SimpleNamespace(
        key=("pit", "ann"), who=SimpleNamespace(name="Ann", is_registered=True), ladder=ladder
    )
    old, new = [waiting("Ann v=1", number) for number in (1, 2)]
    old.member = new.member = member
    old.take()
    arena.connections.members[member.key] = old

    async def rejoin(_seat, connection):
        playing.told = connection.channel.told

    playing = SimpleNamespace(
        kicked=[], told=None, kick=lambda seat, *_: playing.kicked.append(seat)
    )
    arena.running.begin(
        RunningMatch(
            match="m",
            ruleset=RULESET,
            room="pit",
            bots=[(3, "Bob"), (1, "Ann")],
            started="",
            part=Path(),
            control=MatchControl(),
            playing=playing,
            rejoin=rejoin,
        )
    )
    return arena, new, old, playing


async def test_a_match_knows_a_bot_that_is_back_by_its_new_number(back):
    """By that one an operator has it kicked, and a page is told of it at once."""
    arena, new, old, playing = back
    changes = arena.running.changes.count
    await arena.ladder_matches.replace(old, new)
    assert changes < arena.running.changes.count
    arena.connections.players = {2: new}
    assert arena.connections.kick(2)
    await trio.testing.wait_all_tasks_blocked()
    assert [1] == playing.kicked


async def test_a_bot_that_comes_back_is_welcomed_before_its_match_sends_anything(back):
    """The match may be in another process, which doesn't wait for ours."""
    arena, new, _, playing = back
    await arena.connections._take_over(new, new.member)
    assert playing.told.startswith(b"welcome ")
    assert playing.told == new.connection.channel.told


async def test_many_lines_at_once_begin_a_match_in_each_pass():
    """A hundred beginnings in one pass of the event loop would be a stall."""
    passes, begun = 0, []

    class Passes(trio.abc.Instrument):
        def after_io_wait(self, timeout):  # noqa: ARG002 - trio's interface
            nonlocal passes
            passes += 1

    class Starter:
        def start_next(self):
            begun.append(passes)
            return True

    lines = [b"\n\n\n", b""]

    async def read():
        return lines.pop(0)

    trio.lowlevel.add_instrument(Passes())
    await wait_for_enter(Starter(), read)
    assert [begun[0], begun[0] + 1, begun[0] + 2] == begun


@pytest.mark.parametrize("how", ["cancelled", "kicked", "gone"])
async def test_a_void_match_is_not_repeated_without_its_bots_or_against_the_operators_word(
    matches, how
):
    then, seen = matches
    then += ["void, and cancelled" if how == "cancelled" else Termination.VOID]
    arena = Arena(arena_options(RULESET))
    ada, bob = come(arena, "Ada", "Bob")
    if how == "kicked":  # as it ended
        bob.sent_off = RemoteProtocolError(ErrorCode.SHUTDOWN, "kicked")
    elif how == "gone":
        ada.connection.session.close()
    await run_matches(arena)
    assert 1 == len(seen)


@pytest.mark.parametrize(
    "uncounted", [None, pytest.param(RuntimeError("ours"), marks=pytest.mark.long)]
)
async def test_what_does_not_count_makes_room_for_the_next(matches, uncounted):
    """`--matches 1`: a match without a record isn't the one; the next pair plays it."""
    then, seen = matches
    then += [uncounted, Termination.FINISHED]
    arena = Arena(arena_options(RULESET, matches=1))
    come(arena, *PAIRS)
    await run_matches(arena)
    assert [["Ada", "Bob"], ["Cem", "Dil"]] == [names for names, _, _ in seen]
    assert not arena.matches.start_next()


@pytest.mark.parametrize("fault", [RuntimeError("a bug"), SystemExit("a game's write_board")])
async def test_a_fault_of_ours_touches_its_match_alone(matches, autojump_clock, fault):
    """PROTOCOL.md 7: its bots are told `error internal`, which the classic dialect doesn't know."""
    then, seen = matches
    then += [fault, Termination.FINISHED]
    arena = Arena(arena_options(RULESET))
    hit = come(arena, "Ada v=1 room=a", "Bob room=a")
    other = come(arena, "Cem v=1 room=b", "Dil room=b")
    await run_matches(arena)
    if seen[0][0] != ["Ada", "Bob"]:  # which is first is trio's choice
        hit, other = other, hit
    words = b"error internal the arena failed; this isn't the bot's fault\n"
    for player, told in zip(hit, (words, b""), strict=True):
        assert told == player.connection.channel.told
        assert player.connection.channel.closed
        assert player.over.is_set()
    for player in other:
        assert not player.connection.channel.closed
        assert player.over.is_set()
    assert 2 == len(seen)


async def test_a_ladders_match_whose_worker_ended_touches_no_other(matches, tmp_path):
    """The result that is made of its record has no endings."""
    then, seen = matches
    then += [Termination.ABORTED]
    spec = LadderSpec(name="pit", game="angrymob")
    with contextlib.ExitStack() as opened:
        arena = await arena_server(arena_options(RULESET, data=tmp_path, ladders=[spec]), opened)
        for name in ("Ada", "Bob"):
            player = waiting(f"{name} v=1 room=pit")
            player.released.set()
            owner = Owner(name.encode())
            who = LadderName(name=name, owner=owner, registered=datetime.now(UTC))
            player.member = Member(arena.ladders["pit"], who)
            arena.lobby.join(player)
        async with trio.open_nursery() as helpers:
            async with trio.open_nursery() as arena.matches.nursery:
                arena.ladder_matches.open(helpers)
                arena.ladder_matches.start_ready()
            helpers.cancel_scope.cancel()
    assert 1 == len(seen)
    assert not player.connection.channel.closed


async def test_the_end_waits_for_no_database_after_its_time(tmp_path, monkeypatch, autojump_clock):
    """The arena ends in time although its database doesn't answer."""

    async def settle(_):
        await trio.sleep_forever()

    monkeypatch.setattr(LadderMatches, "settle", settle)
    arena = Arena(arena_options(RULESET, port=0, data=tmp_path))
    await arena.connections.listen()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(arena.serve)
        await trio.testing.wait_all_tasks_blocked()
        arena.matches.nursery.start_soon(trio.sleep_forever)
        arena.shut_down()
        began = trio.current_time()
    assert SHUTDOWN_TIME == pytest.approx(trio.current_time() - began)


async def test_a_connection_that_gave_up_its_place_is_freed_at_once():
    """Without the garbage collector, which may not run before thousands have come and gone."""
    arena = Arena(arena_options(RULESET))

    async def enter_in_vain(connection, place):
        with contextlib.suppress(RemoteProtocolError):
            await enter(arena, connection, place)

    async def give_way():
        connection = Connection(Wire())
        place = admitted(arena)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(enter_in_vain, connection, place)
            await trio.testing.wait_all_tasks_blocked()
            place.give_way(RemoteProtocolError(ErrorCode.SERVER_FULL, "others are waiting"))
        arena.connections._leave(place)
        return weakref.ref(connection)

    gc.disable()
    try:
        connection = await give_way()
        assert connection() is None
    finally:
        gc.enable()


async def test_a_bot_that_gives_up_its_place_as_it_arrives_leaves_its_name_free(monkeypatch):
    """Nothing can be cancelled any more by then, as it waits for nothing."""
    present = []

    async def check(*_):
        return SimpleNamespace(name="Ann", key="ann", is_registered=False)

    @contextlib.asynccontextmanager
    async def turn(*_):
        place.give_way(RemoteProtocolError(ErrorCode.SERVER_FULL, "others are waiting"))
        yield

    monkeypatch.setattr(Turns, "turn", turn)
    arena = arena_with_ladder(check, connect=present.append, disconnect=present.remove)
    monkeypatch.setattr(type(arena.ladder_matches), "start_ready", lambda _: None)
    place = admitted(arena)

    async def read_hello(*_):
        connection.hello = parse_hello("Ann v=1 room=pit")
        return connection.hello

    monkeypatch.setattr(Connection, "read_hello", read_hello)
    connection = Connection(Wire())
    with pytest.raises(RemoteProtocolError, match="others are waiting"):
        await enter(arena, connection, place)
    assert ({}, []) == (arena.connections.members, present)


@pytest.mark.parametrize("piece", [b"", b"x"])
async def test_a_hello_has_its_time(autojump_clock, piece):
    """A bot that says nothing, and one that says a byte a second: refused after 10 s."""
    arena = Arena(arena_options(RULESET))
    place = admitted(arena)
    channel, bot = channel_pair()
    async with trio.open_nursery() as nursery:

        async def drip():
            while True:
                if piece:
                    await bot.write(piece)
                await trio.sleep(1)

        nursery.start_soon(drip)
        with pytest.raises(RemoteProtocolError) as caught:
            await enter(arena, Connection(channel), place)
        assert 10 == trio.current_time()
        nursery.cancel_scope.cancel()
    assert ErrorCode.HELLO_TIMEOUT is caught.value.code


@pytest.mark.parametrize(
    ("sent", "expected"), [(b"", []), (b"x" * 70_000 + b"\n", [ErrorCode.LINE_TOO_LONG])]
)
async def test_a_bot_that_leaves_or_misbehaves_while_its_token_waits_is_let_go(
    monkeypatch, sent, expected
):
    """Its turn may come minutes later, if hundreds come back after a restart."""

    async def check(*_):
        await trio.sleep_forever()

    arena = arena_with_ladder(check)
    place = admitted(arena)
    connection, bot = connected(b"Ann v=1 room=pit token=x\n")

    async def read_hello(*_):
        return connection.hello

    monkeypatch.setattr(Connection, "read_hello", read_hello)
    refused = []

    async def enter_or_be_refused():
        try:
            assert await enter(arena, connection, place) is None
        except RemoteProtocolError as error:
            refused.append(error.code)

    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(enter_or_be_refused)
            await bot.say(sent)
            bot.close()
    connection.channel.close()
    assert expected == refused


async def test_of_many_hellos_in_a_second_only_the_first_are_logged(autojump_clock):
    """Whoever connects again and again would fill the disk with the log."""
    arena = Arena(arena_options(RULESET))
    place = admitted(arena)

    async def identify():
        connection = Connection(Wire(), hello=parse_hello("Ann v=1"))
        await arena.connections._identify(connection.greeting, connection, place, "somewhere")

    with capture_logs() as logs:
        for _ in range(LINES_LOGGED + 5):
            await identify()
        await trio.sleep(1)
        await identify()
    *first, more, last = logs
    assert ["hello"] * (LINES_LOGGED + 1) == [line["event"] for line in (*first, last)]
    assert ("lines like the next were left out", 5) == (more["event"], more["count"])


@pytest.fixture
def minutes(monkeypatch):
    """Instead of playing: take a minute, or until the arena interrupts; note when, and whether."""
    interrupted, ends = trio.Event(), []

    async def play(_, seated):
        with trio.move_on_after(60):
            await interrupted.wait()
        ends.append((trio.current_time(), interrupted.is_set()))
        return report(seated, Termination.FINISHED)

    monkeypatch.setattr(Matches, "play", play)
    monkeypatch.setattr(LoopPlayer, "interrupt", lambda _: interrupted.set())
    return ends


@pytest.mark.parametrize(
    ("drain", "end", "again"),
    [
        (0, (10, True), False),
        (100, (61, False), False),
        (30, (40, True), False),
        (30, (10, True), True),
    ],
)
async def test_running_matches_may_end_before_the_arena_does(
    minutes, tmp_path, autojump_clock, drain, end, again
):
    """They have `drain` seconds from the signal on, or until the next signal comes."""
    arena = Arena(arena_options(RULESET, port=0, data=tmp_path, drain=drain))
    await arena.connections.listen()
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(arena.serve)
        await trio.sleep(1)
        players = come(arena, *PAIRS[:3])
        arena.matches.start_ready()
        await trio.sleep(9)
        arena.drain()
        assert players[2].waiting.cancel_called
        assert arena.matches.closing
        if again:
            arena.drain()
    ((moment, interrupted),) = minutes
    assert end == (round(moment - began), interrupted)
    assert end[0] == round(trio.current_time() - began)


def test_no_house_bot_is_seated_beside_the_ladders_of_an_arena_that_has_no_other_rooms():
    """`rooms`: it would be refused, and nobody would know why it doesn't come."""
    ladders = (LadderSpec(name="pit", game="angrymob"),)
    server = Arena(arena_options(RULESET, rooms=Rooms.LADDERS, ladders=ladders))
    server.matches.nursery = object()
    with pytest.raises(BadInputError, match="this arena has only ladders"):
        server.seat_house_bot("angrymob", "CamperJoe", "practice")


async def test_a_house_bot_for_whose_connection_there_is_no_descriptor_ends_no_arena(
    nursery, monkeypatch
):
    @contextlib.asynccontextmanager
    async def starting(*_):
        await trio.sleep_forever()
        yield

    async def accept(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("lanista.arena.arena.start_bot", starting)
    monkeypatch.setattr(BotConnections, "_accept", accept)
    arena = Arena(arena_options(RULESET))
    arena.matches.nursery = nursery
    with capture_logs() as logs, trio.fail_after(PATIENCE):
        arena.seat_house_bot("angrymob", "CamperJoe", "practice")
        while arena._guests:
            await trio.lowlevel.checkpoint()
    assert ["a house bot can't connect"] == [line["event"] for line in logs]
