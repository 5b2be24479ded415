"""`--web`, `--no-web` and `--watch`: where a page is, and what can't be (docs/cli.md)."""

import shutil
import socket
import types

import pytest

from lanista.cli.web import PagePort, listening_text, own_addresses
from lanista.errors import CannotListenError
from lanista.hosting.control import RunningMatches
from lanista.page.view import View

PLAY = "play angrymob CamperJoe CamperJoe"
PAGE = "the page that --watch serves"


WRONG = [
    *("", ":", ":80", "localhost", "localhost:", "a:b", "127.0.0.1:65536", "127.0.0.1:-1", "::1"),
    *("::1:80", "[::1]", "[::1]80", "[]:80", "127.0.0.1:80:80", "http://127.0.0.1:80", "80/"),
    *("127.0.0.1:\u0668\u0660", "127.0.0.1:80\n"),
]


@pytest.mark.parametrize(
    ("words", "text"),
    [(["serve"], WRONG[0]), *(([*PLAY.split(), "--watch"], text) for text in WRONG)],
)
def test_an_address_that_is_none_is_told_what_is_expected(lanista, words, text):
    """Before anything is started."""
    done = lanista(*words, "--web", text)
    expected = f"lanista: --web: {text!a}; expected HOST:PORT, such as 127.0.0.1:8080"
    assert done.refusal.startswith(expected)


@pytest.mark.parametrize(
    ("session", "listens", "command"),
    [
        ("192.0.2.1 50000 192.0.2.7 22", None, "ssh -L 8080:localhost:8080 ada@192.0.2.7"),
        ("::1 9 2001:db8::7 22", "8080", "ssh -L 8080:localhost:8080 ada@2001:db8::7"),
        ("192.0.2.1 9 192.0.2.7 2222", None, "ssh -p 2222 -L 8080:localhost:8080 ada@192.0.2.7"),
        ("192.0.2.1 50000 192.0.2.7 22", "0.0.0.0:8080", None),
        ("", None, None),
    ],
)
def test_the_way_to_the_page_of_an_ssh_session(session, listens, command, monkeypatch):
    """By its port on loopback, and sshd's port; none where the page can be reached, or at home."""
    monkeypatch.setenv("SSH_CONNECTION", session)
    monkeypatch.setenv("LOGNAME", "ada")
    assert command == PagePort(listens).tunnel(types.SimpleNamespace(port=8080))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("serve --no-web --web 8080", "--no-web and --web: give only one of them"),
        (f"{PLAY} --open-logs", f"--web and --open-logs are for {PAGE}; give --watch too"),
        (f"{PLAY} --watch -n 2", "--watch shows one match only; use lanista serve for several"),
        (f"{PLAY} --web 8080", f"--web and --open-logs are for {PAGE}; give --watch too"),
    ],
)
def test_what_does_not_go_together_is_told(lanista, words, told):
    assert (2, "", f"lanista: {told}\n") == lanista(*words.split())


def test_a_host_that_cannot_be_is_told(lanista):
    """No name, though the form is right."""
    done = lanista("serve", "--port", 0, "--web", "a..b:8080")
    assert 2 == done.code
    *log, line = done.err.splitlines()
    told = "can't listen on a..b:8080 for the page: unknown host; choose another address with --web"
    assert f"lanista: {told}, or --web none" == line
    assert "Traceback" not in "".join(log)


# -- what is announced ---------------------------------------------------------------------------


async def listening(page):
    """A server's address and token; its port is closed again."""
    server = await page.listen(View(RunningMatches()))
    server._close()
    shutil.rmtree(server.view.frame_cache.folder)
    return server


