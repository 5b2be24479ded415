"""Null gives no orders in Crematoria."""

from lanista.games.house_bot import Silent

Null = Silent
