"""Two matches side by side in a browser: from their first difference, in step, told in words."""

import functools
import operator
import re

import pytest
from playwright.sync_api import expect

from e2e.running import wait_until
from lanista.games import registry
from lanista.match.record import read_record
from lanista.page.difference import first_difference, json_of_files
from lanista.page.html import bundle
from lanista.page.replay_reader import read_frames
from match.playing import answers, listens
from page.arena import match_of
from page.axe import DESK_AND_PHONE, loaded_axe, serious
from page.browser import DESK, PHONE
from page.matchpage import DASH, MatchPage, fits
from page.records import AWAY, played, replayed, wandering
from support.traces import some_always

CHANGES = {"hogwarts": {(20, 1): ""}, "crematoria": {(10, 1): ""}}
"""By game: the answers that are another bot's, by turn and seat."""
MINUS = "\N{MINUS SIGN}"
MIDDLES = [[x, y] for x in range(40, 400, 12) for y in range(40, 200, 12)]
"""Points of a board, in pixels."""
LOW = {"width": 640, "height": 360}
CROWDED = """(all) => all.filter((one) => {
  const [seat, score] = [".seat", ".score"].map((part) => one.querySelector(part));
  const [{ right }, { left }] = [seat, score].map((part) => part.getBoundingClientRect());
  return right > left;
}).map((one) => one.textContent)"""
"""The players whose score covers their seat."""


