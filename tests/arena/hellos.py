"""Asking names by hellos, as from this machine, from near it and from far away."""

import pytest

from lanista.errors import StoreError
from lanista_protocol import ErrorCode, RemoteProtocolError, parse_hello

HERE, NEAR, FAR = "127.0.0.1", "10.0.0.1", "10.0.0.2"


async def enter(names, hello, address=NEAR):
    """Return the name with which a hello gets in."""
    return (await names.check(parse_hello(hello), address)).name


async def refused(names, hello, address=NEAR):
    """Return the code and the words with which a hello is refused."""
    with pytest.raises(RemoteProtocolError) as caught:
        await names.check(parse_hello(hello), address)
    assert caught.value.message.isprintable()
    return caught.value.code, caught.value.message


async def words_of(names, code, hello, address=NEAR):
    """Return the words with which a hello is refused, for this reason."""
    found, words = await refused(names, hello, address)
    assert code is found
    return words


OTHERS = (
    ErrorCode.BAD_TOKEN,
    (
        "the name 'joe' is registered with another token; send that one, ask the operator for a "
        "new one, or choose another name"
    ),
)


def fail(*_):
    raise StoreError("away")
