"""Tournaments in a browser: the lobby's cards, the standings of one, what becomes of them."""

import re

import pytest
from playwright.sync_api import expect

from lanista.games.outcome import Ending
from page.arena import IN_THREADS, OFTEN
from page.matchpage import DASH
from page.test_tournaments import store_blocks, write_spec

HOSTILE = "<img src=x onerror=alert(1)> / 50%"


@pytest.fixture(scope="module")
def cups(arenas, tmp_path_factory):
    """An arena that shows a tournament of which one block was played, and one that hasn't begun."""
    folder = tmp_path_factory.mktemp("cups")
    path = write_spec(folder, HOSTILE)
    later = write_spec(folder, "Later", "later.toml")
    store_blocks(path, [0])
    change = OFTEN + IN_THREADS
    return arenas("--tournament", path, "--tournament", later, change=change), path


def of(won, drawn, lost):
    return f"{won}{DASH}{drawn}{DASH}{lost}"


def test_a_tournament_from_the_lobby_to_its_end(cups, show):
    """Its card leads to its standings, which follow what another process stores."""
    arena, path = cups
    page = show(f"{arena.page}/")
    cards = page.get_by_role("region", name="Tournaments").get_by_role("article")
    card = cards.filter(has_text=HOSTILE)
    expect(card).to_contain_text("Angry Mob · round-robin · 1 of 3 blocks, 2 matches, not over")
    expect(card.get_by_role("row")).to_have_text(
        [re.compile(w) for w in ("Rating", "Ann2", "Bob0")]
    )
    later = cards.filter(has_text="Later")
    expect(later).to_contain_text("no results yet: run lanista tournament run later.toml")
    card.get_by_role("link", name="All figures").click()
    expect(page).to_have_title(f"{HOSTILE} · Lanista")
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    assert 0 == page.locator("img").count()
    standings = page.get_by_role("region", name="Standings")
    ann, bob = (standings.get_by_role("row").filter(has_text=name) for name in ("Ann", "Bob"))
    expect(ann.get_by_role("cell").nth(1)).to_have_text("2")
    expect(ann).to_contain_text(of(2, 0, 0))
    expect(bob).to_contain_text(of(0, 0, 2))
    expect(ann.get_by_role("img")).to_be_visible()  # its interval
    expect(page.get_by_role("region", name="Seat advantage")).to_contain_text("A")
    met = page.get_by_role("region", name="Head-to-head")
    expect(met.get_by_role("row").nth(1)).to_contain_text("2/2")
    endings = page.get_by_role("region", name="Endings")
    expect(endings).to_contain_text("Every match ended normally")
    store_blocks(path, [1, 2], Ending.CRASH)
    expect(page.get_by_text("3 blocks, 6 matches, all played")).to_be_visible()
    expect(ann).to_contain_text(of(6, 0, 0))
    expect(bob).to_contain_text(re.compile("4\\scrash"))
    expect(endings.get_by_role("row")).to_have_text(["Botcrash", "Ann4", "Bob4"])
    page.reload()
    expect(ann).to_contain_text(of(6, 0, 0))
    page.goto(f"{arena.page}/#/tournament/Later")
    expect(page.get_by_text("no results yet")).to_be_visible()
