"""A match that is over, in a browser: going through its rounds, what is told of them, and the
pixels of its board beside the position that the engine plays again.
"""

import re

import pytest
from playwright.sync_api import expect

from lanista.games import registry
from lanista.match.record import read_record
from lanista.match.replay import positions
from lanista.page.story import story_of
from page.arena import match_of
from page.drawn import colour_of, drawings, is_colour, point
from page.matchpage import MatchPage
from support.traces import some_always

LARGE = {"width": 1900, "height": 1500}
"""A window in which every cell has pixels that nothing of its neighbours reaches."""
PALETTE = "import('/page/colours.js').then(colours => colours.PALETTE)"
GROUND = {"wall", "floor"}
SEEN = {
    "angrymob": GROUND | {("unit", seat) for seat in (-1, 0, 1)},
    "crematoria": GROUND
    | {"sun", "night", ("unit", -1)}
    | {(kind, seat) for kind in ("ground", "unit") for seat in range(4)},
    "hogwarts": GROUND | {(kind, seat) for kind in ("ground", "unit") for seat in range(4)},
}
"""What must be among what is compared, or the test compares nothing."""


def replayed(path):
    """The game after every turn of a record; one object that changes."""
    record = read_record(path)
    return positions(record, registry.get(record.header.game))


def test_the_keyboard_does_all_of_it(records, replay):
    """Every key of the help, and the help itself; none while a field is written in.

    The buttons beside the slider do the same.
    """
    last = len(read_record(records["hogwarts"]).turns)
    match = replay("hogwarts")
    match.begin()
    press = match.page.keyboard.press
    for key, n in (
        ("ArrowRight", 1),
        ("Shift+ArrowRight", 11),
        # These scroll, where there is something to scroll.
        *((key, 11) for key in ("ArrowDown", "PageDown", "ArrowUp", "PageUp")),
        ("ArrowLeft", 10),
        ("Shift+ArrowLeft", 0),
        ("ArrowLeft", 0),
        ("End", last),
        ("ArrowRight", last),
        ("Home", 0),
    ):
        press(key)
        match.at(n)
    for key, speed in (("+", "2"), ("=", "4"), ("-", "2"), ("-", "1"), ("-", "0.5")):
        press(key)
        expect(match.speed).to_have_value(speed)
    # Slowly first: at full speed it may be over before anybody has looked.
    press(" ")
    expect(match.button("Pause")).to_be_visible()
    expect(match.page).not_to_have_url(re.compile(r"[?]round="))  # only while it is paused
    for _ in range(7):
        press("+")
    expect(match.speed).to_have_value("64")
    match.at(last)
    press("l")  # of a match that is over: its end
    match.at(last)
    movement, order = match.button("Movement"), match.button("By score")
    expect(movement).to_have_attribute("aria-pressed", "true")
    press("a")
    expect(movement).to_have_attribute("aria-pressed", "false")
    scores = read_record(records["hogwarts"]).result.scores
    by_seat = ["Dummy", "Demo", "Null", "Dummy-2"]
    by_score = [by_seat[seat] for seat in sorted(range(4), key=lambda seat: -scores[seat])]
    assert by_seat != by_score
    expect(order).to_have_attribute("aria-pressed", "true")
    assert by_score == match.names()
    press("o")
    expect(order).to_have_attribute("aria-pressed", "false")
    assert by_seat == match.names()
    press("?")
    helped = match.page.get_by_role("dialog", name="Keys")
    expect(helped).to_contain_text("one round back, and pause")
    press("Home")  # not for the match now
    press("Escape")
    expect(helped).to_be_hidden()
    match.at(last)
    press("h")
    helped.get_by_role("button", name="Close").click()
    expect(helped).to_be_hidden()
    match.field.focus()
    press("h")
    press("Home")
    expect(helped).to_be_hidden()
    match.at(last)
    match.field.fill("")
    press("Enter")
    expect(match.field).to_have_value(str(last))
    match.at(last)
    steps = ("One round back", last - 1), ("To the start", 0), ("One round on", 1)
    for name, n in (*steps, ("To the end", last)):
        match.button(name).click()
        match.at(n)


