"""What a changed spec keeps of what was played: bots, seeds, maps, blocks and rounds.

A tournament is played, its blocks are noted by what they really are (bots, seed, map), the spec is
changed, and they are told to the new format under the numbers that its draws have now. The seeds
are those listed, then those of one stream, as `setup.Setup` has them.
"""

import random
import zlib
from collections import Counter
from itertools import chain

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from competition.formats import by_alphabet, make, ranked
from competition.formats import play as play_out
from lanista.results.blocks import Pairing

STREAM = tuple(range(1000, 2000))


@attrs.frozen
class Cup:
    """A tournament, as its spec says."""

    kind: str
    bots: str
    seats: int = 2
    seeds: tuple[int, ...] = (1, 2, 3)
    maps: str = "m"
    blocks: int | None = None
    rounds: int | None = None

    def opening(self, index):
        """Seed and map of a draw."""
        at, which = divmod(index, len(self.maps))
        return (*self.seeds, *STREAM)[at], self.maps[which]

    def index(self, draw):
        seed, map_ = draw
        seeds = (*self.seeds, *STREAM)
        if seed not in seeds or map_ not in self.maps:
            return None
        return seeds.index(seed) * len(self.maps) + self.maps.index(map_)

    def new(self):
        return make(
            self.kind,
            list(self.bots),
            seats=self.seats,
            draws=len(self.seeds) * len(self.maps),
            fillers=[f"Null-{at}" for at in range(self.seats - len(self.bots))],
            maps=len(self.maps),
            rotation=lambda index: zlib.crc32(repr(self.opening(index)).encode()),
            blocks=self.blocks,
            rounds=self.rounds,
        )

    def changed(self, **changes):
        return attrs.evolve(self, **changes)


def result(format_, bots, draw, opening, draws=0.3):
    """The result of a block: it follows from what the block is."""
    chance = random.Random(f"{sorted(bots)} {draw}")
    strength = {bot: chance.random() for bot in sorted(bots)}
    if chance.random() < draws:
        strength = dict.fromkeys(bots, 0.5)
    return ranked(format_, Pairing(bots, opening), strength.__getitem__)


def play(cup, stored=(), at_once=1, seed=0):
    """Take up what is stored, and play to the end.

    Returns:
        The format; those of the stored blocks that were told it; all that is stored now.
    """
    format_ = cup.new()
    stored = list(stored)
    told = []
    for bots, draw in stored:
        index = cup.index(draw)
        if index is not None and set(bots) <= {*cup.bots, "Null-0"}:
            pairing = Pairing(bots, index)
            format_.record(result(format_, bots, draw, index))
            told.append(pairing)
    chance, running = random.Random(seed), []
    while True:
        while len(running) < at_once and (pairing := format_.next()) is not None:
            assert (pairing.bots, cup.opening(pairing.opening)) not in stored, "played twice"
            running.append(pairing)
        if not running:
            break
        pairing = running.pop(int(chance.random() * len(running)))
        stored.append((pairing.bots, cup.opening(pairing.opening)))
        format_.record(result(format_, *stored[-1], pairing.opening))
    assert format_.over()
    return format_, told, stored


def kept(before, after):
    """How many of the blocks of one cup count in another, and how many there were."""
    _, _, stored = play(before)
    format_, told, _ = play(after, stored)
    return sum(map(format_.counts, told)), len(stored)


@pytest.mark.parametrize("kind", ["round-robin", "gauntlet"])
@pytest.mark.parametrize(
    "changes",
    [
        {"bots": "abcde"},
        {"bots": "Zabcd"},
        {"seeds": (9, 1, 2, 3, 4, 5, 6)},
        {"seeds": (6, 5, 4, 3, 2, 1)},
        {"maps": "mn"},
        {"maps": "nm"},
    ],
)
@pytest.mark.parametrize("bots", ["abcd", "abcdefg"])
def test_four_seats_keep_all_that_was_played(kind, changes, bots):
    """As far as its bots, seeds and maps are still there."""
    before = Cup(kind, bots, seats=4, seeds=(1, 2, 3, 4, 5, 6))
    after = before.changed(**changes)
    if "bots" in changes:
        after = after.changed(bots=after.bots + bots[4:] + "x")
    if kind == "gauntlet":
        after = after.changed(bots="".join(sorted(after.bots, key=lambda bot: bot != "a")))
    count, played = kept(before, after)
    assert count == played


