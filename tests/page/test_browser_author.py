"""The page as an author's workshop, in a browser: answers in words and what they are about, faults,
crashes, the turn that decided, spoilers, the board by keyboard, and who can use all of it.
"""

import itertools
import re

import pytest
from playwright.sync_api import expect

from e2e.running import wait_until
from lanista.games import registry
from lanista.match.record import read_record
from lanista.match.replay import all_faults, positions, start
from lanista.page.story import story_of
from page.arena import match_of
from page.axe import DESK_AND_PHONE, loaded_axe, serious
from page.browser import PHONE
from page.matchpage import MatchPage
from page.records import edited

TRACEBACK = (
    'ready\nTraceback (most recent call last):\n  File "bot.py", line 3, in <module>\n'
    "    x[3]\nKeyError: '<b>3</b>'\n"
)


def test_an_answer_is_told_in_words_and_points_at_the_board(records, replay):
    """The page tells what a bot ordered, why it changed nothing, and when the answers came.

    It leads from the text to the board, and back.
    """
    record = read_record(records["hogwarts"])
    # A wizard that had something in its way, in some round.
    game, unit, why = next(
        (game, unit, why)
        for game in positions(record, registry.get("hogwarts"))
        for unit, why in game.frame().idle.items()
        if unit >= 4
    )
    n = game.turn
    match = replay("hogwarts", n)
    line = match.panel("Answers").get_by_role("listitem").filter(has_text=f"wizard {unit} moves")
    expect(line).to_contain_text(re.compile(rf"\sno effect: {re.escape(why)}"))
    # Its bot's card has the sum.
    told = re.compile(r"^(\d+) submoves?.*, (\d+) without effect$")
    summary = match.panel("Answers").get_by_text(told).first.inner_text()
    count, idle = told.match(summary).groups()
    expect(match.players.filter(has_text=f"{idle} of {count} without effect").first).to_be_visible()
    dark = match.picture()
    line.hover()
    match.expect_another_picture(dark)
    match.page.mouse.move(2, 2)
    match.expect_picture(dark)
    cell = game.cells[unit]
    match.hover(*divmod(cell, 60))
    expect(line).to_have_class(re.compile("pointed"))
    match.page.mouse.move(2, 2)
    expect(line).not_to_have_class(re.compile("pointed"))
    # What was sent is a click away, and only of the player that is chosen.
    match.page.get_by_role("button", name="B: only Demo").click()
    panel = match.panel("Answers")
    expect(panel.get_by_role("heading")).to_have_count(1)
    panel.get_by_text("as it was sent").click()
    expect(panel.get_by_text(record.turns[n - 1].raw[1], exact=True)).to_be_visible()
    match.page.get_by_role("button", name="All players").click()
    times = match.panel("Ledger").get_by_role("row").filter(has_text="answered")
    expect(times).to_have_count(4)
    match.go(0)
    expect(match.panel("Answers")).to_contain_text("no answer led here")


def test_faults_are_a_key_away(records, replay):
    """The next and the previous fault of any player, or of the chosen one: where it begins."""
    record, ruleset = read_record(records["hogwarts"]), registry.get("hogwarts")
    by_turn = all_faults(record, start(record.header, ruleset))
    at_fault = [{fault.seat for fault in faults} for faults in by_turn]
    wasted = [chapter for chapter in story_of(record, ruleset).chapters if chapter.last]
    rounds = {
        seat: sorted(
            {
                n
                for n, (before, seats) in enumerate(itertools.pairwise([set(), *at_fault]), 1)
                if seat in seats - before
            }
            | {chapter.round for chapter in wasted if chapter.seat == seat}
        )
        for seat in range(4)
    }
    of_any = sorted({n for of_seat in rounds.values() for n in of_seat})
    match = replay("hogwarts", 0)
    press = match.page.keyboard.press
    match.button("To the next fault").click()
    match.at(of_any[0])
    match.go(len(record.turns))
    press("p")
    match.at(of_any[-1])
    faulty = next(seat for seat, of_seat in rounds.items() if of_seat)
    faultless = next(seat for seat, of_seat in rounds.items() if not of_seat)
    match.button(f"{'ABCD'[faulty]}: only").click()
    press("Home")
    press("n")
    match.at(rounds[faulty][0])
    match.button(f"{'ABCD'[faultless]}: only").click()
    expect(match.button("To the next fault")).to_have_attribute("aria-disabled", "true")
    press("n")
    match.at(rounds[faulty][0])


