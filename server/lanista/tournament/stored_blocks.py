"""What a database holds of a tournament as its spec is now: which blocks count, who is who.

Reads and compares; writes only the notes of who the bots are and which seed seeds are drawn from.
Nothing is played or computed here.
"""

import json
import secrets
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import attrs

from lanista.pairing.blocks import BlockScore, Pairing
from lanista.store.database import Store
from lanista.store.reading import PlayedBlock
from lanista.tournament.setup import Draw, Setup
from lanista.tournament.spec import SpecError

BASE_SEED = "base_seed"
"""The database's key for what seeds are drawn from when the spec doesn't say."""
_AHEAD = 4096
"""Draws that may have been handed out beyond the blocks that were stored, by far."""


class Entry(NamedTuple):
    """A stored block that is the spec's."""

    id: str
    pairing: Pairing
    played: BlockScore


@attrs.frozen(kw_only=True)
class StoredBlocks:
    """The blocks of a database, seen from a spec."""

    entries: list[Entry]
    """Those that are this spec's, in commit order: what its format is to be told."""
    unmatched: list[str]
    """The ids of the others: of bots, seeds, maps or conditions that the spec doesn't have."""


def settle_seed(setup: Setup, store: Store, *, makes: bool) -> bool:
    """Give the setup its base for seeds, if it needs one: that of the database.

    Args:
        setup: The tournament.
        store: Its database.
        makes: Whether to make one and note it when there is none.

    Returns:
        Whether the setup has what it needs.
    """
    if not setup.needs_base_seed or setup.base_seed:
        return True
    noted = store.meta(BASE_SEED)
    if noted is None and makes:
        noted = secrets.token_hex(16)
        store.set_meta(BASE_SEED, noted)
    setup.base_seed = noted or ""
    return noted is not None


def read_stored_blocks(setup: Setup, blocks: Iterable[PlayedBlock]) -> StoredBlocks:
    """Find which stored blocks are the spec's.

    Args:
        setup: The tournament; its base seed is settled, or there are no blocks of it.
        blocks: All of the database, in commit order.
    """
    blocks = list(blocks)
    draws = _Draws(setup, len(blocks))
    known = setup.contestants.keys()
    maps = setup.match_setup.settings.keys()
    # The same bots and draws come again and again: what is found of them is remembered.
    are_known = {bots: known >= set(bots) for bots in {block.bots for block in blocks}}
    entries = []
    unmatched = []
    for block in blocks:
        found = None
        if are_known[block.bots]:
            # The same map may have had another name: the id tells.
            for name in (block.map,) if block.map in maps else maps:
                draw, index = draws.find(block.seed, name)
                if index is not None and setup.block_id(block.bots, draw) == block.id:
                    found = index
                    break
        if found is None:
            unmatched.append(block.id)
        else:
            pairing = Pairing(block.bots, found)
            entries.append(Entry(block.id, pairing, BlockScore(block.bots, block.ranks, found)))
    return StoredBlocks(entries=entries, unmatched=unmatched)


class _Draws:
    """Which number a draw has."""

    def __init__(self, setup: Setup, blocks: int) -> None:
        self._setup = setup
        self._found: dict[tuple[int, str], tuple[Draw, int | None]] = {}
        self._end = 0
        self._listed = setup.draws if setup.base_seed or not setup.needs_base_seed else 0
        self._most = self._listed
        if self._listed and not setup.spec.format.is_planned:
            self._most += blocks + _AHEAD

    def find(self, seed: int, map_: str) -> tuple[Draw, int | None]:
        """A draw, and its number; None where no format asks for it."""
        key = (seed, map_)
        # Drawn as far as it is looked for: most tournaments never want more than are listed.
        while key not in self._found and self._end < self._most:
            for _ in range(max(self._listed, 64)):
                draw = self._setup.draw(self._end)
                self._found[draw.seed, draw.map] = draw, self._end
                self._end += 1
        return self._found.get(key) or self._found.setdefault(key, (Draw(seed, map_), None))


def agree(setup: Setup, store: Store, *, accept_changes: bool) -> None:
    """See to it that each name is the same bot as before, and note those that are new.

    Args:
        setup: The tournament.
        store: Its database.
        accept_changes: Whether a bot that changed is started anew: what it played before doesn't
            count.

    Raises:
        SpecError: A bot changed under its name.
    """
    before = store.identities()
    now = {name: one.identity for name, one in setup.contestants.items()}
    changed = [name for name in now if before.get(name, now[name]) != now[name]]
    if changed and not accept_changes:
        words = "; ".join(
            f"{name} has another {_difference(before[name], now[name])} than when it played before"
            for name in changed
        )
        them = "it" if len(changed) == 1 else "them"
        raise SpecError(
            f"bots: {words}; change it back, give it another name, "
            f"or start {them} anew by --accept-changes"
        )
    for name, identity in now.items():
        if before.get(name) != identity:
            store.set_identity(name, identity)


def _difference(before: str, now: str) -> str:
    """What of an identity changed: `command ("a", now "b") and limits`."""
    old, new = json.loads(before), json.loads(now)
    parts = []
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            shown = f" ({json.dumps(old.get(key))}, now {json.dumps(new.get(key))})"
            parts.append(key + (shown if key == "command" else ""))
    return " and ".join(parts)


def unbench_bots(setup: Setup, store: Store, names: Sequence[str]) -> None:
    """Forgive bots their failures until now.

    Raises:
        SpecError: There is no such bot, or the format can't take one back.
    """
    for name in names:
        if name not in setup.bots:
            known = ", ".join(setup.bots)
            raise SpecError(f"--unbench: {name!a} is no bot of this tournament; there are {known}")
    if names and setup.spec.format.has_rounds:
        raise SpecError(
            f"--unbench: in a {setup.spec.format} whoever was to meet a benched bot has gone on; "
            "it can't come back"
        )
    for name in names:
        store.unbench(name)
