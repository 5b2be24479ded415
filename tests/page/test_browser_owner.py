"""The page for those who show a token, in a browser: a bot's owner on a ladder, and the operator;
and who can use the pages around the matches.
"""

import re
import zipfile

import pytest
from playwright.sync_api import expect

from e2e.running import Peer, environment
from lanista.arena.decisions import add_name
from lanista.match.bundle import folder_of
from page.arena import IN_THREADS
from page.axe import loaded_axe, serious
from page.browser import DESK, PHONE
from page.matchpage import MatchPage
from page.records import captured, edited
from page.test_evidence import LADDER, LATER, LOGS
from page.test_ladders import results, write_results
from page.test_tournaments import store_blocks, write_spec
from support.arenas import stored_names

TOKEN = "sesame"


@pytest.fixture(scope="module")
def pit(tmp_path_factory, arenas):
    """An arena with an operator's token, a tournament, and a ladder on which Ann, whose name is
    registered, lost her bot in a match against Bob; and the token of her name.
    """
    folder = tmp_path_factory.mktemp("pit")
    data = folder / "lanista-data"
    write_results(data, results(0, "Bob", "Ann", crashed=True, seats=(1,)))
    record = data / "records" / "2026-05-01" / "M01.jsonl.gz"
    header = {"match": "M01", "ladder": LADDER, "started": LATER}
    bots = [{"exit": "exit code 1", "output": ""}, None]
    edited(captured(folder), record, {0: header, 1: {"logs": LOGS}}, bots=bots)
    bundle = folder_of(record, 0)
    bundle.mkdir()
    (bundle / "about.txt").write_text("Ann\n")
    with stored_names(data) as store:
        token = add_name(store, "Ann")
    cup = write_spec(folder, "cup")
    store_blocks(cup, [0])
    options = ("--ladder", "angrymob=pit", "--tournament", cup)
    env = environment(LANISTA_WEB_TOKEN=TOKEN)
    return arenas(*options, folder=folder, env=env, change=IN_THREADS), token


def test_a_bots_owner_sees_what_it_logged_and_why_it_failed(pit, visit):
    """With the token of its name, in this tab alone; a wrong one changes nothing, and is told."""
    arena, token = pit
    bots = f"{arena.page}/#/ladder/pit/bot"
    one = visit()
    page = one.open(f"{bots}/Ann")
    owner = page.get_by_role("region", name="Owner")
    state = owner.get_by_role("status")
    field, button = owner.get_by_label("Token", exact=True), owner.get_by_role("button")
    bundle = page.get_by_role("button", name="Failure of A")
    beside = owner.get_by_text("Is it yours?")
    beside.click()

    def replay():
        last = page.get_by_role("region", name="Last matches")
        last.get_by_role("link", name="Replay").click()
        match = MatchPage(page)
        match.begin()
        match.go(1)
        return match.panel("Logs")

    expect(state).to_contain_text("only for its owner: show its token.")
    expect(replay()).not_to_contain_text("plan")
    expect(bundle).to_have_count(0)
    page.goto(f"{bots}/Ann")
    beside.click()
    field.fill("wrong")
    button.click()
    words = "The arena refused: no name 'Ann' is registered with this token; check both"
    expect(state).to_contain_text(words)
    expect(field).to_have_value("wrong")  # to be corrected
    field.fill(token)
    button.click()
    expect(state).to_contain_text("You have shown this bot's token")
    expect(field).to_be_hidden()
    logs = replay()
    expect(logs).to_contain_text("Ann's plan")
    expect(logs).not_to_contain_text("Bob's plan")
    expect(bundle).to_have_count(0)  # it would tell who failed
    page.keyboard.press("s")
    with page.expect_download() as download:
        bundle.click()
    assert "M01.seat0.zip" == download.value.suggested_filename
    with zipfile.ZipFile(download.value.path()) as content:
        assert b"Ann\n" == content.read("about.txt")
    # The tab keeps the token, also for a new connection; another tab doesn't know it.
    page.reload()
    page.goto(f"{bots}/Ann")
    owner.get_by_text("It is yours").click()
    expect(state).to_contain_text("You have shown this bot's token")
    page.goto(f"{bots}/Bob")
    beside.click()
    expect(field).to_be_visible()
    other = one.open(f"{bots}/Ann").get_by_role("region", name="Owner")
    other.get_by_text("Is it yours?").click()
    expect(other.get_by_label("Token", exact=True)).to_be_visible()


