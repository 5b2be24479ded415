"""The list of the matches that are over: what it tells, what it takes in, what it forgets."""

import gzip
import json
import threading
from collections import Counter

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.games.outcome import ranks_by_score
from lanista.match.conditions import match_id
from lanista.match.record import BadRecordError, PlayerInfo, read_ends
from lanista.results.data_folder import DataFolder
from lanista.results.match_list import MatchList, leave_to_ladder, points
from lanista.results.recorded import result_of, summary
from match import test_record
from support.arenas import stored_ladder

NAMES = ("Ann", "Bob", "Cid", "Dot")


def lines_of(
    match,
    *,
    names=("Ann", "Bob"),
    ranks=(1, 2),
    game="angrymob",
    end="finished",
    seed=-(2**63),
    faults=(),
):
    """The lines of a small record; `faults`: the seat of each fault."""
    seats = len(names)
    header = attrs.evolve(
        test_record.HEADER,
        match=match,
        started="2026-01-02T03:04:05+00:00",
        game=game,
        seed=seed,
        players=tuple(PlayerInfo(name=name, protocol="1") for name in names),
    )
    turn = test_record.TURN | {
        "verdicts": ["answer"] * seats,
        "raw": ["1 2"] * seats,
        "times": [[0, 1, 1, 2]] * seats,
    }
    by_code = [
        Counter(("late", "illegal")[at % 2] for at, of in enumerate(faults) if of == seat)
        | {"ignored": 3}  # orders that repeat another, which are no faults
        for seat in range(seats)
    ]
    result = attrs.evolve(
        test_record.RESULT,
        end=end,
        reason="capture",
        ranks=ranks,
        scores=[10 - rank for rank in ranks],
        fault_counts=by_code,
        ended="2026-01-02T03:05:05+00:00",
    )
    return [attrs.asdict(header), turn, {"result": attrs.asdict(result)}]


def put(data, match=None, day="2026-01-02", *, lines=None, **about):
    """A record where the arena puts it."""
    match = match or match_id()
    path = data / "records" / day / f"{match}.jsonl.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    values = lines_of(match, **about) if lines is None else lines
    path.write_bytes(gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in values)))
    return path


def ids(count):
    """Ids in the order of time."""
    return [f"{number:026}" for number in range(count)]


def told(match_list, *, limit=50, **asked):
    """The ids of matches and the cursor."""
    matches, cursor = match_list.matches(limit=limit, **asked)
    return [match["match"] for match in matches], cursor


@pytest.fixture
def match_list(tmp_path):
    with MatchList.open(DataFolder(tmp_path)) as opened:
        yield opened


def test_a_match_is_told_as_the_interface_says(match_list, tmp_path):
    """docs/api.md "match": all of it from header and result."""
    path = put(tmp_path, "M1", names=("Ann", "Ann"), faults=[1, 1, 0])
    expected = {
        "match": "M1",
        "game": "angrymob",
        "ladder": None,
        "tournament": None,
        "title": "Angry Mob",
        "state": "over",
        "started": "2026-01-02T03:04:05+00:00",
        "ended": "2026-01-02T03:05:05+00:00",
        "players": ["Ann", "Ann"],
        "end": "finished",
        "reason": "capture",
        "ranks": [1, 2],
        "scores": [9, 8],
        "turns": 1,
        "seed": str(-(2**63)),
        "faults": [1, 2],
    }
    match_list.add(path)
    assert expected == match_list.match("M1")
    assert ([expected], None) == match_list.matches(limit=50)
    assert path == match_list.path("M1")
    assert (None, None) == (match_list.match("M2"), match_list.path("M2"))


def test_the_turn_that_made_a_match_void_does_not_count_as_one_of_its_turns(match_list, tmp_path):
    """It wasn't carried out, and the match's own page doesn't count it either."""
    path = put(tmp_path, "M1", end="void")
    match_list.add(path)
    assert (0, 0) == (match_list.match("M1")["turns"], summary(path)["turns"])


def test_the_faults_of_a_match_whose_arena_ended_are_unknown(match_list, tmp_path):
    """Nobody had counted them, and only a replay could (`arena.recovery`)."""
    header, turn, result = lines_of("M1", end="aborted")
    del result["result"]["fault_counts"]
    match_list.add(put(tmp_path, "M1", lines=[header, turn, result]))
    assert match_list.match("M1")["faults"] is None
    assert [] == match_list.standings()


