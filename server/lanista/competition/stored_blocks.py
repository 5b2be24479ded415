"""The stored blocks that belong to a tournament as its spec is now, and checks before a run.

A spec may be changed between runs, and nothing in the database is ever adapted to that. Instead,
each stored block is looked up again: it belongs to the present spec if its bots take part, an
opening of the spec has its seed and map, and the id computed from the present bots and conditions
is the one that was stored. These blocks are reported to the format, in the order of their commits.
The others stay stored, don't count, and count again if the spec is changed back.

Formats without a fixed plan may go beyond the openings that the spec lists, so the search does too,
as far as any run can have come.
"""

import json
import secrets
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import attrs

from lanista.competition.formats.base import Format
from lanista.competition.setup import Opening, Setup
from lanista.competition.spec import SeedCount
from lanista.errors import SpecError
from lanista.results.blocks import BlockScore
from lanista.results.database import Store
from lanista.results.match_result import Benching
from lanista.results.reading import PlayedBlock

BASE_SEED = "base_seed"
"""The database's key for the secret from which seeds are drawn if the spec names no base."""
_AHEAD = 4096
"""Openings searched beyond one for each stored block: more than can have been handed out."""


class Entry(NamedTuple):
    """A stored block that belongs to the spec."""

    id: str
    played: BlockScore


@attrs.frozen(kw_only=True)
class StoredBlocks:
    """The blocks of a database, divided into those that belong to a spec and all others."""

    entries: list[Entry] = attrs.field(factory=list)
    """The blocks that belong to the spec, in commit order, to be reported to its format."""
    unmatched: list[str] = attrs.field(factory=list)
    """The ids of blocks with bots, seeds, maps or conditions that the spec doesn't have."""


def settle_seed(setup: Setup, store: Store, *, makes: bool) -> None:
    """Set `setup.base_seed` to the secret in the database, if seeds are to be drawn from one.

    If there is none and `makes`, one is made and stored.
    """
    if not setup.needs_base_seed or setup.base_seed:
        return
    with store.reading() as now:
        secret = now.meta(BASE_SEED)
    if secret is None and makes:
        secret = secrets.token_hex(16)
        store.set_meta(BASE_SEED, secret)
    setup.base_seed = secret or ""


def read_stored_blocks(setup: Setup, blocks: Iterable[PlayedBlock]) -> StoredBlocks:
    """Divide stored blocks into those that belong to the spec and all others, in commit order.

    The setup is one after `settle_seed`. It is called while the database is read, which tells of a
    ValueError as of damage.

    Raises:
        ValueError: A block that belongs to the spec lacks a match, or a match the rank of a seat.
    """
    blocks = list(blocks)
    openings = _Openings(setup, len(blocks))
    known = setup.contestants.keys()
    maps = setup.match_setup.settings.keys()
    # The same bots meet in many blocks: look each combination up once.
    are_known = {bots: known >= set(bots) for bots in {block.bots for block in blocks}}
    divided = StoredBlocks()
    for block in blocks:
        number = None
        if are_known[block.bots]:
            # The same map may have had another name in an earlier spec: the id decides.
            for name in (block.map,) if block.map in maps else maps:
                known_opening = openings.find(block.seed, name)
                if known_opening is None:
                    continue
                opening, index = known_opening
                if setup.block_id(block.bots, opening) == block.id:
                    number = index
                    break
        if number is None:
            divided.unmatched.append(block.id)
        else:
            expected = [len(seating) for seating in setup.seatings(block.bots)]
            if [len(ranks) for ranks in block.ranks] != expected:
                raise ValueError(f"not all matches of block {block.id} are stored")
            score = BlockScore(block.bots, block.ranks, number)
            divided.entries.append(Entry(block.id, score))
    return divided


def resume(format_: Format, stored: StoredBlocks, benched: Iterable[Benching]) -> None:
    """Bring a new format to where the stored blocks and benchings have led."""
    out: dict[str, list[str]] = {}
    for benching in benched:
        out.setdefault(benching.block, []).append(benching.bot)
    blocks = [(score, out.pop(block, ())) for block, score in stored.entries]
    format_.resume(blocks, [bot for bots in out.values() for bot in bots])


class _Openings:
    """The numbers of the openings that a tournament can have used."""

    def __init__(self, setup: Setup, blocks: int) -> None:
        self._setup = setup
        self._by_key: dict[tuple[int, str], tuple[Opening, int]] = {}  # by seed and map
        self._end = 0  # all openings below this number are in `_by_key`
        self._listed = self._limit = setup.openings
        if setup.needs_base_seed and not setup.base_seed:
            # The database has lost the secret, or there never was one: none can be drawn from it.
            if isinstance(setup.spec.seeds, SeedCount):
                self._limit = 0
        elif not setup.spec.format.is_planned:
            self._limit += blocks + _AHEAD

    def find(self, seed: int, map_: str) -> tuple[Opening, int] | None:
        """Return an opening and its number; None for one that no format can have asked for."""
        key = (seed, map_)
        # Openings beyond those that are listed are made only when one of them is looked for.
        while key not in self._by_key and self._end < self._limit:
            for _ in range(min(max(self._listed, 64), self._limit - self._end)):
                opening = self._setup.opening(self._end)
                self._by_key[opening.seed, opening.map] = opening, self._end
                self._end += 1
        return self._by_key.get(key)


def check_identities(setup: Setup, store: Store, *, accept_changes: bool) -> None:
    """Check that each name stands for the same bot as in earlier runs, and store new identities.

    If bots have changed, that is a SpecError unless `accept_changes`; then what they played before
    doesn't count.
    """
    with store.reading() as reading:
        before = reading.identities()
    now = {name: contestant.identity for name, contestant in setup.contestants.items()}
    changed = [name for name in now if before.get(name, now[name]) != now[name]]
    if changed and not accept_changes:
        changes = "; ".join(
            f"{name} has another {_difference(before[name], now[name])} than when it played before"
            for name in changed
        )
        them = "it" if len(changed) == 1 else "them"
        raise SpecError(
            f"bots: {changes}; change it back, give it another name, "
            f"or start {them} anew (--accept-changes; in Python accept_changes=True)"
        )
    for name, identity in now.items():
        if before.get(name) != identity:
            store.set_identity(name, identity)


def _difference(before: str, now: str) -> str:
    """Describe what changed between two identities, as in `command ("a", now "b") and limits`."""
    old, new = json.loads(before), json.loads(now)
    parts = []
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            values = f" ({json.dumps(old.get(key))}, now {json.dumps(new.get(key))})"
            parts.append(key + (values if key == "command" else ""))
    return " and ".join(parts)


def unbench_bots(setup: Setup, store: Store, names: Sequence[str]) -> None:
    """Let benched bots play again; their failures until now no longer count towards benching.

    It is a SpecError if one isn't a bot of this tournament, or the format can't take it back.
    """
    for name in names:
        if name not in setup.bots:
            known = ", ".join(setup.bots)
            raise SpecError(
                f"unbench: {name!a} isn't a bot of this tournament; its bots are {known}"
            )
    if names and setup.spec.format.has_rounds:
        raise SpecError(
            f"unbench: in a {setup.spec.format} the opponents of a benched bot have advanced "
            "without playing it, so it can't come back"
        )
    for name in names:
        store.unbench(name)
