"""The steps of an arena's database of names."""
