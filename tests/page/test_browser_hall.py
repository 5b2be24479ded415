"""A tournament in a browser while it is played: its page, and the screen of a hall."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from e2e.running import Lanista, bot
from page.arena import OFTEN
from page.matchpage import MatchPage, fits, turn_to
from page.test_tournaments import store_blocks

ADDRESS = "http://hall.example:8080"
SPEC = """\
name = "cup"
game = "angrymob"
format = "knockout"
seeds = [1]
maps = ["pit"]  # small: each match is won within some dozens of moves
settings = {{ move_limit = 150 }}
concurrency = 1
# No answer is late, however busy the machine is.
clock = {{ time_init = 100.0, time_move = 100.0, stall_margin = 600.0 }}

[[bots]]
name = "Joe"
command = "CamperJoe"

[[bots]]
name = "Gravity"
command = "GravityGoers"

[[bots]]
name = "Waits"
command = {waits}
environment = {{ GATE = {gate} }}

[[bots]]
name = "Runner"
command = "RandomRunners"
"""
"""Joe has met Runner, as stored; then Gravity meets Waits."""
LATE_FRAMES = """async () => {
  // A match of two rounds, shown from a link that says no more than the test lets it.
  const { showMatch } = await import("/page/screen_match.js");
  const levels = [{ title: "", col: 0, cols: 3, wraps: false }];
  const head = {
    type: "head", match: "M1", source: "record", game: "made", title: "Made", settings: {},
    players: [{ name: "Ann" }, { name: "Bob" }], rounds: 2,
    scene: {
      rows: 1, cols: 3, ground: ["..."], owners: [], levels, signs: [], kinds: [], stats: [],
      base: "base", turn: "round",
    },
  };
  const frame = (n) => ({
    n, turn: n, key: true, own: [], marks: [[0, n, 0, "disc", "", 1, -1]], scores: [10 * n, 5],
    captions: ["", ""], events: n === 0 ? [] : [[0, "attacked seat 1"]],
  });
  const frames = (from, count, over) => ({
    type: "frames", match: "M1", from, count, over, frames: [frame(from)],
  });
  const result = { end: "finished", reason: "", ranks: [1, 2], scores: [20, 5], turns: 2 };
  const asked = new Map();
  window.answer = (from, isEnd) =>
    asked.get(from)(isEnd ? { type: "end", match: "M1", result } : frames(from, 3, true));
  const link = Object.assign(new EventTarget(), {
    state: "open",
    ask: ({ do: what, from }) =>
      what === "open" ? Promise.resolve(head)
      : what === "close" ? Promise.resolve({ type: "done" })
      : from <= 0 ? Promise.resolve(frames(0, 1, false))
      : new Promise((resolve) => asked.set(from, resolve)),
  });
  const stage = document.createElement("section");
  document.body.replaceChildren(stage);
  window.told = "";
  const how = { seconds: 1.1, signal: new AbortController().signal };
  how.results = () => true;
  how.held = () => false;
  how.tell = (words) => { window.told = words; };
  showMatch(stage, link, { match: "M1", players: head.players }, how);
}"""


class Cup(Lanista):
    """`lanista tournament run --web` of a knockout whose second meeting goes on when it is let."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self._gate = folder / "gate"
        words = {"waits": json.dumps(bot("waits")), "gate": json.dumps(str(self._gate))}
        spec = folder / "cup.toml"
        spec.write_text(SPEC.format(**words))
        store_blocks(spec, [0], names=("Joe", "Runner"))
        run = "tournament", "run", "cup.toml", "--plain", "--web", "127.0.0.1:0"
        super().__init__(run, folder, change=OFTEN)
        self.begins(lambda: "page: " in self.out, "the address of the page is printed")
        (line,) = [line for line in self.out.splitlines() if line.startswith("page: ")]
        self.address = line.removeprefix("page: ")
        self.page = self.address.partition("/#")[0]

    def go_on(self):
        self._gate.touch()


