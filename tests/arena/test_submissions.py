"""What authors hand in to a ladder: taken, kept and offered; builds and checks are made up."""

import errno
import os
import re
import signal
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path

import attrs
import pytest
import trio
from structlog.testing import capture_logs

from arena.submitting import (
    EARLIER,
    LATER,
    REGISTERED,
    bring_up_all,
    hand_in,
    opened,
    refused,
    registered,
    states,
    who,
)
from lanista.arena import submission_check
from lanista.arena import submissions as module
from lanista.arena.server import _open_ladders
from lanista.arena.spec import LadderSpec, Submissions
from lanista.arena.submission_check import (
    CheckFailedError,
    check_program,
)
from lanista.arena.submission_queue import AllSubmissions
from lanista.arena.submissions import LadderSubmissions
from lanista.bots.building import BrokenSandboxError, Builder
from lanista.bots.process import start_bot
from lanista.errors import RefusedError
from lanista.games import registry
from lanista.hosting.control import Changes
from lanista.match.conditions import Clock
from lanista.results import submissions as stored
from support.arenas import arena_options
from support.builds import build as build_well
from support.builds import make_up
from support.submissions import handed_in, ready
from support.waiting import until


@pytest.fixture(autouse=True)
def made_up(monkeypatch):
    make_up(monkeypatch)


# -- what is taken -------------------------------------------------------------------------------


async def test_what_is_handed_in_at_once_gets_a_number_each(tmp_path):
    """Only the last one is built; of the others it is told why not."""
    submissions = opened(tmp_path)
    async with trio.open_nursery() as nursery:
        for number in range(5):
            nursery.start_soon(submissions.hand_in, who("Ann"), "bot.py", b"%d" % number)
    await bring_up_all(submissions)
    assert {**dict.fromkeys(range(1, 5), "refused"), 5: "ready"} == states(submissions, "ann")
    why = submissions.authors["ann"].versions[1].why
    assert why.endswith("came before it was built")
    sources = {await submissions.source("ann", number) for number in range(1, 6)}
    assert {b"0", b"1", b"2", b"3", b"4"} == sources


def test_a_name_that_a_shell_or_a_terminal_would_read_is_refused(tmp_path):
    submissions = opened(tmp_path)
    for file in (
        *("", "bot", ".py", "-rf.py", "../bot.py", "a/b.py", "a b.py", "$(x).py", "a\n.py"),
        *("\x1b[m.py", "bot.exe", "x" * 80 + ".py", "b\xf6t.py", "bot.py\0", "bot.py "),
    ):
        with pytest.raises(RefusedError) as caught:
            submissions.check_file(file, [".py", ".zip"], 1, REGISTERED)
        assert HTTPStatus.BAD_REQUEST == caught.value.status


async def test_the_deadline_is_that_of_arrival(tmp_path, monkeypatch):
    """Whoever came in time isn't refused because others are served first; later nothing changes."""
    closes = datetime(2026, 12, 18, 23, 59, tzinfo=UTC)

    class Clock(datetime):
        time = closes

        @classmethod
        def now(cls, _zone):
            return cls.time

    monkeypatch.setattr(module, "datetime", Clock)
    submissions = opened(tmp_path, closes=closes)
    async with trio.open_nursery() as nursery, submissions._lock:
        nursery.start_soon(submissions.hand_in, who("Ann"), "bot.py", b"x")
        while not submissions._lock.statistics().tasks_waiting:
            await trio.lowlevel.checkpoint()
        Clock.time = closes + timedelta(microseconds=1)
    assert {1: "received"} == states(submissions, "ann")
    for asked in (
        submissions.hand_in(who("Bob"), "bot.py", b"x"),
        submissions.pause(who("Ann"), paused=True),
        submissions.delete(who("Ann"), 1),
    ):
        assert "closed at 2026-12-18" in await refused(HTTPStatus.FORBIDDEN, asked)
    await bring_up_all(submissions)  # what came in time is built all the same
    assert {1: "ready"} == states(submissions, "ann")


