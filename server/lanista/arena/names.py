"""Who may play under a name on a ladder: registered names, their tokens, and their owners.

With open registration, the first hello that brings a token registers the name with it; with closed
registration, only the operator adds names. From then on, the name belongs to whoever has the token.

A token is compared with its stored hash (`tokens`), which takes a twentieth of a second of a core,
and anybody may send tokens. docs/arena.md, "Guessing of tokens", says how that is limited: guessing
is slow, and yet nobody can keep a right token out. To this end:

- What has been found out is remembered for as long as this process runs. If the operator gives a
  name another token or removes it, in whatever process, the old token is of no use a second later.
- A token is called wrong only after it was compared. How many wait for that is limited by the
  number of connections, each of which shows one at a time.
- Each address has at most one token of bots, one of the page's visitors and one new name that wait
  for a thread, so addresses take turns. No limit belongs to a name alone: whoever guesses its token
  doesn't delay its owner elsewhere.

A name that isn't registered costs as much, and gets the same answer, as a wrong token where
registration is closed. A token is in no message, no log and no `repr`.
"""

import contextlib
import hmac
import math
import os
import secrets
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, NamedTuple, NewType, TypeVar

import attrs
import structlog
import trio

from lanista.arena import tokens
from lanista.arena.admission import is_loopback
from lanista.arena.limits import Allowance, LogLimit, Recent, Turns
from lanista.arena.spec import BOT_NAME_FORM, is_bot_name
from lanista.errors import StoreError
from lanista.hosting.control import Changes
from lanista.results.names import BenchedName, NameStore, RegisteredName, Registrar, key_of
from lanista.system import usable_cores
from lanista_protocol import ErrorCode, Hello, RemoteProtocolError, bad_hello, shown

WRONG_TOKENS, WRONG_TOKEN_INTERVAL = 10, 5.0
"""How many wrong tokens of an address for one name are compared at once, and seconds until the next
one is."""
ALL_WRONG_TOKENS, ALL_WRONG_TOKENS_INTERVAL = 50, 1.0
"""The same for all names together."""
NEW_NAMES, NEW_NAME_INTERVAL = 50, 60.0
"""How many names an address may register at once, such as that of a class, and seconds until it may
register one more."""
REMEMBERED = 10_000
"""How many right tokens are remembered, and as many wrong ones: those that were sent last."""
LOOK_INTERVAL = 1.0
"""Seconds between two looks at whether something was changed."""
_LOOK_PATIENCE = 5.0
"""Seconds that such a look may take; after that, each token is looked up."""
SEEN_INTERVAL = 60.0
"""Seconds between two times at which it is stored when names were last seen."""
TROUBLE_INTERVAL = 60.0
"""Seconds between two log lines on names that can't be checked."""
_LAST_STORING = 0.5
"""Seconds that storing this may take at the end."""
_READERS = 2
"""Threads that read and write the database."""
_NICENESS = 10
"""How much the threads that compare tokens give way to those that play matches."""

HELLO, PAGE = "hello", "page"
"""The purposes for which tokens are compared."""

Owner = NewType("Owner", bytes)
"""Stands for whoever showed a token: the same for all names with that token. It is derived from the
token with a key of this process, or as slowly as a stored hash with a salt of this arena."""

T = TypeVar("T")
log = structlog.get_logger()


@attrs.frozen(kw_only=True)
class LadderName:
    """A bot's name on a ladder, as its hello has proved it."""

    name: str
    """The name, with the capitals with which it was registered."""
    owner: Owner
    """Whose name it is; of a bot without a token, an owner of its own."""
    registered: datetime | None = None
    token_hash: str = attrs.field(default="", repr=False)
    """The hash with which its token was compared; empty if it isn't registered."""

    @property
    def key(self) -> str:
        """The key that all ways to write the name have in common, from `key_of`."""
        return key_of(self.name)

    @property
    def is_registered(self) -> bool:
        """Whether the name is registered."""
        return self.registered is not None


class _Entry(NamedTuple):
    """The answer of the database about a name."""

    found: RegisteredName | None
    """The name as it is registered; None if it isn't."""
    as_of: int | None
    """`NameStore.changes` at that time or before; None if that wasn't known."""

    @property
    def token_hash(self) -> str | None:
        """The hash of the name's token; None if it isn't registered."""
        return None if self.found is None else self.found.token_hash


def _recent() -> Recent[bytes, Any]:
    return Recent(REMEMBERED)


class _Sender(NamedTuple):
    """Whoever sends tokens, as far as that can be known."""

    purpose: str
    """`HELLO` or `PAGE`; each has its own queue, so neither delays the other."""
    address: str


