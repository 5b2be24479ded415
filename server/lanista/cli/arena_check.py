"""`lanista arena check`: what can be found wrong with an arena before it is started.

Nothing is started, and nothing is changed. Everything is checked, even after a mistake was found.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs
import trio

from lanista.arena.admission import is_loopback
from lanista.arena.certificate import CertificateError, load, validity
from lanista.arena.ladder_room import house_contestants
from lanista.arena.options import options_of, private_paths
from lanista.arena.spec import NO_PAGE, ArenaSpec, LadderSpec, Tls, address_of
from lanista.bots.builder import LANGUAGES
from lanista.bots.building import BrokenSandboxError, Builder, NotBuiltError
from lanista.bots.sandbox import SandboxError, check_sandbox, own_paths
from lanista.cli.common import say
from lanista.cli.serving import connections_allowed
from lanista.cli.web import shown_tournaments, warning_of_token
from lanista.errors import BadInputError, one_line
from lanista.games import registry
from lanista.games.picture import counted
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.spec_parts import SandboxName, configurations
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.errors import StoreError
from lanista.system import usable_cores
from lanista_client.console import address

EXIT_FAILED = 1
GIB = 1 << 30
SOON = timedelta(days=14)
"""How long before its end a certificate gets a warning."""


@attrs.frozen
class Finding:
    """One line of the result."""

    text: str
    """What is right, or wrong; a mistake begins with its key."""
    mark: str = "FAIL"
    """`ok`, `warn`, or `FAIL` if the arena wouldn't do what its file says."""


def check(spec: ArenaSpec, folder: Path) -> int:
    """Print what is found about an arena, whose file is in a folder, and return the exit code."""
    has_failed = False
    for finding in findings(spec, folder.resolve()):
        say(f"{finding.mark:5} {finding.text}")
        has_failed |= finding.mark == "FAIL"
    return EXIT_FAILED if has_failed else 0


def findings(spec: ArenaSpec, folder: Path) -> Iterator[Finding]:
    """Yield what is right and what is wrong."""
    for number, ladder in enumerate(spec.ladders, 1):
        yield from _ladder(ladder, f"ladders[{number}]", folder)
    yield from _friendly(spec, folder)
    yield from _sandbox(spec.ladders)
    yield from _submissions(spec.ladders, DataFolder(folder / spec.data))
    yield from _places(spec, folder)
    yield from _ports(spec)
    if spec.tls is not None:
        yield from _certificate(spec.tls, folder)
    yield from _data(DataFolder(folder / spec.data))
    yield from _store(spec, DataFolder(folder / spec.data))
    yield from _tournaments(spec, folder)
    yield from _machine(spec)


# -- what is played ----------------------------------------------------------------------------


def _ladder(ladder: LadderSpec, key: str, folder: Path) -> Iterator[Finding]:
    try:
        ruleset = registry.get(ladder.game)
    except registry.UnknownGameError as error:
        yield Finding(f"{key}.game: {error}")
        return
    is_right = True
    try:
        configurations(ruleset, ladder.maps, ladder.settings, folder)
    except BadInputError as error:
        is_right = False
        yield Finding(f"{key}.{error}")
    house: Sequence[Contestant] = ()
    try:
        house = house_contestants(ladder, folder)
    except BadInputError as error:
        is_right = False
        yield Finding(f"{key}.{error}")
    if is_right:
        maps = counted(len(ladder.maps), "map")
        yield Finding(
            f"ladder {ladder.name}: {ruleset.title}, {ruleset.seats} seats, "
            f"{counted(len(house), 'house bot')}, "
            f"{maps if ladder.maps else 'maps made from seeds'}",
            "ok",
        )
        # Without any, bots that connect meet each other alone, as the operator may want it.
        if (house or ladder.submissions is not None) and len(house) < ruleset.seats - 1:
            yield Finding(
                f"{key}.house: {len(house)} of them can't fill the seats of a match for a bot that "
                f"waits alone; {ruleset.seats - 1} could",
                "warn",
            )