def test_the_end_is_told_when_it_is_asked_for(records, replay):
    """Neither who won nor where it was decided; the page remembers who wants to know."""
    record = read_record(records["angrymob"])
    match = replay("angrymob", 3)
    won = match.page.get_by_text(re.compile("^GravityGoers won"))
    decided = match.button("Decided")
    expect(match.page.get_by_text(re.compile("leads?:|level:"))).to_be_visible()
    expect(won).to_be_hidden()
    expect(decided).to_be_hidden()
    match.page.keyboard.press("End")
    match.at(len(record.turns))
    expect(won).to_be_visible()
    match.go(3)
    expect(won).to_be_hidden()
    match.page.keyboard.press("s")
    expect(won).to_be_visible()
    expect(match.page).to_have_url(re.compile(r"\?round=3$"))
    match.page.reload()
    match.at(3)
    expect(won).to_be_visible()
    decided.click()
    match.at(story_of(record, registry.get("angrymob")).decided)


@pytest.fixture
def failing(dropped, records, tmp_path):
    """Show a match that the bot in seat B didn't end as it should; at its end, B was as given."""

    def failing(**process):
        well = {"exit": "exited with code 0", "output": "all is well\n"}
        result = {"endings": ["normal", "disconnect"], "bots": [well, process]}
        return dropped(edited(records["angrymob"], tmp_path / "crashed.jsonl", **result))

    return failing


def test_a_killed_bot_says_how(failing):
    """Its last line may be about anything."""
    page = failing(exit="killed by SIGSEGV", output="round 31\n").page
    page.keyboard.press("End")
    crash = page.get_by_role("status").filter(has_text="RandomRunners")
    expect(crash).to_contain_text("RandomRunners crashed (killed by SIGSEGV): round 31")


def test_a_crash_says_what_crashed(failing):
    """The last line of the traceback, and all of the output a click away."""
    match = failing(
        exit="exited with code 1",
        output=f"hello\n{TRACEBACK}",
        output_turns=[[1, len("hello\n")]],
    )
    page = match.page
    crash = page.get_by_role("status").filter(has_text="RandomRunners crashed:")
    expect(crash).to_be_hidden()
    page.keyboard.press("End")
    expect(crash).to_contain_text("KeyError: '<b>3</b>'")
    page.get_by_role("button", name="Output of B").click()
    output = page.get_by_role("tabpanel", name="Output")
    expect(output).to_contain_text('File "bot.py", line 3')
    # It stands at the turn in which it was read. What a bot that didn't crash wrote is no alarm.
    output.get_by_role("button", name="Move 2", exact=True).click()
    match.at(2)
    expect(output.locator(".now")).to_contain_text("KeyError: '<b>3</b>'")
    page.get_by_role("button", name="All players").click()
    expect(output).to_contain_text("all is well")
    expect(output.locator("b")).to_have_text(["KeyError: '<b>3</b>'"])


def test_the_board_by_keyboard(replay):
    """Its cells are told one by one; the other keys go on stepping when the board is left."""
    match = replay("crematoria", 5)
    match.page.keyboard.press("b")
    board = match.page.get_by_role("application")
    expect(board).to_be_focused()
    match.page.keyboard.press("ArrowRight")
    # Of the players' units the one nearest to the middle.
    told = match.page.get_by_role("status").filter(has_text="underground, row")
    expect(told).to_have_text(re.compile(r"pioneer \d+, of [A-D]"))
    row, column = map(int, re.search(r"row (\d+), column (\d+)", told.inner_text()).groups())
    assert max(abs(row - 20), abs(column - 40)) < 20
    match.page.keyboard.press("ArrowDown")
    match.page.keyboard.press("ArrowLeft")
    there = match.page.get_by_text(f"underground, row {row + 1}, column {column - 1}", exact=True)
    expect(there).to_be_visible()
    match.at(5)
    match.page.keyboard.press("Escape")
    expect(there).to_be_hidden()
    match.page.keyboard.press("ArrowUp")  # on from there
    expect(there).to_be_visible()


