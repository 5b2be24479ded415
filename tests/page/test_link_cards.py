"""Links with a title and a preview card: what the head of the page's document says of each."""

import re
from html import unescape
from urllib.parse import quote

from page import test_ladders, test_tournaments
from page.house import play, settled
from page.records import AWAY, BACK

PLAYERS = "Ann – Bob"  # noqa: RUF001 - as the page writes it
HOSTILE = '"><script>alert(1)</script>'


def head(answer):
    """The title, and the properties by name."""
    text = answer.body.decode()
    assert ("text/html; charset=utf-8", 200) == (answer.header("Content-Type"), answer.status)
    assert "/page/script.js" in text  # it is the page's document
    (title,) = re.findall(r"<title>(.*?)</title>", text, re.DOTALL)
    found = re.findall(r'<meta property="(.*?)" content="(.*?)">', text)
    return unescape(title), {name: unescape(content) for name, content in found}


async def test_of_a_match_from_its_beginning_on(house):
    """Players and game; when it is over a picture from its middle, and never who won."""
    ann, bob, match = await house.pair()
    title, running = head(await house.get(f"/match/{match}?round=3"))
    assert f"{PLAYERS} · Angry Mob · Lanista" == title == running["og:title"]
    assert "og:image" not in running
    await play((ann, [AWAY, BACK]), (bob, ["", "9 9 9 9"]), leave=True)
    over = await settled(house, match)
    title, told = head(await house.get(f"/match/{match}"))
    picture = f"/api/1/matches/{match}/picture?round={over['turns'] // 2}"
    assert {
        "og:title": f"{PLAYERS} · Angry Mob · Lanista",
        "og:description": "A match of Angry Mob",
        "og:type": "website",
        "og:image": f"http://127.0.0.1:{house.server.port}{picture}",
        "twitter:card": "summary_large_image",
    } == told
    assert b"\x89PNG" == (await house.get(picture)).body[:4]
    # A proxy says by which address the page was asked for.
    proxy = "X-Forwarded-Proto: https", "X-Forwarded-Host: arena.example"
    _, told = head(await house.get(f"/match/{match}", *proxy))
    assert f"https://arena.example{picture}" == told["og:image"]
    twice = "X-Forwarded-Proto: http", "X-Forwarded-Host: other.example"
    _, told = head(await house.get(f"/match/{match}", *proxy, *twice))
    assert f"https://arena.example{picture}" == told["og:image"]


async def test_of_what_is_not_there(house):
    """The page says so itself: nothing of the address is repeated."""
    for path in ("/match/none", "/ladder/none/bot/none", "/tournament/none"):
        assert ("Lanista", {}) == head(await house.get(path))


async def test_of_a_ladder_and_its_bots(tmp_path):
    test_ladders.write_results(tmp_path, *test_ladders.PLAYED)
    async with test_ladders.opened(tmp_path) as house:
        await house.get("/api/1/ladders")  # its table is there
        for path, title in [
            ("pit", "pit · Lanista"),
            ("pit/bot/Ann", "Ann · pit · Lanista"),
            ("pit/bot/Ann/against/Bob", f"{PLAYERS} · pit · Lanista"),
            ("pit/bot/Nobody", "pit · Lanista"),
        ]:
            found, told = head(await house.get(f"/ladder/{path}"))
            assert (title, title) == (found, told["og:title"])
            assert "A ladder of Angry Mob" == told["og:description"]


async def test_a_name_from_right_to_left_turns_around_nothing_else(tmp_path):
    """It is isolated, as in the titles that the page's script sets."""
    hebrew = "\u05d0\u05d1 1"
    test_ladders.write_results(tmp_path, test_ladders.results(0, hebrew, "Bob"))
    async with test_ladders.opened(tmp_path) as house:
        await house.get("/api/1/ladders")  # its table is there
        path = f"/ladder/pit/bot/{quote(hebrew)}/against/Bob"
        title, told = head(await house.get(path))
        isolated = f"\u2068{hebrew}\u2069 – Bob · pit · Lanista"  # noqa: RUF001
        assert isolated == title == told["og:title"]


async def test_of_a_tournament_of_any_name():
    """Names are text, wherever they stand."""
    results = test_tournaments.Results(test_tournaments.TWO_JSON)
    async with test_tournaments.page(**{HOSTILE: results}) as house:
        path = "/tournament/" + HOSTILE.replace('"', "%22").replace("<", "%3C")
        answer = await house.get(path)
        assert b"<script>alert" not in answer.body
        title, told = head(answer)
        assert f"{HOSTILE} · Lanista" == title == told["og:title"]
