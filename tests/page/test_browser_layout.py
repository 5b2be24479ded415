"""The page's layout in a browser: tall and wide names, the width of the standings, many matches."""

import re

import pytest
from playwright.sync_api import expect

from e2e.running import FileArena, wait_until
from page.arena import IN_THREADS, match_of
from page.browser import DESK, NARROW, ON_ITS_SIDE, PHONE
from page.matchpage import MatchPage, fits, sticks_out, turn_to
from page.records import wandering
from page.test_browser_ladders import FILE
from page.test_ladders import results, write_results
from page.test_tournaments import store_blocks

TALL = "Z" + "\u0301" * 31
"""A name that is as high as several lines of text."""
WIDE = "W" * 32
"""A name that is as wide as can be."""
CUP = f"""
name = "cup"
game = "angrymob"
format = "knockout"
seeds = [1]
bots = [{{ name = "{WIDE}", command = "CamperJoe" }}, {{ name = "Bob", command = "CamperJoe" }}]
"""
HEIGHTS = "rows => rows.map(row => row.offsetHeight)"
USUAL = re.compile("GravityGoers|RandomRunners|Dummy|Demo|Null")
"""The names in the arena's records."""
BELOW = """controls => {
  // How far the focus reaches below the controls at the window's bottom.
  const focus = document.activeElement;
  const top = controls.getBoundingClientRect().top;
  return Math.max(0, focus.getBoundingClientRect().bottom - top);
}"""
COLUMNS = "cards => getComputedStyle(cards).gridTemplateColumns.split(' ').length"


def test_a_tall_name_stays_in_its_line(arena, bots, show):
    """Combining marks are clipped where they would cover other rows."""
    pair = bots(arena, "tall", TALL, "Ada")
    pair.asked()
    page = show(f"{arena.page}/")
    card = page.get_by_role("region", name="Running").get_by_role("article")
    card = card.filter(has_text="room tall")
    name = card.locator(".name").filter(has_text=TALL)
    expect(name).to_be_visible()
    expect(name).to_have_css("overflow-y", "clip")
    heights = card.get_by_role("listitem").evaluate_all(HEIGHTS)
    assert heights[0] == heights[1]


def test_the_widest_name_stays_in_its_place(arenas, tmp_path, bots, show):
    """It widens no page on a phone, and covers nothing in a bracket or on the screen of a hall."""
    ladder = "w" * 64
    cup = tmp_path / "cup.toml"
    cup.write_text(CUP)
    store_blocks(cup, [0])
    write_results(tmp_path / "lanista-data", results(0, WIDE, "Bob"), ladder=ladder)
    text = FILE.replace("pit", ladder).replace('0.1:0"', '0.1:0", tournaments = ["cup.toml"]')
    arena = arenas(text, kind=FileArena, folder=tmp_path, change=IN_THREADS)
    pair = bots(arena, "wide", WIDE, "Bob")
    pair.asked()
    page = show(f"{arena.page}/", size=NARROW)
    expect(page.get_by_role("img", name="Board of WWW")).to_be_visible()
    assert fits(page)
    page.get_by_role("link", name="Watch", exact=True).click()
    match = MatchPage(page)
    match.at(0)
    for name in ("Answers", "Logs", "Ledger", "Legend", "Score"):
        expect(match.panel(name)).to_be_visible()
        assert fits(page), name
    pair.leave()
    heats = page.get_by_role("region", name="Bracket").locator(".heat")
    for path, widest in (
        ("", page.get_by_role("region", name="Results").filter(has_text=WIDE)),
        ("#/matches", page.get_by_role("row").filter(has_text=WIDE)),
        (f"ladder/{ladder}", page.get_by_role("region", name="Table")),
        (f"ladder/{ladder}/bot/{WIDE}", page.get_by_role("region", name="Opponents")),
        (f"ladder/{ladder}/bot/{WIDE}/against/Bob", page.get_by_text("was placed above")),
        ("#/operator", page.get_by_role("combobox").filter(has_text=ladder)),
        ("tournament/cup", heats.filter(has_text=WIDE)),
    ):
        page.goto(f"{arena.page}/{path}")
        expect(widest.first).to_be_visible()
        assert fits(page), path
    assert not sticks_out(heats, ".round")
    page = show(f"{arena.page}/screen?tournament=cup")
    turn_to(page.locator(".bracket").filter(has_text=WIDE))
    names = page.locator(".standings .name")
    turn_to(names.first)
    assert not sticks_out(names, "th")


