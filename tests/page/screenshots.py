"""Makes the pictures of docs/page/ anew: `make screenshots`.

House bots play, by fixed seeds, so that the pictures come out alike; only times and the names of
matches differ. No test: look at the pictures.
"""

import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import expect

from lanista.match.record import read_record
from page.arena import Arena, Bots, match_of, play_records
from page.browser import DESK, PHONE, Browser, chromium
from page.matchpage import MatchPage
from page.records import replayed
from page.test_browser_hall import Cup

OUT = Path(__file__).parents[2] / "docs" / "page"
LARGEST = 300_000
"""Bytes of a picture."""
PROJECTOR = {"width": 1920, "height": 1080}
OTHER = {(100, 1): ""}
"""The answers of another version of a bot, for the comparison: by turn and seat of Hogwarts."""
PICTURES = {
    # Game, bots and seed; the round to show.
    "angrymob": (("GravityGoers", "RandomRunners", "-s", 7), 34),
    "hogwarts": (("Dummy", "Demo", "Dummy", "Null", "-s", 3), 120),
    "crematoria": (("Dummy", "Demo", "Dummy", "Null", "-s", 3), 70),
}
MOVES = (("2 1 1 1", ""), ("1 1 1 0", "3 5 1 3"), ("1 1 1 1", ""))
"""Of the match that runs while the lobby is pictured."""


def picture(page, name, *, whole=False):
    """Write what a page shows in its window, or all of it."""
    path = OUT / f"{name}.png"
    page.screenshot(path=path, full_page=whole)
    size = path.stat().st_size
    print(f"{path.relative_to(OUT.parents[1])}: {size:,} bytes")
    if size > LARGEST:
        sys.exit(f"{path.name} has {size:,} bytes; a picture has at most {LARGEST:,}")


@contextmanager
def shown(browser, arena, record, n, **preferences):
    """A match as somebody with these preferences sees it at a round."""
    one = browser.visit(**preferences)
    match = MatchPage(one.open(f"{arena.address(match_of(record))}?round={n}"))
    match.at(n)
    yield match
    one.close()


def of_matches(browser, arena, records):
    """Each game in both themes, and one on a phone."""
    for game, (_, n) in PICTURES.items():
        for theme in ("light", "dark"):
            with shown(browser, arena, records[game], n, theme=theme) as match:
                last = len(read_record(records[game]).turns)
                expect(match.slider).to_have_attribute("max", str(last))
                picture(match.page, f"{game}-{theme}")
    phone = {"size": PHONE, "touch": True, "theme": "light"}
    with shown(browser, arena, records["hogwarts"], 120, **phone) as match:
        picture(match.page, "phone")
    # What an author looks at: why a bot did what it did, with room for all of it.
    record, (_, n) = records["angrymob"], PICTURES["angrymob"]
    with shown(browser, arena, record, n, size=PROJECTOR, theme="dark") as match:
        match.panel("Answers")
        picture(match.page, "author-wide")


def of_a_comparison(browser, arena, pair):
    """Two versions of a bot, from their first difference."""
    (turn, _), *_ = OTHER
    address = f"{arena.page}/#/compare?a={match_of(pair[0])}&b={match_of(pair[1])}"
    for name, size in (("compare", DESK), ("compare-phone", PHONE), ("compare-wide", PROJECTOR)):
        one = browser.visit(size=size, touch=size is PHONE, theme="light")
        page = one.open(address)
        expect(page.get_by_text(f"First difference: round {turn + 1}")).to_be_visible()
        expect(page.get_by_role("table").get_by_role("row").first).to_be_attached()
        picture(page, name)
        one.close()


def of_a_tournament(browser, folder, stack):
    """A knockout while it is played, and on the screen of a hall."""
    cup = Cup(folder)
    stack.callback(cup.end)
    one = browser.visit(theme="light")
    page = one.open(cup.address)
    running = page.get_by_role("region", name="Running").get_by_role("article")
    expect(running.filter(has_text="Waits")).to_contain_text("move 1 of")
    expect(page.get_by_role("region", name="Bracket")).to_contain_text("Joe")
    picture(page, "tournament", whole=True)
    one.close()
    one = browser.visit(size=PROJECTOR, theme="dark")
    page = one.open(f"{cup.page}/screen?seconds=600")
    expect(page.locator(".seats .score")).to_have_count(2)
    picture(page, "screen")
    one.close()


def of_the_lobby(browser, arena, stack):
    """A match that runs and is held, and others that wait."""
    one = browser.visit(theme="light")
    page = one.open(f"{arena.page}/")
    running = Bots(arena, "final", "CamperJoe", "GravityGoers")
    stack.callback(running.leave)
    page.get_by_role("button", name="Start a match of Angry Mob, room final").click()
    running.asked()
    running.play(*MOVES)
    for room, names in (("cup", ("Ada", "Grace")), ("practice", ("Edsger",))):
        waiting = Bots(arena, room, *names)
        stack.callback(waiting.leave)
    card = page.get_by_role("region", name="Running").get_by_role("article")
    expect(card).to_contain_text(f"move {len(MOVES)} of")
    expect(page.get_by_role("button", name="Start a match of Angry Mob, room cup")).to_be_enabled()
    expect(page.get_by_role("region", name="Waiting")).to_contain_text("Edsger")
    expect(page.get_by_role("region", name="Results").get_by_role("listitem").first).to_be_visible()
    picture(page, "lobby")
    page.set_viewport_size(PHONE)
    expect(card.get_by_role("img", name="Board of")).to_be_in_viewport(ratio=1)
    picture(page, "lobby-phone")
    one.close()


def main():
    if chromium() is None:
        sys.exit("no chromium on the PATH; `make setup-browser` says how to get it")
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        records = play_records(Path(folder), {game: words for game, (words, _) in PICTURES.items()})
        other = replayed(Path(folder), records["hogwarts"], OTHER, match=f"01OTHER{'0' * 19}")
        known = [*records.values(), other]
        arena = Arena(Path(folder) / "arena", "--start", "manual", records=known)
        stack.callback(arena.end)
        browser = Browser()
        stack.callback(browser.close)
        of_matches(browser, arena, records)
        of_a_comparison(browser, arena, (records["hogwarts"], other))
        of_the_lobby(browser, arena, stack)
        of_a_tournament(browser, Path(folder) / "cup", stack)


if __name__ == "__main__":
    main()
