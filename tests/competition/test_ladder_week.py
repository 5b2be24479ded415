"""A simulated week of a ladder: bots of known strength come, play and go; no bot, no socket.

Time is a heap of events. Whenever something has happened, and when the ladder's `due` says so, the
simulation begins the matches that the ladder hands out, as an arena would. The ladder pairs by the
ratings of all matches that were over at the last full hour. Results are drawn from the model that
the standings assume, so that the ratings' intervals can be compared with the truth.
"""

import heapq
import itertools
import math
import random
from collections import Counter, defaultdict

import attrs
import numpy as np
import pytest

from lanista.competition.formats.ladder import Ladder
from lanista.ratings.compute import ratings_of
from lanista.ratings.counting import count
from lanista.ratings.likelihood import ELO
from lanista.ratings.rating import rate
from lanista.ratings.table import CENTRE
from lanista.results.blocks import BlockScore

HOUR = 3600.0
DAY = 24 * HOUR
ADVANTAGE = {2: (20.0, -20.0), 4: (25.0, 5.0, -10.0, -20.0)}
"""Elo by seat."""


@attrs.frozen(kw_only=True)
class Week:
    """How a simulation is made up."""

    seats: int
    bots: int = 200
    duration: float = 7 * DAY
    match: float = 120.0
    """The average duration of a match, in seconds."""
    room: int = 10_000
    """The most matches that the arena runs at once."""
    stay: float = 8 * HOUR
    """The average time for which a bot stays connected."""
    away: float = 8 * HOUR
    """The average time for which it is away."""
    spread: float = 250.0
    """The standard deviation of the bots' strengths, in Elo."""
    seed: int = 1