def test_the_standings_have_room_for_a_name(arena, show):
    """On a projector usual names fit beside six numbers; on a phone nothing is cut off."""
    page = show(f"{arena.page}/")
    table = page.get_by_role("table").filter(has_text="RandomRunners")
    expect(table).to_be_visible()
    heights = table.get_by_role("row").filter(has_text=USUAL).evaluate_all(HEIGHTS)
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


def test_the_levels_of_a_board_fill_a_wide_screen(replay):
    """They lie beside each other, with all players below them."""
    match = replay("crematoria", 9)
    assert 0.85 * DESK["width"] < match.board.bounding_box()["width"]
    one, other = match.geometry()
    assert one["y"] == other["y"]
    for at in range(4):
        expect(match.players.nth(at)).to_be_in_viewport(ratio=1)


def test_the_end_of_a_match_of_four_leaves_room_for_what_happened(replay):
    """Two lines, below a line for each bot that lost."""
    match = replay("hogwarts", 9)
    match.page.keyboard.press("End")
    expect(match.page.locator(".failed p")).to_have_count(3)
    assert match.events.evaluate("events => events.clientHeight") >= 40
    # Beside its place, its faults and its points, each bot's name can be read.
    cut = "names => names.filter(name => name.scrollWidth > name.clientWidth).length"
    match.page.set_viewport_size({"width": 1160, "height": 720})
    expect(match.players.locator(".badge").filter(has_text="refused")).to_have_count(1)
    assert 0 == match.players.locator(".name").evaluate_all(cut)


def test_two_players_below_each_other_are_seen_at_the_end(arenas, show, tmp_path):
    """A wide board leaves a narrow column, with a long headline."""
    rows = [["."] * 47 for _ in range(29)]
    rows[0][0], rows[-1][-1] = "A", "B"
    board = "\n".join(["29 47", *map(" ".join, rows), ""])
    record = wandering(tmp_path, 2, board=board)
    match = MatchPage(show(arenas(records=[record]).address(match_of(record))))
    match.begin()
    match.page.keyboard.press("End")
    expect(match.players.first).to_contain_text("1st")
    for at in range(2):
        expect(match.players.nth(at)).to_be_in_viewport(ratio=1)


def test_a_phone_shows_one_level_at_a_time(replay):
    """Two buttons choose it; a wide window shows both again."""
    match = replay("crematoria", 9, size=PHONE)
    names = [match.page.get_by_role("button", name=name) for name in ("Underground", "Outside")]
    pictures = []
    for name in names:
        name.click()
        expect(name).to_have_attribute("aria-pressed", "true")
        assert 1 == len(match.geometry())
        pictures.append(match.picture())
    assert pictures[0] != pictures[1]
    assert fits(match.page)
    match.page.set_viewport_size(DESK)
    expect(names[0]).to_be_hidden()
    wait_until(lambda: 2 == len(match.geometry()), "both levels are shown")


def test_on_a_narrow_page_the_controls_cover_nothing_that_has_the_focus(replay):
    """Whoever has enlarged the page to a phone's width goes through a round's answers by Tab."""
    match = replay("hogwarts", 20, size=PHONE)
    controls = match.page.locator(".transport")
    answers = match.panel("Answers").get_by_text("as it was sent")
    match.page.evaluate("scrollTo(0, 0)")
    match.page.get_by_role("button", name="D: only Dummy-2").focus()
    match.page.keyboard.press("Tab")  # to all of them, which can be scrolled
    for n in range(answers.count()):
        match.page.keyboard.press("Tab")
        expect(answers.nth(n)).to_be_focused()
        assert 0 == controls.evaluate(BELOW)


def test_a_phone_that_is_turned_goes_on_with_what_is_read(replay):
    """On its side the evidence is scrolled, otherwise the page."""
    match = replay("hogwarts", 9, size=PHONE)
    story = match.panel("Story")
    story.evaluate("story => story.scrollIntoView()")
    for size in (ON_ITS_SIDE, PHONE):
        match.page.evaluate("new Promise(requestAnimationFrame)")  # told where it is scrolled
        match.page.set_viewport_size(size)
        expect(story).to_be_in_viewport()


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