def _places(spec: ArenaSpec, folder: Path) -> Iterator[Finding]:
    """Yield the house bots whose programs lie in a folder that their sandboxes hide.

    Also those that look for their program in such a folder, as Python does for a module.
    """
    private = [Path(os.path.realpath(path)) for path in private_paths(spec, folder)]
    for number, ladder in enumerate(spec.ladders, 1):
        if ladder.sandbox is not SandboxName.BWRAP:
            continue
        with contextlib.suppress(BadInputError):  # which was found already
            for place, bot in enumerate(house_contestants(ladder, folder), 1):
                key = f"ladders[{number}].house[{place}]"
                own = sorted(map(Path, own_paths(bot.command, bot.folder or "", os.environ)))
                programs = {
                    path: around
                    for path in own
                    for around in [one for one in private if path.is_relative_to(one)][:1]
                    if path.is_file()
                }
                for program, around in programs.items():
                    seen = "that file" if program.parent in private else "that folder"
                    yield Finding(
                        f"{key}: {program} lies in {around}, which sandboxes hide, so "
                        f"{bot.name} sees only {seen}; move it elsewhere",
                        "warn",
                    )
                if not programs and folder in own:
                    yield Finding(
                        f"{key}: {bot.name} runs in {folder}, which is empty in its sandbox; if "
                        "its program is there, move the program elsewhere, and name its file or "
                        "folder in the command",
                        "warn",
                    )


def _friendly(spec: ArenaSpec, folder: Path) -> Iterator[Finding]:
    try:
        options_of(spec, folder / "arena.toml")
    except BadInputError as error:
        if spec.game is not None or not spec.ladders:  # else it is a ladder's, and was looked at
            yield Finding(str(error))


def _sandbox(ladders: Sequence[LadderSpec]) -> Iterator[Finding]:
    for number, ladder in enumerate(ladders, 1):
        if ladder.sandbox is SandboxName.BWRAP:
            try:
                check_sandbox()
            except SandboxError as error:
                yield Finding(f"ladders[{number}].{error}")
            return


def _submissions(ladders: Sequence[LadderSpec], data: DataFolder) -> Iterator[Finding]:
    """Yield what programs can be handed in, and whether there is room for them."""
    taking = [(number, one) for number, one in enumerate(ladders, 1) if one.submissions is not None]
    if not taking:
        return
    for number, ladder in taking:
        assert ladder.submissions is not None
        key, closes = f"ladders[{number}].submissions", ladder.submissions.closes
        if closes is not None and closes < datetime.now(UTC):
            yield Finding(f"{key}.closes: {closes.isoformat()} is over: nothing is taken", "warn")
    key = f"ladders[{taking[0][0]}].submissions"
    try:
        check_sandbox()
        found = trio.run(Builder().tools).languages
    except (SandboxError, NotBuiltError, BrokenSandboxError, OSError) as error:
        yield Finding(f"{key}: programs run only in sandboxes; {one_line(error)}")
        return
    tools = ", ".join(
        f"{name} ({version.removeprefix(f'{name} ')})" for name, version in found.items()
    )
    yield Finding(f"submissions: sandboxes work; languages: {tools}", "ok")
    missing = [one for one in LANGUAGES if one.name not in found]
    absent = [f"{one.name} ({one.tool})" for one in missing if shutil.which(one.tool) is None]
    if absent:
        yield Finding(
            f"submissions: can't be built, as a tool isn't there: {', '.join(absent)}", "warn"
        )
    for language in missing:
        if (tool := shutil.which(language.tool)) is not None:
            yield Finding(
                f"submissions: {language.name} can't be built: {tool} doesn't work in sandboxes, "
                "which don't show what else it needs of a home folder; install it for all users "
                "(docs/arena.md says how)",
                "warn",
            )
    most = sum(one.submissions.max_disk for _, one in taking if one.submissions is not None)
    place = next(path for path in (data.path, *data.path.parents) if path.exists())
    free = shutil.disk_usage(place).free
    yield Finding(
        f"submissions: {free / GIB:.1f} GiB are free in {place}; max_disk allows "
        f"{most / GIB:,.1f} GiB",
        "ok" if free > most else "warn",
    )


# -- the network -------------------------------------------------------------------------------