async def test_a_name_hands_in_so_much_an_hour_and_deleting_makes_no_room_for_more(tmp_path):
    submissions = opened(tmp_path, per_hour=2)
    for data in b"a", b"b":
        await submissions.hand_in(who("Ann"), "bot.py", data)
    await submissions.delete(who("Ann"), 1)
    asked = submissions.hand_in(who("Ann"), "bot.py", b"c")
    words = await refused(HTTPStatus.TOO_MANY_REQUESTS, asked)
    assert re.search(r"try again in 3[56]\d\d s$", words)  # some have passed: files were written
    submissions.room.spec = attrs.evolve(submissions.room.spec, submissions=Submissions(per_hour=1))
    asked = submissions.hand_in(who("Ann"), "bot.py", b"c")
    words = await refused(HTTPStatus.TOO_MANY_REQUESTS, asked)
    assert "2 versions within an hour; at most 1 are taken" in words  # a reload has lowered it
    submissions.room.spec = attrs.evolve(submissions.room.spec, submissions=Submissions(per_hour=2))
    # Nor does sending the body of a request that came first last.
    earlier = datetime.now(UTC) - timedelta(minutes=1)
    asked = submissions.hand_in(who("Ann"), "bot.py", b"c", earlier)
    await refused(HTTPStatus.TOO_MANY_REQUESTS, asked)
    await submissions.hand_in(who("Bob"), "bot.py", b"c")
    # The clock was a day ahead until now.
    submissions.authors["ann"].times = ((datetime.now(UTC) + timedelta(days=1)).isoformat(),) * 2
    await submissions.hand_in(who("Ann"), "bot.py", b"c")


async def test_the_ladders_room_is_for_all_and_is_told_when_it_is_full(tmp_path):
    submissions = opened(tmp_path, max_disk=1 << 20)
    await hand_in(submissions, "Ann", bytes(1 << 19), address="127.0.0.1")  # as much again
    asked = submissions.hand_in(who("Bob"), "bot.py", b"x")
    why = await refused(HTTPStatus.INSUFFICIENT_STORAGE, asked)
    assert why.startswith("the ladder's room for submissions is full (1 MiB in all); delete ")


async def test_one_address_may_have_half_of_the_ladders_room(tmp_path):
    """Otherwise whoever takes some names could keep all others from handing in."""
    submissions = opened(tmp_path, max_disk=1 << 20)
    await hand_in(submissions, "Ann", bytes(1 << 18), address="10.0.0.1")  # as much again
    asked = submissions.hand_in(who("Bob"), "bot.py", b"x", address="10.0.0.1")
    why = await refused(HTTPStatus.INSUFFICIENT_STORAGE, asked)
    assert why.startswith("your address's half of the ladder's room for submissions is full (1 MiB")
    await hand_in(submissions, "Cid", bytes(1 << 18), address="10.0.0.2")
    assert {1: "ready"} == states(submissions, "cid")


async def test_of_what_fails_its_check_only_the_source_takes_room(tmp_path, monkeypatch):
    """Nothing plays the program any more, which may be 64 times as large."""

    async def check(*_, **__):
        raise CheckFailedError("it doesn't answer")

    submissions = opened(tmp_path, max_disk=1 << 20)
    monkeypatch.setattr(module, "check_program", check)
    await hand_in(submissions, "Ann", bytes(1 << 19), address="127.0.0.1")
    assert {1: "refused"} == states(submissions, "ann")
    await submissions.hand_in(who("Bob"), "bot.py", bytes(1 << 19), address="127.0.0.1")
    assert not submissions.folder.program("ann", 1).exists()


