"""Angry Mob: two players, simultaneous moves, full information (rules/angrymob.md)."""
