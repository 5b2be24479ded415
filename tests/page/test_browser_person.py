"""A person plays in a browser: from the form to the replay of a match that was won."""

import os
import signal

from playwright.sync_api import expect

from e2e.running import wait_until
from page.browser import DESK, ON_ITS_SIDE, PHONE
from page.matchpage import MatchPage
from support.processes import argv_of, children_of

ON_TOP = """(one) => {
  const { right, bottom } = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint(right - 9, bottom - 9));
}"""
"""Whether nothing covers the lower right corner of an element."""


def click(match, row, col):
    match.board.click(position=match.hover(row, col))


def begin(page, game, bots):
    """Choose a game and house bots, and play; the match, and the panel of orders."""
    form = page.get_by_role("form", name="Play yourself")
    form.get_by_label("Game").select_option(game)
    form.get_by_label("Your name").fill("Ann")
    form.get_by_label("Seed of the map").fill("" if game == "angrymob" else "7")
    for number, bot in enumerate(bots):
        form.get_by_label("House bot").nth(number).select_option(bot)
    form.get_by_role("button", name="Play").click()
    match = MatchPage(page)
    match.at(0)
    return match, page.get_by_role("region", name="Play")


def test_a_match_is_won_by_clicks(arena, show):
    """A unit is chosen and sent; its order is taken back; it marches to the other base, a step for
    each Enter; at the end the page shows the replay, in which these answers stand.
    """
    page = show(f"{arena.page}/")
    page.get_by_role("link", name="Play yourself").click()
    match, panel = begin(page, "angrymob", ["CamperJoe"])
    state, orders = panel.get_by_role("status"), panel.get_by_role("list", name="Your orders")
    expect(state).to_have_text("Your move 1")
    before = match.picture()
    click(match, 2, 1)
    expect(panel.locator("[aria-live]")).to_contain_text("Chosen: 1 unit.")  # without eyes, too
    match.expect_another_picture(before)
    click(match, 2, 0)
    expect(orders).to_contain_text("1: (2, 1) → (2, 0)")
    orders.get_by_role("button", name="Take back").click()
    expect(orders.get_by_role("listitem")).to_have_count(0)
    click(match, 2, 1)
    click(match, 3, 5)
    expect(orders).to_contain_text("1: (2, 1) → (3, 5) in 7 moves")
    match.expect_another_picture(before)
    for turn in range(1, 7):
        page.keyboard.press("Enter")
        expect(state).to_have_text(f"Your move {turn + 1}")
        match.at(turn)
        expect(orders).to_contain_text(f"→ (3, 5) in {7 - turn} moves" if turn < 6 else "→ (3, 5)")
    panel.get_by_role("button", name="End move").click()
    expect(state).to_have_text("The match is over; this is its replay.")
    match.at(7)
    expect(page.get_by_role("main")).to_contain_text("Ann won: 4 to 0 (base captured)")
    expect(panel.get_by_role("button")).to_have_count(0)
    expect(panel.get_by_role("link", name="Play again")).to_be_visible()
    match.go(1)
    expect(match.panel("Answers")).to_contain_text("1 unit from (2, 1)")


def test_a_unit_is_steered_in_a_game_of_four(arena, show):
    """It goes where it was sent, over several rounds; the others stand, or look for ground by
    themselves; `#/play` leads back to the match until that is given up.
    """
    page = show(f"{arena.page}/#/play")
    match, panel = begin(page, "hogwarts", ["Null", "Null", "Null"])
    expect(panel).to_contain_text("By keyboard: B, arrow keys and Enter")
    # By keyboard it is a unit of one's own at which pointing begins.
    for key in ("b", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(panel).to_contain_text("Chosen: unit ")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("elsewhere Enter ends the round")
    page.keyboard.press("Escape")
    others = panel.get_by_label("The others look for ground")
    others.uncheck()
    click(match, 3, 42)
    expect(panel).to_contain_text("Chosen: unit 12.")
    click(match, 3, 44)
    expect(panel.get_by_role("listitem")).to_contain_text("unit 12: (3, 42) → (3, 44) in 2 rounds")
    page.keyboard.press("Enter")
    match.at(1)
    answers = match.panel("Answers")
    expect(answers).to_contain_text("Ann1 submovewizard 12 moves right")
    expect(panel.get_by_role("listitem")).to_contain_text("unit 12: (3, 43) → (3, 44)")
    others.check()
    page.keyboard.press("Enter")
    match.at(2)
    expect(answers).to_contain_text("Ann21 submoves")
    page.evaluate("location.hash = '#/play'")
    expect(panel).to_contain_text("Your round 3")
    panel.get_by_role("button", name="Leave the match").click()
    panel.get_by_role("button", name="Really resign?").click()
    expect(panel).to_contain_text("The match is over")


def test_a_match_goes_on_when_the_replay_worker_is_killed(arena, show):
    """Whoever plays sees nothing of it."""
    page = show(f"{arena.page}/#/play")
    match, panel = begin(page, "angrymob", ["CamperJoe"])
    workers = [
        child
        for child in children_of(arena.process.pid)
        if "--multiprocessing-fork" in argv_of(child)
    ]
    assert workers
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    for turn in (1, 2):
        page.keyboard.press("Enter")
        match.at(turn)
        expect(panel.get_by_role("status")).to_have_text(f"Your move {turn + 1}")
    panel.get_by_role("button", name="Leave the match").click()
    panel.get_by_role("button", name="Really resign?").click()
    expect(page.get_by_role("main")).to_contain_text("CamperJoe won")


def test_the_board_and_the_orders_are_reached_on_any_screen(arena, show):
    """Nothing covers a part of either, and nobody has to scroll between them."""
    page = show(f"{arena.page}/#/play")
    match, panel = begin(page, "angrymob", ["CamperJoe"])
    for size in (DESK, PHONE, ON_ITS_SIDE):
        page.set_viewport_size(size)
        page.locator(".match").evaluate("match => match.scrollIntoView()")
        for part in (panel, match.board):
            wait_until(lambda part=part: part.evaluate(ON_TOP), f"all is seen: {size}")
    panel.get_by_role("button", name="Leave the match").click()
    panel.get_by_role("button", name="Really resign?").click()


def test_a_game_without_house_bots_is_not_offered(arena, show):
    """There is nobody to play against: the games of other packages."""

    def with_another(route):
        games = route.fetch().json()["games"]
        route.fulfill(json={"games": [*games, {**games[0], "name": "lonely", "title": "Lonely"}]})

    page = show(f"{arena.page}/")
    page.route("**/api/1/games", with_another)
    page.get_by_role("link", name="Play yourself").click()
    options = page.get_by_label("Game").get_by_role("option")
    expect(options).to_have_text(["Angry Mob", "Crematoria", "Hogwarts"])
    page.unroute("**/api/1/games")
