"""A simulated week of a ladder: bots of known strength come, play and go; no bot, no socket.

Time is a heap of events. Whenever something has happened, and when the ladder's `due` says so, the
simulation begins the matches that the ladder hands out, as an arena would. Results are drawn from
the model that the standings assume, so that the ratings' intervals can be compared with the truth.
"""

import heapq
import itertools
import math
import random
from collections import Counter, defaultdict

import attrs
import numpy as np
import pytest

from lanista.arena.ladder import Ladder, LadderResult
from lanista.pairing.blocks import BlockScore, seatings
from lanista.standings.counting import count, tally
from lanista.standings.likelihood import ELO
from lanista.standings.rating import rate

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
    house: int = 0
    seed: int = 1
    settings: dict = attrs.field(factory=dict)


class Simulation:
    """A week, and what was seen in it."""

    def __init__(self, week):
        self.week = week
        self.chance = random.Random(week.seed)
        self.seated = seatings(range(week.seats))
        self.house = [f"house{number}" for number in range(week.house)]
        self.names = [f"bot{number}" for number in range(week.bots)]
        self.elo = {
            name: self.chance.gauss(0, week.spread) for name in (*self.names, *self.house)
        }
        # Every tenth bot has the same owner as the one before it.
        self.owner = {
            name: number - (number % 10 == 9) for number, name in enumerate(self.names)
        }
        # Half of the bots stay connected after a match; the others come back a moment later.
        self.keeps = {name: number % 2 == 0 for number, name in enumerate(self.names)}
        self.ladder = Ladder(seated=self.seated, house=self.house, **week.settings)
        self.connected = set()
        self.waiting = {}
        self.running = 0
        self.events = []
        self.numbers = itertools.count()
        self.now = 0.0
        self.woken = None
        # The integral of the time in which enough wait for a new pairing.
        self.enough = 0.0
        self.waits = []
        self.waits_all = []
        self.results = []
        self.begun = Counter()
        self.met = Counter()
        self.seats = defaultdict(Counter)
        self.gaps = []
        self.repeats = 0
        self.last = {}

    def at(self, time, what, *arguments):
        heapq.heappush(self.events, (time, next(self.numbers), what, arguments))

    def run(self):
        for number, name in enumerate(self.names):
            first = 0.0 if number % 2 else self.chance.expovariate(1 / self.week.away)
            self.at(first, self.connect, name)
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
        self.at(self.now + self.chance.expovariate(1 / self.week.stay), self.disconnect, name)
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
        """Return whether there are enough for a new pairing, beside those whose block may go on."""
        owners = {
            self.owner[name]
            for name, entry in self.ladder._waiting.items()
            if not entry.playing and entry.since <= self.now
        }
        return len(owners) >= self.week.seats

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
            bots = [name for name in match.names if name in self.owner]
            if not self.begun[match.pairing]:
                for name in bots:
                    since, enough = self.waiting[name]
                    self.waits.append(self.enough - enough)
                    self.waits_all.append(self.now - since)
                    self.repeats += any(other in self.last.get(name, ()) for other in bots)
                    self.last[name] = set(match.names) - {name}
                elo = sorted(self.elo[name] for name in match.names)
                self.gaps.append((elo[-1] - elo[0]) / (len(elo) - 1))
            self.begun[match.pairing] += 1
            for name in bots:
                del self.waiting[name]
            duration = self.week.match * self.chance.uniform(0.5, 1.5)
            self.at(self.now + duration, self.over, match)

    def over(self, match):
        self.running -= 1
        worth = [
            self.elo[name] / ELO + advantage / ELO - math.log(-math.log(self.chance.random()))
            for name, advantage in zip(match.names, ADVANTAGE[self.week.seats], strict=True)
        ]
        ranks = tuple(1 + sum(other > own for other in worth) for own in worth)
        self.results.append(LadderResult(match.pairing, match.seating, 1, ranks, (), self.now))
        self.ladder.over(match, self.now, ranks)
        for seat, name in enumerate(match.names):
            self.seats[name][seat] += 1
        for pair in itertools.combinations(sorted(match.names), 2):
            self.met[pair] += 1
        for name in match.names:
            if name in self.waiting:  # it has left and come back meanwhile
                self.waiting[name] = self.now, self.enough
            elif name in self.owner:
                if self.keeps[name]:
                    self.wait(name)
                else:
                    self.at(self.now + self.chance.uniform(0.1, 1.0), self.wait, name)

    def blocks(self):
        """Return the complete blocks, as the standings count them."""
        played = defaultdict(dict)
        for result in self.results:
            played[result.pairing][result.seating] = result.ranks
        return [
            BlockScore(
                pairing.bots, tuple(ranks[number] for number in sorted(ranks)), pairing.opening
            )
            for pairing, ranks in played.items()
            if len(ranks) == len(self.seated)
        ]
