"""Files in a browser, opened one after another."""

import re

from playwright.sync_api import expect

from page.matchpage import MatchPage, drop


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
