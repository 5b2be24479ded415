"""A running match in a browser: it moves, all who look see the same, and the operator steers it.

Bots are scripted, so that every round comes when the test says so.
"""

import re
import signal

import pytest
from playwright.sync_api import expect

from lanista.match.record import read_record
from page.arena import MOVE_LIMIT
from page.matchpage import DASH, MatchPage

FIRST = "2 1 1 1", ""
"""Seat 0 recruits one unit: two to one (the map of PROTOCOL.md 6)."""
SECOND = "", "3 5 1 3"
"""Seat 1 recruits one as well."""
NOTHING = "", ""


@pytest.fixture
def pair(request, arena, bots):
    """Two bots that are asked for their first answer, in a room of the test's own."""
    pair = bots(arena, request.node.name[:64], "Ada", "Bob")
    pair.asked()
    return pair


def test_from_the_first_round_to_the_end(arena, pair, show):
    """Board, names and scores move; its end is put into words; then it's a replay."""
    match = MatchPage(show(arena.address(pair.match)))
    match.at(0)
    match.state("live · move 0")
    assert ["Ada", "Bob"] == match.names()
    expect(match.page).to_have_title(f"Ada {DASH} Bob · Angry Mob · Lanista")
    expect(match.button("Live")).to_have_attribute("aria-pressed", "true")
    start = match.picture()
    pair.play(FIRST)
    match.at(1)
    match.state("live · move 1")
    expect(match.board).to_have_accessible_name("Board of Angry Mob after move 1: A Ada 2, B Bob 1")
    expect(match.players.nth(0)).to_contain_text("units 2")
    expect(match.players.nth(1)).to_contain_text("units 1")
    expect(match.events).to_contain_text("recruited 1 unit at (1, 1)")
    match.expect_another_picture(start)
    comparing = match.page.get_by_role("link", name="Compare")
    expect(comparing).to_have_count(0)  # there is nothing to compare yet
    pair.play(SECOND, *[NOTHING] * (MOVE_LIMIT - 3))
    pair.answer()
    match.at(MOVE_LIMIT)
    match.state(f"over · move {MOVE_LIMIT}")
    result = match.page.get_by_text("draw: 2 to 2 (move limit reached, no base captured)")
    expect(result).to_be_visible()
    expect(comparing).to_be_visible()
    with match.page.expect_download() as download:
        match.page.get_by_role("link", name="Record").click()
    record = read_record(download.value.path())
    assert pair.match == record.header.match
    # All its digits: a seed may have more than a browser's numbers.
    expect(match.page.get_by_text(f"seed {record.header.seed}", exact=True)).to_be_visible()
    expect(match.page.get_by_role("group", name="Running match")).to_be_hidden()
    expect(match.button("Live")).to_be_hidden()
    match.button("To the start").click()
    match.at(0)
    match.expect_picture(start)


def test_looking_back_leaves_live_and_l_returns(arena, pair, show):
    """An earlier round stays, also in the address, while the match goes on; Live is the newest."""
    match = MatchPage(show(arena.address(pair.match)))
    pair.play(FIRST, NOTHING)
    match.at(2)
    match.button("One move back").click()
    match.at(1)
    match.state("running · move 1")
    expect(match.page).to_have_url(re.compile(r"\?round=1$"))
    pair.play(SECOND)
    expect(match.slider).to_have_attribute("max", "3")
    match.at(1)
    match.button("Live").click()
    match.at(3)
    match.state("live · move 3")
    expect(match.page).to_have_url(re.compile(f"/match/{pair.match}$"))
    match.page.keyboard.press("Home")
    match.at(0)
    pair.play(NOTHING)
    match.page.keyboard.press("l")
    match.at(4)
    # What is told at the end is told beside an earlier round, too.
    match.go(1)
    output = match.panel("Output")
    expect(output).to_contain_text("is shown when the match is over")
    pair.play(*[NOTHING] * (MOVE_LIMIT - 5))
    pair.answer()
    expect(output).to_contain_text("Nothing: the arena keeps")
    match.at(1)


def test_the_operator_pauses_steps_and_resumes(arena, pair, show):
    """Paused, the bots aren't asked; Next move asks them once; every page tells that it is held."""
    one = MatchPage(show(arena.address(pair.match)))
    other = MatchPage(show(arena.address(pair.match), beside=True))
    match = other.page.get_by_role("group", name="Running match")
    expect(match.get_by_role("button", name="Next move")).to_be_hidden()
    one.button("Pause match").click()
    held = match.get_by_text("match paused")
    expect(held).to_be_visible()
    pair.answer(*FIRST)
    one.at(1)
    one.button("Next move").click()
    pair.asked()
    pair.answer(*SECOND)
    one.at(2)
    other.at(2)
    expect(held).to_be_visible()
    other.button("Resume match").click()
    pair.asked()
    expect(held).to_be_hidden()
    pair.play(NOTHING)
    one.at(3)


def test_a_match_that_ended_with_its_arena_is_not_to_be_paused(arenas, bots, visit):
    """No lobby tells any more that it is over; its last frames did."""
    arena, one = arenas(), visit()
    pair = bots(arena, "last", "Ada", "Bob")
    pair.asked()
    match = MatchPage(one.open(arena.address(pair.match)))
    pair.play(FIRST)
    match.at(1)
    running = match.page.get_by_role("group", name="Running match")
    expect(running).to_be_visible()
    one.pardon("ERR_CONNECTION_REFUSED")
    arena.signal(signal.SIGTERM)
    expect(match.page.get_by_text("connection lost, trying again")).to_be_visible()
    match.state("over · move 1")
    expect(running).to_be_hidden()
