"""What somebody can reach on the page: no control is covered, and nothing jumps, at all sizes."""

import re

import pytest
from playwright.sync_api import expect

from lanista.games import registry
from lanista.match.record import read_record
from lanista.page.story import story_of
from page.arena import match_of
from page.browser import DESK, PHONE
from page.matchpage import MatchPage, fits
from page.records import edited, late_in_a_row

SIZES = (DESK, {"width": 1280, "height": 600}, PHONE)
COVERED = """() => {
  const controls = "a[href], button, input, select, summary, [role=tab]";
  return [...document.querySelectorAll(controls)].flatMap((one) => {
    const shown = one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const box = one.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const scrolled = [];
    for (let part = one.parentElement; part !== null; part = part.parentElement) {
      if (getComputedStyle(part).overflowY !== "visible") {
        scrolled.push(part.getBoundingClientRect());
      }
    }
    // What is scrolled out of sight isn't covered.
    const seen = [{ left: 0, top: 0, right: innerWidth, bottom: innerHeight }, ...scrolled].every(
      ({ left, top, right, bottom }) => left <= x && x <= right && top <= y && y <= bottom,
    );
    const bar = document.querySelector(".transport");
    // On a phone the page scrolls below the bar.
    const isUnder = innerWidth < 900 && bar !== null && y >= bar.getBoundingClientRect().top;
    if (!shown || box.width === 0 || !seen || (isUnder && !bar.contains(one))) {
      return [];
    }
    const top = document.elementFromPoint(x, y);
    const [what, above] = [one, top].map((each) => each?.outerHTML.slice(0, 80));
    return one.contains(top) ? [] : [`${what} under ${above}`];
  });
}"""
CRASH = "Traceback (most recent call last):\n  …\nKeyError: 'gold'\n"
ENDINGS = ("normal", "crash", "late", "malformed")
LAST = {1: (20, "disconnected"), 2: (15, "late"), 3: (18, "malformed")}
"""By seat: the turn of its last fault, and its code."""
FAILURES = ("KeyError: 'gold'", "late: words", "malformed: words")


@pytest.fixture(scope="module")
def failures(arenas, records, tmp_path_factory):
    """The addresses of two matches: on a wide map, in which three bots fail; and one in which a bot
    is late in a row.
    """
    bots = [
        {"exit": "exited with code 0", "output": "hello\n", "output_turns": [[0, 0]]}
        for _ in ENDINGS
    ]
    bots[1] = {
        "exit": "exited with code 1",
        "output": f"hello\n{CRASH}",
        "output_turns": [[0, 0], [20, 6]],
    }
    faults = [
        {"turn": turn, "seat": seat, "code": code, "index": None, "words": "words " * 9}
        for seat, (turn, code) in LAST.items()
    ]
    folder = tmp_path_factory.mktemp("failed")
    result = {"endings": ENDINGS, "faults": faults, "bots": bots}
    path = edited(records["crematoria"], folder / "failed.jsonl.gz", **result)
    late = late_in_a_row(folder)
    arena = arenas(records=[path, late])
    return arena.address(match_of(path)), arena.address(match_of(late))


@pytest.fixture
def failed(failures):
    """The address of a match on a wide map in which three bots fail."""
    address, _ = failures
    return address


def test_a_lobby_without_a_result_covers_no_start(arenas, bots, show):
    """Bots of two rooms wait for a start, as in a fresh `serve --start manual`."""
    arena = arenas("--start", "manual")
    bots(arena, "one", "Ada", "Bob")
    bots(arena, "two", "Cem")
    for size in SIZES:
        page = show(f"{arena.page}/", size=size)
        expect(page.get_by_role("button", name="room one")).to_be_enabled()
        expect(page.get_by_role("region", name="Waiting")).to_contain_text("Cem")
        assert [] == page.evaluate(COVERED), size


def test_the_end_of_a_wide_match_covers_nothing_and_the_dock_stays(failed, show):
    """At each size: from a round in the middle to the end, with failures of three bots."""
    for size in SIZES:
        page = show(f"{failed}?round=10", size=size)
        match = MatchPage(page)
        match.at(10)
        # Nothing of the end is told yet.
        output = match.panel("Output")
        expect(output).to_contain_text("hello")
        expect(output.get_by_text("KeyError")).to_be_hidden()
        for words in FAILURES:
            expect(page.locator(".match-head").get_by_text(words)).to_have_count(0)
        dock = page.get_by_role("region", name="Evidence")
        tops = [dock.bounding_box()["y"]]
        for key, n in (("ArrowRight", 11), ("ArrowRight", 12), ("End", None)):
            page.keyboard.press(key)
            if n is not None:
                match.at(n)
            else:
                expect(page.locator(".failed")).to_contain_text(FAILURES[0])
            if size is not PHONE:
                tops.append(dock.bounding_box()["y"])
        assert max(tops) - min(tops) < 1, (size, tops)
        assert [] == page.evaluate(COVERED), size
        if size is not PHONE:
            bar = page.get_by_role("group", name="Replay").bounding_box()
            box = dock.bounding_box()
            assert box["y"] + box["height"] <= bar["y"], size
    # A crash leads to its round, as every other failure; a bot's turn has its own number.
    page.set_viewport_size(DESK)
    page.locator(".failed").get_by_role("button", name="Round 21").click()
    match.at(21)
    expect(match.panel("Output")).to_contain_text("Round 21 turn 20 for the bots")
    # The list of keys begins at its beginning.
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_text("play or pause")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")


