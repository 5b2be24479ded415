"""Files in a browser: opened one after another, and a self-contained file at a given round."""

import re

import pytest
from playwright.sync_api import expect

from lanista.page.html import bundle
from lanista.page.replay_reader import read_frames
from page.matchpage import MatchPage, drop


@pytest.mark.long
def test_files_one_after_another(arena, records, show, tmp_path):
    """The second file replaces the first, also in the history; a refused one is reported."""
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
    # Wait until the new match is drawn, or the old one's controls would get the input.
    expect(match.board).to_have_accessible_name(re.compile("Board of Hogwarts"))
    match.go(3)
    page.go_back()
    expect(page).to_have_url(re.compile("#/matches$"))
    page.go_forward()
    expect(page).to_have_title(re.compile("Hogwarts"))


@pytest.mark.long
def test_a_round_typed_into_the_address_of_a_self_contained_file(records, visit, tmp_path):
    """The file shows the round in its address whenever the address changes."""
    out = tmp_path / "match.html"
    out.write_bytes(b"".join(bundle(read_frames(records["angrymob"]))))
    match = MatchPage(visit(offline=True).open(f"{out.as_uri()}#round=7"))
    match.at(7)
    for n in (20, 4):
        match.page.evaluate("n => { location.hash = `#round=${n}` }", n)
        match.at(n)
    match.button("One move on").click()
    match.at(5)
