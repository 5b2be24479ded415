"""Going on: whatever interrupts a tournament, each block is stored once, and none is missing."""

import itertools
import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanista.competition import events
from lanista.competition.running import run_async
from lanista.competition.setup import load
from lanista.competition.standings import standings_of
from lanista.competition.stored_blocks import (
    check_identities,
    read_stored_blocks,
    settle_seed,
    unbench_bots,
)
from lanista.errors import SpecError
from lanista.results.database import Store
from results.samples import asking
from support.angrymob import PAGE
from support.tournament import digests, directing, finished, play, setup_in, stored

COMMON = {"game": "angrymob", "format": "round-robin", "name": "cup"}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The digests of a whole run by format, played once each."""
    known = {}

    async def of(format_name):
        if format_name not in known:
            setup = setup_for(tmp_path_factory.mktemp(format_name), format_name)
            with directing(setup) as director:
                await director.run()
            known[format_name] = digests(setup)
        return known[format_name]

    return of


def setup_for(folder, format_name):
    # From a number: a knockout goes beyond those that a list has, by a secret of its database.
    return setup_in(folder, bots=4, seeds={"count": 2, "base": 5}, format=format_name)


# How a run is ended, after how many of its blocks, and how many threads play. As many as may be
# wanted are drawn before: how far a run gets until it ends is up to the threads.
interruptions = st.lists(
    st.tuples(st.sampled_from(["finish", "stop", "raise"]), st.integers(1, 8), st.integers(1, 3)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=settings().max_examples // 4)
@given(planned=interruptions, format_name=st.sampled_from(["round-robin", "gauntlet", "knockout"]))
async def test_interrupted_anywhere(planned, format_name, tmp_path_factory, undisturbed):
    """After each block, or in the middle of a commit, by finish, stop or a failure."""
    folder = tmp_path_factory.mktemp("run")
    setup = setup_for(folder, format_name)
    played = []
    lock = threading.Lock()

    def noting(task):
        with lock:
            played.extend(block.id for block in task.blocks)
        return play(task)

    committed = []
    for how, after, threads in itertools.chain(planned, itertools.repeat(("finish", 0, 2))):
        heard = []

        def hear(event, how=how, after=after, heard=heard):
            if isinstance(event, events.BlockDone):
                heard.append(event.block)
                if len(heard) == after and how == "raise":
                    raise ZeroDivisionError
                if len(heard) == after:
                    getattr(director, how)()

        before = {block.id for block in stored(setup)} if committed else set()
        with directing(
            setup_for(folder, format_name), noting, threads=threads, on_event=hear
        ) as director:
            try:
                report = await director.run()
            except ZeroDivisionError:
                report = None
        assert not before & set(heard), "played again"
        committed += heard
        if report is not None and report.over:
            break
    ids = [block.id for block in stored(setup)]
    assert len(ids) == len(set(ids))
    assert len(committed) == len(set(committed))
    assert set(committed) <= set(ids) <= set(played)
    assert await undisturbed(format_name) == digests(setup)
    records = {str(path.relative_to(setup.records)) for path in setup.records.glob("*/*.gz")}
    with Store.open(setup.database) as store:
        assert records >= {stored.match.record for stored in asking(store).matches()}


class TestIdentities:
    """A bot that changed under its name is refused, or started anew."""

    def _setup(self, folder, **changes):
        bots = [
            {"name": "A", "command": "GravityGoers"},
            {"name": "B", "command": "RandomRunners"} | changes,
        ]
        return load({**COMMON, "seeds": [1, 2], "bots": bots}, folder)

    async def _play(self, folder):
        with directing(self._setup(folder)) as director:
            await director.run()

    @pytest.mark.parametrize(
        ("changes", "what"),
        [
            ({"command": "CamperJoe"}, 'command ("RandomRunners", now "CamperJoe")'),
            ({"restart": True}, "restart"),
            ({"limits": "memory=512M"}, "limits"),
            ({"environment": {"KEY": "secret"}}, "environment"),
            (
                {"command": "CamperJoe", "restart": True},
                'command ("RandomRunners", now "CamperJoe") and restart',
            ),
        ],
    )
    async def test_another_is_refused(self, tmp_path, changes, what):
        await self._play(tmp_path)
        changed = self._setup(tmp_path, **changes)
        with Store.open(changed.database) as store, pytest.raises(SpecError) as refused:
            check_identities(changed, store, accept_changes=False)
        assert (
            f"bots: B has another {what} than when it played before; change it back, give it "
            "another name, or start it anew (--accept-changes; in Python accept_changes=True)"
            == str(refused.value)
        )

    async def test_accepted_it_starts_anew(self, tmp_path):
        await self._play(tmp_path)
        changed = self._setup(tmp_path, restart=True)
        with Store.open(changed.database) as store:
            check_identities(changed, store, accept_changes=True)
            check_identities(changed, store, accept_changes=False)
            stored_blocks = read_stored_blocks(changed, asking(store).played())
        assert (0, 2) == (len(stored_blocks.entries), len(stored_blocks.unmatched))
        assert json.loads(changed.contestants["B"].identity)["restart"]

    async def test_bots_that_left_are_no_problem(self, tmp_path):
        await self._play(tmp_path)
        setup = self._setup(tmp_path, name="C", command="CamperJoe")
        with Store.open(setup.database) as store:
            check_identities(setup, store, accept_changes=False)
            assert {"A", "B", "C"} == asking(store).identities().keys()


class TestSeeds:
    def test_what_seeds_are_drawn_from_is_made_once(self, tmp_path):
        drawn = []
        for _ in range(2):
            setup = setup_in(tmp_path, seeds=5)
            with Store.open(setup.database) as store:
                settle_seed(setup, store, makes=True)
            drawn.append([setup.opening(number) for number in range(5)])
        assert drawn[0] == drawn[1]
        other = setup_in(tmp_path / "other", seeds=5)
        (tmp_path / "other").mkdir()
        with Store.open(other.database) as store:
            settle_seed(other, store, makes=False)
            assert not other.base_seed
            settle_seed(other, store, makes=True)
        assert drawn[0] != [other.opening(number) for number in range(5)]

    async def test_more_seeds_are_the_same_and_more(self, tmp_path):
        with directing(setup_in(tmp_path, bots=2, seeds=3)) as director:
            await director.run()
        more = setup_in(tmp_path, bots=2, seeds=5)
        with Store.open(more.database) as store:
            settle_seed(more, store, makes=True)
            assert 3 == len(read_stored_blocks(more, asking(store).played()).entries)

    @pytest.mark.parametrize(("format_name", "counts"), [("sprt", 8), ("round-robin", 3)])
    async def test_draws_beyond_the_list(self, tmp_path, format_name, counts):
        """A version test goes on behind the seeds that are listed; a round-robin ends there."""
        more = {"blocks": 8, "sprt": {"elo1": 1.0}} if format_name == "sprt" else {}
        setup = setup_in(tmp_path, bots=2, seeds=(1, 2, 3), format=format_name, **more)
        with directing(setup) as director:
            assert (await director.run()).over
            stored_blocks = read_stored_blocks(setup, stored(setup))
        assert list(range(counts)) == sorted(
            entry.played.opening for entry in stored_blocks.entries
        )
        assert [] == stored_blocks.unmatched


async def test_a_map_under_another_name_is_the_same(tmp_path):
    """The id of a block is of the map's content (`Setup.block_id`)."""
    setups = []
    for name in ("one.map", "other.map"):
        (tmp_path / name).write_text(PAGE)
        setups.append(setup_in(tmp_path, bots=2, seeds=(1,), maps=[name]))
    first, second = setups
    with directing(first) as director:
        await director.run()
    (block,) = stored(first)
    assert "one.map" == block.map
    assert [block.id] == [entry.id for entry in read_stored_blocks(second, [block]).entries]
    with directing(second) as director:
        report = await director.run()
    assert (1, 0) == (report.standings.blocks, report.standings.uncounted)


