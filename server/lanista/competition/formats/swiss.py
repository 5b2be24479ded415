"""The Swiss system: a fixed number of rounds, which pair bots of similar score that haven't met.

Two seats: Monrad's system, which pairs by the standing; the two seatings of a block cancel the
seats. Pairing greedily from the top could leave bots at the bottom that have all met each other. So
first a matching of as many bots as possible is found that repeats no meeting (Edmonds's blossom
algorithm); then each bot in turn gets the nearest opponent with which the rest can still be
matched. Four seats: pods of similar score.
"""

import math
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, groupby

from lanista.competition.formats.base import Contest, shared_places
from lanista.competition.formats.staged import Meeting, Staged, shown
from lanista.results.blocks import RoundMeeting
from lanista.results.blocks import points as match_points

MAX_NAMED = 4
"""Number of bots that share the first place above which not all are named."""


def nearest_pairs(count: int, met: Callable[[int, int], int]) -> tuple[list[tuple[int, int]], int]:
    """Pair 0 … count-1 (even), best first: each with the nearest below it that it hasn't met.

    The first gets the nearest opponent that leaves the others a pairing without repeated meetings,
    then the next one, and so on. Where repeats can't be avoided, there are as few as possible,
    between those that met least often. Returns the pairs, the better one first, and the number of
    repeats.
    """
    near = [[b for b in range(count) if b != a and not met(a, b)] for a in range(count)]
    graph = _Graph(near)
    for a in range(count):
        if graph.mate[a] < 0:
            graph.augment(a)
    pairs = []
    unmatched = [a for a in range(count) if graph.mate[a] < 0]
    repeats = len(unmatched) // 2
    while unmatched:
        a, b = min(
            ((a, b) for a in unmatched for b in unmatched if a < b),
            key=lambda pair: (met(*pair), pair),
        )
        pairs.append((a, b))
        graph.settle(a, b)
        unmatched = [c for c in unmatched if c not in {a, b}]
    for a in range(count):
        for b in near[a] if not graph.settled[a] else ():
            if not graph.settled[b] and graph.try_pair(a, b):
                graph.settle(a, b)
                pairs.append((a, b))
                break
    return sorted(pairs), repeats


class _Graph:
    """A graph with a matching, which Edmonds's blossom algorithm enlarges."""

    def __init__(self, near: Sequence[Sequence[int]]) -> None:
        self._near = near
        self.mate = [-1] * len(near)
        self.settled = [False] * len(near)
        # Greedy first: that matches most nodes without any search.
        for a, others in enumerate(near):
            b = next((b for b in others if self.mate[b] < 0), -1)
            if self.mate[a] < 0 <= b:
                self.mate[a], self.mate[b] = b, a

    def settle(self, a: int, b: int) -> None:
        """Take two nodes out of the graph, as a pair."""
        self.mate[a], self.mate[b] = b, a
        self.settled[a] = self.settled[b] = True

    def try_pair(self, a: int, b: int) -> bool:
        """Make two nodes a pair of a perfect matching, if the others can still be matched.

        Returns whether they are a pair now; if not, the matching is as before.
        """
        before = list(self.mate)
        if before[a] == b:
            return True
        left, other = before[a], before[b]
        self.mate[left] = self.mate[other] = -1
        self.mate[a], self.mate[b] = b, a
        self.settled[a] = self.settled[b] = True
        if self.augment(left):
            return True
        self.settled[a] = self.settled[b] = False
        self.mate = before
        return False

    def augment(self, root: int) -> bool:
        """Augment the matching along a path from an unmatched node; return whether there is one."""
        count = len(self._near)
        parent = [-1] * count
        base = list(range(count))
        even = [False] * count
        even[root] = True
        queue = deque([root])
        while queue:
            a = queue.popleft()
            for b in self._near[a]:
                if self.settled[b] or base[a] == base[b] or self.mate[a] == b:
                    continue
                if b == root or (self.mate[b] >= 0 and parent[self.mate[b]] >= 0):
                    # An odd cycle (a blossom): it is shrunk to its base, and all of it is even now.
                    top = self._common(a, b, base, parent)
                    inside: set[int] = set()
                    for side, child in ((a, b), (b, a)):
                        c, before = side, child
                        while base[c] != top:
                            inside |= {base[c], base[self.mate[c]]}
                            parent[c], before = before, self.mate[c]
                            c = parent[before]
                    for c in range(count):
                        if base[c] in inside:
                            base[c] = top
                            if not even[c]:
                                even[c] = True
                                queue.append(c)
                elif parent[b] < 0:
                    parent[b] = a
                    if self.mate[b] < 0:
                        self._flip(b, parent)
                        return True
                    even[self.mate[b]] = True
                    queue.append(self.mate[b])
        return False

    def _common(self, a: int, b: int, base: list[int], parent: list[int]) -> int:
        """Return the base at which the paths from `a` and `b` to the root of their tree meet."""
        above = set()
        while True:
            a = base[a]
            above.add(a)
            if self.mate[a] < 0:
                break
            a = parent[self.mate[a]]
        while base[b] not in above:
            b = parent[self.mate[base[b]]]
        return base[b]

    def _flip(self, b: int, parent: list[int]) -> None:
        """Match along the augmenting path that ends at `b`."""
        while b >= 0:
            a = parent[b]
            b_next = self.mate[a]
            self.mate[a], self.mate[b] = b, a
            b = b_next


