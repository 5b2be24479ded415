"""The arena's figures, as Prometheus reads them, and whether it is ready (docs/api.md)."""

import re
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families

from docs.pages import DOCS
from lanista.arena.spec import LadderSpec
from page.house import opened, play

IS_LINUX = sys.platform == "linux"
TOKEN = "s3cret"


def samples(answer):
    """Name and labels of each sample, with its value."""
    families = text_string_to_metric_families(answer.body.decode())
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


async def test_the_figures_of_an_arena(tmp_path):
    """A match of three turns; one bot that waits; one that is refused; no names of bots."""
    async with opened(tmp_path, settings={"move_limit": 3}) as house:
        before = samples(await house.get("/metrics"))
        assert 0 == before["lanista_matches_running", ("game", "angrymob")]
        ann, bob, _ = await house.pair()
        running = samples(await house.get("/metrics"))
        assert 1 == running["lanista_matches_running", ("game", "angrymob")]
        assert 2 == running["lanista_connections", ("state", "playing")]
        await play((ann, [""] * 3), (bob, [""] * 3), leave=True)
        while not house.arena.matches.over:
            await house.arena.running.changes.wait(house.arena.running.changes.count)
        waiting = await house.bot("Cem v=1")
        await waiting.until("wait")
        refused = await house.bot("Dil v=1 game=chess")
        await refused.rest()
        answer = await house.get("/metrics")
        assert "text/plain; version=0.0.4; charset=utf-8" == answer.header("Content-Type")
        found = samples(answer)
        mob = ("game", "angrymob")
        expected = {
            ("lanista_matches_total", ("end", "finished"), mob, ("ladder", "")): 1,
            ("lanista_turns_total", mob): 3,
            ("lanista_answer_seconds_count", mob): 6,
            ("lanista_answer_seconds_bucket", mob, ("le", "+Inf")): 6,
            ("lanista_own_turn_seconds_count", mob): 2,
            # Each seat's at the beginning, if the system knows them.
            ("lanista_round_trip_seconds_bucket", mob, ("le", "+Inf")): 2 * IS_LINUX,
            ("lanista_late_answers_total", ("fault", "bot"), mob): 0,
            ("lanista_connections", ("state", "waiting")): 1,
            ("lanista_refusals_total", ("code", "unknown-game")): 1,
            ("lanista_ready",): 1,
            ("lanista_connections_max",): 1000,
            ("lanista_page_connections", ("kind", "request")): 1,
        }
        assert expected == {sample: found[sample] for sample in expected}
        assert 0 < found["lanista_own_turn_seconds_sum", mob] < 60
        # In microseconds on this machine.
        assert 0 <= found["lanista_round_trip_seconds_sum", mob] < 60
        assert "Cem" not in answer.body.decode()


async def test_a_ladder_has_its_own_figures(tmp_path):
    """Also the time of each transaction, in buckets that end with infinity."""
    ladder = LadderSpec(name="pit", game="angrymob")
    async with opened(tmp_path, ladders=(ladder,)) as house:
        house.arena.ladders["pit"].results.times.add(0.002)
        found = samples(await house.get("/metrics"))
    pit = ("ladder", "pit")
    assert 0 == found["lanista_results_waiting", pit]
    assert 0 == found["lanista_ladder_bots", pit, ("state", "waiting")]
    bounds = ("0.001", "0.0025", "+Inf")
    assert [0, 1, 1] == [
        found["lanista_store_seconds_bucket", pit, ("le", bound)] for bound in bounds
    ]


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
async def test_off_loopback_figures_need_the_operators_token(tmp_path, host):
    """As the page's commands do; also on loopback, if the operator has set one."""
    bearer = f"Authorization: Bearer {TOKEN}"
    async with opened(tmp_path, token=TOKEN, host=host) as house:
        for path, *headers in [
            ("/metrics",),
            ("/metrics?token=s3cre",),
            ("/metrics?token=%ED%A0%80",),
            ("/metrics", "Authorization: Bearer"),
            ("/metrics", "Authorization: Bearer \xff"),
            ("/metrics", f"Authorization: Basic {TOKEN}"),
            ("/metrics", bearer, "Authorization: Bearer other"),
        ]:
            answer = await house.get(path, *headers)
            assert (401, "Bearer") == (answer.status, answer.header("WWW-Authenticate"))
            assert answer.json["error"].startswith("figures need the operator's token")
        assert 200 == (await house.get(f"/metrics?token={TOKEN}")).status
        assert 200 == (await house.get("/metrics", bearer)).status
        assert 400 == (await house.get("/metrics?tokn=x", bearer)).status


async def test_an_arena_is_ready_until_it_drains(tmp_path):
    """Then running matches go on, but no new bot is served; a health check is still answered."""
    async with opened(tmp_path, drain=3600.0) as house:
        assert {"ready": True} == (await house.get("/readyz")).json
        ann, bob, _ = await house.pair()
        house.arena.drain()
        answer = await house.get("/readyz")
        assert (503, "error") == (answer.status, *answer.json)
        assert 200 == (await house.get("/healthz")).status
        await play((ann, ["x"]), (bob, [""]), leave=True)
        await house.over.wait()


@pytest.mark.parametrize("path", ["/metrics", "/readyz"])
async def test_a_match_alone_has_no_figures(lone, path):
    """`lanista play --watch` is no arena."""
    assert 404 == (await lone.get(path)).status


async def test_every_figure_is_on_the_page(house):
    """docs/api.md lists the names and the labels that there are."""
    table = {}
    for line in (DOCS / "api.md").read_text(encoding="utf-8").splitlines():
        row = re.match(r"\| `(lanista_\w+)` \| ([^|]*)\|", line)
        if row:
            table[row[1]] = set(re.findall(r"`(\w+)`", row[2]))
    answer = await house.get("/metrics")
    families = [
        family
        for family in text_string_to_metric_families(answer.body.decode())
        if family.name.startswith("lanista_")
    ]
    assert {
        family.name + ("_total" if family.type == "counter" else "") for family in families
    } == set(table)
    for family in families:
        for sample in family.samples:
            name = family.name + ("_total" if family.type == "counter" else "")
            assert set(sample.labels) - {"le"} == table[name], sample
