"""Answers and facts of Hogwarts (PROTOCOL.md 4 and 5, rules/hogwarts.md 4)."""

import pytest

from lanista.games.base import MalformedAnswerError, RefusalCode, TooManySubmovesError
from lanista.games.hogwarts.orders import Order
from lanista.games.hogwarts.ruleset import RULESET
from support.hogwarts import (
    ADDED_UP,
    RIGHT,
    Draws,
    begin,
    hall,
    play,
    seeded,
    solution,
    spell,
    tokens,
)


def refused(game, line, seat=0):
    return [(one.index, one.message) for one in game.parse(seat, tokens(line)).refusals()]


SPELL, CAST = spell(0, ADDED_UP), Order(0, -1, solution(ADDED_UP))
WRONG = "s 0" + " 0" * 15


def second(unit):
    return f"a second order for unit {unit}; only its first one counts"


READ = {
    "a spell after a move": (f"m 4 2 {SPELL}", [Order(4, 2), CAST], {}),
    "a spell before a move": (f"{SPELL} m 4 2", [CAST, Order(4, 2)], {}),
    # Faulty orders stay in the queue, with their places in it.
    "a wrong spell": (
        f"{WRONG} m 4 2",
        [Order(0, -1, (0,) * 15), Order(4, 2)],
        {0: "group 0 has 15 ingredients; each has 3"},
    ),
    # What the position makes of an order, its round shows: here it leads off the board.
    "no penalty": ("m 0 4", [Order(0, 4)], {}),
    # The first order of a unit counts, whichever it is.
    "a ghost moves and casts": (f"m 0 2 {SPELL}", [Order(0, 2)], {1: second(0)}),
    "a ghost casts and moves": (f"{SPELL} m 0 2 m 4 2", [CAST, Order(4, 2)], {1: second(0)}),
    "a faulty first order": (
        "m 4 9 m 4 2",
        [Order(4, 9)],
        {0: "direction 9; it is from 0 to 7", 1: second(4)},
    ),
    "repeated, whatever they are": (
        "m 4 2 m 0 1 m 4 4 m 4 9",
        [Order(4, 2), Order(0, 1)],
        {2: second(4), 3: second(4)},
    ),
    "repeated before a spell": (f"m 4 2 m 4 2 {SPELL}", [Order(4, 2), CAST], {1: second(4)}),
    "foreign and unknown units": (
        f"m 5 2 m 4 2 m 5 2 m 4 2 m 9 2 {spell(1, ADDED_UP)}",
        [Order(4, 2)],
        {
            **dict.fromkeys((0, 2), "unit 5 is of clan 1, not yours"),
            3: second(4),
            4: "there is no unit 9; units are 0 to 7",
            5: "unit 1 is of clan 1, not yours",
        },
    ),
}
"""Answers; the orders that are read; by index, why a submove isn't one of them."""


@pytest.mark.parametrize(("line", "orders", "why"), READ.values(), ids=READ)
def test_an_answer_is_read(line, orders, why):
    """4: repeated orders are told apart from illegal ones, whatever else the answer has."""
    answer = begin(hall(ingredients=ADDED_UP)).parse(0, tokens(line))
    reasons = answer.refusals()
    assert tuple(orders) == answer.orders
    assert why == {reason.index: reason.message for reason in reasons}
    repeated = [reason.index for reason in reasons if reason.code is RefusalCode.IGNORED]
    assert [index for index, words in why.items() if "second order" in words] == repeated
    assert len(repeated) == answer.repeats


@pytest.mark.parametrize(
    ("line", "index", "words"),
    [
        ("4 2", 0, "`4` where a submove begins; one is `m ID D` or `s ID` and 15 groups"),
        ("m 4 2 x", 1, "`x` where a submove begins"),
        ("m 4", 0, "`m` with 1 number; it takes 2"),
        ("m", 0, "`m` with 0 numbers; it takes 2"),
        ("m 4 d", 0, "`d` where a number belongs"),
        ("s", 0, "`s` with 0 numbers; it takes 16"),
        ("m 4 2 s", 1, "`s` with 0 numbers; it takes 16"),
        ("m 4 2 s 0 1 2", 1, "`s` with 3 numbers; it takes 16"),
        ("s 0 0 0 0 m 4 2" + " 0" * 20, 0, "`m` where a number belongs"),
    ],
)
def test_what_forms_no_submoves_is_malformed(line, index, words):
    with pytest.raises(MalformedAnswerError) as caught:
        begin(hall()).parse(0, tokens(line))
    assert (index, True) == (
        caught.value.refusal.index,
        caught.value.refusal.message.startswith(words),
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("m 8 0", "there is no unit 8; units are 0 to 7"),
        ("m -1 0", "there is no unit -1; units are 0 to 7"),
        ("m 5 0", "unit 5 is of clan 1, not yours"),
        ("m 1 0", "unit 1 is of clan 1, not yours"),
        ("m 4 8", "direction 8; it is from 0 to 7"),
        ("m 0 -1", "direction -1; it is from 0 to 7"),
        ("m 4 3", "direction 3 is diagonal; wizards move by 0, 2, 4 or 6"),
        (spell(4, ADDED_UP), "unit 4 is a wizard; only ghosts cast spells"),
        ("s 0 5" + " 0" * 14, "group 5; groups are 0 to 4"),
        ("s 0" + " 0" * 15, "group 0 has 15 ingredients; each has 3"),
        (
            "s 0 0 0 0 1 1 1 2 2 2 3 3 3 4 4 4",
            "the groups' sums are 6, 15, 24, 33, 42; they must be equal",
        ),
    ],
)
def test_what_is_not_allowed_is_refused_and_the_rest_counts(line, words):
    game = begin(hall(ingredients=ADDED_UP))
    good = "m 0 4" if line.startswith("m 4") or " 4 " in line[:4] else "m 4 2"
    assert [(0, words)] == refused(game, f"{line} {good}")
    assert len(play(game, {0: f"{line} {good}"})) == 1


