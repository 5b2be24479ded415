"""Blocks to store, the same ones for the same number, in any process."""

import random

import attrs

from lanista.match.ending import Ending
from lanista.results.match_result import BlockResult, MatchResult, SeatResult


def seat(bot, rank=1, ending=Ending.NORMAL, **more):
    return SeatResult(bot=bot, rank=rank, score=10 * rank, ending=ending, **more)


def match(seating, *seats, attempt=1, end="finished", **more):
    told = {
        "reason": "capture",
        "turns": 60,
        "digest": f"{seating:016x}",
        "seconds": 1.5,
        "stall": 0.001,
        "record": f"ab/{seating}.jsonl.gz",
    }
    return MatchResult(seating=seating, attempt=attempt, end=end, seats=seats, **(told | more))


def block(number, *matches, bots=("Ant", "Bee"), **more):
    """A block of two matches of two bots, unless other ones are given. Its id is by number."""
    first, second = bots[0], bots[-1]
    usual = (
        match(0, seat(first, 1), seat(second, 2)),
        match(1, seat(second, 2), seat(first, 1)),
    )
    told = {"seed": number, "map": ""} | more
    return BlockResult(block=f"id{number}", bots=bots, matches=matches or usual, **told)


def ended(number, *endings, bot="Ant"):
    """A block in which a bot's matches, in the order played, ended so; void ones are attempts."""
    matches, seating, attempt = [], 0, 1
    for ending in endings:
        void = ending is Ending.VOID
        matches.append(
            match(
                seating,
                seat(bot, 1, ending),
                seat("Bee", 1, Ending.VOID if void else Ending.NORMAL),
                attempt=attempt,
                end="void" if void else "finished",
            )
        )
        seating, attempt = (seating, attempt + 1) if void else (seating + 1, 1)
    return block(number, *matches, bots=(bot, "Bee"))


def drawn(number):
    """A block as they come: four bots, all endings, void attempts, odd texts."""
    chance = random.Random(number)
    bots = tuple(chance.sample(["Ant", "Bee", "Cat", "Dög", "Élan", "F' \"\\"], 4))
    matches = []
    for seating in chance.sample(range(4), 4):
        voids = chance.choice([0, 0, 0, 1, 2])
        for attempt in range(1, voids + 2):
            void = attempt <= voids
            endings = [Ending.VOID] if void else [ending for ending in Ending if ending != "void"]
            seats = [
                SeatResult(
                    bot=bots[(seating + at) % 4],
                    rank=chance.randrange(1, 5),
                    score=chance.randrange(-(2**63), 2**63),
                    ending=chance.choice(endings),
                    words=chance.choice(["", "plain", "\x00\ud800 \U0001f41c", "line\nline"]),
                    late=chance.randrange(3),
                    malformed=chance.randrange(3),
                    illegal=chance.randrange(3),
                )
                for at in range(4)
            ]
            matches.append(
                MatchResult(
                    seating=seating,
                    attempt=attempt,
                    end="void" if void else chance.choice(["finished", "forfeit"]),
                    reason=chance.choice(["capture", "\x00"]),
                    turns=chance.randrange(1000),
                    digest=f"{chance.getrandbits(64):016x}",
                    seconds=chance.random() * 100,
                    stall=chance.random(),
                    record=chance.choice([None, f"{number}/{seating}.jsonl.gz"]),
                    seats=tuple(seats),
                )
            )
    return BlockResult(
        block=f"id{number}",
        bots=bots,
        seed=chance.choice([-(2**63), 2**64 - 1, chance.getrandbits(64)]),
        map=chance.choice(["", "maze"]),
        matches=tuple(matches),
    )


def parts(result):
    """A block's matches, each as a result of its own."""
    return [attrs.evolve(result, matches=(each,)) for each in result.matches]


def interleaved(numbers):
    """Matches of several blocks in turn, as those of a ladder end."""
    blocks = [parts(drawn(number)) for number in numbers]
    longest = max(map(len, blocks))
    return [its[at] for at in range(longest) for its in blocks if at < len(its)]


def stored(store):
    """All blocks of a database, as they were given to it."""
    blocks = {}
    # Newest first, within a block too.
    for found in store.matches():
        blocks.setdefault((found.block, found.bots, found.seed, found.map), []).insert(
            0, found.match
        )
    return [
        BlockResult(block=block, bots=bots, seed=seed, map=map_name, matches=tuple(matches))
        for (block, bots, seed, map_name), matches in reversed(blocks.items())
    ]