async def test_what_is_put_back_in_its_check_and_then_replaced_keeps_no_program(
    tmp_path, monkeypatch
):
    async def check(*_, **__):
        raise OSError("the check could not be started")

    submissions = opened(tmp_path)
    monkeypatch.setattr(module, "check_program", check)
    await submissions.hand_in(who("Ann"), "bot.py", b"a")
    assert not await submissions.bring_up("ann", 1)
    program = submissions.folder.program("ann", 1)
    assert program.exists()
    await submissions.hand_in(who("Ann"), "bot.py", b"b")
    assert {1: "refused", 2: "received"} == states(submissions, "ann")
    assert not program.exists()


async def test_a_full_disk_changes_nothing_and_is_told(tmp_path, monkeypatch):
    submissions = opened(tmp_path)
    await hand_in(submissions, "Ann", b"a")
    before = attrs.asdict(submissions.authors["ann"])
    with monkeypatch.context() as full:

        def no_room(_descriptor):
            raise OSError(28, "No space left on device")

        full.setattr(os, "fsync", no_room)
        for asked in (
            submissions.hand_in(who("Ann"), "bot.py", b"b"),
            submissions.pause(who("Ann"), paused=True),
            submissions.disable("ann", "why"),
        ):
            assert "No space left" in await refused(HTTPStatus.INSUFFICIENT_STORAGE, asked)
    assert before == attrs.asdict(submissions.authors["ann"])
    await hand_in(submissions, "Ann", b"b")
    submissions = opened(tmp_path)
    assert {1: "ready", 2: "ready"} == states(submissions, "ann")


# -- building ------------------------------------------------------------------------------------


async def test_what_cannot_be_built_by_no_fault_of_its_own_lets_others_go_first(
    tmp_path, monkeypatch, autojump_clock
):
    """One version that breaks every sandbox doesn't keep the others from being built."""

    async def build(self, source, product, *, file, **_):
        if file == "breaks.py":
            raise BrokenSandboxError("the sandbox of a build couldn't be started")
        return await build_well(self, source, product)

    monkeypatch.setattr(Builder, "build", build)

    submissions = opened(tmp_path)
    await submissions.hand_in(who("Ann"), "breaks.py", b"x")
    await submissions.hand_in(who("Bob"), "bot.py", b"x")
    async with trio.open_nursery() as nursery:
        every = AllSubmissions({"pit": submissions}, submissions.changes)
        nursery.start_soon(every.run)
        while states(submissions, "bob") != {1: "ready"}:  # noqa: ASYNC110 - nobody tells
            await trio.sleep(1)
        nursery.cancel_scope.cancel()
    assert states(submissions, "ann")[1] in stored.UNFINISHED


async def test_a_check_that_cannot_be_carried_out_is_no_fault_of_the_program(tmp_path, monkeypatch):
    """It is tried again later, as on a full disk."""
    program = tmp_path / "1.program"
    program.touch()
    with pytest.raises(OSError, match="unknown game 'chess'"):
        await check_program(program, ["bot"], game="chess", clock=Clock(), limits=None)
    (tmp_path / "nice").write_text("#!/no/such\n")  # it is found, and can't be executed
    (tmp_path / "nice").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(OSError, match="the check could not be started"):
        await check_program(program, ["bot"], game="angrymob", clock=Clock(), limits=None)


async def test_a_check_whose_process_is_lost_refuses_the_program(tmp_path, monkeypatch):
    """The program may be why, so it isn't tried again for ever; its author may hand it in again.

    The check is lost before anyone could look whether it has started, which it has.
    """

    @asynccontextmanager
    async def start_and_lose(*args, **options):
        async with start_bot(*args, **options) as bot:
            os.kill(bot.keeper, signal.SIGKILL)
            await bot.exited()
            yield bot

    monkeypatch.setattr(submission_check, "start_bot", start_and_lose)
    program = tmp_path / "1.program"
    program.touch()
    with pytest.raises(CheckFailedError, match=r"was killed by SIGKILL; if the program wasn't why"):
        await check_program(program, ["bot"], game="angrymob", clock=Clock(), limits=None)