@pytest.mark.timeout(300)  # a whole tournament with two pages, on the busiest of machines too
def test_a_tournament_is_shown_live_on_its_page_and_on_the_screen(arenas, show, visit):
    """While it goes on, up to its last match, with two who look at the same tournament.

    On its page: running matches with their boards; the bracket; cells lead to the matches' replays.
    On the screen, by itself: the line-up, the running match, then the table, and in the end the
    champion; results are hidden until they are shown; phones are shown the address.
    """
    cup = arenas(kind=Cup)
    page = show(cup.address, movement=False)
    articles = page.get_by_role("region", name="Running").get_by_role("article")
    running = articles.filter(has_text="Waits")
    expect(running).to_contain_text("Gravity")  # else the screen might begin with a table
    screen = visit(movement=False).context.new_page()
    screen.clock.install()
    screen.goto(f"{cup.page}/screen?seconds=600&results=hidden&address={ADDRESS}")

    pair = [re.compile("Gravity"), re.compile("Waits")]
    expect(screen.locator(".line-up").get_by_role("listitem")).to_have_text(pair)
    code = screen.get_by_role("img", name=f"QR code of {ADDRESS}")
    expect(code).to_have_js_property("complete", value=True)
    assert screen.locator(".invite img").evaluate("(code) => code.naturalWidth") > 0
    screen.clock.fast_forward(4000)
    expect(screen.locator(".seats").get_by_role("listitem")).to_have_text(pair)
    assert fits(screen)
    size = "Math.min(...[...document.querySelectorAll('.seats .name')].map((name) => "
    size += "parseFloat(getComputedStyle(name).fontSize)))"
    assert 36 <= screen.evaluate(size), "letters are at least a twentieth of the screen's height"
    expect(screen.get_by_role("img", name="Board of")).to_be_visible()
    expect(screen.locator(".seats .score")).to_have_count(0)
    bracket = page.get_by_role("region", name="Bracket")
    expect(bracket).to_be_visible()  # there are standings now
    screen.clock.fast_forward(600_000)
    turn_to(screen.get_by_text("The results will be shown later."))
    screen.keyboard.press("r")
    expect(screen.get_by_role("button", name="Hide results")).to_be_attached()
    expect(screen.locator(".seats .score")).to_have_count(2)
    turn_to(screen.get_by_role("heading", name="Semifinals"))

    expect(running).to_contain_text("Gravity")
    expect(running.get_by_role("img", name="Board of")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    cup.go_on()
    expect(page.get_by_text("all played")).to_be_visible()
    turn_to(screen.get_by_text("Champion", exact=True))
    expect(bracket).to_contain_text("Final")
    expect(bracket.get_by_role("link")).to_have_count(3)
    expect(bracket.locator(".through")).to_have_count(3)
    expect(page.get_by_role("region", name="Race").get_by_role("img")).to_be_visible()
    met = page.get_by_role("region", name="Head-to-head")
    met.get_by_role("link", name=re.compile("the matches of Gravity and Waits")).click()
    expect(page).to_have_url(re.compile("#/matches.tournament=cup&player=Gravity&against=Waits"))
    rows = page.get_by_role("row").filter(has=page.get_by_role("cell"))
    expect(rows.first).to_contain_text("Waits")
    assert 0 == rows.count() % 2
    rows.first.get_by_role("link", name="Watch").click()
    MatchPage(page).begin()
    for one in (page, screen):
        one.goto("about:blank")
    assert 0 == cup.wait()  # all is played, and its pages were closed


def test_while_no_match_runs_the_screen_plays_the_best_part_of_the_last(
    arenas, records, bots, visit
):
    """With what its story tells; a match that begins takes the screen at once: the page's time
    stands still by then, so that nothing else could end the best part.
    """
    arena = arenas("--move-limit", 9, records=[records["hogwarts"]])
    page = visit().context.new_page()
    page.clock.install()
    page.goto(f"{arena.page}/screen")
    expect(page.locator(".about")).to_contain_text("Hogwarts · best part of a recent match · round")
    expect(page.get_by_role("img", name="Board of Dummy, Demo")).to_be_visible()
    expect(page.locator(".beside .chapter")).to_have_text(re.compile("takes the lead"))
    page.clock.pause_at(datetime.now(UTC) + timedelta(seconds=2))
    bots(arena, "hall", "Ann", "Bob").asked()
    line_up = page.locator(".line-up").get_by_role("listitem")
    expect(line_up).to_have_text([re.compile("Ann"), re.compile("Bob")])


def test_the_screen_of_a_tournament_that_is_not_there_says_so(arena, visit):
    """It doesn't promise a next match for ever to whoever has mistyped the name."""
    page = visit().open(f"{arena.page}/screen?tournament=cupp")
    expect(page.get_by_text("There is no tournament of this name here.")).to_be_visible()


def test_no_verdict_stands_over_a_board_that_is_not_the_last(arena, visit):
    """A match's time is over before its last round has come: the verdict waits for that."""
    page = visit().context.new_page()
    page.clock.install()
    page.goto(f"{arena.page}/#/matches")  # where nothing moves, as it does in the lobby
    expect(page.get_by_role("cell").first).to_be_visible()
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)
    page.evaluate(LATE_FRAMES)
    scores = page.locator(".seats .score")
    verdict = page.locator(".verdict")
    page.clock.run_for(900)
    expect(scores).to_have_text(["0", "5"])
    page.evaluate("answer(1, false)")  # there is a second round, and it is the last
    page.clock.run_for(200)
    page.evaluate("answer(3, true)")
    page.clock.run_for(2000)
    expect(scores).not_to_have_text(["20", "5"])
    expect(verdict).to_be_hidden()
    page.evaluate("answer(2, false)")
    page.clock.run_for(500)
    expect(verdict).to_have_text("Ann wins")
    expect(scores).to_have_text(["20", "5"])
    expect(page.locator(".events")).to_contain_text("attacked B Bob")
    assert "round 2 of 2" == page.evaluate("told")
