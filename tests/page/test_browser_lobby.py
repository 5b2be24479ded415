"""The lobby in a browser: who waits, what runs, who won; the operator's commands; the theme."""

import json
import re
from datetime import datetime

import pytest
from playwright.sync_api import expect

from e2e.running import wait_until
from lanista.match.record import read_record
from page.arena import match_of
from page.matchpage import MatchPage
from page.records import edited, wandering

NOBODY = "No bot is waiting. A bot connects to the arena's port and says hello."


@pytest.fixture(scope="module")
def arena(arenas, records):
    """Matches of three turns, which wait for a start; one of each game was played before."""
    return arenas("--start", "manual", "--move-limit", 3, records=records.values())


def waiting(page, room):
    """What is shown of those who wait in a room."""
    return page.get_by_role("region", name="Waiting").get_by_role("article").filter(has_text=room)


def running(page):
    return page.get_by_role("region", name="Running").get_by_role("article")


def start(page, room):
    return page.get_by_role("button", name=f"Start a match of Angry Mob, room {room}")


def test_a_match_from_the_first_bot_to_its_result(arena, bots, show):
    """Start waits for the seats to be full; the match is shown live; its result stands in words,
    and it is played again.
    """
    # Names of its own: other tests' matches are among the results.
    page = show(f"{arena.page}/")
    expect(page).to_have_title("Lobby · Lanista")
    expect(page.get_by_text(NOBODY)).to_be_visible()
    pair = bots(arena, "whole", "Ava")
    room = waiting(page, "room whole")
    expect(room).to_contain_text("Angry Mob")
    expect(room.get_by_role("listitem")).to_have_text(re.compile("^Ava"))
    expect(room).to_contain_text("1 of 2")
    expect(room).to_contain_text("1 more bot is needed")
    expect(start(page, "whole")).to_be_disabled()
    expect(page.get_by_text(NOBODY)).to_be_hidden()
    pair.join(arena, "whole", "Bea")
    expect(room).to_contain_text("2 of 2")
    expect(start(page, "whole")).to_be_enabled()
    start(page, "whole").click()
    pair.asked()
    expect(room).to_have_count(0)
    card = running(page).filter(has_text="room whole")
    expect(card).to_contain_text("move 0 of 3")
    players = card.get_by_role("listitem")
    expect(players).to_have_text([re.compile("Ava.*1"), re.compile("Bea.*1")])
    board = MatchPage(page, board=card.get_by_role("img", name="Board of Ava, Bea"))
    drawn = board.picture()
    pair.play(("2 1 1 1", ""))  # recruits one unit
    expect(card).to_contain_text("move 1 of 3")
    expect(players).to_have_text([re.compile("Ava.*2"), re.compile("Bea.*1")])
    assert drawn != board.picture()
    pair.play(("", ""))
    pair.answer()
    results = page.get_by_role("region", name="Results")
    result = results.get_by_role("listitem").filter(has=page.get_by_role("link"), has_text="Ava")
    expect(result).to_contain_text("move limit reached")
    expect(card).to_have_count(0)
    table = page.get_by_role("region", name="Standings").get_by_role("row")
    expect(table.filter(has_text="Ava")).to_contain_text("½")
    # While nothing runs, the last match is played again.
    last = page.get_by_role("region", name="Last match")
    expect(last).to_contain_text("Ava")
    expect(last).to_contain_text("move 3 of 3")
    expect(last).to_contain_text(re.compile("move [0-2] of 3"))
    result.get_by_role("link", name="draw").click()
    MatchPage(page).begin()
    expect(page).to_have_url(re.compile(f"/match/{pair.match}"))


def test_a_match_that_was_being_opened_when_the_connection_was_lost_is_shown_later(arena, visit):
    """Otherwise its card would say that there is no picture for as long as the tab is open."""
    page, asked = visit().context.new_page(), []

    def connect(socket):
        server = socket.connect_to_server()

        def pass_on(message):
            if '"open"' in message:
                asked.append(message)
            if len(asked) == 1:
                socket.close()
            else:
                server.send(message)

        socket.on_message(pass_on)

    page.route_web_socket(re.compile("/api/1/ws"), connect)
    page.goto(f"{arena.page}/")
    last = page.get_by_role("region", name="Last match")
    expect(last).to_contain_text(re.compile(r"(move|round) \d+ of"))
    assert len(asked) > 1


