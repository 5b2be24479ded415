"""The records of an arena's matches: room for them, recovery after a crash, backup."""
