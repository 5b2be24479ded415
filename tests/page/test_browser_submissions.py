"""Programs that are handed in, in a browser: by a name's owner, and as the operator sees them."""

import re

import pytest
from playwright.sync_api import expect

from bots_start.arena import needs_sandbox
from lanista.bots.client_libraries import starter
from page.axe import loaded_axe, serious
from page.browser import NARROW, PHONE
from page.matchpage import drop, fits, sticks_out
from page.test_browser_ladders import FILE, LadderArena
from page.test_browser_safety import IMAGE, expect_text_only

pytestmark = needs_sandbox
SLOW = 120_000
"""Milliseconds in which a program is built; a machine of its own takes seconds."""
NO_CHECK = """\
import trio
from lanista.arena import submissions
async def check_program(*_, **__):
    await trio.lowlevel.checkpoint()
    return []
submissions.check_program = check_program
"""
"""Has every program pass its check, which e2e/test_submit.py has."""
BROKEN = f'print("{IMAGE}" "\x1b[31m"\n'.encode()
"""No program; Python shows its line, which is markup and would turn terminals red."""


@pytest.fixture(scope="module")
def arena(arenas):
    # Nobody plays with it, which e2e/test_submit.py has: match after match takes long.
    file = f"{FILE}fill_after = 3600\nsubmissions = true\n"
    return arenas(file, kind=LadderArena, change=NO_CHECK)


def test_a_program_from_its_file_to_its_matches(arena, visit, tmp_path):
    """A starter is handed in, built and plays, while a broken version is refused with the words
    of its compiler, which stay text; its owner finds all of it again on the bot's page, and the
    operator sees it and disables the name. Nothing is in anybody's way on a phone.
    """
    one = visit(size=PHONE)

    def begins(route):
        route.fulfill(json={**route.fetch().json(), "languages": {}})

    # An arena that has just begun doesn't know them yet: the page asks again.
    one.context.route("**/ladders/pit/submissions", begins, times=1)
    page = one.open(f"{arena.page}/ladder/pit")
    programs = page.get_by_role("region", name="Programs")
    programs.get_by_text("Hand in a program").click()
    expect(programs.get_by_role("listitem").filter(has_text="Python 3")).to_be_visible()
    name = programs.get_by_label("Name")
    # A browser that refuses another one shows this.
    expect(name).to_have_attribute("title", "A to Z, a to z, digits, . _ - and single spaces")
    name.fill("Ann")
    programs.get_by_role("button", name="Choose it", exact=True).click()
    send = programs.get_by_role("button", name="Hand in", exact=True)
    state = programs.get_by_role("status")
    send.click()
    expect(state).to_contain_text("Ann: nothing plays yet; version 1: ")
    loaded_axe(one, page)
    assert [] == serious(page)
    assert fits(page)
    expect(state).to_have_text("Ann: version 1 plays.", timeout=SLOW)
    expect(page.get_by_text(re.compile(r"Now: .*(waits|plays)"))).to_be_visible()

    broken = tmp_path / "broken.py"
    broken.write_bytes(BROKEN)
    drop(page, broken, programs.get_by_role("form", name="Hand in"))
    send.click()
    refused = programs.get_by_role("listitem").filter(has_text="Version 2")
    expect(refused.locator("pre")).to_contain_text(f'print("{IMAGE}" "␛[31m"', timeout=SLOW)
    expect_text_only(refused, IMAGE)
    expect(state).to_have_text("Ann: version 1 plays; version 2: refused.")
    expect(page.locator(".veil")).to_be_hidden()  # it isn't a record to watch

    page.goto(f"{arena.page}/ladder/pit/bot/Ann")
    programs.get_by_text("Its programs").click()
    expect(programs.get_by_label("Name")).to_have_count(0)  # no other can be meant
    with page.expect_download() as download:
        programs.get_by_title("Download version 1 as it was handed in").click()
    assert "mybot.py" == download.value.suggested_filename
    assert starter("python", "angrymob") == download.value.path().read_bytes()
    delete = refused.get_by_role("button", name="Delete")
    delete.click()
    delete.click()  # it asks once more
    expect(refused).to_have_count(0)
    programs.get_by_role("button", name="Pause").click()
    expect(state).to_have_text("Ann: paused, so nothing plays.")
    programs.get_by_role("button", name="Let version 1 play").click()
    expect(state).to_have_text("Ann: version 1 plays.")
    expect(page.get_by_role("alert").filter(visible=True)).to_have_count(0)

    # Here the operator needs no token.
    page.goto(f"{arena.page}/#/operator")
    names = page.get_by_role("region", name="Programs on pit")
    names.get_by_text("1 version, the last one").click()
    names.get_by_text("What building it printed").click()
    expect(names.locator("pre")).to_contain_text("$ python3 -m py_compile mybot.py")
    loaded_axe(one, page)
    assert [] == serious(page)
    names.get_by_label("Why").fill("<b>copied</b>")
    names.get_by_role("button", name="Disable").click()
    expect(names.get_by_text("Disabled: <b>copied</b>")).to_be_visible()
    page.goto(f"{arena.page}/ladder/pit")
    expect(state).to_have_text("The operator has disabled Ann: <b>copied</b>")
    expect(programs.get_by_role("button", name="Pause")).to_be_hidden()
    page.goto(f"{arena.page}/#/operator")
    names.get_by_text("1 version, the last one").click()
    names.get_by_role("button", name="Enable").click()
    expect(names.get_by_text("Disabled:")).to_be_hidden()

    # Of two names, the page shows the last one again.
    page.goto(f"{arena.page}/ladder/pit")
    expect(state).to_have_text("Ann: version 1 plays.")
    name.fill("Bea")
    drop(page, broken, programs.get_by_role("form", name="Hand in"))
    send.click()
    expect(state).to_contain_text("Bea: nothing plays yet; version 1: ")
    page.reload()
    expect(state).to_contain_text("Bea: nothing plays yet; version 1: ")
    expect(name).to_have_value("Bea")


def test_what_is_refused_is_told(arena, visit, tmp_path):
    """A token that isn't the name's, and a file that is too large or called like none."""
    one = visit(size=NARROW)
    one.pardon("Failed to load resource.* 40[03] ")
    page = one.open(f"{arena.page}/ladder/pit")
    programs = page.get_by_role("region", name="Programs")
    programs.get_by_text("Hand in a program").click()
    fields = programs.get_by_role("form", name="Hand in").locator("input")
    expect(fields).to_be_visible()
    assert not sticks_out(fields, "form")
    trouble = programs.get_by_role("alert")
    programs.get_by_label("Name").fill("Zoe")
    programs.get_by_role("button", name="My versions").click()
    expect(trouble).to_contain_text("no name 'Zoe' is registered with this token")
    form = programs.get_by_role("form", name="Hand in")
    for file, size, words in (
        ("large.py", (1 << 20) + 1, "large.py has 1,048,577 bytes; at most 1,048,576 bytes"),
        ("<b>.py", 1, "the file's name '<b>.py'; expected NAME.ENDING"),
    ):
        path = tmp_path / file
        path.write_bytes(b"#" * size)
        drop(page, path, form)
        programs.get_by_role("button", name="Hand in", exact=True).click()
        expect(trouble).to_contain_text(words)