@pytest.fixture(scope="module")
def pairs(records, tmp_path_factory):
    """Records of two games: a match of the house bots, and the same with one other answer."""
    folder = tmp_path_factory.mktemp("pairs")
    return {
        game: (
            records[game],
            replayed(folder, records[game], changes, match=f"01OTHER{game.upper():0<19}"),
        )
        for game, changes in CHANGES.items()
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Small matches on one map: a whole one, and one that is over at once."""
    folder = tmp_path_factory.mktemp("small")
    whole = wandering(folder, 6, name=f"01WHOLE{0:019}")
    how = {"name": f"01SHORT{0:019}", "settings": {"move_limit": 6}}
    return whole, played(folder, answers(AWAY), listens, **how)


@pytest.fixture(scope="module")
def arena(arenas, pairs, small):
    return arenas(records=[*(path for pair in pairs.values() for path in pair), *small])


class Comparison:
    """A page that compares two matches; each as if it were alone."""

    def __init__(self, page):
        self.page = page
        self.both = [
            MatchPage(page, page.get_by_role("img", name=re.compile(f"^Match {number}[.]")))
            for number in (1, 2)
        ]
        self.one, self.other = self.both
        self.apart = page.get_by_role("region", name="What differs")
        self.captions = [
            page.get_by_role("list", name=f"Players of match {number}").locator("..")
            for number in (1, 2)
        ]

    def at(self, n, other=None):
        """Wait until round N is shown of both; `other`: that of the second match."""
        self.one.at(n)
        shown = re.compile(f" after (round|move) {n if other is None else other}:")
        expect(self.other.board).to_have_accessible_name(shown)


def address(arena, a, b, **query):
    """Where two records are compared."""
    more = "".join(f"&{name}={value}" for name, value in query.items())
    return f"{arena.page}/#/compare?a={match_of(a)}&b={match_of(b)}{more}"


@functools.cache
def told(path_a, path_b):
    """Return the output of `lanista replay diff`."""
    a, b = read_record(path_a), read_record(path_b)
    return first_difference(a, b, registry.get(a.header.game))


GAMES = pytest.mark.parametrize("game", some_always(CHANGES, "hogwarts"))


@GAMES
def test_they_open_at_their_first_difference_and_go_in_step(arena, pairs, show, game):
    """The round, the answers and the boards that `lanista replay diff` names."""
    difference = told(*pairs[game])
    n = difference.turn + 1
    assert n == difference.position_turn
    compared = Comparison(show(address(arena, *pairs[game])))
    compared.at(n)
    expect(compared.page.get_by_text(f"First difference: round {n}", exact=True)).to_be_visible()
    (seat,) = difference.seats
    only = compared.apart.get_by_text("only in match 1", exact=True).locator("..")
    expect(only.get_by_role("listitem")).to_have_count(len(seat.a.submoves))
    for submove in seat.a.submoves:
        expect(only).to_contain_text(submove)
    other = compared.apart.get_by_text("only in match 2", exact=True).locator("..")
    expect(other).to_contain_text("nothing")
    units = {line.partition(":")[0] for line in difference.position if re.match(r"\w+ \d+:", line)}
    for unit in units:
        expect(
            compared.apart.get_by_role("rowheader", name=re.compile(rf"^{unit}\b"))
        ).to_be_visible()
    assert compared.one.picture() != compared.other.picture()
    lit = [board.pixels(MIDDLES) for board in compared.both]
    compared.page.keyboard.press("ArrowLeft")
    compared.at(n - 1)
    expect(compared.apart).to_contain_text("Both boards are the same.")
    expect(compared.apart).to_contain_text("None led to this round.")
    one, other = compared.both
    wait_until(lambda: one.picture() == other.picture(), "both boards look alike")
    # Both boards are veiled where they are the same, which is almost everywhere.
    for board, veiled in zip(compared.both, lit, strict=True):
        bare = board.pixels(MIDDLES)
        assert 0.9 * len(bare) < sum(map(operator.ne, bare, veiled))
    compared.page.keyboard.press("End")
    compared.at(len(read_record(pairs[game][0]).turns))
    compared.page.keyboard.press("d")
    compared.at(n)
    expect(compared.page).to_have_url(re.compile(rf"&round={n}$"))


def test_pointing_and_zooming_are_of_both_boards(arena, pairs, show):
    """A line lights both; a cell of one is outlined on the other; both show the same part."""
    compared = Comparison(show(address(arena, *pairs["hogwarts"], round=21)))
    compared.at(21)
    dark = [board.picture() for board in compared.both]
    compared.apart.get_by_role("row").filter(has_text="wizard").first.hover()
    for board, before in zip(compared.both, dark, strict=True):
        board.expect_another_picture(before)
    compared.page.mouse.move(2, 2)
    for board, before in zip(compared.both, dark, strict=True):
        board.expect_picture(before)
    compared.one.hover(30, 30)
    expect(compared.page.get_by_text("row 30, column 30", exact=True)).to_be_visible()
    compared.other.expect_another_picture(dark[1])

    def tiles():
        return [board.geometry()[0]["tile"] for board in compared.both]

    whole, same = tiles()
    assert whole == same
    compared.other.hover(10, 10)
    compared.page.mouse.wheel(0, -600)
    wait_until(lambda: min(tiles()) > whole, "both boards are larger")
    assert compared.one.geometry() == compared.other.geometry()
    compared.page.keyboard.press("0")
    wait_until(lambda: [whole, whole] == tiles(), "both boards are seen as a whole")


def test_a_match_that_is_over_sooner_stays_at_its_end(arena, small, show):
    """Its end is told there; that of the other one when it is reached, or asked for."""
    compared = Comparison(show(address(arena, *small)))
    compared.at(1)
    won, draw = re.compile(" won: .*forfeit"), re.compile("^draw: ")
    expect(compared.captions[1].get_by_text(won)).to_be_visible()
    expect(compared.captions[0].get_by_text(draw)).to_be_hidden()
    compared.one.go(4)
    compared.at(4, other=1)
    expect(compared.apart).to_contain_text("One of the matches is over.")
    expect(compared.captions[0].get_by_text(draw)).to_be_hidden()
    compared.page.keyboard.press("s")
    expect(compared.captions[0].get_by_text(draw)).to_be_visible()
    compared.page.keyboard.press("s")
    compared.page.keyboard.press("End")
    compared.at(6, other=1)
    expect(compared.captions[0].get_by_text(draw)).to_be_visible()


def test_matches_that_cannot_be_compared_are_both_named(arena, pairs, show):
    """One error, with what is in the way: another game, no such match, the same."""
    known, other = (match_of(pairs[game][0]) for game in ("hogwarts", "crematoria"))
    unknown = "01AAAAAAAAAAAAAAAAAAAAAAAA"
    page = show(f"{arena.page}/#/compare?a={known}&b={other}")
    alert = page.get_by_role("main").get_by_role("alert")
    expect(alert).to_have_count(1)
    words = "the games differ: hogwarts in A, crematoria in B"
    expect(alert).to_contain_text(f"can't be compared: A is {known}, B is {other}; {words}")
    for other, words in ((unknown, f"no match '{unknown}'"), (known, "the same match")):
        page = show(f"{arena.page}/#/compare?a={known}&b={other}")
        expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()


def test_the_other_match_is_chosen_from_those_that_began_alike(arena, pairs, show):
    """From the match's own page: by a list, or by an id or an address."""
    first, second = (match_of(path) for path in pairs["hogwarts"])
    match = MatchPage(show(f"{arena.address(first)}?round=3"))
    match.at(3)
    match.page.get_by_role("link", name="Compare").click()
    names = "Dummy", "Demo", "Null", "Dummy"
    rows = match.page.get_by_role("row").filter(has=match.page.get_by_role("cell"))
    expect(rows).to_have_count(1)
    expect(match.page.get_by_role("link", name=f" {DASH} ".join(names))).to_be_visible()
    rows.get_by_role("link", name="Compare").click()
    compared = Comparison(match.page)
    compared.at(21)
    expect(match.page).to_have_url(re.compile(f"#/compare.a={first}&b={second}"))
    copied = f"{arena.page}/match/{first}?round=7"  # as "Copy link" has it
    for address in (f" {copied}\n", f"{arena.address(first)}?round=7", first):
        match.page.goto(f"{arena.page}/#/compare?a={second}")
        field = match.page.get_by_role("textbox", name="Id or address of the other match")
        field.fill(address)
        field.press("Enter")
        expect(match.page).to_have_url(re.compile(f"#/compare.a={second}&b={first}"))
    compared.at(21)
    # Each leads to the match alone, at the same round.
    match.page.get_by_role("link", name="Match 2").click()
    MatchPage(match.page).at(21)


def test_the_story_of_a_loss_leads_to_another_match_of_that_bot(arena, pairs, show):
    """By one button: there is only one that began in the same way. And back."""
    first, second = (match_of(path) for path in pairs["hogwarts"])
    match = MatchPage(show(f"{arena.address(first)}?round=50"))
    match.at(50)
    story = match.panel("Story")
    loser = story.get_by_role("heading", name=re.compile("Demo lost by")).locator("..")
    loser.get_by_role("link", name="Compare with another match of it").click()
    compared = Comparison(match.page)
    compared.at(21)
    expect(match.page).to_have_url(re.compile(f"#/compare.a={first}&b={second}"))
    curves = compared.page.get_by_role("img", name="Score: match 2 minus match 1")
    scores = [rf"{letter} [+{MINUS}]?\d" for letter in "ABCD"]
    expect(curves).to_contain_text(re.compile("round 21.*" + ".*".join(scores)))
    match.page.go_back()
    match.at(50)


def test_one_html_file_compares_without_a_network(small, visit, tmp_path):
    """`lanista replay diff A B --html FILE`."""
    out = tmp_path / "diff.html"
    a, b = small
    parts = bundle(read_frames(a), (read_frames(b), json_of_files(a, b)))
    out.write_bytes(b"".join(parts))
    compared = Comparison(visit(offline=True).open(out.as_uri()))
    compared.at(1)
    expect(compared.page.get_by_text("First difference: move 1", exact=True)).to_be_visible()
    expect(compared.page.get_by_role("link")).to_have_count(0)
    compared.page.keyboard.press("ArrowRight")
    compared.at(2, other=1)


@GAMES
def test_all_of_it_is_on_one_screen(arena, pairs, show, game):
    """Both boards, what differs and the controls; on a phone both boards with the slider."""
    page = show(address(arena, *pairs[game]))
    compared = Comparison(page)
    compared.at(told(*pairs[game]).turn + 1)
    assert DESK == page.viewport_size
    parts = [compared.one.board, compared.other.board, compared.one.slider]
    for part in (*parts, compared.apart):
        expect(part).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.set_viewport_size(PHONE)
    for part in parts:
        expect(part).to_be_in_viewport(ratio=1)
    assert fits(page)
    # Each score has its room, also beside what tells how the match ended.
    page.keyboard.press("End")
    for size in (PHONE, LOW, DESK):
        page.set_viewport_size(size)
        for caption in compared.captions:
            expect(caption.locator(".ending")).not_to_be_empty()
            assert [] == caption.get_by_role("listitem").evaluate_all(CROWDED), size


@DESK_AND_PHONE
def test_nothing_serious_is_in_anybodys_way(arena, pairs, visit, size, theme):
    """axe-core's findings, of the comparison and of the choice."""
    one = visit(size=size, theme=theme)
    page = one.open(address(arena, *pairs["hogwarts"]))
    Comparison(page).at(21)
    loaded_axe(one, page)
    found = serious(page)
    page.goto(f"{arena.page}/#/compare?a={match_of(pairs['hogwarts'][0])}")
    expect(page.get_by_role("row").filter(has=page.get_by_role("cell"))).to_have_count(1)
    found += serious(page)
    assert [] == found
