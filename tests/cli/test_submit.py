"""`lanista submit` against a stand-in for the page; tests/e2e/test_submit.py has a real arena."""

import base64
import fcntl
import hashlib
import http.client
import io
import json
import os
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lanista.bots import builder
from lanista.cli import submit, submit_page
from lanista.cli.submit_page import NoAnswerError, NotNowError, SubmissionsPage
from lanista.system import write_whole

ABOUT = {"ladder": "pit", "max_bytes": 1000}
PATH = "/api/1/ladders/pit/submissions"


class StandIn:
    """A page that answers as it is told, and remembers what it was asked."""

    def __init__(self):
        self.answers = {"GET " + PATH: [ABOUT]}
        """By request: its answers, one after another, the last one again and again; a number is
        the status of a refusal, maybe in a tuple with a Retry-After and other words, and None
        closes the connection."""
        self.asked = []
        """Method, path, authorization and body of each request."""
        self.content = "application/json"
        self.on_ask = lambda: None
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                page.on_ask()
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                words = base64.b64decode(self.headers.get("Authorization", "")[6:]).decode()
                page.asked.append((self.command, self.path, words, body))
                answers = page.answers.get(f"{self.command} {self.path}", [404])
                answer = answers.pop(0) if len(answers) > 1 else answers[0]
                if answer is None:
                    return  # the connection is closed then
                answer, *more = answer if isinstance(answer, tuple) else (answer,)
                refused = isinstance(answer, int)
                data = {"error": f"no: \x1b {answer}"} if refused else answer
                data = more[1] if more[1:] else data
                data = data if isinstance(data, bytes) else json.dumps(data).encode()
                self.send_response(answer if refused else 200)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Content-Type", page.content)
                if more:
                    self.send_header("Location" if answer == 301 else "Retry-After", more[0])
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_GET  # noqa: N815 - its name in the library

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def tokens(self):
        """The names and tokens that it was shown."""
        return [words for _, _, words, _ in self.asked if words]


@pytest.fixture
def page():
    page = StandIn()
    thread = threading.Thread(target=page.server.serve_forever, args=(0.01,))
    thread.start()
    yield page
    page.server.shutdown()
    thread.join()
    page.server.server_close()


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The file of names and tokens."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("NAME", "TOKEN", "ARENA", "TLS_CA"):
        monkeypatch.delenv(f"LANISTA_{name}", raising=False)
    return tmp_path / "config" / "lanista" / "names.toml"


@pytest.fixture
def run(lanista, page, kept, tmp_path):
    """Run `lanista submit WORD…` for the page's ladder."""
    (tmp_path / "bot.py").write_text("x = 1\n")
    page.answers[f"POST {PATH}?file=bot.py"] = [version(1, "received")]
    return lambda *words: lanista("submit", *words, "--arena", page.url, "--ladder", "pit")


def version(number, state, **more):
    return {
        "version": number,
        "state": state,
        "file": "bot.py",
        "size": 6,
        "sha256": hashlib.sha256(b"x = 1\n").hexdigest(),
        "received": "2026-11-24T16:45:00.000+00:00",
        "why": "",
        "findings": [],
        "output": "",
        **more,
    }


def test_a_program_is_sent_in_pieces(page, monkeypatch):
    """Each may take as long as an answer: over a slow line, a large program takes minutes."""
    sizes = []

    def send(connection, data):
        sizes.append(len(data))
        sent(connection, data)

    sent = http.client.HTTPConnection.send
    monkeypatch.setattr(http.client.HTTPConnection, "send", send)
    page.answers["POST /"] = [{}]
    body = b"x" * 200_000
    assert b"{}" == submit_page.Page(url=page.url).ask("POST", "/", {}, body)
    assert body == page.asked[0][3]
    assert max(sizes) <= 64 * 1024


# -- names and tokens ----------------------------------------------------------------------------


