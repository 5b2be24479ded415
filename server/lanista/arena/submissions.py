"""The programs that authors hand in to ladders: taken, built, checked, and offered to the ladder.

A version is acknowledged when it is on disk (`results.submissions`). Then, one after another and
with low priority, versions are built (`bots.building`) and checked by `lanista check`, both in
sandboxes. docs/submissions.md tells when a version plays. Whatever goes wrong with it is said to
its author in one line, and only to them and the operator.

Changes are decided in the arena's event loop, and a change is made in memory only after it is on
disk.
"""

import contextlib
import hashlib
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import Any

import attrs
import structlog
import trio

from lanista.arena.admission import is_loopback
from lanista.arena.ladder_room import LadderRoom, SubmittedBot
from lanista.arena.names import LadderName, Owner
from lanista.arena.spec import Submissions
from lanista.arena.submission_check import (
    CheckFailedError,
    check_file_name,
    check_program,
    check_rate,
    check_size,
    no_disk,
)
from lanista.bots.building import (
    BUILD_LIMITS,
    MAY_BE_ANOTHERS_FAULT,
    BrokenSandboxError,
    Builder,
    NotBuiltError,
    command_of,
)
from lanista.bots.limits import parse_limits
from lanista.bots.process import Bot
from lanista.errors import RefusedError
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.control import Changes
from lanista.results.names import RegisteredName, key_of
from lanista.results.submissions import (
    UNFINISHED,
    Author,
    State,
    SubmissionFolder,
    Version,
    write_file,
)

MAX_TRIES = 3
"""How often a version's build may begin before the end of the arena: the version may be why."""

log = structlog.get_logger()


