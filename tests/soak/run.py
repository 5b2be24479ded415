"""Soaks a daemon: `make soak`, or python tests/soak/run.py --help

A real `lanista serve` plays honest matches for minutes, while hostile peers do what they can. At
the end, and after two fifths of the time, everybody leaves: what the daemon takes then must be the
same. Exits with 1, and one line for each broken promise, if there was any.

What is compared: an honest bot's answer follows from what it is sent (`players`). So each match is
played again from its seed by the rules and the bots alone, and must have the same digests, turn by
turn; and `lanista replay verify` must find its record in order.

- `honest`: a process with the bots of all honest matches, at 127.0.0.1
- `hostile`: a process with the hostile peers, at 127.0.0.2 and up
- sleepers: bots of an own process that is stopped (SIGSTOP) again and again, at 127.0.0.11
- `disk`: the daemon's data folder, which is full for a while
- `checker`: a process that plays every honest match again
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from e2e.running import Daemon, Program, environment  # noqa: E402
from soak.disk import Disk  # noqa: E402
from soak.watched import Figures, figures  # noqa: E402
from support.processes import processes_in  # noqa: E402

WARM_UP = 0.4
"""The share of the time after which the daemon is measured for the first time."""
WARM_MATCHES = 500
"""How many matches it has played by then, whatever time that takes: what it keeps of matches for
the page grows so long (`FILES_KEPT` in page/frame_cache.py)."""
FLAT = 0.05
"""By what share it may take more at the end."""
REST = 12.0
"""Seconds without a change after which a daemon is at rest: its idle threads end after 10."""
REST_AT_MOST = 90.0
IDLE = 0.05
"""Seconds of processor time that the daemon's idle processes use in a second at most."""
PAUSE = 40.0
"""Seconds between two matches of a table, on average: what two cores play and check again."""
FULL = (0.4, 0.46)
"""The disk is full between these shares of the time after the warm-up."""
DISK_FULL = "No space left on device", "database or disk is full"
"""What the system and SQLite say when it is."""
AFTERMATH = 15.0
"""Seconds after the disk has room again in which matches of that time may still end."""
END_TIME = 5.0
"""Seconds from SIGTERM to the daemon's end."""
VISIT_EVERY = 5.0
VISIT_TIME = 20.0
"""Seconds in which an honest visitor gets an answer of the page; some tenths, but for storms."""
PATIENCE = 60.0
SHOWN = 12
"""Broken promises of one kind that are printed."""
COLUMNS = (
    "seconds", "fds", "threads", "MB", "others", "finished", "void", "aborted", "checked",
    "attacks", "visit",
)  # fmt: skip


class Alone(Daemon):
    """A daemon that shares no memory with others of its kind, so that its own can be measured."""

    forks = False