async def test_what_a_newer_version_replaces_just_before_its_build_is_not_built(tmp_path):
    """The newer one is being stored when its turn comes."""
    submissions = opened(tmp_path)
    await submissions.hand_in(who("Ann"), "bot.py", b"a")
    async with trio.open_nursery() as nursery, submissions._lock:
        waiting = submissions._lock.statistics
        nursery.start_soon(submissions.hand_in, who("Ann"), "bot.py", b"b")
        while waiting().tasks_waiting < 1:
            await trio.lowlevel.checkpoint()
        nursery.start_soon(submissions.bring_up, "ann", 1)
        while waiting().tasks_waiting < 2:
            await trio.lowlevel.checkpoint()
    assert {1: "refused", 2: "received"} == states(submissions, "ann")


async def test_addresses_take_turns_whatever_number_of_names_they_have(tmp_path, monkeypatch):
    built, is_over = [], trio.Event()

    async def build(self, source, product, **_):
        built.append(source.parent.name.removeprefix("name-"))
        if len(built) == len(names):
            is_over.set()
        return await build_well(self, source, product)

    monkeypatch.setattr(Builder, "build", build)
    submissions = opened(tmp_path)
    names = {"Eve1": "eve", "Eve2": "eve", "Eve3": "eve", "Ann": "school", "Bob": "school"}
    for name, address in names.items():
        await submissions.hand_in(who(name), "bot.py", b"x", address=address)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(AllSubmissions({"pit": submissions}, submissions.changes).run)
        await is_over.wait()
        nursery.cancel_scope.cancel()
    assert ["eve1", "ann", "eve2", "bob", "eve3"] == built


@pytest.mark.parametrize("how", ["deleted", "disabled"])
async def test_what_nobody_wants_any_more_is_built_no_further(tmp_path, monkeypatch, how):
    """A deleted version leaves no file; one whose name is enabled again is built anew, and plays.

    Others waited for the build until its time was over.
    """
    building = trio.Event()

    async def build(*_, **__):
        building.set()
        await trio.sleep_forever()

    monkeypatch.setattr(Builder, "build", build)
    submissions = opened(tmp_path)
    await submissions.hand_in(who("Ann"), "bot.py", b"x")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(submissions.bring_up, "ann", 1)
        await building.wait()
        assert {1: "building"} == states(submissions, "ann")
        if how == "deleted":
            await submissions.delete(who("Ann"), 1)
        else:
            await submissions.disable("ann", "it mines coins")
    assert submissions.next() is None
    assert submissions.room.submitted.get("Ann") is None
    if how == "deleted":
        files = {path.name for path in submissions.folder.of_name("ann").iterdir()}
        assert {"versions.json"} == files
        assert {} == states(submissions, "ann")
        return
    assert {1: "received"} == states(submissions, "ann")
    make_up(monkeypatch)
    await submissions.disable("ann", "")
    await bring_up_all(submissions)
    assert 1 == submissions.room.submitted["Ann"].version


async def test_what_is_deleted_as_its_build_begins_keeps_nobody_waiting(tmp_path, monkeypatch):
    """Its sandbox can't be made without the file, and isn't tried again."""

    async def build(*_, **__):
        await submissions.delete(who("Ann"), 1)
        raise BrokenSandboxError("no such file")

    monkeypatch.setattr(Builder, "build", build)
    submissions = opened(tmp_path)
    await submissions.hand_in(who("Ann"), "bot.py", b"x")
    assert await submissions.bring_up("ann", 1)
    assert {} == states(submissions, "ann")