def refused(arena, hello):
    """Connect a bot that the arena sends away."""
    peer = Peer(arena.port, hello)
    try:
        assert "error " in peer.rest()
    finally:
        peer.leave()


def test_what_bots_log_is_kept_from_viewers_until_the_match_is_over(pit, visit, bots):
    """An opponent's author could look on; the panel says when it is shown."""
    arena, _ = pit
    pair = bots(arena, "guarded", "Ava", "Bea")
    pair.asked()
    match = MatchPage(visit().open(arena.address(pair.match)))
    pair.play(("# to the east\n", ""))
    match.at(1)
    logs = match.panel("Logs")
    expect(logs).to_contain_text("What bots log is shown when the match is over.")
    pair.leave()
    match.at(2)
    match.go(1)
    expect(logs).to_contain_text("to the east")


def test_a_browser_that_stores_nothing_has_tokens_until_the_page_is_left(pit, visit):
    """A browser may be set so, for pages within another site's page for example."""
    arena, token = pit
    one = visit()
    one.context.add_init_script(
        """for (const name of ["localStorage", "sessionStorage"]) {
          Object.defineProperty(window, name, { get() { throw new DOMException("no"); } });
        }"""
    )
    page = one.open(f"{arena.page}/#/ladder/pit/bot/Ann")
    owner = page.get_by_role("region", name="Owner")
    owner.get_by_text("Is it yours?").click()
    owner.get_by_label("Token", exact=True).fill(token)
    owner.get_by_role("button").click()
    expect(owner.get_by_role("status")).to_contain_text("You have shown this bot's token")
    page = one.open(f"{arena.page}/#token={TOKEN}&/operator")
    expect(page.get_by_role("heading", level=1)).to_have_text("Operator")
    expect(page.get_by_role("region", name="Names").get_by_text("Ann")).to_be_visible()