def _ports(spec: ArenaSpec) -> Iterator[Finding]:
    page = None if spec.page.listen == NO_PAGE else spec.page.listen
    addresses = [("port", spec.host, spec.port)]
    if page is not None:
        addresses.append(("page.listen", *address_of(page)))
    yield from trio.run(_listen, addresses)
    if not is_loopback(spec.host) and spec.tls is None:
        yield Finding(
            f"host: {spec.host} without [tls]: names' tokens cross the network unencrypted", "warn"
        )
    warning = None if page is None else warning_of_token()
    if warning is not None:
        yield Finding(warning, "warn")


async def _listen(addresses: Sequence[tuple[str, str, int]]) -> list[Finding]:
    """Open ports, given as key, host and number, all at once, and close them again."""
    found: list[Finding] = []
    listeners: list[trio.SocketListener] = []
    for key, host, port in addresses:
        shown = address(host, port)
        try:
            listeners += await trio.open_tcp_listeners(port, host=host)
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or error
            found.append(
                Finding(f"{key}: can't listen on {shown}: {why}; choose another address or port")
            )
        else:
            found.append(
                Finding(f"{'bots' if key == 'port' else 'page'}: {shown} can be listened on", "ok")
            )
    for listener in listeners:
        await listener.aclose()
    return found


def _certificate(tls: Tls, folder: Path) -> Iterator[Finding]:
    certificate = folder / tls.certificate
    try:
        valid = validity(load(certificate, folder / tls.key), certificate)
    except CertificateError as error:
        yield Finding(f"tls.{error.key}: {error}")
        return
    now = datetime.now(UTC)
    if now >= valid.until:
        yield Finding(
            f"tls.certificate: {certificate}: expired on {valid.until:%Y-%m-%d}; renew it"
        )
    elif now < valid.since:
        yield Finding(
            f"tls.certificate: {certificate}: not valid before {valid.since:%Y-%m-%d %H:%M} UTC; "
            "check this machine's clock"
        )
    elif valid.until - now < SOON:
        yield Finding(f"tls.certificate: expires on {valid.until:%Y-%m-%d}; renew it", "warn")
    else:
        yield Finding(f"TLS: certificate valid until {valid.until:%Y-%m-%d}", "ok")


# -- files and databases -----------------------------------------------------------------------


def _data(data: DataFolder) -> Iterator[Finding]:
    for folder in (data.path, data.records):
        try:
            if folder.exists():
                with tempfile.TemporaryFile(dir=folder):  # fails if the folder isn't writable
                    pass
        except OSError as error:
            yield Finding(f"data: {folder} can't be written: {error.strerror}")
            return
    if data.path.exists():
        yield Finding(f"data: {data.path}", "ok")
        return
    parent = next(folder for folder in data.path.parents if folder.exists())
    if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
        yield Finding(f"data: {data.path}, which will be created", "ok")
    else:
        yield Finding(
            f"data: {data.path} can't be created: {parent} isn't a folder that can be written"
        )


def _store(spec: ArenaSpec, data: DataFolder) -> Iterator[Finding]:
    """Yield what would keep the arena from opening its database."""
    if not spec.ladders:
        return
    try:
        Database.rehearse(data, spec.store)
    except (StoreError, OSError) as error:
        yield Finding(f"{'database' if spec.store is None else 'store'}: {one_line(error)}")
    else:
        if spec.store is not None:
            yield Finding("store: the PostgreSQL database can be used", "ok")


def _tournaments(spec: ArenaSpec, folder: Path) -> Iterator[Finding]:
    try:
        shown_tournaments([folder / file for file in spec.page.tournaments])
    except BadInputError as error:
        yield Finding(f"page.tournaments: {error}")


# -- the machine -------------------------------------------------------------------------------


def _machine(spec: ArenaSpec) -> Iterator[Finding]:
    try:
        allowed, why = connections_allowed(spec)
    except BadInputError as error:
        yield Finding(f"max_connections: {error}")
    else:
        if why:
            yield Finding(
                f"max_connections: {allowed} instead of {spec.max_connections} will be possible: "
                f"{why}",
                "warn",
            )
    cores = len(usable_cores())
    if spec.workers > cores:
        yield Finding(
            f"workers: {spec.workers} on {counted(cores, 'core')}; they will slow "
            "each other's matches down",
            "warn",
        )