def test_a_token_is_made_once_and_kept_before_it_is_sent(run, page, kept):
    """So no name is registered with a token that nobody knows any more."""
    kept_when_asked = []

    def look():
        kept_when_asked.append(kept.read_text() if kept.exists() else "")

    page.on_ask = look
    look_again = f"lanista submit --arena {page.url} --ladder pit --name Ada --list"
    printed = f"Ada: bot.py is version 1 on pit\nhow it goes: {look_again}\n"
    assert printed == run("bot.py", "--name", "Ada").printed
    ((method, path, words, body),) = page.asked[1:]
    assert ("POST", f"{PATH}?file=bot.py", b"x = 1\n") == (method, path, body)
    name, _, token = words.partition(":")
    assert ("Ada", 32) == (name, len(token))
    assert token in kept_when_asked[-1]
    assert 0o600 == kept.stat().st_mode & 0o777
    assert 0 == run("bot.py").code  # without a name: the only one that is kept
    assert [words] * 2 == page.tokens()


@pytest.mark.parametrize(
    ("refused", "stays"),
    [
        pytest.param(403, False, id="the name is another's"),
        pytest.param(429, True, id="it was registered, and has handed in enough"),
    ],
)
def test_a_new_name_that_is_refused_is_not_kept(run, page, refused, stays):
    """Otherwise its author, who then chooses another one, is asked for --name ever after."""
    page.answers[f"POST {PATH}?file=bot.py"] = [refused, version(1, "received")]
    assert f"lanista: no: \\x1b {refused}\n" == run("bot.py", "--name", "Ada").refusal
    assert ["Ada"] * stays == [one.name for one in submit_page.kept_names().names]
    assert 0 == run("bot.py", "--name", "Bob").code
    assert (0 if not stays else 2) == run("bot.py").code


def test_a_token_that_is_given_is_kept_when_it_was_right(run, page, kept):
    page.answers[f"POST {PATH}?file=bot.py"] = [403, version(1, "received")]
    done = run("bot.py", "--name", "Ada", "--token", "mistyped")
    assert "lanista: no: \\x1b 403\n" == done.refusal
    assert not kept.exists()
    assert 0 == run("bot.py", "--name", "Ada", "--token", "right").code
    assert 0 == run("bot.py", "--name", "ada").code
    assert ["Ada:mistyped", "Ada:right", "ada:right"] == page.tokens()


def test_where_no_name_can_be_kept_a_given_token_serves(run, page, kept):
    """A program that was handed in isn't reported as an error; a home may be read-only."""
    kept.parent.parent.write_bytes(b"")  # a file in place of the folder
    done = run("bot.py", "--name", "Ada", "--token", "given")
    assert done.out.startswith("Ada: bot.py is version 1 on pit\n")
    words = f"can't write {kept}: Not a directory; give --name and --token the next time too\n"
    assert (0, words) == (done.code, done.err)
    done = run("bot.py", "--name", "Ada")  # a token that nobody would know any more isn't used
    assert f"lanista: can't write {kept}: Not a directory\n" == done.refusal
    assert ["Ada:given"] == page.tokens()


def test_names_of_other_arenas_and_other_names_stay(run, page, kept, monkeypatch):
    """The file is for all arenas of an author, and each entry is a name's."""
    submit_page.keep(submit_page.KeptName(arena="http://other", name="Ada", token="other"))
    monkeypatch.setenv("LANISTA_NAME", "Bob")
    monkeypatch.setenv("LANISTA_TOKEN", "of-bob")
    assert 0 == run("bot.py").code
    assert 0 == run("bot.py", "--name", "Cem", "--token", "of-cem").code
    monkeypatch.delenv("LANISTA_NAME")
    monkeypatch.delenv("LANISTA_TOKEN")
    done = run("bot.py")
    assert "lanista: programs were handed in as Bob, Cem; choose one by --name\n" == done.err
    names = submit_page.kept_names().names
    assert [("Ada", "other"), ("Bob", "of-bob"), ("Cem", "of-cem")] == [
        (one.name, one.token) for one in names
    ]