async def test_blocks_on_listed_seeds_count_when_the_secret_is_lost(tmp_path):
    """A database rebuilt from the records alone has no secret; only drawn seeds need it."""
    setup = setup_in(tmp_path, bots=4, seeds=(1, 2), format="swiss", rounds=2)
    with directing(setup) as director:
        report = await director.run()
    with Store.open(setup.database) as store:
        store.set_meta("base_seed", "")
        again = setup_in(tmp_path, bots=4, seeds=(1, 2), format="swiss", rounds=2)
        assert (report.standings, "") == (standings_of(again, store), again.base_seed)


async def test_rows_are_those_of_the_blocks_that_count(tmp_path):
    """The table leaves the same matches out when there are fewer rounds than were played."""
    reports = []
    for rounds in (2, 1):
        with directing(setup_in(tmp_path, bots=4, format="swiss", rounds=rounds)) as director:
            reports.append(await director.run())
    assert [(8, 0), (4, 2)] == [
        (report.standings.matches, report.standings.uncounted) for report in reports
    ]
    # The first report is asked again, after the change: its spec has two rounds.
    assert [16, 8] == [len(report.matches()) for report in reports]


async def test_rows_leave_out_the_turn_that_made_a_match_void(tmp_path):
    """The page and `lanista.Match` leave it out too, as it wasn't carried out."""

    def stalls(task):
        return [finished(task, block, void=1) for block in task.blocks]

    with directing(setup_in(tmp_path, bots=2, seeds=(1,)), stalls) as director:
        report = await director.run()
    turns = {(row["attempt"], row["end"], row["turns"]) for row in report.matches()}
    assert {(1, "void", 59), (2, "finished", 60), (1, "finished", 60)} == turns


