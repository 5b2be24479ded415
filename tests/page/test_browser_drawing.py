"""What bots draw, in a browser: on the board in its turn, switched off; its text is only text."""

import pytest
from playwright.sync_api import expect

from e2e.running import wait_until
from page.drawn import EDGE, point
from page.records import edited
from page.test_browser_replay import LARGE

SCRIPT = "<img/src=x/onerror=alert(1)>"
YELLOW = "#ffd028"
"""The palette's `gem`, of the dark theme."""
LOGS = {
    # By turn: what the bot of seat 0 logs.
    0: "# plain\n#@ cell 0 0 yellow\n#@ value danger 0.25\n#@ cell 99 0 red\n",
    1: f"#@ arrow 0 0 2 2 own\n#@ text 1 1 ink {SCRIPT}\n#@ value danger -1.5\n",
}


@pytest.fixture
def drawn(records, tmp_path):
    """A record in which the bot of seat 0 draws in its first two turns."""
    by_line = {turn + 1: {"logs": {"0": log}} for turn, log in LOGS.items()}
    return edited(records["angrymob"], tmp_path / "drawn.jsonl", by_line)


def switch(page, name):
    """The switch of a bot's drawings."""
    return page.get_by_role("group", name="Drawings").get_by_role("button", name=name)


def edge(match):
    """The colour just within the border of the board's first cell."""
    (colour,) = match.pixels([point(match.geometry(), (0, 0, 0, EDGE))])
    return colour


def test_drawings_show_in_their_turn_and_can_be_switched_off(drawn, dropped):
    """PROTOCOL.md 9: turn 0 draws on the start; a switch hides it, and stays as it is."""
    match = dropped(drawn)
    page, names = match.page, match.names()
    button = switch(page, names[0])
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(switch(page, names[1])).to_have_count(0)
    assert YELLOW == edge(match)
    first = match.picture()
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    match.expect_another_picture(first)
    without = match.picture()
    assert YELLOW != edge(match)
    match.go(1)
    second_without = match.picture()
    match.go(0)
    match.expect_picture(without)
    button.click()
    match.expect_picture(first)
    match.go(1)
    match.expect_another_picture(second_without)
    match.go(2)
    assert YELLOW != edge(match)
    match.go(0)
    match.expect_picture(first)


def test_what_a_bot_wrote_to_draw_is_told_beside_the_board(drawn, dropped):
    """Lines that draw nothing have a remark; a text on the board, and in the log, becomes no
    element; values become a curve by their name.
    """
    match = dropped(drawn)
    page = match.page
    match.go(1)
    logs = match.panel("Logs")
    expect(logs).to_contain_text("# plain")
    expect(logs).to_contain_text("#@ cell 99 0 red  not drawn: row 99, column 0 isn't on the board")
    expect(logs.get_by_text("On the board: 1 drawing, 1 value")).to_be_visible()
    match.go(2)
    logs.get_by_text("On the board: 2 drawings, 1 value").click()
    expect(logs.get_by_text(SCRIPT)).to_be_visible()
    assert 0 == page.locator("img, svg[onload], iframe, script:not([src])").count()
    chart = match.panel("Score").get_by_role("img", name="Value danger by move")
    expect(chart).to_be_visible()
    assert 1 == chart.locator("path.line").count()


def test_each_level_has_its_own_drawings(dropped, records, tmp_path):
    """PROTOCOL.md 9: lines on both levels of Crematoria, and the shorter way over the seam."""
    logs = {"2": "#@ line 5 6 5 9 yellow\n#@ line 20 77 20 2 1 yellow\n"}
    path = edited(records["crematoria"], tmp_path / "levels.jsonl", {1: {"logs": logs}})
    match = dropped(path, size=LARGE)

    def is_drawn(level, row, *cols):
        """Whether each of these cells has the line's colour in its middle."""
        middles = [[round(at) for at in match.middle(row, col, level)] for col in cols]
        return {colour == YELLOW for colour in match.pixels(middles)}

    wait_until(lambda: {True} == is_drawn(0, 5, 7, 8), "the line underground is drawn")
    assert {True} == is_drawn(1, 20, 78, 79, 0, 1)
    assert {False} == is_drawn(0, 20, 78, 79, 0, 1)
    assert {False} == is_drawn(1, 5, 7, 8)
    assert {False} == is_drawn(1, 20, 70, 40, 9)
