"""A match as one HTML file, opened from the disk by a browser that has no network."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from lanista.match.record import read_record
from lanista.page.html import bundle
from lanista.page.replay_reader import read_frames
from page.matchpage import MatchPage


@pytest.fixture
def alone(visit):
    """Open such a file without a network; it may ask for nothing then."""
    one = visit(offline=True)
    page = one.context.new_page()

    def alone(address):
        page.goto("about:blank")
        page.goto(address)
        return MatchPage(page)

    yield alone
    assert {urlsplit(url).scheme for url in one.requests} <= {"about", "file", "data", "blob"}


def test_it_plays_and_its_slider_goes_everywhere(alone, records, tmp_path):
    """All controls work, the round is part of the address, and nothing of an arena is offered."""
    file = tmp_path / "match.html"
    file.write_bytes(b"".join(bundle(read_frames(records["angrymob"]))))
    address = file.as_uri()
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