def test_a_game_that_is_not_installed_has_its_name_as_title(match_list, tmp_path):
    match_list.add(put(tmp_path, "M1", game="chess"))
    assert "chess" == match_list.match("M1")["title"]
    assert ["chess"] == [table["title"] for table in match_list.standings()]


def test_matches_come_newest_first_in_pages(match_list, tmp_path):
    """In the order in which they came; those that are found together, in the order of time."""
    known = ids(5)
    for match in known[:3][::-1]:
        put(tmp_path, match)
    match_list.sync()
    for match in known[3:]:
        match_list.add(put(tmp_path, match))
    first, cursor = told(match_list, limit=2)
    assert known[:2:-1] == first
    second, cursor = told(match_list, limit=2, before=cursor)
    assert known[2:0:-1] == second
    assert (known[:1], None) == told(match_list, limit=2, before=cursor)
    assert ([], None) == told(match_list, limit=2, before=1)
    # Exactly as many as there are: no page behind.
    assert (known[::-1], None) == told(match_list, limit=5)


def test_matches_are_chosen_by_game_player_end_and_seed_together(match_list, tmp_path):
    known = ids(4)
    match_list.add(put(tmp_path, known[0], names=("Ann", "Ann"), seed=5))
    match_list.add(put(tmp_path, known[1], names=("Bob", "Ann"), end="void"))
    match_list.add(put(tmp_path, known[2], names=("Bob", "Cid"), game="chess"))
    match_list.add(put(tmp_path, known[3], names=("ann", "Ann "), end="void"))
    for asked, expected in [
        ({"player": "Ann"}, [1, 0]),  # a bot with two seats, once
        ({"player": "ann"}, [3]),
        ({"player": "An%"}, []),
        ({"player": "' OR 1 --"}, []),
        ({"game": "chess"}, [2]),
        ({"end": "void"}, [3, 1]),
        ({"seed": "5"}, [0]),
        ({"seed": str(-(2**63)), "player": "Ann"}, [1]),
        ({"seed": "55"}, []),
        ({"player": "Bob", "end": "void", "game": "angrymob"}, [1]),
        ({"player": "Bob", "game": "chess", "before": 3}, []),
        ({"player": "Bob", "game": "chess", "before": 4}, [2]),
        ({"name": "NN"}, [3, 1, 0]),
        ({"name": "n%"}, []),
    ]:
        assert [known[number] for number in expected] == told(match_list, **asked)[0], asked


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_points_share_out_one_for_every_pair(scores):
    """However they are placed; nobody has more than who is placed better."""
    ranks = ranks_by_score(scores)
    got = points(ranks)
    seats = len(ranks)
    assert seats * (seats - 1) / 2 == sum(got)
    assert all(0 <= each <= seats - 1 for each in got)
    by_rank = sorted(zip(ranks, got, strict=True))
    assert sorted(got, reverse=True) == [each for _, each in by_rank]


def test_standings_count_finished_and_forfeited_matches(match_list, tmp_path):
    """docs/api.md "standing": ranks 1, 1, 3; a win is the first place alone."""
    four = {"game": "hogwarts", "names": NAMES}
    match_list.add(put(tmp_path, names=("Ann", "Bob"), ranks=(1, 2), faults=[1]))
    match_list.add(put(tmp_path, names=("Bob", "Ann"), ranks=(1, 2), end="forfeit"))
    match_list.add(put(tmp_path, names=("Cid", "Ann"), ranks=(1, 1)))
    match_list.add(put(tmp_path, names=("Ann", "Bob"), ranks=(1, 1), end="void", faults=[0]))
    match_list.add(put(tmp_path, names=("Ann", "Bob"), ranks=(1, 1), end="aborted"))
    match_list.add(put(tmp_path, **four, ranks=(1, 1, 3, 4)))
    match_list.add(put(tmp_path, **four, ranks=(1, 2, 3, 4), faults=[3]))

    def row(*values):
        columns = ("rank", "name", "matches", "points", "wins", "draws", "losses", "faults")
        return dict(zip(columns, values, strict=True))

    angrymob = {
        "game": "angrymob",
        "title": "Angry Mob",
        "matches": 3,
        "rows": [
            row(1, "Ann", 3, 1.5, 1, 1, 1, 0),
            row(2, "Bob", 2, 1.0, 1, 0, 1, 1),
            row(3, "Cid", 1, 0.5, 0, 1, 0, 0),
        ],
    }
    hogwarts = {
        "game": "hogwarts",
        "title": "Hogwarts",
        "matches": 2,
        "rows": [
            row(1, "Ann", 2, 5.5, 1, 1, 0, 0),
            row(2, "Bob", 2, 4.5, 0, 1, 1, 0),
            row(3, "Cid", 2, 2.0, 0, 0, 2, 0),
            row(4, "Dot", 2, 0.0, 0, 0, 2, 1),
        ],
    }
    assert [angrymob, hogwarts] == match_list.standings()


