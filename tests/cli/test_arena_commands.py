"""`lanista arena`: writing an example, checking a file, and what can't be run (docs/arena.md)."""

import os
import resource
import socket
import time
from datetime import datetime
from pathlib import Path

import pytest

from lanista.arena.options import options_of
from lanista.arena.spec import ArenaSpec, Friendly, HouseBot, Start, parse_spec
from lanista.bots.building import Tools
from lanista.cli import arena_check
from lanista.games import registry
from lanista.match.conditions import Clock
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from support.submissions import handed_in

CERTIFICATES = Path(__file__).parents[1] / "arena" / "certificates"
LADDER = '[[ladders]]\nname = "l"\ngame = "hogwarts"\n'
QUIET = 'port = 0\n[page]\nlisten = "none"\n'
"""An arena that needs nothing which another program may have."""


@pytest.fixture
def checked(lanista, tmp_path):
    """Run `lanista arena check` on a text: its exit code, and what is wrong, without the mark."""

    def check(text):
        (tmp_path / "arena.toml").write_text(text)
        done = lanista("arena", "check", "arena.toml")
        assert "" == done.err
        lines = done.out.splitlines()
        check.right = [line for line in lines if line.startswith("ok    ")]
        return done.code, [line[6:] for line in lines if line not in check.right]

    return check


# -- new -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["angrymob", "hogwarts", "crematoria"])
def test_the_example_of_every_game_passes_the_check(lanista, checked, tmp_path, game):
    done = lanista("arena", "new", "mine.toml", "--game", game)
    expected = "mine.toml: check it with `lanista arena check`, then run it\n"
    assert (0, expected, "") == done
    text = (tmp_path / "mine.toml").read_text()
    assert game == parse_spec(text, "mine.toml").ladders[0].game
    assert "#     lanista arena run mine.toml\n" in text
    # Somebody else may have the default port.
    assert (0, []) == checked(text.replace("# port = 7777", "port = 0"))
    assert [f"ok    ladder {game}"] == [line.partition(":")[0] for line in checked.right[:1]]


def test_new_writes_arena_toml_and_overwrites_nothing(lanista, tmp_path):
    assert 0 == lanista("arena", "new").code
    text = (tmp_path / "arena.toml").read_text()
    refusal = lanista("arena", "new", "--game", "hogwarts").refusal
    assert "lanista: arena.toml exists already; name another file\n" == refusal
    assert text == (tmp_path / "arena.toml").read_text()
    assert 2 == lanista("arena", "new", "no/such/folder.toml").code
    assert 2 == lanista("arena", "new", "x.toml", "--game", "chess").code
    assert not (tmp_path / "x.toml").exists()


# -- check -----------------------------------------------------------------------------------------


def test_a_file_that_is_no_spec_is_bad_input(lanista, tmp_path):
    (tmp_path / "arena.toml").write_text("prot = 1")
    refusal = lanista("arena", "check", "arena.toml").refusal
    assert refusal.startswith("lanista: arena.toml: prot: no such key; known are host, port,")
    assert 2 == lanista("arena", "check", "missing.toml").code


def test_check_changes_nothing(checked, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3})
    assert (0, []) == checked(
        "workers = 2\n" + QUIET + LADDER + 'house = ["Null", "Demo", "Dummy"]'
    )
    assert [
        "ok    ladder l: Hogwarts, 4 seats, 3 house bots, maps made from seeds",
        "ok    bots: 127.0.0.1:0 can be listened on",
        f"ok    data: {tmp_path}/lanista-data, which will be created",
    ] == checked.right
    assert ["arena.toml"] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('game = "chess"\n' + QUIET, "game: unknown game 'chess'; known games: angrymob,"),
        (QUIET + LADDER + "settings.rounds = 1", "ladders[1].settings: "),
        (QUIET + LADDER + 'limits = "memory=x"', "ladders[1].limits "),
        (QUIET.replace("[page]", 'host = "192.0.2.1"\n[page]'), "port: can't listen on 192.0.2.1"),
        (
            QUIET.replace("[page]", 'host = "a..b"\n[page]'),
            "port: can't listen on a..b:0: unknown host",
        ),
        (
            QUIET.replace("[page]", 'host = "2001:db8::1"\n[page]'),
            "port: can't listen on [2001:db8::1]:0: ",
        ),
        (QUIET.replace('"none"', '"192.0.2.1:0"'), "page.listen: can't listen on 192.0.2.1:0: "),
        (QUIET.replace('"none"', '"[::]:0"\ntournaments = ["no.toml"]'), "page.tournaments: "),
        (QUIET + '[friendly]\nmap = "no.map"', "friendly: no map file 'no.map'"),
        (QUIET + "[friendly]\nsettings = { speed = 1 }", "friendly: "),
    ],
)
def test_each_mistake_is_found_and_named(checked, text, expected):
    code, wrong = checked(text)
    assert 1 == code
    assert any(line.startswith(expected) for line in wrong), wrong


