"""`lanista arena check`: what can be found wrong with an arena before it is started.

Nothing is started, and nothing is changed. Everything is checked, even after a mistake was found.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs
import trio

from lanista.arena.admission import is_loopback
from lanista.arena.ladder_room import house_contestants
from lanista.arena.matches import ROOM
from lanista.arena.options import options_of, private_paths
from lanista.arena.spec import NO_PAGE, ArenaSpec, LadderSpec, Tls, host_and_port
from lanista.arena.tls import CertificateError, load, validity
from lanista.bots.builder import LANGUAGES
from lanista.bots.building import BrokenSandboxError, Builder, NotBuiltError
from lanista.bots.limits import readable_size
from lanista.bots.sandbox import SandboxError, check_sandbox, own_paths
from lanista.cli.common import minute_text, say
from lanista.cli.serving import connections_allowed
from lanista.cli.web import shown_tournaments, warning_of_token
from lanista.errors import BadInputError, LanistaError, one_line
from lanista.games import registry
from lanista.games.picture import counted
from lanista.hosting.accept import open_port
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.inputs import SandboxName, configurations
from lanista.results.base import Database
from lanista.results.data_folder import DATABASE, DataFolder
from lanista.results.names import key_of
from lanista.results.submissions import Author, SubmissionFolder
from lanista.system import usable_cores
from lanista_client.console import address

EXIT_FAILED = 1
SOON = timedelta(days=14)
"""How long before its end a certificate gets a warning."""


@attrs.define
class Report:
    """Prints what is right, and what is wrong or may be; a mistake begins with its key."""

    failures: int = 0
    """How often the arena wouldn't do what its file says."""

    def ok(self, text: str) -> None:
        """Print that something is right."""
        say(f"ok    {text}")

    def warn(self, text: str) -> None:
        """Print that something may be wrong."""
        say(f"warn  {text}")

    def fail(self, text: str) -> None:
        """Print that something is wrong."""
        say(f"FAIL  {text}")
        self.failures += 1

    @contextlib.contextmanager
    def failing(self, place: str) -> Iterator[None]:
        """Print, after a place, the error that keeps the arena from something within."""
        try:
            yield
        except (LanistaError, OSError) as error:
            self.fail(f"{place}{one_line(error)}")


def check(spec: ArenaSpec, folder: Path) -> int:
    """Print what is found about an arena, whose file is in a folder, and return the exit code."""
    report, folder = Report(), folder.resolve()
    data = DataFolder(folder / spec.data)
    houses = [
        _ladder(report, ladder, f"ladders[{number}]", folder)
        for number, ladder in enumerate(spec.ladders, 1)
    ]
    _friendly(report, spec, folder)
    _sandbox(report, spec.ladders)
    _submissions(report, spec.ladders, houses, data)
    _places(report, spec, houses, folder)
    _ports(report, spec)
    if spec.tls is not None:
        _certificate(report, spec.tls, folder)
    _data(report, data)
    _store(report, spec, data)
    with report.failing("page.tournaments: "):
        shown_tournaments([folder / file for file in spec.page.tournaments])
    _machine(report, spec)
    return EXIT_FAILED if report.failures else 0


# -- what is played ----------------------------------------------------------------------------


def _ladder(report: Report, ladder: LadderSpec, key: str, folder: Path) -> Sequence[Contestant]:
    """Check a ladder, and return its house bots, none of them if one can't be looked up."""
    house: Sequence[Contestant] = ()
    before = report.failures
    with report.failing(f"{key}.game: "):
        ruleset = registry.get(ladder.game)
    if report.failures > before:
        return house
    with report.failing(f"{key}."):
        configurations(ruleset, ladder.maps, ladder.settings, folder)
    with report.failing(f"{key}."):
        house = house_contestants(ladder, folder)
    if report.failures == before:
        maps = counted(len(ladder.maps), "map")
        report.ok(
            f"ladder {ladder.name}: {ruleset.title}, {ruleset.seats} seats, "
            f"{counted(len(house), 'house bot')}, "
            f"{maps if ladder.maps else 'maps made from seeds'}"
        )
        # Without any, bots that connect meet each other alone, as the operator may want it.
        if (house or ladder.submissions is not None) and len(house) < ruleset.seats - 1:
            report.warn(
                f"{key}.house: {len(house)} of them can't fill the seats of a match for a bot that "
                f"waits alone; {ruleset.seats - 1} could"
            )
    return house


