"""Pods: groups of four bots that are near each other in the ranking and haven't met.

Grouping by fours without repeats is a hard problem, unlike pairing; so this is a local search. It
is deterministic and always ends.
"""

from collections.abc import Callable
from itertools import combinations


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
