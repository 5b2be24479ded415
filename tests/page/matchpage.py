"""The view of a match as a visitor finds it: by roles, labels and words, and by what is drawn.

No arena is started here, and nothing is decided about what a test is to see.
"""

import base64
import contextlib
import json
import re

from playwright.sync_api import expect

from e2e.running import wait_until

DASH = "\N{EN DASH}"
"""Between players in a title."""
PIXELS = """(canvas, text) => {
  // A copy: reading the page's own canvas again and again is what Chromium warns of.
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const pen = copy.getContext("2d", { willReadFrequently: true });
  pen.drawImage(canvas, 0, 0);
  const { data, width } = pen.getImageData(0, 0, canvas.width, canvas.height);
  const hex = (value) => value.toString(16).padStart(2, "0");
  const colours = JSON.parse(text).map(([x, y]) => {
    const [red, green, blue] = data.subarray(4 * (y * width + x));
    return `#${hex(red)}${hex(green)}${hex(blue)}`;
  });
  return colours.join(" ");
}"""
MOST_SHOWN = 100
"""How many things the screen of a hall shows, one after the other, before a test gives up."""
DROP = """(place, [name, base64]) => {
  const data = new DataTransfer();
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  data.items.add(new File([bytes], name));
  for (const type of ["dragover", "drop"]) {
    const event = new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true });
    place.dispatchEvent(event);
  }
}"""


class MatchPage:
    """A page that shows a match."""

    def __init__(self, page, board=None):
        self.page = page
        named = re.compile("^Board of .* after (round|move)")
        self.board = board or page.get_by_role("img", name=named)
        self.slider = page.get_by_role("slider", name=re.compile("^(Round|Move)$"))
        self.field = page.get_by_role("spinbutton", name=re.compile("^Go to (round|move)$"))
        self.players = page.get_by_role("list", name="Players").get_by_role("listitem")
        self.events = page.get_by_role("list", name="What happened")
        self.speed = page.get_by_role("combobox", name="Speed")

    def button(self, name):
        """A button by the beginning of its name."""
        return self.page.get_by_role("button", name=re.compile(f"^{re.escape(name)}"))

    def at(self, n):
        """Wait until round N is drawn and told."""
        expect(self.board).to_have_accessible_name(re.compile(f" after (round|move) {n}:"))
        expect(self.slider).to_have_value(str(n))

    def begin(self):
        """Stand at the start, whether it plays or not."""
        expect(self.board).to_be_visible()
        self.page.keyboard.press("Home")
        self.at(0)

    def go(self, n):
        """Go to a round by its number."""
        self.field.fill(str(n))
        self.field.press("Enter")
        self.at(n)

    def state(self, words):
        """Wait for the words beside the game's title, as `over · round 12`."""
        expect(self.page.get_by_text(words, exact=True)).to_be_visible()

    def names(self):
        """Who plays, in the order shown."""
        return self.players.locator("bdi").all_inner_texts()

    def panel(self, name):
        """Answers, Logs, Ledger …: what its tab shows."""
        self.page.get_by_role("tab", name=name, exact=True).click()
        return self.page.get_by_role("tabpanel", name=name, exact=True)

    # -- what is drawn ---------------------------------------------------------------------------

    def geometry(self):
        """By level: x and y of its corner and the side of a tile, CSS px in the canvas."""
        return self.board.evaluate("canvas => JSON.parse(canvas.dataset.geometry)")

    def pixels(self, points):
        """Colours at points of the canvas, as `#rrggbb`."""
        # As text: thousands of values one by one take Playwright seconds.
        return self.board.evaluate(PIXELS, json.dumps(points)).split(" ")

    def picture(self):
        """The whole canvas, to compare with another; it may be on the way to what is told."""
        return self.board.evaluate("canvas => canvas.toDataURL()")

    def expect_picture(self, picture):
        """Wait until the board looks like this: a round is told before its movement is over."""
        wait_until(lambda: picture == self.picture(), "the board looks as expected")

    def expect_another_picture(self, picture):
        """Wait until the board doesn't look like this: a movement begins where it comes from."""
        wait_until(lambda: picture != self.picture(), "the board looks otherwise")

    def middle(self, row, col, level=0):
        """The middle of a cell on the canvas, in CSS px; its column is that of its level."""
        corner = self.geometry()[level]
        return [corner[axis] + (at + 0.5) * corner["tile"] for axis, at in (("x", col), ("y", row))]

    def hover(self, row, col, level=0):
        """Point at a cell; its column is that of its level."""
        position = dict(zip("xy", self.middle(row, col, level), strict=True))
        self.board.hover(position=position)
        return position


def drop(page, path, place=None):
    """Drop a file on the page, or on a place in it."""
    content = base64.b64encode(path.read_bytes()).decode()
    (place or page.locator("main")).evaluate(DROP, [path.name, content])


def turn_to(what):
    """Have the screen of a hall go on to its next thing until this is shown."""
    for _ in range(MOST_SHOWN):
        with contextlib.suppress(AssertionError):
            expect(what).to_be_visible(timeout=500)
            return
        what.page.keyboard.press("n")
    expect(what).to_be_visible()


def fits(page):
    """Whether nothing has to be scrolled to the side."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def sticks_out(elements, within):
    """Tell whether an element reaches beyond the right edge of what it is in, a selector."""
    right = "element.getBoundingClientRect().right"
    beyond = f"{right} > {right.replace('element', 'element.closest(within)')} + 1"
    return elements.evaluate_all(f"(all, within) => all.some((element) => {beyond})", within)