class Soak:
    """One run."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        self.seconds = options.seconds or options.minutes * 60
        self.is_short = options.seconds is not None
        self.broken: dict[str, list[str]] = defaultdict(list)
        """The promises that were broken, by kind."""
        self.disk: Disk | None = None
        self.programs: list[Program] = []
        self.began = time.monotonic()
        self.full: list[float] = []  # when the disk was full, from and to
        self.files: list[tuple[Path, Path]] = []  # what honest bots were told, what was checked
        self.attacks: Counter[str] = Counter()  # of the acts that are over
        self.slowest_visit = 0.0

    # -- the parts -----------------------------------------------------------------------------

    def run(self) -> None:
        """Soak it."""
        data = self.folder / "daemon" / "lanista-data"
        if not self.is_short:
            data.parent.mkdir()
            try:
                self.disk = Disk(data, int(512 + 40 * self.seconds / 60) << 20)
            except OSError as error:
                print(f"left out: the full disk, since none can be mounted ({error.strerror})")
        (self.folder / "tmp").mkdir()
        self.daemon = self.serve("daemon")
        print(" ".join(f"{column:>8}" for column in COLUMNS))
        before = figures(self.daemon.process.pid)
        if self.is_short:
            self.act("short", self.seconds)
        else:
            # Twice: when all begin at once and there are matches to be viewed, the daemon takes the
            # most memory, and its allocator keeps that.
            self.act("first", WARM_UP / 4 * self.seconds)
            self.act("warm-up", WARM_UP * 3 / 4 * self.seconds)
            while (played := len(self.told_finished())) < WARM_MATCHES:
                self.act(f"warm-up-{played}", WARM_UP / 4 * self.seconds)
            warm = self.rest()
            self.act("soak", (1 - WARM_UP) * self.seconds, fills=True)
            self.judge_rest(before, warm, self.rest())
        self.judge_matches()
        self.judge_list(self.told_finished(but_full=True), "while it serves")
        self.farewell()
        self.judge_log()

    def serve(self, name: str) -> Daemon:
        """Start a daemon; the second one, too, has the first one's data."""
        options = ["--data", self.folder / "daemon" / "lanista-data", "--move-limit", 120]
        # What an honest bot has on this busy machine; that a verdict is fair is another test's.
        options += ["--time-move", 2]
        env = environment(TMPDIR=str(self.folder / "tmp"))
        daemon = Alone(self.folder / name, *options, web="127.0.0.1:0", env=env)
        self.programs.append(daemon)
        return daemon

    def program(self, name: str, script: str, *words: object, nice: int = 0) -> Program:
        """Start one of our processes, which give way to the daemon if `nice`."""
        argv = ["nice", "-n", str(nice), sys.executable, str(HERE / f"{script}.py")]
        program = Program([*argv, *map(str, words)], self.folder / name)
        self.programs.append(program)
        return program

    def honest(self, act: str, seconds: float) -> Program:
        """Start the honest bots."""
        pause = 0.5 if self.is_short else PAUSE
        words = ("--tables", self.options.tables, "--seconds", seconds, "--pause", pause)
        return self.program(f"{act}-honest", "honest", self.daemon.port, *words)

    def hostile(self, act: str) -> Program:
        """Start the hostile peers."""
        page = urlsplit(self.daemon.page).port
        return self.program(f"{act}-hostile", "hostile", self.daemon.port, page, nice=5)

    def act(self, name: str, seconds: float, *, fills: bool = False) -> None:
        """Have all play and attack for so long, and leave."""
        honest = self.honest(name, seconds)
        told = honest.folder / "stdout"
        data = self.daemon.folder / "lanista-data"
        checker = self.program(f"{name}-checker", "checker", data, told, nice=10)
        self.files.append((told, checker.folder / "stdout"))
        hostile = self.hostile(name)
        words = ("--tables", 4, "--seconds", seconds, "--pause", 1, "--name", "Sleeper")
        words += ("--address", "127.0.0.11")
        sleepers = self.program(f"{name}-sleepers", "honest", self.daemon.port, *words, nice=5)
        over = threading.Event()
        visitor = threading.Thread(target=self.visit, args=(over,), daemon=True)
        visitor.start()
        for share in self.pass_time(seconds, honest):
            self.stop_or_continue(sleepers)
            if fills:
                self.fill_disk(share)
            self.tell(hostile, each=2 if self.is_short else 60)
            self.check_alive(honest, hostile, checker)
        over.set()
        visitor.join()
        if honest.process.returncode:
            self.broken["this soak"].append(f"the honest bots' process failed: {honest.err[-500:]}")
        self.tell(hostile)
        self.attacks += _counts(hostile)
        for program in (hostile, sleepers):
            program.signal(signal.SIGCONT)
            program.signal(signal.SIGTERM)
            program.wait()
        with told.open("a") as file:
            file.write("over\n")
        while checker.process.poll() is None:
            time.sleep(0.2)
        if checker.process.returncode:
            self.broken["this soak"].append(f"the checker failed: {checker.err[-500:]}")

    def pass_time(self, seconds: float, honest: Program | None = None) -> Iterator[float]:
        """Tell twice a second which share of the time is over, until all is.

        Args:
            seconds: How long it is.
            honest: Bots that play their last matches to the end after it.
        """
        self.told = began = time.monotonic()
        while (over := time.monotonic() - began) < seconds or (
            honest is not None and honest.process.poll() is None
        ):
            yield over / seconds
            time.sleep(0.5)

    def check_alive(self, *programs: Program) -> None:
        """Give up where there is nothing left to soak, or nobody who does."""
        if self.daemon.process.poll() is not None:
            raise EndedError(f"the daemon has ended: {self.daemon.err[-2000:]}")
        for program in programs:
            if program.process.poll():
                raise EndedError(f"{program.folder.name} has failed: {program.err[-2000:]}")

    def stop_or_continue(self, sleepers: Program) -> None:
        """Stop the sleepers for some seconds now and then."""
        if sleepers.process.poll() is None:
            stops = random.random() < 0.5
            sleepers.signal(signal.SIGSTOP if stops else signal.SIGCONT)

    def visit(self, until: threading.Event) -> None:
        """Look at the page again and again as an honest visitor; in a thread, since it may wait."""
        while not until.wait(VISIT_EVERY):
            began = time.monotonic()
            try:
                self.ask("/api/1/lobby")
            except OSError as error:
                words = f"at {began - self.began:.0f} s, no lobby within {VISIT_TIME:g} s: {error}"
                self.broken["the page answers"].append(words)
            self.slowest_visit = max(self.slowest_visit, time.monotonic() - began)

    def ask(self, path: str) -> Any:
        """What the page's interface answers."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        address = f"http://127.0.0.1:{urlsplit(self.daemon.page).port}{path}"
        with opener.open(address, timeout=VISIT_TIME) as answer:
            return json.load(answer)

    def fill_disk(self, share: float) -> None:
        """Keep the disk full while its time is."""
        if self.disk is None or len(self.full) == 2 or share < FULL[0]:
            return
        if share < FULL[1] or not self.full:
            self.full = self.full or [time.monotonic()]
            self.disk.fill()
        else:
            self.disk.empty()
            self.full.append(time.monotonic())

    def rest(self) -> Figures:
        """Wait until a daemon that nobody uses changes no more; what it takes then."""
        pid = self.daemon.process.pid
        now = figures(pid)
        since = began = time.monotonic()
        while time.monotonic() - since < REST and time.monotonic() - began < REST_AT_MOST:
            time.sleep(1)
            before, now = now, figures(pid)
            works = now.work - before.work > IDLE  # as the replay worker, at the lowest priority
            if works or (before.descriptors, before.threads) != (now.descriptors, now.threads):
                since = time.monotonic()
        print(f"at rest: {_shown(now)}")
        return now

    def farewell(self) -> None:
        """End the daemon by SIGTERM amid matches and attacks, and start one with its data."""
        seconds = 2 if self.is_short else 10
        honest, hostile = self.honest("farewell", 1000), self.hostile("farewell")
        self.files.append((honest.folder / "stdout", Path("/dev/null")))
        for _ in self.pass_time(seconds):
            self.check_alive(honest, hostile)
        began = time.monotonic()
        self.daemon.signal(signal.SIGTERM)
        try:
            code = self.daemon.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            code = None
        took = time.monotonic() - began
        for program in (honest, hostile):
            program.end()
        print(f"SIGTERM: {took:.1f} s, exit code {code}")
        if took > END_TIME or code != 0:
            self.broken["SIGTERM ends the daemon"].append(f"{took:.1f} s, exit code {code}")
        finished = self.told_finished()
        log = self.daemon.err
        self.daemon = self.serve("again")
        self.judge_list(finished, "after a restart")
        self.daemon.signal(signal.SIGTERM)
        self.daemon.process.wait(PATIENCE)
        self.log = log + self.daemon.err
        left = [path.name for path in (self.folder / "tmp").iterdir()]
        if left:
            self.broken["nothing is left behind"].append(f"in the temporary folder: {left}")

    # -- what comes of it ----------------------------------------------------------------------

    def was_full(self, line: dict[str, Any]) -> bool:
        """Whether a match was played while the disk was full."""
        if not self.full:
            return False
        began = line["at"] - line.get("seconds", PATIENCE)
        return self.full[0] <= line["at"] and began <= self.full[-1] + AFTERMATH

    def told_finished(self, *, but_full: bool = False) -> set[str]:
        """The matches of which bots were told that they are finished."""
        return {
            match
            for told, _ in self.files
            for line in _lines(told)
            if line["ends"] == ["finished"] and not (but_full and self.was_full(line))
            for match in line["matches"]
        }

    def judge_matches(self) -> None:
        """Every honest match ended by its rules, and is what it is alone."""
        ends: Counter[str] = Counter()
        stalls, full = 0, 0
        after = 0
        for told, checked in self.files:
            times = {}
            for line in _lines(told):
                times.update(dict.fromkeys(line["matches"], line))
                is_full = self.was_full(line)
                full += is_full
                ends.update(line["ends"])
                after += bool(self.full) and line["at"] > self.full[-1] + AFTERMATH
                if is_full:
                    continue
                for trouble in line["troubles"]:
                    self.broken["an honest match goes on"].append(trouble)
                if not set(line["ends"]) <= {"finished", "void"}:
                    self.broken["an honest match ends by its rules"].append(json.dumps(line))
            for line in _lines(checked):
                is_full = self.was_full(times[line["match"]])
                stalls += len(line["stalls"])
                for wrong in line["wrong"]:
                    if not (is_full and wrong == "it has no record"):
                        words = f"{line['match']}: {wrong}"
                        self.broken["a match is what it is alone"].append(words)
                if line["end"] == "void" and not line["stalls"]:
                    self.broken["void only by a stall"].append(line["match"])
        if self.full and not after:
            self.broken["when the disk empties all goes on"].append("no match ended afterwards")
        if not ends["finished"]:
            self.broken["this soak"].append("no match was finished")
        print(f"matches: {dict(ends)}; {full} while the disk was full")
        print(f"turns judged late while the host stalled: {stalls}")
        print(f"attacks: {dict(self.attacks)}")
        print(f"slowest answer of the page: {self.slowest_visit:.1f} s")

    def judge_rest(self, before: Figures, warm: Figures, end: Figures) -> None:
        """It takes no more than after the warm-up."""
        print(f"before: {_shown(before)}")
        for name in ("descriptors", "threads", "memory", "others"):
            first, last = getattr(warm, name), getattr(end, name)
            if last > first * (1 + FLAT):
                self.broken["flat at rest"].append(f"{name}: {first:.1f} and then {last:.1f}")

    def judge_list(self, finished: set[str], when: str) -> None:
        """The page knows every match of which bots were told that it is finished."""
        until = time.monotonic() + PATIENCE
        while True:
            missing = finished - self.listed()
            if not missing or time.monotonic() > until:
                break
            time.sleep(1)
        print(f"list {when}: {len(finished) - len(missing)} of {len(finished)} matches")
        for match in sorted(missing):
            self.broken[f"the list is complete {when}"].append(match)

    def listed(self) -> set[str]:
        """All matches that are over, by the page's interface."""
        found: set[str] = set()
        path = "/api/1/matches?limit=200"
        cursor = ""
        while True:
            page = self.ask(path + cursor)
            found |= {match["match"] for match in page["matches"] if match["state"] == "over"}
            if page["next"] is None:
                return found
            cursor = f"&before={page['next']}"

    def judge_log(self) -> None:
        """The daemon's log tells no fault of its own but that the disk was full."""
        for line in self.log.splitlines():
            if "Traceback" in line or "level=error" in line:
                if self.full and any(words in line for words in DISK_FULL):
                    continue
                self.broken["the log tells no error"].append(line[-600:])
            elif not line.startswith("timestamp="):
                self.broken["the log has its form"].append(line[:300])

    def tell(self, hostile: Program, each: float = 0.0) -> None:
        """Print a line of the table, but not too often."""
        now = time.monotonic()
        if now - self.told < each:
            return
        self.told = now
        taken = figures(self.daemon.process.pid)
        ends: Counter[str] = Counter()
        checked = 0
        for told, checks in self.files:
            for line in _lines(told):
                ends.update(line["ends"])
            checked += sum(1 for _ in _lines(checks))
        values = (
            f"{now - self.began:.0f}",
            taken.descriptors,
            taken.threads,
            f"{taken.memory:.1f}",
            f"{taken.others:.1f}",
            ends["finished"],
            ends["void"],
            ends["aborted"],
            checked,
            (self.attacks + _counts(hostile)).total(),
            f"{self.slowest_visit:.1f}",
        )
        print(" ".join(f"{value:>8}" for value in values), flush=True)

    def end(self) -> None:
        """End all that was started, and nothing else."""
        for program in self.programs:
            program.end()
        for pid in processes_in(self.folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            self.broken["nothing is left behind"].append(f"process {pid}")
        if self.disk is not None:
            self.disk.unmount()


class EndedError(Exception):
    """What should run has ended."""


def _lines(path: Path) -> Iterator[Any]:
    """The values of a file of JSON lines, also one that is being written."""
    if path.is_file():
        for line in path.read_text().splitlines(keepends=True):
            if line.startswith("{") and line.endswith("\n"):
                yield json.loads(line)


def _counts(hostile: Program) -> Counter[str]:
    last = {}
    for last in _lines(hostile.folder / "stdout"):  # noqa: B007 - the last one counts
        pass
    return Counter(last)


def _shown(taken: Figures) -> str:
    return (
        f"{taken.descriptors} descriptors, {taken.threads} threads, {taken.memory:.1f} MB, "
        f"{taken.others:.1f} MB of other processes"
    )


def main() -> int:
    """Soak a daemon; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seconds", type=float, help="a short run, in which little is measured")
    parser.add_argument("--tables", type=int, default=100, help="honest matches at once")
    options = parser.parse_args()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)  # also where a shell had us ignore it
    folder = Path(tempfile.mkdtemp(prefix="lanista-soak-")).resolve()
    soak = Soak(options, folder)
    keeps = True
    try:
        soak.run()
        keeps = False
    except EndedError as error:
        soak.broken["the daemon serves"].append(str(error))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        keeps = False
        return 130
    finally:
        soak.end()
        if not soak.broken and not keeps:
            shutil.rmtree(folder)
    for kind, found in soak.broken.items():
        for words in found[:SHOWN]:
            print(f"broken: {kind}: {words}")
        if len(found) > SHOWN:
            print(f"broken: {kind}: and {len(found) - SHOWN} more")
    if soak.broken:
        print(f"what was told and logged is in {folder}")
    return 1 if soak.broken else 0


if __name__ == "__main__":
    sys.exit(main())
