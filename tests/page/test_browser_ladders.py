"""Ladders in a browser: the lobby's card, a table, a bot, two bots, and how to connect."""

import re
import sys
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from e2e.running import FileArena, Program, environment
from lanista.bots.client_libraries import CLIENTS
from lanista.results.match_result import Estimate
from lanista.results.rating_history import RatingHistory
from page.matchpage import DASH
from page.test_ladders import HOSTILE, PLAYED, write_results
from support.arenas import stored_ladder

FILE = """
port = 0
workers = 1
page = { listen = "127.0.0.1:0" }

[[ladders]]
name = "pit"
game = "angrymob"
house = ["CamperJoe"]
"""


ROW = """async (bot) => {
  // A table with one bot, and what shows its token, of which there is none.
  const { tableSection } = await import("/page/ladders.js");
  const { authorization } = await import("/page/owner.js");
  const table = tableSection("pit");
  const unknown = { rating: null, rank_low: null, rank_high: null, day: null, week: null };
  const row = { rank: 1, bot, house: false, matches: 2, points: 1, failures: 0, ...unknown };
  table.update({ rows: [row], rests: {} });
  return [table.element.querySelector("tbody th").textContent, authorization([bot])];
}"""


class LadderArena(FileArena):
    """One with a ladder on which something was played, and its page."""

    def __init__(self, folder, text=FILE, **more):
        write_results(folder / "lanista-data", *PLAYED)
        # A curve has a point more than the one that the arena adds when it is started.
        with stored_ladder(folder / "lanista-data") as store:
            before = Estimate(value=1400.0, low=1300.0, high=1500.0)
            RatingHistory(store).add(datetime.now(UTC) - timedelta(days=2), {"Cem": before})
        super().__init__(folder, text, **more)


@pytest.fixture(scope="module")
def arena(arenas):
    return arenas(kind=LadderArena)


def test_from_the_lobby_to_two_bots(arena, show):
    """The card leads to the table, that to a bot, and that to its matches against another one."""
    page = show(f"{arena.page}/")
    card = page.get_by_role("region", name="Ladders").get_by_role("article")
    expect(card).to_contain_text("Angry Mob · 4 bots, 19 matches · no bot is connected")
    expect(card.get_by_role("row").nth(1)).to_contain_text("Ann")
    card.get_by_role("link", name="pit").click()
    expect(page).to_have_title("pit · Lanista")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ladder pit")
    table = page.get_by_role("region", name="Table")
    ann = table.get_by_role("row").filter(has_text="Ann")
    expect(ann.get_by_role("cell").first).to_have_text("1")
    expect(ann.get_by_role("img")).to_be_visible()  # its interval
    house = table.get_by_role("row").filter(has_text="CamperJoe")
    expect(house).to_contain_text("house")
    expect(house.get_by_role("cell").first).to_have_text("")
    # A rating is one number; its interval is shown to who asks for it.
    rating = table.get_by_role("row").filter(has_text="Cem").get_by_role("cell").nth(1)
    expect(rating).to_have_attribute("title", re.compile(r"^\d+ ±\d+$"))
    expect(rating.get_by_text("±")).to_be_hidden()
    page.get_by_label("Intervals as figures").check()
    expect(rating.get_by_text("±")).to_be_visible()
    table.get_by_role("link", name="Cem").click()
    expect(page).to_have_title("Cem · pit · Lanista")
    expect(page.get_by_text("Angry Mob · rank 3 · 11 matches")).to_be_visible()
    expect(page.get_by_role("region", name="Rating over time").get_by_role("img")).to_be_visible()
    failures = page.get_by_role("region", name="Failures")
    expect(failures).to_contain_text("1\u00a0crash")
    # What a bot has said is text, and its invisible signs are shown.
    expect(failures).to_contain_text(f"crash: exit code 1 {HOSTILE[:-1]}\ufffd")
    assert 0 == page.locator("main b").count()
    expect(page.get_by_role("region", name="Seats").get_by_role("row")).to_have_text(
        ["SeatMatchesPlacesFailed", f"A50{DASH}51", f"B61{DASH}50"]
    )
    versions = page.get_by_role("region", name="Versions").get_by_role("row")
    expect(versions.nth(1)).to_contain_text("connected")
    expect(versions.nth(2).get_by_role("cell").nth(1)).to_have_text("1")  # its only match
    page.get_by_role("link", name="Against Bob").click()
    expect(page).to_have_title(f"Cem {DASH} Bob · pit · Lanista")
    expect(page.get_by_role("heading", level=1)).to_have_text("Cem against Bob")
    expect(page.get_by_text("Cem was placed above 0 times, tied 0 times, below 6")).to_be_visible()
    expect(page.get_by_role("region", name="Last matches").get_by_role("row")).to_have_count(7)
    page.get_by_role("heading", level=1).get_by_role("link", name="Bob").click()
    expect(page.get_by_text("Angry Mob · rank 2")).to_be_visible()
    # No curve of a single point.
    expect(page.get_by_role("region", name="Rating over time")).to_be_hidden()
    page.get_by_role("link", name="pit").click()
    expect(table).to_be_visible()