class TestUnbenching:
    def test_an_unknown_bot(self, tmp_path):
        setup = setup_in(tmp_path)
        with Store.open(setup.database) as store, pytest.raises(SpecError) as refused:
            unbench_bots(setup, store, ["A", "X"])
        assert "unbench: 'X' isn't a bot of this tournament; its bots are A, B, C" == str(
            refused.value
        )

    @pytest.mark.parametrize("format_name", ["swiss", "knockout"])
    def test_where_others_have_gone_on(self, tmp_path, format_name):
        setup = setup_in(tmp_path, format=format_name)
        with Store.open(setup.database) as store:
            unbench_bots(setup, store, [])
            with pytest.raises(SpecError, match=f"unbench: in a {format_name} the opponents"):
                unbench_bots(setup, store, ["A"])

    async def test_it_plays_on(self, tmp_path):
        setup = setup_in(
            tmp_path, behaviour={"B": "crash"}, seeds=(1, 2, 3, 4, 5, 6), bench_after=2
        )

        async def with_b(names):
            with directing(setup) as director:
                unbench_bots(setup, director._recorder.store, names)
                report = await director.run()
            assert report.over
            return sum("B" in block.bots for block in stored(setup))

        assert 1 == await with_b([])
        assert 1 == await with_b([])
        assert 2 == await with_b(["B"])  # it is on trial again


class TestForPrograms:
    """`lanista.competition.run` and what is beside it."""

    SPEC = COMMON | {"bots": [{"name": name, "command": "CamperJoe"} for name in "AB"]}

    def test_all_names_are_there(self):
        import lanista.competition

        for name in lanista.competition.__all__:
            assert getattr(lanista.competition, name).__doc__
        with pytest.raises(AttributeError):
            _ = lanista.competition.nothing

    def test_results_lie_beside_the_file_under_its_name(self, tmp_path):
        spec = tmp_path / "my.toml"
        spec.write_text(
            'name = "The Cup"\ngame = "angrymob"\nformat = "round-robin"\n'
            'bots = [{ name = "A", command = "CamperJoe" }, { name = "B", command = "CamperJoe" }]'
        )
        setup = load(str(spec))
        assert (tmp_path / "my.db", tmp_path / "my.records") == (setup.database, setup.records)

    def test_without_a_file_they_lie_in_the_present_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert tmp_path.resolve() / "cup.db" == load(self.SPEC).database

    async def test_a_refused_tournament_leaves_no_database(self, tmp_path):
        with pytest.raises(SpecError, match="rounds"):
            await run_async({**self.SPEC, "rounds": 3}, folder=tmp_path)
        with pytest.raises(SpecError, match="executor: 'nowhere'"):
            await run_async(self.SPEC, folder=tmp_path, executor="nowhere")
        assert [] == list(tmp_path.iterdir())


def test_events_are_json(tmp_path):
    fields = {
        "block": "x",
        "bots": ("a\x1b[2J", "b"),
        "seed": -1,
        "map": "",
        "matches": (),
        "progress": events.Progress(played=1, planned=2, words=""),
        "running": 1,
        "slots": 2,
        "rate": 1.5,
        "eta": None,
    }
    written = json.dumps(events.as_json(events.BlockDone(**fields)))
    assert "\x1b" not in written
    expected = {"schema": 1, "event": "block-done"} | fields
    expected |= {"bots": [*fields["bots"]], "matches": []}
    expected["progress"] = {"played": 1, "planned": 2, "words": ""}
    assert expected == json.loads(written)