def test_all_mistakes_are_found_at_once(checked):
    text = 'data = "arena.toml"\n' + QUIET + LADDER + 'maps = ["x"]\nhouse = ["y"]\n'
    text += LADDER.replace('"l"', '"m"').replace("hogwarts", "chess")
    code, wrong = checked(text)
    assert 1 == code
    keys = [line.partition(":")[0] for line in wrong]
    assert ["ladders[1].maps[1]", "ladders[1].house[1]", "ladders[2].game", "data"] == keys


def test_the_page_can_t_have_the_port_of_the_bots(checked):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    code, wrong = checked(f'port = {port}\n[page]\nlisten = "127.0.0.1:{port}"')
    assert 1 == code
    assert any(line.startswith("page.listen: can't listen on") for line in wrong)


def secured(certificate, key):
    """The file of an arena with this certificate and key of those that tests have."""
    certificate, key = (CERTIFICATES / name for name in (certificate, key))
    return f'{QUIET}[tls]\ncertificate = "{certificate}"\nkey = "{key}"'


@pytest.mark.parametrize(
    ("certificate", "key", "expected"),
    [
        ("valid.pem", "other.key", "tls.key: {0}/other.key: not the private key of {0}/"),
        ("expired.pem", "arena.key", "tls.certificate: {0}/expired.pem: valid from 20"),
        ("future.pem", "arena.key", "tls.certificate: {0}/future.pem: valid from 2099-"),
    ],
)
def test_a_certificate_that_can_t_be_used_is_found(checked, certificate, key, expected):
    code, (line,) = checked(secured(certificate, key))
    assert (1, True) == (code, line.startswith(expected.format(CERTIFICATES))), line


def test_a_valid_certificate_is_right_until_shortly_before_its_end(checked, monkeypatch):
    text = secured("valid.pem", "arena.key")
    assert (0, []) == checked(text)
    assert "ok    TLS: certificate valid until 2120-01-01" in checked.right

    class Later(datetime):
        @classmethod
        def now(cls, tz):
            return datetime(2119, 12, 25, tzinfo=tz)

    monkeypatch.setattr(arena_check, "datetime", Later)
    assert (0, ["tls.certificate: expires on 2120-01-01; renew it"]) == checked(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'host = "0.0.0.0"\n' + QUIET,
            "host: 0.0.0.0 without [tls]: names' tokens cross the network unencrypted",
        ),
        (
            QUIET + LADDER + 'house = ["Null", "Demo"]',
            "ladders[1].house: 2 of them can't fill the seats of a match for a bot that waits",
        ),
        (
            "workers = 3\n" + QUIET,
            "workers: 3 on 2 cores; they will slow each other's matches down",
        ),
    ],
    ids=["no encryption", "few house bots", "many workers"],
)
def test_what_is_doubtful_gets_a_warning(checked, monkeypatch, text, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3})
    code, (line,) = checked(text)
    assert (0, expected) == (code, line[: len(expected)])


def test_a_short_token_of_the_operator_gets_a_warning(checked, monkeypatch):
    """Where there is a page that needs it; it isn't shown."""
    monkeypatch.setenv("LANISTA_WEB_TOKEN", "sesame")
    expected = (
        "LANISTA_WEB_TOKEN has 6 characters and could be guessed; use 16 or more random ones, such "
        "as those that `openssl rand -hex 16` prints"
    )
    page = '[page]\nlisten = "127.0.0.1:0"\n'
    assert (0, [expected]) == checked("port = 0\n" + page)
    assert (0, []) == checked(QUIET)
    monkeypatch.setenv("LANISTA_WEB_TOKEN", "0123456789abcdef")
    assert (0, []) == checked("port = 0\n" + page)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_found(checked, tmp_path, monkeypatch):
    (tmp_path / "lanista-data").mkdir()
    full = Path("/dev/full")
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: full.open("wb"))
    expected = f"data: {tmp_path}/lanista-data can't be written: No space left on device"
    assert (1, [expected]) == checked(QUIET)