class Simulation:
    """A week, and what was seen in it."""

    def __init__(self, week):
        self.week = week
        self.chance = random.Random(week.seed)
        self.names = [f"bot{number}" for number in range(week.bots)]
        self.elo = {name: self.chance.gauss(0, week.spread) for name in self.names}
        # Every tenth bot has the same owner as the one before it.
        self.owner = {name: number - (number % 10 == 9) for number, name in enumerate(self.names)}
        # Half of the bots stay connected after a match; the others come back a moment later.
        self.keeps = {name: number % 2 == 0 for number, name in enumerate(self.names)}
        self.ladder = Ladder(seats=week.seats, chance=self.chance)
        self.connected = set()
        self.waiting = {}
        self.running = 0
        self.events = []
        self.numbers = itertools.count()
        self.now = 0.0
        self.woken = None
        self.enough = 0.0  # the time so far in which enough waited for a match
        # Of each match's names: how long it waited, and how much of that enough others waited.
        self.waits = []
        self.waits_among_enough = []
        self.stays = defaultdict(list)
        self.results = []  # each a block of one match
        self.met = Counter()
        self.seats = defaultdict(Counter)
        self.distances = []  # between two neighbours in a match, in Elo

    def at(self, time, what, *arguments):
        heapq.heappush(self.events, (time, next(self.numbers), what, arguments))

    def run(self):
        for number, name in enumerate(self.names):
            first = 0.0 if number % 2 else self.chance.expovariate(1 / self.week.away)
            self.at(first, self.connect, name)
        self.at(HOUR, self.rate)
        while self.events and self.events[0][0] < self.week.duration:
            time, _, what, arguments = heapq.heappop(self.events)
            if self.enough_wait():
                self.enough += time - self.now
            self.now = time
            what(*arguments)
            self.begin()
        return self

    def connect(self, name):
        self.connected.add(name)
        until = self.now + self.chance.expovariate(1 / self.week.stay)
        self.stays[name].append((self.now, min(until, self.week.duration)))
        self.at(until, self.disconnect, name)
        self.wait(name)

    def disconnect(self, name):
        self.connected.discard(name)
        self.ladder.leave(name)
        self.waiting.pop(name, None)
        self.at(self.now + self.chance.expovariate(1 / self.week.away), self.connect, name)

    def wait(self, name):
        if name in self.connected:
            self.ladder.wait(name, self.owner[name], self.now)
            self.waiting.setdefault(name, (self.now, self.enough))

    def enough_wait(self):
        """Return whether there are names for two matches, of as many owners."""
        owners = {
            self.owner[name]
            for name, entry in self.ladder._waiting.items()
            if not entry.playing and entry.since <= self.now
        }
        return len(owners) >= 2 * self.week.seats

    def rate(self):
        if self.results:
            self.ladder.ratings = ratings_of(self.results, self.seated, self.names)
        self.at(self.now + HOUR, self.rate)

    @property
    def seated(self):
        return (tuple(range(self.week.seats)),)

    def wake(self):
        self.woken = None

    def begin(self):
        while self.running < self.week.room:
            match = self.ladder.next(self.now)
            if match is None:
                due = self.ladder.due(self.now)
                if due is not None and (self.woken is None or due < self.woken):
                    self.woken = due
                    self.at(due, self.wake)
                return
            self.running += 1
            for name in match:
                since, enough = self.waiting.pop(name)
                self.waits.append(self.now - since)
                self.waits_among_enough.append(self.enough - enough)
            elo = sorted(self.elo[name] for name in match)
            self.distances += np.diff(elo).tolist()
            duration = self.week.match * self.chance.uniform(0.5, 1.5)
            self.at(self.now + duration, self.over, match)

    def over(self, match):
        self.running -= 1
        worth = [
            self.elo[name] / ELO + advantage / ELO - math.log(-math.log(self.chance.random()))
            for name, advantage in zip(match, ADVANTAGE[self.week.seats], strict=True)
        ]
        ranks = tuple(1 + sum(other > own for other in worth) for own in worth)
        self.results.append(BlockScore(match, (ranks,), len(self.results)))
        self.ladder.over(match, self.now)
        for seat, name in enumerate(match):
            self.seats[name][seat] += 1
        for pair in itertools.combinations(sorted(match), 2):
            self.met[pair] += 1
        for name in match:
            if name in self.waiting:  # it has left and come back meanwhile
                self.waiting[name] = self.now, self.enough
            elif self.keeps[name]:
                self.wait(name)
            else:
                self.at(self.now + self.chance.uniform(0.1, 1.0), self.wait, name)

    def longest_wait(self):
        """Return the longest wait while enough others wait, in medians of all waits."""
        return max(self.waits_among_enough) / np.median(self.waits)

    def together(self, one, other):
        """Return for how long two bots were connected at the same time."""
        return sum(
            max(0.0, min(one_until, other_until) - max(one_since, other_since))
            for one_since, one_until in self.stays[one]
            for other_since, other_until in self.stays[other]
        )

    def strangers(self):
        """Return the bots that never met the next stronger one in at least four hours together."""
        ranked = sorted(self.names, key=self.elo.__getitem__)
        return [
            (weaker, stronger)
            for weaker, stronger in itertools.pairwise(ranked)
            if self.owner[weaker] != self.owner[stronger]
            and not self.met[tuple(sorted((weaker, stronger)))]
            and self.together(weaker, stronger) >= 4 * HOUR
        ]

    def uneven_seats(self):
        """Return how far a bot's number of matches in a seat is off the mean, at most.

        It is given in standard deviations of seats that are dealt at random.
        """
        share = 1 / self.week.seats
        return max(
            abs(counts[seat] - share * counts.total())
            / math.sqrt(counts.total() * share * (1 - share))
            for counts in self.seats.values()
            for seat in range(self.week.seats)
        )

    def coverage(self):
        """Return the share of the bots whose interval contains their true rating."""
        found = rate(count(self.results, self.seated, self.names))
        elo = np.array([self.elo[name] for name in self.names])
        truth = CENTRE + elo - elo[found.anchors].mean()
        return float(np.mean((found.low <= truth) & (truth <= found.high)))


SHORT = {"bots": 20, "duration": 16 * HOUR, "stay": 4 * HOUR, "away": 2 * HOUR, "match": 150.0}


@pytest.mark.parametrize("seats", [2, 4])
def test_a_short_week(seats):
    """Half a day of 30 bots."""
    week = Simulation(Week(seats=seats, **SHORT)).run()
    assert [] == week.strangers()
    assert week.longest_wait() <= 3
    assert week.uneven_seats() <= 4
    assert 0.85 <= week.coverage()


@pytest.mark.parametrize("seats", [2, 4])
def test_nobody_waits_long_in_a_full_arena(seats):
    """There is room for a third of those who are connected."""
    full = SHORT | {"bots": 60, "duration": 8 * HOUR, "room": 12 // seats}
    week = Simulation(Week(seats=seats, **full)).run()
    assert week.longest_wait() <= 3


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("room", [10_000, 10])
@pytest.mark.parametrize("seats", [2, 4])
def test_a_week(seats, room):
    week = Simulation(Week(seats=seats, room=room)).run()
    assert week.longest_wait() <= 3
    # Where few play at once, two names that are there together needn't come to meet.
    assert room < week.week.bots or [] == week.strangers()
    assert week.uneven_seats() <= 4.5
    assert 0.88 <= week.coverage() <= 0.99  # the errors of one tournament are correlated