def test_equal_points_share_the_best_rank(match_list, tmp_path):
    match_list.add(put(tmp_path, names=("Bob", "Ann"), ranks=(1, 1)))
    match_list.add(put(tmp_path, names=("Cid", "Dot"), ranks=(2, 1)))
    match_list.add(put(tmp_path, names=("Cid", "Eve"), ranks=(2, 1)))
    (table,) = match_list.standings()
    assert [(1, "Dot"), (1, "Eve"), (3, "Ann"), (3, "Bob"), (5, "Cid")] == [
        (row["rank"], row["name"]) for row in table["rows"]
    ]


MATCHES = st.lists(
    st.tuples(
        st.sampled_from(["angrymob", "hogwarts"]),
        st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 3)), min_size=2, max_size=4),
        st.sampled_from(["finished", "forfeit", "void", "aborted"]),
        st.lists(st.integers(0, 1), max_size=3),
        st.booleans(),
    ),
    max_size=8,
)


@given(MATCHES)
def test_standings_are_those_of_the_records_that_are_there(tmp_path_factory, played):
    """Whatever was added, added again and removed: as counted from the records left."""
    data = tmp_path_factory.mktemp("data")
    expected = Counter()
    counted = Counter()
    paths = []
    with MatchList.open(DataFolder(data)) as match_list:
        for match, (game, seats, end, faults, stays) in zip(ids(8), played, strict=False):
            names, scores = zip(*seats, strict=True)
            ranks = ranks_by_score(scores)
            about = {"game": game, "names": names, "ranks": ranks, "end": end, "faults": faults}
            path = put(data, match, **about)
            match_list.add(path)
            match_list.add(path)
            if not stays:
                paths.append(path)
            elif end in {"finished", "forfeit"}:
                counted[game] += 1
                for seat, (name, each) in enumerate(zip(names, points(ranks), strict=True)):
                    expected[game, name, "points"] += each
                    expected[game, name, "matches"] += 1
                    expected[game, name, "faults"] += faults.count(seat)
        for path in paths:
            path.unlink()
        assert len(paths) == match_list.sync()
        tables = match_list.standings()
    assert counted == Counter({table["game"]: table["matches"] for table in tables})
    found = Counter()
    for table in tables:
        for row in table["rows"]:
            assert row["matches"] == row["wins"] + row["draws"] + row["losses"]
            for key in ("points", "matches", "faults"):
                found[table["game"], row["name"], key] += row[key]
        assert table["rows"] == sorted(table["rows"], key=lambda row: (-row["points"], row["name"]))
    assert expected == found


def test_sync_finds_what_is_there_and_forgets_what_is_gone(match_list, tmp_path):
    known = ids(3)
    old, *paths = [put(tmp_path, match, day=f"2026-01-0{n}") for n, match in enumerate(known, 1)]
    (old.parent / "other.jsonl.gz.part").write_bytes(b"a match that goes on")
    (tmp_path / "records" / "README").write_text("no folder of a day")
    assert 3 == match_list.sync()
    assert (known[::-1], None) == told(match_list)
    assert 0 == match_list.sync()
    old.unlink()
    moved = put(tmp_path, known[1], day="2026-02-01")  # the same match elsewhere
    paths[0].unlink()
    assert match_list.path(known[1]) is None
    # One forgotten, one found again.
    assert 2 == match_list.sync()
    assert moved == match_list.path(known[1])
    assert (known[:0:-1], None) == told(match_list)


LADDER = {"name": "pit", "map": ""}


def of_ladder(match, **about):
    header, turn, result = lines_of(match, faults=[1], **about)
    result["result"]["endings"] = ["normal", "normal"]
    return [header | {"ladder": LADDER}, turn, result]


