"""The programs that are handed in to all ladders of an arena, which are built one after another."""

import itertools
from collections.abc import Mapping

import attrs
import structlog
import trio

from lanista.arena.ladder_room import LadderRoom
from lanista.arena.limits import MAX_KEYS, Recent
from lanista.arena.names import Names
from lanista.arena.options import Options
from lanista.arena.submissions import LadderSubmissions
from lanista.bots.building import BrokenSandboxError, Builder, NotBuiltError, Tools
from lanista.bots.sandbox import SandboxError, check_sandbox
from lanista.errors import BadInputError, SpecError
from lanista.hosting.control import Changes

AGAIN = 10.0
"""Seconds after which a build is tried again that failed by no fault of the program."""

log = structlog.get_logger()


@attrs.define(eq=False)
class AllSubmissions:
    """The submissions of all ladders of an arena; `run` it beside its matches."""

    ladders: Mapping[str, LadderSubmissions]
    """The submissions of each ladder that takes any, by ladder."""
    changes: Changes
    """Tells that a version waits to be built."""
    tools: Tools = attrs.field(factory=Tools, init=False)
    """The tools to build and run programs with that are here, known after `run` has begun."""

    async def look_up_names(self, names: Names) -> None:
        """Take up which names are registered, and which the operator has removed."""
        for ladder in self.ladders.values():
            removed = await names.removed()
            await ladder.take_up_names(await names.look_up([*ladder.authors]), removed)

    async def run(self) -> None:
        """Build and check what is handed in, one version after another, until cancelled."""
        try:
            self.tools = await Builder().tools()
        except (NotBuiltError, BrokenSandboxError, OSError) as error:
            log.error("the languages of submissions can't be found", why=str(error))
        turns: Recent[str, int] = Recent(MAX_KEYS)
        for turn in itertools.count(1):
            count = self.changes.count
            jobs = [
                (job, one) for one in self.ladders.values() if (job := one.next(turns)) is not None
            ]
            if not jobs:
                await self.changes.wait(count)
                continue
            (*_, key, number), ladder = min(jobs, key=lambda job: job[0])
            turns[ladder.authors[key].versions[number].address] = turn
            if not await ladder.bring_up(key, number):
                await trio.sleep(AGAIN)


def open_submissions(rooms: Mapping[str, LadderRoom], options: Options) -> AllSubmissions:
    """Open the submissions of an arena's ladders; this blocks.

    Raises:
        SpecError: Sandboxes can't be made here, or what was handed in can't be read.
    """
    opened: dict[str, LadderSubmissions] = {}
    changes = Changes()
    for number, spec in enumerate(options.spec.ladders, 1):
        if spec.submissions is None:
            continue
        where = f"ladders[{number}].submissions"
        try:
            if not opened:
                check_sandbox()
            opened[spec.name] = LadderSubmissions.open(
                rooms[spec.name], options.data.submissions, options.private, changes
            )
        except SandboxError as error:
            raise SpecError(
                f"{where}: programs that are handed in run only in sandboxes; {error}"
            ) from None
        except (BadInputError, OSError) as error:
            raise SpecError(f"{where}: {error}") from None
    return AllSubmissions(opened, changes)