def test_a_data_folder_that_can_t_be_written_is_found(checked, tmp_path):
    (tmp_path / "lanista-data").mkdir()
    (tmp_path / "lanista-data" / "records").write_text("a file")
    expected = f"data: {tmp_path}/lanista-data/records can't be written: Not a directory"
    assert (1, [expected]) == checked(QUIET)
    (tmp_path / "linked").symlink_to("a disk that isn't mounted")
    expected = f"data: {tmp_path}/linked can't be written: No such file or directory"
    assert (1, [expected]) == checked('data = "linked"\n' + QUIET)
    code, wrong = checked('data = "arena.toml/folder"\n' + QUIET)
    expected = f"data: {tmp_path}/arena.toml/folder can't be created: {tmp_path}/arena.toml isn't"
    assert (1, [expected]) == (code, [line[: len(expected)] for line in wrong])


def test_results_that_can_t_be_used_are_found(checked, tmp_path):
    data = DataFolder(tmp_path / "lanista-data")
    path = data.database
    Database.of_arena(data).close()
    assert (0, []) == checked(QUIET + LADDER)
    path.write_bytes(b"something else" * 1000)
    code, wrong = checked(QUIET + LADDER)
    assert 1 == code
    assert wrong[0].startswith(f"database: {path}: damaged (file is not a database)")


@pytest.mark.parametrize("listen", ["0", "none"])
def test_a_list_of_matches_that_can_t_be_used_is_found(checked, tmp_path, listen):
    """Without ladders, nothing else is in the file; without a page, nobody needs it."""
    data = DataFolder(tmp_path / "lanista-data")
    data.path.mkdir()
    data.database.write_bytes(b"something else" * 1000)
    code, wrong = checked(QUIET.replace("none", listen))
    expected = "list of matches, which is made again if lanista.db is moved away: "
    is_shown = listen != "none"
    found = [line[: len(expected)] for line in wrong]
    assert (int(is_shown), [expected] * is_shown) == (code, found)


def test_results_and_names_of_another_user_are_found(checked, tmp_path, monkeypatch):
    """As root would make them; a folder of root's keeps even their existence from others."""

    def refused(data, *_):
        raise PermissionError(13, "Permission denied", str(data.database))

    monkeypatch.setattr("lanista.cli.arena_check.Database.rehearse_arena", refused)
    expected = f"database: {tmp_path}/lanista-data/lanista.db: Permission denied"
    assert (1, [expected]) == checked(QUIET + LADDER)


def test_a_store_that_can_t_be_reached_is_found_and_its_password_not_shown(checked):
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    store = 'store = "postgresql://arena:secret@127.0.0.1:1/arena"\n'
    code, (line,) = checked(store + QUIET + LADDER)
    assert 1 == code
    where = "postgresql://arena@127.0.0.1:1/arena, schema lanista"
    assert line.startswith(f"store: {where}: no connection to the server: ")
    assert "secret" not in line


def test_files_that_the_system_doesn_t_allow_are_found(checked, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 1024))
    code, (line,) = checked(QUIET)
    expected = "max_connections: 533 instead of 1000 will be possible: the system allows 1024 open"
    assert (0, expected) == (code, line[: len(expected)])
    monkeypatch.setattr(resource, "getrlimit", lambda _: (64, 64))
    refused = "max_connections: the system allows 64 open files (ulimit -Hn), and the arena needs "
    assert (1, [refused + "227 at least; allow more"]) == checked(QUIET)
    code, wrong = checked(QUIET.replace("none", "0"))
    assert 1 == code
    assert wrong[0].endswith(" at least, most of them for the page: allow more, or serve no page")


# -- run -------------------------------------------------------------------------------------------