async def test_what_is_built_under_a_name_that_is_being_removed_keeps_nobody_waiting(
    tmp_path, monkeypatch
):
    """The program's file is removed before its name is."""
    submissions, removing = opened(tmp_path), trio.Event()

    async def build(*_, **__):
        nursery.start_soon(submissions.take_up_names, {}, {"ann": registered("Ann")})
        await removing.wait()
        raise BrokenSandboxError("no such file")

    async def remove(*_):
        if not removing.is_set():
            removing.set()
            await until(lambda: submissions._lock.statistics().tasks_waiting)

    await submissions.hand_in(who("Ann"), "bot.py", b"x")
    monkeypatch.setattr(Builder, "build", build)
    monkeypatch.setattr(LadderSubmissions, "_remove", remove)
    async with trio.open_nursery() as nursery:
        assert await submissions.bring_up("ann", 1)
    assert {} == states(submissions, "ann")


async def test_what_is_refused_gives_a_name_no_program_of_a_former_owner(tmp_path):
    """Its program doesn't come back: neither what waits to be built, nor what could play."""
    submissions = opened(tmp_path, max_disk=1 << 20)
    await hand_in(submissions, "Ann", b"a")
    await submissions.hand_in(who("Ann"), "bot.py", b"b")
    await submissions.take_up_names({}, {})  # the name was lost by damage
    another = attrs.evolve(who("Ann", "Eve"), registered=LATER)
    with pytest.raises(RefusedError, match="is full"):
        await submissions.hand_in(another, "bot.py", bytes(1 << 20))
    assert submissions.next() is None
    await submissions.disable("ann", "")
    assert {"Ann": None} == submissions.room.submitted
    await submissions.hand_in(another, "bot.py", b"c")
    await bring_up_all(submissions)
    assert {3: "ready"} == states(submissions, "ann")
    assert submissions.room.submitted["Ann"].version == 3


async def test_what_was_handed_in_goes_with_the_name_that_the_operator_removes(
    tmp_path, monkeypatch
):
    """A program that is being built goes too; its number, which matches may have, stays taken."""
    building, removed = trio.Event(), trio.Event()

    async def build(self, source, product, **_):
        building.set()
        await removed.wait()
        return await build_well(self, source, product)

    submissions = opened(tmp_path, max_disk=1 << 20)
    # Twice as much: little room is left.
    await hand_in(submissions, "Ann", bytes((1 << 19) - 1), address="127.0.0.1")
    ann = registered("Ann")
    # A former database was put back, in which somebody else's name was removed.
    await submissions.take_up_names({}, {"ann": attrs.evolve(ann, registered=EARLIER)})
    await submissions.take_up_names({"ann": ann}, {})
    assert 1 == submissions.room.submitted["Ann"].version
    with monkeypatch.context() as patched:
        patched.setattr(Builder, "build", build)
        await submissions.hand_in(who("Ann"), "bot.py", b"x")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(submissions.bring_up, "ann", 2)
            await building.wait()
            # It may have been lost, and added again to be removed.
            await submissions.take_up_names({}, {"ann": attrs.evolve(ann, registered=LATER)})
            removed.set()
    assert [Path("versions.json")] == [
        path.relative_to(submissions.folder.of_name("ann"))
        for path in submissions.folder.of_name("ann").iterdir()
    ]
    assert {} == states(opened(tmp_path), "ann")
    assert {"Ann": None} == submissions.room.submitted
    await submissions.hand_in(who("Bob"), "bot.py", bytes(1 << 19), address="127.0.0.1")
    another = attrs.evolve(who("Ann", "Eve"), registered=LATER + timedelta(days=1))
    assert 3 == (await submissions.hand_in(another, "bot.py", b"c")).number


async def test_whoever_registers_a_removed_name_at_once_keeps_what_is_handed_in(tmp_path):
    submissions = opened(tmp_path)
    await submissions.hand_in(who("Ann"), "bot.py", b"a")
    another = attrs.evolve(who("Ann", "Eve"), registered=LATER)
    async with trio.open_nursery() as nursery, submissions._lock:
        for number, asked in enumerate(
            (
                lambda: submissions.hand_in(another, "bot.py", b"b"),
                lambda: submissions.take_up_names({}, {"ann": registered("Ann")}),
            ),
            1,
        ):
            nursery.start_soon(asked)
            while submissions._lock.statistics().tasks_waiting < number:
                await trio.lowlevel.checkpoint()
    assert {2: "received"} == states(submissions, "ann")


