"""Playback in a browser: a replay plays by itself, and the address names the shown round."""

import re

from playwright.sync_api import expect

from lanista.match.record import read_record
from page.arena import match_of
from page.matchpage import MatchPage

ROUND = re.compile(r"\?round=")


def test_a_replay_plays_to_its_end_and_stops(records, replay):
    """Without a round it plays at once; the address names a round only while it is paused."""
    last = len(read_record(records["angrymob"]).turns)
    match = replay("angrymob")
    expect(match.button("Pause")).to_be_visible()
    match.speed.select_option("64")
    match.at(last)
    match.state(f"over · move {last}")
    expect(match.button("Play")).to_be_visible()
    expect(match.page).to_have_url(re.compile(rf"\?round={last}$"))
    match.speed.select_option("0.5")
    match.button("Play").click()
    expect(match.page).not_to_have_url(ROUND)


def test_a_followed_link_is_not_overwritten_by_the_shown_round(arena, records, show):
    """The address is no longer updated once a link was followed.

    The timer that updates it fires between the click and the hashchange event.
    """
    address = arena.address(match_of(records["angrymob"]))
    match = MatchPage(show(address + "?round=3"))
    match.at(3)
    match.page.evaluate("""() => {
      window.timers = [];
      window.setTimer = window.setTimeout;
      const kept = (then, ms) => (ms === 250 ? window.timers.push(then) : setTimer(then, ms));
      window.setTimeout = kept;
    }""")
    match.page.keyboard.press("ArrowRight")
    match.at(4)
    match.page.wait_for_function("() => window.timers.length > 0")
    match.page.evaluate(
        """hash => {
      location.hash = hash;
      window.timers.forEach((then) => then());
      window.setTimeout = window.setTimer;
    }""",
        "#" + address.partition("#")[2] + "?round=9",
    )
    match.at(9)
