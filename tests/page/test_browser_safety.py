"""Hostile names, logs and files in a browser: they are text, and nothing else."""

import json
import re

from playwright.sync_api import expect

from lanista.games.crematoria.state import scores as scores_of
from lanista.games.originals import of_game
from page.arena import MOVE_LIMIT, match_of
from page.matchpage import DASH, MatchPage
from page.records import edited, unpacked
from support.traces import unpacked_trace

SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"


def expect_text_only(page, text):
    """It is to be read, and made no element."""
    expect(page.get_by_text(text).first).to_be_visible()
    assert 0 == page.locator("img, svg[onload], iframe, script:not([src])").count()


def test_a_live_bot_called_like_a_script(arena, bots, show):
    """In the lobby while it waits and plays, in its match, and in the list afterwards."""
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
    pair.answer(f"# {IMAGE}\n2 1 1 1", "")
    match.at(1)
    expect_text_only(match.panel("Logs"), IMAGE)
    pair.asked()
    pair.play(*[("", "")] * (MOVE_LIMIT - 2))
    pair.answer()
    match.state(f"over · move {MOVE_LIMIT}")
    expect(page).to_have_title(f"{SCRIPT} {DASH} <b>Bob</b> · Angry Mob · Lanista")
    match.hover(2, 1)
    expect_text_only(page, f"base of A {SCRIPT}")
    page.get_by_role("link", name="Matches").click()
    expect_text_only(page.get_by_role("table"), SCRIPT)


def hostile(records, folder):
    """A record with a name and a log that are markup."""
    players = json.loads(unpacked(records["angrymob"])[0])["players"]
    players[0]["name"] = IMAGE
    logs = {"0": f"# {IMAGE}\n# \u202egnp.exe \x1b[31mred\x07\n"}
    path = folder / "<img src=x onerror=alert(2)>.jsonl"
    return edited(records["angrymob"], path, {0: {"players": players}, 1: {"logs": logs}})


def test_a_dropped_record(dropped, records, tmp_path):
    """Markup in a name and a log is text; what would turn or colour it is shown as a sign."""
    match = dropped(hostile(records, tmp_path))
    page = match.page
    assert [IMAGE, "RandomRunners"] == match.names()
    match.go(1)
    logs = match.panel("Logs")
    expect_text_only(logs, IMAGE)
    expect(logs).to_contain_text("\ufffdgnp.exe ␛[31mred␇")
    expect(page).to_have_title(f"{IMAGE} {DASH} RandomRunners · Angry Mob · Lanista")
    # It isn't the arena's: there is nothing to download, and no address to hand on.
    expect(page.get_by_role("link", name="Record")).to_have_count(0)
    match.page.keyboard.press("End")
    match.state(f"over · move {match.slider.get_attribute('max')}")


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
    match.page.keyboard.press("ArrowLeft")
    match.at(119)
    leads = page.get_by_text(re.compile(r"^\S+ leads: [\d,]+ points$"))
    expect(leads).to_be_visible()
    expect(won).to_be_hidden()
    match.page.keyboard.press("End")
    match.at(120)
    expect(page.get_by_text("the record has no result")).to_have_count(0)
    expect(page.get_by_role("tab", name="Answers")).to_have_count(0)  # it tells none
    match.page.keyboard.press("o")
    shown = match.players.all_inner_texts()
    last = file.states[-1]
    scores = [f"{score:,}" for score in scores_of(file.settings, last.cells, last.gems)]
    assert all(score in row for score, row in zip(scores, shown, strict=True)), shown


def test_an_address_is_text_too(arena, show):
    """Markup in the address, where somebody else wrote the link: it names no match."""
    page = show(f"{arena.page}/#/match/%3Cimg%20src=x%20onerror=alert(1)%3E?round=%3Cb%3E")
    expect(page.get_by_role("alert").filter(has_text=IMAGE)).to_contain_text("there is no match")
    expect_text_only(page, IMAGE)
    page = show(f"{arena.page}/#/matches?player=%3Cimg%20src=x%20onerror=alert(1)%3E")
    expect(page.get_by_label("Player")).to_have_value(IMAGE)
    expect(page.get_by_text("No match fits these filters.")).to_be_visible()
    assert 0 == page.locator("img").count()


def test_no_script_of_another_place_runs(arena, records, visit):
    """The policy that is sent with the page stops what a hole in it would let in."""
    one = visit()
    page = one.open(arena.address(match_of(records["angrymob"])))
    one.pardon("Content Security Policy")
    stopped = page.evaluate(
        """async () => {
          const stopped = [];
          addEventListener("securitypolicyviolation", (event) => {
            stopped.push(event.effectiveDirective);
          });
          const script = document.createElement("script");
          script.textContent = "document.title = 'taken'";
          document.body.append(script);
          const image = document.createElement("img");
          image.src = "http://127.0.0.1:9/x.png";
          await fetch("http://127.0.0.1:9/").catch(() => {});
          return new Promise((resolve) => {
            const look = () => stopped.length < 3 ? setTimeout(look, 10) : resolve(stopped);
            look();
          });
        }"""
    )
    assert ["connect-src", "img-src", "script-src-elem"] == sorted(stopped)
    assert "taken" != page.title()