@pytest.mark.parametrize("refused", [None, 403])
def test_a_new_name_has_the_token_that_another_program_has_made_meanwhile(run, page, refused):
    """Somebody hands in to two ladders at once, say: the arena knows one of the two tokens."""
    other = submit_page.KeptName(arena=page.url, name="Ada", token="other")
    page.on_ask = lambda: page.asked or submit_page.keep(other)
    if refused:
        page.answers[f"POST {PATH}?file=bot.py"] = [refused]
    assert (2 if refused else 0) == run("bot.py", "--name", "Ada").code
    assert ["Ada:other"] == page.tokens()
    assert (other,) == submit_page.kept_names().names


def test_names_that_two_programs_keep_at_the_same_moment_are_both_kept(kept, monkeypatch):
    """One waits until the other has written the file."""
    names = [submit_page.KeptName(arena="http://a", name=name, token="t") for name in "AB"]
    one, other = (threading.Thread(target=submit_page.keep, args=(name,)) for name in names)
    wants = threading.Event()

    def flock(*how):
        if threading.current_thread() is other:
            wants.set()
        return lock(*how)

    def write(*given, **how):
        if threading.current_thread() is one:
            other.start()
            while other.is_alive() and not wants.is_set():
                wants.wait(0.01)
        return write_whole(*given, **how)

    lock = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setattr(submit_page, "write_whole", write)
    one.start()
    one.join()
    other.join()
    assert names == list(submit_page.kept_names().names)


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "give the files to hand in, with or without --follow, or one of --list, --play"),
        (["bot.py", "--list"], "give the files to hand in, with or without --follow, or one"),
        (["--list", "--follow"], "give the files to hand in, with or without --follow, or one"),
        (["bot.py"], "no name is kept for http://127.0.0.1:"),
        (["--list", "--name", "Ada"], "no token is kept for Ada at http://127.0.0.1:"),
        (["bot.py", "--name", "A:b"], "--name 'A:b': expected 1 to 32 of A-Z"),
        (["bot.py", "--name", "A=b"], "--name 'A=b': expected 1 to 32 of A-Z"),
        (["large.py", "--name", "Ada"], "large.py has 1001 bytes; at most 1000 are taken"),
    ],
)
def test_what_is_refused_before_it_is_sent(run, page, tmp_path, words, expected):
    (tmp_path / "large.py").write_bytes(bytes(1001))
    assert run(*words).refusal.startswith(f"lanista: {expected}")
    assert not page.tokens()


def test_a_file_may_be_named_in_another_encoding(run, page, tmp_path):
    """Its name is sent as it is; the arena shows it as well as it can."""
    (tmp_path / "bot.py").rename(tmp_path / "p\udce9.py")
    page.answers[f"POST {PATH}?file=p%E9.py"] = [version(1, "received")]
    assert 0 == run("p\udce9.py", "--name", "Ada").code