def test_a_tab_that_stays_open_says_that_the_arena_has_another_version_by_now(arena, visit):
    """Its script may not understand what that sends."""
    page, hellos = visit().context.new_page(), []

    def connect(socket):
        def pass_on(message):
            if '"hello"' in message:
                hellos.append(socket)
                message = json.dumps(json.loads(message) | {"software": f"0.{len(hellos)}"})
            socket.send(message)

        socket.connect_to_server().on_message(pass_on)

    page.route_web_socket(re.compile("/api/1/ws"), connect)
    page.goto(f"{arena.page}/")
    expect(page.get_by_text(NOBODY)).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    hellos[0].close()
    expect(page.get_by_role("alert")).to_contain_text("load the page again")
    expect(page.get_by_text("connection lost, trying again")).to_be_hidden()


def test_the_lobby_says_why_no_match_begins(arena, visit):
    """The words are shown while records can't be written, and go when they can."""
    page, lobbies = visit().context.new_page(), []

    def connect(socket):
        def pass_on(message):
            if '"lobby"' in message:
                lobbies.append((socket, json.loads(message)))
                message = json.dumps(lobbies[-1][1] | {"trouble": "No space left on device"})
            socket.send(message)

        socket.connect_to_server().on_message(pass_on)

    page.route_web_socket(re.compile("/api/1/ws"), connect)
    page.goto(f"{arena.page}/")
    expect(page.get_by_role("alert")).to_contain_text("written (No space left on device)")
    socket, lobby = lobbies[-1]
    socket.send(json.dumps(lobby))
    expect(page.get_by_role("alert")).to_have_count(0)


def test_automatic_and_manual(arena, bots, show):
    """The operator's switch: all pages show it; Manual waits for Start, Automatic for nobody."""
    first, second = show(f"{arena.page}/"), show(f"{arena.page}/", beside=True)

    def mode(page, name):
        group = page.get_by_role("group", name="How matches start")
        return group.get_by_role("button", name=name)

    expect(mode(second, "Manual")).to_have_attribute("aria-pressed", "true")
    pair = bots(arena, "mode", "Ada", "Bob")
    expect(start(second, "mode")).to_be_enabled()
    mode(first, "Automatic").click()
    try:
        expect(mode(second, "Automatic")).to_have_attribute("aria-pressed", "true")
        pair.asked()
        expect(running(second).filter(has_text="room mode")).to_be_visible()
    finally:
        mode(first, "Manual").click()
        expect(mode(first, "Manual")).to_have_attribute("aria-pressed", "true")


def test_kick(arena, bots, show):
    """Kick asks once more, closes the bot's connection, and tells it why."""
    page = show(f"{arena.page}/")
    ada = bots(arena, "kick", "Ada")
    kick = page.get_by_role("button", name="Close the connection of Ada")
    kick.click()
    expect(kick).to_have_text("Really kick?")
    expect(waiting(page, "room kick")).to_be_visible()
    kick.click()
    told = "error shutdown the operator closed this connection\n"
    assert told == ada.peers[0].rest()
    expect(waiting(page, "room kick")).to_have_count(0)
    expect(page.get_by_text(NOBODY)).to_be_visible()


def test_pause_and_cancel_in_the_lobby(arena, bots, show):
    """A card's Pause holds the match, Resume lets it go on, Cancel ends it after a question."""
    page = show(f"{arena.page}/")
    pair = bots(arena, "hold", "Cem", "Dil")
    start(page, "hold").click()
    pair.asked()
    card = running(page)
    card.get_by_role("button", name="Pause").click()
    expect(card.get_by_text("paused", exact=True)).to_be_visible()
    pair.answer()
    expect(card).to_contain_text("move 1 of 3")
    card.get_by_role("button", name="Resume").click()
    pair.asked()
    expect(card.get_by_text("paused", exact=True)).to_be_hidden()
    cancel = card.get_by_role("button", name="Cancel the match of Cem, Dil")
    cancel.click()
    expect(cancel).to_have_text("End this match?")
    cancel.click()
    told = "error shutdown the operator ended this match\n"
    assert [told, told] == [peer.rest() for peer in pair.peers]
    result = page.get_by_role("link", name="aborted, doesn't count").first
    expect(result).to_be_visible()
    expect(card).to_have_count(0)
    # It has no story, though it is over.
    result.click()
    match = MatchPage(page)
    match.at(1)
    expect(match.panel("Story")).to_contain_text("if it was played to its end")