def test_a_foreign_order_never_blocks_the_owners_own():
    game = begin(hall())
    assert [5] == play(game, {0: "m 5 4", 1: "m 5 4"})


def test_a_thousand_submoves_and_no_more():
    """4 and 18, row 8: repeated ones count; one more and the seat is out."""
    game = begin(hall())
    assert 999 == len(game.parse(0, ["m", 4, 2] * 1000).refused)
    with pytest.raises(TooManySubmovesError):
        game.parse(0, ["m", 4, 2] * 1001)


def test_units_are_owned_as_the_round_begins():
    """4: parse sees the clans of the present round."""
    game = begin(hall({4: (0, 10, 10, 1, 1)}))
    assert [] == refused(game, "m 4 2")
    play(game)
    assert [(0, "unit 4 is of clan 1, not yours")] == refused(game, "m 4 2")
    assert [] == refused(game, "m 4 2", seat=1)


def test_the_facts_at_start():
    lines = seeded(1).facts_at_start(0).decode().splitlines()
    assert [
        "size 60 60",
        "row 0 " + "." * 60,
        "row 1 .WWWWWWWWWW.WWWWW.WWWWWWWWWWWWWWWWWWWWWWW...................",
    ] == lines[:3]
    assert 1 + 60 == len(lines)
    assert not set("0123") & set("".join(line.split(" ")[2] for line in lines[1:]))


def test_the_facts_of_a_round_byte_for_byte():
    """PROTOCOL.md 5: rows, units by id, books by cell, and single lines; the same to all."""
    board = hall(
        {4: (0, 0, 1), 5: (1, 0, 3, 2, 0)},
        walls=[(0, 0)],
        owned={(59, 59): 3},
        books=[(50, 0), (2, 7)],
    )
    game = begin(board, Draws({"Voldemort's target": [0]}))
    facts = game.facts(0)
    lines = facts.decode().splitlines()
    assert "own 0 W0.1" + "." * 56 == lines[0]
    assert "own 1 " + "." * 60 == lines[1]
    assert "own 59 0...1...2...3" + "." * 46 + "3" == lines[59]
    assert [
        "unit 0 g 0 59 0 0 -1",
        "unit 1 g 1 59 4 0 -1",
        "unit 2 g 2 59 8 0 -1",
        "unit 3 g 3 59 12 0 -1",
        "unit 4 w 0 0 1 0 -1",
        "unit 5 w 1 0 3 2 0",
        "unit 6 w 2 55 8 0 -1",
        "unit 7 w 3 55 12 0 -1",
        "book 2 7",
        "book 50 0",
        "voldemort 57 57",
        "spell 5 8 6 7 6 7 8 5 5 9 5 9 7 8 5",
        "strength 1000 1000 1000 1000",
        "score 0 0 0 0",
    ] == lines[60:]
    assert facts.endswith(b"\n")
    play(game, {0: f"m 4 {RIGHT}"})
    after = game.facts(3).decode().splitlines()
    assert "own 0 W001" + "." * 56 == after[0]
    assert "unit 4 w 0 0 2 0 -1" == after[64]
    assert "unit 5 w 1 0 3 1 0" == after[65]
    assert "score 3 2 2 3" == after[73]


def test_digests_differ_by_everything_that_decides_the_match():
    """Settings that show nowhere yet, and draws yet to come, among them."""
    games = [seeded(1), seeded(1, original=1), seeded(1, NUM_ROUNDS=199), seeded(2)]
    skipped = seeded(1)
    skipped.chance.skip(1)
    digests = {game.digest() for game in (*games, skipped)}
    assert 5 == len(digests)
    assert seeded(1).digest() in digests


def test_seeds_have_31_bits_and_the_wire_nothing_of_them():
    assert (0, 2**31 - 1) == RULESET.seeds
    assert b"seed" not in seeded(5).facts_at_start(0) + seeded(5).facts(0)
