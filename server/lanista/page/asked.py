"""A request as those that answer it get it."""

from collections.abc import Sequence

import attrs

from lanista.page.connections import Peer


@attrs.frozen
class Asked:
    """A request, as its handler gets it besides the parts of its path."""

    peer: Peer
    parameters: dict[str, str]
    authorizations: Sequence[str]
    """The values of its `Authorization` headers."""
    origin: str
    """Scheme and host by which the page was asked for."""
    length: int = 0
    """The size of its body in bytes."""