def test_the_list_of_matches_and_its_filters(arena, show):
    """By game, player and end; a filter is part of the address; a match opens from its row."""
    page = show(f"{arena.page}/#/matches")
    rows = page.get_by_role("row").filter(has=page.get_by_role("cell"))
    expect(rows.filter(has_text="Crematoria")).to_have_count(1)
    page.get_by_label("Game").select_option("Hogwarts")
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile("game=hogwarts"))
    expect(rows).to_contain_text("Demo")
    page.get_by_role("link", name="Show all").click()
    # The form is made anew with the list: what is filled in before that is lost.
    expect(rows.filter(has_text="Crematoria")).to_have_count(1)
    page.get_by_label("Player").fill("GravityGoers")
    page.get_by_label("Player").press("Enter")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("GravityGoers won (base captured)")
    page.get_by_label("End").select_option("void")
    expect(page.get_by_text("No match fits these filters.")).to_be_visible()
    expect(rows).to_have_count(0)
    # It was applied when it was chosen: the way back is one step all the same.
    page.get_by_role("button", name="Show", exact=True).click()
    page.go_back()
    rows.get_by_role("link", name="Watch GravityGoers, RandomRunners").click()
    MatchPage(page).begin()
    page.go_back()
    expect(rows).to_have_count(1)


def test_the_way_back_leads_to_where_a_long_list_was_left(arenas, show, tmp_path):
    """Though it is loaded anew, it is as long again as it was. A link leads to its beginning."""
    record = wandering(tmp_path, 2)
    paths = [
        edited(record, tmp_path / f"{n}.jsonl.gz", {0: {"match": f"01LIST{n:0>20}"}})
        for n in range(110)
    ]
    page = show(f"{arenas(records=paths).page}/#/matches")
    rows = page.get_by_role("row")
    expect(rows).to_have_count(51)
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(101)
    rows.last.scroll_into_view_if_needed()
    kept = "history.state?.scrolled === scrollY && scrollY > 0"
    wait_until(lambda: page.evaluate(kept), "it is noted how far it is scrolled")
    left = page.evaluate("scrollY")
    rows.last.get_by_text("Replay").click()
    expect(page.get_by_role("slider")).to_be_visible()
    page.go_back()
    expect(rows).to_have_count(101)
    wait_until(lambda: left == page.evaluate("scrollY"), "the list is scrolled as it was")
    rows.last.get_by_text("Replay").click()
    expect(page.get_by_role("slider")).to_be_visible()
    page.get_by_role("link", name="Matches").click()
    expect(rows).to_have_count(51)
    assert 0 == page.evaluate("scrollY")


def test_a_list_of_matches_that_stays_open_is_kept_up_to_date(arena, bots, show):
    """A match that runs in it ends there too, and new ones come on top."""
    lobby = show(f"{arena.page}/")
    page = show(f"{arena.page}/#/matches?player=Eva", beside=True)
    expect(page.get_by_text("No match fits these filters.")).to_be_visible()
    rows = page.get_by_role("row").filter(has=page.get_by_role("cell"))
    pair = bots(arena, "list", "Eva", "Fay")
    start(lobby, "list").click()
    pair.asked()
    expect(rows).to_have_text([re.compile("running")])
    pair.play(("", ""), ("", ""))
    pair.answer()
    expect(rows).to_have_text([re.compile("draw")])


@pytest.mark.long
def test_numbers_have_the_same_form_in_every_language(arena, records, visit):
    """The page is English: a point among its digits would be one of decimals."""
    scores = read_record(records["hogwarts"]).result.scores
    best = f"{max(scores):,}"
    assert "," in best
    page = visit(locale="de-DE").open(f"{arena.page}/#/matches?game=hogwarts")
    players = page.get_by_role("row").filter(has_text="Demo")
    expect(players.locator(".score").first).to_have_text(best)
    players.get_by_role("link", name="Watch").click()
    match = MatchPage(page)
    match.begin()
    page.keyboard.press("End")
    expect(match.players.first).to_contain_text(best)