def test_a_low_page_has_the_whole_board_and_one_row_of_controls(failed, show):
    """Phones on their side, the usual window at 200 %, a small phone: the board has the header's
    room.
    """
    for width, height in ((844, 390), (932, 430), (640, 360), (375, 553)):
        size = {"width": width, "height": height}
        page = show(f"{failed}?round=10", size=size)
        match = MatchPage(page)
        match.at(10)
        expect(page.locator(".top")).to_be_hidden()
        bar = page.get_by_role("group", name="Replay").bounding_box()
        board = match.board.bounding_box()
        assert 30 < bar["height"] < 50, size
        assert board["y"] + board["height"] <= bar["y"], size
        assert [] == page.evaluate(COVERED), size
        assert fits(page), size


def test_the_headline_leads_to_the_first_late_turn_in_a_row(failures, show):
    """The last one, by which the bot is out, comes too late to explain it.

    A link from a list of failures leads there too, with the evidence of the bot that failed, and
    its end told.
    """
    _, address = failures
    page = show(f"{address}?fault=1")
    match = MatchPage(page)
    match.at(4)
    expect(match.button("B: only")).to_have_attribute("aria-pressed", "true")
    late = page.locator(".failed p").filter(has_text="late 5 turns in a row")
    expect(late).to_contain_text(re.compile(r"it wrote 12\d+ characters in one turn"))
    # Its one order in each turn is for one of its units.
    expect(match.players.filter(has_text="Ann")).to_contain_text(re.compile(r"1 of \d+ units had"))
    page.keyboard.press("Home")
    match.at(0)
    late.get_by_role("button", name="Round 4", exact=True).click()
    match.at(4)


def test_the_headline_has_a_line_for_each_loser_and_none_is_cut_off(arena, records, failed, show):
    """Its button first, the gravest first, with failures before what others lost by: the reasons
    of their story.
    """
    story = story_of(read_record(records["hogwarts"]), registry.get("hogwarts"))
    game = arena.address(match_of(records["hogwarts"]))
    for address, kinds in ((game, [*["muted"] * 3]), (failed, [None] * 3)):
        page = show(f"{address}?round=1")
        match = MatchPage(page)
        match.at(1)
        page.keyboard.press("End")
        lines = page.locator(".failed p")
        expect(lines.first).to_be_visible()
        assert kinds == [line.get_attribute("class") for line in lines.all()][: len(kinds)]
        for place, line in enumerate(lines.all()):
            box = line.bounding_box()
            assert box["height"] < (30 if place else 54)  # the gravest may need two lines
            assert box["y"] + box["height"] < DESK["height"]
            assert line.evaluate("line => line.firstElementChild.tagName === 'BUTTON'")
        fits = "box => box.scrollHeight <= box.clientHeight && getComputedStyle(box).maxHeight"
        assert "none" == page.locator(".failed").evaluate(fits)
        losses = story.losses.values() if address == game else ()
        for place, (reason, *_) in enumerate(losses):
            expect(lines.nth(place)).to_contain_text(reason.text.split(" of seat ")[0])


def test_among_all_the_seat_that_was_looked_at_comes_first(records, replay):
    """By its fault, by its line in the headline, which is there at the end and leads to where it
    lost the lead, or because it was chosen before.
    """
    story = story_of(read_record(records["hogwarts"]), registry.get("hogwarts"))
    match = replay("hogwarts", 1)
    page = match.page
    first = match.panel("Answers").get_by_role("heading").first
    expect(first).to_have_text(re.compile("^A"))
    page.keyboard.press("Home")
    page.keyboard.press("n")
    expect(first).to_have_text(re.compile("^B"))
    headline = page.locator(".failed p")
    expect(headline).to_have_count(0)
    page.keyboard.press("End")
    seat, (reason, *_) = list(story.losses.items())[-1]
    headline.last.get_by_role("button").first.click()
    match.at(reason.round)
    expect(first).to_have_text(re.compile("^" + "ABCD"[seat]))
    page.get_by_role("button", name=re.compile("^B: only")).click()
    page.get_by_role("button", name="All players").click()
    expect(first).to_have_text(re.compile("^B"))
