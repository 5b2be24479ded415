"""Playback in a browser: a replay plays by itself, the address names the shown round, and every
viewer sees when a match is paused.
"""

import re

import pytest
from playwright.sync_api import expect

from lanista.match.record import read_record
from page.arena import match_of
from page.matchpage import MatchPage

ROUND = re.compile(r"\?round=")


def test_a_replay_plays_to_its_end_and_stops(arena, records, show):
    """Without a round it plays at once; the address names a round only while it is paused."""
    last = len(read_record(records["angrymob"]).turns)
    match = MatchPage(show(arena.address(match_of(records["angrymob"]))))
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


def test_live_has_no_round_in_its_address(arena, bots, show):
    """The address names an earlier round while it is shown; live, it names only the match."""
    pair = bots(arena, "address", "Ada", "Bob")
    pair.asked()
    match = MatchPage(show(arena.address(pair.match)))
    pair.play(("", ""), ("", ""))
    match.at(2)
    match.go(1)
    expect(match.page).to_have_url(re.compile(r"\?round=1$"))
    match.page.keyboard.press("l")
    match.at(2)
    expect(match.page).to_have_url(re.compile(f"/match/{pair.match}$"))


@pytest.mark.long
def test_viewers_see_that_the_match_is_paused(arena, bots, show, visit):
    """Viewers have no operator's buttons, but the state beside the title says it."""
    pair = bots(arena, "held", "Ada", "Bob")
    pair.asked()
    one = visit()
    one.context.add_init_script(WATCHING)
    watching = MatchPage(one.open(arena.address(pair.match)))
    watching.state("live · move 0")
    expect(watching.page.get_by_text("watching", exact=True)).to_be_visible()
    match = MatchPage(show(arena.address(pair.match)))
    match.button("Pause match").click()
    watching.state("match paused · move 0")
    match.state("match paused · move 0")
    match.button("Resume match").click()
    watching.state("live · move 0")


WATCHING = """
  // Change the arena's hello into that for a page that isn't the operator's.
  const parse = JSON.parse;
  JSON.parse = (text) => {
    const value = parse(text);
    return value?.type === "hello" ? { ...value, operator: false } : value;
  };
"""