def test_the_operators_page(pit, visit, bots):
    """Names, refusals, commands for many matches at once, and house bots for a room that is chosen
    or named; a new name's token is shown, and whoever is benched.
    """
    arena, _ = pit
    one = visit()
    refused(arena, "<b>Eve</b> v=2")
    page = one.open(f"{arena.page}/#token={TOKEN}&/operator")
    expect(page.get_by_role("heading", level=1)).to_have_text("Operator")
    expect(page).to_have_url(f"{arena.page}/#/operator")  # nobody copies the token with it

    def rows(region):
        return (
            page.get_by_role("region", name=region)
            .get_by_role("row")
            .filter(has=page.get_by_role("cell"))
        )

    expect(rows("Names")).to_have_text([re.compile("^Ann.*the operatornever$")])
    expect(rows("Refused connections")).to_have_count(1)
    expect(rows("Refused connections")).to_contain_text("unknown-version")
    refused(arena, "Fay v=1 seat=9")
    page.get_by_role("button", name="Look again").click()
    expect(rows("Refused connections")).to_have_text(
        [re.compile("127.0.0.1:.*bad-hello.*seat"), re.compile("unknown-version")]
    )

    names = page.get_by_role("region", name="Names")
    names.get_by_label("New name").fill("Zoe")
    names.get_by_role("button", name="Register it").click()
    expect(rows("Names")).to_have_count(2)
    expect(names.locator("code")).to_have_text(re.compile("^[0-9a-f]{32}$"))
    names.get_by_label("Choose Zoe").check()
    names.get_by_label("Ladder").select_option("pit")
    for label, end in (("Bench", "pit"), ("Unbench", "never"), ("Remove", None)):
        button = names.get_by_role("button", name=f"{label} the chosen ones", exact=True)
        button.click()
        names.get_by_role("button", name=f"{label} them? {label} the chosen ones").click()
        if end is not None:
            expect(rows("Names").filter(has_text="Zoe")).to_have_text(re.compile(f"{end}$"))
    expect(rows("Names")).to_have_count(1)

    # Two matches at once, then one of them.
    pairs = [bots(arena, "one", "Cem", "Dil"), bots(arena, "two", "Gus", "Hal")]
    for pair in pairs:
        pair.asked()
    running = page.get_by_role("region", name="Running matches")
    expect(rows("Running matches")).to_have_count(2)

    def command(label):
        button = running.get_by_role("button", name=f"{label} the chosen ones")
        button.click()
        button.click()  # it asks once more

    expect(running.get_by_role("button", name="Cancel the chosen ones")).to_be_disabled()
    expect(running.get_by_role("status")).to_have_text("")
    running.get_by_label("Choose all: Running matches").check()
    expect(running.get_by_role("status")).to_have_text("2 of 2 chosen")
    command("Pause")
    expect(rows("Running matches")).to_have_text([re.compile("paused$")] * 2)
    command("Resume")
    expect(rows("Running matches").filter(has_text="paused")).to_have_count(0)
    running.get_by_label("Choose Cem, Dil").or_(running.get_by_label("Choose Dil, Cem")).uncheck()
    expect(running.get_by_role("status")).to_have_text("1 of 2 chosen")
    command("Cancel")
    expect(rows("Running matches")).to_have_count(1)
    expect(rows("Running matches")).to_contain_text("Cem")
    assert "error shutdown the operator ended this match\n" in pairs[1].peers[0].rest()

    house = page.get_by_role("form", name="Start a house bot")
    house.get_by_label("House bot").select_option("CamperJoe (angrymob)")
    house.get_by_label("Room").fill("guests")
    house.get_by_role("button", name="Start it").click()
    expect(rows("Waiting bots")).to_have_text([re.compile("guests.*CamperJoe")])
    expect(house.locator("datalist option[value=guests]")).to_be_attached()
    # Another tab has no token, and shows nothing of this.
    viewer = one.open(f"{arena.page}/#/operator")
    expect(viewer.get_by_text("watching", exact=True)).to_be_visible()
    expect(viewer.get_by_role("heading", name="Operator")).to_have_count(0)
    expect(viewer.get_by_role("link", name="Operator")).to_be_hidden()


@pytest.mark.parametrize(
    ("size", "theme"), [(DESK, "light"), pytest.param(PHONE, "dark", marks=pytest.mark.long)]
)
def test_nothing_serious_is_in_anybodys_way(pit, visit, bots, size, theme):
    """axe-core's findings on the pages around the matches, wide and narrow, in both themes."""
    arena, _ = pit
    pair = bots(arena, "axe", "Ivy", "Joe")
    bots(arena, "alone", "Kim")
    pair.asked()
    one = visit(size=size, theme=theme)
    page = one.open(f"{arena.page}/#token={TOKEN}&/")
    found = {}
    loaded_axe(one, page)
    for name, there in (
        ("", page.get_by_role("region", name="Ladders").get_by_role("row").first),
        ("matches", page.get_by_role("cell").first),
        ("ladder/pit", page.get_by_role("region", name="Table").get_by_role("row").first),
        ("ladder/pit/bot/Ann", page.get_by_role("region", name="Failures")),
        ("ladder/pit/bot/Ann/against/Bob", page.get_by_text("Ann was placed above")),
        ("operator", page.get_by_role("region", name="Names").get_by_role("cell").first),
        ("tournament/cup", page.get_by_role("region", name="Endings")),
    ):
        page.evaluate("(hash) => { location.hash = hash; }", f"#/{name}")
        expect(there).to_be_visible()
        found[name] = serious(page)
    page.goto(f"{arena.page}/screen?seconds=600")
    expect(page.locator(".seats").get_by_role("listitem")).to_have_count(2)
    loaded_axe(one, page)
    found["screen"] = serious(page)
    assert {name: [] for name in found} == found