def test_a_bot_more_has_the_others_blocks_besides():
    """ABCD on six seeds, then ABCDE: six blocks stay; the new design's are played as well."""
    before = Cup("round-robin", "ABCD", seats=4, seeds=(1, 2, 3, 4, 5, 6))
    _, _, stored = play(before)
    after = before.changed(bots="ABCDE").new()
    for bots, draw in stored:
        after.record(result(after, bots, draw, before.index(draw)))
    progress = after.progress()
    assert 6 == progress.played
    missing = list(iter(after.next, None))
    assert progress.planned == 6 + len(missing)
    assert 24 <= len(missing) <= 30
    # Everybody meets the new one equally often.
    assert 1 == len({sum({"E", bot} <= {*one.bots} for one in missing) for bot in "ABCD"})


def test_a_gauntlet_keeps_no_block_without_its_challenger():
    format_ = Cup("gauntlet", "abcde", seats=4).new()
    for bots, counts in [("bcde", False), ("bcda", True), ("aabb", False), ("abcx", False)]:
        assert counts == format_.counts(Pairing(tuple(bots), 0))


@pytest.mark.parametrize("kind", ["round-robin", "gauntlet"])
def test_more_seeds_of_four_seats_play_what_is_new_alone(kind):
    before = Cup(kind, "abcdefg", seats=4)
    _, _, stored = play(before)
    format_, _, after = play(before.changed(seeds=(7, 1, 2, 3, 8)), stored)
    assert len(after) * 3 == len(stored) * 5
    assert (len(after), len(after)) == (format_.progress().played, format_.progress().planned)


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("kind", ["swiss", "knockout", "ladder", "sprt"])
@pytest.mark.parametrize(
    "changes",
    [
        {"seeds": (1, 2, 3, 4)},
        {"seeds": (4, 1, 2, 3)},
        {"seeds": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)},
    ],
)
def test_more_seeds_keep_what_was_played_beyond_the_list(kind, seats, changes):
    """Rounds, meetings and tests that went on behind the listed seeds stay as they are."""
    bots = "ab" if kind == "sprt" else "abcdefghijkl"
    blocks = {"ladder": 20, "sprt": 20}.get(kind, 2)
    rounds = 4 if kind == "swiss" else None
    before = Cup(kind, bots, seats=seats, blocks=blocks, rounds=rounds)
    count, played = kept(before, before.changed(**changes))
    assert count == played
    assert played > 3


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("kind", ["swiss", "knockout"])
@pytest.mark.parametrize(("before", "after"), [(1, 2), (1, 5), (2, 3)])
def test_more_blocks_keep_what_was_played(kind, seats, before, after):
    """All of the first round at least, and of the others where the same bots meet."""
    cup = Cup(kind, "abcdefghijklmnop", seats=seats, blocks=before)
    _, _, stored = play(cup)
    larger = cup.changed(blocks=after)
    format_, told, _ = play(larger, stored)
    _, _, undisturbed = play(larger)
    groups = [{frozenset(bots) for bots, _ in blocks} for blocks in (stored, undisturbed)]
    first = 16 // seats
    counted = [one for one in told if format_.counts(one)]
    assert first * before <= len(counted)
    assert first <= len({frozenset(one.bots) for one in counted})
    assert groups[0] & groups[1]


