"""A crash at any change loses nothing that was handed in; builds and checks are made up."""

import hashlib
import itertools
import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from arena.submitting import bring_up_all, opened, who
from lanista.arena.submissions import LadderSubmissions
from lanista.errors import RefusedError
from lanista.results import submissions as stored
from lanista.results.submissions import State
from support.builds import make_up


class Crash(BaseException):
    """The process is killed: nothing of it runs any more."""


class Crashes:
    """Ends the process before one of its changes to files, given how many go well."""

    def __init__(self, patched, good):
        self.left = good
        for owner, name in (
            (os, "fsync"),
            (Path, "replace"),
            (Path, "unlink"),
            (Path, "mkdir"),
            (Path, "write_bytes"),
        ):
            patched.setattr(owner, name, self._counted(getattr(owner, name)))

    def _counted(self, function):
        def counted(*arguments, **options):
            if self.left <= 0:
                raise Crash
            self.left -= 1
            return function(*arguments, **options)

        return counted


NAMES = st.sampled_from(["Ann", "Bob"])
STEP = st.one_of(
    st.tuples(st.just("hand in"), NAMES, st.sampled_from([b"a", b"bb", b"bad"])),
    st.tuples(st.sampled_from(["delete", "choose"]), NAMES, st.integers(1, 5)),
    st.tuples(st.sampled_from(["pause", "resume", "build"]), NAMES, st.none()),
)
STEPS = st.lists(STEP, max_size=12)


async def do(submissions, step, name, value):
    """Do one step as far as it is allowed."""
    try:
        if step == "hand in":
            await submissions.hand_in(who(name), "bot.py", value)
        elif step == "delete":
            await submissions.delete(who(name), value)
        elif step == "choose":
            await submissions.choose(who(name), value)
        elif step == "build":
            await bring_up_all(submissions)
        else:
            await submissions.pause(who(name), paused=step == "pause")
    except RefusedError:
        pass


def acknowledged(submissions):
    """Return what authors were told is there, as an arena that starts finds it."""
    found = {}
    for author in submissions.authors.values():
        value = attrs.asdict(author)
        for version in value["versions"].values():
            if version["state"] in stored.UNFINISHED:
                version["state"] = State.RECEIVED
        found[author.key] = value
    return found


@given(steps=STEPS, last=STEP)
def test_after_a_crash_at_any_change_what_was_acknowledged_is_there(steps, last):
    """A step is cut short before each of its changes to files, from the first to the last one.

    Each name is as before the step, or as after one of its parts; no file is a stranger.
    """
    with ExitStack() as stack:
        top = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lanista-test-")))
        make_up(stack.enter_context(pytest.MonkeyPatch.context()))

        async def prepare():
            submissions = opened(top / "before", versions=3)
            for step in steps:
                await do(submissions, *step)

        async def crash(folder, good):
            """Whether it crashes after so many changes; check what is there then."""
            submissions = opened(folder, versions=3)
            known = [acknowledged(submissions)]
            keep = submissions._keep

            async def noted(_self, author):
                """Note how the name will be, and store it."""
                authors = {**submissions.authors, author.key: author}
                known.append(acknowledged(attrs.evolve(submissions, authors=authors)))
                await keep(author)
                del known[:-1]  # it is acknowledged

            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(LadderSubmissions, "_keep", noted)
                Crashes(patched, good)
                try:
                    await do(submissions, *last)
                    crashed = False
                except Crash:
                    crashed = True
            again = opened(folder, versions=3)
            assert acknowledged(again) in known
            await same_files(again)
            return crashed

        trio.run(prepare)
        (top / "before").mkdir(exist_ok=True)
        for good in itertools.count():
            shutil.copytree(top / "before", top / f"{good}")
            if not trio.run(crash, top / f"{good}", good):
                break


async def same_files(submissions):
    """Check that exactly the files of its versions are there, byte for byte."""
    folder = submissions.folder
    expected = set()
    for key, author in submissions.authors.items():
        expected.add(folder.of_name(key) / "versions.json")
        for number, version in author.versions.items():
            data = folder.source(key, number).read_bytes()
            assert (version.size, version.sha256) == (len(data), hashlib.sha256(data).hexdigest())
            expected.add(folder.source(key, number))
            if version.state is State.READY:
                assert data == folder.program(key, number).read_bytes()
    found = {path for path in folder.path.rglob("*") if path.is_file()}
    assert expected <= found
    assert {".program", ".output"} >= {path.suffix for path in found - expected}


async def test_what_ends_the_arena_again_and_again_is_refused(tmp_path, monkeypatch):
    """Its author is told; what is handed in again counts anew."""

    async def crash(*_):
        raise Crash

    monkeypatch.setattr(LadderSubmissions, "_build", crash)
    await opened(tmp_path).hand_in(who("Ann"), "bot.py", b"a")
    for _ in range(3):
        submissions = opened(tmp_path)
        assert State.RECEIVED is submissions.authors["ann"].versions[1].state
        with pytest.raises(Crash):
            await bring_up_all(submissions)
    submissions = opened(tmp_path)
    assert None is submissions.next()
    why = submissions.authors["ann"].versions[1].why
    assert why.startswith("the arena ended 3 times while it was built or checked; if the program")
    await submissions.hand_in(who("Ann"), "bot.py", b"a")
    assert 2 == submissions.next()[-1]
