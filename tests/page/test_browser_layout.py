"""The page's layout in a browser: tall names, the width of the standings, many running matches."""

import pytest
from playwright.sync_api import expect

from page.browser import DESK, PHONE
from page.matchpage import fits

TALL = "Z" + "\u0301" * 31
"""A name that is as high as several lines of text."""
ROWS = "table => [...table.querySelectorAll('tbody tr')].map(row => row.offsetHeight)"
COLUMNS = "cards => getComputedStyle(cards).gridTemplateColumns.split(' ').length"


@pytest.fixture(scope="module")
def arena(arenas, records):
    """An arena that has played a match of each game."""
    return arenas(records=records.values())


def test_a_tall_name_stays_in_its_line(arena, bots, show):
    """Combining marks are clipped where they would cover other rows."""
    pair = bots(arena, "tall", TALL, "Ada")
    pair.asked()
    page = show(f"{arena.page}/")
    card = page.get_by_role("region", name="Running").get_by_role("article")
    name = card.locator(".name").filter(has_text=TALL)
    expect(name).to_be_visible()
    expect(name).to_have_css("overflow-y", "clip")
    heights = card.get_by_role("listitem").evaluate_all("rows => rows.map(r => r.offsetHeight)")
    assert heights[0] == heights[1]


def test_the_standings_have_room_for_a_name(arena, show):
    """On a projector usual names fit beside six numbers; on a phone nothing is cut off."""
    page = show(f"{arena.page}/")
    table = page.get_by_role("table").filter(has_text="RandomRunners")
    expect(table).to_be_visible()
    heights = table.evaluate(ROWS)
    assert max(heights) - min(heights) <= 2, heights  # one line each, apart from rounding
    phone = show(f"{arena.page}/", size=PHONE)
    table = phone.get_by_role("table").filter(has_text="RandomRunners")
    expect(table.get_by_role("columnheader")).to_have_text(
        ["#", "Bot", "Played", "Points", "W", "D", "L"]
    )
    assert table.evaluate(
        "table => table.parentElement.scrollWidth <= table.parentElement.clientWidth"
    )
    assert fits(phone)


@pytest.mark.long
def test_a_dozen_matches_on_a_projector(arena, bots, show):
    """On a projector all twelve cards fit on the page, and who waits is seen on every screen."""
    for i in range(12):
        bots(arena, f"room {i}".replace(" ", ""), "GravityGoers", "RandomRunners").asked()
    page = show(f"{arena.page}/")
    cards = page.get_by_role("region", name="Running").locator(".cards")
    expect(cards.get_by_role("article")).to_have_count(12)
    waiting = page.get_by_role("heading", name="Waiting")
    assert DESK == page.viewport_size
    assert 2 == cards.evaluate(COLUMNS)
    expect(waiting).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1920, "height": 1080})
    assert 3 == cards.evaluate(COLUMNS)
    expect(waiting).to_be_in_viewport(ratio=1)
    expect(cards.get_by_role("article").last).to_be_in_viewport(ratio=1)