def test_a_match_of_a_ladder_is_listed_by_its_result(tmp_path):
    """With the same words as from its record; it stays when that is gone."""
    lists = []
    for own in ([], ["pit"]):
        data = tmp_path / f"{len(own)}"
        path = put(data, "M1", lines=of_ladder("M1"))
        aborted = put(data, "M2", lines=of_ladder("M2", end="aborted"))
        with MatchList.open(DataFolder(data), own) as match_list:
            assert 2 - len(own) == match_list.sync()
            match_list.add(aborted)
            match_list.add(path)
            if own:
                assert ["M2"] == told(match_list)[0]
                with stored_ladder(data) as store:
                    record = f"{path.parent.name}/{path.name}"
                    store.add_matches([result_of(*read_ends(path), record)])
            assert {"M1", "M2"} == set(told(match_list)[0])
            assert {"M1", "M2"} == set(told(match_list, game="angrymob", player="Bob")[0])
            assert path == match_list.path("M1")
            lists.append((match_list.match("M1"), match_list.standings()))
            path.unlink()
            aborted.unlink()
            assert 2 - len(own) == match_list.sync()
            assert ["M1"][: len(own)] == told(match_list)[0]
    assert lists[0] == lists[1]
    assert "pit" == lists[0][0]["ladder"]


def test_what_was_listed_is_a_ladder_s_when_there_is_one(tmp_path):
    """As when its results were moved away, and a page was served without the ladder."""
    path = put(tmp_path, "M1", lines=of_ladder("M1"))
    put(tmp_path, "M2", lines=of_ladder("M2", end="aborted"))
    data = DataFolder(tmp_path)
    with MatchList.open(data) as match_list:
        assert 2 == match_list.sync()
    with stored_ladder(tmp_path) as store:
        leave_to_ladder(store.database, "pit", "angrymob")
        store.add_matches([result_of(*read_ends(path), f"{path.parent.name}/{path.name}")])
    with MatchList.open(data, ["pit"]) as match_list:
        assert ["M1", "M2"] == told(match_list)[0]
        assert 0 == match_list.sync()


def test_sync_leaves_out_what_is_hidden(match_list, tmp_path):
    """The next one may find it."""
    known = ids(2)
    for match in known:
        put(tmp_path, match)
    assert 1 == match_list.sync(hides=lambda match: match == known[0])
    assert ([known[1]], None) == told(match_list)
    assert 1 == match_list.sync()


def test_sync_reads_no_record_that_it_knows(match_list, tmp_path):
    """Names are compared, not contents: cheap, however many there are."""
    path = put(tmp_path, "M1")
    match_list.add(path)
    path.write_bytes(b"no record any more")
    assert 0 == match_list.sync()
    assert path == match_list.path("M1")


def test_an_arena_without_records_has_none(match_list):
    assert 0 == match_list.sync()
    assert (([], None), []) == (match_list.matches(limit=50), match_list.standings())


HEADER, TURN, RESULT = lines_of("M1")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (None, "damaged gzip data"),
        ([HEADER], "its last line isn't a result"),
        ([HEADER, TURN, {"result": {**RESULT["result"], "ranks": [1]}}], "isn't a result"),
        ([{**HEADER, "match": "M2"}, TURN, RESULT], "the record of match 'M2'"),
        ([{**HEADER, "game": "\ud800"}, TURN, RESULT], "half a character"),
        (
            [HEADER, TURN, {"result": {**RESULT["result"], "fault_counts": [{"late": 0}] * 2}}],
            "isn't a result",
        ),
    ],
)
def test_a_record_that_cannot_be_read_is_refused(match_list, tmp_path, lines, words):
    """`add` raises; `sync` leaves it out, and doesn't try it again."""
    path = put(tmp_path, "M1", lines=lines)
    if lines is None:
        path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadRecordError) as raised:
        match_list.add(path)
    assert words in str(raised.value)
    assert str(path) in str(raised.value)
    good = put(tmp_path, "M0")
    assert 1 == match_list.sync()
    mended = put(tmp_path, "M1")
    assert 0 == match_list.sync()
    assert (good, None) == (match_list.path("M0"), match_list.path("M1"))
    mended.unlink()
    assert 0 == match_list.sync()
    put(tmp_path, "M1")
    assert 1 == match_list.sync()


def test_it_may_be_asked_from_several_threads(match_list, tmp_path):
    """As the arena does: some write while others read."""
    known = ids(20)
    for match in known:
        put(tmp_path, match)
    seen, troubles = [], []

    def read():
        try:
            while len(seen) < 200:
                (count,) = [table["matches"] for table in match_list.standings()] or [0]
                seen.append(count)
        except Exception as error:
            troubles.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    assert 20 == match_list.sync()
    for reader in readers:
        reader.join()
    assert [] == troubles
    assert set(seen) <= {0, 20}  # all of a batch or nothing
