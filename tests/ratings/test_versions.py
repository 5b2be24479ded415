"""Versions of submitted programs on a ladder: each is rated, and the current one is its bot's.

The simulations have a bot that is handed in again among others of known strength, all of them rated
from all matches as an arena's table does. docs/statistics.md has the figures of the long ones.
"""

import attrs
import numpy as np
import pytest

from lanista.ratings.compute import compute
from lanista.ratings.counting import count_pages
from lanista.ratings.likelihood import ELO, maximum, model_of
from lanista.ratings.rating import rate
from lanista.ratings.table import CENTRE

WON, LOST = "[1, 2]", "[2, 1]"


def standings(*matches, bots=("Ann", "Bob", "Cem")):
    """The table after some matches of two, each with the ranks."""
    ranks = [result for *_, result in matches]
    who = [one for first, second, _ in matches for one in (first, second)]
    return compute(
        name="pit",
        game="angrymob",
        format="ladder",
        bots=bots,
        counted=count_pages([(ranks, who)], 2, bots),
    )


def rows(table):
    return {row.bot: row for row in table.rows}


def even(one, other, times=10):
    """Matches of two that are equally strong."""
    return [(one, other, result) for _ in range(times) for result in (WON, LOST)]


BEFORE = [*even("Ann", "Bob"), *even("Bob", "Cem"), *even(("Ann", 1), "Cem")]


class TestTable:
    def test_a_bots_row_has_all_its_matches_and_the_rating_of_its_current_version(self):
        """The current version played the latest match: here an older one, which has come back."""
        lost = [(("Ann", 2), "Bob", LOST)] * 5
        table = standings(*BEFORE, *lost, (("Ann", 1), "Bob", WON))
        ann = rows(table)["Ann"]
        assert 20 + 20 + 5 + 1 == ann.matches
        assert 10 + 10 + 1 == ann.points
        assert [None, 1, 2] == [one.version for one in ann.versions]
        by_version = {one.version: one.rating for one in ann.versions}
        assert (1, by_version[1]) == (ann.version, ann.rating)
        assert by_version[2].value < by_version[1].value - 50

    def test_who_submitted_nothing_has_no_versions(self):
        bob = rows(standings(*BEFORE))["Bob"]
        assert (None, ()) == (bob.version, bob.versions)

    def test_the_versions_of_others_only_change_what_is_known_of_them(self):
        """Of three names that play alike whatever plays for them, the ratings stay alike."""
        table = standings(*BEFORE, *even(("Ann", 2), "Bob"), *even(("Ann", 3), "Cem"))
        assert max(abs(row.rating.value - CENTRE) for row in table.rows) < 1

    def test_a_program_that_was_submitted_before_it_ever_connected(self):
        """There is no version without a number then, even if a bot played nothing at all."""
        table = standings(*even(("Bob", 1), "Cem"))
        assert ["Bob", "Cem"] == sorted(row.bot for row in table.rows if row.rating is not None)
        (first,) = rows(table)["Bob"].versions
        assert (1, rows(table)["Bob"].rating) == (first.version, first.rating)

    def test_only_the_versions_that_played_last_are_rated_by_themselves(self, monkeypatch):
        """However many there are; what older ones played still counts for the bot."""
        monkeypatch.setattr("lanista.ratings.counting.MOST_VERSIONS", 3)
        handed_in = [match for number in range(2, 7) for match in even(("Ann", number), "Bob")]
        table = standings(*BEFORE, *handed_in, *even(("Ann", 2), "Cem"))
        ann = rows(table)["Ann"]
        # What 3 and 4 played, and she without a program, counts for 5, which so comes first.
        assert [5, 2, 6] == [one.version for one in ann.versions]
        assert (40 + 5 * 20 + 20, 2) == (ann.matches, ann.version)

    def test_an_unknown_bots_version_is_refused(self):
        with pytest.raises(KeyError):
            standings((("Dan", 1), "Ann", WON))