def nearest_pods(count: int, met: Callable[[int, int], int]) -> list[tuple[int, ...]]:
    """Divide 0 … count-1, best first, into pods of four near each other that have hardly met.

    The search begins with the first four, the next four, and so on, and exchanges two bots of
    different pods as long as that reduces the repeated meetings, or, with as many of them, the
    distances in the ranking. It finds few repeats, not always the fewest. Each pod is in ascending
    order, and they are sorted by their first bot.
    """
    # A repeated meeting outweighs all distances together.
    heavy = 2 * count**3
    cost = [[heavy * met(a, b) + (a - b) ** 2 for b in range(count)] for a in range(count)]
    pod_of = [bot // 4 for bot in range(count)]
    # By bot and pod: the cost of the bot with the pod's members, itself excepted.
    links = [[sum(costs[start : start + 4]) for start in range(0, count, 4)] for costs in cost]
    for bot, costs in enumerate(cost):
        links[bot][pod_of[bot]] -= costs[bot]
        costs[bot] = 0
    changed = True
    while changed:
        changed = False
        for a, b in combinations(range(count), 2):
            pod_a, pod_b = pod_of[a], pod_of[b]
            if pod_a == pod_b:
                continue
            before = links[a][pod_a] + links[b][pod_b]
            after = links[a][pod_b] + links[b][pod_a] - 2 * cost[a][b]
            if after < before:
                pod_of[a], pod_of[b] = pod_b, pod_a
                for costs, link in zip(cost, links, strict=True):
                    link[pod_a] += costs[b] - costs[a]
                    link[pod_b] += costs[a] - costs[b]
                changed = True
    pods: dict[int, list[int]] = {}
    for bot, pod in enumerate(pod_of):
        pods.setdefault(pod, []).append(bot)
    return [tuple(pod) for pod in pods.values()]


def default_rounds(entries: int, seats: int) -> int:
    """Return the number of rounds if the spec gives none; see docs/tournament_formats.md#swiss."""
    rounds = math.ceil(math.log2(entries))
    return rounds if seats == 2 else max(1, min(rounds, (entries - 1) // 3))


class Swiss(Staged):
    """A Swiss tournament. Round r, from 0, is on openings r·blocks … r·blocks + blocks - 1."""

    def __init__(self, contest: Contest, rounds: int | None) -> None:
        """Begin with the first round, paired by the spec's order; without `rounds`, the default."""
        super().__init__(contest)
        self._rounds = rounds or default_rounds(len(self._entries), self._seats)
        # By round, also the present one: its meetings, and the bots that have a bye.
        self._all_rounds: list[tuple[list[Meeting], list[str]]] = []
        self._sat_out: Counter[str] = Counter()
        self._met: Counter[frozenset[str]] = Counter()
        self._advance()

    def _try_end_round(self) -> bool:
        if any(meeting.awaited for meeting in self._round):
            return False
        for meeting in self._round:
            # A walkover counts as a meeting, so that the same opponents don't meet again.
            self._met.update(frozenset(pair) for pair in combinations(meeting.bots, 2))
            if meeting.broken:
                self._sat_out.update(meeting.bots)
        if self._rounds_begun == self._rounds:
            self._ended = True
            return True
        ranked = self._ranked()
        if self._seats == 2:
            groups, out = self._pairs(ranked)
        else:
            groups, out = self._pods(ranked)
        self._sat_out.update(out)
        self._begin_round(groups, out)
        self._all_rounds.append((self._round, out))
        return True

    def _pairs(self, ranked: Sequence[str]) -> tuple[list[tuple[str, ...]], list[str]]:
        """Return the pairs of a round, and the bot that has a bye if their number is odd.

        The bye goes to one of the bots with the fewest byes: to the lowest one without which the
        others needn't repeat a meeting.
        """
        if len(ranked) % 2 == 0:
            return self._paired(ranked)[0], []
        fewest = min(self._sat_out[bot] for bot in ranked)
        best: tuple[int, list[tuple[str, ...]], list[str]] | None = None
        for out in reversed([bot for bot in ranked if self._sat_out[bot] == fewest]):
            pairs, repeats = self._paired([bot for bot in ranked if bot != out])
            if best is None or repeats < best[0]:
                best = repeats, pairs, [out]
            if repeats == 0:
                break
        assert best is not None
        return best[1], best[2]

    def _paired(self, bots: Sequence[str]) -> tuple[list[tuple[str, ...]], int]:
        pairs, repeats = nearest_pairs(
            len(bots), lambda one, other: self._met[frozenset((bots[one], bots[other]))]
        )
        return [(bots[one], bots[other]) for one, other in pairs], repeats

    def _pods(self, ranked: Sequence[str]) -> tuple[list[tuple[str, ...]], list[str]]:
        """Return the pods of a round, and the bots with a bye: the lowest with the fewest byes."""
        lowest_first = ranked[::-1]
        out = sorted(lowest_first, key=self._sat_out.__getitem__)[: len(ranked) % 4]
        rest = [bot for bot in ranked if bot not in out]
        pods = nearest_pods(
            len(rest), lambda one, other: self._met[frozenset((rest[one], rest[other]))]
        )
        return [tuple(rest[index] for index in pod) for pod in pods], out

    @property
    def _meetings(self) -> Iterator[Meeting]:
        return (meeting for meetings, _ in self._all_rounds for meeting in meetings)

    def _points(self) -> dict[str, float]:
        points = {bot: self._bye_points.get(bot, 0.0) for bot in self._entries}
        for meeting in self._meetings:
            for bot, scored in meeting.points.items():
                points[bot] += scored
        return points

    def _ranked(self) -> list[str]:
        points = self._points()
        return sorted(self._entries, key=lambda bot: (-points[bot], self._index[bot]))

    def order(self) -> Sequence[tuple[int, str]]:
        """Return the places by points, then Buchholz, then points scored against those still equal.

        For a round without opponents a bot's own points stand in for theirs in its Buchholz, so
        that a bye neither helps nor harms.
        """
        points = self._points()
        meetings = [meeting for meeting in self._meetings if meeting.blocks]
        buchholz = dict.fromkeys(self._entries, 0.0)
        rounds: Counter[str] = Counter()
        for meeting in meetings:
            for bot in meeting.bots:
                rounds[bot] += 1
                buchholz[bot] += sum(points[other] for other in meeting.bots) - points[bot]
        for bot in self._entries:
            buchholz[bot] += (self._rounds_begun - rounds[bot]) * (self._seats - 1) * points[bot]
        by_both = {bot: (-points[bot], -buchholz[bot]) for bot in self._entries}
        direct = self._against_equals(by_both)
        groups: list[list[str]] = []
        for _, tied in groupby(sorted(self._entries, key=by_both.__getitem__), by_both.__getitem__):
            equal = list(tied)
            equal.sort(key=lambda bot: -direct[bot])
            groups += [list(same) for _, same in groupby(equal, direct.__getitem__)]
        return shared_places(groups, self._bots)

    def _against_equals(self, worth: Mapping[str, object]) -> Mapping[str, float]:
        """Return the points that each bot has scored against others of the same worth."""
        scored = dict.fromkeys(self._entries, 0.0)
        for key in self._counted:
            block = self._recorded[key]
            by_worth: dict[object, list[int]] = {}
            for place, bot in enumerate(block.bots):
                by_worth.setdefault(worth[bot], []).append(place)
            if len(by_worth) == len(block.bots):  # no two are equal, as in most
                continue
            for seating, ranks in zip(self.seated, block.ranks, strict=True):
                for places in by_worth.values():
                    if len(places) > 1:
                        of_equals = [ranks[seating.index(place)] for place in places]
                        for place, won in zip(places, match_points(of_equals), strict=True):
                            scored[block.bots[place]] += won
        return scored

    def rounds(self) -> list[list[RoundMeeting]]:
        """Return the meetings of each round until now; byes are the last ones."""
        return [
            [
                *(shown(meeting, meeting.bots, over=not meeting.awaited) for meeting in meetings),
                *(shown(None, (bot,), over=True) for bot in byes),
            ]
            for meetings, byes in self._all_rounds
        ]

    def _meetings_later(self) -> int:
        playing = len([bot for bot in self._entries if bot not in self.benched])
        return (self._rounds - self._rounds_begun) * (playing // self._seats)

    def _stage(self) -> str:
        return f"round {self._rounds_begun} of {self._rounds}"

    def verdict(self) -> str:
        """Return the winner, or the bots that share the first place."""
        winners = [bot for place, bot in self.order() if place == 1]
        if len(winners) == 1:
            return f"{winners[0]} wins"
        *first, last = winners
        if len(winners) > MAX_NAMED:  # after few rounds there may be hundreds
            first, last = winners[: MAX_NAMED - 1], f"{len(winners) - MAX_NAMED + 1} others"
        return f"{', '.join(first)} and {last} share the first place"