def test_what_is_there_instead_of_an_arenas_page(run, page, lanista):
    """Each is told by name, since each has another remedy."""
    page.answers = {}

    def said(*words):
        refusal = lanista("submit", "bot.py", "--name", "Ada", *words).refusal
        return refusal.removeprefix(f"lanista: {page.url}: ")

    here = ("--arena", page.url, "--ladder")
    for ladder in ("pitt", "p\udce9t"):  # the é is in Latin-1, as the terminal's
        assert said(*here, ladder).endswith(": no: \\x1b 404\n")
    page.answers = {f"GET {PATH}": [b"<html>"]}
    expected = "what is there isn't an arena's page; give the address that browsers open\n"
    assert expected == said(*here, "pit")
    page.content = "text/plain; charset=utf-8"
    page.answers = {f"GET {PATH}": [(400, "", b"This port is for bots.\r\nThe page is http://x/")]}
    expected = (
        "no arena's page answers there, but status 400 Bad Request comes: "
        "This port is for bots. The page is http://x/\n"
    )
    assert expected == said(*here, "pit")
    page.answers = {f"GET {PATH}": [(403, "", b"")]}  # a proxy's own refusal
    expected = "no arena's page answers there, but status 403 Forbidden comes\n"
    assert expected == said(*here, "pit")
    page.answers = {f"GET {PATH}": [(301, f"https://arena.example{PATH}", b"<html>")]}
    expected = "no arena's page answers there, but status 301 Moved Permanently comes; "
    expected += "try https://arena.example\n"
    assert expected == said(*here, "pit")
    secure = page.url.replace("http", "https")
    words = said("--arena", secure, "--ladder", "pit")
    assert words.endswith("; perhaps its address begins with http:\n")
    for url in ("ftp://x", "http://[::1", "http://arena..example:8080"):
        expected = f"lanista: --arena '{url}': expected the address of the arena's page, as"
        assert expected in said("--arena", url, "--ladder", "pit")
    port = page.server.server_address[1]
    page.server.shutdown()
    page.server.server_close()
    words = said("--arena", f"127.0.0.1:{port}/#/ladders/pit", "--ladder", "pit")
    assert "no arena's page answers there: Connection refused\n" == words


# -- following -----------------------------------------------------------------------------------


def test_following_prints_each_word_once(run, page, monkeypatch):
    """Compilers' words as they come, escaped, before the check; then findings and the end."""
    monkeypatch.setattr(submit, "INTERVAL", 0)
    warned = "$ g++\n\x1b[1mwarning\n"
    page.answers[f"GET {PATH}/1"] = [
        version(1, "received"),
        version(1, "building", output="$ g++\n"),
        version(1, "building", output=warned[:-3]),
        version(1, "checking", output=warned[:-1]),
        version(1, "playing", output=warned[:-1], findings=["warning: slow \x07"]),
    ]
    assert [
        "Ada: bot.py is version 1 on pit",
        "received: it waits for its turn",
        "building",
        "$ g++",
        "\\x1b[1mwarning",
        "checking",
        "warning: slow \\x07",
        "playing",
    ] == run("bot.py", "--name", "Ada", "--follow").printed.splitlines()


@pytest.mark.parametrize(
    ("state", "code", "last"),
    [
        ("refused", 1, "refused: it doesn't compile"),
        ("ready", 0, "ready: another version plays, or none"),
    ],
)
def test_the_exit_code_says_what_became_of_a_version(run, page, state, code, last):
    page.answers[f"GET {PATH}/1"] = [version(1, state, why="it doesn't compile", output="words")]
    done = run("bot.py", "--name", "Ada", "--follow")
    assert (code, ["words", last]) == (done.code, done.out.splitlines()[-2:])


@pytest.mark.parametrize("answer", [None, 502, 504])
def test_a_program_whose_receipt_is_lost_may_have_been_taken(run, page, answer):
    """It isn't handed in again if the arena ends at that moment, or a proxy says that it did."""
    page.answers[f"POST {PATH}?file=bot.py"] = [answer, version(1, "received")]
    refusal = run("bot.py", "--name", "Ada", "--token", "t").refusal
    words = "it may have taken bot.py: see lanista submit --list when it answers again\n"
    assert refusal.endswith(f"; {words}")


# -- waiting for a page that can't answer now ----------------------------------------------------


class Clock:
    """In place of the module `time`: a clock that a wait moves on."""

    def __init__(self):
        self.now, self.waits = 0.0, []

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.now += seconds

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in (submit, submit_page):
        monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def author(page, kept):
    """Find the page's ladder for an author."""
    return lambda: SubmissionsPage.of(page.url, "pit", "Ada", "t", makes_token=False)


