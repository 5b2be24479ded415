"""Names and tokens of hellos: who gets in, and what is never told; what it costs is apart."""

from datetime import UTC, datetime

import pytest
import structlog
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from arena.hellos import FAR, HERE, NEAR, enter, fail, refused, words_of
from lanista.arena import names as module
from lanista.arena import tokens
from lanista.arena.decisions import add_name, remove_name, reset_token
from lanista.arena.names import (
    LOOK_INTERVAL,
    SEEN_INTERVAL,
    WRONG_TOKEN_INTERVAL,
    WRONG_TOKENS,
    Names,
)
from lanista.arena.spec import is_bot_name
from lanista.errors import BadInputError, StoreError
from lanista.results.base import Database
from lanista.results.names import NameStore, Registrar
from lanista.results.schema import BARRED, NAMES
from lanista_protocol import ErrorCode, RemoteProtocolError, parse_hello

# -- tokens ----------------------------------------------------------------------------------------


def test_a_hash_is_of_one_token():
    """With the real cost."""
    hashed = tokens.hash_of("secret")
    assert tokens.matches("secret", hashed)
    assert not tokens.matches("Secret", hashed)
    assert hashed.startswith("$scrypt$ln=14,r=8,p=1$")
    assert hashed != tokens.hash_of("secret")
    assert not tokens.matches("", tokens.hash_of_nothing())


def test_a_hash_of_another_cost_still_counts(monkeypatch):
    monkeypatch.setattr(tokens, "LOG_N", 4)
    hashed = tokens.hash_of("secret")
    monkeypatch.undo()
    assert tokens.matches("secret", hashed)
    assert not tokens.matches("other", hashed)


# -- who gets in -----------------------------------------------------------------------------------


async def test_the_first_hello_with_a_token_registers_the_name(names, store):
    assert "CamperJoe" == await enter(names, "CamperJoe token=one")
    assert "CamperJoe" == await enter(names, "camperjoe token=one", FAR)
    words = await words_of(names, ErrorCode.BAD_TOKEN, "CAMPERJOE token=two")
    assert "registered with another token" in words
    assert [("CamperJoe", Registrar.ITSELF)] == [
        (name.name, name.registrar) for name in store.names()
    ]


async def test_closed_registration_takes_only_names_that_were_added(closed, store, computed):
    token = add_name(store, "Joe")
    computed.clear()
    assert "Joe" == await enter(closed, f"joe token={token}")
    words = await words_of(closed, ErrorCode.BAD_TOKEN, f"ann token={token}")
    assert "no name 'ann' is registered with this token; check both, or ask the operator" in words
    # A name that isn't there costs as much as a wrong token, and gets the same answer.
    unknown, wrong = computed[1:], await refused(closed, "joe token=other")
    assert ["matches"] == unknown == computed[2:]
    assert (ErrorCode.BAD_TOKEN, words) == (wrong[0], wrong[1].replace("joe", "ann"))
    # Also when it is sent again: both are known to be wrong.
    await refused(closed, f"ann token={token}")
    await refused(closed, "joe token=other")
    assert 3 == len(computed)
    assert ["Joe"] == [name.name for name in store.names()]
    # The name is added later.
    token = add_name(store, "ann")
    assert "ann" == await enter(closed, f"ann token={token}")


@given(st.text(st.sampled_from("aZ09._- =ü\u0430\t\n/"), max_size=40) | st.text(max_size=40))
def test_which_names_a_ladder_takes(name):
    allowed = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._- ")
    words = name.split(" ")
    assert is_bot_name(name) == (set(name) <= allowed and all(words) and len(name) <= 32)


async def test_other_names_are_refused(names, computed):
    for name in ("Zoë", "a/b", "Jo\u0435"):
        words = await words_of(names, ErrorCode.BAD_HELLO, f"{name} token=one")
        assert words.endswith(
            "can't be on a ladder; use 1 to 32 of A-Z a-z 0-9 . _ - and single spaces between words"
        )
        assert words.isascii()
    assert [] == computed


async def test_the_arenas_own_bots_keep_their_names(store, computed):
    names = Names(store, is_open=True, house={"Gravity Goers": "pit"})
    words = await words_of(names, ErrorCode.NAME_TAKEN, "gravity  goers token=one", HERE)
    assert "the name 'gravity goers' belongs to a bot of the arena; choose another name" == words
    assert [] == computed