def _places(
    report: Report, spec: ArenaSpec, houses: Sequence[Sequence[Contestant]], folder: Path
) -> None:
    """Tell the house bots whose programs lie in a folder that their sandboxes hide.

    Also those that look for their program in such a folder, as Python does for a module.
    """
    private = [Path(os.path.realpath(path)) for path in private_paths(spec, folder)]
    for number, (ladder, house) in enumerate(zip(spec.ladders, houses, strict=True), 1):
        if ladder.sandbox is not SandboxName.BWRAP:
            continue
        for place, bot in enumerate(house, 1):
            key = f"ladders[{number}].house[{place}]"
            own = sorted(map(Path, own_paths(bot.command, bot.folder or "", os.environ)))
            files = [path for path in own if path.is_file()]
            hidden = [path for path in files if any(map(path.is_relative_to, private))]
            for path in hidden or [folder] * (folder in own):
                report.warn(
                    f"{key}: {bot.name} uses {path}, and sandboxes hide the arena's folders, but "
                    "for a file that a command names, and its own folder below them; move the "
                    "program elsewhere, and name its file or folder in the command"
                )


def _friendly(report: Report, spec: ArenaSpec, folder: Path) -> None:
    try:
        options_of(spec, folder / "arena.toml")
    except BadInputError as error:
        if spec.game is not None or not spec.ladders:  # else it is a ladder's, and was looked at
            report.fail(str(error))


def _sandbox(report: Report, ladders: Sequence[LadderSpec]) -> None:
    for number, ladder in enumerate(ladders, 1):
        if ladder.sandbox is SandboxName.BWRAP:
            with report.failing(f"ladders[{number}]."):
                check_sandbox()
            return


def _submissions(
    report: Report,
    ladders: Sequence[LadderSpec],
    houses: Sequence[Sequence[Contestant]],
    data: DataFolder,
) -> None:
    """Tell what programs can be handed in, whether there is room for them, and which don't play."""
    taking = [(number, one) for number, one in enumerate(ladders, 1) if one.submissions is not None]
    if not taking:
        return
    for number, ladder in taking:
        assert ladder.submissions is not None
        key, closes = f"ladders[{number}].submissions", ladder.submissions.closes
        if closes is not None and closes < datetime.now(UTC):
            report.warn(f"{key}.closes: {closes.isoformat()} is over: nothing is taken")
        elif closes is not None:  # the zone in the file may be that of the other half of the year
            until = minute_text(closes)
            report.ok(f"submissions: {ladder.name} takes programs until {until}, local time")
        authors: Mapping[str, Author] = {}
        with report.failing(f"{key}: "):
            authors = SubmissionFolder.of_ladder(data.submissions, ladder.name).read()
        for entry, bot in enumerate(houses[number - 1], 1):
            if key_of(bot.name) in authors:
                report.warn(
                    f"ladders[{number}].house[{entry}]: {bot.name} is also a name for which "
                    "programs were handed in; they won't play while a house bot has it"
                )
    key = f"ladders[{taking[0][0]}].submissions"
    try:
        check_sandbox()
        found = trio.run(Builder().tools).languages
    except (SandboxError, NotBuiltError, BrokenSandboxError, OSError) as error:
        report.fail(f"{key}: programs run only in sandboxes; {one_line(error)}")
        return
    tools = ", ".join(
        f"{name} ({version.removeprefix(f'{name} ')})" for name, version in found.items()
    )
    report.ok(f"submissions: sandboxes work; languages: {tools}")
    for language in LANGUAGES:
        if language.name not in found:
            report.warn(
                f"submissions: {language.name} can't be built: {language.tool} isn't there, or not "
                "in sandboxes, which show nothing of a home folder; install it for all users "
                "(docs/arena.md says how)"
            )
    most = sum(one.submissions.max_disk for _, one in taking if one.submissions is not None)
    place = next(path for path in (data.path, *data.path.parents) if path.exists())
    free = shutil.disk_usage(place).free
    (report.ok if free > most else report.warn)(
        f"submissions: {readable_size(free)} are free in {place}; max_disk allows "
        f"{readable_size(most)}"
    )