def test_what_the_page_can_not_do_now_is_asked_for_again(author, page, clock, capsys):
    """Every request waits as long as the page says, less and less often, and it is said once."""
    page.answers[f"GET {PATH}"] = [503, ABOUT]
    page.answers[f"POST {PATH}?file=bot.py"] = [
        *((503, after) for after in ("5", "60", "Wed, 21 Oct 2026 07:28:00 GMT", "0", "5")),
        version(1, "received"),
    ]
    assert 1 == author().hand_in("bot.py", b"x = 1\n")["version"]
    assert [1, 5, 60, 4, 8, 16] == clock.waits
    line = "no: \\x1b 503; it is asked again for up to 5 minutes"
    assert [line, line] == capsys.readouterr().err.splitlines()
    assert [b"x = 1\n"] * 6 == [body for method, *_, body in page.asked if method == "POST"]


@pytest.mark.parametrize(
    ("after", "expected", "waits"),
    [
        ("5", "it was asked again for 5 minutes", [5, 5, 5, 8, 16, *[30] * 8]),
        ("301", "try again in 301 s", []),
    ],
)
def test_asking_again_ends(author, page, clock, after, expected, waits):
    """After some minutes, or at once if the page wants to be asked only later than that."""
    page.answers[f"POST {PATH}?file=bot.py"] = [(503, after)]
    with pytest.raises(NotNowError, match=f"^no: \x1b 503; {expected}$"):
        author().hand_in("bot.py", b"x = 1\n")
    assert waits == clock.waits


def test_a_proxy_whose_page_is_away_is_no_wrong_address(author, page, clock):
    page.answers[f"GET {PATH}"] = [(503, "400", b"<html>")]
    words = "answers there, but status 503 Service Unavailable comes; try again in 400 s$"
    with pytest.raises(NotNowError, match=words):
        author()


def test_following_goes_on_after_the_arena_was_started_again(author, page, clock, capsys):
    """It is told once that the arena doesn't answer; what was printed isn't printed again."""
    before = version(3, "checking", output="$ g++\n")
    after = version(3, "playing", output="$ g++\n")
    page.answers[f"GET {PATH}/3"] = [version(3, "building"), before, *[None] * 8, after]
    assert 0 == submit.follow_version(author(), 3)
    said = capsys.readouterr()
    assert ["building", "$ g++", "checking", "playing"] == said.out.splitlines()[1:]
    assert said.err.startswith(f"{page.url}: no arena's page answers there: ")
    assert said.err.endswith("; it is asked again for up to 5 minutes\n")
    assert [1, 1, 1, 2, 4, 8, 16, 30, 30, 30] == clock.waits


def test_no_state_does_anything_to_the_terminal(author, page, clock, capsys):
    """Whoever runs an arena may have it say what it likes."""
    page.answers[f"GET {PATH}/3"] = [
        version(3, "\x1b[2J", output=""),
        version(3, "ready", output=""),
    ]
    assert 0 == submit.follow_version(author(), 3)
    assert "\\x1b[2J" == capsys.readouterr().out.splitlines()[1]


def test_following_ends_when_the_arena_stays_away(author, page, clock):
    page.answers[f"GET {PATH}/3"] = [None]
    with pytest.raises(NoAnswerError, match="it was asked again for 5 minutes"):
        submit.follow_version(author(), 3)
    assert 270 <= clock.now <= 300


# -- versions ------------------------------------------------------------------------------------


