"""Standings to show: a small fixed one of each kind, and any at all for property tests."""

import random

from hypothesis import strategies as st

from lanista.games.outcome import Ending
from lanista.ratings.table import Estimate, HeadToHead, Row, Standings


def row(rank, bot, **more):
    """A row with what isn't given at nothing."""
    empty = {
        "matches": 0,
        "points": 0.0,
        "blocks": 0,
        "rating": None,
        "rank_low": None,
        "rank_high": None,
        "superior": None,
        "places": (0, 0),
        "draws": 0,
        "endings": {},
        "late_turns": 0,
        "malformed_turns": 0,
        "illegal_moves": 0,
    }
    return Row(rank=rank, bot=bot, **empty | more)


def standings(rows, **more):
    """Standings of these rows."""
    empty = {
        "name": "cup",
        "game": "angrymob",
        "format": "round-robin",
        "seats": 2,
        "blocks": 0,
        "planned": 6,
        "matches": 0,
    }
    return Standings(rows=tuple(rows), **empty | more)


def pairs(bots, won, likely):
    """Head-to-head both ways of the first two bots."""
    return (
        HeadToHead(bot=bots[0], opponent=bots[1], matches=12, points=won, superior=likely),
        HeadToHead(bot=bots[1], opponent=bots[0], matches=12, points=12 - won, superior=1 - likely),
    )


TWO = standings(
    [
        row(
            1,
            "Grav|ity",
            matches=24,
            points=17.5,
            blocks=12,
            rating=Estimate(value=1623.4, low=1601.0, high=1645.8),
            rank_low=1,
            rank_high=1,
            superior=0.996,
            places=(15, 4),
            draws=5,
            endings={Ending.NORMAL: 24, Ending.VOID: 1},
        ),
        row(
            2,
            "=cmd()",
            matches=24,
            points=9.25,
            blocks=12,
            rating=Estimate(value=1438.3, low=1404.0, high=1472.6),
            rank_low=2,
            rank_high=3,
            superior=0.5,
            places=(7, 12),
            draws=5,
            endings={Ending.NORMAL: 21, Ending.CRASH: 2, Ending.LATE: 1, Ending.VOID: 1},
            late_turns=4,
            illegal_moves=7,
            benched=True,
        ),
        row(
            2,
            '<b>"Mob" & co</b>',
            matches=24,
            points=9.25,
            blocks=12,
            rating=Estimate(value=1438.3, low=1415.0, high=1461.6),
            rank_low=2,
            rank_high=3,
            places=(7, 12),
            draws=5,
            endings={Ending.NORMAL: 23, Ending.START_FAILURE: 1},
            malformed_turns=2,
        ),
    ],
    head_to_head=pairs(["Grav|ity", "=cmd()"], 9.5, 0.996),
    seat_advantage=(
        Estimate(value=14.0, low=3.0, high=25.0),
        Estimate(value=-14.0, low=-25.0, high=-3.0),
    ),
    blocks=18,
    planned=18,
    matches=36,
    voids=1,
    uncounted=2,
    over=True,
)
"""Two seats, played to its end: a tie, failures, one benched, names that mean something."""

FOUR = standings(
    [
        row(
            1,
            "Dummy",
            matches=8,
            points=20.0,
            blocks=2,
            rating=Estimate(value=1810.0, low=1680.0, high=None),
            rank_low=1,
            rank_high=2,
            superior=0.9,
            places=(5, 2, 1, 0),
            endings={Ending.NORMAL: 8},
        ),
        row(2, "Demo", places=(0, 0, 0, 0)),
    ],
    game="hogwarts",
    format="ladder",
    seats=4,
    blocks=2,
    planned=None,
    matches=8,
    words="Demo is to meet Dummy",
)
"""Four seats, at its beginning: one bot hasn't played, nobody knows how long it takes."""

SAMPLES = {"two": TWO, "four": FOUR, "empty": standings([])}

NAMES = st.text(min_size=1, max_size=32)
"""Any characters: what comes in must be held, not believed."""


def estimate(chance):
    """A value within its interval, which may lack an end, or now and then nothing."""
    low, value, high = sorted(chance.uniform(-5000, 5000) for _ in range(3))
    low, high = (end if chance.random() < 0.8 else None for end in (low, high))
    return Estimate(value=value, low=low, high=high) if chance.random() < 0.9 else None


@st.composite
def any_standings(draw):
    """Up to forty bots, of any names; figures are by a chance of their own, which is faster."""
    bots = draw(st.lists(NAMES, max_size=40, unique=True))
    chance = random.Random(draw(st.integers(0, 2**32)))
    seats = chance.choice([2, 4])
    rows = [
        row(
            chance.randint(1, 40),
            bot,
            matches=chance.randrange(10**9),
            points=chance.randrange(10**9) / 2,
            blocks=chance.randrange(10**9),
            rating=estimate(chance),
            rank_low=chance.choice([None, 1, 3]),
            rank_high=chance.choice([None, 3, 40]),
            superior=chance.choice([None, chance.random()]),
            places=tuple(chance.randrange(1000) for _ in range(seats)),
            draws=chance.randrange(1000),
            endings={one: chance.randrange(3) for one in Ending if chance.random() < 0.5},
            benched=chance.random() < 0.2,
        )
        for bot in bots
    ]
    advantage = [estimate(chance) for _ in range(seats)]
    return standings(
        rows,
        name=draw(NAMES),
        seats=seats,
        head_to_head=pairs(bots, 6.5, chance.random()) if len(bots) > 1 else (),
        seat_advantage=() if None in advantage else tuple(advantage),
        blocks=chance.randrange(10**6),
        planned=chance.choice([None, chance.randrange(10**6)]),
        over=chance.random() < 0.5,
        words=draw(st.text(max_size=60)),
    )