def test_the_board_is_zoomed_and_moved(replay):
    """By keys, by the wheel where the pointer is, and by dragging, which follows no unit."""
    match = replay("hogwarts", 5)
    (whole,) = match.geometry()

    def tile():
        return match.geometry()[0]["tile"]

    match.hover(30, 30)
    match.page.mouse.wheel(0, -600)
    wait_until(lambda: tile() > 2 * whole["tile"], "the board is larger")
    # The cell under the pointer is still there.
    expect(match.page.get_by_text("row 30, column 30", exact=True)).to_be_visible()
    (before,) = match.geometry()
    match.page.mouse.down()
    match.page.mouse.move(*(200, 300), steps=3)
    match.page.mouse.up()
    wait_until(lambda: before != match.geometry()[0], "the board has moved")
    assert before["tile"] == tile()
    expect(match.button("Unfollow")).to_be_hidden()
    match.page.keyboard.press("0")
    wait_until(lambda: [whole] == match.geometry(), "the whole board is seen")
    match.page.keyboard.press("z")
    wait_until(lambda: tile() > whole["tile"], "the board is larger")
    match.page.keyboard.press("x")
    wait_until(lambda: [whole] == match.geometry(), "the whole board is seen again")
    match.page.keyboard.press("v")
    expect(match.players.first).to_be_hidden()
    match.page.keyboard.press("v")
    expect(match.players.first).to_be_visible()


def pinch(page, centre, *distances):
    """Put two fingers on a point, so far apart one after another, and lift them."""
    touch = page.context.new_cdp_session(page)

    def dispatch(kind, distance):
        points = [
            {"x": centre["x"] + side * distance / 2, "y": centre["y"], "id": side + 1}
            for side in (-1, 1)
        ]
        event = {"type": kind, "touchPoints": [] if kind == "touchEnd" else points}
        touch.send("Input.dispatchTouchEvent", event)

    dispatch("touchStart", distances[0])
    for distance in distances[1:]:
        dispatch("touchMove", distance)
    dispatch("touchEnd", 0)
    touch.detach()


def test_two_fingers_zoom_the_board(arena, records, visit):
    """Apart and together; what is between the fingers stays there, and the page isn't zoomed."""
    one = visit(size=PHONE, touch=True)
    match = MatchPage(one.open(f"{arena.address(match_of(records['hogwarts']))}?round=5"))
    match.at(5)
    (whole,) = match.geometry()
    box = match.board.bounding_box()
    centre = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    pinch(match.page, centre, 60, 80, 100, 120, 140, 160, 180)

    def tile():
        return match.geometry()[0]["tile"]

    wait_until(lambda: tile() >= 2 * whole["tile"], "the board is larger")
    (zoomed,) = match.geometry()
    # The cell in the middle, as a share of the board, is still in the middle of what is seen.
    middle = (box["width"] / 2 - zoomed["x"]) / zoomed["tile"]
    assert middle == pytest.approx(box["width"] / 2 / whole["tile"], abs=3)
    assert 1 == match.page.evaluate("visualViewport.scale")
    pinch(match.page, centre, 180, 140, 100, 60, 40, 20)
    wait_until(lambda: [whole] == match.geometry(), "the whole board is seen")


def test_the_board_fills_the_screen(replay):
    """The board and the controls alone, larger; the browser's own way out leads back, too."""
    match = replay("hogwarts", 5)
    (whole,) = match.geometry()
    full = "document.fullscreenElement !== null"
    match.button("Full screen").click()
    wait_until(lambda: match.page.evaluate(full), "it is on the whole screen")
    expect(match.players.first).to_be_hidden()
    expect(match.slider).to_be_visible()
    wait_until(lambda: match.geometry()[0]["tile"] > whole["tile"], "the board is larger")
    match.page.keyboard.press("ArrowRight")
    match.at(6)
    match.page.evaluate("document.exitFullscreen()")
    expect(match.players.first).to_be_visible()
    wait_until(lambda: [whole] == match.geometry(), "the board is as before")
    match.page.keyboard.press("v")
    wait_until(lambda: match.page.evaluate(full), "it is on the whole screen")
    match.page.keyboard.press("v")
    wait_until(lambda: not match.page.evaluate(full), "it is in the window")
    expect(match.players.first).to_be_visible()


@DESK_AND_PHONE
def test_nothing_serious_is_in_anybodys_way(arena, records, visit, size, theme):
    """axe-core's findings, on a desk and on a phone, in both themes."""
    one = visit(size=size, theme=theme)
    match = MatchPage(one.open(f"{arena.address(match_of(records['hogwarts']))}?round=20"))
    match.at(20)
    match.page.keyboard.press("s")
    loaded_axe(one, match.page)
    match.panel("Answers")
    found = serious(match.page)
    for name in ("Logs", "Ledger", "Score"):
        found += serious(match.page, match.panel(name))
    assert [] == found