async def test_without_a_token_on_this_machine(names, store, computed):
    for _ in range(2):  # it isn't registered by that
        checked = await names.check(parse_hello("Joe"), HERE)
        assert ("Joe", "joe", False) == (checked.name, checked.key, checked.is_registered)
    assert [] == store.names() == computed
    await enter(names, "joe token=one", FAR)
    words = await words_of(names, ErrorCode.BAD_TOKEN, "Joe", HERE)
    assert "a name on a ladder needs its token; add token=TOKEN to the hello" in words


@pytest.mark.parametrize("by", ["a hello", "the operator"])
async def test_a_bot_without_a_token_may_not_stay_when_its_name_is_registered(names, store, by):
    joe, ann = [await names.check(parse_hello(name), HERE) for name in ("JOE", "Ann")]
    await names.look()
    seen = names.changed.count
    assert [] == await names.revoked([joe, ann])
    if by == "a hello":
        await enter(names, "joe token=one")
    else:
        add_name(store, "joe", house={})
    await names.look()
    assert seen < names.changed.count
    assert [joe] == await names.revoked([joe, ann])


async def test_without_a_token_from_elsewhere(names, closed):
    words = await words_of(names, ErrorCode.BAD_TOKEN, "Joe")
    assert "or, where anybody may register names, a secret of your own; " in words
    for address in (HERE, NEAR):
        words = await words_of(closed, ErrorCode.BAD_TOKEN, "Joe", address)
        assert "add token=TOKEN to the hello, with the token that the operator gave you" in words


async def test_a_token_is_proved_without_a_hello(names, store, inline, autojump_clock):
    """Proving a name on the page registers nothing, and guessing is as slow as by hellos.

    These are counted apart: the page's visitors don't delay bots, nor the other way round.
    """
    await enter(names, "Ann token=x")
    proved = await names.prove("aNN", "x", NEAR)
    assert store.find("ann") == proved
    for name, token, code, words in [
        ("Ann", "y", ErrorCode.BAD_TOKEN, "no name 'Ann' is registered with this token"),
        ("New", "x", ErrorCode.BAD_TOKEN, "no name 'New' is registered with this token"),
        ("<b>", "x", ErrorCode.BAD_HELLO, "the name '<b>' can't be on a ladder"),
    ]:
        with pytest.raises(RemoteProtocolError, match=words) as raised:
            await names.prove(name, token, FAR)
        assert code == raised.value.code
    assert None is store.find("new")
    began = trio.current_time()
    for number in range(WRONG_TOKENS):  # one more with the one above
        assert began == trio.current_time()
        with pytest.raises(RemoteProtocolError, match="is registered with this token"):
            await names.prove("Ann", f"guess {number}", FAR)
    assert WRONG_TOKEN_INTERVAL == trio.current_time() - began
    await refused(names, "Ann token=z", FAR)
    assert WRONG_TOKEN_INTERVAL == trio.current_time() - began


async def test_names_with_one_token_have_one_owner(names, store):
    async def owner(hello, of=names):
        return (await of.check(parse_hello(hello), HERE)).owner

    ann = await owner("Ann token=one")
    assert ann == await owner("ann token=one") == await owner("Ben token=one")
    others = [ann, await owner("Cid token=two"), await owner("Dot"), await owner("Eve")]
    # It means nothing to another process, or to the same one later.
    others.append(await owner("Ann token=one", Names(store, is_open=True)))
    others.append(await owner("one"))
    assert len(others) == len(set(others))
    assert await owner("Dot") == others[2]


_steps = st.lists(
    st.tuples(
        st.sampled_from(["enter", "enter", "enter", "reset", "remove"]),
        st.sampled_from(["a", "A", "b"]),
        st.sampled_from(["one", "two"]),
        st.sampled_from([HERE, NEAR, FAR]),
        st.integers(0, 100),
    ),
    max_size=30,
)