def test_options_hold_instead_of_what_the_file_says(lanista, tmp_path):
    (tmp_path / "arena.toml").write_text(f'data = "here"\n{QUIET}{LADDER}')
    words = "--host ::1 --port 5 --data there --workers 3 --web 127.0.0.1:9 --print-config"
    spec = parse_spec(lanista("arena", "run", "arena.toml", *words.split()).printed, "printed")
    assert ("::1", 5, str(tmp_path / "there"), 3, "127.0.0.1:9") == (
        *(spec.host, spec.port, spec.data, spec.workers, spec.page.listen),
    )
    done = lanista("arena", "run", "arena.toml", "--web", "here")
    assert done.refusal.startswith("lanista: --web: 'here'; expected HOST:PORT, such as")
    assert 2 == lanista("arena", "run", "arena.toml", "--workers", "1000").code


def test_an_option_leaves_out_the_page_whatever_the_file_says_of_it(lanista, tmp_path):
    (tmp_path / "arena.toml").write_text("[page]\nopen_logs = true\n")
    words = "arena run arena.toml --web none --print-config"
    page = parse_spec(lanista(*words.split()).printed, "printed").page
    assert ("none", True) == (page.listen, page.open_logs)


def test_serve_prints_the_file_that_it_stands_for(lanista, tmp_path):
    words = (
        "--ladder hogwarts --ladder angrymob=pit --set NUM_ROUNDS=7 --no-clock --port 0 --no-web"
    )
    spec = parse_spec(lanista("serve", *words.split(), "--print-config").printed, "printed")
    assert (0, "hogwarts", "none") == (spec.port, spec.game, spec.page.listen)
    first, second = spec.ladders
    assert ("hogwarts", {"NUM_ROUNDS": 7}, 0) == (first.name, first.settings, first.clock.time_init)
    assert ("pit", {}, 0) == (second.name, second.settings, second.clock.time_move)
    for ladder in spec.ladders:
        house = [HouseBot(command=name) for name in registry.house_bots(ladder.game)]
        assert house == [*ladder.house]
    printed = lanista("serve", "--print-config").out
    assert ArenaSpec(game="angrymob", workers=1) == parse_spec(printed, "")


def test_serve_prints_what_it_says_of_friendly_rooms(lanista, tmp_path):
    words = "--start manual --matches 3 --map tiny.map --set move_limit=9 --time-move 1"
    (tmp_path / "tiny.map").write_text("2 3\nA . .\n. . B\n")
    spec = parse_spec(lanista("serve", *words.split(), "--print-config").printed, "printed")
    settings = {"move_limit": 9}
    assert spec.friendly == Friendly(
        start=Start.MANUAL, matches=3, map="tiny.map", settings=settings, clock=Clock(time_move=1)
    )
    options = options_of(spec, tmp_path / "arena.toml")
    assert (9, (2, 3)) == (options.settings["move_limit"], (options.board.rows, options.board.cols))
    assert tmp_path / "lanista-data" == options.data.path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--ladder chess", "unknown game 'chess'; known games: angrymob,"),
        ("--ladder angrymob=a/b", "--ladder: 'a/b'; expected 1 to 64 of"),
        ("--ladder hogwarts --ladder angrymob=Hogwarts", "--ladder: Hogwarts is the name of"),
        ("--ladder angrymob --matches 3", "--matches and --ladder: give only one of them"),
        ("--workers 1000", "--workers: 1000; expected "),
    ],
)
def test_what_serve_with_ladders_refuses(lanista, words, expected):
    assert lanista("serve", *words.split()).refusal.startswith(f"lanista: {expected}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'{QUIET}[friendly]\nmap = "no.map"', "friendly: no map file 'no.map'"),
        ('game = "chess"', "game: unknown game 'chess'; known games: "),
        ('[tls]\ncertificate = "a.pem"\nkey = "b"', "tls.certificate: a.pem: can't be read: No"),
    ],
)
def test_what_cannot_be_used_is_told_before_the_start(lanista, tmp_path, text, expected):
    (tmp_path / "arena.toml").write_text(text)
    refusal = lanista("arena", "run", "arena.toml").refusal
    assert refusal.startswith(f"lanista: arena.toml: {expected}")


