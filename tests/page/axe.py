"""axe-core, which looks for what is in the way of people who use a page without eyes or mouse."""

from pathlib import Path

import pytest

from page.browser import DESK, PHONE

AXE = Path(__file__).parent / "browser" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = """async (place) => {
  const { violations } = await axe.run(place, { resultTypes: ["violations"], preload: false });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join("; ")}`);
}"""


DESK_AND_PHONE = pytest.mark.parametrize(
    ("size", "theme"), [(DESK, "dark"), pytest.param(PHONE, "light", marks=pytest.mark.long)]
)
"""Has a test look at both themes, one on a desk and one on a phone."""


def loaded_axe(visit, page):
    """Load axe-core into a page; the test is skipped where it isn't installed."""
    if not AXE.exists():
        pytest.skip("axe-core is missing; `make setup-browser` installs it where npm is")
    visit.pardon("Content Security Policy")  # axe-core tries colours out
    page.evaluate(AXE.read_text())


def serious(page, place=None):
    """Return what axe-core finds serious or critical on a page, or in a part of it."""
    return (place or page.locator("html")).evaluate(SERIOUS)