@pytest.mark.parametrize("game", some_always(SEEN, "hogwarts"))
def test_the_board_is_what_the_engine_says(records, replay, game):
    """Pixels of walls, ground, light and units, at several rounds of a match, in both themes."""
    last = len(read_record(records[game]).turns)
    expected = drawings(records[game], [0, 11, last])
    match = replay(game, size=LARGE)
    match.begin()
    palettes = match.page.evaluate(PALETTE)
    compared = set()
    for n, places in expected.items():
        match.go(n)
        geometry = match.geometry()
        assert all(level["tile"] >= 12 for level in geometry)
        compared.update(places.values())
        for theme, other in (("dark", "light"), ("light", "dark")):
            expect(match.page.locator("html")).to_have_attribute("data-theme", theme)
            colours = match.pixels([point(geometry, place) for place in places])
            wrong = {
                place: (looks, colour)
                for (place, looks), colour in zip(places.items(), colours, strict=True)
                if not is_colour(colour, colour_of(looks, palettes[theme]))
            }
            assert {} == wrong, f"round {n}, {theme}"
            match.button(f"Change to the {other} theme").click()
    assert SEEN[game] <= compared


def test_a_unit_is_followed_through_the_rounds(records, replay):
    """By a click or F; its place is told in every round; Esc, or F again, ends it."""
    where = {}
    for n, game in enumerate(replayed(records["hogwarts"])):
        if n in (30, 31, 40):
            where[n] = divmod(game.cells[9], 60)
    match = replay("hogwarts", 30)
    told = match.page.get_by_text("wizard 9", exact=True)
    expect(told).to_be_hidden()
    position = match.hover(*where[30])
    match.board.click(position=position)
    expect(told).to_be_visible()

    def stands_at(n):
        row, col = where[n]
        return match.page.get_by_text(f"row {row}, column {col}", exact=True)

    expect(stands_at(30).first).to_be_visible()
    match.page.mouse.move(2, 2)
    match.page.keyboard.press("ArrowRight")
    match.at(31)
    expect(stands_at(31)).to_be_visible()
    match.go(40)
    expect(stands_at(40)).to_be_visible()
    match.page.keyboard.press("Escape")
    expect(told).to_be_hidden()
    match.hover(*where[40])
    match.page.keyboard.press("f")
    expect(told).to_be_visible()
    match.page.keyboard.press("f")
    expect(told).to_be_hidden()


def test_the_story_is_told_as_far_as_the_match_is_shown(records, replay):
    """Chapters up to the shown round, each leads to its round; by what others lost at the end."""
    record = read_record(records["angrymob"])
    story = story_of(record, registry.get("angrymob"))
    *chapters, end = story.chapters
    match = replay("angrymob")
    match.begin()
    panel = match.panel("Story")
    for chapter in story.chapters:
        expect(panel).not_to_contain_text(chapter.text)
    match.go(end.round)
    for chapter in (*story.chapters, *story.losses[1]):
        expect(panel).to_contain_text(chapter.text)
    first = panel.get_by_role("button", name=str(chapters[0].round), exact=True).first
    match.page.emulate_media(media="print")
    expect(first).to_be_visible()  # as it says when it was
    expect(match.slider).to_be_hidden()
    match.page.emulate_media(media="screen")
    first.click()
    match.at(chapters[0].round)
    expect(panel).to_contain_text(chapters[0].text)
    expect(panel).not_to_contain_text(end.text)


def test_a_followed_link_is_not_overwritten_by_the_shown_round(arena, records, show):
    """The address is no longer updated once a link was followed.

    The timer that updates it fires between the click and the hashchange event.
    """
    address = arena.address(match_of(records["angrymob"]))
    match = MatchPage(show(address + "?round=3"))
    match.at(3)
    match.page.evaluate("""() => {
      window.timers = [];
      window.setTimer = window.setTimeout;
      const kept = (then, ms) => (ms === 250 ? window.timers.push(then) : setTimer(then, ms));
      window.setTimeout = kept;
    }""")
    match.page.keyboard.press("ArrowRight")
    match.at(4)
    match.page.wait_for_function("() => window.timers.length > 0")
    match.page.evaluate(
        """hash => {
      location.hash = hash;
      window.timers.forEach((then) => then());
      window.setTimeout = window.setTimer;
    }""",
        "#" + address.partition("#")[2] + "?round=9",
    )
    match.at(9)