async def test_what_is_of_no_registered_name_does_not_play_in_the_first_match(tmp_path):
    registered = REGISTERED.isoformat()
    handed_in(tmp_path, "Ann", ready("bot.py", b"x"), playing=1, registered=registered)
    ladder = LadderSpec(name="pit", game="angrymob", submissions=Submissions())
    options = arena_options(registry.get("angrymob"), data=tmp_path, ladders=(ladder,))
    with ExitStack() as stack:
        rooms, _, submissions = await _open_ladders(options, stack)
        assert {1: "ready"} == states(submissions.ladders["pit"], "ann")
        assert {} == rooms["pit"].submitted


async def test_under_the_name_of_a_house_bot_no_program_plays(tmp_path):
    """The operator has given a house bot this name since."""
    submissions = opened(tmp_path)
    await hand_in(submissions, "Ann", b"x")
    room = submissions.room
    assert 1 == room.submitted["Ann"].version
    room.house["ANN"] = None
    LadderSubmissions.open(room, tmp_path, (), Changes())
    assert {"Ann": None} == room.submitted


async def test_a_fault_of_ours_on_a_full_disk_ends_nothing(tmp_path, monkeypatch):
    """The version is tried again, as its refusal can't be stored."""
    submissions = opened(tmp_path)
    await submissions.hand_in(who("Ann"), "bot.py", b"x")

    async def build(*_, **__):
        monkeypatch.setattr(stored, "write_file", full)
        raise RuntimeError("a fault of ours")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Builder, "build", build)
    assert not await submissions.bring_up("ann", 1)
    assert {1: "received"} == states(submissions, "ann")


async def test_the_version_that_plays_goes_on_until_another_one_is_ready(tmp_path):
    """A bad one replaces nothing; the oldest are dropped, but not the one that plays."""
    submissions = opened(tmp_path, versions=2)
    room = submissions.room
    for data, plays in (b"a", 1), (b"bad", 1), (b"bad", 1), (b"d", 4):
        await hand_in(submissions, "Ann", data)
        assert plays == room.submitted["Ann"].version
    assert 2 == len(submissions.authors["ann"].versions)
    await refused(HTTPStatus.CONFLICT, submissions.delete(who("Ann"), 4))
    await refused(HTTPStatus.NOT_FOUND, submissions.choose(who("Ann"), 3))  # it was dropped
    await hand_in(submissions, "Ann", b"bad")
    await refused(HTTPStatus.CONFLICT, submissions.choose(who("Ann"), 5))


async def test_what_authors_and_the_operator_decide_is_logged(tmp_path):
    submissions = opened(tmp_path)
    for _ in range(2):
        await hand_in(submissions, "Ann", b"a", address="192.0.2.1")
    with capture_logs() as lines:
        await submissions.choose(who("Ann"), 1)
        await submissions.pause(who("Ann"), paused=True)
        await submissions.pause(who("Ann"), paused=False)
        await submissions.delete(who("Ann"), 2)
        await submissions.disable("ann", "cheats")
        await submissions.disable("ann", "")
    assert [
        ("submission chosen", {"version": 1}),
        ("submissions paused", {}),
        ("submissions resumed", {}),
        ("submission deleted", {"version": 2}),
        ("submissions disabled", {"why": "cheats"}),
        ("submissions enabled", {}),
    ] == [
        (line.pop("event"), {k: line[k] for k in line if k in {"version", "why"}}) for line in lines
    ]
    assert all(("pit", "Ann") == (line["ladder"], line["name"]) for line in lines)
