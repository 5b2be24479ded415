"""Hogwarts: four clans of wizards and ghosts, and Voldemort (rules/hogwarts.md)."""