@pytest.mark.parametrize(("kind", "matches"), [("knockout", 7), ("swiss", 12)])
def test_a_block_more_a_meeting_keeps_all_where_the_same_bots_meet(kind, matches):
    """The first by name always wins, with one block a meeting and with two."""
    cup = Cup(kind, "abcdefgh", blocks=1)
    told = list(chain(*play_out(cup.new(), by_alphabet)))
    assert matches == len(told)
    format_ = cup.changed(blocks=2).new()
    for pairing in told:
        format_.record(ranked(format_, pairing, by_alphabet))
    assert matches == sum(map(len, play_out(format_, by_alphabet)))
    assert all(map(format_.counts, told))
    assert 2 * matches == format_.progress().played


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("blocks", [1, 2])
def test_more_rounds_keep_what_was_played(seats, blocks):
    before = Cup("swiss", "abcdefghijkl", seats=seats, blocks=blocks, rounds=2)
    count, played = kept(before, before.changed(rounds=5))
    assert count == played


@pytest.mark.parametrize("kind", ["swiss", "knockout"])
def test_a_map_more_keeps_what_was_played_on_the_first_round(kind):
    """Each meeting plays what it has on the map, and as many blocks on the new one."""
    cup = Cup(kind, "abcdefgh", blocks=2)
    _, _, stored = play(cup)
    more = cup.changed(maps="nm")
    format_, told, _ = play(more, stored)
    first = told[:8]
    assert all(map(format_.counts, first))


changes_of = st.fixed_dictionaries(
    {},
    optional={
        "seeds": st.lists(st.integers(1, 9), unique=True, min_size=1).map(tuple),
        "maps": st.sampled_from(["m", "mn", "nm", "n", "nmo"]),
        "blocks": st.integers(1, 4),
        "bots": st.sampled_from(["abcdefg", "gfedcba", "abcde", "abcdefghi", "ihgfedcba"]),
    },
)


@pytest.mark.parametrize(
    ("kind", "seats"),
    [
        ("round-robin", 2),
        pytest.param("round-robin", 4, marks=pytest.mark.long),
        ("gauntlet", 2),
        ("gauntlet", 4),
        ("swiss", 2),
        ("swiss", 4),
        ("knockout", 2),
        ("knockout", 4),
        ("ladder", 2),
        pytest.param("ladder", 4, marks=pytest.mark.long),
    ],
)
@given(
    specs=st.lists(changes_of, min_size=1, max_size=4),
    at_once=st.integers(1, 5),
    seed=st.integers(0, 99),
    rounds=st.lists(st.none() | st.integers(1, 6), min_size=4, max_size=4),
)
@example(  # a draw that is wanted, stood in for, and wanted again: it is handed out once
    specs=[
        {"seeds": (1, 4, 2, 3), "blocks": 4, "maps": "nmo", "bots": "ihgfedcba"},
        {"seeds": (3, 1, 2, 4), "maps": "n", "blocks": 3},
    ],
    at_once=2,
    seed=0,
    rounds=[None] * 4,
)
def test_any_changes_in_turn(kind, seats, specs, at_once, seed, rounds):
    """It ends each time, plays no block twice, and counts each told block once at most."""
    cup = Cup(kind, "abcdefg", seats=seats)
    stored = []
    for asked, now in zip(specs, rounds, strict=False):
        changes = dict(asked)
        if kind in {"round-robin", "gauntlet"}:
            changes.pop("blocks", None)
        if kind == "ladder":
            changes["blocks"] = 5 * changes.get("blocks", 1)
        if kind == "swiss":
            changes["rounds"] = now
        cup = cup.changed(**changes)
        format_, _, stored = play(cup, stored, at_once, seed)
        assert len(stored) == len(set(stored))
        indices = [(bots, cup.index(draw)) for bots, draw in stored]
        counted = [
            Pairing(bots, index)
            for bots, index in indices
            if index is not None and format_.counts(Pairing(bots, index))
        ]
        progress = format_.progress()
        assert len(counted) == progress.played == progress.planned
        if kind == "swiss":
            # Each meeting has as many blocks on each map.
            maps = Counter(index % len(cup.maps) for _, index in counted)
            assert 1 >= len(set(maps.values()))
    assert format_.next() is None