class TestLink:
    def test_a_new_version_begins_at_the_rating_of_the_one_before_it_with_a_wide_interval(self):
        """After a win and a loss it is nearly there, but it may be anything near."""
        before = rows(standings(*BEFORE))["Ann"].rating
        after = rows(standings(*BEFORE, *even(("Ann", 2), "Bob", 1)))["Ann"].rating
        assert abs(after.value - before.value) < 10
        assert after.high - after.low > 1.5 * (before.high - before.low)

    def test_a_version_that_has_won_nothing_has_both_ends_all_the_same(self):
        """What is known of the version before it bounds it."""
        ann = rows(standings(*BEFORE, (("Ann", 2), "Bob", LOST)))["Ann"]
        assert None not in {ann.rating.low, ann.rating.high}

    def test_a_version_with_few_matches_is_held_to_the_next_one(self):
        """A crashing version between two others costs as much as its few matches, not more."""
        crashed = [(("Ann", 2), "Bob", LOST)] * 3
        better = [(("Ann", 3), "Bob", result) for result in [WON] * 12 + [LOST] * 4]
        with_it = rows(standings(*BEFORE, *crashed, *better))["Ann"].rating.value
        without = rows(standings(*BEFORE, *better))["Ann"].rating.value
        assert 0 < without - with_it < 60


# -- simulations ---------------------------------------------------------------------------------

OTHERS = 7
BOTS = ("Ann", *(f"bot{number}" for number in range(OTHERS)))


@attrs.define
class Simulation:
    """A ladder on which Ann plays with programs that she hands in; the others stay as they are.

    For each match of hers there are two among the others.
    """

    chance: np.random.Generator
    elo: np.ndarray = attrs.field(init=False)
    """By bot; Ann's is that of her current program."""
    version: int = 1
    played: int = 0
    """By the current version."""
    ranks: list = attrs.field(factory=list)
    who: list = attrs.field(factory=list)

    def __attrs_post_init__(self):
        self.elo = self.chance.normal(0, 250, OTHERS + 1)
        self.elo[0] /= 2

    def hand_in(self, stronger=0.0):
        """Play with another program from now on, so many Elo stronger than the last one."""
        self.version, self.played = self.version + 1, 0
        self.elo[0] += stronger

    def play(self, matches):
        """Let Ann play so many matches."""
        self.played += matches
        some = self.chance.integers(OTHERS, size=2 * matches)
        apart = 1 + self.chance.integers(OTHERS - 1, size=2 * matches)
        one = np.append(np.zeros(matches, dtype=int), 1 + some)
        against = self.chance.integers(OTHERS, size=matches)
        other = 1 + np.append(against, (some + apart) % OTHERS)
        wins = 1 / (1 + 10 ** ((self.elo[other] - self.elo[one]) / 400))
        for first, second, won in zip(
            one, other, self.chance.random(3 * matches) < wins, strict=True
        ):
            self.ranks.append(WON if won else LOST)
            self.who += [BOTS[first] if first else (BOTS[0], self.version), BOTS[second]]

    @property
    def counted(self):
        return count_pages([(self.ranks, self.who)], 2, BOTS)

    def error(self):
        """By how much Ann's rating is too high: relative to the others' mean, in Elo."""
        counted = self.counted
        at = maximum(model_of(counted)).at[counted.current] * ELO
        off = at - self.elo
        return float(off[0] - off[1:].mean())

    def covers(self):
        """Whether the interval of her rating holds the truth."""
        counted = self.counted
        found = rate(counted).of(counted.current)
        truth = CENTRE + self.elo[0] - self.elo[found.anchors].mean()
        return bool(found.low[0] <= truth <= found.high[0])


def every_30(ladder, errors):
    return ladder.played >= 30


def below_best(ladder, errors):
    """An author who hands in again until lucky, and whenever luck has left."""
    return len(errors) > 1 and errors[-1] < max(errors)


def below_truth(ladder, errors):
    """An author who knows how strong the program is, and hands in again when it is rated lower."""
    return bool(errors) and errors[-1] < 0


def never(ladder, errors):
    return False