@attrs.define(eq=False)
class Names:
    """Checks the names and tokens of hellos on ladders; `run` must run meanwhile.

    What is asked by bots or visitors raises `RemoteProtocolError` if it can't be looked up
    (`internal`), anything else `StoreError`.
    """

    store: NameStore
    is_open: bool
    """Whether the first hello with a token registers a name."""
    house: Mapping[str, str] = attrs.field(factory=dict)
    """The house bots, whose names nobody else may use, with the ladder of each."""
    owner_salt: bytes | None = attrs.field(default=None, repr=False)
    """With it, owners are the same ones after a restart; None: they are those of this process."""
    _key: bytes = attrs.field(factory=lambda: secrets.token_bytes(32), init=False, repr=False)
    _nobody: str = attrs.field(factory=tokens.hash_of_nothing, init=False, repr=False)
    _house_keys: frozenset[str] = attrs.field(init=False)
    _comparing: trio.CapacityLimiter = attrs.field(init=False)
    _threads: ThreadPoolExecutor = attrs.field(init=False)
    _readers: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(_READERS), init=False
    )
    # By sender and key of the name.
    _wrong_tokens: Allowance = attrs.field(
        factory=lambda: Allowance(WRONG_TOKENS, WRONG_TOKEN_INTERVAL), init=False
    )
    # By sender.
    _all_wrong_tokens: Allowance = attrs.field(
        factory=lambda: Allowance(ALL_WRONG_TOKENS, ALL_WRONG_TOKENS_INTERVAL), init=False
    )
    # By address.
    _registering: Turns = attrs.field(factory=Turns, init=False)
    _new_names: Allowance = attrs.field(
        factory=lambda: Allowance(NEW_NAMES, NEW_NAME_INTERVAL), init=False
    )
    # The owners of tokens, if there is a salt, by the digest of the token.
    _owners: Recent[bytes, Owner] = attrs.field(factory=_recent, init=False, repr=False)
    # By the digest of the name and a right or wrong token: the entry with which it was compared.
    _right: Recent[bytes, _Entry] = attrs.field(factory=_recent, init=False, repr=False)
    _wrong: Recent[bytes, _Entry] = attrs.field(factory=_recent, init=False, repr=False)
    # `NameStore.changes` of late; None if it can't be read.
    _changes: int | None = attrs.field(default=None, init=False)
    # The last one of which `changed` has told.
    _taken_up: int | None = attrs.field(default=None, init=False)
    changed: Changes = attrs.field(factory=Changes, init=False)
    """Tells that something was changed (`NameStore.changes`): look up again what may have."""
    # Of names that can't be checked.
    _trouble_lines: LogLimit = attrs.field(
        factory=lambda: LogLimit(1, TROUBLE_INTERVAL), init=False
    )
    # When names were seen since this was last stored.
    _seen: dict[str, datetime] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self._house_keys = frozenset(map(key_of, self.house))
        at_once = max(1, len(usable_cores()) // 2)  # the others have matches to play
        self._comparing = trio.CapacityLimiter(at_once)
        self._threads = ThreadPoolExecutor(at_once, "tokens", initializer=_give_way)

    async def check(
        self, hello: Hello, address: str, purpose: str = HELLO, *, registers: bool = True
    ) -> LadderName:
        """Check the name and token of a hello, and register the name if it is new and `registers`.

        This may have to wait for its turn. The address is one from `admission.address_of`.

        Raises:
            RemoteProtocolError: The bot can't have this name (`bad-hello`, `name-taken`); the token
                is wrong or missing (`bad-token`); or the name is new and its address has registered
                too many (`server-full`).
        """
        name = hello.name
        key = _key_of_ladder_name(name)
        if key in self._house_keys:
            raise RemoteProtocolError(
                ErrorCode.NAME_TAKEN,
                f"the name {shown(name)} belongs to a bot of the arena; choose another name",
            )
        with self._store_errors(name):
            if hello.token is None:
                await self._check_without_token(key, address)
                owner = Owner(self._digest("owner by name", key))
                return LadderName(name=name, owner=owner)
            sender = _Sender(purpose, address)
            registers = registers and self.is_open
            found = await self._check_token(name, key, hello.token, sender, registers)
        self._seen[found.name] = datetime.now(UTC)
        return LadderName(
            name=found.name,
            owner=await self._owner(hello.token),
            registered=found.registered,
            token_hash=found.token_hash,
        )

    async def decide(self, decision: Callable[[NameStore], T]) -> T:
        """Carry out a decision of the operator (`decisions`) in a thread, and take it up."""
        with self._store_errors(""):
            decided = await self._in_thread(decision, self.store)
        await self.look()
        return decided

    async def prove(self, name: str, token: str, address: str) -> RegisteredName:
        """Check that a token is that of a registered name, for a visitor of the page.

        Limits and errors are those of `check`, counted apart from hellos; no name is registered. A
        connection may prove only one name at a time.
        """
        key = _key_of_ladder_name(name)
        with self._store_errors(name):
            return await self._check_token(name, key, token, _Sender(PAGE, address), False)

    async def registered(
        self, after: str | None, most: int
    ) -> list[tuple[RegisteredName, list[str | None]]]:
        """Return at most so many registered names in the order of their keys, after a given one.

        Each comes with the ladders on which it is benched; None stands for all.
        """

        def read() -> list[tuple[RegisteredName, list[str | None]]]:
            first = "" if after is None else key_of(after)
            found = [one for one in self.store.names() if one.key > first][:most]
            benched = self.store.benched()
            return [(one, [b.ladder for b in benched if b.key == one.key]) for one in found]

        with self._store_errors(after or ""):
            return await self._in_thread(read)

    async def revoked(self, names: Collection[LadderName]) -> list[LadderName]:
        """Return those of some names that were removed or have other tokens now.

        So has a name without a token that was registered since.
        """
        found = await self.look_up([name.key for name in names])
        hashes = {key: one.token_hash for key, one in found.items()}
        return [name for name in names if hashes.get(name.key, "") != name.token_hash]

    async def is_revoked(self, who: LadderName) -> bool:
        """Return whether a bot's name is `revoked` since its `check`."""
        with self._store_errors(who.name):
            return bool(await self.revoked([who]))

    async def look_up(self, keys: Collection[str]) -> Mapping[str, RegisteredName]:
        """Return those of some names that are registered, by key."""
        found = await self._in_thread(lambda: [self.store.find(key) for key in keys])
        return {name.key: name for name in found if name is not None}

    async def removed(self) -> Mapping[str, RegisteredName]:
        """Return the names that the operator has removed, as they were registered, by key."""
        return await self._in_thread(self.store.removed)

    async def benched(self) -> list[BenchedName]:
        """Return the names that the operator has benched."""
        return await self._in_thread(self.store.benched)

    async def run(self) -> None:
        """Keep up with the database until cancelled: it is told when names were last seen."""
        stored = trio.current_time()
        try:
            while True:
                await self.look()
                await trio.sleep(LOOK_INTERVAL)
                if trio.current_time() - stored >= SEEN_INTERVAL:
                    await self._store_seen()
                    stored = trio.current_time()
        finally:
            self._changes = None
            with trio.move_on_after(_LAST_STORING, shield=True):
                await self._store_seen()

    async def _owner(self, token: str) -> Owner:
        digest = self._digest("owner by token", token)
        if self.owner_salt is None:
            return Owner(digest)
        owner = self._owners.get(digest)
        if owner is None:
            async with self._comparing:
                owner = Owner(await self._compute(tokens.salted, token, self.owner_salt))
        self._owners[digest] = owner
        return owner

    async def _check_without_token(self, key: str, address: str) -> None:
        may_be_free = self.is_open and is_loopback(address)
        if not may_be_free or await self._in_thread(self.store.find, key) is not None:
            raise _bad_token(
                "a name on a ladder needs its token; add token=TOKEN to the hello, with the token "
                "that the operator gave you or, where anybody may register names, a secret of your "
                "own; it registers the name if that is free"
            )

    async def _check_token(
        self, name: str, key: str, token: str, sender: _Sender, registers: bool
    ) -> RegisteredName:
        digest = self._digest("token", f"{key}\0{token}")
        entry = self._right.get(digest)
        if entry is not None and entry.as_of is not None and entry.as_of == self._changes:
            self._right[digest] = entry
        else:
            entry = await self._look_up(name)
            if entry.found is None and registers:
                entry = await self._register(name, token, digest, sender.address)
            verdict = self._verdict(digest, entry)
            if verdict is None:
                entry, verdict = await self._guess(token, digest, name, key, sender)
            if not verdict:
                entry = None
        if entry is None or entry.found is None:
            raise _bad_token(
                f"the name {shown(name)} is registered with another token; send that one, ask "
                "the operator for a new one, or choose another name"
                if registers
                else f"no name {shown(name)} is registered with this token; check both, or ask the "
                "operator for them"
            )
        return entry.found

    async def _guess(
        self, token: str, digest: bytes, name: str, key: str, sender: _Sender
    ) -> tuple[_Entry, bool]:
        """Compare a token when it is its turn; return the name's entry, and whether it is right."""
        pair = sender, key
        async with self._wrong_tokens.turn(pair):
            # It counts as wrong until it has turned out not to be: the next one may have its turn
            # before that.
            self._wrong_tokens.use(pair)
        is_new_wrong = False
        try:
            async with self._all_wrong_tokens.turn(sender), self._comparing:
                # Only now, as the operator may have changed it meanwhile, and another
                # connection may have found out the same.
                entry = await self._look_up(name)
                verdict = self._verdict(digest, entry)
                if verdict is None:
                    verdict = await self._compute(
                        tokens.matches, token, entry.token_hash or self._nobody
                    )
                    is_new_wrong = not verdict
                    if is_new_wrong:
                        self._all_wrong_tokens.use(sender)
                        log.info("wrong token", name=name, host=sender.address)
                    (self._right if verdict else self._wrong)[digest] = entry
        finally:
            if not is_new_wrong:
                self._wrong_tokens.give_back(pair)
        return entry, verdict

    async def _look_up(self, name: str) -> _Entry:
        # Before the name is read: what is revoked meanwhile makes the entry count as an old one.
        as_of = self._changes
        return _Entry(await self._in_thread(self.store.find, name), as_of)

    async def _register(self, name: str, token: str, digest: bytes, address: str) -> _Entry:
        """Register a name, unless somebody is first; return its entry."""
        async with self._registering.turn(address):
            entry = await self._look_up(name)
            if entry.found is not None:
                return entry
            wait = self._new_names.wait(address)
            if wait and not is_loopback(address):
                raise RemoteProtocolError(
                    ErrorCode.SERVER_FULL,
                    f"too many new names from {address}; try again in {math.ceil(wait)} s, or use "
                    "a name that is registered",
                )
            self._new_names.use(address)
            async with self._comparing:
                token_hash = await self._compute(tokens.hash_of, token)
            as_of = self._changes
            registered = await self._in_thread(
                self.store.register, name, token_hash, Registrar.ITSELF
            )
            entry = _Entry(registered, as_of)
            if registered.token_hash == token_hash:
                self._right[digest] = entry
                log.info("name registered", name=registered.name, host=address)
            else:
                self._new_names.give_back(address)
        return entry

    def _verdict(self, digest: bytes, entry: _Entry) -> bool | None:
        """Return whether a token is known to be right or wrong; None if it must be compared."""
        for compared, verdict in ((self._right, True), (self._wrong, False)):
            known = compared.get(digest)
            if known is not None and known.token_hash == entry.token_hash:
                compared[digest] = entry
                return verdict
        return None

    @contextlib.contextmanager
    def _store_errors(self, name: str) -> Iterator[None]:
        """Tell a bot of errors of the database, and log them once in a while: bots try again."""
        try:
            yield
        except StoreError as error:
            self._trouble_lines.log(log.error, "name can't be checked", name=name, error=str(error))
            raise RemoteProtocolError(
                ErrorCode.INTERNAL, "the arena can't look up names now; try again later"
            ) from None

    def _digest(self, purpose: str, text: str) -> bytes:
        return hmac.digest(self._key, f"{purpose}\0{text}".encode(), "sha256")

    async def _compute(self, work: Callable[..., T], *args: object) -> T:
        """Run a computation with scrypt in a thread, to its end even if the bot has left."""
        is_done = trio.Event()
        loop = trio.lowlevel.current_trio_token()
        with trio.CancelScope(shield=True):
            future = self._threads.submit(work, *args)
            future.add_done_callback(lambda _: loop.run_sync_soon(is_done.set))
            await is_done.wait()
        return future.result()

    async def _in_thread(self, call: Callable[..., T], *args: object) -> T:
        """Call a method of the database, which may have to wait for another process."""
        return await trio.to_thread.run_sync(
            call, *args, abandon_on_cancel=True, limiter=self._readers
        )

    async def look(self) -> None:
        """Look whether something was changed, in whatever process."""
        count = None
        with trio.move_on_after(_LOOK_PATIENCE), contextlib.suppress(StoreError):
            count = await self._in_thread(self.store.changes)
        self._changes = count
        if count is not None and count != self._taken_up:
            self._taken_up = count
            self.changed.tell()

    async def _store_seen(self) -> None:
        seen, self._seen = self._seen, {}
        try:
            await self._in_thread(self.store.set_seen, seen)
        except StoreError as error:
            self._seen = seen | self._seen
            log.warning("not stored when names were last seen", error=str(error))


def _key_of_ladder_name(name: str) -> str:
    if not is_bot_name(name):
        raise bad_hello(f"the name {shown(name)} can't be on a ladder; use {BOT_NAME_FORM}")
    return key_of(name)


def _give_way() -> None:
    """Lower the priority of this thread, where it isn't that of the whole process."""
    if sys.platform == "linux":
        os.nice(_NICENESS)


def _bad_token(message: str) -> RemoteProtocolError:
    return RemoteProtocolError(ErrorCode.BAD_TOKEN, message)