@pytest.mark.parametrize("name", ["constructor", "__proto__"])
def test_a_bot_may_be_called_like_something_that_each_object_has(arena, show, name):
    """A bot called `constructor` doesn't rest, and nobody has shown its token."""
    page = show(f"{arena.page}/")
    assert [name, {}] == page.evaluate(ROW, name)


def test_high_contrast_shows_how_sure_a_rating_is(arena, show):
    """Also where the system sets the colours, its interval is drawn."""
    page = show(f"{arena.page}/#/ladder/pit")
    interval = page.get_by_role("region", name="Table").locator(".whisker").first
    expect(interval).to_be_visible()
    page.emulate_media(forced_colors="active")
    try:
        page_colour, *colours = interval.evaluate(
            "one => [[document.body.parentElement], [one, '::before'], [one, '::after']]"
            ".map(drawn => getComputedStyle(...drawn).backgroundColor)"
        )
    finally:
        page.emulate_media(forced_colors="none")
    assert page_colour not in colours


def test_how_to_connect(arena, show, tmp_path):
    """For each language the commands that get its library from this page, and a program with the
    address of this arena, the ladder's room, a name and a new secret, which plays there.
    """
    page = show(f"{arena.page}/#/ladder/pit")
    connect = page.get_by_role("region", name="Connect")
    connect.get_by_text("Connect your bot").click()
    expect(connect).to_contain_text(f"127.0.0.1:{arena.port}")
    commands, program = connect.locator("pre").nth(0), connect.locator("pre").nth(1)
    expect(commands).to_have_text(f"pip install {arena.page}/clients/python.zip")
    connect.get_by_label("Name").fill("Newcomer")
    expect(program).to_contain_text(re.compile('"Newcomer".*token="[0-9a-f]{32}"', re.DOTALL))
    bot = tmp_path / "mybot.py"
    bot.write_text(program.text_content())
    env = environment(PYTHONPATH=str(CLIENTS / "python"))
    newcomer = Program((sys.executable, str(bot)), tmp_path, env=env)
    try:
        expect(page.get_by_text(re.compile(r"Now: .*(waits|plays)"))).to_be_visible()
    finally:
        newcomer.end()
    connect.get_by_label("Language").select_option("Go")
    expect(commands).to_contain_text(f"curl -O {arena.page}/clients/go.zip")
    expect(program).to_contain_text(f'Port: {arena.port}, Room: "pit"')
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for number, text in enumerate((commands, program)):
        connect.get_by_role("button", name="Copy").nth(number).click()
        page.wait_for_function(
            "async (text) => (await navigator.clipboard.readText()) === text",
            arg=text.text_content(),
        )


def test_what_is_not_there_is_told(arena, show, windows):
    windows[0][0].pardon(r"404 .*/(ladders/pit/bots/Nobody|(ladders|tournaments)/nowhere)")
    page = show(f"{arena.page}/")
    for kind, words in (("ladder", "The ladder"), ("tournament", "The standings")):
        page.goto(f"{arena.page}/#/{kind}/nowhere")
        expect(page.get_by_role("alert")).to_have_text(
            f"{words} can't be loaded: there is no {kind} 'nowhere' here"
        )
        expect(page.get_by_text("being computed")).to_have_count(0)
    page.goto(f"{arena.page}/#/match/nothing")
    expect(page.get_by_role("alert")).to_contain_text("there is no match 'nothing' here")
    page.goto(f"{arena.page}/#/ladder/pit/bot/Nobody")
    expect(page.get_by_text("there is no bot 'Nobody' in the table")).to_be_visible()
    expect(page.get_by_text("Loading")).to_be_hidden()
    expect(page.get_by_role("table")).to_have_count(0)