def test_versions_are_listed_and_changed(run, page):
    author = {"name": "Ada", "paused": True, "disabled": "copied", "versions": []}
    author["versions"] = [version(2, "refused", why="no"), version(1, "playing")]
    page.answers |= {
        f"GET {PATH}": [ABOUT, author, ABOUT],
        f"POST {PATH}/2/play": [author],
        f"POST {PATH}/pause": [author],
        f"POST {PATH}/2/delete": [409],
    }
    known = ("--name", "Ada", "--token", "t")
    lines = run("--list", *known).out.splitlines()
    assert "   2  refused   2026-11-24 16:45         6 B  bot.py  no" == lines[0]
    assert "paused: nothing plays until --resume" == lines[2]
    assert "disabled by the operator: copied" == lines[3]
    assert 0 == run("--play", 2, *known).code
    assert 0 == run("--pause", *known).code
    assert "lanista: no: \\x1b 409\n" == run("--delete", 2, *known).refusal


def test_a_version_is_downloaded_to_a_new_file(run, page, tmp_path):
    """Neither is a file of the author's overwritten, nor does a page choose a path."""
    page.answers |= {
        f"GET {PATH}/3": [version(3, "ready"), version(3, "ready"), version(3, "x", file="../x")],
        f"GET {PATH}/3/source": [b"x = 1\n"],
    }
    known = ("--name", "Ada", "--token", "t")
    assert "bot-3.py\n" == run("--download", 3, *known).out
    assert "x = 1\n" == (tmp_path / "bot-3.py").read_text()
    assert "lanista: bot-3.py exists already; move it away\n" == run("--download", 3, *known).err
    assert "came damaged" in run("--download", 3, *known).err


# -- packing -------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "my bot"
    for name in ("bot.toml", "main.py", "lib/a.py", ".git/config", "__pycache__/a.pyc", "b.pyc"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    return folder


def test_links_are_packed_as_what_they_lead_to(project, tmp_path):
    """The arena takes no links; a shared folder of helpers must not be missing there."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/helper.py").write_text("x = 1\n")
    (project / "shared").symlink_to("../shared")
    (project / "one.py").symlink_to("../shared/helper.py")
    _, data = submit.packed([project])
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert file.read("shared/helper.py") == file.read("one.py") == b"x = 1\n"


def test_a_folder_is_packed_without_what_building_made(project):
    """The same files give the same ZIP, so that their digest is the same; programs stay such."""
    name, data = submit.packed([project])
    assert "my_bot.zip" == name
    assert data == submit.packed([project])[1]
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        modes = {one.filename: one.external_attr >> 16 & 0o777 for one in file.infolist()}
    assert {"bot.toml": 0o644, "lib/a.py": 0o644, "main.py": 0o644, "run.sh": 0o755} == modes


def test_several_files_are_packed_by_their_names(project):
    files = [project / name for name in ("bot.toml", "main.py", "lib")]
    _, data = submit.packed(files)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert ["bot.toml", "main.py", "lib/a.py"] == file.namelist()


def test_what_can_not_be_packed(project, monkeypatch):
    with pytest.raises(submit.BadInputError, match=r"several files need a bot\.toml among"):
        submit.packed([project / "main.py", project / "run.sh"])
    with pytest.raises(submit.BadInputError, match=r"main\.py is there twice: "):
        submit.packed([project / "main.py", project / "main.py"])
    with pytest.raises(submit.BadInputError, match=r"/dev/zero: no ordinary file, or more than 64"):
        submit.packed([Path("/dev/zero")])
    with monkeypatch.context() as patched:
        patched.setattr(builder, "MAX_FILES", 2)
        with pytest.raises(submit.BadInputError, match="more than 2 files; name those it needs"):
            submit.packed([project])
    with monkeypatch.context() as patched:
        patched.setattr(builder, "MAX_UNPACKED", 15)  # more than each of them
        with pytest.raises(submit.BadInputError, match="more than 0 MiB together"):
            submit.packed([project])
    (project / "round").symlink_to(".")
    with pytest.raises(submit.BadInputError, match="round: leads to a folder that contains it"):
        submit.packed([project])
    (project / "round").unlink()
    (project / os.fsdecode(b"a\xff")).touch()
    with pytest.raises(submit.BadInputError, match="its name has other characters than text"):
        submit.packed([project])
