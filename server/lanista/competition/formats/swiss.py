"""The Swiss system: a fixed number of rounds, which pair bots of similar score that haven't met.

Two seats: Monrad's system, which pairs by the standing; the two seatings of a block cancel the
seats. Four seats: pods of similar score.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, groupby

from lanista.competition.formats.base import Contest, shared_places
from lanista.competition.formats.matching import nearest_pairs
from lanista.competition.formats.staged import Meeting, Staged, shown
from lanista.results.blocks import RoundMeeting


def nearest_pods(count: int, met: Callable[[int, int], int]) -> list[tuple[int, ...]]:
    """Divide 0 … count-1, best first, into pods of four near each other that have hardly met.

    The search begins with the first four, the next four, and so on, and exchanges two bots of
    different pods as long as that reduces the repeated meetings, or, with as many of them, the
    distances in the ranking. Pods without any repeat may not exist; the search finds few repeats,
    not always the fewest.

    Args:
        count: The number of bots; a multiple of four.
        met: How often two of them met.

    Returns:
        The pods, each in ascending order, sorted by their first bot.
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
    """Return the default number of rounds, after which one winner is left: log2 of the entries.

    It is rounded up. With four seats each bot meets three others a round, so the number is limited
    to what could do without repeated meetings if the pods were ideal, (entries - 1) // 3, but at
    least one.
    """
    rounds = math.ceil(math.log2(entries))
    return rounds if seats == 2 else max(1, min(rounds, (entries - 1) // 3))


class Swiss(Staged):
    """A Swiss tournament. Round r, from 0, is on openings r·blocks … r·blocks + blocks - 1."""

    def __init__(self, contest: Contest, rounds: int | None) -> None:
        """Begin with the first round, paired by the spec's order; without `rounds`, the default."""
        super().__init__(contest)
        self._rounds = rounds or default_rounds(len(self._entries), self._seats)
        self._past: list[Meeting] = []
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
        self._past += self._round
        self._round = []
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

    def _points(self) -> dict[str, float]:
        points = {bot: self._bye_points.get(bot, 0.0) for bot in self._entries}
        for meeting in (*self._past, *self._round):
            for bot, scored in meeting.points.items():
                points[bot] += scored
        return points

    def _ranked(self) -> list[str]:
        """Return all entries by points, then by the spec's order."""
        points = self._points()
        return sorted(self._entries, key=lambda bot: (-points[bot], self._index[bot]))

    def order(self) -> Sequence[tuple[int, str]]:
        """Return the places by points, then Buchholz, then points scored against those still equal.

        Buchholz is the sum of the points of all opponents. For a round without opponents a bot's
        own points stand in for theirs, so that a bye neither helps nor harms.
        """
        points = self._points()
        meetings = [meeting for meeting in (*self._past, *self._round) if meeting.blocks]
        buchholz = dict.fromkeys(self._entries, 0.0)
        rounds: Counter[str] = Counter()
        for meeting in meetings:
            for bot in meeting.bots:
                rounds[bot] += 1
                buchholz[bot] += sum(points[other] for other in meeting.bots) - points[bot]
        for bot in self._entries:
            buchholz[bot] += (self._rounds_begun - rounds[bot]) * (self._seats - 1) * points[bot]
        groups: list[list[str]] = []
        by_both = {bot: (-points[bot], -buchholz[bot]) for bot in self._entries}
        for _, tied in groupby(sorted(self._entries, key=by_both.__getitem__), by_both.__getitem__):
            equal = list(tied)
            direct = {
                bot: sum(
                    meeting.points[bot]
                    for meeting in meetings
                    if bot in meeting.bots and not set(equal).isdisjoint({*meeting.bots} - {bot})
                )
                for bot in equal
            }
            equal.sort(key=lambda bot: -direct[bot])
            groups += [list(same) for _, same in groupby(equal, direct.__getitem__)]
        return shared_places(groups, self._bots)

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
        playing = len([bot for bot in self._entries if bot not in self._benched])
        return (self._rounds - self._rounds_begun) * (playing // self._seats)

    def _stage(self) -> str:
        return f"round {self._rounds_begun} of {self._rounds}"

    def verdict(self) -> str:
        """Return the winner, or the bots that share the first place."""
        winners = [bot for place, bot in self.order() if place == 1]
        if len(winners) == 1:
            return f"{winners[0]} wins"
        return f"{', '.join(winners[:-1])} and {winners[-1]} share the first place"
