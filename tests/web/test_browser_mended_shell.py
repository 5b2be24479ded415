"""What the page around a match does in a browser: files one after the other, rounds in addresses,
names that are piled up high, and a lobby in which much runs.
"""

import re

import pytest
from playwright.sync_api import expect

from lanista.playback.html import bundle
from lanista.playback.replay_reader import read_frames
from web.browser import DESK, PHONE
from web.matchpage import MatchPage, drop, fits

TALL = "Z" + "\u0301" * 31
"""A name that is as high as several lines of text."""
ROWS = "table => [...table.querySelectorAll('tbody tr')].map(row => row.offsetHeight)"
COLUMNS = "cards => getComputedStyle(cards).gridTemplateColumns.split(' ').length"


@pytest.fixture(scope="module")
def arena(arenas, records):
    """An arena that has played a match of each game."""
    return arenas(records=records.values())


@pytest.mark.long
def test_files_one_after_the_other(arena, records, show, tmp_path):
    """The second takes the first one's place, in the history too; a refused one is told."""
    page = show(f"{arena.page}/#/matches")
    expect(page.get_by_text("operator", exact=True)).to_be_visible()
    drop(page, records["angrymob"])
    match = MatchPage(page)
    match.go(12)
    expect(page).to_have_url(re.compile("#/file[?]round=12$"))
    letter = tmp_path / "letter.txt"
    letter.write_text("My holidays\n")
    drop(page, letter)
    expect(page.get_by_role("alert")).to_contain_text("The file can't be shown: letter.txt: ")
    match.at(12)
    assert ["GravityGoers", "RandomRunners"] == match.names()
    match.go(13)
    drop(page, records["hogwarts"])
    expect(page).to_have_title(re.compile("Hogwarts"))
    expect(page.get_by_role("alert")).to_be_hidden()
    # Not before the new match is drawn: the old one's controls would take it.
    expect(match.board).to_have_accessible_name(re.compile("Board of Hogwarts"))
    match.go(3)
    page.go_back()
    expect(page).to_have_url(re.compile("#/matches$"))
    page.go_forward()
    expect(page).to_have_title(re.compile("Hogwarts"))


@pytest.mark.long
def test_a_round_written_into_the_address_of_one_file(records, visit, tmp_path):
    """A self-contained file goes to the round that its address is changed to, again and again."""
    out = tmp_path / "match.html"
    out.write_bytes(b"".join(bundle(read_frames(records["angrymob"]))))
    match = MatchPage(visit(offline=True).open(f"{out.as_uri()}#round=7"))
    match.at(7)
    for n in (20, 4):
        match.page.evaluate("n => { location.hash = `#round=${n}` }", n)
        match.at(n)
    match.button("One round on").click()
    match.at(5)


def test_a_name_as_high_as_a_page_stays_in_its_line(arena, bots, show):
    """Combining marks are cut where they would cover other rows."""
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
    """No usual name is broken beside six numbers on a projector; on a phone nothing is cut off."""
    page = show(f"{arena.page}/")
    table = page.get_by_role("table").filter(has_text="RandomRunners")
    expect(table).to_be_visible()
    heights = table.evaluate(ROWS)
    assert max(heights) - min(heights) <= 2, heights  # a line each, whatever its pixels round to
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
    """Twelve run: three cards in a row, four where there is room, all to be seen at once."""
    for i in range(12):
        bots(arena, f"room {i}".replace(" ", ""), "GravityGoers", "RandomRunners").asked()
    page = show(f"{arena.page}/")
    cards = page.locator(".cards")
    expect(cards.get_by_role("article")).to_have_count(12)
    assert 3 == cards.evaluate(COLUMNS)
    assert DESK == page.viewport_size
    expect(cards.get_by_role("article").last).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1920, "height": 1080})
    assert 4 == cards.evaluate(COLUMNS)
    expect(cards.get_by_role("article").last).to_be_in_viewport(ratio=1)
