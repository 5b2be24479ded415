"""Hostile names and logs, and files of others, in a browser."""

import re

from playwright.sync_api import expect

from lanista.games.originals import of_game
from page.arena import MOVE_LIMIT
from page.matchpage import DASH, MatchPage
from support.traces import unpacked_trace

SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"


def expect_text_only(page, text):
    """It is to be read, and made no element."""
    expect(page.get_by_text(text).first).to_be_visible()
    assert 0 == page.locator("img, svg[onload], iframe, script:not([src])").count()


def test_a_live_bot_called_like_a_script(arena, bots, show):
    """In the lobby while it waits and plays, in its match, and in the list afterwards: what it says
    is text, as all that gets into the page by `dom.js` (test_bundle.py).
    """
    page = show(f"{arena.page}/")
    pair = bots(arena, "hostile", SCRIPT)
    expect_text_only(page.get_by_role("region", name="Waiting"), SCRIPT)
    pair.join(arena, "hostile", "<b>Bob</b>")
    pair.asked()
    expect_text_only(page.get_by_role("region", name="Running"), SCRIPT)
    card = page.get_by_role("article").filter(has_text="room hostile")
    card.get_by_role("link", name="Watch", exact=True).click()
    match = MatchPage(page)
    match.at(0)
    assert [SCRIPT, "<b>Bob</b>"] == match.names()
    pair.answer(f"# {IMAGE}\n# \u202egnp.exe \x1b[31mred\x07\n2 1 1 1", "")
    match.at(1)
    logs = match.panel("Logs")
    expect_text_only(logs, IMAGE)
    # What would turn or colour it is shown as a sign.
    expect(logs).to_contain_text("\ufffdgnp.exe ␛[31mred␇")
    pair.asked()
    pair.play(*[("", "")] * (MOVE_LIMIT - 2))
    pair.answer()
    match.state(f"over · move {MOVE_LIMIT}")
    expect(page).to_have_title(f"{SCRIPT} {DASH} <b>Bob</b> · Angry Mob · Lanista")
    match.hover(2, 1)
    expect_text_only(page, f"base of A {SCRIPT}")
    page.get_by_role("link", name="Matches").click()
    expect_text_only(page.get_by_role("table"), SCRIPT)


def test_a_match_file_of_the_original_crematoria(arena, show, tmp_path):
    """Chosen by the button, it plays as a dropped one does."""
    data = unpacked_trace("crematoria/10_Null-Demo-Dummy-alfus_s5.res.gz")
    file = of_game("crematoria").read_res(data.decode())
    path = tmp_path / "match.res"
    path.write_bytes(data)
    page = show(f"{arena.page}/")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open file").click()
    chooser.value.set_files(path)
    match = MatchPage(page)
    match.begin()
    assert sorted(file.names) == sorted(match.names())
    match.page.keyboard.press(" ")
    expect(match.button("Pause")).to_be_visible()
    match.page.keyboard.press("End")
    match.at(120)
    # It has no result: its last position tells who won, whose mark stands before the name.
    won = page.get_by_role("status").filter(has_text="won:")
    expect(won).to_have_text(re.compile(r"^([A-D])\S+ won: [\d,]+ points$"))
    expect(page.get_by_role("tab", name="Answers")).to_have_count(0)  # it tells none
    # It isn't the arena's: there is nothing to download.
    expect(page.get_by_role("link", name="Record")).to_have_count(0)


def test_a_browser_without_scripts_is_told_that_they_are_needed(arena, visit):
    """Nothing is said to be loading, which would never end."""
    page = visit(scripts=False).open(arena.page)
    expect(page.locator("noscript")).to_be_visible()
    expect(page.get_by_text("Loading")).to_be_hidden()
