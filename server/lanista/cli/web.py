"""The port of the page and what it shows, for the commands that serve one; addresses for people."""

import contextlib
import fcntl
import ipaddress
import os
import socket
import struct
import tomllib
from collections.abc import Sequence
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from lanista.bots.command import OPERATORS_TOKEN
from lanista.errors import BadInputError, CannotListenError
from lanista.games.picture import counted
from lanista_client.console import address

if TYPE_CHECKING:
    import trio

    from lanista.arena.arena import Arena
    from lanista.arena.tls import TlsRelay
    from lanista.page.ladders import Ladders
    from lanista.page.server import Server
    from lanista.page.tables import TableHelpers
    from lanista.page.view import View

DEFAULT = ("127.0.0.1", 8080)


WILDCARDS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared, not listened on
"""The addresses that stand for all addresses of a machine."""
MAX_SHOWN = 4
"""Number of addresses that are shown."""
_SIOCGIFADDR = 0x8915
"""The request of Linux for an interface's IPv4 address (netdevice(7))."""
_INET6 = Path("/proc/net/if_inet6")


def warning_of_token() -> str | None:
    """Return one line if the operator's token in the environment may be guessed; else None."""
    from lanista.page.authorization import LONG, is_short

    token = os.environ.get(OPERATORS_TOKEN)
    if not token or not is_short(token):
        return None
    return (
        f"{OPERATORS_TOKEN} has {counted(len(token), 'character')} and could be guessed; use "
        f"{LONG} or more random ones, such as those that `openssl rand -hex 16` prints"
    )


def shown_tournaments(paths: Sequence[Path]) -> "TableHelpers":
    """Return what computes the tables of the tournaments of specs, and of folders with specs."""
    from lanista.competition.setup import load_file
    from lanista.competition.standings import format_of
    from lanista.errors import placed
    from lanista.page.tables import TableHelpers
    from lanista.page.tournaments import Tournaments

    helpers, shown = TableHelpers(), []
    file_of: dict[str, Path] = {}
    for file in _specs_in(paths):
        setup = load_file(file)
        with placed(f"{file}: "):
            format_of(setup)
        name = setup.spec.name
        if name in file_of:
            raise BadInputError(
                f"--tournament: {file_of[name]} and {file} are both called {name!a}; "
                "show one of them, or give one another name"
            )
        file_of[name] = file
        shown.append(helpers.tournament_of(file, setup))
    helpers.tournaments = Tournaments(shown)
    return helpers


def _specs_in(paths: Sequence[Path]) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        found = [file for file in sorted(path.glob("*.toml")) if _is_spec(file)]
        if not found:
            raise BadInputError(
                f"--tournament: {path} has no tournament: no .toml file in it has the key format"
            )
        files += found
    return files


def _is_spec(file: Path) -> bool:
    """Return whether a file is meant as the spec of a tournament; other files may lie beside it."""
    try:
        return "format" in tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return True  # reading it as a spec will say what is wrong


