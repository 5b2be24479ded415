"""`lanista tournament standings`: every form, of a database in which results lie."""

import pytest

from lanista.competition.make_format import make_format
from lanista.competition.setup import prepare
from lanista.competition.spec import parse_spec
from lanista.results.database import Store
from lanista.results.match_result import BlockResult
from results.samples import match, seat

SPEC = """\
name = "The cup"
game = "angrymob"
format = "round-robin"
seeds = [1, 2]
bots = [
    { name = "A", command = "CamperJoe" },
    { name = "-B|", command = "GravityGoers" },
    { name = "C", command = "RandomRunners" },
]
"""


def won_by_later(block, pairing, opening, seatings):
    """A block in which the later name wins, but for the first match, which is drawn."""
    matches = []
    for number, seating in enumerate(seatings):
        names = [pairing.bots[place] for place in seating]
        ranks = [1 if name == max(names) else 2 for name in names] if number else [1, 1]
        seats = map(seat, names, ranks)
        matches.append(match(number, *seats, seed=opening.seed, map=opening.map))
    return BlockResult(block=block, bots=pairing.bots, matches=tuple(matches))


@pytest.fixture
def played(tmp_path):
    """Five of six blocks are stored: all of seed 1, two of seed 2."""
    (tmp_path / "cup.toml").write_text(SPEC)
    setup = prepare(parse_spec(SPEC, "cup.toml"), tmp_path, "cup")
    format_ = make_format(setup.spec, 2, setup.openings, setup.bots, setup.fillers)
    with Store.open(setup.database) as store:
        for _ in range(5):
            pairing = format_.next()
            opening = setup.opening(pairing.opening)
            block = setup.block_id(pairing.bots, opening)
            store.add([won_by_later(block, pairing, opening, format_.seated)])
    return tmp_path


@pytest.fixture
def standings(lanista, played):
    """Run the command: what it printed."""

    def run(*words):
        return lanista("tournament", "standings", "cup.toml", *words).printed

    return run


def test_the_table_is_for_people(standings):
    """C wins all but the drawn ones: 5 blocks, 10 matches, of which 5 are drawn."""
    text = standings()
    assert "The cup\nangrymob, round-robin: 5 of 6 blocks, 10 matches; not over\n" in text
    rank, bot, *_ = text.splitlines()[4].split()
    assert ("1", "C") == (rank, bot)
    assert "points of the bot on the left" not in text
    assert "points of the bot on the left" in standings("--head-to-head")


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("table", "The cup\n"),
        ("json", "{\n"),
        ("csv", "rank,bot,matches,points,"),
        ("markdown", "# The cup\n"),
        ("html", "<!doctype html>\n"),
    ],
)
def test_every_form_can_be_written_to_a_file(standings, played, form, begins):
    assert "" == standings("--format", form, "-o", "out")
    written = (played / "out").read_bytes()
    assert written.decode().startswith(begins)
    assert b"\r" not in written
    assert standings("--format", form) == written.decode()


def test_a_file_that_can_not_be_written_is_one_line(lanista, played):
    done = lanista("tournament", "standings", "cup.toml", "-o", "no/such/folder")
    assert "lanista: can't write no/such/folder: No such file or directory\n" == done.refusal


@pytest.mark.parametrize("name", ["cup.toml", "cup.db"])
def test_the_files_of_the_tournament_are_never_overwritten(lanista, played, name):
    before = (played / name).read_bytes()
    done = lanista("tournament", "standings", "cup.toml", "-o", name)
    assert f"lanista: {name} is a file of the tournament; give another name\n" == done.refusal
    assert before == (played / name).read_bytes()


def test_looking_changes_nothing(standings, played):
    before = (played / "cup.db").read_bytes()
    standings()
    assert before == (played / "cup.db").read_bytes()


def test_blocks_that_the_spec_does_not_ask_for_are_told(standings, played):
    (played / "cup.toml").write_text(SPEC.replace("[1, 2]", "[2, 3]"))
    assert "2 of 6 blocks, 4 matches; not over; 3 stored blocks uncounted" in standings()


def test_a_bot_that_changed_under_its_name_is_refused(lanista, played):
    """One line says which, and what can be done; nothing is played."""
    with Store.open(played / "cup.db") as store:
        for name, bot in prepare(parse_spec(SPEC, ""), played, "cup").contestants.items():
            store.set_identity(name, bot.identity)
    (played / "cup.toml").write_text(SPEC.replace("RandomRunners", "ProfessorRandom"))
    refusal = lanista("tournament", "run", "cup.toml").refusal
    for word in ("cup.toml: ", "C ", "RandomRunners", "ProfessorRandom", "--accept-changes"):
        assert word in refusal