@attrs.define(eq=False)
class LadderSubmissions:
    """The programs that were handed in to one ladder.

    What authors or the operator ask for is refused by `RefusedError`; then nothing has changed.
    """

    room: LadderRoom
    folder: SubmissionFolder
    private: Sequence[Path]
    """Files and folders that the programs must not see in their sandboxes."""
    authors: dict[str, Author]
    """The names with their versions, by key."""
    changes: Changes
    """Tells that a version waits to be built."""
    _removed: set[str] = attrs.field(factory=set, init=False)
    """The keys of names that aren't registered any more; their programs don't play."""
    _lock: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _compiler: Bot | None = attrs.field(default=None, init=False)
    """The process that builds a version now."""
    _in_work: tuple[str, int] = attrs.field(default=("", 0), init=False)
    """The name's key and the number of the version that was built and checked last, or is now."""
    _work: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    """Cancelled to break off the work of that version."""
    # By key and number: how often a version couldn't be built by no fault of its own.
    _failed_tries: Counter[tuple[str, int]] = attrs.field(factory=Counter, init=False)

    @classmethod
    def open(
        cls, room: LadderRoom, submissions: Path, private: Sequence[Path], changes: Changes
    ) -> "LadderSubmissions":
        """Read what was handed in to a ladder, and offer what plays; this blocks.

        Raises:
            BadInputError: A file can't be read.
            OSError: What a crash has left can't be removed.
        """
        folder = SubmissionFolder.of_ladder(submissions.resolve(), room.spec.name)
        authors = folder.read()
        for author in authors.values():
            for number, version in author.versions.items():
                if version.state in UNFINISHED:  # what was done of it is lost
                    author.versions[number] = _begun_again(version)
        if folder.path.exists():
            folder.tidy(authors)
        made = cls(room, folder, private, authors, changes)
        for author in authors.values():
            made._offer(author)
        return made

    @property
    def spec(self) -> Submissions:
        """The limits on submissions that the arena's file gives for the ladder now."""
        assert self.room.spec.submissions is not None
        return self.room.spec.submissions

    # -- what authors ask for ------------------------------------------------------------------

    def is_open(self, time: datetime | None = None) -> bool:
        """Return whether what comes at a time is taken; None for now."""
        return self.spec.closes is None or (time or datetime.now(UTC)) <= self.spec.closes

    def check_open(self, time: datetime | None = None) -> None:
        """Refuse what comes at a time if it isn't taken any more; None for now."""
        if not self.is_open(time):
            assert self.spec.closes is not None
            raise RefusedError(
                HTTPStatus.FORBIDDEN,
                f"this ladder closed at {self.spec.closes.isoformat()}; nothing is taken or "
                "changed any more",
            )

    def check_file(self, file: str, endings: Sequence[str], size: int, received: datetime) -> None:
        """Refuse a file that comes too late, or whose name or size can't be, before it is read."""
        self.check_open(received)
        check_file_name(file, endings)
        check_size(file, size, self.spec.max_bytes)

    async def hand_in(
        self,
        who: LadderName,
        file: str,
        data: bytes | bytearray,
        received: datetime | None = None,
        address: str = "",
    ) -> Version:
        """Take a new version of a name's program that `check_file` takes; on return it is on disk.

        It was `received` at this time, None for now, from an address of `admission.address_of`.
        """
        now = datetime.now(UTC)
        received = received or now
        digest = await trio.to_thread.run_sync(lambda: hashlib.sha256(data).hexdigest())
        async with self._lock:
            author = self._author(who)
            self._check_changeable(author, received)
            check_rate(author, now, self.spec.per_hour)
            if (full := self._full(address, len(data))) is not None:
                raise RefusedError(HTTPStatus.INSUFFICIENT_STORAGE, full)
            # Later versions may have played, if an older copy of what was handed in was put back.
            author.next = max(author.next, self.room.last_version(author.name) + 1)
            version = Version(
                number=author.next,
                file=file,
                size=len(data),
                sha256=digest,
                received=received.isoformat(timespec="milliseconds"),
                address=address,
            )
            replaced = [one for one in author.versions.values() if one.state is State.RECEIVED]
            for other in replaced:
                why = f"version {version.number} came before it was built"
                refused = attrs.evolve(other, state=State.REFUSED, why=why)
                author.versions[other.number] = refused
            author.versions[version.number] = version
            author.next += 1
            author.times = (*author.times, now.isoformat())[-self.spec.per_hour :]
            self._drop_old(author)
            former = self.authors.get(author.key, author)
            dropped = former.versions.keys() - author.versions.keys()
            source = self.folder.source(author.key, version.number)
            try:
                await trio.to_thread.run_sync(write_file, source, data)
                await self._keep(author)
            except OSError as error:
                raise no_disk(error) from None
            await self._remove(author.key, dropped)
            for other in replaced:  # it was built if it was put back during its check
                await self._remove_program(author.key, other.number)
        self._log("submitted", author, version=version.number, host=address)
        self.changes.tell()
        return version

    def _full(self, address: str, size: int) -> str | None:
        """Return why there is no room for so many bytes more from an address; None if there is.

        One address may have half of the room, so that it can't keep others from handing in.
        """
        versions = [one for author in self.authors.values() for one in author.versions.values()]
        own = sum(one.stored_size for one in versions if one.address == address)
        used = sum(one.stored_size for one in versions)
        # Behind a proxy all come from loopback.
        most = self.spec.max_disk if is_loopback(address) else self.spec.max_disk // 2
        if own + size <= most and used + size <= self.spec.max_disk:
            return None
        whose = "your address's half of the" if own + size > most else "the"
        return (
            f"{whose} ladder's room for submissions is full ({self.spec.max_disk >> 20} MiB in "
            "all); delete versions that you don't need, or ask the operator"
        )

    async def choose(self, who: LadderName, number: int) -> Author:
        """Let a version play that is ready."""
        async with self._changing(who) as author:
            version = self.version(author, number)
            if version.state is not State.READY:
                raise RefusedError(
                    HTTPStatus.CONFLICT,
                    f"version {number} is {version.state.value}; only one that is ready can play",
                )
            author.playing, author.paused = number, False
        self._log("submission chosen", author, version=number)
        return author

    async def pause(self, who: LadderName, *, paused: bool) -> Author:
        """Let nothing of a name play, or its version again."""
        async with self._changing(who) as author:
            author.paused = paused
        self._log("submissions paused" if paused else "submissions resumed", author)
        return author

    async def delete(self, who: LadderName, number: int) -> Author:
        """Remove a version that doesn't play."""
        async with self._changing(who) as author:
            self.version(author, number)
            if author.playing == number:
                raise RefusedError(
                    HTTPStatus.CONFLICT, f"version {number} plays; let another one play before"
                )
            del author.versions[number]
        self._log("submission deleted", author, version=number)
        await self._remove(author.key, [number])
        return author

    async def disable(self, name: str, why: str) -> Author:
        """Let a name hand in and play nothing more, or again if `why` is empty."""
        key = key_of(name)
        async with self._lock:
            author = self.author(key).copy()
            author.disabled = why
            await self._keep_or_refuse(author)
        if why:
            self._log("submissions disabled", author, why=why)
        else:
            self._log("submissions enabled", author)
            self.changes.tell()  # a version of the name may have waited
        return author

    def author(self, key: str, registered: datetime | None = None) -> Author:
        """Return a name with its versions, if anything was handed in for it.

        For an author it must have been `registered` at this time; None is for the operator.
        """
        author = self.authors.get(key)
        if author is None or (
            registered is not None and author.registered != registered.isoformat()
        ):
            raise RefusedError(
                HTTPStatus.NOT_FOUND, "nothing was handed in for this name on this ladder"
            )
        return author

    @staticmethod
    def version(author: Author, number: int) -> Version:
        """Return a version of a name."""
        version = author.versions.get(number)
        if version is None:
            known = ", ".join(map(str, author.versions)) or "none"
            raise RefusedError(
                HTTPStatus.NOT_FOUND, f"there is no version {number}; there are: {known}"
            )
        return version

    async def source(self, key: str, number: int) -> bytes:
        """Return a version as it was handed in."""
        self.version(self.author(key), number)
        return await self._read(self.folder.source(key, number))

    async def output(self, key: str, number: int) -> str:
        """Return what the compilers say of a version, as far as they have."""
        version = self.version(self.author(key), number)
        if self._compiler is not None and version.state is State.BUILDING:
            return self._compiler.output_tail()
        try:
            data = await self._read(self.folder.output(key, number))
        except RefusedError:  # it wasn't built yet
            return ""
        return data.decode("utf-8", "replace")

    @staticmethod
    async def _read(path: Path) -> bytes:
        try:
            return await trio.to_thread.run_sync(path.read_bytes)
        except OSError:
            raise RefusedError(HTTPStatus.NOT_FOUND, "this file is no longer there") from None

    def _log(self, event: str, author: Author, **details: object) -> None:
        log.info(event, ladder=self.room.spec.name, name=author.name, **details)

    # -- changes -------------------------------------------------------------------------------

    def _author(self, who: LadderName) -> Author:
        """Return a copy of a name's versions, or of none, to be changed under the lock."""
        assert who.registered is not None
        there, registered = self.authors.get(who.key), who.registered.isoformat()
        if there is None or there.registered != registered:
            # Numbers are never used again, as matches are stored with them.
            next_ = 1 if there is None else there.next
            return Author(name=who.name, owner=who.owner.hex(), registered=registered, next=next_)
        author = there.copy()
        author.owner = who.owner.hex()
        return author

    @asynccontextmanager
    async def _changing(self, who: LadderName) -> AsyncIterator[Author]:
        """Let an author's versions be changed in this block, and keep them so after it."""
        async with self._lock:
            self.author(who.key, who.registered)
            author = self._author(who)
            self._check_changeable(author)
            yield author
            await self._keep_or_refuse(author)

    def _check_changeable(self, author: Author, time: datetime | None = None) -> None:
        if author.disabled:
            raise RefusedError(
                HTTPStatus.FORBIDDEN, f"the operator has disabled {author.name}: {author.disabled}"
            )
        self.check_open(time)

    async def _keep_or_refuse(self, author: Author) -> None:
        try:
            await self._keep(author)
        except OSError as error:
            raise no_disk(error) from None

    async def _keep(self, author: Author) -> None:
        """Store a changed name, and go on with it unless that fails; the lock is held."""
        await trio.to_thread.run_sync(self.folder.write, author)
        former = self.authors.get(author.key)
        if former is not None and former.registered != author.registered:
            self._removed.discard(author.key)  # it was removed, and is somebody else's now
        self.authors[author.key] = author
        self._offer(author)
        key, number = self._in_work
        if author.key == key and (author.disabled or number not in author.versions):
            self._work.cancel()  # so that nobody waits for what nobody wants

    async def _set(self, key: str, number: int, **values: Any) -> bool:
        """Change a version in work; return False if it was deleted or replaced meanwhile."""
        async with self._lock:
            author = self.authors[key].copy()
            version = author.versions.get(number)
            if version is None or version.state is State.REFUSED:
                return False
            author.versions[number] = attrs.evolve(version, **values)
            if values["state"] is State.READY and number > (author.playing or 0):
                author.playing = number
            await self._keep(author)
        return True

    def _drop_old(self, author: Author) -> None:
        for number, version in list(author.versions.items()):
            if len(author.versions) <= self.spec.versions:
                break
            if number != author.playing and version.state not in UNFINISHED:
                del author.versions[number]

    async def _remove(self, key: str, numbers: Collection[int]) -> None:
        for number in numbers:
            try:
                await trio.to_thread.run_sync(self.folder.remove, key, number)
            except OSError as error:  # the next start of the arena removes them
                log.warning("a submission can't be removed", path=error.filename, why=str(error))

    async def _remove_program(self, key: str, number: int) -> None:
        program = self.folder.program(key, number)
        try:
            await trio.to_thread.run_sync(lambda: program.unlink(missing_ok=True))
        except OSError as error:  # as above
            log.warning("a submission can't be removed", path=error.filename, why=str(error))

    def _offer(self, author: Author) -> None:
        """Tell the ladder which program plays under a name."""
        version = None if author.playing is None else author.versions.get(author.playing)
        is_house = author.key in map(key_of, self.room.house)  # which may have come later
        is_stopped = author.paused or author.disabled or author.key in self._removed or is_house
        if version is None or is_stopped:
            self.room.offer(author.name, None)
            return
        folder = self.folder.of_name(author.key)
        contestant = Contestant(
            name=author.name,
            command=command_of(self.folder.program(author.key, version.number), version.command),
            folder=str(folder),
            limits=parse_limits(self.spec.limits),
            sandboxed=True,
            hidden=(*self.private, self.folder.path, folder),
            # Started for each match: between matches it takes no memory or processor from others.
            restart=True,
        )
        who = LadderName(
            name=author.name,
            owner=Owner(bytes.fromhex(author.owner)),
            registered=datetime.fromisoformat(author.registered),
        )
        self.room.offer(author.name, SubmittedBot(who, contestant, version.number))

    def reload(self) -> None:
        """Let what plays already have the limits that the ladder's spec gives now."""
        # Nothing is offered again: for each offer the ladder looks at all names that wait.
        limits = parse_limits(self.spec.limits)
        for name, bot in self.room.submitted.items():
            if bot.contestant.limits != limits:
                contestant = attrs.evolve(bot.contestant, limits=limits)
                self.room.submitted[name] = attrs.evolve(bot, contestant=contestant)

    async def take_up_names(
        self, registered: Mapping[str, RegisteredName], removed: Mapping[str, RegisteredName]
    ) -> None:
        """Let programs play only under names that are registered, and delete those of removed ones.

        Those of names that are neither stay, as the database may have lost the names by damage, or
        be a former one that was put back. The operator can add such a name and remove it.
        """
        for key, author in self.authors.items():
            if author.is_of(registered.get(key)) == (key in self._removed):
                self._removed ^= {key}
                self._offer(author)
        for author in list(self.authors.values()):
            name = removed.get(author.key)
            if author.versions and name and author.registered <= name.registered.isoformat():
                await self._delete_all(author)

    async def _delete_all(self, removed: Author) -> None:
        """Delete all versions of a removed name; only the number of the next one is kept."""
        async with self._lock:
            author = self.authors[removed.key].copy()
            if author.registered != removed.registered:
                return  # somebody else has registered it, and has just handed in
            await self._remove(author.key, author.versions)
            author.versions, author.playing = {}, None
            with contextlib.suppress(RefusedError):  # at the next start, then
                await self._keep_or_refuse(author)
        self._log("submissions of a removed name deleted", author)

    # -- building and checking -----------------------------------------------------------------

    def next(
        self, turns: Mapping[str, int] = MappingProxyType({})
    ) -> tuple[int, int, str, str, int] | None:
        """Return the version to build next: the one that has waited longest.

        Addresses take turns, so that whoever has many names doesn't keep others waiting: `turns`
        says when each had its last one. Versions that couldn't be built by no fault of their own
        come last. It is given by how often it was put back, the last turn of its address, when it
        came, its name's key, and its number.
        """
        waiting = [
            (
                self._failed_tries[key, number],
                turns.get(version.address, 0),
                version.received,
                key,
                number,
            )
            for key, author in self.authors.items()
            if not author.disabled and key not in self._removed
            for number, version in author.versions.items()
            if version.state is State.RECEIVED
        ]
        return min(waiting, default=None)

    async def bring_up(self, key: str, number: int) -> bool:
        """Build and check a version, and let it play if it is ready.

        That is broken off if the version is deleted meanwhile, or its name disabled; then it waits
        until the name is enabled again. Returns False if it can't be done now, by no fault of its
        own: then it waits again.
        """
        self._in_work, self._work = (key, number), trio.CancelScope()
        try:
            with self._work:
                await self._bring_up(key, number)
            if self._work.cancelled_caught and number in self.authors[key].versions:
                await self._put_back(key, number)
        except (BrokenSandboxError, OSError) as error:
            self._failed_tries[key, number] += 1
            await self._put_back(key, number)
            if number not in self.authors[key].versions:  # it was deleted, and so was its file
                return True
            ladder, why = self.room.spec.name, str(error)
            log.error("a submission can't be built now; it is tried again", ladder=ladder, why=why)
            return False
        finally:
            with trio.CancelScope(shield=True):
                async with self._lock:  # whoever deletes it may not have done so yet
                    if number not in self.authors[key].versions:
                        await self._remove(key, [number])
        return True

    async def _bring_up(self, key: str, number: int) -> None:
        try:
            version = self.version(self.authors[key], number)
            if not await self._set(key, number, state=State.BUILDING, tries=version.tries + 1):
                return
            built = await self._build(key, version)
            if not await self._set(key, number, state=State.CHECKING, **built):
                return
            findings = await check_program(
                self.folder.program(key, number),
                self.authors[key].versions[number].command,
                game=self.room.ruleset.name,
                clock=self.room.spec.clock,
                limits=self.spec.limits,
            )
            if await self._set(key, number, state=State.READY, findings=findings):
                self._log("submission ready", self.authors[key], version=number)
        except (NotBuiltError, CheckFailedError) as error:
            findings = error.findings if isinstance(error, CheckFailedError) else ()
            await self._refuse(key, number, str(error), findings)
            self._log("submission refused", self.authors[key], version=number, why=str(error))
        except (BrokenSandboxError, OSError):
            raise
        except Exception:  # noqa: BLE001 - a fault of ours must not end the arena
            log.error("a submission ended by an error", trace=traceback.format_exc())
            why = "the arena failed to build or check it; hand it in again, or ask the operator"
            await self._refuse(key, number, why)

    async def _refuse(self, key: str, number: int, why: str, findings: Sequence[str] = ()) -> None:
        """Say of a version in work why it can't play, and remove what was built of it."""
        await self._remove_program(key, number)
        await self._set(key, number, state=State.REFUSED, why=why, findings=tuple(findings))

    async def _put_back(self, key: str, number: int) -> None:
        try:
            await self._set(key, number, state=State.RECEIVED, tries=0)
        except OSError as error:
            log.error("a submission can't be stored", why=str(error))
            versions = self.authors[key].versions
            versions[number] = attrs.evolve(versions[number], state=State.RECEIVED)

    async def _build(self, key: str, version: Version) -> dict[str, Any]:
        """Build a version, store what the compilers say, and return what is known of it then."""
        spec = self.spec
        limits = BUILD_LIMITS if spec.build_limits is None else parse_limits(spec.build_limits)
        builder = Builder(
            limits=limits,
            seconds=spec.build_time,
            most=spec.built_bytes,
            hidden=(*self.private, self.folder.path, self.folder.of_name(key)),
        )

        def started(bot: Bot) -> None:
            self._compiler = bot

        try:
            product = self.folder.program(key, version.number)
            built = await builder.build(
                self.folder.source(key, version.number),
                product,
                file=version.file,
                game=self.room.ruleset.name,
                on_start=started,
            )
        finally:
            output = "" if self._compiler is None else self._compiler.output_tail()
            self._compiler = None
            path = self.folder.output(key, version.number)
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(write_file, path, output.encode())
        if (full := self._full(version.address, built.size)) is not None:
            raise NotBuiltError(full)
        return {"command": built.command, "built_size": built.size}


def _begun_again(version: Version) -> Version:
    """Return a version that wasn't finished when the arena ended: it waits again, or is refused."""
    if version.tries < MAX_TRIES:
        return attrs.evolve(version, state=State.RECEIVED)
    why = f"the arena ended {MAX_TRIES} times while it was built or checked"
    return attrs.evolve(version, state=State.REFUSED, why=f"{why}; {MAY_BE_ANOTHERS_FAULT}")
