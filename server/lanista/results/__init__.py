"""What was played: the results of matches, and where an arena keeps its data."""
