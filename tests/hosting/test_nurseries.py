"""The nursery of tasks that serve a block, and the signals to stop."""

import signal
from types import SimpleNamespace

import pytest
import trio

from lanista import nurseries
from lanista.nurseries import HeldError, helpers_nursery, stop_signals


@pytest.mark.parametrize("raised", [OSError("no space"), KeyboardInterrupt(), SystemExit()])
async def test_what_the_block_raises_comes_as_it_is_when_the_helpers_have_ended(raised):
    """A command without handlers of signals ends with 130 for Ctrl-C alone, so it comes out too."""
    ended = []

    async def help_out():
        try:
            await trio.sleep_forever()
        finally:
            ended.append(True)

    async def work():
        async with helpers_nursery() as nursery:
            nursery.start_soon(help_out)
            await trio.lowlevel.checkpoint()
            raise raised

    with pytest.raises(type(raised)) as caught:
        await work()
    assert raised is caught.value
    assert [True] == ended


async def test_a_helpers_own_error_is_not_lost():
    async def fail():
        raise ValueError("a fault")

    async def work():
        async with helpers_nursery() as nursery:
            nursery.start_soon(fail)
            await trio.sleep_forever()

    with pytest.raises(ExceptionGroup) as caught:
        await work()
    assert caught.group_contains(ValueError, match="a fault")


async def test_a_second_signal_breaks_off_what_holds_the_loop(monkeypatch):
    """A loop in order gets time to come round to the first; trio's own code isn't broken off.

    What follows gets as much: it writes the record of a match that was broken off.
    """
    now = 0.0
    monkeypatch.setattr(nurseries, "time", SimpleNamespace(monotonic=lambda: now))
    with stop_signals() as signals:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        now += nurseries.HELD
        _of_trio(signal.SIGINT)
        with pytest.raises(HeldError):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert [signal.SIGINT, signal.SIGTERM] == [await anext(signals), await anext(signals)]


@trio.lowlevel.enable_ki_protection
def _of_trio(number):
    signal.raise_signal(number)


async def test_the_next_signal_breaks_off_nothing_once_the_loop_has_come_round(monkeypatch):
    monkeypatch.setattr(nurseries, "HELD", 0)
    with stop_signals() as signals:
        for _ in range(3):
            signal.raise_signal(signal.SIGINT)
            assert signal.SIGINT == await anext(signals)
