"""Null gives no orders in Hogwarts."""

from lanista.games.house_bot import Silent

Null = Silent