def errors_of(strategy, times, step):
    """Errors of a program that is no stronger whenever it is handed in, (times, looks).

    After 200 matches its author looks every `step` matches, for 200 more, and may hand it in again.
    """
    found = []
    for seed in range(times):
        ladder = Simulation(np.random.default_rng(seed))
        ladder.play(200)
        errors = []
        for _ in range(200 // step):
            if strategy(ladder, errors):
                ladder.hand_in()
            ladder.play(step)
            errors.append(ladder.error())
        found.append(errors)
    return np.array(found)


def gain(strategy, times, step):
    """What handing in again gains compared with never doing so: its mean and standard error."""
    again, once = (errors_of(each, times, step).mean(axis=1) for each in (strategy, never))
    off = again - once
    return float(off.mean()), float(off.std() / times**0.5)


def long(*values):
    """A case that takes minutes."""
    return pytest.param(*values, marks=(pytest.mark.long, pytest.mark.timeout(1800)))


@pytest.mark.parametrize(
    ("times", "matches", "low", "high"),
    [(100, 60, -30, 5), long(300, 40, -28, -10)],  # of the long one, 3 Elo are its own error
)
def test_a_stronger_version_reaches_its_place_in_a_few_dozen_matches(times, matches, low, high):
    """90 % of 200 Elo, after 200 matches of the version before it."""
    errors = []
    for seed in range(times):
        ladder = Simulation(np.random.default_rng(seed))
        ladder.play(200)
        ladder.hand_in(200.0)
        ladder.play(matches)
        errors.append(ladder.error())
    assert low <= np.mean(errors) <= high


@pytest.mark.parametrize("strategy", [every_30, below_best])
def test_handing_in_the_same_program_again_gains_nothing(strategy):
    mean, error = gain(strategy, times=8, step=20)
    assert mean <= 2 * error + 5


@pytest.mark.parametrize("strategy", [long(every_30), long(below_best), long(below_truth)])
def test_what_handing_in_the_same_program_again_gains(strategy):
    """The long version: its author looks more often.

    Even one who knows the truth gains less than the standard deviation of a rating after 200
    matches.
    """
    mean, error = gain(strategy, times=60, step=5)
    assert mean <= 20 if strategy is below_truth else abs(mean) <= 2.5 * error


def luckiest_again(seed, matches):
    """The error after ten versions of one program, of which the luckiest then plays again."""
    ladder = Simulation(np.random.default_rng(seed))
    ladder.play(200)
    for _ in range(10):
        ladder.hand_in()
        ladder.play(20)
    counted = ladder.counted
    at = maximum(model_of(counted)).at
    own = np.flatnonzero(counted.bot_of == 0)
    ladder.version = counted.versions[max(own, key=at.__getitem__)]
    ladder.play(matches)
    return ladder.error()


@pytest.mark.parametrize("times", [20, long(200)])
def test_what_going_back_to_the_luckiest_version_gains_is_lost_again(times):
    """Of the figures of the long one, 3 Elo are its own error."""
    at_first, later = (np.mean([luckiest_again(s, n) for s in range(times)]) for n in (1, 60))
    assert later < 0.7 * at_first
    assert at_first < 80


@pytest.mark.parametrize("times", [20, long(200)])
def test_what_stopping_at_the_best_rating_keeps(times):
    """The author looks ten times; of the figure of the long one, 2 Elo are its own error."""
    assert errors_of(never, times, step=20).max(axis=1).mean() < 30


@pytest.mark.parametrize(
    ("times", "matches", "most"),
    # Of the long ones, 0.01 is the simulation's own error.
    [(100, 15, 0.99), *(long(600, matches, 0.985) for matches in (5, 10, 30, 60))],
)
def test_intervals_hold_the_truth_just_after_a_new_version(times, matches, most):
    """The new version may be much stronger or weaker."""
    held = 0
    for seed in range(times):
        ladder = Simulation(np.random.default_rng(seed))
        ladder.play(200)
        ladder.hand_in(ladder.chance.normal(50, 150))
        ladder.play(matches)
        held += ladder.covers()
    assert 0.93 <= held / times <= most