def test_a_program_in_a_folder_that_sandboxes_hide_gets_a_warning(checked, tmp_path, monkeypatch):
    """In the folder of the arena's file, or below it: docs/limits.md, "What it sees"."""
    monkeypatch.setattr(arena_check, "check_sandbox", lambda: None)
    elsewhere = tmp_path.parent / f"{tmp_path.name} elsewhere"
    for folder in tmp_path / "tom", elsewhere:
        folder.mkdir()
        (folder / "main.py").touch()
    (tmp_path / "main.py").touch()
    house = (
        'house = ["Demo", "python3 main.py", { name = "T", command = "python3 tom/main.py" },'
        f' "python3 \'{elsewhere}/main.py\'", "python3 -m tom.main"]\n'
    )
    code, wrong = checked(QUIET + LADDER + house + 'sandbox = "bwrap"\n')
    here = Path(os.path.realpath(tmp_path))
    assert [
        f"ladders[1].house[2]: main uses {here}/main.py",
        f"ladders[1].house[3]: T uses {here}/tom/main.py",
        f"ladders[1].house[5]: main-3 uses {here}",
    ] == [line.partition(", and sandboxes hide the arena's folders")[0] for line in wrong]
    assert 0 == code
    assert [] == checked(QUIET + LADDER + house)[1]


def test_what_is_said_where_programs_are_handed_in(checked, monkeypatch, tmp_path):
    """Whether they can be built, in which languages, and whether there is room for them."""
    found = {"Python": "Python 3.13.1", "C++": "g++ 12", "Go": "go1.19", "Java": "javac 17"}

    async def tools(_):
        return Tools(languages=found)

    monkeypatch.setattr(arena_check, "check_sandbox", lambda: None)
    monkeypatch.setattr(arena_check.Builder, "tools", tools)
    late = "[ladders.submissions]\ncloses = 2020-01-01T00:00:00Z\n"
    code, wrong = checked(QUIET + LADDER + late + "max_disk = 1_125_899_906_842_624\n")
    assert 0 == code
    listed = "Python (3.13.1), C++ (g++ 12), Go (go1.19), Java (javac 17)"
    assert f"ok    submissions: sandboxes work; languages: {listed}" in checked.right
    lone, closed, missing, unseen, room = wrong
    assert lone.startswith("ladders[1].house: 0 of them can't fill the seats of a match for a bot")
    is_over = "ladders[1].submissions.closes: 2020-01-01T00:00:00+00:00 is over: nothing is taken"
    assert is_over == closed
    assert missing.startswith("submissions: JavaScript can't be built: node isn't there, or not in")
    assert unseen.startswith("submissions: Rust can't be built: cargo isn't there, or not in")
    assert room.endswith("; max_disk allows 1048576 GiB"), room
    # As a summer's zone in a deadline of the winter, which so comes an hour early.
    with monkeypatch.context() as context:
        context.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        checked(QUIET + LADDER + "[ladders.submissions]\ncloses = 2999-12-18T23:59:00+02:00\n")
    time.tzset()
    assert "ok    submissions: l takes programs until 2999-12-18 22:59, local time" in checked.right
    handed_in(tmp_path / "lanista-data", "Ada", ladder="l")
    text = QUIET + LADDER + "submissions = true\n"
    code, wrong = checked(text)
    assert (0, 3) == (code, len(wrong))
    expected = (
        "ladders[1].house[1]: ADA is also a name for which programs were handed in; "
        "they won't play while a house bot has it"
    )
    assert expected in checked(text + 'house = [{ name = "ADA", command = "Null" }]\n')[1]
    versions = tmp_path / "lanista-data/submissions/ladder-l/name-ada/versions.json"
    versions.write_text("{")
    code, wrong = checked(text)
    assert 1 == code
    assert wrong[1].startswith(f"ladders[1].submissions: {versions}: can't be read: JSONDecodeErro")

    def fail():
        raise arena_check.SandboxError("sandbox: bubblewrap (bwrap) isn't installed")

    monkeypatch.setattr(arena_check, "check_sandbox", fail)
    code, wrong = checked(text)
    assert 1 == code
    why = "programs run only in sandboxes; sandbox: bubblewrap (bwrap) isn't installed"
    assert f"ladders[1].submissions: {why}" == wrong[-1]
