"""Crematoria: four players, a prison underground and gems outside (rules/crematoria.md)."""
