"""Stand-ins for a ladder that takes programs and for its authors, and steps of these tests."""

from datetime import UTC, datetime, timedelta

import attrs
import pytest

from lanista.arena.names import LadderName, Owner
from lanista.arena.spec import LadderSpec, Submissions
from lanista.arena.submissions import LadderSubmissions
from lanista.errors import RefusedError
from lanista.games import registry
from lanista.hosting.control import Changes
from lanista.results.names import RegisteredName, Registrar

REGISTERED = datetime(2026, 9, 1, tzinfo=UTC)
EARLIER, LATER = REGISTERED - timedelta(days=1), REGISTERED + timedelta(days=1)


def who(name, owner=None):
    owner = Owner((owner or name).encode())
    return LadderName(name=name, owner=owner, registered=REGISTERED)


def registered(name):
    """A name as the database has it."""
    return RegisteredName(
        name=name, token_hash="", registrar=Registrar.ITSELF, registered=REGISTERED, seen=None
    )


@attrs.define
class Room:
    """A ladder that only notes what it is offered."""

    spec: LadderSpec
    ruleset = registry.get("angrymob")
    submitted: dict = attrs.field(factory=dict)
    house: dict = attrs.field(factory=dict)
    last_version = staticmethod(lambda _name: 0)

    def offer(self, name, bot):
        self.submitted[name] = bot


def opened(folder, **limits):
    """Open what was handed in to a ladder, as an arena does."""
    spec = LadderSpec(name="pit", game="angrymob", submissions=Submissions(**limits))
    return LadderSubmissions.open(Room(spec), folder, (), Changes())


async def bring_up_all(submissions):
    while (job := submissions.next()) is not None:
        *_, key, number = job
        await submissions.bring_up(key, number)


async def hand_in(submissions, name, data, **about):
    """Hand in a program, and build all that was handed in."""
    await submissions.hand_in(who(name), "bot.py", data, **about)
    await bring_up_all(submissions)


def states(submissions, key):
    return {number: v.state.value for number, v in submissions.authors[key].versions.items()}


async def refused(status, awaited):
    """The words with which something is refused."""
    with pytest.raises(RefusedError) as caught:
        await awaited
    assert status is caught.value.status
    assert str(caught.value).isprintable()
    return str(caught.value)
