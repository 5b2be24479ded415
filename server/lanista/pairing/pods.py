"""Pods of four who are near each other and haven't met: a search that ends, without chance."""

from collections.abc import Callable
from itertools import combinations


def nearest_pods(count: int, met: Callable[[int, int], int]) -> list[tuple[int, ...]]:
    """Part 0 … count-1, best first, into pods of four: few repeated meetings, then near ones.

    It starts from the first four, the next four, … and exchanges two bots of different pods as
    long as that makes fewer meetings repeat, or as few between bots that are nearer to each other.
    Pods without any repeat may not exist; the search finds few, not always the fewest.

    Args:
        count: How many; a multiple of four.
        met: How often two met.

    Returns:
        The pods, each in order, the one of the first at the start.
    """
    # A repeated meeting outweighs all distances together.
    heavy = 2 * count**3
    cost = [[heavy * met(a, b) + (a - b) ** 2 for b in range(count)] for a in range(count)]
    pod_of = [bot // 4 for bot in range(count)]
    # What each bot costs with those of each pod; with itself nothing.
    links = [[sum(costs[at : at + 4]) for at in range(0, count, 4)] for costs in cost]
    for bot, costs in enumerate(cost):
        links[bot][pod_of[bot]] -= costs[bot]
        costs[bot] = 0
    changed = True
    while changed:
        changed = False
        for a, b in combinations(range(count), 2):
            one, other = pod_of[a], pod_of[b]
            if one == other:
                continue
            before = links[a][one] + links[b][other]
            after = links[a][other] + links[b][one] - 2 * cost[a][b]
            if after < before:
                pod_of[a], pod_of[b] = other, one
                for costs, link in zip(cost, links, strict=True):
                    link[one] += costs[b] - costs[a]
                    link[other] += costs[a] - costs[b]
                changed = True
    pods: dict[int, list[int]] = {}
    for bot, pod in enumerate(pod_of):
        pods.setdefault(pod, []).append(bot)
    return [tuple(pod) for pod in pods.values()]
