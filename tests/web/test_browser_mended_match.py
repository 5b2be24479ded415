"""What the view of a match does by itself, in a browser: a replay plays, the address follows, and
every page tells that a match is held.
"""

import re

import pytest
from playwright.sync_api import expect

from lanista.match.record import read_record
from web.arena import match_of
from web.matchpage import MatchPage

ROUND = re.compile(r"\?round=")


def test_a_replay_plays_to_its_end_and_stops(arena, records, show):
    """Without a round it plays at once; the address names a round only while it is stood at."""
    last = len(read_record(records["angrymob"]).turns)
    match = MatchPage(show(arena.address(match_of(records["angrymob"]))))
    expect(match.button("Pause")).to_be_visible()
    match.speed.select_option("16")
    match.at(last)
    match.state(f"over · round {last}")
    expect(match.button("Play")).to_be_visible()
    expect(match.page).to_have_url(re.compile(rf"\?round={last}$"))
    match.speed.select_option("0.25")
    match.button("Play").click()
    expect(match.page).not_to_have_url(ROUND)


def test_a_replay_at_a_round_stands(arena, records, show):
    """Who follows a link to a round sees that round."""
    match = MatchPage(show(arena.address(match_of(records["angrymob"])) + "?round=3"))
    match.at(3)
    expect(match.button("Play")).to_be_visible()


def test_a_link_wins_over_the_round_that_was_stood_at(arena, records, show):
    """The address isn't brought up to date any more once a link was followed.

    The timer that does it comes between the click and the event that tells of the new address.
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
    """A look back is named by the address; live again, it names the match alone."""
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
def test_who_only_watches_is_told_that_the_match_is_held(arena, bots, show, visit):
    """Without the operator's buttons, the state beside the title says it, and says when it ends."""
    pair = bots(arena, "held", "Ada", "Bob")
    pair.asked()
    one = visit()
    one.context.add_init_script(WATCHING)
    watching = MatchPage(one.open(arena.address(pair.match)))
    watching.state("live · round 0")
    expect(watching.page.get_by_text("watching", exact=True)).to_be_visible()
    match = MatchPage(show(arena.address(pair.match)))
    match.button("Pause match").click()
    watching.state("paused · round 0")
    match.state("paused · round 0")
    match.button("Resume match").click()
    watching.state("live · round 0")


WATCHING = """
  // The arena's greeting, as it is on a page that is no operator's.
  const parse = JSON.parse;
  JSON.parse = (text) => {
    const value = parse(text);
    return value?.type === "hello" ? { ...value, operator: false } : value;
  };
"""