def test_times_in_a_tab_that_stays_open_get_their_day(arena, records, visit):
    """Otherwise yesterday's match would be taken for one of today."""
    started = datetime.fromisoformat(read_record(records["hogwarts"]).header.started)
    page = visit().context.new_page()
    page.clock.install(time=started)
    page.goto(f"{arena.page}/#/matches?game=hogwarts")
    time = page.get_by_role("cell").get_by_role("time")
    expect(time).to_have_text(f"{started:%H:%M}")
    page.clock.fast_forward("24:00:00")
    expect(time).to_contain_text(f"{started.day} {started:%b}")


def test_the_theme_is_kept(arena, visit):
    """It begins as the system has it; the button's choice holds in other pages and later."""
    one = visit(theme="light")
    page = one.open(f"{arena.page}/")
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "light")
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(colour)
    page.get_by_role("button", name="Change to the dark theme").click()
    expect(html).to_have_attribute("data-theme", "dark")
    assert light != page.evaluate(colour)
    other = one.open(f"{arena.page}/#/matches")
    expect(other.locator("html")).to_have_attribute("data-theme", "dark")
    expect(other.get_by_role("button", name="Change to the light theme")).to_be_visible()


def test_a_view_is_printed_dark_on_white_without_what_is_clicked(arena, visit):
    """A teacher prints the standings; the theme is the dark one again then."""
    page = visit(theme="dark").open(f"{arena.page}/")
    html, colour = page.locator("html"), "getComputedStyle(document.documentElement).{}"
    standings = page.get_by_role("region", name="Standings")
    expect(standings.get_by_role("table")).to_have_count(3)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(html).to_have_attribute("data-theme", "light")
    assert "rgb(255, 255, 255)" == page.evaluate(colour.format("backgroundColor"))
    expect(page.get_by_role("banner")).to_be_hidden()
    expect(page.get_by_role("button")).to_have_count(0)
    expect(standings.get_by_role("table").first).to_be_visible()
    rows = standings.get_by_role("row")
    assert {"avoid"} == set(rows.evaluate_all("rs => rs.map(r => getComputedStyle(r).breakInside)"))
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(html).to_have_attribute("data-theme", "dark")


def test_the_keyboard_reaches_everything_in_order(arena, show):
    """Tab goes through the header's links and buttons; what has the focus can be seen."""
    page = show(f"{arena.page}/")
    page.reload()  # nothing has the focus
    expect(page.get_by_text(NOBODY)).to_be_visible()
    seen = []
    for _ in range(8):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.textContent"))
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert "none" != page.evaluate(outline), seen
    assert ["Lanista", "Lobby", "Matches", "Operator", "Open file"] == seen[:5]
    assert ["Automatic", "Manual"] == seen[6:]


def test_links_lead_to_paths_without_loading_the_page_again(arena, records, show):
    """What a link shows of itself is made by the server, which sees no hash; a hash leads to the
    same place, and "back" to where one was.
    """
    match = match_of(records["hogwarts"])
    page = show(f"{arena.page}/#/matches?game=hogwarts")
    page.evaluate("window.isSame = true")
    page.get_by_role("link", name="Watch").first.click()
    expect(page).to_have_url(re.compile(rf"^{arena.page}/match/{match}([?]round=\d+)?$"))
    expect(page.get_by_role("slider")).to_be_visible()
    page.evaluate("(hash) => { location.hash = hash; }", f"#/match/{match}?round=9")
    MatchPage(page).at(9)
    expect(page).to_have_url(f"{arena.page}/match/{match}?round=9")
    page.get_by_role("link", name="Lobby").click()
    expect(page).to_have_url(f"{arena.page}/#/")
    page.go_back()
    MatchPage(page).at(9)
    page.go_back()
    page.go_back()
    expect(page).to_have_url(f"{arena.page}/#/matches?game=hogwarts")
    expect(page.get_by_role("cell").first).to_be_visible()
    assert page.evaluate("window.isSame")
    page.goto(f"{arena.page}/match/{match}?round=5")
    MatchPage(page).at(5)