def test_where_to_go_may_be_said_before_the_first_round_is_there(arena, records, visit):
    """The controls are there by then. Otherwise the number is lost, and it plays from its start."""
    page, held, is_asked = visit().context.new_page(), [], False

    def connect(socket):
        server = socket.connect_to_server()

        def pass_on(message):
            if '"frames"' in message and not is_asked:
                held.append(lambda: server.send(message))
            else:
                server.send(message)

        socket.on_message(pass_on)

    page.route_web_socket(re.compile("/api/1/ws$"), connect)
    page.goto(arena.address(match_of(records["angrymob"])))
    match = MatchPage(page)
    match.field.fill("12")
    match.field.press("Enter")
    is_asked = True
    for send in held:
        send()
    expect(page).to_have_url(re.compile("[?]round=12$"))
    match.at(12)


def test_high_contrast_shows_what_is_chosen_and_whose_it_is(replay):
    """Also where the system sets the colours."""
    match = replay("hogwarts", 5)
    page = match.page
    page.emulate_media(forced_colors="active")
    try:
        background = "all => all.map(one => getComputedStyle(one).backgroundColor)"
        marks = match.players.locator(".seat").evaluate_all(background)
        assert 4 == len(set(marks)), marks
        for chosen, other in (("All players", "A: only"), ("Movement", "Spoilers")):
            looks = [
                match.button(name).evaluate("one => getComputedStyle(one).color")
                for name in (chosen, other)
            ]
            assert looks[0] != looks[1], chosen
        lines = [
            page.get_by_role("tab", name=name).evaluate(
                "one => getComputedStyle(one).borderBottomColor"
            )
            for name in ("Answers", "Logs")
        ]
        assert lines[0] != lines[1]
    finally:
        page.emulate_media(forced_colors="none")


def test_less_movement_is_respected(replay):
    """Who asks their system for less movement gets none, until they ask for it here."""
    match = replay("angrymob", movement=False)
    match.at(0)
    movement = match.button("Movement")
    expect(movement).to_have_attribute("aria-pressed", "false")
    match.page.keyboard.press("ArrowRight")
    match.at(1)
    drawn = match.picture()
    match.go(0)
    match.go(1)
    assert drawn == match.picture()


@pytest.mark.parametrize("game", some_always(SEEN, "crematoria"))
def test_a_small_projector_shows_all_at_once(replay, game):
    """At 1280 by 720, and in a window of it: board, players, controls, evidence; no scrolling."""
    match = replay(game)
    match.begin()
    for turn, height in ((9, 720), (11, 600)):
        match.page.set_viewport_size({"width": 1280, "height": height})
        match.go(turn)
        for part in (match.board, match.players.last, match.slider, match.events):
            expect(part).to_be_in_viewport(ratio=1)
        for name in ("Play", "Help", "To the next fault"):
            expect(match.button(name)).to_be_in_viewport(ratio=1)
        chart = match.panel("Score").get_by_role("img", name="Score by")
        expect(chart).to_be_in_viewport(ratio=1)
        for name in ("Logs", "Output", "Ledger", "Score", "Answers"):
            panel = match.panel(name)
            expect(panel).to_be_in_viewport(ratio=1)
            assert panel.evaluate("panel => panel.clientHeight") >= 100
        # It stays while stepping.
        match.page.keyboard.press("ArrowRight")
        match.at(turn + 1)
        expect(match.page.get_by_role("tabpanel", name="Answers")).to_be_visible()
        window = "[document.documentElement.scrollHeight, innerHeight]"
        assert 1 == len(set(match.page.evaluate(window)))