# -- the network -------------------------------------------------------------------------------


def _ports(report: Report, spec: ArenaSpec) -> None:
    page = None if spec.page.listen == NO_PAGE else spec.page.listen
    addresses = [("port", spec.host, spec.port)]
    if page is not None:
        addresses.append(("page.listen", *host_and_port(page)))
    trio.run(_listen, report, addresses)
    if not is_loopback(spec.host) and spec.tls is None:
        report.warn(f"host: {spec.host} without [tls]: names' tokens cross the network unencrypted")
    warning = None if page is None else warning_of_token()
    if warning is not None:
        report.warn(warning)


async def _listen(report: Report, addresses: Sequence[tuple[str, str, int]]) -> None:
    """Open ports, given as key, host and number, all at once, and close them again."""
    listeners: list[trio.SocketListener] = []
    for key, host, port in addresses:
        advice, use = ("host and port", "bots") if key == "port" else (key, "page")
        with report.failing(f"{key}: "):
            listeners += (await open_port(host, port, advice))[0]
            report.ok(f"{use}: {address(host, port)} can be listened on")
    for listener in listeners:
        await listener.aclose()


def _certificate(report: Report, tls: Tls, folder: Path) -> None:
    certificate = folder / tls.certificate
    try:
        since, until = validity(load(certificate, folder / tls.key), certificate)
    except CertificateError as error:
        report.fail(str(error))
        return
    now = datetime.now(UTC)
    if not since <= now < until:
        report.fail(
            f"tls.certificate: {certificate}: valid from {since:%Y-%m-%d} to "
            f"{until:%Y-%m-%d}, and not now; renew it, or set this machine's clock"
        )
    elif until - now < SOON:
        report.warn(f"tls.certificate: expires on {until:%Y-%m-%d}; renew it")
    else:
        report.ok(f"TLS: certificate valid until {until:%Y-%m-%d}")


# -- files and databases -----------------------------------------------------------------------


def _data(report: Report, data: DataFolder) -> None:
    for folder in (data.path, data.records):
        try:
            if os.path.lexists(folder):  # also a link, as to a disk that isn't mounted
                with tempfile.TemporaryFile(dir=folder) as file:  # in a folder that is writable
                    file.write(bytes(ROOM))
        except OSError as error:
            report.fail(f"data: {folder} can't be written: {error.strerror}")
            return
    if data.path.exists():
        report.ok(f"data: {data.path}")
        return
    parent = next(folder for folder in data.path.parents if folder.exists())
    if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
        report.ok(f"data: {data.path}, which will be created")
    else:
        report.fail(
            f"data: {data.path} can't be created: {parent} isn't a folder that can be written"
        )


def _store(report: Report, spec: ArenaSpec, data: DataFolder) -> None:
    if spec.ladders:
        with report.failing("database: " if spec.store is None else "store: "):
            Database.rehearse_arena(data, spec.store)
            if spec.store is not None:
                report.ok("store: the PostgreSQL database can be used")
    if spec.page.listen != NO_PAGE and not (spec.ladders and spec.store is None):
        with report.failing(f"list of matches, which is made again if {DATABASE} is moved away: "):
            Database.rehearse_arena(data)


# -- the machine -------------------------------------------------------------------------------


def _machine(report: Report, spec: ArenaSpec) -> None:
    with report.failing("max_connections: "):
        allowed, why = connections_allowed(spec)
        if why:
            report.warn(
                f"max_connections: {allowed} instead of {spec.max_connections} will be possible: "
                f"{why}"
            )
    cores = len(usable_cores())
    if spec.workers > cores:
        report.warn(
            f"workers: {spec.workers} on {counted(cores, 'core')}; they will slow "
            "each other's matches down"
        )
