"""A match as one HTML file, opened from the disk by a browser that has no network."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from lanista.match.record import read_record
from lanista.page.html import PAGE, bundle
from lanista.page.replay_reader import read_frames
from page.browser import DESK, PHONE
from page.drawn import colour_of, drawings, is_colour, point
from page.matchpage import MatchPage, fits
from page.test_browser_replay import LARGE
from page.test_browser_safety import IMAGE, hostile, original


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Write the files of `lanista replay html`; their addresses."""
    folder = tmp_path_factory.mktemp("shared")

    def shared(path, name):
        out = folder / f"{name}.html"
        out.write_bytes(b"".join(bundle(read_frames(path))))
        return out.as_uri()

    return shared


@pytest.fixture(scope="module")
def cut_off(browser):
    """The window of somebody without a network."""
    one = browser.visit(offline=True)
    yield one, one.context.new_page()
    one.close()


@pytest.fixture
def alone(cut_off):
    """Open such a file without a network, in a window of a size; it may ask for nothing then."""
    one, page = cut_off

    def alone(address, size=DESK):
        page.goto("about:blank")
        page.set_viewport_size(size)
        page.goto(address)
        return MatchPage(page)

    before = len(one.complaints)
    yield alone
    page.evaluate("localStorage.clear()")  # a theme that was chosen
    assert [] == one.complaints[before:]
    asked = {urlsplit(url).scheme for url in one.requests}
    assert asked <= {"about", "file", "data", "blob"}


def test_it_plays_and_its_slider_goes_everywhere(shared, alone, records):
    """All controls work, the round is part of the address, and nothing of an arena is offered."""
    address = shared(records["angrymob"], "angrymob")
    last = len(read_record(records["angrymob"]).turns)
    match = alone(address)
    match.at(0)
    assert ["GravityGoers", "RandomRunners"] == match.names()
    expect(match.page).to_have_title(re.compile("GravityGoers"))
    match.page.keyboard.press("s")
    expect(match.page.get_by_text(re.compile("^GravityGoers won"))).to_be_visible()
    match.slider.fill("20")
    match.at(20)
    match.speed.select_option("64")
    match.page.keyboard.press(" ")
    match.at(last)
    match.state(f"over · move {last}")
    match.go(7)
    expect(match.page).to_have_url(re.compile(r"round=7$"))
    drawn = match.picture()
    for name in ("Lobby", "Matches", "Record"):
        expect(match.page.get_by_role("link", name=name)).to_have_count(0)
    for name in ("Open file", "Pause match", "Copy link"):
        expect(match.button(name)).to_have_count(0)
    there = alone(f"{address}#round=7")
    there.at(7)
    there.expect_picture(drawn)
    there.page.evaluate("location.hash = '#round=20'")  # as one types it
    there.at(20)
    there.button("One move on").click()
    there.at(21)
    there.button("Change to the light theme").click()
    expect(there.page.locator("html")).to_have_attribute("data-theme", "light")


def test_its_board_is_what_the_engine_says(shared, alone, records):
    """The same pixels as an arena's page shows, of a game with two levels, day and night."""
    expected = drawings(records["crematoria"], [15])[15]
    match = alone(f"{shared(records['crematoria'], 'crematoria')}#round=15", size=LARGE)
    match.at(15)
    # The file has one script, from which nothing can be imported.
    colours = (PAGE / "colours.js").read_text(encoding="utf-8").replace("\nexport ", "\n")
    palette = match.page.evaluate(f"(() => {{ {colours}; return PALETTE.dark; }})()")
    geometry = match.geometry()
    colours = match.pixels([point(geometry, place) for place in expected])
    wrong = {
        place: (looks, colour)
        for (place, looks), colour in zip(expected.items(), colours, strict=True)
        if not is_colour(colour, colour_of(looks, palette))
    }
    assert {} == wrong


def test_markup_in_it_is_text(shared, alone, records, tmp_path):
    """A name and a log that are markup, within an HTML file that anybody may be sent."""
    match = alone(f"{shared(hostile(records, tmp_path), 'hostile')}#round=1")
    match.at(1)
    assert [IMAGE, "RandomRunners"] == match.names()
    expect(match.panel("Logs")).to_contain_text(IMAGE)
    assert 0 == match.page.locator("img").count()


@pytest.mark.long
def test_a_match_file_of_an_original_game_on_a_phone(shared, alone, tmp_path):
    """`.res` files too; 390 by 844 without scrolling to the side."""
    path, _ = original("hogwarts", "07_s101_Student-Dummy-Demo-Null", tmp_path)
    match = alone(shared(path, "original"), size=PHONE)
    match.at(0)
    assert fits(match.page)
    match.page.keyboard.press("End")
    match.at(200)
    assert fits(match.page)