class PagePort:
    """The port that the page is served on: the one asked for, or a free one."""

    def __init__(
        self,
        web: str | None,
        shown: "TableHelpers | None" = None,
        *,
        open_logs: bool = False,
        embed: Sequence[str] = (),
    ) -> None:
        """Parse HOST:PORT; None for the default, or a free port if the default is in use."""
        self._shown = shown
        self._open_logs = open_logs
        self._embed = embed
        self._is_default = web is None
        self._host, self._port = DEFAULT
        if web is not None:
            from lanista.arena.spec import host_and_port

            try:
                self._host, self._port = host_and_port(web)
            except ValueError as error:
                raise BadInputError(f"--web: {web!a}; {error}") from None

    async def open_beside(self, arena: "Arena", nursery: "trio.Nursery", ladders: "Ladders") -> str:
        """Serve an arena's page, and return its address; the caller runs the ladders."""
        import structlog

        from lanista.page.tournaments import Tournaments
        from lanista.page.view import View

        view = View(
            arena.running,
            arena=arena,
            ladders=ladders,
            tournaments=Tournaments() if self._shown is None else self._shown.tournaments,
        )
        server = await self.listen(view, arena.connections.tls)
        if warning := warning_of_token():
            structlog.get_logger().warning("the operator's token is short", why=warning)
        await nursery.start(server.run)
        shown_at = self.url(server)
        arena.connections.page = shown_at.partition("#")[0]  # without the operator's token
        return shown_at

    async def open_for_tournaments(self, nursery: "trio.Nursery") -> "Server":
        """Serve a page that shows tournaments without an arena, and return its server."""
        from lanista.hosting.control import RunningMatches
        from lanista.page.view import View

        assert self._shown is not None
        view = View(RunningMatches(), tournaments=self._shown.tournaments)
        server = await self.listen(view)
        nursery.start_soon(self._shown.run)
        await nursery.start(server.run)
        return server

    async def listen(self, view: "View", tls: "TlsRelay | None" = None) -> "Server":
        """Open the port and return a server, which the caller must run; `tls` is for viewers."""
        from lanista.arena.admission import is_loopback
        from lanista.arena.tokens import new_token
        from lanista.page.server import Server

        token = os.environ.get(OPERATORS_TOKEN)
        # An empty one was to be a token: what should have made it failed, such as `openssl`.
        if token == "" or (token is None and not is_loopback(self._host)):
            token = new_token()
        server = Server(view, self._host, self._port, token, self._open_logs, tls, self._embed)
        try:
            await server.listen()
        except CannotListenError:
            if not self._is_default:
                raise
            server.port = 0
            await server.listen()
        return server

    def url(self, server: "Server", path: str = "") -> str:
        """Return the page's address, with the operator's token if it needs one."""
        host = self._host
        if host in WILDCARDS:
            # A certificate has a name in it. Elsewhere an address works, and a name may not.
            addresses = [] if server.tls is not None else own_addresses(host)
            host = addresses[0] if addresses else socket.gethostname()
        fragment = path
        if server.token is not None:
            fragment = f"token={quote(server.token, safe='')}{path and '&'}{path}"
        scheme = "http" if server.tls is None else "https"
        return f"{scheme}://{address(host, server.port)}/" + (f"#{fragment}" if fragment else "")

    def tunnel(self, server: "Server") -> str | None:
        """Return the command by which the page can be reached through this SSH session, or None."""
        from lanista.arena.admission import is_loopback

        session = os.environ.get("SSH_CONNECTION", "").split()
        if len(session) != 4 or not is_loopback(self._host):
            return None
        host, port = session[2:]  # of this machine, as ssh(1) says
        way = f"{server.port}:localhost:{server.port} {getuser()}@{host}"
        return f"ssh -L {way}" if port == "22" else f"ssh -p {port} -L {way}"


def own_addresses(host: str) -> list[str]:
    """Return at most `MAX_SHOWN` addresses under which others reach a port on `0.0.0.0` or `::`.

    The latter has no IPv4 addresses, as `trio.open_tcp_listeners` sees to. Loopback and link-local
    ones are left out, and there are none if they can't be found out.
    """
    found = _of_version_6() if host == "::" else _of_interfaces()
    usable = [
        own
        for own in dict.fromkeys(found)
        if not (parsed := ipaddress.ip_address(own)).is_loopback and not parsed.is_link_local
    ]
    return usable[:MAX_SHOWN]


def _of_interfaces() -> list[str]:
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            with contextlib.suppress(OSError):  # it has none, or this isn't Linux
                answer = fcntl.ioctl(asking, _SIOCGIFADDR, request)
                found.append(socket.inet_ntoa(answer[20:24]))
    return found


def _of_version_6() -> list[str]:
    with contextlib.suppress(OSError):
        lines = _INET6.read_text(encoding="ascii").splitlines()
        return [str(ipaddress.IPv6Address(int(line.split(" ")[0], 16))) for line in lines]
    return []


def listening_text(host: str, port: int) -> str:
    """Return where somebody listens, for people; of all addresses those that help others."""
    addresses = own_addresses(host) if host in WILDCARDS else []
    if not addresses:
        return address(host, port)
    return "all addresses: " + ", ".join(address(own, port) for own in addresses)
