"""The records of an arena's matches: room for them, catalogue, recovery after a crash, backup."""