async def test_on_loopback_the_address_has_no_token(monkeypatch):
    monkeypatch.delenv("LANISTA_WEB_TOKEN", raising=False)
    for host in ("127.0.0.1", "localhost", "127.0.0.2"):
        page = PagePort(f"{host}:0")
        server = await listening(page)
        assert server.token is None
        assert f"http://{host}:{server.port}/" == page.url(server)
        assert f"http://{host}:{server.port}/#/match/1" == page.url(server, "/match/1")


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
async def test_an_ipv6_address_has_brackets():
    page = PagePort("[::1]:0")
    try:
        server = await listening(page)
    except CannotListenError as error:
        pytest.skip(f"no IPv6 here: {error}")
    assert f"http://[::1]:{server.port}/" == page.url(server)


async def test_a_token_that_is_given_is_needed_on_loopback_too(monkeypatch):
    """As behind a proxy; whatever is in it comes through the address."""
    monkeypatch.setenv("LANISTA_WEB_TOKEN", "a&b#c d")
    server = await listening(PagePort("127.0.0.1:0"))
    assert "a&b#c d" == server.token
    assert PagePort("127.0.0.1:0").url(server).endswith("/#token=a%26b%23c%20d")


async def test_a_token_that_came_out_empty_makes_nobody_the_operator(monkeypatch):
    """`LANISTA_WEB_TOKEN=$(openssl …)` is empty where there is no openssl."""
    monkeypatch.setenv("LANISTA_WEB_TOKEN", "")
    server = await listening(PagePort("127.0.0.1:0"))
    assert server.token


async def test_without_a_folder_for_frames_there_is_no_page(monkeypatch, tmp_path):
    """One line says why, and no port stays open."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(CannotListenError, match=r"frames: .*gone.*: No such file.*TMPDIR"):
        await PagePort("127.0.0.1:0").listen(View(RunningMatches()))


async def test_off_loopback_the_address_has_the_token(monkeypatch):
    """LANISTA_WEB_TOKEN, or a fresh one; and this machine's first address, or else its name."""
    host = next(iter(own_addresses("0.0.0.0")), socket.gethostname())
    monkeypatch.setenv("LANISTA_WEB_TOKEN", "sesame")
    page = PagePort("0.0.0.0:0")
    server = await listening(page)
    assert f"http://{host}:{server.port}/#token=sesame" == page.url(server)
    expected = f"http://{host}:{server.port}/#token=sesame&/match/1"
    assert expected == page.url(server, "/match/1")
    monkeypatch.setenv("LANISTA_WEB_TOKEN", "")
    tokens = {(await listening(PagePort("0.0.0.0:0"))).token for _ in range(2)}
    assert 2 == len(tokens)
    assert all(len(token) >= 20 for token in tokens)


async def test_only_the_default_gives_way_to_a_free_port(monkeypatch):
    """An address that was asked for is had, or told."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr("lanista.cli.web.DEFAULT", ("127.0.0.1", port))
        server = await listening(PagePort(None))
        assert server.port not in (0, port)
        with pytest.raises(CannotListenError) as error:
            await listening(PagePort(f"127.0.0.1:{port}"))
        assert (
            f"can't listen on 127.0.0.1:{port} for the page: Address already in use; "
            "choose another address with --web"  # no page is only for arenas to choose
        ) == str(error.value).replace("[Errno 98] ", "")


def test_all_addresses_are_named_by_those_that_help(monkeypatch):
    """`0.0.0.0` leads nobody anywhere; loopback and link-local addresses don't either.

    A port on `::` can't be reached by IPv4.
    """
    found = ["127.0.0.1", "169.254.1.1", "192.168.1.5", "10.0.0.7", "192.168.1.5"]
    monkeypatch.setattr("lanista.cli.web._of_interfaces", lambda: list(found))
    monkeypatch.setattr("lanista.cli.web._of_version_6", lambda: ["::1", "2001:db8::7"])
    told = "all addresses: 192.168.1.5:7777, 10.0.0.7:7777"
    assert told == listening_text("0.0.0.0", 7777)
    assert "all addresses: [2001:db8::7]:7777" == listening_text("::", 7777)
    assert "[::1]:7777" == listening_text("::1", 7777)
    found.clear()
    assert "0.0.0.0:7777" == listening_text("0.0.0.0", 7777)
