"""Computing what the page shows of results, but not too often, as matches run beside it."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import ClassVar, Generic, TypeVar

import attrs
import structlog
import trio

from lanista.errors import RefusedError

SHARE = 4
"""Minimum time until the next computation as a multiple of what one took that didn't fail."""

FIRST = 8
"""Number of rows of a table that the lobby shows."""

T = TypeVar("T")

log = structlog.get_logger()


class NoStandingsError(RefusedError):
    """There are no standings: a line for viewers without paths or hosts, and `why` for the log."""

    def __init__(self, message: str, why: str = "") -> None:
        super().__init__(HTTPStatus.SERVICE_UNAVAILABLE, message)
        self.why = why


@attrs.define(eq=False)
class Renewal(Generic[T]):
    """Something that is computed from results again and again, but not too often."""

    rest: ClassVar[float]
    """Minimum seconds between two computations."""
    kind: ClassVar[str]
    """The word `tournament` or `ladder`, for the line of the log about a problem."""
    name: str
    """The name of the tournament or the ladder."""
    compute: Callable[[str | None], Awaitable[tuple[str, T | None]]]
    """Returns the state of what it is computed from, and the result; without a result if that is
    the last state, which it is given. Raises `NoStandingsError`."""
    result: T | None = attrs.field(default=None, init=False)
    """The last one that was computed."""
    problem: str | None = attrs.field(default=None, init=False)
    """Why there is no newer one; None if there is no reason."""
    due: float = attrs.field(default=float("-inf"), init=False)
    """When it may be computed again, by trio's clock."""
    _state: str | None = attrs.field(default=None, init=False)
    """The state of which `result` is; None if nobody knows."""
    _logged: tuple[str | None, str] = attrs.field(default=(None, ""), init=False)
    """The problem that was logged last: message and reason."""

    @property
    def is_due(self) -> bool:
        """Whether it may be computed now."""
        return trio.current_time() >= self.due

    async def renew(self) -> bool:
        """Compute it if that is due; return whether the result or the problem has changed.

        It must not be called again meanwhile.
        """
        if not self.is_due:
            return False
        before = self.result, self.problem
        begun, why, pause = trio.current_time(), "", self.rest
        try:
            self._state, result = await self.compute(self._state)
            self.result, self.problem = result or self.result, None
            pause = max(pause, SHARE * (trio.current_time() - begun))
        except NoStandingsError as error:
            # It has mostly waited, such as for a database that was locked.
            self._state, self.problem, why = None, str(error), error.why
        self.due = trio.current_time() + pause
        if why and self._logged != (self.problem, why):
            trouble = f"no standings of a {self.kind}"
            log.error(trouble, **{self.kind: self.name}, why=why)
        self._logged = self.problem, why
        return before != (self.result, self.problem)
