"""The steps of an arena's database of names, in the order of their numbers."""