@given(_steps)
def test_only_the_token_of_a_name_opens_it(empty_file, steps):
    """Whatever happens in whatever order."""

    async def main():
        expected = {}
        names = Names(store, is_open=True)
        for step, name, token, address, pause in steps:
            clock.jump(pause)
            if step == "remove" and name.lower() in expected:
                remove_name(store, name)
                del expected[name.lower()]
            elif step == "reset" and name.lower() in expected:
                expected[name.lower()] = reset_token(store, name)
            elif step == "enter":
                try:
                    await enter(names, f"{name} token={token}", address)
                except RemoteProtocolError:
                    assert token != expected[name.lower()]
                else:
                    assert token == expected.setdefault(name.lower(), token)

    clock = MockClock()
    with pytest.MonkeyPatch.context() as patching, Database.open(empty_file) as database:
        store = NameStore(database)
        patching.setattr(tokens, "LOG_N", 1)
        patching.setattr(module, "WRONG_TOKENS", 1000)
        try:
            trio.run(main, clock=clock)
        finally:
            with store.database.writing() as connection:
                for table in (NAMES, BARRED):
                    connection.execute(table.delete())


# -- what is stored and told -----------------------------------------------------------------------


async def test_no_token_is_told_or_stored(names, closed, store, path, monkeypatch):
    secret, wrong = "s3cr3t-token", "wr0ng-token"
    said = []
    with structlog.testing.capture_logs() as logs:
        for each in (names, closed):
            await enter(each, f"joe token={secret}")
            said.append(await refused(each, f"joe token={wrong}"))
            said.append(repr(each))
        monkeypatch.setattr(store.__class__, "find", fail)
        said.append(await refused(names, f"joe token={secret}"))
    assert {"name registered", "wrong token", "name can't be checked"} == {
        line["event"] for line in logs
    }
    text = f"{said} {logs} {store!r}"
    assert secret not in text
    assert wrong not in text
    assert "scrypt" not in text
    store.database.close()
    for file in path.parent.iterdir():
        assert secret.encode() not in file.read_bytes()


async def test_a_database_that_fails_is_the_arenas_fault(names, store, monkeypatch, mock_clock):
    await enter(names, "joe token=one")
    expected = (ErrorCode.INTERNAL, "the arena can't look up names now; try again later")
    monkeypatch.setattr(NameStore, "find", fail)
    for _ in range(WRONG_TOKENS + 1):  # for which nobody is refused
        assert expected == await refused(names, "joe token=two")
    assert expected == await refused(names, "joe token=one")
    assert expected == await refused(names, "joe", HERE)


async def test_when_names_were_seen_is_stored_now_and_then(names, store, monkeypatch, mock_clock):
    stored = []
    ended, is_over = trio.open_memory_channel(9)
    set_seen = NameStore.set_seen

    def noted(self, seen):
        stored.append(sorted(seen))
        try:
            if len(stored) == 2:
                raise StoreError("away")
            set_seen(self, seen)
        finally:
            trio.from_thread.run_sync(ended.send_nowait, None)

    monkeypatch.setattr(NameStore, "set_seen", noted)

    async def pass_interval():
        # In small steps, as threads may be at work while the clock jumps.
        began, count = trio.current_time(), len(stored)
        while len(stored) == count:
            mock_clock.jump(LOOK_INTERVAL)
            await wait_all_tasks_blocked(0.001)
        assert SEEN_INTERVAL <= trio.current_time() - began
        await is_over.receive()

    before = datetime.now(UTC).replace(microsecond=0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(names.run)
        await enter(names, "Joe token=one")
        await enter(names, "nobody", HERE)
        await pass_interval()
        assert before <= store.find("joe").seen <= datetime.now(UTC)
        await enter(names, "ann token=one")
        await pass_interval()  # it fails, and is tried again
        await pass_interval()
        await enter(names, "ben token=one")
        nursery.cancel_scope.cancel()
    assert [["Joe"], ["ann"], ["ann"], ["ben"]] == stored
    ended.close()
    is_over.close()


# -- the operator ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "name", "words"),
    [
        (add_name, "camper joe", "'Camper Joe' is registered already; `lanista arena name reset`"),
        (add_name, "Zoë", r"'Zo\\xeb' can't be a name on a ladder; use 1 to 32 of A-Z"),
        (reset_token, "camper jo", "'camper jo' is registered; did you mean 'Camper Joe'[?]"),
        (remove_name, "zzz", "no name 'zzz' is registered$"),
    ],
)
def test_what_an_operator_is_refused(store, computed, command, name, words):
    add_name(store, "Camper  Joe")
    before = store.names()
    with pytest.raises(BadInputError, match=words):
        command(store, name)
    assert before == store.names()
